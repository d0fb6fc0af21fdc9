"""Writes captures: pcap, little endian, nanoseconds, Ethernet."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from struct import Struct

from rxviz.capture.linktypes import ETHERNET
from rxviz.capture.record import MAX_CAPTURED
from rxviz.errors import CaptureError, shown

_MAGIC_NS = 0xA1B23C4D
_HEADER = Struct("<IHHiIII")
_RECORD = Struct("<IIII")
_NS = 1_000_000_000


def write_pcap(path: str | Path, frames: Iterable[tuple[int, bytes]], *, snaplen: int = MAX_CAPTURED) -> int:
    """Write (ns since 1970, frame without FCS) pairs, each cut to `snaplen`, and return how many there were.

    Raises CaptureError where the file cannot be written, ValueError for a time before 1970 or past 2106 or a
    snaplen outside 1 to 262,144.
    """
    if not 1 <= snaplen <= MAX_CAPTURED:
        raise ValueError(f"snaplen {snaplen} is not in 1 to {MAX_CAPTURED}")
    count = 0
    try:
        with Path(path).open("wb") as file:
            file.write(_HEADER.pack(_MAGIC_NS, 2, 4, 0, 0, snaplen, ETHERNET))
            for t_ns, data in frames:
                seconds, ns = divmod(t_ns, _NS)
                if not 0 <= seconds < 1 << 32:
                    raise ValueError(f"time {t_ns} ns of frame {count} does not fit a pcap record")
                kept = data[:snaplen]
                file.write(_RECORD.pack(seconds, ns, len(kept), len(data)) + kept)
                count += 1
    except OSError as error:
        raise CaptureError(f"{shown(path)}: cannot be written ({error.strerror})") from None
    return count
