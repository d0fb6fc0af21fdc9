"""LRO in software, as inet_lro did it and mv643xx_eth used it until 2013 (net/ipv4/inet_lro.c, gone in 4.6).

It compares neither ACK number nor window: the newest of both, and of the echoed timestamp, are written into the one
header that is left. So the packets that came in cannot be had back, and a machine that forwards must switch LRO off.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import NamedTuple

from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Check
from rxviz.wire.checksum import internet_checksum
from rxviz.wire.numbers import ETHERTYPE_IPV4, IPV4_LENGTH, PROTO_TCP, TCP_LENGTH

MAX_DESCRIPTORS, MAX_AGGREGATED = 8, 32
"""What mv643xx_eth gave its manager: connections at a time, segments of one packet."""
_header = Struct("!BBHHHBBH4s4s").unpack_from
_tcp = Struct("!4sIIHHHH").unpack_from
_u32 = Struct("!I").unpack_from
_ACK, _REJECTED = 0x10, 0x80 | 0x40 | 0x20 | 0x04 | 0x02 | 0x01
_CE = 3
_STAMPS = 0x0101080A
_WITH_STAMPS = 32
_ECHO_END = IPV4_LENGTH + _WITH_STAMPS
_HALF = 1 << 31

RULES: dict[str, Rule] = {}


def _rule(name: str, kind: Kind, asks: str, fails: str) -> Rule:
    rule = Rule(name, kind, asks, fails, "lro_tcp_ip_check")
    RULES[name] = rule
    return rule


TCP4 = _rule("lro_tcp4", Kind.EXIT, "untagged TCP over IPv4", "not untagged TCP over IPv4")
LENGTH = _rule("lro_length", Kind.EXIT, "IPv4 length is what arrived", "IPv4 says {old} bytes, {new} are there")
PAYLOAD = _rule("lro_payload", Kind.EXIT, "has payload", "it carries no payload")
OPTIONS = _rule("lro_no_ip_options", Kind.EXIT, "IPv4 without options", "IPv4 header with options")
FLAGS = _rule("lro_flags", Kind.EXIT, "ACK, and no CWR, ECE, URG, RST, SYN, FIN", "flags {new} are not merged")
MARK = _rule("lro_not_ce", Kind.EXIT, "not marked as congested", "marked as congested (CE)")
STAMPS = _rule("lro_stamps", Kind.EXIT, "no options, or only timestamps", "other TCP options than timestamps")
ECHO = _rule("lro_echo", Kind.EXIT, "an echoed timestamp", "no echoed timestamp")
OLDER = _rule("lro_not_older", Kind.EXIT, "timestamp does not go back", "timestamp goes back: {new}, held {old}")
SEQUENCE = _rule("lro_in_sequence", Kind.EXIT, "next in sequence", "not next in sequence: {new}, expected {old}")
FREE = _rule("lro_descriptor", Kind.EXIT, "a descriptor is free", "all {old} descriptors are in use")
FULL = _rule("lro_full", Kind.CLOSE, "room for more", "{new} segments are the most, or 64 KB are near")
JOINS = _rule("lro_joins", Kind.OUTCOME, "joins the held packet", "joins the held packet")
FIRST = _rule("lro_first", Kind.OUTCOME, "first of its connection", "first of its connection")
POLL_END = _rule("lro_poll_end", Kind.OUTCOME, "the poll ends", "poll end")


class LroDecision(NamedTuple):
    """What became of a frame: `taken` by LRO or sent up alone; `into` and `flushed` are first frames of packets."""

    frame: int
    taken: bool
    why: Check
    into: int | None
    flushed: int | None


@dataclass(slots=True, eq=False)
class _Descriptor:
    """One connection in the making (`struct net_lro_desc`)."""

    key: bytes
    parent: GroPacket
    next_sequence: int
    ack: int
    window: int
    stamps: tuple[int, int] | None
    mss: int
    merged: list[GroPacket] = field(default_factory=list)


class Lro:
    """One queue's LRO manager. What leaves is collected in `up`, in order."""

    def __init__(
        self, *, descriptors: int = MAX_DESCRIPTORS, aggregated: int = MAX_AGGREGATED, mtu: int = 1500
    ) -> None:
        self.aggregated = aggregated
        self.mtu = mtu
        self.slots: list[_Descriptor | None] = [None] * descriptors
        self.up: list[Delivered] = []

    def receive(self, skb: GroPacket) -> LroDecision:
        """Take one packet from the driver (`lro_receive_skb`); the card has verified its checksum."""
        if not _is_tcp4(skb):
            return self._alone(skb, Check(TCP4, False, skb.protocol, ETHERTYPE_IPV4, -1), None)
        key = skb.data[12:20] + skb.data[_transport(skb) : _transport(skb) + 4]
        mine = next((one for one in self.slots if one is not None and one.key == key), None)
        if mine is None and None not in self.slots:
            return self._alone(skb, Check(FREE, False, 0, len(self.slots), -1), None)
        problem = _check(skb, mine)
        if mine is not None and problem is None:
            return self._add(mine, skb)
        if problem is not None:
            flushed = self._flush(mine, problem) if mine is not None else None
            return self._alone(skb, problem, flushed)
        self.slots[self.slots.index(None)] = _start(key, skb)
        return LroDecision(skb.id, True, Check(FIRST, True, 0, 0, -1), None, None)

    def _add(self, mine: _Descriptor, skb: GroPacket) -> LroDecision:
        _, sequence, ack, _, window, _, _ = _tcp(skb.data, IPV4_LENGTH)
        size = skb.len - skb.data_offset
        mine.merged.append(skb)
        mine.next_sequence = (sequence + size) & 0xFFFFFFFF
        mine.ack, mine.window, mine.mss = ack, window, max(mine.mss, size)
        if mine.stamps is not None and skb.len >= _ECHO_END:
            # The value stays that of the first segment, or PAWS would drop what is sent again. That this segment has
            # timestamps at all is not asked.
            mine.stamps = mine.stamps[0], _stamps(skb)[1]
        first, count = mine.parent.id, 1 + len(mine.merged)
        length = mine.parent.len + sum(one.len - one.data_offset for one in mine.merged)
        flushed = None
        if count >= self.aggregated or length > 0xFFFF - self.mtu:
            flushed = self._flush(mine, Check(FULL, False, count, self.aggregated, first))
        return LroDecision(skb.id, True, Check(JOINS, True, skb.id, first, first), first, flushed)

    def _alone(self, skb: GroPacket, why: Check, flushed: int | None) -> LroDecision:
        self.up.append(_delivered(skb, skb.mac + skb.data[: skb.data_offset], why, 0, []))
        return LroDecision(skb.id, False, why, None, flushed)

    def _flush(self, mine: _Descriptor, left: Check) -> int:
        self.slots[self.slots.index(mine)] = None
        head = bytes(mine.parent.mac) + (_merged_header(mine) if mine.merged else _plain_header(mine.parent))
        self.up.append(_delivered(mine.parent, head, left, mine.mss, mine.merged))
        return mine.parent.id

    def flush_all(self) -> None:
        """The poll ends: every connection's packet goes up, in the order of the slots (`lro_flush_all`)."""
        for mine in list(self.slots):
            if mine is not None:
                self._flush(mine, Check(POLL_END, False, 0, 0, mine.parent.id))

    def take(self) -> list[Delivered]:
        """Return what the stack has got since the last time, in order."""
        up, self.up = self.up, []
        return up


