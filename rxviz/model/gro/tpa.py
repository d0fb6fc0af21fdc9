"""Hardware GRO: segments that the card has merged already come to software GRO as one packet (qede's TPA).

The card is in rxviz.model.gro.card; what the driver makes of it: drivers/net/ethernet/qlogic/qede/qede_fp.c, from
`qede_tpa_start` to `qede_tpa_end`.
"""

from __future__ import annotations

from typing import NamedTuple

from rxviz.model.gro.card import Act, Card, Event
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.kernel import GroRules
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.trace import Check
from rxviz.model.kernel import CoreRules

SLOTS = 64
"""Connections that the card merges at a time (the driver's table `tpa_info`; ETH_TPA_MAX_AGGS_NUM)."""
BUFFERS = 16
"""Buffers, one a segment, that a merged packet may take (`max_buffers_per_cqe`)."""


class TpaEvent(NamedTuple):
    """Something that happened to the aggregation in a slot: a frame began it, a frame joined it, it ended.

    `packet` is what `qede_tpa_end` hands on, None before; `why` says why it ended.
    """

    kind: Act
    slot: int
    frame: int
    packet: GroPacket | None = None
    why: Check | None = None


class Tpa:
    """One queue's aggregations in the card. `buffer` is what the driver gives for each piece, in bytes.

    Frames with less than `least` bytes of payload are not merged; qede asks for half the MTU. `buffers` is how many
    pieces a packet may have. What happened to aggregations is told by `take_events`, in order.
    """

    def __init__(
        self,
        kernel: GroRules,
        core: CoreRules,
        *,
        buffer: int = 2048,
        slots: int = SLOTS,
        buffers: int = BUFFERS,
        least: int = 0,
    ) -> None:
        self.core = core
        self.buffer = buffer
        self._card = Card(kernel, slots=slots, buffers=buffers, least=least)
        self._events: list[TpaEvent] = []

    def receive(self, skb: GroPacket) -> list[GroPacket]:
        """A frame arrives at the card; return the packets that the driver gets for napi_gro_receive now, in order."""
        return self._handed_on(self._card.offer(skb))

    def end(self) -> list[GroPacket]:
        """The card ends every aggregation, as its timer makes it do."""
        return self._handed_on(self._card.end_all())

    def take_events(self) -> list[TpaEvent]:
        """Return what happened to aggregations since the last time."""
        events, self._events = self._events, []
        return events

    def _handed_on(self, events: list[Event]) -> list[GroPacket]:
        packets = []
        for act, slot, packet, last, delivered in events:
            if act is Act.START:
                self._events.append(TpaEvent(Act.START, slot, packet.id))
            if last is not None:
                self._events.append(TpaEvent(Act.CONTINUE, slot, last.id))
            if delivered is None:
                continue
            packets.append(merged := self._packet(delivered))
            if act is Act.END:
                self._events.append(TpaEvent(Act.END, slot, delivered.frames[-1], merged, delivered.left))
        return packets

    def _packet(self, packet: Delivered) -> GroPacket:
        """What `qede_tpa_end` hands on: the first buffer as the head, the others as fragments, gso fields filled in."""
        frame = packet.head + packet.body()
        length = len(packet.head) + packet.payload
        many = packet.segs > 1
        first = len(packet.head) + (packet.gso_size if many else packet.payload)
        pieces = packet.segs - 1
        whole = self.buffer + self.core.sk_buff_size
        merged = GroPacket(
            packet.frames[0],
            frame,
            length,
            truesize=whole + pieces * self.buffer,
            headlen=first - ETH_HLEN,
            head_size=self.buffer - self.core.shinfo_size,
            nr_frags=pieces,
            ip_summed=Checksum.PARTIAL if many else packet.ip_summed,
            csum_start=packet.transport - ETH_HLEN,
            hash=packet.packet.hash,
            tag=packet.tag,
            # A "merged" packet of one segment has its gso fields cleared.
            gso_size=packet.gso_size if many else 0,
            gso_segs=packet.segs if many else 0,
            gso_type=packet.gso_type if many else (),
        )
        merged.segments = list(packet.frames)
        return merged
