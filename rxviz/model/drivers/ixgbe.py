"""ixgbe's receive routine as it is from 4.11 on, in the driver's order and with its names.

Source: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c. Lay the two side by side: `clean_rx_irq` here is
`ixgbe_clean_rx_irq` there. What kernels do differently comes from `IxgbeRules`; 4.9, which handles a buffer in
another order, has the methods that differ in ixgbe_4_9.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import descriptor, steps
from rxviz.model.descriptor import (
    EOP,
    LENGTH_OFFSET,
    SIZE,
    STATUS_OFFSET,
    pack_length,
    pack_read,
    pack_status,
    unpack_status_length,
)
from rxviz.model.kernel import align
from rxviz.model.skb import Frag, SkBuff
from rxviz.wire.dissect import header_length

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer

PAGE_4K = 4096
ETH_HLEN = 14
LONG = 8
"""Copies are rounded up to this many bytes (`ALIGN(size, sizeof(long))`)."""


class Ixgbe:
    """The driver's half of one receive queue. `m` is the machine round it."""

    __slots__ = (
        "alloc_rx_buff_failed",
        "alloc_rx_page_failed",
        "core",
        "done_by_status",
        "geometry",
        "ledger",
        "m",
        "non_eop_descs",
        "pagecnt",
        "ring",
        "rules",
        "rx_errors",
        "sync_is_late",
        "syncs_buffer",
        "syncs_recycled",
    )

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.ring = m.ring
        self.rules = m.config.rules
        self.core = m.config.core
        self.geometry = m.config.geometry
        self.ledger = m.ledger
        self.done_by_status = self.rules.done_test == "status_error"
        self.syncs_buffer = self.rules.cpu_sync == "buffer"
        self.syncs_recycled = self.rules.device_sync == "recycle"
        self.pagecnt = 0
        """The page count as it was before the buffer was handed on (`rx_buffer_pgcnt`, 6.18)."""
        self.sync_is_late = False
        """The buffer in hand begins a frame of several; its sync waits for the last of them."""
        self.alloc_rx_page_failed = 0
        self.alloc_rx_buff_failed = 0
        self.non_eop_descs = 0
        self.rx_errors = 0

    # ------------------------------------------------------------------------------------------------------ the ring
    def configure_rx_ring(self) -> None:
        """Give the NIC an empty ring and post all it can hold: one slot fewer than there are."""
        self.alloc_rx_buffers(self.ring.desc_unused())

    def clean_rx_irq(self, budget: int) -> int:
        """Take done descriptors from the ring until it has none, or `budget` frames are done; return the frames."""
        m, ring, ledger, desc = self.m, self.ring, self.ledger, self.ring.desc
        by_status, build_skb, refill = self.done_by_status, self.geometry.build_skb, m.config.refill
        total_rx_packets = 0
        cleaned_count = ring.desc_unused()
        while total_rx_packets < budget:
            if cleaned_count >= refill:
                m.step(steps.RING_REFILL, None, -1, None, None, (cleaned_count,))
                self.alloc_rx_buffers(cleaned_count)
                cleaned_count = 0
            slot = ring.next_to_clean
            ledger.descriptor_reads += 1
            status, size = unpack_status_length(desc, slot * SIZE + STATUS_OFFSET)
            if not (status if by_status else size):
                m.step(steps.DESC_EMPTY, None, slot, None, None, ())
                break
            frame = ring.frames[slot]
            buffer = ring.rx_buffer_info[slot]
            page = buffer.page
            assert frame is not None
            assert page is not None
            m.step(steps.DESC_DONE, frame, slot, page, None, (size,))
            skb = self.get_rx_buffer(buffer, page, frame, slot, size, status)
            if skb is not None:
                self.add_rx_frag(buffer, page, skb, slot, size)
            elif build_skb:
                skb = self.build_skb(buffer, page, frame, slot, size)
            else:
                skb = self.construct_skb(buffer, page, frame, slot, size)
            self.put_rx_buffer(buffer, page, skb, slot)
            cleaned_count += 1
            if self.is_non_eop(skb, slot, status):
                continue
            if self.cleanup_headers(skb, slot, status):
                continue
            self.process_skb_fields(skb, slot, status)
            self.rx_skb(skb, slot)
            total_rx_packets += 1
        return total_rx_packets

    def pending(self) -> bool:
        """Whether the next descriptor is done."""
        ring = self.ring
        status, size = unpack_status_length(ring.desc, ring.next_to_clean * SIZE + STATUS_OFFSET)
        return bool(status if self.done_by_status else size)

    def alloc_rx_buffers(self, cleaned_count: int) -> None:
        """Post `cleaned_count` buffers, then tell the NIC once."""
        m, ring, ledger, desc = self.m, self.ring, self.ledger, self.ring.desc
        sync = self.geometry.bufsz if self.rules.device_sync == "repost" else 0
        clear_done, done_offset = (pack_status, STATUS_OFFSET) if self.done_by_status else (pack_length, LENGTH_OFFSET)
        for _ in range(cleaned_count):
            slot = ring.next_to_use
            buffer = ring.rx_buffer_info[slot]
            page = buffer.page
            if page is None:
                page = self.alloc_mapped_page(buffer, slot)
            ledger.sync_device_bytes += sync
            offset = buffer.page_offset
            address = page.dma + offset
            pack_read(desc, slot * SIZE, address, 0)
            ledger.descriptor_writes += 1
            ring.next_to_use = following = slot + 1 if slot + 1 < ring.count else 0
            # The descriptor behind the posted ones must read as not done.
            clear_done(desc, following * SIZE + done_offset, 0)
            m.step(steps.DESC_POST, None, slot, page, None, (offset, address, sync))
        if cleaned_count:
            ring.next_to_alloc = ring.next_to_use
            ledger.tail_writes += 1
            m.nic.write_tail(ring.next_to_use)
            m.step(steps.RING_TAIL, None, ring.next_to_use, None, None, (ring.next_to_use,))

    def alloc_mapped_page(self, buffer: RxBuffer, slot: int) -> Page:
        """Give an empty slot a page, mapped whole, with references paid in advance."""
        m, rules = self.m, self.rules
        page = m.memory.alloc(self.geometry.page, "rx")
        page.slot = slot
        self.ledger.dma_maps += 1
        if rules.map_syncs_page:
            self.ledger.sync_device_bytes += page.size
        buffer.page = page
        buffer.page_offset = self.geometry.pad
        buffer.pagecnt_bias = rules.bias_start
        if rules.bias_start > 1:
            page.refcount += rules.bias_start - 1
            self.ledger.refs_atomic += 1
        m.step(steps.PAGE_ALLOC, None, slot, page, None, (page.size, buffer.pagecnt_bias))
        return page

    # ------------------------------------------------------------------------------------------------- one buffer
    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, status: int
    ) -> SkBuff | None:
        """Take a filled buffer in hand: sync it for the CPU, and promise one prepaid reference to the skb."""
        self.pagecnt = count = page.refcount
        skb = self.sync_rx_buffer(buffer, frame, slot, size, status)
        buffer.pagecnt_bias = bias = buffer.pagecnt_bias - 1
        self.m.step(steps.BUF_TAKE, frame, slot, page, None, (buffer.page_offset, bias, count))
        return skb

    def sync_rx_buffer(self, buffer: RxBuffer, frame: Frame, slot: int, size: int, status: int) -> SkBuff | None:
        """Sync a filled buffer; return the skb that its frame was begun in, if it was.

        The first of several buffers is synced only once the frame is whole: hardware may still touch it.
        """
        skb, whole = buffer.skb, status & EOP
        self.sync_is_late = skb is None and not whole
        if self.sync_is_late:
            return None
        if skb is not None and whole:
            self.dma_sync_frag(skb)
        self.sync_for_cpu(buffer, frame, slot, size)
        return skb

    def sync_for_cpu(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Let the CPU see what the NIC wrote."""
        if self.syncs_buffer:
            size = self.geometry.bufsz
        self.ledger.sync_cpu_bytes += size
        self.m.step(steps.BUF_SYNC, frame, slot, buffer.page, None, (buffer.page_offset, size))

    def dma_sync_frag(self, skb: SkBuff) -> None:
        """Make up for the sync (and, if its page left the ring, the unmap) of a frame's first buffer."""
        if skb.synced:
            return
        skb.synced = True
        if not skb.page_released:
            self.sync_first(skb)
            return
        if self.rules.late_unmap == "after sync":
            self.sync_first(skb)
        skb.page_released = False
        self.unmap_first(skb)

    def sync_first(self, skb: SkBuff) -> None:
        """Sync a frame's first buffer, or what the driver takes for it."""
        looks_at = self.rules.late_sync
        if skb.is_built and looks_at != "first frag":
            page, offset, size = skb.head_page, skb.data, skb.head_len
            if looks_at == "linear part, 4K":
                offset &= PAGE_4K - 1
        elif skb.frags:
            page, offset, size, _ = skb.frags[0]
        else:
            # With build_skb and two buffers there is no frag yet: the kernel reads whatever lies there.
            return
        if self.syncs_buffer:
            size = self.geometry.bufsz
        self.ledger.sync_cpu_bytes += size
        self.m.step(steps.BUF_SYNC, skb.frame, -1, page, skb, (offset, size))

    def unmap_first(self, skb: SkBuff) -> None:
        """Unmap the page of a frame's first buffer, which left the ring before the frame was whole."""
        page = skb.first_page
        self.unmap(page)
        self.m.step(steps.PAGE_UNMAP, skb.frame, -1, page, skb, (page.size,))

    def construct_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff:
        """The legacy way: a head of its own; a short frame is copied into it, a long one attached as a fragment."""
        skb = self.napi_alloc_skb(frame, slot)
        if size <= self.rules.rx_hdr_size:
            self.copy_small(buffer, page, skb, slot, size)
            buffer.pagecnt_bias += 1
            return skb
        self.flip(buffer, page, skb, slot, self.attach_frag(buffer, page, skb, slot, size))
        return skb

    def napi_alloc_skb(self, frame: Frame, slot: int) -> SkBuff:
        """Allocate an skb with room for the headers (`napi_alloc_skb`)."""
        m, core = self.m, self.core
        size = core.napi_head(self.rules.rx_hdr_size)
        head_page, head = m.napi_frags.alloc(size)
        self.ledger.skb_heads += 1
        headroom = core.net_skb_pad + core.net_ip_align
        end = head + size - core.shinfo_size
        skb = SkBuff(m.new_skb_id(), frame, head_page, head, headroom, end, size + core.sk_buff_size)
        skb.synced = not self.sync_is_late
        m.skbs[skb.id] = skb
        m.step(steps.SKB_ALLOC, frame, slot, None, skb, (size, skb.truesize))
        return skb

    def copy_small(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Copy a short frame whole; its half is not given away and does not flip."""
        copied = align(size, LONG)
        offset = buffer.page_offset
        skb.head_page.write(skb.data, page.data[offset : offset + copied])
        skb.put(size)
        self.charge_copy(copied)
        self.m.step(steps.SKB_COPY, skb.frame, slot, page, skb, (offset, size, copied))

    def attach_frag(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> int:
        """Let a fragment of the skb point to what the NIC wrote; return what the skb is charged for it."""
        offset = buffer.page_offset
        region = offset - self.geometry.pad
        truesize = self.frag_truesize(size)
        skb.add_frag(page, offset, size, region, truesize)
        page.users[region] = skb.id
        self.m.step(steps.SKB_FRAG, skb.frame, slot, page, skb, (offset, size, truesize))
        return truesize

    def frag_truesize(self, size: int) -> int:
        """What a buffer is charged for: the half, or on walked pages what the frame takes of it."""
        geometry = self.geometry
        return geometry.half or align(geometry.pad + size, self.core.cache_line)

    def build_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff:
        """The new way: the skb is put round the frame where it lies."""
        m, core, geometry = self.m, self.core, self.geometry
        offset = buffer.page_offset
        start = offset - geometry.pad
        room = geometry.half or core.shinfo_size + align(geometry.pad + size, core.cache_line)
        end, truesize, skb_id = start + room - core.shinfo_size, room + core.sk_buff_size, m.new_skb_id()
        m.skbs[skb_id] = skb = SkBuff(skb_id, frame, page, start, geometry.pad, end, truesize)
        self.place_shinfo(page, skb, slot)
        page.users[start] = skb_id
        skb.head_region = start
        skb.synced = not self.sync_is_late
        skb.len = size
        m.step(steps.SKB_BUILD, frame, slot, page, skb, (offset, size, skb.truesize))
        self.flip(buffer, page, skb, slot, room)
        return skb

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Clear the shared info's first part, behind the frame in the same half."""
        page.write(skb.end, self.core.zeroes)

    def add_rx_frag(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Attach a further buffer of a frame."""
        self.flip(buffer, page, skb, slot, self.attach_frag(buffer, page, skb, slot, size))

    def flip(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Turn to the other half, free or not; on large pages walk on."""
        half = self.geometry.half
        if half:
            buffer.page_offset = offset = buffer.page_offset ^ half
            self.ledger.flips += 1
            self.m.step(steps.PAGE_FLIP, skb.frame, slot, page, skb, (offset,))
            return
        buffer.page_offset += truesize
        self.m.step(steps.PAGE_WALK, skb.frame, slot, page, skb, (buffer.page_offset,))

    # ------------------------------------------------------------------------------------------------- page reuse
    def put_rx_buffer(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Keep the page on the ring, or let it go; either way the slot is empty afterwards."""
        if self.can_reuse_rx_page(buffer, page, skb, slot):
            self.reuse_rx_page(buffer, page, skb, slot)
        else:
            self.give_up(buffer, page, skb, slot)
        buffer.skb = None

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Whether nobody but the frame in hand uses the page: the tests in the driver's order."""
        rules, bias = self.rules, buffer.pagecnt_bias
        if self.geometry.half:
            if (self.pagecnt if rules.count_snapshot else page.refcount) - bias > 1:
                return False
        elif buffer.page_offset > self.geometry.last_offset:
            return False
        if bias == rules.bias_low:
            page.refcount += rules.bias_max - rules.bias_low
            buffer.pagecnt_bias = rules.bias_max
            self.ledger.refs_atomic += 1
            self.m.step(steps.PAGE_TOPUP, skb.frame, slot, page, skb, (buffer.pagecnt_bias, page.refcount))
        return True

    def reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Move the page to the first slot without one (`next_to_alloc`)."""
        ring = self.ring
        to_slot = ring.next_to_alloc
        ring.next_to_alloc = to_slot + 1 if to_slot + 1 < ring.count else 0
        target = ring.rx_buffer_info[to_slot]
        offset, bias = buffer.page_offset, buffer.pagecnt_bias
        buffer.page = None
        target.page, target.page_offset, target.pagecnt_bias = page, offset, bias
        page.slot = to_slot
        self.ledger.pages_reused += 1
        if self.syncs_recycled:
            self.ledger.sync_device_bytes += self.geometry.bufsz
        self.m.step(steps.PAGE_REUSE, skb.frame, slot, page, skb, (offset, page.refcount, bias, to_slot))

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Unmap the page and give back every reference that the driver still has, at once."""
        m, ledger = self.m, self.ledger
        offset, bias, count = buffer.page_offset, buffer.pagecnt_bias, page.refcount
        self.leave_ring(buffer, page, skb)
        ledger.refs_atomic += 1
        page.refcount = count - bias
        m.step(steps.PAGE_GIVE_UP, skb.frame, slot, page, skb, (offset, count, bias))
        if not page.refcount:
            m.memory.put(page, 0)

    def leave_ring(self, buffer: RxBuffer, page: Page, skb: SkBuff) -> None:
        """Take the page out of its slot and unmap it; a first buffer that is not synced yet is unmapped later."""
        buffer.page = None
        page.slot = -1
        self.ledger.pages_given_up += 1
        if not skb.synced and page is skb.first_page:
            skb.page_released = True
            return
        self.unmap(page)

    def unmap(self, page: Page) -> None:
        """Put an unmap on the bill; where mapping syncs (4.9), the whole page is synced with it."""
        self.ledger.dma_unmaps += 1
        if self.rules.map_syncs_page:
            self.ledger.sync_cpu_bytes += page.size

    # ------------------------------------------------------------------------------------------------- one frame
    def is_non_eop(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Move on by one descriptor; park the skb at the next slot when its frame goes on there."""
        ring = self.ring
        following = slot + 1 if slot + 1 < ring.count else 0
        ring.next_to_clean = following
        if status & EOP:
            self.m.step(steps.RING_CLEAN, skb.frame, slot, None, skb, ())
            return False
        ring.rx_buffer_info[following].skb = skb
        self.non_eop_descs += 1
        self.m.step(steps.RING_NON_EOP, skb.frame, slot, None, skb)
        return True

    def cleanup_headers(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Throw a frame with errors away; else see to it that its headers are linear."""
        if status & descriptor.ERR_FRAME_ERR_MASK:
            self.rx_errors += 1
            self.m.step(steps.FRAME_DISCARD, skb.frame, slot, None, skb)
            self.free_skb(skb)
            return True
        if skb.len == skb.data_len:
            self.pull_tail(skb, slot)
        return False

    def pull_tail(self, skb: SkBuff, slot: int) -> None:
        """Copy the headers from the first fragment into the head, and let the fragment start behind them."""
        page, offset, size, region = skb.frags[0]
        length = header_length(memoryview(page.data)[offset : offset + size], self.rules.rx_hdr_size)
        copied = align(length, LONG)
        skb.head_page.write(skb.data, page.data[offset : offset + copied])
        skb.data_len -= length
        skb.frags[0] = Frag(page, offset + length, size - length, region)
        self.ledger.header_parses += 1
        self.charge_copy(copied)
        self.m.step(steps.SKB_HEADERS, skb.frame, slot, page, skb, (length, copied))

    def charge_copy(self, size: int) -> None:
        """Put copied bytes on the bill, and their time on the clock."""
        self.ledger.bytes_copied += size
        self.m.spend_copy(int(size * self.m.config.cost.copy_byte))

    def process_skb_fields(self, skb: SkBuff, slot: int, status: int) -> None:
        """Take over what the NIC says of the frame, and step over its Ethernet header (`eth_type_trans`)."""
        skb.pull(ETH_HLEN)
        self.m.step(steps.SKB_FIELDS, skb.frame, slot, None, skb, (status,))

    def rx_skb(self, skb: SkBuff, slot: int) -> None:
        """Hand the skb up."""
        m, ledger = self.m, self.ledger
        if m.gro is not None:
            m.gro.napi_gro_receive(skb)
            return
        truesize = skb.truesize
        ledger.truesize_total += truesize
        if truesize > ledger.truesize_max:
            ledger.truesize_max = truesize
        m.step(steps.SKB_DELIVER, skb.frame, slot, skb.head_page, skb, (skb.len, truesize, skb.holds_buffer))
        m.socket.enqueue(skb)

    def free_skb(self, skb: SkBuff) -> None:
        """Drop an skb and the references that it holds (`skb_release_data`)."""
        m, head, frags, region = self.m, skb.head_page, skb.frags, skb.head_region
        pages = self.let_go(skb)
        for member in skb.frag_list:
            pages += self.let_go(member)
        unused = []
        for page in pages:
            page.refcount = count = page.refcount - 1
            if not count:
                unused.append(page)
        self.ledger.refs_atomic += len(pages)
        shown = head if region >= 0 else frags[0].page if frags else None
        m.note(steps.SKB_FREE, skb.frame, -1, shown, skb, ())
        for page in unused:
            m.memory.put(page, 0)

    def let_go(self, skb: SkBuff) -> list[Page]:
        """Take an skb out of the world; return the pages that it still has a reference to."""
        head, frags, region = skb.head_page, skb.frags, skb.head_region
        del self.m.skbs[skb.id]
        skb.state = "freed"
        if region >= 0:
            head.release(region, skb.id)
        for frag in frags:
            frag.page.release(frag.region, skb.id)
        return [head, *(frag.page for frag in frags)]
