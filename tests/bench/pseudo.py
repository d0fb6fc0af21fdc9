"""A program on a pseudo-terminal of ours: what it writes, and when.

Only the time until the bytes are here is measured; a terminal that draws them adds its own.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
from collections.abc import Sequence
from time import perf_counter
from types import TracebackType

_ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI
    rb"|\x1b[\]PX^_].*?(?:\x1b\\|\x07)"  # OSC, DCS and other strings
    rb"|\x1b[ -/]*[0-~]"  # two or three letters
    rb"|\x1b.{0,200}\Z",  # one that is not here in full yet
    re.DOTALL,
)
_SYNC_ASKED, _SYNC_ANSWER = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
"""Whether the terminal can hold back a picture until it is whole: as today's terminals do, ours can."""


LEFT_OUT = ("NO_COLOR", "COLUMNS", "LINES", "PYTHONDONTWRITEBYTECODE")
"""What a person's shell does not have; without byte code on disk, starting would be measured as compiling."""


class Pseudo:
    """A program that believes it is on a terminal of `columns` × `rows`."""

    def __init__(self, command: Sequence[str], columns: int, rows: int, env: dict[str, str] | None = None) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        kept = {key: value for key, value in os.environ.items() if key not in LEFT_OUT}
        self.started = perf_counter()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**kept, "TERM": "xterm-256color", "COLORTERM": "truecolor", **(env or {})},
        )
        os.close(slave)

    def __enter__(self) -> Pseudo:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.process.terminate()
        while self.read(1.0):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.master)

    def read(self, patience: float) -> bytes:
        """Return what comes next, b"" when nothing comes in `patience` seconds or the program is gone."""
        if not select.select([self.master], [], [], patience)[0]:
            return b""
        try:
            data = os.read(self.master, 1 << 18)
        except OSError:
            return b""
        if _SYNC_ASKED in data:
            os.write(self.master, _SYNC_ANSWER)
        return data

    def first_text(self, patience: float = 20.0) -> float:
        """Return the seconds from the start to the byte after which the screen has a letter on it."""
        seen = b""
        while data := self.read(patience):
            seen += data
            if has_text(seen):
                return perf_counter() - self.started
        raise RuntimeError(f"the program showed nothing: {seen[-500:]!r}")

    def settle(self, quiet: float, patience: float = 20.0) -> None:
        """Wait until nothing has come for `quiet` seconds."""
        until = perf_counter() + patience
        while self.read(quiet) and perf_counter() < until:
            pass

    def press(self, key: bytes, quiet: float = 0.06) -> float:
        """Press a key; return the seconds to the answer's last byte, behind which `quiet` seconds are silent."""
        start = perf_counter()
        os.write(self.master, key)
        last, patience = 0.0, 2.0
        while self.read(patience):
            last, patience = perf_counter() - start, quiet
            if last > 3:
                raise RuntimeError("the program never stops writing after a key")
        if not last:
            raise RuntimeError(f"no answer to the key {key!r}")
        return last


def has_text(output: bytes) -> bool:
    """Whether anything but escape sequences and white space was written."""
    rest = _ESCAPES.sub(b"", output)
    return any(byte > 0x20 and byte != 0x7F for byte in rest)
