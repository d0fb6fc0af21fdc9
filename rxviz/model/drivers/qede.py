"""qede's receive routine, in the driver's order and with its names, as far as build_skb did not change it.

Source: drivers/net/ethernet/qlogic/qede/qede_fp.c. How an skb is made is in qede_legacy.py and qede_build.py; what the
card's aggregations need is in qede_tpa.py. The driver syncs nothing: on hardware that needs it, mapping and unmapping
do so for the whole page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rxviz.model import cqe, steps, steps_qede
from rxviz.model.cqe import Completion, Type
from rxviz.model.drivers.driver import ETH_HLEN, Driver
from rxviz.model.drivers.qede_ring import QedeRing, SwRxData
from rxviz.model.drivers.qede_rules import QedeRules
from rxviz.model.skb import SkBuff

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page

NO_COUNTER = "(no counter)"
"""A long frame that is dropped half-way is counted nowhere."""


class Qede(Driver):
    """The driver's half of one receive queue: pages cut into segments, which are used one after the other."""

    __slots__ = (
        "counts_right",
        "rcv_pkts",
        "ring",
        "rules",
        "rx_alloc_errors",
        "rx_buf_seg_size",
        "rx_headroom",
        "rx_hw_errors",
        "rx_ip_frags",
    )

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rules = cast(QedeRules, m.config.rules)
        self.ring = cast(QedeRing, m.ring)
        self.rx_buf_seg_size = self.geometry.segment
        self.rx_headroom = self.geometry.pad
        self.counts_right = m.config.ring < self.rules.min_ring
        """The driver counts a buffer too many for each page that it replaces at once. On rings of its own sizes that
        hardly happens, on one made for teaching it would soon run away; there the count is kept right (badge M)."""
        self.rcv_pkts = 0
        self.rx_hw_errors = 0
        self.rx_alloc_errors = 0
        self.rx_ip_frags = 0

    # ------------------------------------------------------------------------------------------------------ the ring
    def configure_rx_ring(self) -> None:
        """Post as many buffers as the ring takes, and tell the card (`qede_alloc_mem_rxq`, `qede_start_queues`)."""
        for _ in range(self.ring.num_rx_buffers):
            self.alloc_rx_buffer(allow_lazy=False)
        self.update_rx_prod()

    def pending(self) -> bool:
        """Whether the card has written completions that nobody has read (`qede_has_rx_work`)."""
        return self.ring.hw_comp_cons != self.ring.sw_comp_cons

    def counters(self) -> dict[str, int]:
        """Return the driver's own counters, by the names that `ethtool -S` has for them."""
        return {
            "rcv_pkts": self.rcv_pkts,
            "rx_hw_errors": self.rx_hw_errors,
            "rx_alloc_errors": self.rx_alloc_errors,
            "rx_ip_frags": self.rx_ip_frags,
        }

    def clean_rx_irq(self, budget: int) -> int:
        """One poll (`qede_poll`): with completions left at its end it reports the whole budget, to be polled again."""
        work = self.rx_int(budget) if self.pending() else 0
        if work < budget and self.pending():
            self.m.step(steps_qede.CQ_MORE, None, -1, None, None, (self.ring.ready,))
            return budget
        return work

    def rx_int(self, budget: int) -> int:
        """Take the completions that are there now, fill the ring up, tell the card; return how many were taken."""
        m, ring, ledger = self.m, self.ring, self.ledger
        hw_comp_cons = ring.hw_comp_cons
        m.step(steps_qede.CQ_LOOK, None, -1, None, None, (hw_comp_cons, ring.sw_comp_cons, ring.ready))
        work_done = rcv_pkts = 0
        while ring.sw_comp_cons != hw_comp_cons and work_done < budget and not m.halted:
            number = ring.sw_comp_cons
            ring.sw_comp_cons = number + 1 if number + 1 < ring.comp_count else 0
            ledger.descriptor_reads += 1
            ledger.cache_lines += 1
            rcv_pkts += self.rx_process_cqe(number)
            work_done += 1
        self.rcv_pkts += rcv_pkts
        self.short_of = ""
        missing = ring.num_rx_buffers - ring.filled_buffers
        if missing:
            m.step(steps_qede.BD_REFILL, None, -1, None, None, (missing,))
        while ring.num_rx_buffers - ring.filled_buffers:
            if not self.alloc_rx_buffer(allow_lazy=False):
                m.step(steps.PAGE_ALLOC_FAILED, None, ring.sw_rx_prod, None, None, ("",))
                break
        self.update_rx_prod()
        return work_done

    def update_rx_prod(self) -> None:
        """Tell the card how far BDs are posted, and how far completions are read."""
        m, ring = self.m, self.ring
        ring.cqe_prod = ring.sw_comp_cons
        self.ledger.tail_writes += 1
        m.nic.write_tail(ring.sw_rx_prod)
        m.step(steps_qede.RING_PROD, None, -1, None, None, (ring.sw_rx_prod, ring.cqe_prod))

    # -------------------------------------------------------------------------------------------------- pages and BDs
    def alloc_rx_buffer(self, allow_lazy: bool) -> bool:
        """Post a fresh page, or put that off while enough buffers are posted; return False where there is no page."""
        m, ring = self.m, self.ring
        if allow_lazy and ring.filled_buffers > m.config.refill:
            ring.filled_buffers -= 1
            m.step(steps_qede.PAGE_LATER, None, -1, None, None, (ring.filled_buffers,))
            return True
        slot = ring.sw_rx_prod
        page = self.map_page(ring.sw_rx_ring[slot], slot)
        if page is None:
            return False
        address = self.write_bd(slot, page, 0)
        if not (allow_lazy and self.counts_right):
            ring.filled_buffers += 1
        m.step(steps_qede.BD_FILL, None, slot, page, None, (self.rx_headroom, address))
        return True

    def map_page(self, bd: SwRxData, slot: int) -> Page | None:
        """Take a page for a BD and map it whole, as all its segments will be used; None where that fails. Nothing
        counts it.
        """
        m, ledger = self.m, self.ledger
        page = m.memory.dev_alloc_pages(self.geometry.page)
        if page is None or not m.memory.dma_map(page):
            self.short_of = "page"
            if page is not None:
                m.memory.put(page)
            return None
        bd.data, bd.page_offset, page.slot = page, 0, slot
        ledger.dma_maps += 1
        ledger.sync_device_bytes += page.size
        m.step(steps.PAGE_ALLOC, None, slot, page, None, (page.size, 1))
        return page

    def unmap_page(self, page: Page) -> None:
        """Put an unmap on the bill; the whole page is synced with it."""
        self.ledger.dma_unmaps += 1
        self.ledger.sync_cpu_bytes += page.size

    def write_bd(self, slot: int, page: Page, page_offset: int) -> int:
        """Write a BD and move sw_rx_prod on; return the address, which is behind the headroom of the segment."""
        ring = self.ring
        address = page.dma + page_offset + self.rx_headroom
        cqe.BD.pack_into(ring.desc, slot * cqe.BD_SIZE, address)
        self.ledger.descriptor_writes += 1
        self.ledger.cache_lines += 1
        ring.sw_rx_prod = ring.following(slot)
        return address

    def reuse_page(self, bd: SwRxData, slot: int, frame: Frame | None, skb: SkBuff | None, *, again: bool) -> None:
        """Post the page of a BD again, at the producer: with the next segment, or `again` with the same one."""
        m, ring, page = self.m, self.ring, bd.data
        assert page is not None
        to_slot = ring.sw_rx_prod
        curr_prod = ring.sw_rx_ring[to_slot]
        curr_prod.data, curr_prod.page_offset = page, bd.page_offset
        bd.data = None
        page.slot = to_slot
        address = self.write_bd(to_slot, page, curr_prod.page_offset)
        self.ledger.pages_reused += 1
        fields = (curr_prod.page_offset + self.rx_headroom, address, to_slot, int(again))
        m.step(steps_qede.SEG_REPOST, frame, slot, page, skb, fields)

    def recycle_rx_bd_ring(self, count: int, frame: Frame | None = None) -> None:
        """Post the next BDs again as they are: what the card wrote there is thrown away."""
        ring = self.ring
        for _ in range(count):
            slot = ring.sw_rx_cons
            self.reuse_page(ring.sw_rx_ring[slot], slot, frame, None, again=True)
            self.rx_bd_ring_consume(slot, frame, None)

    def rx_bd_ring_consume(self, slot: int, frame: Frame | None, skb: SkBuff | None, page: Page | None = None) -> None:
        """Move on by one BD; `page` is what it pointed to, where that leaves the ring with it."""
        self.ring.sw_rx_cons = self.ring.following(slot)
        self.ring.bds_left -= 1
        self.m.step(steps_qede.BD_CONSUME, frame, slot, page, skb)

    def realloc_rx_buffer(self, bd: SwRxData, slot: int, skb: SkBuff) -> bool:
        """A segment goes up: post the page's next one, or a fresh page where there is none; False where that fails."""
        if self.has_another_segment(bd):
            self.keep_page(bd, slot, skb)
            return True
        if not self.alloc_rx_buffer(allow_lazy=True):
            return False
        page = self.let_page_go(bd)
        self.unmap_page(page)
        self.m.step(steps_qede.PAGE_DONE, skb.frame, slot, page, skb, (page.refcount,))
        return True

    def has_another_segment(self, bd: SwRxData) -> bool:
        """Whether the page goes on behind the segment that has been used."""
        return bd.page_offset + self.rx_buf_seg_size < self.geometry.page

    def keep_page(self, bd: SwRxData, slot: int, skb: SkBuff) -> None:
        """Take a reference for the skb, which has this segment, and post the next one."""
        page = bd.data
        assert page is not None
        bd.page_offset += self.rx_buf_seg_size
        self.take_reference(page, skb, slot)
        fields = (bd.page_offset + self.rx_headroom, page.refcount)
        self.m.step(steps_qede.SEG_NEXT, skb.frame, slot, page, skb, fields)
        self.reuse_page(bd, slot, skb.frame, skb, again=False)

    def take_reference(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Have the page live on with the skb, whatever becomes of it on the ring (`page_ref_inc`)."""
        page.refcount += 1
        self.ledger.refs_atomic += 1

    def let_page_go(self, bd: SwRxData) -> Page:
        """Take a page off the ring; the driver's reference is the skb's from now on."""
        page = bd.data
        assert page is not None
        bd.data = None
        page.slot = -1
        self.ledger.pages_given_up += 1
        return page

    # --------------------------------------------------------------------------------------------------- a completion
    def rx_process_cqe(self, number: int) -> int:
        """Do what a completion says; return the frames (or aggregations) that went up."""
        ring = self.ring
        completion = cqe.read(ring.cqes, number)
        ring.at_work, ring.bds_left = number, completion.bds
        slot = ring.sw_rx_cons
        frame = self.frame_at(slot) if completion.bds else None
        page = ring.page_at(slot) if completion.bds else None
        length = completion.first if completion.type is Type.TPA_START else completion.length
        fields = (number, cqe.TYPE_NAMES[completion.type], length, completion.bds, completion.agg)
        self.m.step(steps_qede.CQE_TAKE, frame, slot if completion.bds else -1, page, None, fields)
        if completion.bds and page is None:
            self.follow_null(slot)
            return 0
        if completion.type is not Type.REGULAR:
            return self.rx_process_tpa_cqe(completion)
        assert frame is not None
        if self.has_errors(completion, frame, slot):
            return 0
        pad = completion.placement + self.rx_headroom
        skb = self.rx_make_skb(ring.sw_rx_ring[slot], frame, slot, completion.first, pad)
        if skb is None:
            self.rx_alloc_errors += 1
            self.lose(frame, slot, "rx_alloc_errors")
            self.recycle_rx_bd_ring(completion.bds, frame)
            return 0
        if completion.bds > 1 and (left := self.rx_build_jumbo(skb, completion)):
            self.lose(frame, ring.sw_rx_cons, NO_COUNTER)
            self.recycle_rx_bd_ring(left, frame)
            self.free_skb(skb)
            return 0
        self.step_over_ethernet(skb)
        self.m.step(steps_qede.CQE_FIELDS, frame, slot, None, skb, (_verdict(completion.flags),))
        self.rx_skb(skb, slot)
        return 1

    def frame_at(self, slot: int) -> Frame | None:
        """The frame that the card has told of, whose first buffer should be that of the BD."""
        return self.ring.frames[slot]

    def has_errors(self, completion: Completion, frame: Frame, slot: int) -> bool:
        """Count a frame with a wrong checksum; return whether it is thrown away. Fragments never are."""
        if _verdict(completion.flags) != "error":
            return False
        if completion.flags & cqe.IPV4FRAG:
            self.rx_ip_frags += 1
            return False
        self.rx_hw_errors += 1
        if self.rules.bad_checksum != "dropped":
            return False
        self.discarded["rx_hw_errors"] = self.rx_hw_errors
        self.m.step(steps.FRAME_DISCARD, frame, slot, self.ring.page_at(slot), None, ("checksum", "rx_hw_errors"))
        self.recycle_rx_bd_ring(completion.bds, frame)
        return True

    def lose(self, frame: Frame, slot: int, counter: str) -> None:
        """Drop a frame for which there is no memory: no skb, or no page to take its buffer's place."""
        self.discarded[counter] = self.discarded.get(counter, 0) + 1
        fields = (self.short_of, counter if counter != NO_COUNTER else "")
        self.m.step(steps.FRAME_NO_MEMORY, frame, slot, self.ring.page_at(slot), None, fields)

    def rx_make_skb(self, bd: SwRxData, frame: Frame, slot: int, length: int, pad: int) -> SkBuff | None:
        """Make an skb of the first BD, which is used up then; `pad` bytes of the segment lie in front of the frame.

        None where there is no memory for it, or none to take the buffer's place: the BD is as it was.
        """
        raise NotImplementedError

    def give_back(self, bd: SwRxData, skb: SkBuff) -> None:
        """Nothing takes the place of a buffer: free its skb again, but keep the page."""
        assert bd.data is not None
        bd.data.refcount += 1
        self.ledger.refs_atomic += 1
        self.free_skb(skb)

    def rx_process_tpa_cqe(self, completion: Completion) -> int:
        """Do what a completion of an aggregation says."""
        raise NotImplementedError

    def step_over_ethernet(self, skb: SkBuff) -> None:
        """Step over the Ethernet header (`eth_type_trans`), which may lie where the card wrote it."""
        if skb.head_region >= 0:
            self.ledger.cache_lines += self.core.lines(skb.mac_header, ETH_HLEN)
        skb.pull(ETH_HLEN)

    def rx_build_jumbo(self, skb: SkBuff, completion: Completion) -> int:
        """Attach the other BDs of a frame; return how many are left for which there was no page to take their place.

        Each has a page of its own, and each page is replaced by another.
        """
        m, ring = self.m, self.ring
        pkt_len = completion.length - completion.first
        for left in range(completion.bds - 1, 0, -1):
            cur_size = min(pkt_len, self.geometry.bufsz)
            if not self.alloc_rx_buffer(allow_lazy=True):
                return left
            slot = ring.sw_rx_cons
            bd = ring.sw_rx_ring[slot]
            region = bd.page_offset
            page = self.let_page_go(bd)
            self.rx_bd_ring_consume(slot, skb.frame, skb, page)
            self.unmap_page(page)
            skb.add_frag(page, self.rx_headroom, cur_size, region, page.size)
            self.ledger.cache_lines += self.core.frag_line(len(skb.frags) - 1)
            page.users[region] = skb.id
            m.step(steps_qede.JUMBO_FRAG, skb.frame, slot, page, skb, (self.rx_headroom, cur_size, page.size))
            pkt_len -= cur_size
        return 0

    # ------------------------------------------------------------------------------------------------------ an skb
    def netdev_alloc_skb(self, frame: Frame, slot: int, length: int) -> SkBuff | None:
        """Allocate an skb with room for `length` bytes behind its headroom; None where there is no memory for it."""
        m, core = self.m, self.core
        skb_id = self.new_skb_id()
        if skb_id < 0:
            return None
        size = core.napi_head(length)
        head_page, head = m.napi_frags.alloc(size)
        self.ledger.skb_heads += 1
        end = head + size - core.shinfo_size
        m.skbs[skb_id] = skb = SkBuff(skb_id, frame, head_page, head, core.net_skb_pad, end, size + core.sk_buff_size)
        m.step(steps.SKB_ALLOC, frame, slot, None, skb, (size, skb.truesize))
        return skb

    def new_skb_id(self) -> int:
        """Return the number of the next skb, -1 where there is no memory for one."""
        skb_id = self.m.new_skb_id()
        if skb_id < 0:
            self.short_of = "skb"
        return skb_id

    def copy_small(self, bd: SwRxData, skb: SkBuff, slot: int, length: int, pad: int) -> None:
        """Copy a short frame whole, and post its segment again as it is."""
        page, offset = bd.data, bd.page_offset + pad
        assert page is not None
        skb.head_page.write(skb.data, page.data[offset : offset + length])
        skb.put(length)
        self.charge_copy(length, offset, skb.data)
        self.m.step(steps.SKB_COPY, skb.frame, slot, page, skb, (offset, length, length))
        self.keep_segment(bd, slot, skb)

    def keep_segment(self, bd: SwRxData, slot: int, skb: SkBuff) -> None:
        """A frame was copied: its segment is the card's again."""
        self.reuse_page(bd, slot, skb.frame, skb, again=True)

    def is_small(self, length: int, pad: int) -> bool:
        """Whether a frame is copied whole: what lies in front of it counts (`rx_copybreak`)."""
        return length + pad <= self.rules.rx_hdr_size

    def is_cut_off(self) -> bool:
        """Whether no BD is posted: no frame can come in, so nobody will ever poll and fill the ring.

        Only on rings made for teaching; on others the driver's own count may lead it there in time.
        """
        return self.counts_right and not self.m.nic.given


def _verdict(flags: int) -> str:
    """What the card says of the checksums (`qede_check_notunn_csum`)."""
    checked = flags & cqe.L4CHKSMWASCALCULATED
    if flags & cqe.IPHDRERROR or (checked and flags & cqe.L4CHKSMERROR):
        return "error"
    return "ok" if checked else "none"
