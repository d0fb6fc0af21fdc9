"""igb's receive routine in 4.9 and in 4.11 (as 4.10 has it already): one function fetches a buffer and attaches it.

Source: drivers/net/ethernet/intel/igb/igb_main.c of 4.9 and 4.10 (`igb_fetch_rx_buffer`, `igb_add_rx_frag`,
`igb_can_reuse_rx_page`); commits 5be5955425c2, bd4171a5d4c2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.drivers.igb import Igb
from rxviz.model.drivers.intel_fetch import Fetch

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class IgbFetch(Fetch, Igb):
    """What was done otherwise before page management was broken out."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, skb: SkBuff | None
    ) -> None:
        """Sync the buffer; in 4.9 a frame's first one is synced only once its skb is allocated."""
        self.copied = False
        if skb is not None or self.rules.syncs_first:
            self.sync_for_cpu(buffer, frame, slot, size)

    def sync_filled(self, buffer: RxBuffer, frame: Frame, slot: int, size: int) -> None:
        """Sync the buffer that a new skb is for, unless that was done before."""
        if not self.rules.syncs_first:
            self.sync_for_cpu(buffer, frame, slot, size)
