"""The descriptor ring and the driver's shadow of it (`struct ixgbe_ring`, `struct ixgbe_rx_buffer`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import descriptor

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.geometry import Geometry
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class RxBuffer:
    """One entry of the shadow array: what the driver remembers of a slot, since write-back destroys the address."""

    __slots__ = ("page", "page_offset", "pagecnt_bias", "skb")

    def __init__(self) -> None:
        self.skb: SkBuff | None = None
        """A frame begun in earlier descriptors, where it waits at the slot of its next part (ixgbe)."""
        self.page: Page | None = None
        self.page_offset = 0
        self.pagecnt_bias = 0


class RxRing:
    """`count` descriptors of 16 bytes, as many shadow entries, and the driver's three cursors.

    In ring order: next_to_clean … (with the NIC, or done) … next_to_use … (recycled pages) … next_to_alloc … (empty).
    One slot always stays empty, so that next_to_clean == next_to_use means that nothing is posted.
    """

    __slots__ = (
        "count",
        "desc",
        "frames",
        "geometry",
        "next_to_alloc",
        "next_to_clean",
        "next_to_use",
        "rx_buffer_info",
        "skb",
    )

    def __init__(self, count: int, geometry: Geometry) -> None:
        self.count = count
        self.geometry = geometry
        self.desc = bytearray(count * descriptor.SIZE)
        self.frames: list[Frame | None] = [None] * count
        """Which frame the NIC last put where a slot points: for telling the story only, nothing is decided by it."""
        self.rx_buffer_info = [RxBuffer() for _ in range(count)]
        self.next_to_clean = 0
        self.next_to_use = 0
        self.next_to_alloc = 0
        self.skb: SkBuff | None = None
        """A frame begun in an earlier poll, where the driver keeps it with the ring (igb) and not at a slot."""

    def desc_unused(self) -> int:
        """How many descriptors may be filled (`ixgbe_desc_unused`)."""
        ntc, ntu = self.next_to_clean, self.next_to_use
        return (0 if ntc > ntu else self.count) + ntc - ntu - 1
