"""Small changes to a frame that might let it merge with another: each field as the held packet has it, or as its series
would go on. Lengths and IPv4 header checksums that were right stay right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from rxviz.model.gro.packet import Checksum, GroPacket
from rxviz.wire.addresses import ipv4_text, ipv6_text
from rxviz.wire.checksum import internet_checksum
from rxviz.wire.flags import FLAGS_TEXT
from rxviz.wire.numbers import PROTO_TCP, PROTO_UDP

_MAC = 14
_FLAG_NAMES = ("FIN", "SYN", "RST", "PSH", "ACK", "URG", "ECE", "CWR")


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the second frame: which field, from what to what."""

    field: str
    was: str
    becomes: str

    def words(self) -> str:
        """Return the change as it stands in a sentence."""
        return f"{self.field} {self.becomes} instead of {self.was}"


def in_words(changes: Sequence[Change]) -> str:
    """Return changes as a list in a sentence."""
    *most, last = [change.words() for change in changes]
    return f"{', '.join(most)}, and {last}" if most else last


@dataclass(frozen=True, slots=True)
class Second:
    """The arriving frame, as it may be changed: bytes, lengths, and what the skb says beside them."""

    frame: bytes
    length: int
    tag: int
    hash: int
    ip_summed: Checksum


@dataclass(frozen=True, slots=True)
class Edit:
    """A change, and how to make it."""

    change: Change
    apply: Callable[[Second], Second]


def edits(held: GroPacket, new: GroPacket) -> Iterator[Edit]:
    """Yield the changes worth trying: each field as the held packet has it, or as its series would go on."""
    if new.mac != held.mac:
        yield _bytes_edit("Ethernet header", new, held, 0, _MAC)
    if new.tag != held.tag:
        yield Edit(Change("VLAN tag", str(new.tag & 0xFFF), str(held.tag & 0xFFF)), lambda s: replace(s, tag=held.tag))
    if new.hash != held.hash:
        yield Edit(Change("hash", f"{new.hash:#x}", f"{held.hash:#x}"), lambda s: replace(s, hash=held.hash))
    if new.ip_summed is Checksum.NONE:
        yield Edit(
            Change("TCP or UDP checksum", "not verified", "right"),
            lambda s: replace(s, ip_summed=Checksum.UNNECESSARY),
        )
    levels = [("outer ", 0), ("", 1)] if new.encap_mark and held.encap_mark else [("", 0)]
    for prefix, level in levels:
        yield from _ip_edits(prefix, held, new, _MAC + new.network[level], _MAC + held.network[level])
    if new.proto == held.proto == PROTO_TCP and new.transport and held.transport:
        yield from _tcp_edits(held, new)
    elif new.proto == held.proto == PROTO_UDP and new.transport and held.transport:
        yield _bytes_edit("ports", new, held, _MAC + new.transport, 4, _MAC + held.transport)


def _frame(p: GroPacket) -> bytes:
    return p.mac + p.data


def _bytes_edit(name: str, new: GroPacket, held: GroPacket, at: int, size: int, there: int = -1) -> Edit:
    there = at if there < 0 else there
    was, becomes = _frame(new)[at : at + size], _frame(held)[there : there + size]
    return Edit(Change(name, _shown(name, was), _shown(name, becomes)), lambda s: _put(s, at, becomes))


def _number_edit(name: str, new: GroPacket, at: int, size: int, value: int) -> Edit:
    was = int.from_bytes(_frame(new)[at : at + size], "big")
    return Edit(Change(name, str(was), str(value)), lambda s: _put(s, at, value.to_bytes(size, "big")))


def _shown(name: str, data: bytes) -> str:
    if name.endswith("ports"):
        return f"{int.from_bytes(data[:2], 'big')} to {int.from_bytes(data[2:], 'big')}"
    if name.endswith("addresses"):
        show, half = (ipv4_text, 4) if len(data) == 8 else (ipv6_text, 16)
        return f"{show(data[:half])} to {show(data[half:])}"
    return str(int.from_bytes(data, "big")) if len(data) <= 4 else data.hex()


def _put(second: Second, at: int, data: bytes) -> Second:
    """Change bytes, and keep right any IPv4 header checksum that was right before."""
    frame = second.frame[:at] + data + second.frame[at + len(data) :]
    return replace(second, frame=_mend(second.frame, frame))


def _mend(before: bytes, frame: bytes) -> bytes:
    for at in _ipv4_headers(before):
        if internet_checksum(before[at : at + 20]) == 0:
            blank = frame[at : at + 10] + b"\0\0" + frame[at + 12 : at + 20]
            frame = frame[: at + 10] + internet_checksum(blank).to_bytes(2, "big") + frame[at + 12 :]
    return frame


def _ipv4_headers(frame: bytes) -> Iterator[int]:
    """Yield where plain IPv4 headers seem to start: at even offsets, by their first byte and sound length."""
    for at in range(_MAC, min(len(frame) - 20, 100), 2):
        if frame[at] == 0x45 and internet_checksum(frame[at : at + 20]) == 0:
            yield at


