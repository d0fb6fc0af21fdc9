"""What the driver would do if a rule did not hold. Each class replaces the method in which the rule lives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.descriptor import EOP, SIZE, length
from rxviz.model.drivers.driver import LONG
from rxviz.model.kernel import align
from rxviz.model.rules.doubt import DoubtingIgb, DoubtingIntel, DoubtingIxgbe
from rxviz.model.skb import Frag, SkBuff

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer


HEADERS_STAY = "The driver leaves the headers in the page: the skb's head is empty."


class CpuMovesData(DoubtingIxgbe):
    """The CPU fetches each frame from the NIC."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, status: int
    ) -> SkBuff | None:
        """Copy the frame into its buffer before anything else."""
        self.fetch(buffer.skb, buffer, page, frame, slot, size)
        return super().get_rx_buffer(buffer, page, frame, slot, size, status)


class CpuMovesDataIgb(DoubtingIgb):
    """The CPU fetches each frame from the NIC."""

    __slots__ = ()

    def get_rx_buffer(
        self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int, skb: SkBuff | None
    ) -> None:
        """Copy the frame into its buffer before anything else."""
        self.fetch(skb, buffer, page, frame, slot, size)
        super().get_rx_buffer(buffer, page, frame, slot, size, skb)


class NoFlip(DoubtingIntel):
    """Reading frees: the half that a frame lies in is offered again at once."""

    __slots__ = ()

    def flip(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Leave the offset where it is."""
        self.say("The driver does not flip: the same half is next.", skb.frame, slot, page, skb)


class NoReuse(DoubtingIntel):
    """One page, one frame."""

    __slots__ = ()

    def can_reuse_rx_page(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Never."""
        self.say(
            "The driver does not ask whether the page is free: every frame takes its page along.",
            skb.frame,
            slot,
            page,
            skb,
        )
        return False


class NoReuseCheck(DoubtingIntel):
    """The flip always works."""

    __slots__ = ()

    def only_user(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int) -> bool:
        """Always; what else belongs to keeping a page is still done."""
        if not super().only_user(buffer, page, skb, slot):
            self.say("The driver keeps the page, though somebody else holds it.", skb.frame, slot, page, skb)
        return True


class PackedLikeALog(DoubtingIntel):
    """Frames lie one behind the other."""

    __slots__ = ()

    def flip(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Go on behind the frame's last byte; start over when the page has no room left."""
        offset = align(buffer.page_offset + skb.frame.wire_len, self.core.cache_line)
        if offset + self.geometry.dma_size > page.size:
            offset = self.geometry.pad
        buffer.page_offset = offset
        self.say(f"The next frame goes to offset {offset:,}, right behind the last.", skb.frame, slot, page, skb)


class TwoFramesPerHalf(DoubtingIntel):
    """Memory is saved by halving the halves."""

    __slots__ = ()

    def flip(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, truesize: int) -> None:
        """Turn to the other half of the half."""
        buffer.page_offset ^= self.geometry.half // 2
        self.say(f"The next frame goes to offset {buffer.page_offset:,}, in the same half.", skb.frame, slot, page, skb)


class NoCopybreak(DoubtingIntel):
    """Short frames are treated as long ones."""

    __slots__ = ()

    def fill_skb(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Attach the buffer, however short the frame."""
        self.attach_first(buffer, page, skb, slot, size)


class CopyEverything(DoubtingIntel):
    """The legacy path copies every frame whole."""

    __slots__ = ()

    def head_length(self, size: int) -> int:
        """Allocate a head that takes the whole frame."""
        return size

    def fill_skb(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Copy, however long the frame."""
        self.copy_small(buffer, page, skb, slot, size)
        self.keep_half(buffer)


class NoHeaders(DoubtingIxgbe):
    """A fragment is enough."""

    __slots__ = ()

    def pull_tail(self, skb: SkBuff, slot: int) -> None:
        """Leave the headers in the fragment."""
        self.say(HEADERS_STAY, skb.frame, slot, None, skb)


class NoHeadersIgb(DoubtingIgb):
    """A fragment is enough."""

    __slots__ = ()

    def pull_headers(self, page: Page, offset: int, size: int, skb: SkBuff, slot: int) -> int:
        """Leave the headers in the fragment."""
        self.say(HEADERS_STAY, skb.frame, slot, page, skb)
        return 0


class FixedLength(DoubtingIntel):
    """256 bytes are copied, whatever the frame."""

    __slots__ = ()

    def copy_fixed(self, page: Page, offset: int, size: int, skb: SkBuff) -> int:
        """Copy a fixed length into the head, without a look for the end of the headers; return it."""
        length = min(self.rules.rx_hdr_size, size)
        skb.head_page.write(skb.data, page.data[offset : offset + length])
        self.charge_copy(length)
        return length

    def say_fixed(self, length: int, page: Page, skb: SkBuff, slot: int) -> None:
        """Tell of it."""
        sentence = f"The driver copies {length} bytes without looking for the end of the headers."
        self.say(sentence, skb.frame, slot, page, skb)

    def copy_small(self, buffer: RxBuffer, page: Page, skb: SkBuff, slot: int, size: int) -> None:
        """Copy the same length of a short frame, too."""
        super().copy_small(buffer, page, skb, slot, size)
        more = self.rules.rx_hdr_size - align(size, LONG)
        self.charge_copy(more)
        self.say(
            f"The driver copies {more} bytes more, to make it {self.rules.rx_hdr_size}.", skb.frame, slot, page, skb
        )


class CopyFixedLength(FixedLength, DoubtingIxgbe):
    """256 bytes are copied from the fragment."""

    __slots__ = ()

    def pull_tail(self, skb: SkBuff, slot: int) -> None:
        """Copy a fixed length from the fragment."""
        page, offset, size, region = skb.frags[0]
        length = self.copy_fixed(page, offset, size, skb)
        skb.data_len -= length
        skb.frags[0] = Frag(page, offset + length, size - length, region)
        self.say_fixed(length, page, skb, slot)


class CopyFixedLengthIgb(FixedLength, DoubtingIgb):
    """256 bytes are copied before the rest is attached."""

    __slots__ = ()

    def pull_headers(self, page: Page, offset: int, size: int, skb: SkBuff, slot: int) -> int:
        """Copy a fixed length from the buffer."""
        length = self.copy_fixed(page, offset, size, skb)
        skb.put(length)
        self.say_fixed(length, page, skb, slot)
        return length


class SharedInfoAllocated(DoubtingIntel):
    """The skb's bookkeeping gets memory of its own."""

    __slots__ = ()

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Allocate it (counted as a head), and charge it."""
        self.ledger.skb_heads += 1
        skb.truesize += self.core.shinfo_size
        self.say(f"The driver allocates {self.core.shinfo_size} bytes for the shared info.", skb.frame, slot, page, skb)


class SharedInfoInFront(DoubtingIntel):
    """The skb's bookkeeping lies in front of the data."""

    __slots__ = ()

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Write it to the start of the half; it is longer than the headroom."""
        size = self.core.shinfo_size
        page.write(skb.head, bytes(size))
        over = size - self.geometry.pad
        sentence = (
            f"The shared info is written to the start of the half: its last {over} bytes lie where the frame begins."
        )
        self.say(sentence, skb.frame, slot, page, skb)


class SharedInfoInDescriptor(DoubtingIntel):
    """The skb's bookkeeping lies in the ring."""

    __slots__ = ()

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Write it over the descriptor and those behind it."""
        desc = self.ring.desc
        start = slot * SIZE
        end = min(start + self.core.shinfo_size, len(desc))
        desc[start:end] = bytes(end - start)
        lost = (end - start) // SIZE - 1
        sentence = (
            f"The shared info is written over descriptor {slot}, and over the {lost} behind it: "
            "their addresses are gone."
        )
        self.say(sentence, skb.frame, slot, page, skb)


class BuildCopiesHeaders(DoubtingIntel):
    """build_skb copies headers like the legacy path."""

    __slots__ = ()

    def build_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff | None:
        """Do what the legacy path does."""
        return self.construct_skb(buffer, page, frame, slot, size)


class BuildCopiesShort(DoubtingIntel):
    """Short frames are copied, also where longer ones are built in place."""

    __slots__ = ()

    def build_skb(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> SkBuff | None:
        """Do what the legacy path does with a short frame."""
        if size <= self.rules.rx_hdr_size:
            return self.construct_skb(buffer, page, frame, slot, size)
        return super().build_skb(buffer, page, frame, slot, size)


class NoEmptySlot(DoubtingIntel):
    """The ring is filled to the last slot."""

    __slots__ = ()

    def configure_rx_ring(self) -> None:
        """Post every slot: RDT comes round to RDH, which the NIC takes for an empty ring."""
        self.alloc_rx_buffers(self.ring.count)


class ChargeByLength(DoubtingIntel):
    """A short frame is charged little."""

    __slots__ = ()

    def place_shinfo(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Charge the frame's own length, whatever it keeps busy."""
        super().place_shinfo(page, skb, slot)
        self.charge_length(page, skb, slot)


class TwoFramesPerSkb(DoubtingIntel):
    """The driver puts two frames into one skb."""

    __slots__ = ()

    def is_non_eop(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Overlook the end of every other frame, if another one is there already."""
        following = slot + 1 if slot + 1 < self.ring.count else 0
        if skb.frame.id % 2 == 0 and not skb.frags and length(self.ring.desc, following):
            self.say(
                "The driver overlooks the end of the frame: the next one will join its skb.", skb.frame, slot, None, skb
            )
            return super().is_non_eop(skb, slot, status & ~EOP)
        return super().is_non_eop(skb, slot, status)
