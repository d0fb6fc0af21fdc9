"""What qede does with the card's aggregations, as far as it is the same before and after build_skb.

Source: drivers/net/ethernet/qlogic/qede/qede_fp.c (`qede_fill_frag_skb`, `qede_tpa_cont`, `qede_tpa_end`,
`qede_gro_receive`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import cqe, steps_qede
from rxviz.model.cqe import Completion, Type
from rxviz.model.drivers.driver import ETH_HLEN
from rxviz.model.drivers.qede import NO_COUNTER, Qede
from rxviz.model.drivers.qede_ring import SwRxData
from rxviz.model.gro.complete import pseudo_sum
from rxviz.wire.numbers import IPV4_LENGTH, IPV6_LENGTH, PROTO_TCP

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

_TCP_CHECK = 16


class AggInfo:
    """An aggregation as the driver knows it (`struct qede_agg_info`).

    `buffer` is, before build_skb, the page in reserve for the next aggregation, and while one is open the first frame's
    buffer. `unmap_later` is a page that is used to its end, while the card may still write to it.
    """

    __slots__ = ("buffer", "failed", "frame", "placement", "size", "skb", "unmap_later")

    def __init__(self) -> None:
        self.buffer = SwRxData()
        self.failed = False
        """There was no memory for it, or for a part of it: it is dropped when it ends (`QEDE_AGG_STATE_ERROR`)."""
        self.skb: SkBuff | None = None
        self.frame: Frame | None = None
        """The frame that it began with: for telling the story only."""
        self.placement = 0
        self.size = 0
        """Bytes of the first frame, and where in its buffer they begin, as the start said."""
        self.unmap_later: Page | None = None


class QedeTpa(Qede):
    """qede with the table of its aggregations."""

    __slots__ = ("tpa_info",)

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.tpa_info = [AggInfo() for _ in range(self.rules.tpa_max_aggs)] if m.config.hw_gro else []

    def rx_process_tpa_cqe(self, completion: Completion) -> int:
        """Begin an aggregation, add to it, or end it; return whether it went up. The driver knows nothing else."""
        if completion.type is Type.UNUSED:
            return 0
        agg = completion.agg
        tpa_info = self.tpa_info[agg]
        if completion.type is Type.TPA_START:
            self.tpa_start(tpa_info, completion)
            return 0
        if completion.type is Type.TPA_END:
            self.tpa_unmap(tpa_info)
        for length in completion.lens:
            self.fill_frag_skb(tpa_info, agg, length)
        if completion.type is Type.TPA_CONT:
            return 0
        return self.tpa_end(tpa_info, agg)

    @property
    def waits_for_card(self) -> bool:
        """Whether the completion in hand is about an aggregation: its skb goes up when the card has ended it."""
        return cqe.read(self.ring.cqes, self.ring.at_work).type in (Type.TPA_START, Type.TPA_CONT)

    def tpa_start(self, tpa_info: AggInfo, completion: Completion) -> None:
        """Take the first frame of an aggregation."""
        raise NotImplementedError

    def tpa_unmap(self, tpa_info: AggInfo) -> None:
        """Unmap a page whose unmap was put off: it is the first that the driver does at the end."""

    def tpa_finish(self, tpa_info: AggInfo, agg: int, skb: SkBuff) -> None:
        """Do what had to wait until all parts are attached."""

    def started(self, tpa_info: AggInfo, skb: SkBuff, page: Page, completion: Completion) -> None:
        """Note what an aggregation begins with (`qede_set_gro_params`)."""
        tpa_info.skb, tpa_info.frame = skb, skb.frame
        skb.gso_size = completion.first - completion.header
        self.m.step(steps_qede.TPA_START, skb.frame, -1, page, skb, (completion.agg, skb.gso_size))

    def fill_frag_skb(self, tpa_info: AggInfo, agg: int, len_on_bd: int) -> None:
        """Attach a segment with one more frame's payload; of an aggregation that failed, post it again as it is."""
        m, ring = self.m, self.ring
        skb, slot = tpa_info.skb, ring.sw_rx_cons
        bd, frame = ring.sw_rx_ring[slot], ring.frames[slot]
        page, region = bd.data, bd.page_offset
        assert page is not None
        assert frame is not None
        if tpa_info.failed or skb is None:
            self.lost(1)
            m.step(steps_qede.TPA_SKIP, frame, slot, page, None, (agg,))
            self.recycle_rx_bd_ring(1, frame)
            return
        offset = region + self.rx_headroom
        skb.join(page, offset, len_on_bd, region, self.rx_buf_seg_size, frame)
        self.ledger.cache_lines += self.core.frag_line(len(skb.frags) - 1)
        page.users[region] = skb.id
        m.step(steps_qede.TPA_FRAG, frame, slot, page, skb, (offset, len_on_bd, self.rx_buf_seg_size, agg))
        if self.replace_frag(bd, slot, skb):
            self.rx_bd_ring_consume(slot, frame, skb)
            return
        # The skb keeps its fragment, with a reference that it drops as it is freed; the driver keeps the page.
        del page.users[region]
        page.refcount += 1
        self.ledger.refs_atomic += 1
        tpa_info.failed = True
        m.step(steps_qede.TPA_ERROR, frame, slot, page, skb, (agg,))
        self.recycle_rx_bd_ring(1, frame)

    def replace_frag(self, bd: SwRxData, slot: int, skb: SkBuff) -> bool:
        """Post something in place of a segment that the skb of an aggregation has; return False where nothing is."""
        return self.realloc_rx_buffer(bd, slot, skb)

    def lost(self, frames: int) -> None:
        """Count frames that nobody gets, and no counter of the driver's tells of."""
        self.discarded[NO_COUNTER] = self.discarded.get(NO_COUNTER, 0) + frames

    def tpa_end(self, tpa_info: AggInfo, agg: int) -> int:
        """Hand an aggregation up, or drop it where it failed; return whether it went up."""
        skb = tpa_info.skb
        if tpa_info.failed or skb is None:
            self.tpa_drop(tpa_info, agg)
            return 0
        self.tpa_finish(tpa_info, agg, skb)
        self.step_over_ethernet(skb)
        self.gro_complete(skb)
        tpa_info.skb = tpa_info.frame = None
        fields = (agg, skb.segs, skb.len, skb.gso_size)
        self.m.step(steps_qede.TPA_END, skb.frame, -1, skb.first_page, skb, fields)
        self.rx_skb(skb, -1)
        return 1

    def tpa_drop(self, tpa_info: AggInfo, agg: int) -> None:
        """Free what there is of an aggregation that failed; its entry may be used again."""
        skb, frame = tpa_info.skb, tpa_info.frame
        tpa_info.skb = tpa_info.frame = None
        tpa_info.failed = False
        if frame is not None:
            self.ring.put_right.pop(frame.id, None)
        if skb is None:
            return
        self.lost(skb.segs)
        self.m.step(steps_qede.TPA_DROP, skb.frame, -1, None, skb, (agg, skb.segs))
        self.free_skb(skb)

    def gro_complete(self, skb: SkBuff) -> None:
        """What is left to do for a merged skb (`qede_gro_receive`): the checksum field; of one frame alone, nothing."""
        if not skb.data_len:
            skb.gso_size = 0
            return
        start = skb.mac_header
        head = bytearray(skb.head_page.data[start : start + skb.head_len + ETH_HLEN])
        tcp = _transport(head)
        check = pseudo_sum(head, ETH_HLEN, PROTO_TCP, skb.len + ETH_HLEN - tcp).to_bytes(2, "big")
        skb.head_page.write(start + tcp + _TCP_CHECK, check)
        # What the card has written there is what should be there, whatever the driver found.
        right = bytearray(self.ring.put_right.pop(skb.frame.id, head))
        right[tcp + _TCP_CHECK : tcp + _TCP_CHECK + 2] = check
        skb.headers = bytes(right[: tcp + (right[tcp + 12] >> 4) * 4])
        self.m.lamps.merged(skb)

    def references(self) -> list[tuple[Page, int]]:
        """The references to pages that the driver holds beside the ring."""
        return [(info.buffer.data, 1) for info in self.tpa_info if info.buffer.data is not None]

    def kept(self, page: Page) -> tuple[int, Frame | None] | None:
        """Where a page in reserve goes on, or the first frame of an aggregation that lies in it."""
        for info in self.tpa_info:
            if info.buffer.data is page:
                return info.buffer.page_offset, info.frame
        return None


def _transport(head: bytearray) -> int:
    """Return where the TCP header of a merged packet begins: the card merges nothing with IP options."""
    return ETH_HLEN + (IPV4_LENGTH if head[ETH_HLEN] >> 4 == 4 else IPV6_LENGTH)
