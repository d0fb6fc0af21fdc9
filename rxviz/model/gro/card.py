"""What a card with hardware GRO does with frames: it begins an aggregation, adds to it, ends it, or lets a frame pass.

What qede's firmware merges is not published; that GRO_HW must be exactly reversible is, and that the driver asks for
GRO's ways (`tpa_gro_consistent_flg`), and so the card is given GRO's own rules here (badge H). Its limits are those
that the driver gives it: qed/qed_l2.c (`qed_sp_eth_vport_start`, `qed_start_vport`).
"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import NamedTuple

from rxviz.model.frame import Frame
from rxviz.model.gro.complete import Delivered, unmerged
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig, GroRules
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Check
from rxviz.wire.numbers import IPV4_LENGTH, IPV6_LENGTH, PROTO_TCP

FULL = Rule(
    "tpa_full", Kind.CLOSE, "a buffer is left for another segment", "{new} buffers are the most", "qed_start_vport"
)
SHORT = Rule(
    "tpa_short",
    Kind.CONDEMN,
    "long enough for the card to merge",
    "{new} bytes of payload; the card merges frames with {old} or more",
    "qed_sp_eth_vport_start",
)
PLAIN = Rule("tpa_plain", Kind.CONDEMN, "verified TCP behind one IP header", "no verified plain TCP", "firmware")
TIMER = Rule("tpa_timer", Kind.OUTCOME, "the card's timer runs out", "the card's timer ran out", "firmware")
PASSED_BY = Rule(
    "tpa_passed_by",
    Kind.OUTCOME,
    "a frame that the card does not merge goes after it",
    "a frame of its connection came that the card does not merge",
    "firmware",
)


class Act(StrEnum):
    """What the card does next; all but the first are told in completions of their own (ETH_RX_CQE_TYPE_TPA_*)."""

    PASS = "pass"
    START = "start"
    CONTINUE = "continue"
    END = "end"


class Event(NamedTuple):
    """An act, the aggregation and its slot (of a frame that passes: itself, and -1), and what came in with it.

    `last` is the frame that an aggregation went on or ended with, None where it ended without one. `delivered` is what
    an aggregation, or a frame that passes, came to.
    """

    act: Act
    slot: int
    packet: GroPacket
    last: GroPacket | None = None
    delivered: Delivered | None = None


class Card(Gro):
    """GRO's engine with a card's limits: `slots` aggregations at a time, `buffers` for each, one a frame.

    A frame takes part from `least` bytes of payload on. One that does not ends what is open of its connection, so that
    the order is kept.
    """

    def __init__(self, kernel: GroRules, *, slots: int, buffers: int, least: int = 0) -> None:
        # One table for all connections, and nothing waits for others once it is done.
        rules = replace(kernel, buckets=1, max_held=slots, full_bucket="oldest leaves", normal_batch=1)
        super().__init__(rules, GroConfig(), keep_passed=False)
        self.buffers = buffers
        self.least = least
        self.events: list[Event] = []
        self.arriving: GroPacket | None = None
        """The frame that is being decided on; None as soon as it is told what becomes of it."""
        self.free = list(range(slots))
        self.slot_of: dict[int, int] = {}
        """Which slot an aggregation has, by its first frame."""

    def offer(self, packet: GroPacket, *, able: bool = True) -> list[Event]:
        """Take a frame; return what the card does, in order. It lets a frame pass that it is not `able` to merge."""
        self.arriving = packet
        refused = self._refused(packet, able)
        if refused is not None:
            self._normal_one(unmerged(packet, refused), 1)
        else:
            self.receive(packet)
        if self.arriving is not None:
            self._go_on(packet)
        return self._take()

    def time_out(self, number: int) -> list[Event]:
        """The timer of the aggregation that began with frame `number` has run out; it may have ended already."""
        for p in self.buckets[0]:
            if p.id == number:
                self._end(p, Check(TIMER, False, 0, 0, p.id))
                break
        return self._take()

    def end_all(self) -> list[Event]:
        """All timers have run out."""
        for p in reversed(self.buckets[0]):
            self._end(p, Check(TIMER, False, 0, 0, p.id))
        return self._take()

    def _refused(self, packet: GroPacket, able: bool) -> Check | None:
        """Why the card does not even look into a frame; None where it does."""
        payload = tcp_payload(packet.mac + packet.data)
        if payload is None or not able:
            return Check(PLAIN, False, 0, 0, packet.id)
        size = payload[1]
        return Check(SHORT, False, size, self.least, packet.id) if size < self.least else None

    def _go_on(self, packet: GroPacket) -> None:
        """A frame has joined; where that used the last buffer up, it ended the aggregation."""
        p = next(p for p in self.buckets[0] if p.segments is packet.segments)
        if p.count >= self.buffers:
            self._end(p, Check(FULL, False, p.count, self.buffers, p.id))
        else:
            self._tell(Event(Act.CONTINUE, self.slot_of[p.id], p, packet))

    def _take(self) -> list[Event]:
        events, self.events = self.events, []
        return events

    def _tell(self, event: Event) -> None:
        self.events.append(event)
        self.arriving = None

    def _hold(self, bucket: list[GroPacket], skb: GroPacket) -> None:
        super()._hold(bucket, skb)
        slot = self.slot_of[skb.id] = self.free.pop(0)
        self._tell(Event(Act.START, slot, skb))

    def _end(self, p: GroPacket, left: Check) -> None:
        self.buckets[0].remove(p)
        self._complete(p, left)

    def _normal_one(self, packet: Delivered, segments: int) -> None:
        own, arriving = packet.packet, self.arriving
        if own is arriving:
            self.arriving = None
            for p in [p for p in self.buckets[0] if p.hash == own.hash]:
                self._end(p, Check(PASSED_BY, False, 0, 0, p.id))
            self._tell(Event(Act.PASS, -1, own, None, packet))
            return
        last = arriving if arriving is not None and arriving.segments is own.segments else None
        slot = self.slot_of.pop(own.id)
        self.free.append(slot)
        self.free.sort()
        self.events.append(Event(Act.END, slot, own, last, packet))
        if last is not None:
            self.arriving = None


def tcp_payload(data: bytes) -> tuple[int, int] | None:
    """Return where the payload of a plain TCP frame begins, and its bytes; None for anything else.

    Plain means: right behind one IP header without options, as the parser of such a card sees it.
    """
    if data[12:15] == b"\x08\x00\x45" and data[23:24] == bytes((PROTO_TCP,)):
        tcp, end = ETH_HLEN + IPV4_LENGTH, ETH_HLEN + int.from_bytes(data[16:18], "big")
    elif data[12:14] == b"\x86\xdd" and data[20:21] == bytes((PROTO_TCP,)):
        tcp = ETH_HLEN + IPV6_LENGTH
        end = tcp + int.from_bytes(data[18:20], "big")
    else:
        return None
    start = tcp + (data[tcp + 12] >> 4) * 4 if len(data) > tcp + 12 else end
    return start, end - start


def card_packet(frame: Frame) -> GroPacket:
    """Return a frame as the card compares it: all of it in one buffer, its checksum verified."""
    data = frame.data[: frame.known]
    return GroPacket(frame.id, data, frame.wire_len, ip_summed=Checksum.UNNECESSARY, hash=frame.hash)
