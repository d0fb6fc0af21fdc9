"""qede before its build_skb commit: a head is allocated for each skb, and the headers are copied into it.

Source: drivers/net/ethernet/qlogic/qede/qede_fp.c of 4.12 (`qede_rx_allocate_skb`, `qede_tpa_start`, `qede_tpa_end`),
qede_main.c (`qede_alloc_sge_mem`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps, steps_qede
from rxviz.model.cqe import Completion
from rxviz.model.drivers.driver import LONG
from rxviz.model.drivers.qede_tpa import AggInfo, QedeTpa
from rxviz.model.kernel import align
from rxviz.model.skb import Frag
from rxviz.wire.dissect import header_length

if TYPE_CHECKING:
    from rxviz.model.drivers.qede_ring import SwRxData
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class QedeLegacy(QedeTpa):
    """Heads and copies; for the first frame of an aggregation, a page in reserve."""

    __slots__ = ()

    def configure_rx_ring(self) -> None:
        """Post buffers, and keep a mapped page for each aggregation that may come (`qede_alloc_sge_mem`)."""
        super().configure_rx_ring()
        for tpa_info in self.tpa_info:
            self.map_page(tpa_info.buffer, -1)

    def rx_make_skb(self, bd: SwRxData, frame: Frame, slot: int, length: int, pad: int) -> SkBuff | None:
        """Allocate an skb; copy a short frame whole, attach a longer one and copy its headers (`qede_rx_allocate_skb`).

        Its place is taken by the page's next segment, or by a fresh page.
        """
        skb = self.netdev_alloc_skb(frame, slot, self.head_length(length))
        if skb is None:
            return None
        if self.is_small(length, pad):
            self.copy_small(bd, skb, slot, length, pad)
        else:
            self.attach_frag(bd, skb, slot, length, pad)
            self.pull_headers(skb, slot)
            if not self.realloc_rx_buffer(bd, slot, skb):
                self.give_back(bd, skb)
                return None
        self.rx_bd_ring_consume(slot, frame, skb)
        return skb

    def head_length(self, length: int) -> int:
        """How many bytes a head is asked for: always the same."""
        return self.rules.rx_hdr_size

    def attach_frag(self, bd: SwRxData, skb: SkBuff, slot: int, length: int, pad: int) -> None:
        """Let a fragment of the skb point to the segment, and charge the whole of it."""
        page, region = bd.data, bd.page_offset
        assert page is not None
        skb.add_frag(page, region + pad, length, region, self.rx_buf_seg_size)
        self.ledger.cache_lines += self.core.frag_line(len(skb.frags) - 1)
        page.users[region] = skb.id
        fields = (region + pad, length, self.rx_buf_seg_size)
        self.m.step(steps.SKB_FRAG, skb.frame, slot, page, skb, fields)

    def pull_headers(self, skb: SkBuff, slot: int) -> None:
        """Copy the headers into the head, and let the fragment start behind them."""
        page, offset, size, region = skb.frags[0]
        pull_len = self.pull_length(memoryview(page.data)[offset : offset + size])
        copied = align(pull_len, LONG)
        skb.head_page.write(skb.data, page.data[offset : offset + copied])
        skb.data_len -= pull_len
        skb.frags[0] = Frag(page, offset + pull_len, size - pull_len, region)
        self.charge_copy(copied, offset, skb.data)
        self.m.step(steps.SKB_HEADERS, skb.frame, slot, page, skb, (pull_len, copied))

    def pull_length(self, data: memoryview) -> int:
        """Find out how long the headers are (`eth_get_headlen`)."""
        self.ledger.header_parses += 1
        return header_length(data, self.rules.rx_hdr_size)

    # ------------------------------------------------------------------------------------------------------------ TPA
    def tpa_start(self, tpa_info: AggInfo, completion: Completion) -> None:
        """Post the page in reserve for the first frame's, which is kept until the aggregation ends."""
        m, ring, agg = self.m, self.ring, completion.agg
        slot, to_slot = ring.sw_rx_cons, ring.sw_rx_prod
        cons, prod = ring.sw_rx_ring[slot], ring.sw_rx_ring[to_slot]
        frame, first, reserve = ring.frames[slot], cons.data, tpa_info.buffer.data
        assert frame is not None
        assert first is not None
        assert reserve is not None
        prod.data, prod.page_offset = reserve, tpa_info.buffer.page_offset
        reserve.slot = to_slot
        address = self.write_bd(to_slot, reserve, prod.page_offset)
        fields = (prod.page_offset + self.rx_headroom, address, to_slot, agg)
        m.step(steps_qede.TPA_REPLACE, frame, slot, reserve, None, fields)
        tpa_info.buffer.data, tpa_info.buffer.page_offset = first, cons.page_offset
        cons.data = None
        first.slot = -1
        m.step(steps_qede.TPA_PARK, frame, slot, first, None, (tpa_info.buffer.page_offset, agg))
        self.rx_bd_ring_consume(slot, frame, None)
        self.begin(tpa_info, completion, frame, first)

    def begin(self, tpa_info: AggInfo, completion: Completion, frame: Frame, first: Page) -> None:
        """Allocate the skb of an aggregation, as long as its first frame; where there is none, it has failed."""
        m, agg = self.m, completion.agg
        skb = self.netdev_alloc_skb(frame, -1, completion.first)
        if skb is None:
            tpa_info.failed = True
            self.lost(1)
            m.step(steps_qede.TPA_NO_SKB, frame, -1, first, None, (agg,))
            return
        skb.put(completion.first)
        tpa_info.placement, tpa_info.size = completion.placement, completion.first
        self.started(tpa_info, skb, first, completion)

    def tpa_finish(self, tpa_info: AggInfo, agg: int, skb: SkBuff) -> None:
        """Copy the first frame into the head; its page is in reserve for the next aggregation then."""
        page, offset = tpa_info.buffer.data, tpa_info.buffer.page_offset + tpa_info.placement
        assert page is not None
        skb.head_page.write(skb.data, page.data[offset : offset + tpa_info.size])
        self.charge_copy(tpa_info.size, offset, skb.data)
        self.m.step(steps_qede.TPA_COPY, skb.frame, -1, page, skb, (offset, tpa_info.size, agg))
