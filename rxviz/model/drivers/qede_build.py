"""qede from its build_skb commit on: the skb is put round the segment that the card wrote into.

Source: drivers/net/ethernet/qlogic/qede/qede_fp.c from 4.18 on (`qede_build_skb`, `qede_rx_build_skb`,
`qede_tpa_rx_build_skb`, `qede_tpa_start`, `qede_tpa_end`); commit 8a8633978b84.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps, steps_qede
from rxviz.model.drivers.qede_tpa import AggInfo, QedeTpa
from rxviz.model.skb import SkBuff

if TYPE_CHECKING:
    from rxviz.model.cqe import Completion
    from rxviz.model.drivers.qede_ring import SwRxData
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page


class QedeBuild(QedeTpa):
    """Nothing is copied but short frames, and nothing is in reserve."""

    __slots__ = ()

    def rx_make_skb(self, bd: SwRxData, frame: Frame, slot: int, length: int, pad: int) -> SkBuff | None:
        """Copy a short frame whole, headroom counted in; build an skb round a longer one (`qede_rx_build_skb`).

        Its place is taken by the page's next segment, or by a fresh page.
        """
        if self.is_small(length, pad):
            skb = self.netdev_alloc_skb(frame, slot, self.rules.rx_hdr_size)
            if skb is None:
                return None
            skb.reserve(pad)
            self.copy_small(bd, skb, slot, length, pad)
        else:
            skb = self.build_skb(bd, frame, slot, length, pad)
            if skb is None:
                return None
            if not self.realloc_rx_buffer(bd, slot, skb):
                self.give_back(bd, skb)
                return None
        self.rx_bd_ring_consume(slot, frame, skb)
        return skb

    def build_skb(self, bd: SwRxData, frame: Frame, slot: int, length: int, pad: int) -> SkBuff | None:
        """Put an skb round a segment: headroom in front of the frame, shared info at the segment's end.

        None where there is no memory for its sk_buff.
        """
        m, core, size = self.m, self.core, self.rx_buf_seg_size
        page, start = bd.data, bd.page_offset
        assert page is not None
        skb_id = self.new_skb_id()
        if skb_id < 0:
            return None
        end = start + size - core.shinfo_size
        skb = SkBuff(skb_id, frame, page, start, pad, end, size + core.sk_buff_size)
        m.skbs[skb_id] = skb
        self.place_shinfo(page, skb, slot)
        page.users[start] = skb.id
        skb.head_region = start
        skb.put(length)
        m.step(steps.SKB_BUILD, frame, slot, page, skb, (start + pad, length, skb.truesize))
        return skb

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Clear the shared info's first part, behind the frame in the same segment."""
        page.write(skb.end, self.core.zeroes)

    # ------------------------------------------------------------------------------------------------------------ TPA
    def tpa_start(self, tpa_info: AggInfo, completion: Completion) -> None:
        """Build the skb round the first frame; a page that this uses up is unmapped only when the aggregation ends."""
        ring = self.ring
        slot = ring.sw_rx_cons
        bd, frame = ring.sw_rx_ring[slot], ring.frames[slot]
        page = bd.data
        assert frame is not None
        assert page is not None
        pad = completion.placement + self.rx_headroom
        skb = self.build_skb(bd, frame, slot, completion.first, pad)
        assert skb is not None
        if self.has_another_segment(bd):
            self.keep_page(bd, slot, skb)
        else:
            self.alloc_rx_buffer(allow_lazy=True)
            tpa_info.unmap_later = self.let_page_go(bd)
            self.m.step(steps_qede.TPA_MAPPED, frame, slot, page, skb, (completion.agg,))
        self.rx_bd_ring_consume(slot, frame, skb)
        self.started(tpa_info, skb, page, completion)

    def tpa_unmap(self, tpa_info: AggInfo) -> None:
        """The card writes no more to the first frame: unmap its page, if that was put off."""
        page, skb, tpa_info.unmap_later = tpa_info.unmap_later, tpa_info.skb, None
        if page is not None:
            self.unmap_page(page)
            self.m.step(steps.PAGE_UNMAP, tpa_info.frame, -1, page, skb, (page.size,))
