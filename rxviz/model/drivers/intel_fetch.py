"""How ixgbe (before 4.11) and igb (before 4.12) handle a buffer: in one go, its page decided on as it is attached.

Source: `ixgbe_fetch_rx_buffer` and `igb_fetch_rx_buffer`, with what they call. The half is flipped only once the page
is found free, and a frame that is copied is no reason to look at the page's count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.intel import Intel

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class Fetch(Intel):
    """What differs from the three phases get, attach, put. Without a bias, a page's count is raised for each frame that
    is attached: one atomic act.
    """

    __slots__ = ("attached", "copied")

    def sync_filled(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Sync the buffer that a new skb is for."""
        if not self.sync_is_late:
            self.sync_for_cpu(buffer, frame, slot, size)

    def take_back_reference(self, buffer: RxBuffer) -> None:
        """Nothing was promised yet."""

    def keep_half(self, buffer: RxBuffer) -> None:
        """The frame was copied: its page stays as it is."""
        self.copied = True

    def turn(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Leave the offset where it is until the page is found free."""
        self.attached = truesize

    def put_rx_buffer(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Promise a reference, where one is paid in advance, if the frame was attached; then decide."""
        if self.rules.bias_start and not self.copied:
            self.take_reference(buffer, page, skb.frame, slot, page.refcount)
        super().put_rx_buffer(buffer, page, skb, slot)

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """A copied frame leaves the page as it is; else it must have no other user, and only then flips."""
        if page.reserved:
            return False
        if self.copied:
            return True
        if self.geometry.half:
            if not self.only_user(buffer, page, skb, slot):
                return False
            self.flip(buffer, page, skb, slot, self.attached)
        else:
            self.flip(buffer, page, skb, slot, self.attached)
            if not self.only_user(buffer, page, skb, slot):
                return False
        if self.rules.bias_start:
            if buffer.pagecnt_bias == self.rules.bias_low:
                self.top_up(buffer, page, skb, slot)
        else:
            page.refcount += 1
            self.ledger.refs_atomic += 1
        return True

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Give back what was prepaid; without a bias an skb that the page is attached to inherits the driver's only
        reference, and one that is a copy leaves it to the driver to drop.
        """
        if self.rules.bias_start:
            super().give_up(buffer, page, skb, slot)
            return
        offset, count = buffer.page_offset, page.refcount
        self.leave_ring(buffer, page, skb)
        self.m.step(steps.PAGE_GIVE_UP, skb.frame, slot, page, skb, (offset, count, 0, page.reserved))
        if self.copied:
            self.ledger.refs_atomic += 1
            self.m.memory.put(page)
