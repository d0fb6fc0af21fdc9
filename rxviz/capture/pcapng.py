"""pcapng: sections of blocks, each section with a byte order and interfaces of its own.

Layout after draft-ietf-opsawg-pcapng. Packets are in enhanced, simple and (obsolete) packet blocks; all other
blocks are skipped without being kept, however long they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from rxviz.capture.interfaces import MAX_INTERFACES, Interface, read_interface
from rxviz.capture.record import MAX_CAPTURED, BrokenError, Record, overlong_remark, without_fcs
from rxviz.capture.source import Window

SECTION = b"\x0a\x0d\x0d\x0a"
# The longest block that is looked into; options beside 256 KiB of packet fit many times over.
MAX_BLOCK = 1 << 20
_INTERFACE, _PACKET, _SIMPLE, _ENHANCED = 1, 2, 3, 6
_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_SHORTEST = {_INTERFACE: 20, _PACKET: 32, _SIMPLE: 16, _ENHANCED: 32}


class Section:
    """The byte order of a section and the interfaces it has named so far."""

    __slots__ = ("block", "enhanced", "head", "interfaces", "obsolete", "order", "word")

    def __init__(self, order: str) -> None:
        self.order = order
        self.interfaces: list[Interface] = []
        self.block = Struct(order + "7I").unpack_from
        self.head = Struct(order + "II").unpack_from
        self.word = Struct(order + "I").unpack_from
        self.enhanced = Struct(order + "IIIII").unpack_from
        self.obsolete = Struct(order + "HxxIIII").unpack_from


def read_section(window: Window) -> Section:
    """Read a section header block at the window's place, go past it, and return an empty section."""
    at = window.offset
    have = window.need(28)
    if have < 28:
        raise BrokenError(at, f"file ends inside a section header at byte {at:,} ({have} of 28 bytes)")
    order = _ORDERS.get(window.buf[window.pos + 8 : window.pos + 12])
    if order is None:
        raise BrokenError(at + 8, f"section at byte {at:,} has no byte order mark (1a 2b 3c 4d)")
    section = Section(order)
    length = section.word(window.buf, window.pos + 4)[0]
    _load(window, section, at, length, 28)
    major, minor = Struct(order + "HH").unpack_from(window.buf, window.pos + 12)
    if major != 1:
        raise BrokenError(at + 12, f"section at byte {at:,} has pcapng version {major}.{minor}, only 1 is known")
    window.pos += length
    return section


def read_records(window: Window, section: Section) -> Iterator[Record]:
    """Yield the packets behind a section header, through all sections; BrokenError where the file breaks.

    Enhanced packet blocks that lie whole in the buffer go a short way, since nearly all blocks are such.
    """
    index = 0
    while True:
        buf, pos, base, size = window.buf, window.pos, window.base, len(window.buf)
        block, word, interfaces = section.block, section.word, section.interfaces
        while pos + 32 <= size:
            kind, length, number, high, low, captured, wire_len = block(buf, pos)
            end = pos + length
            if kind != _ENHANCED or end > size or length & 3 or not captured <= length - 32 <= MAX_BLOCK - 32:
                break
            if captured > MAX_CAPTURED or number >= len(interfaces) or word(buf, end - 4)[0] != length:
                break
            ticks = high << 32 | low
            yield _packet(interfaces[number], index, ticks, buf, pos, 28, captured, wire_len, base)
            index += 1
            pos = end
        window.pos = pos
        have = window.need(12)
        if not have:
            return
        if have < 12:
            at = window.offset
            raise BrokenError(at, f"file ends inside a block header at byte {at:,} ({have} of 12 bytes)")
        if window.buf.startswith(SECTION, window.pos):
            section = read_section(window)
            continue
        record = _next_block(window, section, index)
        if record is not None:
            yield record
            index += 1


def _next_block(window: Window, section: Section, index: int) -> Record | None:
    """Go past any block but a section header; return its packet if it has one, None otherwise."""
    at = window.offset
    kind, length = section.head(window.buf, window.pos)
    shortest = _SHORTEST.get(kind)
    if shortest is None:
        _skip(window, section, at, length)
        return None
    _load(window, section, at, length, shortest)
    record = None
    if kind == _INTERFACE:
        _add_interface(window, section, at, length)
    else:
        record = _record(window, section, kind, length, index)
    window.pos += length
    return record


