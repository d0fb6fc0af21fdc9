"""What would happen to pages if a rule about their references did not hold."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.rules.doubt import DoubtingIntel, DoubtingIxgbe

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff

NEVER = -1
"""A bias that no page has."""


class NoTopUp(DoubtingIntel):
    """References are prepaid once, and never again."""

    __slots__ = ()

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rules = replace(self.rules, bias_low=NEVER)

    def reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Say so where the driver would have paid in again."""
        if buffer.pagecnt_bias <= 0:
            self.say("Nothing prepaid is left, and the driver pays nothing in.", skb.frame, slot, page, skb)
        super().reuse_rx_page(buffer, page, skb, slot)


class NothingGivenAway(DoubtingIntel):
    """A frame gets no reference of its own: what is prepaid is not counted down."""

    __slots__ = ()

    def take_reference(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, count: int) -> None:
        """Leave the bias as it was."""
        super().take_reference(buffer, page, frame, slot, count)
        buffer.pagecnt_bias += 1
        self.say("The driver counts nothing down: the frame gets no reference.", frame, slot, page)


class CopyKeepsReference(DoubtingIntel):
    """A frame that was copied keeps the reference that it no longer needs."""

    __slots__ = ()

    def fill_skb(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Do not take the reference back, where one was given."""
        super().fill_skb(buffer, page, skb, slot, size)
        if not skb.frags and self.rules.page_management != "fetch":
            buffer.pagecnt_bias -= 1
            self.say("The driver does not take the copied frame's reference back.", skb.frame, slot, page, skb)


class GivenUpIsFreed(DoubtingIntel):
    """A page that the driver gives up is free at once."""

    __slots__ = ()

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Free the page, whoever still holds it."""
        super().give_up(buffer, page, skb, slot)
        if page.refcount > 0:
            self.say("The driver frees the page that it gives up.", skb.frame, slot, page, skb)
            self.m.memory.put(page, page.refcount)


class BothHalvesPosted(DoubtingIntel):
    """A page serves two slots at once, one with each half."""

    __slots__ = ()

    def alloc_mapped_page(self, buffer: RxBuffer, slot: int) -> Page | None:
        """Offer the other half of the page that the slot before has, if it has one."""
        before = self.ring.rx_buffer_info[slot - 1]
        half, page = self.geometry.half, before.page
        if slot % 2 == 0 or page is None or not half:
            return super().alloc_mapped_page(buffer, slot)
        buffer.page = page
        buffer.page_offset = before.page_offset ^ half
        buffer.pagecnt_bias = before.pagecnt_bias
        if self.m.offered:
            self.say(f"The driver offers the other half of page {page.id} too.", None, slot, page)
        return page


class WalksInCircles(DoubtingIntel):
    """On large pages the walk begins again at the start."""

    __slots__ = ()

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Go back to the first region when the last one is used."""
        if not self.geometry.half and buffer.page_offset > self.geometry.last_offset:
            buffer.page_offset = self.geometry.pad
            self.say("The driver begins again at the start of the page.", skb.frame, slot, page, skb)
        return super().can_reuse_rx_page(buffer, page, skb, slot)


class MappedForEach(DoubtingIntel):
    """A buffer is mapped before each frame and unmapped after it."""

    __slots__ = ()

    def reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Unmap the page and map it again."""
        self.unmap(page)
        self.ledger.dma_maps += 1
        self.say(f"The driver unmaps page {page.id} and maps it again.", skb.frame, slot, page, skb)
        super().reuse_rx_page(buffer, page, skb, slot)


class NotSynced(DoubtingIntel):
    """The driver reads a buffer without asking for it."""

    __slots__ = ()

    def sync_for_cpu(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Sync nothing."""
        self.say("The driver does not sync: its cache may still hold what lay there before.", frame, slot, buffer.page)


class HalfSynced(DoubtingIntel):
    """A sync is for the whole half."""

    __slots__ = ()

    def sync_for_cpu(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Sync the half that the buffer lies in; on large pages, the buffer."""
        geometry = self.geometry
        start = buffer.page_offset - geometry.pad if geometry.half else buffer.page_offset
        self.sync_stretch(buffer, frame, slot, size, start, geometry.half or geometry.bufsz)

    def sync_stretch(self, buffer: RxBuffer, frame: Frame, slot: int, size: int, start: int, synced: int) -> None:
        """Sync so many bytes from `start` on, and say so; the frame takes `size` of them."""
        self.say(f"The driver syncs {synced:,} bytes for the {size:,} of the frame.", frame, slot, buffer.page)
        self.ledger.sync_cpu_bytes += synced
        self.m.step(steps.BUF_SYNC, frame, slot, buffer.page, None, (start, synced))


class PageSynced(HalfSynced):
    """A sync is for what was mapped: the whole page."""

    __slots__ = ()

    def sync_for_cpu(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Sync the page."""
        self.sync_stretch(buffer, frame, slot, size, 0, self.geometry.page)


class NeverLate(DoubtingIxgbe):
    """Each buffer is synced as it is taken in hand."""

    __slots__ = ()

    def syncs_late(self, status: int) -> bool:
        """Never."""
        return False


class BackToItsSlot(DoubtingIntel):
    """A page belongs to its slot."""

    __slots__ = ()

    def reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Put the page back where it was; next_to_alloc has nothing to do with it."""
        ring = self.ring
        kept, ring.next_to_alloc = ring.next_to_alloc, slot
        super().reuse_rx_page(buffer, page, skb, slot)
        ring.next_to_alloc = kept
        self.say(f"The page stays at slot {slot}, and does not move on.", skb.frame, slot, page, skb)


class WaitsForHalf(DoubtingIntel):
    """A page is worth waiting for."""

    __slots__ = ()

    def only_user(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Keep a page of two halves in any case."""
        if super().only_user(buffer, page, skb, slot):
            return True
        if not self.geometry.half:
            return False
        self.say("The driver keeps the page, and will wait for its other half.", skb.frame, slot, page, skb)
        return True

    def alloc_rx_buffers(self, cleaned_count: int) -> None:
        """Post no more than the slots in front of one whose half is still held."""
        ring = self.ring
        super().alloc_rx_buffers(self._free_slots(cleaned_count))
        # Pages that wait lie behind what is posted: the next one that stays must not be put over them.
        while ring.rx_buffer_info[ring.next_to_alloc].page is not None and ring.next_to_alloc != ring.next_to_clean:
            ring.next_to_alloc = (ring.next_to_alloc + 1) % ring.count

    def _free_slots(self, most: int) -> int:
        """Return how many slots can be posted before one must wait; say so where one must."""
        ring, pad = self.ring, self.geometry.pad
        for count in range(most):
            slot = (ring.next_to_use + count) % ring.count
            buffer = ring.rx_buffer_info[slot]
            if buffer.page is not None and buffer.page_offset - pad in buffer.page.users:
                self.say("The driver posts nothing here: the half is still held.", None, slot, buffer.page)
                return count
        return most
