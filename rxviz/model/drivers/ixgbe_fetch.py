"""ixgbe's receive routine before 4.11: one function fetches a buffer, and decides on its page while it attaches it.

Source: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c of 4.9 (`ixgbe_fetch_rx_buffer`, `ixgbe_add_rx_frag`), and the
commits between 4.10 and 3fd218767fa4, which broke page management out into three phases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.drivers.intel_fetch import Fetch
from rxviz.model.drivers.ixgbe import Ixgbe

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class IxgbeFetch(Fetch, Ixgbe):
    """What was done otherwise before page management was broken out."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, status: int
    ) -> SkBuff | None:
        """Sync a further buffer of a frame; the first one's skb is allocated before anything is synced."""
        self.copied = False
        if buffer.skb is not None:
            return self.sync_rx_buffer(buffer, frame, slot, size, status)
        self.sync_is_late = self.syncs_late(status)
        return None