def _transport(skb: GroPacket) -> int:
    return (skb.data[0] & 15) * 4


def _is_tcp4(skb: GroPacket) -> bool:
    data = skb.data
    if skb.protocol != ETHERTYPE_IPV4 or skb.tag or len(data) < IPV4_LENGTH + TCP_LENGTH or data[0] >> 4 != 4:
        return False
    at = _transport(skb)
    if data[9] != PROTO_TCP or at < IPV4_LENGTH or len(data) < at + TCP_LENGTH:
        return False
    skb.transport, skb.proto = at, PROTO_TCP
    skb.data_offset = at + (data[at + 12] >> 4) * 4
    return skb.data_offset - at >= TCP_LENGTH and skb.data_offset <= len(data)


def _check(skb: GroPacket, mine: _Descriptor | None) -> Check | None:
    """Ask in the library's order; return what failed first."""
    held = mine.parent.id if mine is not None else -1
    _, sequence, _, words, _, _, _ = _tcp(skb.data, _transport(skb))
    if mine is not None and sequence != mine.next_sequence:
        return Check(SEQUENCE, False, sequence, mine.next_sequence, held)
    _, tos, total, _, _, _, _, _, _, _ = _header(skb.data, 0)
    flags = words & 0xFF
    for rule, good, new, old in (
        (LENGTH, total == skb.len, skb.len, total),
        (PAYLOAD, skb.len > skb.data_offset, 0, 1),
        (OPTIONS, _transport(skb) == IPV4_LENGTH, skb.data[0], 0x45),
        (FLAGS, flags & _ACK and not flags & _REJECTED, flags, _ACK),
        (MARK, tos & 3 != _CE, tos, _CE),
    ):
        if not good:
            return Check(rule, False, new, old, held)
    return _check_stamps(skb, words >> 12, mine)


