"""ixgbe's receive routine in 4.9: no bias, no build_skb, and the flip only after the decision.

Source: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c of 4.9 (`ixgbe_fetch_rx_buffer`, `ixgbe_add_rx_frag`,
`ixgbe_can_reuse_rx_page`'s forerunner inside it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.ixgbe import Ixgbe

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class Ixgbe49(Ixgbe):
    """What 4.9 does otherwise than 4.11. A page's count is raised for each frame that is attached: one atomic act."""

    __slots__ = ("copied",)

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, status: int
    ) -> SkBuff | None:
        """Sync the whole buffer; no reference is promised yet."""
        self.copied = False
        return self.sync_rx_buffer(buffer, frame, slot, size, status)

    def construct_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff:
        """Copy a short frame, attach a long one; the offset stays where it is until the page is found free."""
        skb = self.napi_alloc_skb(frame, slot)
        if size <= self.rules.rx_hdr_size:
            self.copied = True
            self.copy_small(buffer, page, skb, slot, size)
        else:
            self.attach_frag(buffer, page, skb, slot, size)
        return skb

    def add_rx_frag(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Attach a further buffer of a frame."""
        self.attach_frag(buffer, page, skb, slot, size)

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """A copied frame leaves the page as it is; else it must have no other user, and only then flips."""
        if self.copied:
            return True
        truesize = self.frag_truesize(skb.frags[-1].size)
        if self.geometry.half:
            if page.refcount != 1:
                return False
            self.flip(buffer, page, skb, slot, truesize)
        else:
            self.flip(buffer, page, skb, slot, truesize)
            if buffer.page_offset > self.geometry.last_offset:
                return False
        page.refcount += 1
        self.ledger.refs_atomic += 1
        return True

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """The skb inherits the driver's only reference; nothing is given back."""
        offset, count = buffer.page_offset, page.refcount
        self.leave_ring(buffer, page, skb)
        self.m.step(steps.PAGE_GIVE_UP, skb.frame, slot, page, skb, (offset, count, 0))
