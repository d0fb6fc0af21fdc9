"""Classic pcap: a header of 24 bytes, then records of 16 bytes of header and the kept bytes.

Layout after draft-ietf-opsawg-pcap: the magic number tells byte order and tick, the link type's upper bits
may say that frames end in a check sequence.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from rxviz.capture.record import MAX_CAPTURED, BrokenError, Record, overlong_remark, without_fcs
from rxviz.capture.source import Window

_HEADER = 24
_RECORD = 16
# Magic as written -> byte order, ns per tick.
MAGICS: dict[bytes, tuple[str, int]] = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
_FCS_PRESENT = 1 << 26


class Layout(NamedTuple):
    """What the file's header settles for all records; `fcs` in bytes."""

    order: str
    tick_ns: int
    link_type: int
    fcs: int

    @property
    def words(self) -> str:
        """The format in words, as "pcap, little endian, ns"."""
        order = "little" if self.order == "<" else "big"
        return f"pcap, {order} endian, {'ns' if self.tick_ns == 1 else 'µs'}"


def read_head(window: Window) -> Layout:
    """Read the file's header; the magic was seen already."""
    have = window.need(_HEADER)
    if have < _HEADER:
        raise BrokenError(0, f"file ends inside its header ({have} of {_HEADER} bytes)")
    order, tick_ns = MAGICS[window.buf[:4]]
    major, minor, _, _, _, network = Struct(order + "4xHHiIII").unpack_from(window.buf)
    if (major, minor) < (2, 3) or major > 2:
        raise BrokenError(4, f"pcap version {major}.{minor} is not known, only 2.3 and 2.4 are")
    window.pos = _HEADER
    fcs = 2 * (network >> 28) if network & _FCS_PRESENT else 0
    return Layout(order, tick_ns, network & 0xFFFF, fcs)


def read_records(window: Window, layout: Layout) -> Iterator[Record]:
    """Yield the records behind the header; a BrokenError says where the file breaks.

    Written out flat with local names: this loop sees every frame of a capture.
    """
    _, tick_ns, link, fcs = layout
    unpack = Struct(layout.order + "IIII").unpack_from
    new = tuple.__new__
    index = 0
    buf, pos, base = window.buf, window.pos, window.base
    size = len(buf)
    while True:
        start = pos + _RECORD
        if start > size:
            window.pos = pos
            have = window.need(_RECORD)
            buf, pos, base = window.buf, window.pos, window.base
            size, start = len(buf), pos + _RECORD
            if not have:
                return
            if have < _RECORD:
                at = base + pos
                sentence = f"file ends inside a record header at byte {at:,} ({have} of {_RECORD} bytes)"
                raise BrokenError(at, sentence)
        seconds, ticks, captured, wire_len = unpack(buf, pos)
        if captured > MAX_CAPTURED:
            raise _too_long(base + pos, captured)
        end = start + captured
        if end > size:
            window.pos = pos
            have = window.need(_RECORD + captured) - _RECORD
            buf, pos, base = window.buf, window.pos, window.base
            size, start = len(buf), pos + _RECORD
            end = start + captured
            if have < captured:
                at = base + pos
                raise BrokenError(at, f"record at byte {at:,} wants {captured:,} bytes, {have:,} left")
        data = buf[start:end]
        if fcs:
            data, wire_len = without_fcs(data, wire_len, fcs)
        remark = overlong_remark(len(data), wire_len) if captured > wire_len else ""
        t_ns = seconds * 1_000_000_000 + ticks * tick_ns
        yield new(Record, (index, t_ns, data, wire_len, link, base + pos, remark, base + start))
        index += 1
        pos = end


def _too_long(at: int, captured: int) -> BrokenError:
    return BrokenError(at, f"record at byte {at:,} claims {captured:,} bytes, more than the limit of {MAX_CAPTURED:,}")
