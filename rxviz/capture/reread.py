"""Bytes of a capture that were read before, for going back in it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from rxviz.capture.source import Window
from rxviz.errors import CaptureError, shown

_BLOCK = 16_384
_AHEAD = 131_072


class Reread:
    """The file itself, or a temporary file, `spool`, that a first pass fills with its unpacked bytes.

    Holds one stretch of the file, so that frames asked for in order cost no system call each.
    """

    def __init__(self, path: Path, *, unpacked: bool) -> None:
        self._path = path
        self.spool = self._temporary() if unpacked else None
        self._file = self.spool
        self._held = b""
        self._held_at = 0

    def _temporary(self) -> IO[bytes]:
        try:
            return TemporaryFile(buffering=0)
        except OSError as error:
            reason = f"no room to unpack it in the temporary folder ({error.strerror}); unpack it yourself"
            raise CaptureError(f"{shown(self._path)}: {reason}") from None

    def bytes_at(self, where: int, size: int) -> bytes:
        """Return `size` bytes at byte `where`; CaptureError if they are there no more."""
        start = where - self._held_at
        if start < 0 or start + size > len(self._held):
            self._held_at = where - where % _BLOCK
            start = where - self._held_at
            self._held = self._read(self._held_at, max(_AHEAD, start + size))
            if start + size > len(self._held):
                raise CaptureError(f"{shown(self._path)}: byte {where:,}: the file has become shorter")
        return self._held[start : start + size]

    def _read(self, offset: int, size: int) -> bytes:
        try:
            if self._file is None:
                self._file = self._path.open("rb", buffering=0)
            self._file.seek(offset)
            window = Window(self._file.read)
            window.need(size)
        except OSError as error:
            reason = f"cannot be read again ({error.strerror})"
            raise CaptureError(f"{shown(self._path)}: byte {offset:,}: {reason}") from None
        return window.buf

    def close(self) -> None:
        """Close the file; a temporary one is gone with that."""
        if self._file is not None:
            self._file.close()
