"""LRO at work in the machine: what its manager decides is done to real skbs, step by step.

The manager (rxviz.model.gro.lro) is laid beside net/ipv4/inet_lro.c and knows headers and sizes alone; this class
stands where its packets are skbs (`lro_receive_skb`, `lro_add_packet`, `lro_flush`, `lro_flush_all`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.gro import lro_check as ask
from rxviz.model.gro.adapter import gro_packet
from rxviz.model.gro.lro import Lro, LroDecision
from rxviz.model.gro.packet import ETH_HLEN, GroPacket
from rxviz.model.gro.trace import Check
from rxviz.model.mv643xx_desc import LRO_KIND, LRO_MASK
from rxviz.wire.numbers import ETHERTYPE_IPV4

if TYPE_CHECKING:
    from rxviz.model.gro.complete import Delivered
    from rxviz.model.machine import Machine
    from rxviz.model.skb import SkBuff


class NapiLro(Lro):
    """One queue's LRO manager with the skbs of its packets, and the counts that `ethtool -S` shows of it."""

    stays_on_in_bridge = False
    """A device that joins a bridge has its LRO switched off (`dev_disable_lro`, net/core/dev.c)."""

    def __init__(self, m: Machine) -> None:
        super().__init__(mtu=m.config.mtu)
        self.m = m
        self.holding: dict[int, SkBuff] = {}
        """What is in the making, by its first frame, in the order in which it began."""
        self.late: dict[int, None] = {}
        """Frames in the making that a later one of their flow has overtaken: one that LRO did not take."""
        self.stat_aggregated = 0
        self.stat_flushed = 0
        self.stat_no_desc = 0

    # ------------------------------------------------------------------------------------------------- what comes in
    def lro_receive_skb(self, skb: SkBuff, cmd_sts: int) -> None:
        """Take an skb from the driver, whose NIC has found its checksum good, and begin, merge, or pass it on."""
        m = self.m
        packet = gro_packet(skb)
        skb.state = "lro"
        m.step(steps.LRO_RECEIVE, skb.frame, -1, skb.head_page, skb, (self.held,))
        if cmd_sts & LRO_MASK != LRO_KIND:
            self._alone(packet, Check(ask.TCP4, False, packet.protocol, ETHERTYPE_IPV4, -1), None)
            self._let_go(skb)
            return
        decision = self.receive(packet)
        if decision.taken:
            self.stat_aggregated += 1
            self._take(skb, packet, decision)
        elif decision.why.rule is ask.FREE:
            self.stat_no_desc += 1
        self._let_go(None if decision.taken else skb)

    def _take(self, skb: SkBuff, packet: GroPacket, decision: LroDecision) -> None:
        if decision.into is None:
            self.holding[packet.id] = skb
            slot = next(n for n, one in enumerate(self.slots) if one is not None and one.parent is packet)
            fields = (slot, packet.gro_len)
            self.m.step(steps.LRO_START, skb.frame, -1, skb.head_page, skb, fields)
            return
        parent = self.holding[decision.into]
        skb.pull(packet.data_offset)
        parent.frag_list = [*parent.frag_list, skb]
        parent.grow(packet.gro_len, skb.truesize)
        parent.merged = [*parent.merged, (skb.frame, ETH_HLEN + packet.data_offset)]
        _, _, ack, _, window, _, _ = ask.tcp_header(packet.data, packet.transport)
        fields_ = (parent.frame.id, parent.segs, parent.len, parent.truesize, ack, window)
        self.m.step(steps.LRO_MERGE, skb.frame, -1, skb.head_page, parent, fields_)

    def note_passed(self, skb: SkBuff) -> None:
        """An skb goes up past LRO: what of its flow is in the making will come later than it."""
        newest, flow = skb.frames[-1].id, skb.frame.flow
        for other in self.holding.values():
            if other.frame.flow == flow and other.frame.id < newest:
                self.late |= {frame.id: None for frame in other.frames if frame.id < newest}

    # --------------------------------------------------------------------------------------------------- what leaves
    def lro_flush_all(self) -> None:
        """The driver has come to the end of its loop: everything goes up, in the order of the manager's slots."""
        self.flush_all()
        self._let_go(None)

    def _let_go(self, alone: SkBuff | None) -> None:
        """Hand up what the manager has let go of: the last of it is `alone`, where that skb was not taken."""
        for packet in self.take():
            if alone is not None and packet.packet.id == alone.frame.id:
                self.m.step(steps.LRO_ALONE, alone.frame, -1, alone.head_page, alone, (packet.left,))
                self.note_passed(alone)
                self._up(alone)
            else:
                self._flush_skb(packet)

    def _flush_skb(self, packet: Delivered) -> None:
        skb = self.holding.pop(packet.frames[0])
        self.stat_flushed += 1
        if skb.merged:
            skb.rewrite_headers(packet.head)
        skb.gso_size = packet.gso_size
        fields = (skb.segs, skb.len, packet.gso_size, packet.left)
        self.m.step(steps.LRO_FLUSH, skb.frame, -1, skb.head_page, skb, fields)
        self._up(skb)

    def _up(self, skb: SkBuff) -> None:
        m = self.m
        if m.gro is not None:
            m.gro.note_passed(skb)
        m.driver.to_stack(skb)

    @property
    def frames_inside(self) -> int:
        """How many frames are in what is in the making."""
        return sum(skb.segs for skb in self.holding.values())
