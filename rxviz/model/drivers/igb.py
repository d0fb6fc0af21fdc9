"""igb's receive routine as it is from 4.12 on, in the driver's order and with its names.

Source: drivers/net/ethernet/intel/igb/igb_main.c. Lay the two side by side: `clean_rx_irq` here is `igb_clean_rx_irq`
there. Otherwise than ixgbe, igb keeps a frame that goes on in a local variable (and with the ring between polls),
copies headers as it makes the skb, puts off no sync and no unmap, and refills what is left on its way out. What kernels
do differently comes from `IgbRules`; before 4.12 a buffer was handled in another order, see igb_fetch.py.

A NIC that stamps frames with a time puts 16 bytes in front of each; room for them is kept, but no frame is stamped
here (badge M).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.descriptor import EOP, SIZE, STATUS_OFFSET, unpack_status_length
from rxviz.model.drivers.intel import Intel
from rxviz.model.kernel import IgbRules

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import IgbRing, RxBuffer
    from rxviz.model.skb import SkBuff


class Igb(Intel):
    """The driver's half of one receive queue."""

    __slots__ = ()
    PAGE_FAILED = SKB_FAILED = "rx_queue_0_alloc_failed"
    rules: IgbRules
    ring: IgbRing

    def clean_rx_irq(self, budget: int) -> int:
        """Take done descriptors from the ring until it has none, or `budget` frames are done; return the frames."""
        m, ring, ledger, desc = self.m, self.ring, self.ledger, self.ring.desc
        by_status, build_skb, refill = self.done_by_status, self.geometry.build_skb, m.config.refill
        skb, total_packets, fields = ring.skb, 0, 2 if by_status else 1
        cleaned_count = ring.desc_unused()
        while total_packets < budget:
            if cleaned_count >= refill:
                m.step(steps.RING_REFILL, None, -1, None, None, (cleaned_count, False))
                self.alloc_rx_buffers(cleaned_count)
                cleaned_count = 0
            slot = ring.next_to_clean
            ledger.descriptor_reads += 1
            ledger.cache_lines += 1
            status, size = unpack_status_length(desc, slot * SIZE + STATUS_OFFSET)
            if not (status if by_status else size):
                if self.found_empty(slot):
                    continue
                break
            frame, buffer = ring.frames[slot], ring.rx_buffer_info[slot]
            page = buffer.page
            if frame is None or page is None:
                self.follow_null(slot)
                return total_packets
            ledger.descriptor_reads_before_fetch += fields
            m.step(steps.DESC_DONE, frame, slot, page, None, (size,))
            self.get_rx_buffer(buffer, page, frame, slot, size, skb)
            if skb is not None:
                self.add_rx_frag(buffer, page, skb, slot, size)
            elif build_skb:
                skb = self.build_skb(buffer, page, frame, slot, size)
            else:
                skb = self.construct_skb(buffer, page, frame, slot, size)
            if skb is None:
                self.leave_for_later(buffer, page, frame, slot)
                break
            self.put_rx_buffer(buffer, page, skb, slot)
            cleaned_count += 1
            if self.is_non_eop(skb, slot, status):
                total_packets += self.PART_WORK
                continue
            if self.cleanup_headers(skb, slot, status):
                skb = None
                continue
            self.process_skb_fields(skb, slot, status)
            self.rx_skb(skb, slot)
            skb = None
            total_packets += 1
        ring.skb = skb
        if cleaned_count:
            m.step(steps.RING_REFILL, None, -1, None, None, (cleaned_count, True))
            self.alloc_rx_buffers(cleaned_count)
        return total_packets

    def falls_short(self) -> bool:
        """Whether any slot is free: the driver fills all of them on its way out of a poll."""
        return self.ring.desc_unused() > 0

    def counters(self) -> dict[str, int]:
        """Return the driver's own counters, by the names that `ethtool -S` has for them."""
        return {self.PAGE_FAILED: self.alloc_rx_page_failed + self.alloc_rx_buff_failed}

    # ------------------------------------------------------------------------------------------------- one buffer
    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, skb: SkBuff | None
    ) -> None:
        """Take a filled buffer in hand: sync it for the CPU, and promise one prepaid reference to the skb.

        `skb` is what the frame was begun in, None where this is its first buffer; only 4.9 asks.
        """
        self.pagecnt = count = page.refcount
        self.sync_for_cpu(buffer, frame, slot, size)
        self.take_reference(buffer, page, frame, slot, count)

    def attach_first(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Copy the headers, and attach what lies behind them."""
        self.add_rx_frag(buffer, page, skb, slot, size, self.pull_headers(page, buffer.page_offset, size, skb, slot))

    def pull_headers(self, page: Page, offset: int, size: int, skb: SkBuff, slot: int) -> int:
        """Copy the headers of a frame into the head; return how long they are."""
        length, copied = self.copy_headers(page, offset, size, skb)
        skb.put(length)
        self.m.step(steps.SKB_HEADERS, skb.frame, slot, page, skb, (length, copied))
        return length

    # ------------------------------------------------------------------------------------------------- one frame
    def is_non_eop(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Move on by one descriptor; return whether the frame goes on there. The skb stays in the caller's hand."""
        ring = self.ring
        ring.next_to_clean = slot + 1 if slot + 1 < ring.count else 0
        if status & EOP:
            self.m.step(steps.RING_CLEAN, skb.frame, slot, None, skb, ())
            return False
        self.m.step(steps.RING_NON_EOP, skb.frame, slot, None, skb)
        return True

    def cleanup_headers(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Throw a frame with errors away; else see to it that it is long enough. Headers are linear already."""
        if self.has_errors(skb, slot, status):
            return True
        if skb.len < self.core.eth_zlen:
            self.eth_skb_pad(skb, slot)
        return False
