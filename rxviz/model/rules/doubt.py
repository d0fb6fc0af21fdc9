"""What every wrong belief of a driver has: it says what it does that the real driver does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.driver import Driver
from rxviz.model.drivers.igb import Igb
from rxviz.model.drivers.intel import Intel
from rxviz.model.drivers.ixgbe import Ixgbe
from rxviz.model.kernel import align

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.ring import RxBuffer
    from rxviz.model.skb import SkBuff


class Doubting(Driver):
    """A driver that follows a wrong belief, and says so."""

    __slots__ = ()

    def say(self, sentence: str, frame: Frame | None, slot: int, page: Page | None, skb: SkBuff | None = None) -> None:
        """Tell of an act that the real driver does not do."""
        self.m.note(steps.WORLD_ACT, frame, slot, page, skb, (sentence,))

    def charge_length(self, page: Page, skb: SkBuff, slot: int) -> None:
        """Charge an skb the length of its frame, whatever it keeps busy."""
        busy, core = skb.truesize, self.core
        skb.truesize = align(skb.frame.wire_len, core.cache_line) + core.shinfo_size + core.sk_buff_size
        sentence = f"The skb is charged {skb.truesize:,} bytes, though it keeps {busy:,} busy."
        self.say(sentence, skb.frame, slot, page, skb)


class DoubtingIntel(Doubting, Intel):
    """One of the drivers that share pages of two halves."""

    __slots__ = ()

    def fetch(self, begun: SkBuff | None, buffer: RxBuffer, page: Page, frame: Frame, slot: int, size: int) -> None:
        """Let the CPU copy a part of a frame into its buffer; what came before it is in `begun`."""
        start = 0 if begun is None else begun.len
        page.write(buffer.page_offset, frame.data[start : start + size])
        self.charge_copy(size)
        self.say(f"The CPU copies {size:,} bytes of the frame into the buffer.", frame, slot, page)


class DoubtingIxgbe(DoubtingIntel, Ixgbe):
    """ixgbe alone."""

    __slots__ = ()


class DoubtingIgb(DoubtingIntel, Igb):
    """igb alone."""

    __slots__ = ()
