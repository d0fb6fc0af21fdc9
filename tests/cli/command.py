"""Run the command as a person does: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REAL = ROOT.parent / "shared" / "captures"


@dataclass(frozen=True, slots=True)
class Ended:
    status: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    """The environment without what would change the output, and with the changes asked for."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("RXVIZ", "_RXVIZ", "NO_COLOR"))}
    return {**kept, "COLUMNS": "80", "PYTHONUTF8": "1", **changes}


def rxviz(*words: str | bytes, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> Ended:
    """Run `python -m rxviz` with its streams in pipes."""
    done = subprocess.run(
        [sys.executable, "-m", "rxviz", *words], cwd=cwd or ROOT, env=environment(**(env or {})), capture_output=True,
        stdin=subprocess.DEVNULL, timeout=120, check=False,
    )  # fmt: skip
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())


def assert_one_sentence(ended: Ended, status: int = 2) -> str:
    """Check that a command ended with one printable line on standard error, and return it."""
    assert ended.status == status, ended
    assert ended.err.count("\n") == 1, ended.err
    assert ended.err.startswith("rxviz: ")
    line = ended.err[:-1]
    assert line.isprintable(), repr(line)
    assert "Traceback" not in line
    return line.removeprefix("rxviz: ")


def assert_clean(text: str) -> None:
    """Check that a text holds nothing that could steer a terminal."""
    assert all(letter == "\n" or letter.isprintable() for letter in text), repr(text)
