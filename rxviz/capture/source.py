"""The bytes of a capture, plain or gzipped, a piece at a time and never more than asked for."""

from __future__ import annotations

import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from rxviz.capture.record import BrokenError
from rxviz.errors import CaptureError, shown

CHUNK = 262_144
# Compressed bytes fed at once. What is lost at a damaged place is looked for again within one such piece.
_PIECE = 16_384
_GZIP = b"\x1f\x8b"


class Source:
    """An open capture file as a stream of unpacked bytes; `spool` gets a copy of all that is read.

    Raises CaptureError once more than `limit` bytes were spooled, or where the spool cannot be written.
    """

    def __init__(self, path: Path, spool: IO[bytes] | None = None, limit: int = 0) -> None:
        self._name = shown(path)
        self._raw = _open(path, self._name)
        self._spool = spool
        self._limit = limit
        self._total = 0
        try:
            start = self._raw.read(2)
            self._raw.seek(0)
        except OSError as error:
            self._raw.close()
            raise CaptureError(f"{self._name}: cannot be read ({error.strerror})") from None
        self.is_gzip = start == _GZIP
        self._pull: Callable[[int], bytes] = _Gunzip(self._raw).read if self.is_gzip else self._raw.read

    def read(self, size: int) -> bytes:
        """Return up to `size` bytes, none only at the end."""
        try:
            data = self._pull(size)
        except OSError as error:
            reason = f"cannot be read past byte {self._total:,} ({error.strerror})"
            raise CaptureError(f"{self._name}: {reason}") from None
        self._total += len(data)
        if self._spool is not None:
            self._keep(self._spool, data)
        return data

    def _keep(self, spool: IO[bytes], data: bytes) -> None:
        if self._total > self._limit:
            limit = f"{self._limit:,} bytes"
            raise CaptureError(f"{self._name}: unpacks to more than {limit}, the limit; unpack it and cut it")
        try:
            spool.seek(0, 2)
            spool.write(data)
        except OSError as error:
            reason = f"no room for the unpacked capture in the temporary folder ({error.strerror})"
            raise CaptureError(f"{self._name}: {reason}") from None

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _open(path: Path, name: str) -> IO[bytes]:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise CaptureError(f"{name}: no such file") from None
    except (OSError, ValueError) as error:
        raise CaptureError(f"{name}: cannot be opened ({_reason(error)})") from None
    if stat.S_ISDIR(status.st_mode):
        raise CaptureError(f"{name}: is a folder, not a capture")
    if not stat.S_ISREG(status.st_mode):
        # Opening a pipe may wait for ever, and none of them can be read twice.
        raise CaptureError(f"{name}: is a pipe or a device; write the capture to a file first")
    if status.st_size == 0:
        raise CaptureError(f"{name}: the file is empty (0 bytes), not even a capture's header is there")
    try:
        return path.open("rb", buffering=0)
    except OSError as error:
        raise CaptureError(f"{name}: cannot be opened ({_reason(error)})") from None


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


class _Gunzip:
    """Unpacks the members of a gzip file one after another.

    Not `gzip.GzipFile`: that one throws away what it unpacked just before a damaged place.
    """

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw
        self._inflate = zlib.decompressobj(31)
        self._packed = b""
        self._total = 0
        self._damage = ""

    def read(self, size: int) -> bytes:
        """Return up to `size` unpacked bytes, none only at the end; BrokenError where they break."""
        while not self._damage:
            if self._inflate.eof and not self._next_member():
                return b""
            packed = self._packed or self._raw.read(_PIECE)
            out = self._unpack(packed, size)
            self._total += len(out)
            if out:
                return out
            if not packed and not self._inflate.eof:
                self._damage = "file ends inside its gzip data"
        raise BrokenError(self._total, f"{self._damage}, {self._total:,} bytes unpacked")

    def _next_member(self) -> bool:
        rest = self._inflate.unused_data
        if len(rest) < len(_GZIP):
            rest += self._raw.read(_PIECE)
        # Zeros behind the last member are padding (tape blocks); gzip itself ignores anything else that is no
        # member.
        if not rest.startswith(_GZIP):
            return False
        self._packed = rest
        self._inflate = zlib.decompressobj(31)
        return True

    def _unpack(self, packed: bytes, size: int) -> bytes:
        before = self._inflate.copy()
        try:
            out = self._inflate.decompress(packed, size)
        except zlib.error:
            self._damage = "gzip data is damaged"
            return _up_to_damage(before, packed)
        self._packed = self._inflate.unconsumed_tail
        return out


def _up_to_damage(inflate: zlib._Decompress, packed: bytes) -> bytes:
    out = bytearray()
    try:
        for at in range(len(packed)):
            out += inflate.decompress(packed[at : at + 1])
    except zlib.error:
        pass
    return bytes(out)


class Window:
    """A buffer that moves along a stream; `base` is where `buf[0]` lies there, `pos` the place in `buf`."""

    __slots__ = ("_read", "base", "buf", "pos")

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self.buf = b""
        self.pos = 0
        self.base = 0

    @property
    def offset(self) -> int:
        """The place in the stream."""
        return self.base + self.pos

    def need(self, size: int) -> int:
        """Read until `size` bytes lie at `pos`, and return how many do, fewer at the end; bound `size`."""
        have = len(self.buf) - self.pos
        if have >= size:
            return have
        parts = [self.buf[self.pos :]]
        self.base += self.pos
        self.pos = 0
        while have < size and (chunk := self._read(CHUNK)):
            parts.append(chunk)
            have += len(chunk)
        self.buf = b"".join(parts)
        return have

    def skip(self, size: int) -> int:
        """Go on by `size` bytes of any number without keeping them, and return how many there were."""
        left = size
        while left:
            have = min(self.need(min(left, CHUNK)), left)
            if not have:
                break
            self.pos += have
            left -= have
        return size - left
