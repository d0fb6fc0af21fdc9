"""What ixgbe and igb share before build_skb (ixgbe 4.9, igb to 4.11): the flip comes only after the decision.

Source: drivers/net/ethernet/intel/{ixgbe/ixgbe_main.c,igb/igb_main.c} of 4.9 (`..._add_rx_frag`,
`..._can_reuse_rx_page`, `..._fetch_rx_buffer`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.intel import Intel

if TYPE_CHECKING:
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class Intel49(Intel):
    """Without a bias a page's count is raised for each frame that is attached: one atomic act."""

    __slots__ = ("attached", "copied")

    def keep_half(self, buffer: RxBuffer) -> None:
        """Note that the frame was copied: nothing was promised, and nothing is asked."""
        self.copied = True

    def add_rx_frag(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int, skip: int = 0) -> None:
        """Attach a buffer; the offset stays where it is until the page is found free."""
        self.attached = self.attach_frag(buffer, page, skb, slot, size, skip)

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """A copied frame leaves the page as it is; else it must have no other user, and only then flips."""
        if self.copied:
            return True
        if self.geometry.half:
            if not self.is_only_user(buffer, page):
                return False
            self.flip(buffer, page, skb, slot, self.attached)
        else:
            self.flip(buffer, page, skb, slot, self.attached)
            if buffer.page_offset > self.geometry.last_offset:
                return False
        self.pay(buffer, page, skb, slot)
        return True

    def is_only_user(self, buffer: RxBuffer, page: Page) -> bool:
        """Whether the page's only reference is the one that goes with the frame in hand."""
        return page.refcount == 1

    def pay(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Take a reference for the ring: the one that there was goes with the frame."""
        page.refcount += 1
        self.ledger.refs_atomic += 1

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """The skb inherits the driver's only reference; nothing is given back."""
        offset, count = buffer.page_offset, page.refcount
        self.leave_ring(buffer, page, skb)
        self.m.step(steps.PAGE_GIVE_UP, skb.frame, slot, page, skb, (offset, count, 0))
