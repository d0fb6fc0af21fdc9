"""The descriptor ring and the driver's shadow of it: what every driver's has, and Intel's with its three cursors.

Sources: `struct ixgbe_ring`, `struct ixgbe_rx_buffer` (drivers/net/ethernet/intel/ixgbe/ixgbe.h).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rxviz.model import descriptor

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.geometry import Geometry
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class Ring:
    """`count` descriptors of `DESC_SIZE` bytes.

    How a driver keeps its place in them, and what it remembers of each, is its own.

    `CURSORS` are the slots that the driver keeps, each (name, short name); `COUNTS` are other numbers of the ring.
    `keeps_one_empty` says that one slot is never filled, so that a full ring and an empty one look different.
    """

    __slots__ = ("count", "desc", "frames", "geometry")
    CURSORS: ClassVar[tuple[tuple[str, str], ...]] = ()
    COUNTS: ClassVar[tuple[str, ...]] = ()
    keeps_one_empty: ClassVar[bool] = True
    DESC_SIZE: ClassVar[int] = descriptor.SIZE
    DESC, SLOT, WAITING, EOP = "descriptor", "slot", "recycled", " EOP"
    """What the driver calls a descriptor, the place of one in the ring, one that the NIC is not told of yet, and the
    mark of a frame's end."""
    BESIDE: ClassVar[str] = ""
    """What else is in memory that the NIC writes, beside descriptors; "" where nothing is."""

    def __init__(self, count: int, geometry: Geometry) -> None:
        self.count = count
        self.geometry = geometry
        self.desc = bytearray(count * self.DESC_SIZE)
        self.frames: list[Frame | None] = [None] * count
        """Which frame the NIC last put where a slot points: for telling the story only, nothing is decided by it."""

    @property
    def first(self) -> int:
        """The slot that the driver looks at next."""
        raise NotImplementedError

    @property
    def fill(self) -> int:
        """The slot that the driver gives the NIC next."""
        raise NotImplementedError

    def page_at(self, slot: int) -> Page | None:
        """The page that the slot's buffer lies in, None where the slot has none."""
        raise NotImplementedError

    def offset_at(self, slot: int) -> int:
        """Where in that page a frame's first byte goes."""
        raise NotImplementedError

    def skb_at(self, slot: int) -> SkBuff | None:
        """The skb that waits at the slot, None where none does."""
        raise NotImplementedError

    def length_at(self, slot: int) -> int:
        """How many bytes of a frame the slot's buffer has, as its descriptor says."""
        raise NotImplementedError

    def ends_at(self, slot: int) -> bool:
        """Whether a frame ends in the slot's buffer, as its descriptor says."""
        raise NotImplementedError

    def before(self, slot: int) -> int:
        """How many bytes of the frame in a slot's buffer lie in the slots before it."""
        frame, slots = self.frames[slot], 0
        while slots < self.count and self.frames[slot - 1 - slots] is frame:
            slots += 1
        return slots * self.geometry.dma_size

    def descriptor(self, slot: int) -> bytes:
        """The bytes of a slot's descriptor."""
        size = self.DESC_SIZE
        return bytes(self.desc[slot * size : (slot + 1) * size])

    @property
    def entries(self) -> int:
        """How many entries it has."""
        return 0

    def entry(self, number: int) -> bytes:
        """The bytes of one of them."""
        raise NotImplementedError

    @property
    def newest(self) -> int:
        """The entry of them that the NIC wrote last."""
        return -1

    def place(self, slot: int) -> tuple[int | None, int | None]:
        """The offset that the slot's page is used from, and what is prepaid for it; None where there is neither."""
        return None, None

    def references(self) -> list[tuple[Page, int]]:
        """The references to pages that the ring itself holds."""
        raise NotImplementedError


class RxBuffer:
    """One entry of the shadow array: what the driver remembers of a slot, since write-back destroys the address."""

    __slots__ = ("page", "page_offset", "pagecnt_bias", "skb")

    def __init__(self) -> None:
        self.skb: SkBuff | None = None
        """A frame begun in earlier descriptors, waiting here for its next part (ixgbe alone)."""
        self.page: Page | None = None
        self.page_offset = 0
        self.pagecnt_bias = 0


class RxRing(Ring):
    """`count` descriptors of 16 bytes, as many shadow entries, and the driver's three cursors.

    In ring order: next_to_clean … (with the NIC, or done) … next_to_use … (recycled pages) … next_to_alloc … (empty).
    One slot always stays empty, so that next_to_clean == next_to_use means that nothing is posted.
    """

    __slots__ = ("next_to_alloc", "next_to_clean", "next_to_use", "rx_buffer_info")
    CURSORS = (("next_to_clean", "clean"), ("next_to_use", "use"), ("next_to_alloc", "alloc"))

    def __init__(self, count: int, geometry: Geometry) -> None:
        super().__init__(count, geometry)
        self.rx_buffer_info = [RxBuffer() for _ in range(count)]
        self.next_to_clean = 0
        self.next_to_use = 0
        self.next_to_alloc = 0

    def desc_unused(self) -> int:
        """How many descriptors may be filled (`ixgbe_desc_unused`)."""
        ntc, ntu = self.next_to_clean, self.next_to_use
        return (0 if ntc > ntu else self.count) + ntc - ntu - 1

    @property
    def first(self) -> int:
        """The slot that the driver looks at next."""
        return self.next_to_clean

    @property
    def fill(self) -> int:
        """The slot that the driver gives the NIC next."""
        return self.next_to_use

    def page_at(self, slot: int) -> Page | None:
        """The page that the slot's buffer lies in, None where the slot has none."""
        return self.rx_buffer_info[slot].page

    def offset_at(self, slot: int) -> int:
        """Where in that page a frame's first byte goes."""
        return self.rx_buffer_info[slot].page_offset

    def skb_at(self, slot: int) -> SkBuff | None:
        """The skb whose frame goes on in this slot."""
        return self.rx_buffer_info[slot].skb

    def length_at(self, slot: int) -> int:
        """How many bytes the NIC wrote, as its write-back says."""
        return descriptor.length(self.desc, slot)

    def ends_at(self, slot: int) -> bool:
        """Whether the write-back says "end of packet"."""
        return bool(descriptor.status_error(self.desc, slot) & descriptor.EOP)

    def place(self, slot: int) -> tuple[int | None, int | None]:
        """The offset that the slot's page is used from, and the references paid in advance."""
        buffer = self.rx_buffer_info[slot]
        return buffer.page_offset, buffer.pagecnt_bias

    def references(self) -> list[tuple[Page, int]]:
        """The references to pages that the ring itself holds: what is prepaid, or one where nothing is."""
        found = [(buffer.page, buffer.pagecnt_bias or 1) for buffer in self.rx_buffer_info]
        return [(page, count) for page, count in found if page is not None]


class IgbRing(RxRing):
    """igb's ring (`struct igb_ring`): the skb of a frame that goes on waits with the ring, and not at a slot."""

    __slots__ = ("skb",)
    COUNTS = ("kept",)

    def __init__(self, count: int, geometry: Geometry) -> None:
        super().__init__(count, geometry)
        self.skb: SkBuff | None = None
        """A frame begun in an earlier poll."""

    @property
    def kept(self) -> int | None:
        """The number of that skb, None where there is none."""
        return None if self.skb is None else self.skb.id
