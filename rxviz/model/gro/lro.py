"""LRO in software, as inet_lro did it and mv643xx_eth used it until 2013 (net/ipv4/inet_lro.c, gone in 4.6).

It compares neither ACK number nor window: the newest of both, and of the echoed timestamp, are written into the one
header that is left. So the packets that came in cannot be had back, and a machine that forwards must switch LRO off.
What it asks is in `rxviz.model.gro.lro_check`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from rxviz.model.gro import lro_check as ask
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.trace import Check
from rxviz.wire.checksum import internet_checksum
from rxviz.wire.numbers import IPV4_LENGTH, PROTO_TCP, TCP_LENGTH

MAX_DESCRIPTORS, MAX_AGGREGATED = 8, 32
"""What mv643xx_eth gave its manager: connections at a time, segments of one packet."""
_ECHO_END = IPV4_LENGTH + ask.WITH_STAMPS
_ECHO = slice(IPV4_LENGTH + TCP_LENGTH + 8, _ECHO_END)


class LroDecision(NamedTuple):
    """What became of a frame: `taken` by LRO or sent up alone; `into` and `flushed` are first frames of packets."""

    frame: int
    taken: bool
    why: Check
    into: int | None
    flushed: int | None


@dataclass(slots=True, eq=False)
class LroDescriptor:
    """One connection in the making (`struct net_lro_desc`): what the header of its packet will say."""

    key: bytes
    parent: GroPacket
    next_sequence: int
    ack: int
    window: int
    stamps: tuple[int, int] | None
    mss: int
    merged: list[GroPacket] = field(default_factory=list)

    @property
    def count(self) -> int:
        """Segments so far."""
        return 1 + len(self.merged)

    @property
    def length(self) -> int:
        """Bytes from the network header on."""
        return self.parent.len + sum(one.gro_len for one in self.merged)


class Lro:
    """One queue's LRO manager (`struct net_lro_mgr`). What leaves is collected in `up`, in order.

    `descriptors` is how many connections it follows at a time, `aggregated` the most segments of a packet; `mtu` is the
    device's, in bytes.
    """

    def __init__(
        self, *, descriptors: int = MAX_DESCRIPTORS, aggregated: int = MAX_AGGREGATED, mtu: int = 1500
    ) -> None:
        self.aggregated = aggregated
        self.mtu = mtu
        self.slots: list[LroDescriptor | None] = [None] * descriptors
        self.up: list[Delivered] = []

    @property
    def held(self) -> int:
        """How many packets are in the making."""
        return len(self.slots) - self.slots.count(None)

    def receive(self, skb: GroPacket) -> LroDecision:
        """Take one packet from the driver (`lro_receive_skb`); one that LRO does not take goes to the stack at once.

        The driver gives LRO only packets whose checksum the card has verified (`lro_check.from_card`).
        """
        if problem := ask.from_driver(skb):
            return self._alone(skb, problem, None)
        key = skb.data[12:20] + skb.data[skb.transport : skb.transport + 4]
        mine = next((one for one in self.slots if one is not None and one.key == key), None)
        if mine is None:
            return self._begin(key, skb)
        oldest = mine.stamps[0] if mine.stamps is not None else None
        if problem := ask.from_library(skb, mine.parent.id, mine.next_sequence, oldest):
            return self._alone(skb, problem, self._flush(mine, problem))
        return self._add(mine, skb)

    def _begin(self, key: bytes, skb: GroPacket) -> LroDecision:
        if None not in self.slots:
            return self._alone(skb, Check(ask.FREE, False, 0, len(self.slots), -1), None)
        if problem := ask.from_library(skb, -1, None, None):
            return self._alone(skb, problem, None)
        self.slots[self.slots.index(None)] = _descriptor(key, skb)
        return LroDecision(skb.id, True, Check(ask.FIRST, True, 0, 0, -1), None, None)

    def _add(self, mine: LroDescriptor, skb: GroPacket) -> LroDecision:
        _, sequence, ack, _, window, _, _ = ask.tcp_header(skb.data, skb.transport)
        size = skb.gro_len
        mine.merged.append(skb)
        mine.next_sequence = (sequence + size) & 0xFFFFFFFF
        mine.ack, mine.window, mine.mss = ack, window, max(mine.mss, size)
        if mine.stamps is not None and skb.known >= _ECHO_END:
            # The value stays that of the first segment, or PAWS would drop what is sent again. That this segment has
            # timestamps at all is not asked.
            mine.stamps = mine.stamps[0], ask.stamps(skb)[1]
        first, flushed = mine.parent.id, None
        if mine.count >= self.aggregated or mine.length > 0xFFFF - self.mtu:
            flushed = self._flush(mine, Check(ask.FULL, False, mine.count, self.aggregated, first))
        return LroDecision(skb.id, True, Check(ask.JOINS, True, skb.id, first, first), first, flushed)

    def _alone(self, skb: GroPacket, why: Check, flushed: int | None) -> LroDecision:
        self.pass_on(skb, why)
        return LroDecision(skb.id, False, why, None, flushed)

    def pass_on(self, skb: GroPacket, why: Check) -> None:
        """Send a packet to the stack as it is (`netif_receive_skb`)."""
        self.up.append(_delivered(skb, skb.mac + skb.data[: skb.data_offset], why, 0, []))

    def _flush(self, mine: LroDescriptor, left: Check) -> int:
        self.slots[self.slots.index(mine)] = None
        head = mine.parent.mac + (_merged_header(mine) if mine.merged else _plain_header(mine.parent))
        self.up.append(_delivered(mine.parent, head, left, mine.mss, mine.merged))
        return mine.parent.id

    def flush_all(self) -> None:
        """The poll ends: every connection's packet goes up, in the order of the slots (`lro_flush_all`)."""
        for mine in list(self.slots):
            if mine is not None:
                self._flush(mine, Check(ask.POLL_END, False, 0, 0, mine.parent.id))

    def take(self) -> list[Delivered]:
        """Return what the stack has got since the last time, in order."""
        up, self.up = self.up, []
        return up


