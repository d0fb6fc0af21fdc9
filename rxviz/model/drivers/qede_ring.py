"""qede's receive queue in memory: a ring of buffer descriptors, and a queue of completions beside it.

Source: drivers/net/ethernet/qlogic/qede/qede.h (`struct qede_rx_queue`, `struct sw_rx_data`). In the driver both
chains always have 8,192 entries, however many buffers are posted; here the BD ring has one entry more than buffers, and
the completion queue as many as can come at once (badge M). Its indices run on without end there, and round here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rxviz.model import cqe
from rxviz.model.ring import Ring

if TYPE_CHECKING:
    from rxviz.model.geometry import Geometry
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


AGGREGATIONS = 64
"""How many the card may have open (ETH_TPA_MAX_AGGS_NUM)."""


class SwRxData:
    """One entry of the driver's shadow of the BD ring: a page, and the segment of it that the BD points to."""

    __slots__ = ("data", "page_offset")

    def __init__(self) -> None:
        self.data: Page | None = None
        self.page_offset = 0


class QedeRing(Ring):
    """BDs of 8 bytes with an address each; completions of 32 bytes that say what the card has put where.

    In ring order: sw_rx_cons … (done, then with the card) … bd_prod … (posted, the card not told) … sw_rx_prod …
    (empty). sw_rx_cons == sw_rx_prod means that nothing is posted, so one BD always stays empty.
    """

    __slots__ = (
        "at_work",
        "bds_left",
        "comp_count",
        "cqe_prod",
        "cqes",
        "filled_buffers",
        "hw_comp_cons",
        "put_right",
        "sw_comp_cons",
        "sw_rx_cons",
        "sw_rx_prod",
        "sw_rx_ring",
    )
    CURSORS = (("sw_rx_cons", "cons"), ("sw_rx_prod", "prod"))
    COUNTS = ("filled_buffers", "sw_comp_cons", "hw_comp_cons")
    DESC_SIZE = cqe.BD_SIZE
    DESC, SLOT, WAITING, EOP = "BD", "BD", "prepared", ""
    BESIDE = "completions"

    def __init__(self, count: int, geometry: Geometry) -> None:
        super().__init__(count, geometry)
        self.sw_rx_ring = [SwRxData() for _ in range(count)]
        self.comp_count = 2 * count + AGGREGATIONS
        """Each BD may bring two completions, and each aggregation ends with one that may use up no BD."""
        self.cqes = bytearray(self.comp_count * cqe.SIZE)
        self.sw_rx_cons = 0
        self.sw_rx_prod = 0
        self.sw_comp_cons = 0
        """The next completion that the driver will read."""
        self.hw_comp_cons = 0
        """The one behind the last that the card has written; it stands in the status block, in memory."""
        self.cqe_prod = 0
        """Up to where the card may write completions, as far as it was told."""
        self.filled_buffers = 0
        """Buffers that are posted, as the driver counts them."""
        self.at_work = 0
        """The completion that the driver took last, and how many of its BDs are left; nothing is decided by it."""
        self.bds_left = 0
        self.put_right: dict[int, bytes] = {}
        """The headers that the card has put right and the driver has not come to, by the frame that they lie with: no
        part of the ring, but what the driver should find there."""

    @property
    def num_rx_buffers(self) -> int:
        """How many buffers the driver posts."""
        return self.count - 1

    def following(self, slot: int) -> int:
        """Return the BD behind one."""
        return slot + 1 if slot + 1 < self.count else 0

    @property
    def first(self) -> int:
        """The BD that the driver looks at next."""
        return self.sw_rx_cons

    @property
    def fill(self) -> int:
        """The BD that the driver fills next."""
        return self.sw_rx_prod

    def page_at(self, slot: int) -> Page | None:
        """The page that the BD's segment lies in, None where the BD has none."""
        return self.sw_rx_ring[slot].data

    def offset_at(self, slot: int) -> int:
        """Where in that page the address of the BD points to: behind the headroom of the segment."""
        return self.sw_rx_ring[slot].page_offset + self.geometry.pad

    def skb_at(self, slot: int) -> SkBuff | None:
        """No skb waits at a BD: a frame is taken with all its BDs."""
        return None

    def place(self, slot: int) -> tuple[int | None, int | None]:
        """The segment that is in use; no references are paid in advance."""
        return self.sw_rx_ring[slot].page_offset, None

    def references(self) -> list[tuple[Page, int]]:
        """The references to pages that the ring itself holds: one for each page."""
        return [(entry.data, 1) for entry in self.sw_rx_ring if entry.data is not None]

    # --------------------------------------------------------------------------------------------------- completions
    @property
    def entries(self) -> int:
        """How many completions there is room for."""
        return self.comp_count

    def entry(self, number: int) -> bytes:
        """The bytes of a completion."""
        return bytes(self.cqes[number * cqe.SIZE : (number + 1) * cqe.SIZE])

    @property
    def newest(self) -> int:
        """The completion that the card wrote last."""
        return (self.hw_comp_cons or self.comp_count) - 1

    @property
    def ready(self) -> int:
        """How many completions the card has written and the driver has not read."""
        return (self.hw_comp_cons - self.sw_comp_cons) % self.comp_count

    def unread(self) -> list[tuple[int, cqe.Completion]]:
        """Return the number and the content of each of them, in order."""
        return [(number, cqe.read(self.cqes, number)) for number in self._unread()]

    def _unread(self) -> Iterator[int]:
        return ((self.sw_comp_cons + place) % self.comp_count for place in range(self.ready))

    def completion_of(self, slot: int) -> tuple[int, cqe.Completion, int] | None:
        """Return the number and content of the completion that a BD belongs to, and the BD's place in it.

        It is one that the driver is at work on or has not read; None where there is none.
        """
        at = (slot - self.sw_rx_cons) % self.count
        if at < self.bds_left:
            completion = cqe.read(self.cqes, self.at_work)
            return self.at_work, completion, completion.bds - self.bds_left + at
        at -= self.bds_left
        for number in self._unread():
            completion = cqe.read(self.cqes, number)
            if at < completion.bds:
                return number, completion, at
            at -= completion.bds
        return None

    def length_at(self, slot: int) -> int:
        """How many bytes of a frame the BD's buffer has, as the completion says; 0 where there is none yet."""
        found = self.completion_of(slot)
        if found is None:
            return 0
        _, completion, place = found
        if completion.type is cqe.Type.REGULAR:
            if not place:
                return completion.first
            behind = completion.length - completion.first - (place - 1) * self.geometry.dma_size
            return min(behind, self.geometry.dma_size)
        return completion.first if completion.type is cqe.Type.TPA_START and not place else completion.lens[-1]

    def before(self, slot: int) -> int:
        """How many bytes of the frame lie in the BDs before this one, or, of one that was merged, nowhere."""
        found, frame = self.completion_of(slot), self.frames[slot]
        if found is not None and frame is not None and found[1].type in (cqe.Type.TPA_CONT, cqe.Type.TPA_END):
            return frame.wire_len - found[1].lens[-1]
        return super().before(slot)

    def ends_at(self, slot: int) -> bool:
        """Whether a frame ends in the BD's buffer, as the completion says."""
        found = self.completion_of(slot)
        return found is not None and found[2] == found[1].bds - 1
