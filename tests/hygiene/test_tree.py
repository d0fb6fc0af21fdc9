"""What holds for the whole tree: the size of modules, the test line of the README, the scripts' right to run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 500
"""Lines of a module; most have fewer than 200."""


def test_no_module_is_too_long_to_read() -> None:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "rxviz").rglob("*.py")}
    assert not {str(path): size for path, size in sizes.items() if size > LONGEST}


def test_no_module_prints_or_reaches_for_the_network() -> None:
    network = re.compile(
        r"^\s*(?:import|from) (?:socket|urllib\.request|http|ssl|requests|httpx|aiohttp)\b", re.MULTILINE
    )
    for path in (ROOT / "rxviz").rglob("*.py"):
        found = {line.split()[1] for line in network.findall(path.read_text(encoding="utf-8"))}
        # The devices of a network namespace are made, fed and read through sockets; they lead nowhere.
        allowed = {"socket"} if path.parent == ROOT / "rxviz" / "kernel" else set()
        assert found <= allowed, path


def lines_of_the_readme() -> list[str]:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return [line for block in re.findall(r"```sh\n(.*?)```", readme, re.DOTALL) for line in block.splitlines()]


def test_the_readme_has_one_line_to_start_and_one_to_test() -> None:
    start = [line for line in lines_of_the_readme() if line.startswith("python3 -m venv") and line.endswith("/rxviz")]
    tests = [line for line in lines_of_the_readme() if line.startswith("python3 -m venv") and "pytest" in line]
    assert (len(start), len(tests)) == (1, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a bash script")
def test_ci_runs_the_readme_s_test_line() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    shown = subprocess.run([script, "--show-test-line"], capture_output=True, text=True, check=True).stdout
    assert shown.splitlines() == [line for line in lines_of_the_readme() if "pytest" in line and "venv" in line]


COMMANDS = [line.split("#")[0].split("|")[0].strip() for line in lines_of_the_readme() if line.startswith("rxviz ")]


def test_the_readme_shows_each_command() -> None:
    assert {line.split()[1] for line in COMMANDS if len(line.split()) > 1} == {
        "compare",
        "gro",
        "kernel",
        "learn",
        "play",
        "run",
        "trace",
    }


@pytest.mark.parametrize("line", [line for line in COMMANDS if "capture.pcap" not in line])
def test_a_command_of_the_readme_works(line: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rxviz", *line.split()[1:]], cwd=ROOT, capture_output=True, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    if line.startswith("rxviz kernel") and done.returncode == 2:
        pytest.skip(done.stderr.decode())
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_what_the_readme_points_to_is_there_and_its_picture_fetches_nothing() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", readme):
        assert (ROOT / target).exists(), target
    for picture in (ROOT / "assets" / "pictures").glob("*.svg"):
        text = picture.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http" not in text
        assert "@font-face" not in text
