"""What would become of the card's aggregations (TPA) if a rule about them did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.drivers.qede_tpa import AggInfo, QedeTpa
from rxviz.model.nics.qlogic import QlogicNic
from rxviz.model.rules.doubt import Doubting
from rxviz.model.rules.qede import DoubtingQedeBuild, DoubtingQedeLegacy

if TYPE_CHECKING:
    from rxviz.model.cqe import Completion
    from rxviz.model.drivers.qede_ring import SwRxData
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class DoubtingTpa(Doubting, QedeTpa):
    """What qede does with aggregations in any kernel."""

    __slots__ = ()


class PartsPostedAgain(DoubtingTpa):
    """What a further frame brought is offered again while its aggregation goes on."""

    __slots__ = ()

    def replace_frag(self, bd: SwRxData, slot: int, skb: SkBuff) -> bool:
        """Post the segment itself; the skb has a reference to its page all the same."""
        page = bd.data
        assert page is not None
        self.take_reference(page, skb, slot)
        self.say("The driver posts the segment again, though the skb has it.", skb.frame, slot, page, skb)
        self.reuse_page(bd, slot, skb.frame, skb, again=True)
        return True


class UpBeforeTheEnd(DoubtingQedeBuild):
    """The first frame of an aggregation goes up as soon as the driver has it."""

    __slots__ = ()

    def started(self, tpa_info: AggInfo, skb: SkBuff, page: Page, completion: Completion) -> None:
        """Hand it up as a frame of its own."""
        super().started(tpa_info, skb, page, completion)
        self.say("The driver does not wait for the end: the skb goes up at once.", skb.frame, -1, page, skb)
        tpa_info.skb = tpa_info.frame = None
        skb.gso_size = 0
        self.step_over_ethernet(skb)
        self.rx_skb(skb, -1)

    def fill_frag_skb(self, tpa_info: AggInfo, agg: int, len_on_bd: int) -> None:
        """Find no skb to add to, and post the segment again: nobody will get the frame."""
        slot = self.ring.sw_rx_cons
        frame, page = self.ring.frames[slot], self.ring.page_at(slot)
        self.say(f"No skb waits for aggregation {agg}: what came in BD {slot} is thrown away.", frame, slot, page)
        self.recycle_rx_bd_ring(1, frame)


class UnmappedAtOnce(DoubtingQedeBuild):
    """A page is unmapped as soon as it is used to its end, also where the card has not done with it."""

    __slots__ = ()

    def tpa_start(self, tpa_info: AggInfo, completion: Completion) -> None:
        """Put no unmap off."""
        super().tpa_start(tpa_info, completion)
        page, tpa_info.unmap_later = tpa_info.unmap_later, None
        if page is None:
            return
        self.unmap_page(page)
        self.say(f"The driver unmaps page {page.id}, though the aggregation goes on.", tpa_info.frame, -1, page)
        nic = self.m.nic
        assert isinstance(nic, QlogicNic)
        found = nic.open.get(completion.agg)
        if found is not None and found.frame is tpa_info.frame:
            found.mapped = False


class ReserveNotUsed(DoubtingQedeLegacy):
    """The first buffer of an aggregation needs no page in its place."""

    __slots__ = ()

    def tpa_start(self, tpa_info: AggInfo, completion: Completion) -> None:
        """Post the buffer itself again, and give the page in reserve back."""
        ring = self.ring
        slot = ring.sw_rx_cons
        cons, frame, reserve = ring.sw_rx_ring[slot], ring.frames[slot], tpa_info.buffer.data
        page, offset = cons.data, cons.page_offset
        assert page is not None
        assert frame is not None
        page.refcount += 1
        tpa_info.buffer.data, tpa_info.buffer.page_offset = page, offset
        if reserve is not None:
            self.m.memory.put(reserve)
        self.say("The driver posts the buffer itself again, before it has read it.", frame, slot, page)
        self.reuse_page(cons, slot, frame, None, again=True)
        self.rx_bd_ring_consume(slot, frame, None)
        self.begin(tpa_info, completion, frame, page)


class CopiedAtTheStart(DoubtingQedeLegacy):
    """The first frame is copied as soon as there is an skb for it."""

    __slots__ = ()

    def started(self, tpa_info: AggInfo, skb: SkBuff, page: Page, completion: Completion) -> None:
        """Copy it before the card has put its headers right."""
        super().started(tpa_info, skb, page, completion)
        self.say("The driver does not wait for the end: it copies the first frame at once.", skb.frame, -1, page, skb)
        super().tpa_finish(tpa_info, completion.agg, skb)

    def tpa_finish(self, tpa_info: AggInfo, agg: int, skb: SkBuff) -> None:
        """It is copied already."""