def _descriptor(key: bytes, skb: GroPacket) -> LroDescriptor:
    _, sequence, ack, words, window, _, _ = ask.tcp_header(skb.data, skb.transport)
    size = skb.gro_len
    stamps = ask.stamps(skb) if words >> 12 == ask.WITH_STAMPS // 4 else None
    return LroDescriptor(key, skb, (sequence + size) & 0xFFFFFFFF, ack, window, stamps, size)


def _plain_header(skb: GroPacket) -> bytes:
    return bytes(skb.data[: skb.data_offset])


def _merged_header(mine: LroDescriptor) -> bytes:
    """The first header with the newest ACK number, window and echo in it (`lro_update_tcp_ip_header`)."""
    parent = mine.parent
    head = bytearray(_plain_header(parent))
    payload = b"".join(one.data[one.data_offset : one.len] for one in (parent, *mine.merged))
    head[2:4] = mine.length.to_bytes(2, "big")
    head[10:12] = b"\0\0"
    head[10:12] = internet_checksum(head[:IPV4_LENGTH]).to_bytes(2, "big")
    tcp = IPV4_LENGTH
    head[tcp + 8 : tcp + 12] = mine.ack.to_bytes(4, "big")
    head[tcp + 14 : tcp + 16] = mine.window.to_bytes(2, "big")
    if mine.stamps is not None:
        head[_ECHO] = mine.stamps[1].to_bytes(4, "big")
    head[tcp + 16 : tcp + 18] = b"\0\0"
    pseudo = int.from_bytes(head[12:20], "big") + PROTO_TCP + mine.length - IPV4_LENGTH
    head[tcp + 16 : tcp + 18] = internet_checksum(bytes(head[tcp:]) + payload, pseudo).to_bytes(2, "big")
    return bytes(head)


def _delivered(parent: GroPacket, head: bytes, left: Check, mss: int, merged: list[GroPacket]) -> Delivered:
    own, more = parent.gro_len, sum(one.gro_len for one in merged)
    parent.merged = merged
    parent.len += more
    return Delivered(
        frames=[parent.id, *(one.id for one in merged)],
        head=head,
        payload=own + more,
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
