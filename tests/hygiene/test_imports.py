"""Imports go one way, and heavy modules load only where a screen is opened."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ["wire", "model", "capture", "run", "lessons", "view", "screens", "cli"]
"""From low to high; a layer may load those before it."""
HEAVY = {"textual", "rich", "numpy"}


def loaded_by(code: str, *arguments: str) -> set[str]:
    """Return the modules that a fresh interpreter has loaded after running the code."""
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint('\\n'.join(sys.modules), file=sys.stderr)", *arguments],
        cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(done.stderr.split())


def modules(layer: str) -> list[str]:
    files = (ROOT / "rxviz" / layer).rglob("*.py")
    return sorted(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in files)


def heavy(loaded: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in loaded} & HEAVY


COMMAND = "from rxviz.cli.main import status\nassert status(__import__('sys').argv[1:]) == 0"


def test_the_version_costs_next_to_nothing() -> None:
    loaded = loaded_by(COMMAND, "--version")
    assert not heavy(loaded)
    ours = {name for name in loaded if name.startswith("rxviz.")}
    assert ours == {"rxviz.cli", "rxviz.cli.main", "rxviz.cli.group", "rxviz.cli.say", "rxviz.errors"}
    assert not loaded & {"asyncio", "tomllib", "json", "subprocess", "hashlib"}


@pytest.mark.parametrize(
    "words",
    [("--help",), ("run", "first-flip"), ("run", "mixed", "--json"), ("trace", "first-flip", "-v"), ("play",), ()],
    ids=" ".join,
)
def test_no_command_without_a_screen_loads_textual_rich_or_numpy(words: tuple[str, ...]) -> None:
    assert not heavy(loaded_by(COMMAND, *words))


@pytest.mark.parametrize("layer", [layer for layer in LAYERS if (ROOT / "rxviz" / layer).is_dir()])
def test_a_layer_loads_none_above_it(layer: str) -> None:
    loaded = loaded_by("\n".join(f"import {name}" for name in modules(layer)))
    above = LAYERS[LAYERS.index(layer) + 1 :]
    assert not [name for name in loaded if name.startswith(tuple(f"rxviz.{other}" for other in above))]
    if layer != "screens":
        assert not heavy(loaded)


@pytest.mark.skipif(find_spec("importlinter") is None, reason="import-linter is in the extra lint")
def test_the_import_contracts_hold() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as go; go(['--no-cache'])"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "0 broken" in done.stdout
