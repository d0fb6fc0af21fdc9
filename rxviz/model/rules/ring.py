"""What would happen to the ring if a rule about its descriptors did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.descriptor import EOP, SIZE
from rxviz.model.rules.doubt import DoubtingIntel

if TYPE_CHECKING:
    from rxviz.model.drivers.intel import Write
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class AddressKept(DoubtingIntel):
    """A descriptor that was used once is not written again: its address is believed to be still there."""

    __slots__ = ()

    def descriptor_writers(self) -> tuple[Write, Write, int]:
        """Write an address only where the descriptor has nothing in it yet."""
        write, clear_done, offset = super().descriptor_writers()
        return _unless_used(write), clear_done, offset


def _unless_used(write: Write) -> Write:
    def write_first(desc: bytearray, at: int, address: int) -> None:
        if not any(desc[at : at + SIZE]):
            write(desc, at, address)

    return write_first


class NextNotCleared(DoubtingIntel):
    """The descriptor behind the posted ones keeps what the NIC wrote into it a lap ago; those posted are cleared."""

    __slots__ = ()

    def descriptor_writers(self) -> tuple[Write, Write, int]:
        """Clear each descriptor as it is posted, and not the one behind it."""
        write, clear_done, offset = super().descriptor_writers()
        return _cleared(write, clear_done, offset), _leave, offset


def _cleared(write: Write, clear_done: Write, offset: int) -> Write:
    def write_cleared(desc: bytearray, at: int, address: int) -> None:
        write(desc, at, address)
        clear_done(desc, at + offset, 0)

    return write_cleared


def _leave(desc: bytearray, at: int, value: int) -> None:
    """Write nothing."""


class EmptyFrames(DoubtingIntel):
    """A length of zero is that of a frame without bytes."""

    __slots__ = ()

    def found_empty(self, slot: int) -> bool:
        """Step over the descriptor as over one that is dealt with, up to where nothing is posted."""
        ring = self.ring
        if slot == ring.next_to_use:
            return super().found_empty(slot)
        ring.next_to_clean = slot + 1 if slot + 1 < ring.count else 0
        self.say(f"The driver takes descriptor {slot} for an empty frame, and steps over it.", None, slot, None)
        return True


class LooksEverywhere(DoubtingIntel):
    """Any slot may be done, whatever those before it are."""

    __slots__ = ()

    def found_empty(self, slot: int) -> bool:
        """Read all posted descriptors behind it; as the NIC fills them in order, none is done."""
        others = (self.ring.next_to_use - slot - 1) % self.ring.count if slot != self.ring.next_to_use else 0
        self.ledger.descriptor_reads += others
        self.ledger.cache_lines += -(-others * SIZE // self.core.cache_line)
        self.say(f"The driver reads {others} more descriptors that are posted. None is done.", None, slot, None)
        return super().found_empty(slot)


class TailFirst(DoubtingIntel):
    """The NIC is told of buffers before their descriptors are written."""

    __slots__ = ()

    def alloc_rx_buffers(self, cleaned_count: int) -> None:
        """Write the tail, give the NIC time to use it, and only then write the descriptors."""
        ring, m = self.ring, self.m
        if cleaned_count and m.offered:
            tail = (ring.next_to_use + cleaned_count) % ring.count
            m.nic.write_tail(tail)
            self.say(f"The driver writes {tail} to RDT before it has written the descriptors.", None, tail, None)
            m.catch_up()
        super().alloc_rx_buffers(cleaned_count)


class TailForEach(DoubtingIntel):
    """The NIC is told of each buffer by itself."""

    __slots__ = ()

    def alloc_rx_buffers(self, cleaned_count: int) -> None:
        """Post one buffer after the other, each with a tail write of its own."""
        for _ in range(cleaned_count):
            super().alloc_rx_buffers(1)


class PartsAlone(DoubtingIntel):
    """Each descriptor is taken for a frame."""

    __slots__ = ()

    def is_non_eop(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Hand up each part of a frame as if it were whole."""
        if not status & EOP:
            self.say("The driver takes this part of the frame for a whole one.", skb.frame, slot, None, skb)
        return super().is_non_eop(skb, slot, status | EOP)


class NobodyComesBy(DoubtingIntel):
    """There is no service task."""

    __slots__ = ()

    def next_service(self, now: int) -> int:
        """Never."""
        return 0


class FrameGoesWithoutSkb(DoubtingIntel):
    """Where there is no skb for a frame, the frame is lost."""

    __slots__ = ()

    def leave_for_later(self, buffer: RxBuffer, page: Page, frame: Frame, slot: int) -> None:
        """Step over the frame: its buffer is posted again."""
        super().leave_for_later(buffer, page, frame, slot)
        self.ring.next_to_clean = slot + 1 if slot + 1 < self.ring.count else 0
        self.say("The driver steps over the frame: nobody will get it.", frame, slot, page)
