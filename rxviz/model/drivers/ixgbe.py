"""ixgbe's receive routine as it is from 4.11 on, in the driver's order and with its names.

Source: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c. Lay the two side by side: `clean_rx_irq` here is
`ixgbe_clean_rx_irq` there. What kernels do differently comes from `IxgbeRules`; before 4.11 a buffer was handled
in another order, and the methods that differ are in ixgbe_fetch.py.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.descriptor import EOP, SIZE, STATUS_OFFSET, unpack_status_length
from rxviz.model.drivers.intel import Intel
from rxviz.model.kernel import IxgbeRules
from rxviz.model.skb import Frag, SkBuff

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer

PAGE_4K = 4096


class Ixgbe(Intel):
    """The driver's half of one receive queue."""

    __slots__ = ()
    rules: IxgbeRules

    def clean_rx_irq(self, budget: int) -> int:
        """Take done descriptors from the ring until it has none, or `budget` frames are done; return the frames."""
        m, ring, ledger, desc = self.m, self.ring, self.ledger, self.ring.desc
        by_status, build_skb, refill = self.done_by_status, self.geometry.build_skb, m.config.refill
        fields = 2 if by_status else 1
        total_rx_packets = 0
        cleaned_count = ring.desc_unused()
        while total_rx_packets < budget:
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
            frame = ring.frames[slot]
            buffer = ring.rx_buffer_info[slot]
            page = buffer.page
            if frame is None or page is None:
                self.follow_null(slot)
                break
            ledger.descriptor_reads_before_fetch += fields
            m.step(steps.DESC_DONE, frame, slot, page, None, (size,))
            skb = self.get_rx_buffer(buffer, page, frame, slot, size, status)
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
                total_rx_packets += self.PART_WORK
                continue
            if self.cleanup_headers(skb, slot, status):
                continue
            self.process_skb_fields(skb, slot, status)
            self.rx_skb(skb, slot)
            total_rx_packets += 1
        return total_rx_packets

    def counters(self) -> dict[str, int]:
        """Return the driver's own counters, by the names that `ethtool -S` has for them."""
        return {
            "non_eop_descs": self.m.counts[steps.RING_NON_EOP],
            "alloc_rx_page_failed": self.alloc_rx_page_failed,
            "alloc_rx_buff_failed": self.alloc_rx_buff_failed,
        }

    # ------------------------------------------------------------------------------------------------- one buffer
    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, status: int
    ) -> SkBuff | None:
        """Take a filled buffer in hand: sync it for the CPU, and promise one prepaid reference to the skb."""
        self.pagecnt = count = page.refcount
        skb = self.sync_rx_buffer(buffer, frame, slot, size, status)
        self.take_reference(buffer, page, frame, slot, count)
        return skb

    def sync_rx_buffer(self, buffer: RxBuffer, frame: Frame, slot: int, size: int, status: int) -> SkBuff | None:
        """Sync a filled buffer; return the skb that its frame was begun in, if it was.

        The first of several buffers is synced only once the frame is whole: hardware may still touch it.
        """
        skb, whole = buffer.skb, status & EOP
        self.sync_is_late = skb is None and self.syncs_late(status)
        if self.sync_is_late:
            return None
        if skb is not None and whole:
            self.dma_sync_frag(skb)
        self.sync_for_cpu(buffer, frame, slot, size)
        return skb

    def syncs_late(self, status: int) -> bool:
        """Whether the sync of a frame's first buffer waits for the frame's end: it does not end in this buffer."""
        return not status & EOP

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

    def attach_first(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Attach the whole buffer; its headers are copied once the frame is whole (`pull_tail`)."""
        self.add_rx_frag(buffer, page, skb, slot, size)

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
        self.m.step(steps.RING_NON_EOP, skb.frame, slot, None, skb)
        return True

    def cleanup_headers(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Throw a frame with errors away; else see to it that its headers are linear and that it is long enough."""
        if self.has_errors(skb, slot, status):
            return True
        if skb.len == skb.data_len:
            self.pull_tail(skb, slot)
        if skb.len < self.core.eth_zlen:
            self.eth_skb_pad(skb, slot)
        return False

    def pull_tail(self, skb: SkBuff, slot: int) -> None:
        """Copy the headers from the first fragment into the head, and let the fragment start behind them."""
        page, offset, size, region = skb.frags[0]
        length, copied = self.copy_headers(page, offset, size, skb)
        skb.data_len -= length
        skb.frags[0] = Frag(page, offset + length, size - length, region)
        self.m.step(steps.SKB_HEADERS, skb.frame, slot, page, skb, (length, copied))