def _load(window: Window, section: Section, at: int, length: int, shortest: int) -> None:
    """Have a whole block in the window, its two lengths the same."""
    if length < shortest or length % 4:
        raise BrokenError(at, f"block at byte {at:,} says it is {length:,} bytes long, which none of its kind is")
    if length > MAX_BLOCK:
        raise BrokenError(at, f"block at byte {at:,} claims {length:,} bytes, more than the limit of {MAX_BLOCK:,}")
    have = window.need(length)
    if have < length:
        raise BrokenError(at, f"block at byte {at:,} wants {length:,} bytes, {have:,} left")
    _check_end(at, length, section.word(window.buf, window.pos + length - 4)[0])


def _check_end(at: int, length: int, end: int) -> None:
    if end != length:
        sentence = f"block at byte {at:,} says {length:,} bytes at its head and {end:,} at its end"
        raise BrokenError(at, sentence)


def _skip(window: Window, section: Section, at: int, length: int) -> None:
    if length < 12 or length % 4:
        raise BrokenError(at, f"block at byte {at:,} says it is {length:,} bytes long, which no block is")
    had = window.skip(length - 4)
    if had < length - 4 or window.need(4) < 4:
        had += min(window.need(4), 4)
        raise BrokenError(at, f"block at byte {at:,} wants {length:,} bytes, {had:,} left")
    _check_end(at, length, section.word(window.buf, window.pos)[0])
    window.pos += 4


def _add_interface(window: Window, section: Section, at: int, length: int) -> None:
    if len(section.interfaces) == MAX_INTERFACES:
        raise BrokenError(at, f"interface at byte {at:,} is one more than the limit of {MAX_INTERFACES:,}")
    body = window.buf[window.pos + 8 : window.pos + length - 4]
    section.interfaces.append(read_interface(body, section.order, at))


def _record(window: Window, section: Section, kind: int, length: int, index: int) -> Record:
    """Read the packet block at the window's place, its two lengths checked."""
    buf, pos, at = window.buf, window.pos, window.offset
    number, ticks, ahead = 0, None, 12
    if kind != _SIMPLE:
        unpack = section.enhanced if kind == _ENHANCED else section.obsolete
        number, high, low, captured, wire_len = unpack(buf, pos + 8)
        ticks, ahead = high << 32 | low, 28
    if number >= len(section.interfaces):
        named = len(section.interfaces)
        raise BrokenError(at, f"packet at byte {at:,} names interface {number:,}, its section has {named:,}")
    interface = section.interfaces[number]
    room = length - 4 - ahead
    if kind == _SIMPLE:
        wire_len = section.word(buf, pos + 8)[0]
        captured = min(wire_len, room, interface.snaplen or room)
    if captured > room:
        sentence = f"packet at byte {at:,} claims {captured:,} bytes in a block with room for {room:,}"
        raise BrokenError(at, sentence)
    if captured > MAX_CAPTURED:
        limit = f"more than the limit of {MAX_CAPTURED:,}"
        raise BrokenError(at, f"packet at byte {at:,} claims {captured:,} bytes, {limit}")
    return _packet(interface, index, ticks, buf, pos, ahead, captured, wire_len, window.base)


def _packet(
    interface: Interface,
    index: int,
    ticks: int | None,
    buf: bytes,
    pos: int,
    ahead: int,
    captured: int,
    wire_len: int,
    base: int,
) -> Record:
    """Make the record of the packet block at `pos` of the buffer, whose data begins `ahead` bytes on."""
    link, _, scale, parts, origin_ns, fcs = interface
    t_ns = None if ticks is None else ticks * scale // parts + origin_ns
    start = pos + ahead
    data = buf[start : start + captured]
    if fcs:
        data, wire_len = without_fcs(data, wire_len, fcs)
    remark = overlong_remark(len(data), wire_len) if captured > wire_len else ""
    fields = (index, t_ns, data, wire_len, link, base + pos, remark, base + start)
    return tuple.__new__(Record, fields)
