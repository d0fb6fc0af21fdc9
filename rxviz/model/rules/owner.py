"""What would happen to a ring of owner bits, and to the heads that wait in it, if a rule about them did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.mv643xx_eth import Mv643xxEth
from rxviz.model.mv643xx_desc import DESC, ERROR_SUMMARY
from rxviz.model.nics.marvell import MarvellNic
from rxviz.model.rules.doubt import Doubting
from rxviz.model.rules.nic import LATE_NS

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class DoubtingMv643xx(Doubting, Mv643xxEth):
    """mv643xx_eth alone."""

    __slots__ = ()


def place_of(m: Machine, slot: int) -> tuple[Page, int] | None:
    """Return the page that a descriptor's address points into, and how far; None where no page is there any more."""
    address = DESC.unpack_from(m.ring.desc, slot * DESC.size)[3]
    for page in m.memory.pages.values():
        offset = address - (page.dma & 0xFFFF_FFFF)
        if 0 <= offset < page.size:
            return page, offset
    return None


class OwnerIgnored(MarvellNic):
    """Every descriptor is as good as any other."""

    __slots__ = ()

    def owns(self, slot: int) -> bool:
        """Do not ask."""
        return True

    def write_part(self, frame: Frame) -> None:
        """Say so where the descriptor is the driver's, and use it; its address is an old one then."""
        m, slot = self.m, self.rdh
        if super().owns(slot):
            super().write_part(frame)
            return
        m.note(steps.WORLD_ACT, frame, slot, None, None, (f"The NIC uses descriptor {slot}: it is the driver's.",))
        if self.ring.rx_skb[slot] is not None:
            super().write_part(frame)
            return
        m.lamps.light("dma_inside_buffer")
        found, size = place_of(m, slot), frame.wire_len - self.sent
        if found is not None:
            self.write_buffer(*found, frame.data[self.sent :], frame, slot)
        self.rdh = slot + 1 if slot + 1 < self.ring.count else 0
        self.finish_part(frame, slot, size, True)
        self.tell()


class OwnerFirst(DoubtingMv643xx):
    """The NIC may see that it has a descriptor before it sees the address in it."""

    __slots__ = ()

    def post(self, skb: SkBuff, slot: int) -> None:
        """Let the new address be seen some time after the owner bit."""
        m, desc, at = self.m, self.ring.desc, slot * DESC.size
        *_, old, _ = DESC.unpack_from(desc, at)
        super().post(skb, slot)
        if m.offered:
            *_, new, _ = DESC.unpack_from(desc, at)
            self.write_address(slot, old)
            sentence = f"The NIC may see the owner bit of descriptor {slot} before its new address."
            self.say(sentence, None, slot, skb.head_page, skb)
            m.at(m.now + LATE_NS, self._seen, (slot, new))

    def write_address(self, slot: int, address: int) -> None:
        """Write buf_ptr alone."""
        *others, _, following = DESC.unpack_from(self.ring.desc, slot * DESC.size)
        DESC.pack_into(self.ring.desc, slot * DESC.size, *others, address, following)

    def _seen(self, late: tuple[int, int]) -> None:
        self.write_address(*late)


class HeadPostedAgain(DoubtingMv643xx):
    """A head serves its slot for ever."""

    __slots__ = ()

    def alloc_head(self, slot: int) -> tuple[Page, int] | None:
        """Take the head that the slot had before, whoever reads it now; it has another reference."""
        found = place_of(self.m, slot) if self.m.offered else None
        if found is None:
            return super().alloc_head(slot)
        page, offset = found
        page.refcount += 1
        self.say(f"Slot {slot} gets the head that it had before.", None, slot, page)
        return page, offset - self.core.net_skb_pad


class NotUnmapped(DoubtingMv643xx):
    """A head stays mapped, and nobody sees to the CPU's cache."""

    __slots__ = ()

    def unmap_head(self, skb: SkBuff, frame: Frame, slot: int) -> None:
        """Unmap nothing."""
        sentence = "The driver does not unmap: its cache may still hold what lay there before."
        self.say(sentence, frame, slot, skb.head_page, skb)


class PartsTaken(DoubtingMv643xx):
    """Each part of a frame is taken for a frame."""

    __slots__ = ()

    def is_whole(self, cmd_sts: int) -> bool:
        """Look for errors only."""
        if not super().is_whole(cmd_sts) and not cmd_sts & ERROR_SUMMARY:
            self.say("The driver takes this part of the frame for a whole one.", None, -1, None)
        return not cmd_sts & ERROR_SUMMARY
