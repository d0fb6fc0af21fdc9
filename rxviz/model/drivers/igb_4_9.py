"""igb's receive routine in 4.9 and in 4.11 (as 4.10 has it already): one function fetches a buffer and attaches it.

Source: drivers/net/ethernet/intel/igb/igb_main.c of 4.9 and 4.10 (`igb_fetch_rx_buffer`, `igb_add_rx_frag`,
`igb_can_reuse_rx_page`); commits 5be5955425c2, bd4171a5d4c2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.igb import Igb
from rxviz.model.drivers.intel import Intel
from rxviz.model.drivers.intel_4_9 import Intel49

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class Igb411(Intel49, Igb):
    """4.10 and 4.11: references are paid in advance, but one is promised only for a frame that is attached."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, skb: SkBuff | None
    ) -> None:
        """Sync the buffer; no reference is promised yet."""
        self.copied = False
        self.sync_for_cpu(buffer, frame, slot, size)

    def put_rx_buffer(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Promise a reference if the frame was attached (igb_can_reuse_rx_page begins with that), then decide."""
        if not self.copied:
            self.promise(buffer, page, skb, slot)
        super().put_rx_buffer(buffer, page, skb, slot)

    def promise(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """One prepaid reference goes with the frame in hand."""
        buffer.pagecnt_bias = bias = buffer.pagecnt_bias - 1
        self.m.step(steps.BUF_TAKE, skb.frame, slot, page, skb, (buffer.page_offset, bias, page.refcount))

    def is_only_user(self, buffer: RxBuffer, page: Page) -> bool:
        """Whether the count is what was prepaid before the promise: then nobody else has the page."""
        return page.refcount == buffer.pagecnt_bias + 1

    def pay(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Pay in advance again when nothing is left."""
        if buffer.pagecnt_bias == self.rules.bias_low:
            self.top_up(buffer, page, skb, slot)

    def give_up(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> None:
        """Unmap the page and give back every reference that is left."""
        Intel.give_up(self, buffer, page, skb, slot)


class Igb49(Intel49, Igb):
    """4.9: the skb is allocated before the buffer is synced, and a page's count is raised for each frame."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, skb: SkBuff | None
    ) -> None:
        """Sync a further buffer of a frame; that of the first one waits for the skb."""
        self.copied = False
        if skb is not None:
            self.sync_for_cpu(buffer, frame, slot, size)

    def fill_skb(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Sync a frame's first buffer, and put it into the new skb."""
        self.sync_for_cpu(buffer, skb.frame, slot, size)
        super().fill_skb(buffer, page, skb, slot, size)
