"""The wheel: what is in it, and that it works in a fresh environment far from the checkout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tomllib
import venv
from collections.abc import Sequence
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import pytest

from rxviz import __version__

ROOT = Path(__file__).resolve().parents[2]


def output(words: Sequence[str | Path], cwd: Path) -> str:
    # No PYTHONPATH and no user site: the new environment must not find this checkout.
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "PIP_", "RXVIZ"))}
    done = subprocess.run(
        words, cwd=cwd, env={**kept, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}, capture_output=True, check=False,
        encoding="utf-8", stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    output([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh environment with the wheel in it; its dependencies are those of this one, so nothing is downloaded."""
    folder = tmp_path_factory.mktemp("elsewhere") / "env"
    venv.create(folder, with_pip=True)
    places = {"base": str(folder), "platbase": str(folder)}
    bin_folder = Path(sysconfig.get_path("scripts", "venv", places))
    python = bin_folder / "python"
    output([python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", wheel], folder)
    site = Path(sysconfig.get_path("purelib", "venv", places))
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return bin_folder


def test_the_data_in_the_wheel_is_the_data_in_git(wheel: Path) -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "lessons", "assets"], ROOT
    ).split("\0")
    known = {name for name in listed if name and (ROOT / name).exists()}
    packed = {name.removeprefix("rxviz/_data/") for name in ZipFile(wheel).namelist() if "/_data/" in name}
    assert packed == known
    assert "assets/scenarios/first-flip.toml" in packed


def test_the_wheel_has_the_package_and_nothing_of_the_tests(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    assert "rxviz/py.typed" in names
    assert "rxviz/__main__.py" in names
    assert {name.split("/")[0] for name in names} == {"rxviz", f"rxviz-{__version__}.dist-info"}


def test_the_metadata_says_what_pyproject_says(wheel: Path) -> None:
    about = Parser().parsestr(ZipFile(wheel).read(f"rxviz-{__version__}.dist-info/METADATA").decode())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert about["Version"] == __version__
    assert about["Requires-Python"] == project["requires-python"]
    assert "MIT" in about["License-Expression"]
    assert len(about.get_payload()) > 1_000, "the README is the long description"


def test_the_installed_wheel_works_elsewhere(scripts: Path, tmp_path: Path) -> None:
    where = output([scripts / "python", "-c", "import rxviz; print(rxviz.__file__)"], tmp_path)
    assert Path(where.strip()).is_relative_to(scripts.parent)
    rxviz = scripts / "rxviz"
    assert output([rxviz, "--version"], tmp_path) == f"rxviz {__version__}\n"
    here = output([sys.executable, "-m", "rxviz", "run", "first-flip"], ROOT)
    assert output([rxviz, "run", "first-flip"], tmp_path) == here
    assert output([scripts / "python", "-m", "rxviz", "run", "first-flip"], tmp_path) == here
    assert output([rxviz, "trace", "first-flip", "--kinds", "page.flip"], tmp_path).count("\n") == 10


def test_a_shipped_capture_is_the_same_line_and_digest_everywhere(scripts: Path, tmp_path: Path) -> None:
    there = json.loads(output([scripts / "rxviz", "run", "mixed", "--json"], tmp_path))
    here = json.loads(output([sys.executable, "-m", "rxviz", "run", "mixed", "--json"], ROOT))
    assert there == here
