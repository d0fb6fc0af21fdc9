"""What qede would do if a rule did not hold: segments, references, what takes the place of what, and skbs.

Where a kernel has really had a rule broken, the docstring says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import cqe
from rxviz.model.drivers.qede import Qede
from rxviz.model.drivers.qede_build import QedeBuild
from rxviz.model.drivers.qede_legacy import QedeLegacy
from rxviz.model.rules.doubt import Doubting
from rxviz.model.rules.driver import HEADERS_STAY
from rxviz.model.rules.nic import LATE_NS

if TYPE_CHECKING:
    from rxviz.model.drivers.qede_ring import SwRxData
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class DoubtingQede(Doubting, Qede):
    """qede in any kernel."""

    __slots__ = ()


class DoubtingQedeBuild(Doubting, QedeBuild):
    """qede from its build_skb commit on."""

    __slots__ = ()


class DoubtingQedeLegacy(Doubting, QedeLegacy):
    """qede before that."""

    __slots__ = ()


# ------------------------------------------------------------------------------------------------- segments and pages
class SegmentsInCircles(DoubtingQede):
    """Behind the last segment comes the first."""

    __slots__ = ()

    def has_another_segment(self, bd: SwRxData) -> bool:
        """Always."""
        return True

    def keep_page(self, bd: SwRxData, slot: int, skb: SkBuff) -> None:
        """Go back to the first segment when the last one is used."""
        if not super().has_another_segment(bd):
            bd.page_offset = -self.rx_buf_seg_size
            self.say("The driver begins again at the start of the page.", skb.frame, slot, bd.data, skb)
        super().keep_page(bd, slot, skb)


class SameSegmentAgain(DoubtingQede):
    """Reading frees: the segment that a frame lies in is offered again at once."""

    __slots__ = ()

    def keep_page(self, bd: SwRxData, slot: int, skb: SkBuff) -> None:
        """Leave the offset where it is."""
        self.say("The driver does not move on: the same segment is next.", skb.frame, slot, bd.data, skb)
        bd.page_offset -= self.rx_buf_seg_size
        super().keep_page(bd, slot, skb)


class NoReferenceTaken(DoubtingQede):
    """The page is on the ring anyway, so the skb needs no reference."""

    __slots__ = ()

    def take_reference(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Take none."""
        self.say("The driver takes no reference for the skb.", skb.frame, slot, page, skb)


class FrameTakesPage(DoubtingQede):
    """One page, one frame."""

    __slots__ = ()

    def has_another_segment(self, bd: SwRxData) -> bool:
        """Never."""
        self.say("The driver does not move on in the page: every frame takes its page along.", None, -1, bd.data)
        return False


class CopyUsesSegment(DoubtingQede):
    """A segment is used once, even where its frame was copied."""

    __slots__ = ()

    def keep_segment(self, bd: SwRxData, slot: int, skb: SkBuff) -> None:
        """Move on in the page; behind its last segment, give it back and post another."""
        page = bd.data
        assert page is not None
        if bd.page_offset + self.rx_buf_seg_size < page.size:
            bd.page_offset += self.rx_buf_seg_size
            self.say("The driver moves on, though nobody has kept the segment.", skb.frame, slot, page, skb)
            self.reuse_page(bd, slot, skb.frame, skb, again=False)
        elif self.alloc_rx_buffer(allow_lazy=True):
            self.unmap_page(self.let_page_go(bd))
            self.say("The driver gives the page back, though nobody has kept a part of it.", skb.frame, slot, page, skb)
            self.m.memory.put(page)
        else:
            super().keep_segment(bd, slot, skb)


class GivenAwayAnyhow(DoubtingQede):
    """A buffer goes up, whether anything takes its place or not."""

    __slots__ = ()

    def realloc_rx_buffer(self, bd: SwRxData, slot: int, skb: SkBuff) -> bool:
        """Never say that it failed; the driver's count of its buffers does not hear of it."""
        if not super().realloc_rx_buffer(bd, slot, skb):
            page = self.let_page_go(bd)
            self.unmap_page(page)
            self.say("Nothing takes its place; the driver gives the buffer away.", skb.frame, slot, page, skb)
        return True


class AllocatedAtOnce(DoubtingQede):
    """A page is allocated as soon as one is due."""

    __slots__ = ()

    def alloc_rx_buffer(self, allow_lazy: bool) -> bool:
        """Put nothing off; what takes a buffer's place makes no more of them."""
        ring = self.ring
        if allow_lazy and ring.filled_buffers > self.m.config.refill:
            self.say(f"The driver puts nothing off, though {ring.filled_buffers} buffers are posted.", None, -1, None)
            if not super().alloc_rx_buffer(allow_lazy=False):
                return False
            ring.filled_buffers -= 1
            return True
        return super().alloc_rx_buffer(allow_lazy)


class UsedUpIsFreed(DoubtingQede):
    """A page that is used to its end is free at once."""

    __slots__ = ()

    def realloc_rx_buffer(self, bd: SwRxData, slot: int, skb: SkBuff) -> bool:
        """Free the page that has left the ring, whoever still holds it."""
        page = bd.data
        replaced = super().realloc_rx_buffer(bd, slot, skb)
        if page is not None and page.slot < 0:
            self.say("The driver frees the page that is used to its end.", skb.frame, slot, page, skb)
            self.m.memory.put(page, page.refcount)
        return replaced


