"""What would happen to the ring if a rule about its descriptors did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.descriptor import EOP, SIZE
from rxviz.model.rules.doubt import DoubtingIntel, DoubtingIxgbe

if TYPE_CHECKING:
    from rxviz.model.drivers.intel import Write1, Write2
    from rxviz.model.skb import SkBuff


class AddressKept(DoubtingIntel):
    """A descriptor that was used once is not written again: its address is believed to be still there."""

    __slots__ = ()

    def descriptor_writers(self) -> tuple[Write2, Write1, int]:
        """Write an address only where the descriptor has nothing in it yet."""
        write, clear_done, offset = super().descriptor_writers()
        return _unless_used(write), clear_done, offset


def _unless_used(write: Write2) -> Write2:
    def write_first(desc: bytearray, at: int, address: int, header: int) -> None:
        if not any(desc[at : at + SIZE]):
            write(desc, at, address, header)

    return write_first


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


class PartsAlone(DoubtingIxgbe):
    """Each descriptor is taken for a frame."""

    __slots__ = ()

    def is_non_eop(self, skb: SkBuff, slot: int, status: int) -> bool:
        """Hand up each part of a frame as if it were whole."""
        if not status & EOP:
            self.say("The driver takes this part of the frame for a whole one.", skb.frame, slot, None, skb)
        return super().is_non_eop(skb, slot, status | EOP)
