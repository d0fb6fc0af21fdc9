"""One NAPI instance: scheduled by its interrupt or its timer, polled by the softirq, complete when its queue is empty.

Written to be laid beside net/core/dev.c (`napi_schedule_prep`, `__napi_poll`, `napi_complete_done`, `napi_watchdog`).
What a pass of the softirq is, and who is polled when, stands in rxviz.model.softirq.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.napi_defer import Deferral

if TYPE_CHECKING:
    from rxviz.model.machine import Machine

NEVER = -1


class Napi:
    """The instance of the modelled queue. `scheduled` and `missed` are NAPI_STATE_SCHED and NAPI_STATE_MISSED."""

    __slots__ = (
        "deferral",
        "interrupts",
        "irq_pending",
        "m",
        "marks_missed",
        "missed",
        "polls",
        "scheduled",
        "timer_at",
        "timer_pending",
        "times_missed",
        "watchdog_needs_held",
    )

    def __init__(self, m: Machine) -> None:
        self.m = m
        core = m.config.core
        self.marks_missed = core.napi_missed
        self.watchdog_needs_held = not core.napi_defer_hard_irqs
        """Until 5.8 the timer polls only if GRO still holds something."""
        self.scheduled = False
        self.missed = False
        self.irq_pending = False
        """The vector has fired and its handler has not run yet."""
        self.timer_at = NEVER
        self.timer_pending = False
        """The flush timer has expired and its handler has not run yet."""
        self.deferral = Deferral(m.config.gro_flush_timeout, m.config.napi_defer_hard_irqs)
        """The deferral where GRO is off; where it is on, GRO asks its own."""
        self.interrupts = 0
        self.polls = 0
        self.times_missed = 0

    # ------------------------------------------------------------------------------------------------- scheduling
    def interrupt(self) -> None:
        """The handler of the vector: it does no work but to schedule the poll."""
        m = self.m
        self.irq_pending = False
        self.interrupts += 1
        if m.config.itr_ns is None:
            m.itr.at_interrupt()
        found = self.scheduled
        if not found:
            self.schedule()
        m.step(steps.IRQ_ENTER, None, -1, None, None, (found,))
        if found:
            self._miss()
        m.softirq.irq_exit()

    def schedule(self) -> None:
        """Put the instance on the CPU's list, and raise the softirq (`__napi_schedule`)."""
        self.scheduled = True
        self.m.softirq.schedule(self)

    def _miss(self) -> None:
        """The instance was scheduled already: `napi_schedule_prep` says no, and from 4.11 on leaves a mark."""
        self.times_missed += 1
        self.missed = self.marks_missed
        self.m.step(steps.NAPI_MISSED, None, -1, None, None, (self.marks_missed,))

    # ---------------------------------------------------------------------------------------------------- polling
    def poll(self, weight: int) -> int:
        """Poll once; return the work as `net_rx_action` takes it off its budget (`__napi_poll`)."""
        m = self.m
        work = m.driver.poll(weight)
        if work >= weight and m.gro is not None:
            m.gro.poll_used_up()
        return work

    def complete_done(self, work: int) -> bool:
        """The driver has found its queue empty; return whether it may let interrupts in again."""
        m = self.m
        if m.gro is not None:
            interrupts, timeout = m.gro.poll_done(work)
        else:
            interrupts, timeout = self.deferral.decide(work, 0)
        if self.missed:
            self.missed = False
            self.schedule()
            m.step(steps.NAPI_AGAIN)
            return False
        self.scheduled = False
        m.step(steps.NAPI_COMPLETE)
        if timeout:
            self.timer_at = m.now + timeout
            m.at(self.timer_at, self._expire, self.timer_at)
            m.step(steps.NAPI_TIMER_START, None, -1, None, None, (timeout, not interrupts))
        return interrupts

    # ------------------------------------------------------------------------------------------------------ timer
    def _expire(self, at: int) -> None:
        """The flush timer's time has come, unless it was started anew meanwhile."""
        if at == self.timer_at:
            m = self.m
            self.timer_at = NEVER
            self.timer_pending = m.cpu.busy = True
            m.called = m.softirq.in_poll

    def watchdog(self) -> None:
        """The timer's handler (`napi_watchdog`): poll, though no interrupt came."""
        m = self.m
        self.timer_pending = False
        if self.scheduled or (self.watchdog_needs_held and (m.gro is None or not m.gro.held)):
            return
        self.schedule()
        m.step(steps.NAPI_TIMER)
        m.softirq.irq_exit()