def _check_stamps(skb: GroPacket, words: int, mine: _Descriptor | None) -> Check | None:
    held = mine.parent.id if mine is not None else -1
    if words * 4 == TCP_LENGTH:
        return None
    if words * 4 != _WITH_STAMPS or _u32(skb.data, IPV4_LENGTH + TCP_LENGTH)[0] != _STAMPS:
        return Check(STAMPS, False, words, 8, held)
    value, echo = _stamps(skb)
    if mine is not None and mine.stamps is not None and 0 < (mine.stamps[0] - value) % (1 << 32) < _HALF:
        return Check(OLDER, False, value, mine.stamps[0], held)
    return None if echo else Check(ECHO, False, echo, 1, held)


def _stamps(skb: GroPacket) -> tuple[int, int]:
    at = IPV4_LENGTH + TCP_LENGTH + 4
    return _u32(skb.data, at)[0], _u32(skb.data, at + 4)[0]


def _start(key: bytes, skb: GroPacket) -> _Descriptor:
    _, sequence, ack, words, window, _, _ = _tcp(skb.data, IPV4_LENGTH)
    size = skb.len - skb.data_offset
    stamps = _stamps(skb) if words >> 12 == 8 else None
    return _Descriptor(key, skb, (sequence + size) & 0xFFFFFFFF, ack, window, stamps, size)


def _plain_header(skb: GroPacket) -> bytes:
    return bytes(skb.data[: skb.data_offset])


def _merged_header(mine: _Descriptor) -> bytes:
    """The first header with the newest ACK number, window and timestamps in it (`lro_update_tcp_ip_header`)."""
    parent = mine.parent
    head = bytearray(_plain_header(parent))
    payload = parent.data[parent.data_offset : parent.len]
    payload += b"".join(one.data[one.data_offset : one.len] for one in mine.merged)
    length = parent.len + sum(one.len - one.data_offset for one in mine.merged)
    head[2:4] = length.to_bytes(2, "big")
    head[10:12] = b"\0\0"
    head[10:12] = internet_checksum(head[:IPV4_LENGTH]).to_bytes(2, "big")
    head[28:32] = mine.ack.to_bytes(4, "big")
    head[34:36] = mine.window.to_bytes(2, "big")
    if mine.stamps is not None:
        # Only the echo: the value stays that of the first segment.
        head[48:52] = mine.stamps[1].to_bytes(4, "big")
    head[36:38] = b"\0\0"
    pseudo = int.from_bytes(head[12:20], "big") + PROTO_TCP + length - IPV4_LENGTH
    head[36:38] = internet_checksum(bytes(head[IPV4_LENGTH:]) + payload, pseudo).to_bytes(2, "big")
    return bytes(head)


def _delivered(parent: GroPacket, head: bytes, left: Check, mss: int, merged: list[GroPacket]) -> Delivered:
    own = parent.len - parent.data_offset
    parent.merged = merged
    parent.len += sum(one.len - one.data_offset for one in merged)
    return Delivered(
        frames=[parent.id, *(one.id for one in merged)],
        head=head,
        payload=own + sum(one.len - one.data_offset for one in merged),
        segs=1 + len(merged),
        gso_size=mss,
        # A gso_size without a type is how the kernel tells an LRO packet, which it must not forward.
        gso_type=(),
        ip_summed=Checksum.UNNECESSARY if mss else parent.ip_summed,
        csum_start=0,
        csum_offset=0,
        truesize=parent.truesize + sum(one.truesize for one in merged),
        tag=parent.tag,
        nr_frags=parent.nr_frags,
        list_frags=tuple(one.nr_frags for one in merged),
        proto=parent.proto,
        network=ETH_HLEN,
        transport=ETH_HLEN + parent.transport,
        left=left,
        packet=parent,
    )
