"""ixgbe's receive routine in 4.9: no bias, no build_skb, and the flip only after the decision.

Source: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c of 4.9 (`ixgbe_fetch_rx_buffer`, `ixgbe_add_rx_frag`,
`ixgbe_can_reuse_rx_page`'s forerunner inside it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.drivers.intel_4_9 import Intel49
from rxviz.model.drivers.ixgbe import Ixgbe

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class Ixgbe49(Intel49, Ixgbe):
    """What 4.9 does otherwise than 4.11."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, status: int
    ) -> SkBuff | None:
        """Sync the whole buffer; no reference is promised yet."""
        self.copied = False
        return self.sync_rx_buffer(buffer, frame, slot, size, status)
