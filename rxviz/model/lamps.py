"""Lamps: what must always hold. Each counts how often it did not; all stay dark in every honest run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.account import in_flight

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

LAMPS = {
    "bytes_intact": "No byte of a frame changes between its write-back and its last reader.",
    "delivered_as_arrived": "What is delivered equals what arrived, in order within a flow.",
    "dma_inside_buffer": "The NIC never writes outside the buffer that it was given.",
    "half_one_owner": "A half has one owner: the NIC never writes where an skb still points.",
    "no_null_page": "The driver never follows a slot that has no page.",
    "page_freed_with_holder": "No page is freed while somebody holds a part of it.",
    "page_leaked": "At the end every page is on the ring, or held by an skb that is alive.",
    "refs_add_up": "A page's count, less what is prepaid, is the number of its holders.",
    "ring_polled": "A ring with work pending is polled again.",
    "sent_as_arrived": "What a bridge sends on is what came in.",
}


ENOUGH = 10_000
"""How often a lamp goes on before the run is stopped: a world that is so wrong may never come to rest."""


class Lamps:
    """Counts by lamp, and the step at which each first went on."""

    __slots__ = ("first", "head_pad", "last_in_flow", "lit", "m", "pad", "part", "room")

    def __init__(self, m: Machine) -> None:
        self.m = m
        geometry = m.config.geometry
        self.pad = geometry.pad
        part = geometry.half or geometry.segment
        self.part = part or 1
        """Buffers begin at multiples of this: at halves or segments, or anywhere on pages that are walked otherwise."""
        self.room = part - (m.config.core.shinfo_size if geometry.pad else 0) if part else 0
        """How far into a half the NIC may write: the shared info behind must stay whole. 0: to the end of the page."""
        self.head_pad = m.config.core.net_skb_pad
        """How far into the head of an skb the NIC may begin to write."""
        self.lit = dict.fromkeys(LAMPS, 0)
        self.first: dict[str, int] = {}
        self.last_in_flow: dict[int, int] = {}

    def light(self, name: str) -> None:
        """Switch a lamp on (once more)."""
        self.lit[name] = count = self.lit[name] + 1
        if count == ENOUGH:
            self.m.halt()
        self.first.setdefault(name, self.m.n)

    # ------------------------------------------------------------------------------------- watched while the run goes
    def dma(self, page: Page, offset: int, size: int, frame: Frame) -> None:
        """Look at a write of the NIC before it happens."""
        region = offset - self.pad
        end = region + self.room if self.room else page.size
        if (
            offset + size > end
            or not 0 <= region < page.size
            or region % self.part
            or page.slot < 0
            or page.refcount <= 0
        ):
            self.light("dma_inside_buffer")
        if region in page.users:
            self.light("half_one_owner")

    def dma_head(self, skb: SkBuff, offset: int, size: int) -> None:
        """Look at a write of the NIC into the head of an skb that waits for it, `offset` from the start of its page."""
        page = skb.head_page
        if offset < skb.head + self.head_pad or offset + size > skb.end or page.refcount <= 0:
            self.light("dma_inside_buffer")
        if page.users.get(skb.head) != skb.id or not skb.waits_for_frame:
            self.light("half_one_owner")

    def page_freed(self, page: Page) -> None:
        """Look at a page whose count has come to zero."""
        if page.users or page.slot >= 0 or page.refcount < 0:
            self.light("page_freed_with_holder")

    def merged(self, skb: SkBuff) -> None:
        """Look at what a card has merged, as the driver hands it up: GRO will read its headers from memory."""
        if not skb.is_intact():
            self.light("bytes_intact")

    def read(self, skb: SkBuff) -> None:
        """Look at an skb as the program reads it."""
        if not skb.is_intact():
            self.light("bytes_intact")
        self._follow(skb, self.last_in_flow)

    def _follow(self, skb: SkBuff, last_in_flow: dict[int, int]) -> None:
        """Look whether its frames come in the order of their flow, behind the last one that came."""
        for frame in skb.frames:
            if last_in_flow.get(frame.flow, -1) < frame.id:
                last_in_flow[frame.flow] = frame.id
            elif not self._was_overtaken(frame):
                self.light("delivered_as_arrived")

    def _was_overtaken(self, frame: Frame) -> bool:
        """Whether GRO or LRO let a later frame of its flow pass while it held this one, as the kernel does."""
        m = self.m
        return (m.gro is not None and frame.id in m.gro.late) or (m.lro is not None and frame.id in m.lro.late)

    # ------------------------------------------------------------------------------------------- watched at the end
    def at_end(self) -> None:
        """Look at everything once the run is over."""
        m = self.m
        held = self.references()
        for page in m.memory.pages.values():
            if page.refcount != held.get(page.id, 0):
                self.light("refs_add_up")
            if page.id not in held:
                self.light("page_leaked")
        last_in_flow = dict(self.last_in_flow)
        for skb in m.socket.queue:
            if not skb.is_intact():
                self.light("bytes_intact")
            self._follow(skb, last_in_flow)
        if m.driver.is_cut_off() or ((m.driver.pending() or m.nic.fifo) and not m.waits_for_memory):
            self.light("ring_polled")
        if not self._all_accounted_for() or m.socket.delivered != m.socket.read + len(m.socket.queue):
            self.light("delivered_as_arrived")

    def _all_accounted_for(self) -> bool:
        """Whether each frame that came is delivered, lost where a counter tells of it, or found where it waits.

        What GRO still holds at the end, nobody will ever get.
        """
        m = self.m
        lost_outside = sum(m.nic.drops().values())
        lost_inside = sum(m.driver.drops().values()) + sum(m.socket.drops().values())
        waiting = in_flight(m)
        inside = m.socket.frames_delivered + lost_inside + waiting["ring"]
        return m.nic.received == inside and m.offered == m.nic.received + lost_outside + waiting["nic"]

    def references(self) -> dict[int, int]:
        """Count the references of each page from those who hold them: the ring, the fragment cache, living skbs."""
        m = self.m
        held: dict[int, int] = {}
        for page, count in (*m.ring.references(), *m.driver.references()):
            held[page.id] = held.get(page.id, 0) + count
        if m.napi_frags.page is not None:
            held[m.napi_frags.page.id] = held.get(m.napi_frags.page.id, 0) + m.napi_frags.bias
        for skb in m.skbs.values():
            for page in (skb.head_page, *(frag.page for frag in skb.frags)):
                held[page.id] = held.get(page.id, 0) + 1
        return held
