"""A progress line on standard error, for long runs on a terminal; in a pipe there is none."""

from __future__ import annotations

import os
import sys
from time import monotonic
from types import TracebackType
from typing import Self

PATIENCE = 0.5
"""Seconds that a run may take before the line appears."""
EVERY = 0.1
"""Seconds between two paintings."""
_BAR = 24


class Progress:
    """Counts frames. `total` is 0 where nobody knows it beforehand, as with a capture that is read as a stream."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._shown = 0
        self._next = monotonic() + PATIENCE
        self._wanted = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shown:
            self._write("")

    def show(self, frames: int) -> None:
        """Say how many frames there were; paints only when it is time to."""
        if not self._wanted or monotonic() < self._next:
            return
        self._next = monotonic() + EVERY
        self._write(self._line(frames))

    def _line(self, frames: int) -> str:
        if not self._total:
            return f"{frames:,} frames"
        done = min(frames / self._total, 1.0)
        bar = "#" * int(done * _BAR)
        return f"[{bar:.<{_BAR}}] {done:4.0%}  {frames:,} of {self._total:,} frames"

    def _write(self, line: str) -> None:
        """Paint over the line before, with nothing but carriage return and blanks."""
        sys.stderr.write(f"\r{line:<{self._shown}}" if line else f"\r{'':<{self._shown}}\r")
        sys.stderr.flush()
        self._shown = len(line)
