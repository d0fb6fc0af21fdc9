"""mv643xx_eth's receive queue (`struct rx_queue`): skbs that wait in their slots before a frame comes.

A slot belongs to the NIC as long as its descriptor says so. Two places and a count are all that the driver keeps:
which slot it looks at next, which it fills next, and how many are filled. So every slot can be given to the NIC.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.mv643xx_desc import (
    DESC,
    ETH_FCS_LEN,
    ETH_HW_IP_ALIGN,
    RING_DMA,
    RX_FIRST_DESC,
    RX_LAST_DESC,
    status_bytes,
)
from rxviz.model.ring import Ring

if TYPE_CHECKING:
    from rxviz.model.geometry import Geometry
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class RxQueue(Ring):
    """In ring order: rx_curr_desc … (with the NIC, or done: rx_desc_count of these) … rx_used_desc … (without skb)."""

    __slots__ = ("rx_curr_desc", "rx_desc_count", "rx_skb", "rx_used_desc")
    CURSORS = (("rx_curr_desc", "curr"), ("rx_used_desc", "used"))
    COUNTS = ("rx_desc_count",)
    WAITING = "prepared"
    keeps_one_empty = False

    def __init__(self, count: int, geometry: Geometry) -> None:
        """Make a ring whose descriptors point to each other in a circle (`rxq_init`)."""
        super().__init__(count, geometry)
        self.rx_skb: list[SkBuff | None] = [None] * count
        self.rx_curr_desc = 0
        self.rx_used_desc = 0
        self.rx_desc_count = 0
        for slot in range(count):
            following = RING_DMA + (slot + 1) % count * DESC.size
            DESC.pack_into(self.desc, slot * DESC.size, 0, 0, 0, 0, following)

    @property
    def first(self) -> int:
        """The slot that the driver looks at next."""
        return self.rx_curr_desc

    @property
    def fill(self) -> int:
        """The slot that the driver gives the NIC next."""
        return self.rx_used_desc

    def page_at(self, slot: int) -> Page | None:
        """The page that the head of the slot's skb lies in."""
        skb = self.rx_skb[slot]
        return skb.head_page if skb is not None else None

    def offset_at(self, slot: int) -> int:
        """Where in that page a frame's first byte goes."""
        skb = self.rx_skb[slot]
        return skb.data if skb is not None else 0

    def skb_at(self, slot: int) -> SkBuff | None:
        """The skb that waits in the slot."""
        return self.rx_skb[slot]

    def length_at(self, slot: int) -> int:
        """How many bytes of a frame there are, without the two in front and the FCS behind."""
        status, count = status_bytes(self.desc, slot)
        front = ETH_HW_IP_ALIGN if status & RX_FIRST_DESC else 0
        return count - front - (ETH_FCS_LEN if status & RX_LAST_DESC else 0)

    def ends_at(self, slot: int) -> bool:
        """Whether the frame's last byte is in the slot's buffer."""
        return bool(status_bytes(self.desc, slot)[0] & RX_LAST_DESC)

    def references(self) -> list[tuple[Page, int]]:
        """Each skb that waits holds one reference to the page that its head lies in."""
        return [(skb.head_page, 1) for skb in self.rx_skb if skb is not None]