def _ip_edits(prefix: str, held: GroPacket, new: GroPacket, at: int, there: int) -> Iterator[Edit]:
    mine, its = _frame(new), _frame(held)
    if len(mine) < at + 20 or len(its) < there + 20 or mine[at] >> 4 != its[there] >> 4:
        return
    if mine[at] >> 4 == 6:
        for name, offset, size in (("class and flow label", 0, 4), ("hop limit", 7, 1), ("addresses", 8, 32)):
            if mine[at + offset : at + offset + size] != its[there + offset : there + offset + size]:
                yield _bytes_edit(prefix + "IPv6 " + name, new, held, at + offset, size, there + offset)
        yield from _length_edits(prefix, new, at + 4, 40 + at)
        return
    if internet_checksum(mine[at : at + (mine[at] & 15) * 4]):
        yield Edit(Change(prefix + "IPv4 header checksum", "wrong", "right"), lambda s: _right_sum(s, at))
    if mine[at] & 15 > 5:
        yield Edit(Change(prefix + "IPv4 options", "present", "none"), lambda s: _no_options(s, at))
    for name, offset, size in (("TOS", 1, 1), ("flags", 6, 2), ("TTL", 8, 1), ("addresses", 12, 8)):
        if mine[at + offset : at + offset + size] != its[there + offset : there + offset + size]:
            yield _bytes_edit(prefix + "IPv4 " + name, new, held, at + offset, size, there + offset)
    first = int.from_bytes(its[there + 4 : there + 6], "big")
    for value in ((first + held.count) & 0xFFFF, first):
        if value != int.from_bytes(mine[at + 4 : at + 6], "big"):
            yield _number_edit(prefix + "IPv4 ID", new, at + 4, 2, value)
    yield from _length_edits(prefix, new, at + 2, at)


def _length_edits(prefix: str, new: GroPacket, field_at: int, base: int) -> Iterator[Edit]:
    stated = base + int.from_bytes(_frame(new)[field_at : field_at + 2], "big")
    length = new.len + _MAC
    if base < stated < length:
        yield Edit(
            Change(prefix + "bytes behind the packet", str(length - stated), "0"),
            lambda s: replace(s, frame=s.frame[:stated], length=stated),
        )


def _right_sum(second: Second, at: int) -> Second:
    frame = second.frame
    blank = frame[at : at + 10] + b"\0\0" + frame[at + 12 : at + 20]
    check = internet_checksum(blank).to_bytes(2, "big")
    return replace(second, frame=frame[: at + 10] + check + frame[at + 12 :])


def _no_options(second: Second, at: int) -> Second:
    frame = second.frame
    size = (frame[at] & 15) * 4
    total = int.from_bytes(frame[at + 2 : at + 4], "big") - (size - 20)
    header = b"\x45" + frame[at + 1 : at + 2] + max(0, total).to_bytes(2, "big") + frame[at + 4 : at + 20]
    changed = replace(second, frame=frame[:at] + header + frame[at + size :], length=second.length - (size - 20))
    return _right_sum(changed, at)


def _tcp_edits(held: GroPacket, new: GroPacket) -> Iterator[Edit]:
    at, there = _MAC + new.transport, _MAC + held.transport
    mine, its = _frame(new), _frame(held)
    if len(mine) < at + 20 or len(its) < there + 20:
        return
    expected = (int.from_bytes(its[there + 4 : there + 8], "big") + held.gro_len) & 0xFFFFFFFF
    if int.from_bytes(mine[at + 4 : at + 8], "big") != expected:
        yield _number_edit("TCP sequence number", new, at + 4, 4, expected)
    for name, offset, size in (("ports", 0, 4), ("ACK number", 8, 4), ("window", 14, 2)):
        if mine[at + offset : at + offset + size] != its[there + offset : there + offset + size]:
            yield _bytes_edit("TCP " + name, new, held, at + offset, size, there + offset)
    flags, old = mine[at + 13], its[there + 13]
    for bit, name in enumerate(_FLAG_NAMES):
        if (flags ^ old) >> bit & 1:
            edit = _number_edit("", new, at + 13, 1, flags ^ 1 << bit)
            was, becomes = ("set", "clear") if flags >> bit & 1 else ("clear", "set")
            yield replace(edit, change=Change("TCP flag " + name, was, becomes))
    if flags != old:
        edit = _number_edit("", new, at + 13, 1, old)
        yield replace(edit, change=Change("TCP flags", FLAGS_TEXT[flags] or "none", FLAGS_TEXT[old] or "none"))
    yield from _option_edits(held, new, at, there)
    yield from _payload_edits(held, new)


def _option_edits(held: GroPacket, new: GroPacket, at: int, there: int) -> Iterator[Edit]:
    mine, its = _frame(new), _frame(held)
    size, old = (mine[at + 12] >> 4) * 4, (its[there + 12] >> 4) * 4
    options = its[there + 20 : there + old]
    if mine[at + 20 : at + size] == options:
        return

    def apply(second: Second) -> Second:
        frame = second.frame
        words_byte = bytes((old // 4 << 4 | frame[at + 12] & 15,))
        changed = frame[: at + 12] + words_byte + frame[at + 13 : at + 20] + options + frame[at + size :]
        return _resized(replace(second, frame=changed), new, old - size)

    yield Edit(Change("TCP options", mine[at + 20 : at + size].hex() or "none", options.hex() or "none"), apply)


def _payload_edits(held: GroPacket, new: GroPacket) -> Iterator[Edit]:
    size, first = new.gro_len, held.gso_size or held.gro_len
    if 0 < size <= first or not first:
        return
    delta = first - size

    def apply(second: Second) -> Second:
        frame = second.frame + bytes(delta) if delta > 0 else second.frame[:delta]
        return _resized(replace(second, frame=frame), new, delta)

    yield Edit(Change("payload length", str(size), str(first)), apply)


def _resized(second: Second, new: GroPacket, delta: int) -> Second:
    """Make the wire length and every IP length follow a change of size."""
    frame = second.frame
    before = frame
    for level in range(2 if new.encap_mark else 1):
        at = _MAC + new.network[level]
        field_at = at + (4 if frame[at] >> 4 == 6 else 2)
        total = int.from_bytes(frame[field_at : field_at + 2], "big") + delta
        frame = frame[:field_at] + (total & 0xFFFF).to_bytes(2, "big") + frame[field_at + 2 :]
    return replace(second, frame=_mend(before, frame), length=second.length + delta)
