"""NAPI in its simple form: an interrupt schedules, polls run with a budget, and the last one lets interrupts in again.

Source: net/core/dev.c (`napi_schedule`, `net_rx_action`, `napi_complete_done`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps

if TYPE_CHECKING:
    from rxviz.model.machine import Machine


class Napi:
    """One NAPI instance on one CPU."""

    __slots__ = ("interrupts", "irq_pending", "m", "polls", "scheduled", "time_squeeze")

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.scheduled = False
        self.irq_pending = False
        """The vector has fired and its handler has not run yet."""
        self.interrupts = 0
        self.polls = 0
        self.time_squeeze = 0

    def interrupt(self) -> None:
        """The handler: it does no work but to schedule the poll."""
        self.irq_pending = False
        self.interrupts += 1
        self.scheduled = True
        self.m.step(steps.IRQ_ENTER)

    def softirq(self) -> None:
        """One poll. A poll that used its whole budget leaves the instance scheduled, and the vector masked."""
        m = self.m
        budget = m.config.budget
        self.polls += 1
        m.step(steps.POLL_START, None, -1, None, None, (budget,))
        work = m.driver.clean_rx_irq(budget)
        m.step(steps.POLL_END, None, -1, None, None, (work, budget))
        if m.gro is not None:
            m.gro.poll_end(work, budget)
        if work >= budget:
            return
        self.scheduled = False
        m.step(steps.NAPI_COMPLETE)
        m.nic.irq_masked = False
        m.step(steps.IRQ_ENABLE)
        m.nic.rearm()
