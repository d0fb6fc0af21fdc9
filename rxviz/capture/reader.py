"""Any capture file, as records in the order of the file."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import IO

from rxviz.capture import pcap, pcapng
from rxviz.capture.record import MAX_CAPTURED, BrokenError, Problem, Record
from rxviz.capture.source import Source, Window
from rxviz.errors import CaptureError, shown

__all__ = ["MAX_CAPTURED", "Capture", "Problem", "Record", "open_capture"]

_MODIFIED = "modified pcap (magic a1b2cd34), whose records came in several layouts that no field tells apart"
_OTHERS = {
    b"\xa1\xb2\xcd\x34": _MODIFIED,
    b"\x34\xcd\xb2\xa1": _MODIFIED,
    b"\x1f\x8b": "gzip inside gzip",
    b"\x28\xb5\x2f\xfd": "zstd data",
    b"\xfd7zXZ": "xz data",
    b"BZh": "bzip2 data",
    b"PK\x03\x04": "a zip archive",
    b"snoop\0\0\0": "a snoop capture",
    b"GMBU": "a Network Monitor capture",
}


class Capture:
    """A capture file whose head is sound; each `iter` is a fresh pass over its records.

    `problem` tells after a pass whether the file broke off, and is None before. A pass raises
    CaptureError only where the file has gone or the disk fails.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.problem: Problem | None = None
        with Source(self.path) as source:
            self.is_gzip = source.is_gzip
            head = self._head(Window(source.read))
        words = head.words if isinstance(head, pcap.Layout) else "pcapng"
        self.format = f"gzip of {words}" if self.is_gzip else words

    def __iter__(self) -> Iterator[Record]:
        return self.records()

    def records(self, spool: IO[bytes] | None = None, limit: int = 0) -> Generator[Record, None, None]:
        """Yield all records, copying the unpacked bytes as they are read to `spool`, at most `limit`."""
        self.problem = None
        with Source(self.path, spool, limit) as source:
            window = Window(source.read)
            head = self._head(window)
            try:
                if isinstance(head, pcap.Layout):
                    yield from pcap.read_records(window, head)
                else:
                    yield from pcapng.read_records(window, head)
            except BrokenError as broken:
                self.problem = broken.problem

    def _head(self, window: Window) -> pcap.Layout | pcapng.Section:
        try:
            have = window.need(4)
            magic = window.buf[:4]
            if magic in pcap.MAGICS:
                return pcap.read_head(window)
            if magic == pcapng.SECTION:
                return pcapng.read_section(window)
            raise BrokenError(0, _not_a_capture(window.buf[:8], have))
        except BrokenError as broken:
            offset, sentence = broken.problem
            raise CaptureError(f"{shown(self.path)}: byte {offset:,}: {sentence}") from None


def _not_a_capture(start: bytes, have: int) -> str:
    for magic, name in _OTHERS.items():
        if start.startswith(magic):
            return f"this is {name}; pcap and pcapng are read, plain or gzipped, so convert it first"
    if have < 4:
        return f"not a capture, only {have} of a magic number's 4 bytes long"
    return f"not a capture (starts with {start[:4].hex(' ')}); pcap and pcapng are read, plain or gzipped"


def open_capture(path: str | Path) -> Capture:
    """Open a capture, pcap or pcapng, plain or gzipped.

    Raises CaptureError, with file, byte and reason, for what is no capture or has a broken head.
    """
    return Capture(path)
