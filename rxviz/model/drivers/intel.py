"""What ixgbe and igb share: pages mapped once and used half by half, and the ways to make an skb of a buffer.

Source: drivers/net/ethernet/intel/{ixgbe/ixgbe_main.c,igb/igb_main.c} from 4.11 (ixgbe) and 4.12 (igb) on; the
functions have the driver's name in front of each of these. Both drivers' receive routines are their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from rxviz.model import descriptor, steps
from rxviz.model.descriptor import (
    LENGTH_OFFSET,
    SIZE,
    STATUS_OFFSET,
    pack_address,
    pack_length,
    pack_status,
    unpack_status_length,
)
from rxviz.model.drivers.driver import ETH_HLEN, LONG, Driver
from rxviz.model.frame import TPID_8021Q
from rxviz.model.kernel import IntelRules, align
from rxviz.model.skb import SkBuff
from rxviz.wire.dissect import header_length

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer, RxRing


Write = Callable[[bytearray, int, int], None]
"""Writes a number into bytes, at an offset."""
"""Puts one number, or two, into a descriptor at an offset."""


class Intel(Driver):
    """Pages of two halves: one with the NIC, the other spare or in the stack."""

    __slots__ = (
        "alloc_rx_buff_failed",
        "alloc_rx_page_failed",
        "device_sync",
        "done_by_status",
        "frame_errors",
        "header_lines",
        "pagecnt",
        "ring",
        "rules",
        "sync_is_late",
        "syncs_buffer",
        "syncs_recycled",
    )

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rules = cast(IntelRules, m.config.rules)
        self.ring = cast("RxRing", m.ring)
        self.frame_errors = self.rules.status_bits.frame
        """Bits of a write-back's status for which the driver drops the frame."""
        self.header_lines = self.core.lines(self.geometry.pad, ETH_HLEN)
        """Cache lines of an Ethernet header that lies where the NIC wrote it."""
        self.done_by_status = self.rules.done_test == "status_error"
        self.syncs_buffer = self.rules.cpu_sync == "buffer"
        self.device_sync = self.geometry.bufsz
        """Bytes of a buffer that are synced for the device."""
        self.syncs_recycled = self.rules.device_sync == "recycle"
        self.pagecnt = 0
        """The page count as it was before the buffer was handed on (`rx_buffer_pgcnt`, 6.18)."""
        self.sync_is_late = False
        """The buffer in hand begins a frame of several; its sync waits for the last of them (ixgbe alone)."""
        self.alloc_rx_page_failed = 0
        self.alloc_rx_buff_failed = 0

    # ------------------------------------------------------------------------------------------------------ the ring
    def configure_rx_ring(self) -> None:
        """Give the NIC an empty ring and post all it can hold: one slot fewer than there are."""
        self.alloc_rx_buffers(self.ring.desc_unused())

    def falls_short(self) -> bool:
        """Whether more slots are free than a poll leaves that finds nothing more to do."""
        return self.ring.desc_unused() >= self.m.config.refill

    def pending(self) -> bool:
        """Whether the next descriptor is done."""
        ring = self.ring
        status, size = unpack_status_length(ring.desc, ring.next_to_clean * SIZE + STATUS_OFFSET)
        return bool(status if self.done_by_status else size)

    def alloc_rx_buffers(self, cleaned_count: int) -> None:
        """Post `cleaned_count` buffers, or as many as there is memory for, then tell the NIC once."""
        m, ring, ledger, desc = self.m, self.ring, self.ledger, self.ring.desc
        sync = self.device_sync if self.rules.device_sync == "repost" else 0
        write_address, clear_done, done_offset = self.descriptor_writers()
        per_line = self.core.cache_line // SIZE
        filled = 0
        while filled < cleaned_count:
            slot = ring.next_to_use
            buffer = ring.rx_buffer_info[slot]
            page = buffer.page
            if page is None:
                page = self.alloc_mapped_page(buffer, slot)
                if page is None:
                    break
            filled += 1
            ledger.sync_device_bytes += sync
            offset = buffer.page_offset
            address = page.dma + offset
            write_address(desc, slot * SIZE, address)
            ledger.descriptor_writes += 1
            ring.next_to_use = following = slot + 1 if slot + 1 < ring.count else 0
            ledger.cache_lines += 1 if slot // per_line == following // per_line else 2
            # The descriptor behind the posted ones must read as not done.
            clear_done(desc, following * SIZE + done_offset, 0)
            m.step(steps.DESC_POST, None, slot, page, None, (offset, address, sync))
        if filled:
            ring.next_to_alloc = ring.next_to_use
            ledger.tail_writes += 1
            m.nic.write_tail(ring.next_to_use)
            m.step(steps.RING_TAIL, None, ring.next_to_use, None, None, (ring.next_to_use,))

    def found_empty(self, slot: int) -> bool:
        """The next descriptor is not done, so those behind it are not either; return whether to go on all the same."""
        self.m.step(steps.DESC_EMPTY, None, slot, None, None, ())
        return False

    def descriptor_writers(self) -> tuple[Write, Write, int]:
        """Return what writes an address into a descriptor, what clears its done field, and where that field lies."""
        if self.done_by_status:
            return pack_address, pack_status, STATUS_OFFSET
        return pack_address, pack_length, LENGTH_OFFSET

    def alloc_mapped_page(self, buffer: RxBuffer, slot: int) -> Page | None:
        """Give an empty slot a page, mapped whole, with references paid in advance; None where that fails."""
        m, rules = self.m, self.rules
        page = m.memory.dev_alloc_pages(self.geometry.page)
        if page is None or not m.memory.dma_map(page):
            self.no_page(page, slot)
            return None
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

    def no_page(self, page: Page | None, slot: int) -> None:
        """There is no page for a slot, or only one that could not be mapped, which goes back."""
        m = self.m
        self.alloc_rx_page_failed += 1
        self.short_of = self.short_of or "page"
        kind = steps.PAGE_ALLOC_FAILED if page is None else steps.PAGE_MAP_FAILED
        m.step(kind, None, slot, page, None, (self.PAGE_FAILED,))
        if page is not None:
            m.memory.put(page)

    # ------------------------------------------------------------------------------------------------- one buffer
    def sync_for_cpu(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Let the CPU see what the NIC wrote."""
        if self.syncs_buffer:
            size = self.geometry.bufsz
        self.ledger.sync_cpu_bytes += size
        self.m.step(steps.BUF_SYNC, frame, slot, buffer.page, None, (buffer.page_offset, size))

    def construct_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff | None:
        """The legacy way: a head of its own; a short frame is copied into it, a long one attached as a fragment.

        None where there is no memory for an skb.
        """
        skb = self.napi_alloc_skb(frame, slot, self.head_length(size))
        if skb is None:
            return None
        self.sync_filled(buffer, frame, slot, size)
        self.fill_skb(buffer, page, skb, slot, size)
        return skb

    def head_length(self, size: int) -> int:
        """How many bytes a new head must take: the longest headers, or the longest frame that is copied."""
        return self.rules.rx_hdr_size

    def fill_skb(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Put a frame's first buffer into a new skb."""
        if size <= self.rules.rx_hdr_size:
            self.copy_small(buffer, page, skb, slot, size)
            self.keep_half(buffer)
        else:
            self.attach_first(buffer, page, skb, slot, size)

    def attach_first(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Attach the first buffer of a frame that is too long to be copied."""
        raise NotImplementedError

    def napi_alloc_skb(self, frame: Frame, slot: int, length: int) -> SkBuff | None:
        """Allocate an skb with a head for `length` bytes; None where there is no memory for it (`napi_alloc_skb`)."""
        m, core = self.m, self.core
        skb_id = m.new_skb_id()
        if skb_id < 0:
            return None
        size = core.napi_head(length)
        head_page, head = m.napi_frags.alloc(size)
        self.ledger.skb_heads += 1
        headroom = core.net_skb_pad + core.net_ip_align
        end = head + size - core.shinfo_size
        m.skbs[skb_id] = skb = SkBuff(skb_id, frame, head_page, head, headroom, end, size + core.sk_buff_size)
        skb.synced = not self.sync_is_late
        m.step(steps.SKB_ALLOC, frame, slot, None, skb, (size, skb.truesize))
        return skb

    def copy_small(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Copy a short frame whole; its half is not given away and does not flip."""
        copied = align(size, LONG)
        offset = buffer.page_offset
        skb.head_page.write(skb.data, page.data[offset : offset + copied])
        self.charge_copy(copied, offset, skb.data)
        skb.put(size)
        self.m.step(steps.SKB_COPY, skb.frame, slot, page, skb, (offset, size, copied))

    def copy_headers(self, page: Page, offset: int, size: int, skb: SkBuff) -> tuple[int, int]:
        """Find the headers of a frame and copy them into the head; return their length, and what was copied."""
        length = header_length(memoryview(page.data)[offset : offset + size], self.rules.rx_hdr_size)
        copied = align(length, LONG)
        skb.head_page.write(skb.data, page.data[offset : offset + copied])
        self.ledger.header_parses += 1
        self.charge_copy(copied, offset, skb.data)
        return length, copied

    def attach_frag(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int, skip: int = 0) -> int:
        """Let a fragment of the skb point to what the NIC wrote, or to what lies behind the first `skip` bytes of it;
        return what the skb is charged for it.
        """
        offset = buffer.page_offset + skip
        region = buffer.page_offset - self.geometry.pad
        truesize = self.frag_truesize(size)
        skb.add_frag(page, offset, size - skip, region, truesize)
        page.users[region] = skb.id
        self.ledger.cache_lines += self.core.frag_line(len(skb.frags) - 1)
        self.m.step(steps.SKB_FRAG, skb.frame, slot, page, skb, (offset, size - skip, truesize))
        return truesize

    def frag_truesize(self, size: int) -> int:
        """What a buffer is charged for: the half, or on walked pages what the frame takes of it."""
        geometry = self.geometry
        return geometry.half or align(geometry.pad + size, self.core.cache_line)

    def build_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff | None:
        """The new way: the skb is put round the frame where it lies; None where there is no memory for its sk_buff."""
        m, core, geometry = self.m, self.core, self.geometry
        offset = buffer.page_offset
        start = offset - geometry.pad
        room = geometry.half or core.shinfo_size + align(geometry.pad + size, core.cache_line)
        end, truesize, skb_id = start + room - core.shinfo_size, room + core.sk_buff_size, m.new_skb_id()
        if skb_id < 0:
            return None
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

    def leave_for_later(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int) -> None:
        """There is no memory for an skb: count that, and leave the frame where it is, as if nobody had looked at it."""
        self.alloc_rx_buff_failed += 1
        self.short_of = "skb"
        self.take_back_reference(buffer)
        fields = (self.SKB_FAILED, buffer.pagecnt_bias)
        self.m.step(steps.SKB_ALLOC_FAILED, frame, slot, page, None, fields)

    def take_back_reference(self, buffer: RxBuffer) -> None:
        """What was promised to the frame stays with the driver."""
        buffer.pagecnt_bias += 1

    def add_rx_frag(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int, skip: int = 0) -> None:
        """Attach a buffer, or what lies behind its first `skip` bytes."""
        self.turn(buffer, page, skb, slot, self.attach_frag(buffer, page, skb, slot, size, skip))

    def take_reference(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, count: int) -> None:
        """Promise one prepaid reference to the frame; `count` is the page's count, which does not change by that."""
        buffer.pagecnt_bias = bias = buffer.pagecnt_bias - 1
        self.m.step(steps.BUF_TAKE, frame, slot, page, None, (buffer.page_offset, bias, count))

    def sync_filled(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Sync the buffer that a new skb is for, unless that was done as it was taken in hand."""

    def keep_half(self, buffer: RxBuffer) -> None:
        """The frame was copied: what was promised stays with the driver."""
        buffer.pagecnt_bias += 1

    def turn(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """A buffer has just been attached: turn to the other half at once, free or not."""
        self.flip(buffer, page, skb, slot, truesize)

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
        """Whether the page may stay: the tests in the driver's order; one that stays has its bias topped up."""
        if page.reserved or not self.only_user(buffer, page, skb, slot):
            return False
        if buffer.pagecnt_bias == self.rules.bias_low:
            self.top_up(buffer, page, skb, slot)
        return True

    def only_user(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Whether nobody but the frame in hand uses the page; on walked pages, whether there is room left."""
        if self.geometry.half:
            return (self.pagecnt if self.rules.count_snapshot else page.refcount) - buffer.pagecnt_bias <= 1
        return buffer.page_offset <= self.geometry.last_offset

    def top_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Pay references in again: one atomic addition."""
        rules = self.rules
        page.refcount += rules.bias_max - rules.bias_low
        buffer.pagecnt_bias = rules.bias_max
        self.ledger.refs_atomic += 1
        self.m.step(steps.PAGE_TOPUP, skb.frame, slot, page, skb, (buffer.pagecnt_bias, page.refcount))

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
            self.ledger.sync_device_bytes += self.device_sync
        self.m.step(steps.PAGE_REUSE, skb.frame, slot, page, skb, (offset, page.refcount, bias, to_slot))

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Unmap the page and give back every reference that the driver still has, at once."""
        m, ledger = self.m, self.ledger
        offset, bias, count = buffer.page_offset, buffer.pagecnt_bias, page.refcount
        self.leave_ring(buffer, page, skb)
        ledger.refs_atomic += 1
        page.refcount = count - bias
        m.step(steps.PAGE_GIVE_UP, skb.frame, slot, page, skb, (offset, count, bias, page.reserved))
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
        """Move on by one descriptor; return whether the frame goes on there."""
        raise NotImplementedError

    def has_errors(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Throw a frame away that the NIC found faulty; return whether it was."""
        if not status & self.frame_errors:
            return False
        self.discard(skb, slot)
        return True

    def process_skb_fields(self, skb: SkBuff, slot: int, status: int) -> None:
        """Take over what the NIC says of the frame, and step over its Ethernet header (`eth_type_trans`)."""
        if status & descriptor.VP:
            skb.vlan_tag = TPID_8021Q << 16 | descriptor.vlan(self.ring.desc, slot)
        if skb.head_region >= 0:
            self.ledger.cache_lines += self.header_lines
        skb.pull(ETH_HLEN)
        self.m.step(steps.SKB_FIELDS, skb.frame, slot, None, skb, (status, skb.frame.hash, skb.vlan_tag))