class MappedForEachSegment(DoubtingQede):
    """A segment is mapped before each frame and unmapped after it."""

    __slots__ = ()

    def reuse_page(self, bd: SwRxData, slot: int, frame: Frame | None, skb: SkBuff | None, *, again: bool) -> None:
        """Unmap the page and map it again."""
        page = bd.data
        assert page is not None
        self.unmap_page(page)
        self.ledger.dma_maps += 1
        self.ledger.sync_device_bytes += page.size
        self.say(f"The driver unmaps page {page.id} and maps it again.", frame, slot, page, skb)
        super().reuse_page(bd, slot, frame, skb, again=again)


class ProducerFirst(DoubtingQede):
    """The card may see its new producer before it sees what was written into the BDs."""

    __slots__ = ()

    def write_bd(self, slot: int, page: Page, page_offset: int) -> int:
        """Let the new address be seen some time after it was written."""
        m, desc, at = self.m, self.ring.desc, slot * cqe.BD_SIZE
        (old,) = cqe.BD.unpack_from(desc, at)
        address = super().write_bd(slot, page, page_offset)
        if m.offered:
            cqe.BD.pack_into(desc, at, old)
            self.say(f"The card may see the producer before it sees the address in BD {slot}.", None, slot, page)
            m.at(m.now + LATE_NS, self._seen, (slot, address))
        return address

    def _seen(self, late: tuple[int, int]) -> None:
        slot, address = late
        cqe.BD.pack_into(self.ring.desc, slot * cqe.BD_SIZE, address)


# --------------------------------------------------------------------------------------------------------------- skbs
class NothingCopied(DoubtingQede):
    """Short frames are treated as long ones."""

    __slots__ = ()

    def is_small(self, length: int, pad: int) -> bool:
        """None is."""
        return False


class BdUsedWithoutSkb(DoubtingQedeBuild):
    """Where build_skb gives no skb, the BD is used up as if it had: qede up to 6.18.39 (CVE-2026-72339)."""

    __slots__ = ()

    def rx_make_skb(self, bd: SwRxData, frame: Frame, slot: int, length: int, pad: int) -> SkBuff | None:
        """Have something take the place of the buffer, and move on; the caller posts as many BDs again as there were.

        From then on the driver is ahead of the card.
        """
        skb, page = super().rx_make_skb(bd, frame, slot, length, pad), bd.data
        if skb is not None or page is None or self.short_of != "skb" or self.is_small(length, pad):
            return skb
        if self.has_another_segment(bd):
            bd.page_offset += self.rx_buf_seg_size
            page.refcount += 1
            self.reuse_page(bd, slot, frame, None, again=False)
        elif self.alloc_rx_buffer(allow_lazy=True):
            self.unmap_page(self.let_page_go(bd))
        self.say("There is no skb; the driver uses the BD up all the same, and will use one more.", frame, slot, page)
        self.rx_bd_ring_consume(slot, frame, None)
        return None

    def recycle_rx_bd_ring(self, count: int, frame: Frame | None = None) -> None:
        """Stop where there is nothing to post again."""
        if self.ring.page_at(self.ring.sw_rx_cons) is None:
            self.follow_null(self.ring.sw_rx_cons)
        else:
            super().recycle_rx_bd_ring(count, frame)

    def frame_at(self, slot: int) -> Frame | None:
        """Find the frame where the card has put it, as the driver is no longer there."""
        behind = self.ring.bds_left + sum(completion.bds for _, completion in self.ring.unread())
        return self.ring.frames[(self.m.nic.rdh - behind) % self.ring.count]


class SharedInfoAtStart(DoubtingQedeBuild):
    """The skb's bookkeeping lies in front of the data."""

    __slots__ = ()

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Write it to the start of the segment; it is longer than the headroom."""
        size = self.core.shinfo_size
        page.write(skb.head, bytes(size))
        over = size - self.rx_headroom
        where = f"at the start of the segment: its last {over} bytes lie where the frame begins"
        self.say(f"The shared info is written {where}.", skb.frame, slot, page, skb)


class SegmentChargedByLength(DoubtingQedeBuild):
    """A short frame is charged little."""

    __slots__ = ()

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Charge the frame's own length, whatever it keeps busy."""
        super().place_shinfo(page, skb, slot)
        self.charge_length(page, skb, slot)


class WholeFrameCopied(DoubtingQedeLegacy):
    """Every frame is copied whole."""

    __slots__ = ()

    def head_length(self, length: int) -> int:
        """Allocate a head that takes the whole frame."""
        return max(length, self.rules.rx_hdr_size)

    def is_small(self, length: int, pad: int) -> bool:
        """Each is."""
        return True


class HeadersStay(DoubtingQedeLegacy):
    """A fragment is enough."""

    __slots__ = ()

    def pull_headers(self, skb: SkBuff, slot: int) -> None:
        """Leave the headers in the fragment."""
        self.say(HEADERS_STAY, skb.frame, slot, skb.frags[0].page, skb)


class FixedLengthPulled(DoubtingQedeLegacy):
    """256 bytes are copied, whatever the frame."""

    __slots__ = ()

    def pull_length(self, data: memoryview) -> int:
        """Do not look for the end of the headers."""
        return min(self.rules.rx_hdr_size, len(data))

    def pull_headers(self, skb: SkBuff, slot: int) -> None:
        """Say so."""
        sentence = "The driver copies a fixed length without looking for the end of the headers."
        self.say(sentence, skb.frame, slot, skb.frags[0].page, skb)
        super().pull_headers(skb, slot)
