"""Hardware GRO: segments that the card has merged already come to software GRO as one packet (qede's TPA).

What the card's firmware merges is not published; that GRO_HW must be exactly reversible is, and that the driver asks
for GRO's ways (`tpa_gro_consistent_flg`), and so the card is given GRO's own rules here (badge H). Source of the rest:
drivers/net/ethernet/qlogic/qede/qede_fp.c, from `qede_tpa_start` to `qede_tpa_end`; and qed/qed_l2.c beside it
(`qed_sp_eth_vport_start`) for what the driver asks for: 64 aggregations, a buffer for each segment, frames from half
the MTU on.
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig, GroRules
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Check, Verdict
from rxviz.model.kernel import CoreRules

SLOTS = 64
"""Connections that the card merges at a time (the driver's table `tpa_info`; ETH_TPA_MAX_AGGS_NUM)."""
BUFFERS = 16
"""Buffers, one a segment, that a merged packet may take (`max_buffers_per_cqe`)."""
FULL = Rule(
    "tpa_full", Kind.CLOSE, "a buffer is left for another segment", "{new} buffers are the most", "qed_start_vport"
)
SHORT = Rule(
    "tpa_short",
    Kind.CONDEMN,
    "long enough for the card to merge",
    "a frame of {new} bytes; the card merges those from {old} on",
    "qed_sp_eth_vport_start",
)
ENDED = Rule("tpa_ended", Kind.OUTCOME, "the card's timer runs out", "the card's timer ran out", "qede_tpa_end")


class TpaKind(StrEnum):
    """What the card tells of an aggregation (the completions ETH_RX_CQE_TYPE_TPA_*)."""

    START = "start"
    CONTINUE = "continue"
    END = "end"


class TpaEvent(NamedTuple):
    """Something that happened to the aggregation in a slot: a frame began it, a frame joined it, it ended.

    `packet` is what `qede_tpa_end` hands on, None before; `why` says why it ended.
    """

    kind: TpaKind
    slot: int
    frame: int
    packet: GroPacket | None = None
    why: Check | None = None


class _Card(Gro):
    """What the card merges by."""

    def __init__(self, kernel: GroRules, slots: int, least: int) -> None:
        # One table for all connections, and nothing waits for others once it is done.
        rules = replace(kernel, buckets=1, max_held=slots, full_bucket="oldest leaves", normal_batch=1)
        super().__init__(rules, GroConfig(), keep_passed=False)
        self.least = least

    def _admits(self, skb: GroPacket) -> bool:
        length = skb.len + ETH_HLEN
        return super()._admits(skb) and self.ask.holds(SHORT, length >= self.least, length, self.least)

    def end(self, first: int, why: Check) -> None:
        """End the aggregation that began with a frame."""
        (bucket,) = self.buckets
        p = next(p for p in bucket if p.id == first)
        bucket.remove(p)
        self._complete(p, why)


class Tpa:
    """One queue's aggregations in the card. `buffer` is what the driver gives for each piece, in bytes.

    Frames shorter than `least` bytes are not merged; qede asks for half the MTU. `buffers` is how many pieces a packet
    may have. What happened to aggregations is told by `take_events`, in order.
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
        self.buffers = buffers
        self._card = _Card(kernel, slots, least)
        self._free = list(range(slots))
        self._slot_of: dict[int, int] = {}
        """Which slot an aggregation has, by its first frame."""
        self._events: list[TpaEvent] = []

    def receive(self, skb: GroPacket) -> list[GroPacket]:
        """A frame arrives at the card; return the packets that the driver gets for napi_gro_receive now, in order."""
        decision = self._card.receive(skb)
        if decision.into is not None:
            self._events.append(TpaEvent(TpaKind.CONTINUE, self._slot_of[decision.into], skb.id))
            pieces = len(skb.segments)
            if decision.flushed is None and pieces >= self.buffers:
                self._card.end(decision.into, Check(FULL, False, pieces, self.buffers, decision.into))
        done = self._done()
        if decision.verdict is Verdict.HELD:
            slot = self._slot_of[skb.id] = self._free.pop(0)
            self._events.append(TpaEvent(TpaKind.START, slot, skb.id))
        return done

    def end(self) -> list[GroPacket]:
        """The card ends every aggregation, as its timer makes it do."""
        self._card.flush(left=ENDED)
        return self._done()

    def take_events(self) -> list[TpaEvent]:
        """Return what happened to aggregations since the last time."""
        events, self._events = self._events, []
        return events

    def _done(self) -> list[GroPacket]:
        self._card.normal_list()
        return [self._handed_on(packet) for packet in self._card.take()]

    def _handed_on(self, packet: Delivered) -> GroPacket:
        merged, first = self._packet(packet), packet.frames[0]
        slot = self._slot_of.pop(first, None)
        if slot is not None:
            self._free.append(slot)
            self._free.sort()
            self._events.append(TpaEvent(TpaKind.END, slot, packet.frames[-1], merged, packet.left))
        return merged

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
            ip_summed=Checksum.UNNECESSARY if many else packet.ip_summed,
            hash=packet.packet.hash,
            tag=packet.tag,
            # A "merged" packet of one segment has its gso fields cleared.
            gso_size=packet.gso_size if many else 0,
            gso_segs=packet.segs if many else 0,
            gso_type=packet.gso_type if many else (),
        )
        merged.segments = list(packet.frames)
        return merged
