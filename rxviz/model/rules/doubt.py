"""What every wrong belief of a driver has: it says what it does that the real driver does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.drivers.driver import Driver
from rxviz.model.drivers.intel import Intel
from rxviz.model.drivers.ixgbe import Ixgbe

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


class Doubting(Driver):
    """A driver that follows a wrong belief, and says so."""

    __slots__ = ()

    def say(self, sentence: str, frame: Frame | None, slot: int, page: Page | None, skb: SkBuff | None = None) -> None:
        """Tell of an act that the real driver does not do."""
        self.m.note(steps.WORLD_ACT, frame, slot, page, skb, (sentence,))


class DoubtingIntel(Doubting, Intel):
    """One of the drivers that share ixgbe's pages."""

    __slots__ = ()


class DoubtingIxgbe(Doubting, Ixgbe):
    """ixgbe alone."""

    __slots__ = ()
