"""What would happen if a rule about interrupts and polls did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.nic import Nic
from rxviz.model.nics.intel import IntelNic
from rxviz.model.rules.doubt import Doubting

if TYPE_CHECKING:
    from rxviz.model.frame import Frame


class NeverUnmasked(Doubting):
    """The vector needs no unmasking."""

    __slots__ = ()

    def irq_enable(self) -> None:
        """Leave the vector masked."""
        self.say("The driver leaves the vector masked.", None, -1, None)


class CompletesAnyway(Doubting):
    """A poll that used its budget is over like any other."""

    __slots__ = ()

    def poll(self, budget: int) -> int:
        """Complete and let interrupts in, though descriptors may be done."""
        work = super().poll(budget)
        if work < budget:
            return work
        self.say("The driver completes, though the budget ended the poll and not the ring.", None, -1, None)
        self.m.napi.complete_done(work)
        self.irq_enable()
        return budget - 1


class NotAutoMasked(Nic):
    """The vector stays open while the driver polls."""

    __slots__ = ()

    def _fire(self, argument: None) -> None:
        """Interrupt without masking the vector."""
        super()._fire(argument)
        self.irq_masked = False
        self.m.note(steps.WORLD_ACT, None, -1, None, None, ("The vector fires, and stays open.",))


class NotRaisedAgain(Nic):
    """An interrupt that was masked as a frame came is forgotten."""

    __slots__ = ()

    def rearm(self) -> None:
        """Say nothing of what was written while the vector was masked."""
        if not self.irq_masked and not self.irq_armed and self.m.driver.pending():
            sentence = "The NIC does not interrupt for what it wrote while the vector was masked."
            self.m.note(steps.WORLD_ACT, None, -1, None, None, (sentence,))


class FramesWaitForIrq(IntelNic):
    """A frame stays in the NIC for as long as its interrupt is held back."""

    __slots__ = ()

    def take(self, frame: Frame, is_dry: bool) -> None:
        """Write nothing before the interrupt; while the vector is masked nothing is held back."""
        if is_dry or self.irq_masked:
            super().take(frame, is_dry)
            return
        self.m.note(steps.WORLD_ACT, frame, -1, None, None, ("The NIC keeps the frame until it may interrupt.",))
        if not self.irq_armed:
            self.arm()

    def _fire(self, argument: None) -> None:
        """Interrupt, and write all that was kept."""
        super()._fire(argument)
        self.drain()


class WaitingFrameCalls(IntelNic):
    """A frame that waits in the NIC calls for the CPU as one does that was written."""

    __slots__ = ()

    def take(self, frame: Frame, is_dry: bool) -> None:
        """Interrupt for a frame that finds no descriptor."""
        super().take(frame, is_dry)
        if is_dry and not self.irq_masked and not self.irq_armed:
            sentence = "The NIC interrupts for a frame that it has written nowhere."
            self.m.note(steps.WORLD_ACT, frame, -1, None, None, (sentence,))
            self.arm()
