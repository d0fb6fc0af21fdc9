"""The CPU that takes the queue's interrupt, and the two tasks that may want it: ksoftirqd, and the program that reads.

Interrupts and softirqs come before tasks, as in the kernel. Which task has the CPU is the model's own, much simpler
than the kernel's scheduler (badge M): one that wakes up takes an idle CPU; the program, which has slept, goes before
ksoftirqd; and at a timer tick tasks take turns.
"""

from __future__ import annotations

from collections import deque
from enum import IntEnum
from typing import TYPE_CHECKING

from rxviz.model import steps

if TYPE_CHECKING:
    from rxviz.model.machine import Machine


class Who(IntEnum):
    """Who had the CPU in a tick of the machine. NOBODY: there is nothing more to do; every other is true."""

    NOBODY = 0
    IDLE = 1
    """The CPU was idle until something happened beside it."""
    HARDIRQ = 2
    SOFTIRQ = 3
    KSOFTIRQD = 4
    READER = 5
    STALL = 6


class Cpu:
    """`current` is the task that has the CPU or was interrupted (None: idle), `queue` who waits for it."""

    __slots__ = ("busy", "current", "ksoftirqd", "m", "queue", "resched", "since")

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.busy = False
        """Whether a task or the timer's handler may have something to do here."""
        self.current: Who | None = None
        self.queue: deque[Who] = deque()
        self.resched = False
        """TIF_NEED_RESCHED: the task that is current should give way."""
        self.since = 0
        """The jiffy in which the current task got the CPU."""
        self.ksoftirqd = 0
        """How often ksoftirqd ran softirqs."""

    # ------------------------------------------------------------------------------------------------------- asked
    @property
    def ksoftirqd_runs(self) -> bool:
        """Whether ksoftirqd has the CPU or waits for it (`ksoftirqd_running`)."""
        return self.current is Who.KSOFTIRQD or Who.KSOFTIRQD in self.queue

    def need_resched(self) -> bool:
        """Whether another task should have the CPU now: one has woken up, or a tick has come with one waiting."""
        return self.resched or bool(self.queue and self.m.softirq.jiffies != self.since)

    # ---------------------------------------------------------------------------------------------- waking, sleeping
    def wake(self, task: Who) -> None:
        """A task has something to do."""
        if self.current is task or task in self.queue:
            return
        self.queue.append(task)
        self.busy = True
        if self.current is None or task is Who.READER:
            self.resched = True

    def wakeup_softirqd(self, why: str) -> None:
        """Softirqs went on for too long: the rest is ksoftirqd's, which is a task like others."""
        if not self.ksoftirqd_runs:
            self.wake(Who.KSOFTIRQD)
            self.m.step(steps.KSOFTIRQD_WAKE, None, -1, None, None, (why,))

    def sleep(self) -> None:
        """The current task has nothing more to do."""
        self.current = None
        self.busy = bool(self.queue)

    def _schedule(self) -> None:
        """Give the CPU to who has waited longest."""
        self.resched = False
        self.since = self.m.softirq.jiffies
        if not self.queue:
            return
        if self.current is not None:
            self.queue.append(self.current)
        self.current = self.queue.popleft()
        if self.current is Who.KSOFTIRQD:
            self.m.step(steps.KSOFTIRQD_RUN, None, -1, None, None, (self.m.softirq.pending,))
        else:
            self.m.step(steps.READER_RUN)

    # ----------------------------------------------------------------------------------------------------- running
    def hardirq(self) -> None:
        """Take what interrupts: the queue's vector, then the timer. Neither interrupts the other's handler."""
        napi, softirq = self.m.napi, self.m.softirq
        in_poll, softirq.in_poll = softirq.in_poll, False
        if napi.irq_pending:
            napi.interrupt()
        if napi.timer_pending:
            napi.watchdog()
            self.busy = self.current is not None or bool(self.queue)
        softirq.in_poll = in_poll

    def run(self) -> Who:
        """Do what the CPU does outside interrupts and softirqs; return who did it."""
        if self.m.napi.timer_pending:
            self.hardirq()
            return Who.HARDIRQ
        if self.current is None or self.need_resched():
            self._schedule()
        if self.current is Who.KSOFTIRQD:
            self._run_ksoftirqd()
            return Who.KSOFTIRQD
        self._run_reader()
        return Who.READER

    def _run_ksoftirqd(self) -> None:
        """Run softirqs, or sleep when none is pending (`run_ksoftirqd`)."""
        softirq = self.m.softirq
        if softirq.pending:
            self.ksoftirqd += 1
            softirq.do_softirq(ksoftirqd=True)
        else:
            self.sleep()

    def _run_reader(self) -> None:
        """Let the program read until it is done with an skb, or something comes between."""
        m, socket = self.m, self.m.socket
        end = m.now + socket.left
        if self.queue:
            end = min(end, (self.since + 1) * m.softirq.tick_ns)
        end = max(min(end, m.next_t), m.now)
        socket.spend(end - m.now)
        m.now = end
        if m.next_t <= end:
            m.catch_up()
        if not socket.left and not m.napi.irq_pending:
            socket.finish_read()
            if not socket.here:
                self.sleep()
