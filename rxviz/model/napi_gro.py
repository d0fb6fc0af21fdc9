"""GRO at work in the machine: what the engine decides is done to real skbs and pages, step by step.

The engine (rxviz.model.gro.engine) is laid beside net/core/gro.c and knows headers and sizes alone; this class stands
where its packets are skbs. Source of what happens to memory: net/core/gro.c (`skb_gro_receive`, `gro_complete`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.gro import rules
from rxviz.model.gro.adapter import gro_packet
from rxviz.model.gro.attach import FREE_STOLEN_HEAD
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig, GroRules
from rxviz.model.gro.packet import ETH_HLEN, GroPacket
from rxviz.model.gro.trace import Decision, Verdict

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.model.gro.complete import Delivered
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

NS = 1_000_000_000


def gro_config(config: Config) -> GroConfig:
    """Return what the machine's device and its sockets are set to, as far as GRO asks."""
    tunnels = frozenset((config.vxlan,) if config.vxlan else ())
    return GroConfig(
        hz=config.hz,
        flush_timeout=config.gro_flush_timeout,
        defer_hard_irqs=config.napi_defer_hard_irqs,
        udp_gro=config.udp_gro,
        vxlan_ports=tunnels,
    )


class NapiGro(Gro):
    """The engine with the skbs of its packets. It is quiet: rules that pass leave no trace, for the sake of bulk runs.

    `skb` and `packet` are what is being decided on; `skb` is None as soon as its verdict is told.
    """

    def __init__(self, m: Machine, kernel: GroRules) -> None:
        super().__init__(kernel, gro_config(m.config), keep_passed=False)
        self.m = m
        self.tick_ns = NS // m.config.hz
        self.skb: SkBuff | None = None
        self.packet: GroPacket | None = None
        self.holding: dict[int, tuple[SkBuff, GroPacket]] = {}
        """What is held, by the first frame, in the order in which it came."""
        self.queue: list[SkBuff] = []
        """What has left and waits for a batch to go up (`rx_list`)."""
        self.before: list[tuple[list[int], int]] = []
        """The frames of each packet in the bucket when the last frame came, and how many of them were there then."""
        self.touched: tuple[int, int] = (-1, -1)
        """The skb and the page that the last merge took something from: they change though the step is another's."""
        self.summed = 0
        """Bytes that had been added up when the last frame came."""
        self.head_frag = not m.config.geometry.head or m.config.geometry.head < m.config.geometry.page
        """Heads are parts of pages: the NIC's buffer, or a fragment. Those longer than a page come from kmalloc."""
        self.billed = 0
        """Bytes that were added up and are on the bill."""
        self.late: dict[int, None] = {}
        """Held frames that a later one of their flow has overtaken, as GRO's early exits allow."""

    # ------------------------------------------------------------------------------------------------- what comes in
    def napi_gro_receive(self, skb: SkBuff) -> None:
        """Take an skb from the driver and hold it, merge it, or pass it on."""
        m = self.m
        self.jiffies = m.now // self.tick_ns
        checked = m.driver.vouches_for(skb.frame)
        self.skb, self.packet = skb, gro_packet(skb, checked=checked, head_frag=self.head_frag)
        number = skb.frame.hash % len(self.buckets)
        bucket = self.buckets[number]
        self.look_at(bucket)
        skb.state = "gro"
        m.step(steps.GRO_RECEIVE, skb.frame, -1, skb.head_page, skb, (number, len(bucket)))
        self.summed = self.csum_bytes
        self.receive(self.packet)
        if self.skb is not None:
            self._merge(skb, self.packet)
        self._bill_sums()

    def look_at(self, bucket: list[GroPacket]) -> None:
        """Note what is held as a frame comes to its bucket."""
        self.before = [(p.segments, p.count) for p in bucket]

    def _hold(self, bucket: list[GroPacket], skb: GroPacket) -> None:
        super()._hold(bucket, skb)
        own = self._told()
        self._pull(own, skb)
        self.holding[skb.id] = own, skb
        decision = Decision(skb.id, Verdict.HELD, self._why_held(), None, None, self.ask.checks)
        number = self.buckets.index(bucket)
        fields = (number, len(bucket), skb.gso_size, decision)
        self.m.step(steps.GRO_HELD, own.frame, -1, own.head_page, own, fields)

    def _told(self) -> SkBuff:
        skb, self.skb = self.skb, None
        assert skb is not None
        skb.summed = self.csum_bytes != self.summed
        self._bill_sums()
        return skb

    def _bill_sums(self) -> None:
        """Put what was added up on the bill and on the clock, before a step tells what became of the frame."""
        more = self.csum_bytes - self.billed
        if more:
            m = self.m
            self.billed = self.csum_bytes
            m.ledger.csum_bytes += more
            m.spend_csum(int(more * m.config.cost.csum_byte))

    def _pull(self, skb: SkBuff, packet: GroPacket) -> None:
        """Copy headers that the driver left in a fragment into the head (`pskb_may_pull`)."""
        if packet.data_offset > skb.head_len and skb.frags:
            source, target = skb.frags[0].offset, skb.tail
            self.m.driver.charge_copy(skb.pull_tail(packet.data_offset - skb.head_len), source, target)

    # ------------------------------------------------------------------------------------------------------- merging
    def _merge(self, skb: SkBuff, packet: GroPacket) -> None:
        """Give the skb's payload to the held one: memory changes its owner, and nothing is copied."""
        self.skb = None
        self._bill_sums()
        p, held = self.holding[packet.segments[0]]
        self._pull(skb, packet)
        where, head = skb.first_page, skb.head_page
        target = p.frag_list[-1] if p.frag_list else p
        grown, size = held.truesize - p.truesize, packet.gro_len
        unused: Page | None = None
        if not packet.free:
            skb.pull(packet.data_offset)
            p.frag_list = [*p.frag_list, skb]
            how = "list"
        else:
            stolen = packet.free == FREE_STOLEN_HEAD
            self._take_over(target, skb, packet.data_offset, stolen)
            unused = None if stolen else self._drop_head(skb)
            how = "head" if stolen else "frags"
            if target is not p:
                target.grow(size, grown)
        p.grow(size, grown)
        p.merged = [*p.merged, (skb.frame, ETH_HLEN + packet.data_offset), *skb.merged]
        self.touched = skb.id, head.id
        fields = (p.frame.id, how, p.segs, p.len, p.truesize)
        self.m.step(steps.GRO_MERGE, skb.frame, -1, where, p, fields)
        if unused is not None:
            self.m.memory.put(unused, 0)

    def _take_over(self, target: SkBuff, skb: SkBuff, offset: int, stolen: bool) -> None:
        """Move an skb's fragments to another, its head's payload in front of them where the head is stolen."""
        taken = skb.payload_frags(offset, stolen)
        target.take(taken, skb)
        for frag in taken:
            if frag.page.users.get(frag.region) == skb.id:
                frag.page.users[frag.region] = target.id
        del self.m.skbs[skb.id]
        skb.state = "merged"

    def _drop_head(self, skb: SkBuff) -> Page | None:
        """Drop a head that nothing points into any more; return its page when that was the last reference."""
        head = skb.head_page
        head.release(skb.head_region, skb.id)
        head.refcount -= 1
        self.m.ledger.refs_atomic += 1
        return None if head.refcount else head

    # --------------------------------------------------------------------------------------------------- what leaves
    def _normal_one(self, packet: Delivered, segments: int) -> None:
        """Queue an skb for the stack; what has merged so far is said first, as it was done first."""
        own = packet.packet
        arriving = own is self.packet and self.skb is not None
        if arriving:
            skb = self._told()
            self._pull(skb, own)
        else:
            if self.skb is not None and self.packet is not None and self.packet.same_flow:
                self._merge(self.skb, self.packet)
            skb, _ = self.holding.pop(own.id)
        if skb.merged:
            skb.rewrite_headers(packet.head)
        skb.gso_size, skb.gso_type = packet.gso_size, packet.gso_type
        skb.move("list")
        self.queue.append(skb)
        self.rx_count += segments
        self.note_passed(skb)
        self._tell(skb, packet, arriving)
        if self.rx_count >= self.kernel.normal_batch:
            self.normal_list()

    def _tell(self, skb: SkBuff, packet: Delivered, arriving: bool) -> None:
        m, left = self.m, packet.left
        if arriving:
            decision = Decision(skb.frame.id, Verdict.NORMAL, left, None, None, self.ask.checks)
            m.step(steps.GRO_NORMAL, skb.frame, -1, skb.head_page, skb, (decision,))
            return
        kind = steps.GRO_EVICT if left.rule is rules.EVICTED else steps.GRO_FLUSH
        m.step(kind, skb.frame, -1, skb.head_page, skb, (skb.segs, skb.len, packet.gso_size, left))

    def note_passed(self, skb: SkBuff) -> None:
        """An skb goes up before what is held of its flow."""
        newest, flow = skb.frames[-1].id, skb.frame.flow
        for other, _ in self.holding.values():
            if other.frame.flow == flow and other.frame.id < newest:
                self.late |= {frame.id: None for frame in other.frames if frame.id < newest}

    def normal_list(self) -> None:
        """Pass up what is queued."""
        if not self.queue:
            return
        m = self.m
        batch, segments = self.queue, self.rx_count
        self.queue, self.rx_count = [], 0
        self.batches += 1
        m.step(steps.GRO_UP, None, -1, None, None, (len(batch), segments))
        for skb in batch:
            m.driver.to_stack(skb)

    # --------------------------------------------------------------------------------------------------------- polls
    def poll_used_up(self) -> None:
        """A poll used its whole weight: let go of what is held, or of what is old where HZ is 1000 or more."""
        self.jiffies = self.m.now // self.tick_ns
        self.budget_used()

    def poll_done(self, work: int) -> tuple[bool, int]:
        """A poll found its queue empty: let go of what is held; return what `complete_done` says."""
        self.jiffies = self.m.now // self.tick_ns
        return self.complete_done(work)

    @property
    def frames_inside(self) -> int:
        """How many frames are in what is held and in what waits to go up; none once the machine is at rest."""
        held = sum(skb.segs for skb, _ in self.holding.values())
        return held + sum(skb.segs for skb in self.queue)
