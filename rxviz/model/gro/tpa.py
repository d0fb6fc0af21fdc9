"""Hardware GRO: segments that the card has merged already come to software GRO as one packet (qede's TPA).

What the card's firmware merges is not published; that GRO_HW must be exactly reversible is, and so the card is given
GRO's own rules here (badge H). Source of the rest: drivers/net/ethernet/qlogic/qede/qede_fp.c, from `qede_tpa_start` to
`qede_tpa_end`.
"""

from __future__ import annotations

from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig, GroRules
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.kernel import CoreRules

SLOTS = 64
"""Connections that the card merges at a time (the driver's table `tpa_info`; ETH_TPA_MAX_AGGS_NUM)."""


class Tpa:
    """One queue's aggregations in the card. `buffer` is what the driver gives for each piece, in bytes."""

    def __init__(self, kernel: GroRules, core: CoreRules, *, buffer: int = 2048, slots: int = SLOTS) -> None:
        self.core = core
        self.buffer = buffer
        self.slots = slots
        self._card = Gro(kernel, GroConfig(), keep_passed=False)

    def receive(self, skb: GroPacket) -> list[GroPacket]:
        """A frame arrives at the card; return the packets that the driver gets for napi_gro_receive now."""
        self._card.receive(skb)
        while self._card.held > self.slots:
            self._card.flush()
        return self._done()

    def end(self) -> list[GroPacket]:
        """The card ends every aggregation, as its timer makes it do."""
        self._card.flush()
        return self._done()

    def _done(self) -> list[GroPacket]:
        self._card.normal_list()
        return [self._packet(packet) for packet in self._card.take()]

    def _packet(self, packet: Delivered) -> GroPacket:
        """What `qede_tpa_end` hands on: the first buffer as the head, the others as fragments, gso fields filled in."""
        frame = packet.head + packet.body()
        length = len(packet.head) + packet.payload
        first = len(packet.head) + (packet.gso_size if packet.segs > 1 else packet.payload)
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
            ip_summed=Checksum.UNNECESSARY,
            hash=packet.packet.hash,
            tag=packet.tag,
            # A "merged" packet of one segment has its gso fields cleared.
            gso_size=packet.gso_size if packet.segs > 1 else 0,
            gso_segs=packet.segs if packet.segs > 1 else 0,
            gso_type=packet.gso_type,
        )
        merged.segments = list(packet.frames)
        return merged
