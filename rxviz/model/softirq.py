"""The receive softirq of the CPU that polls: passes over the instances on its list, until a limit hands it over.

Written to be laid beside net/core/dev.c (`net_rx_action`, `struct softnet_data`) and kernel/softirq.c
(`__do_softirq`, `invoke_softirq`). The machine runs it poll by poll, so what those functions keep in local
variables stands in the object.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from rxviz.model import steps

if TYPE_CHECKING:
    from rxviz.model.machine import Machine

SECOND = 1_000_000_000
MS_A_SECOND = 1000
RX_BUDGET_US, US_A_SECOND = 2000, 1_000_000
TWO_JIFFIES = "2 jiffies"
REST_NS = 20_000_000
"""The longest that any limit lets a pass go on: 2 jiffies at HZ=100. What other queues do is seen by these limits."""


class Instance(Protocol):
    """What can stand on a poll list."""

    def poll(self, weight: int) -> int:
        """Do at most `weight` frames; return the work, as the budget is charged with it."""
        ...


def jiffies_of(amount: int, per_second: int, hz: int) -> int:
    """Round a time up to jiffies (`usecs_to_jiffies`, `msecs_to_jiffies`)."""
    return -(-amount * hz // per_second)


class Softirq:
    """NET_RX of one CPU. `running` lasts from the first pass of a `__do_softirq` to its end, `in_pass` through one."""

    __slots__ = (
        "budget",
        "end",
        "in_ksoftirqd",
        "in_pass",
        "in_poll",
        "m",
        "others",
        "passes",
        "pending",
        "poll_list",
        "repoll",
        "restarts",
        "rules",
        "running",
        "runs",
        "rx_limit",
        "softirq_limit",
        "tick_ns",
        "time_limit",
        "time_squeeze",
        "to_poll",
    )

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.rules = m.config.core
        hz = m.config.hz
        self.tick_ns = SECOND // hz
        whole = self.rules.rx_time_limit == TWO_JIFFIES
        self.rx_limit = 2 if whole else jiffies_of(RX_BUDGET_US, US_A_SECOND, hz)
        """How long a pass may last, in jiffies."""
        self.softirq_limit = jiffies_of(self.rules.max_softirq_ms, MS_A_SECOND, hz)
        """How long passes may follow each other before ksoftirqd takes over, in jiffies."""
        self.others: list[Other] = [Other(m, n) for n in range(1, m.config.busy + 1)]
        self.poll_list: deque[Instance] = deque()
        """Who waits for a pass (`softnet_data.poll_list`)."""
        self.to_poll: deque[Instance] = deque()
        """Who is still to be polled in the present pass."""
        self.repoll: deque[Instance] = deque()
        """Who used its whole weight in the present pass."""
        self.pending = False
        self.running = False
        self.in_pass = False
        self.in_poll = False
        self.in_ksoftirqd = False
        self.budget = 0
        self.time_limit = 0
        self.end = 0
        self.restarts = 0
        self.passes = 0
        self.runs = 0
        """How often `__do_softirq` was begun."""
        self.time_squeeze = 0

    @property
    def jiffies(self) -> int:
        """The kernel's clock in ticks."""
        return self.m.now // self.tick_ns

    # -------------------------------------------------------------------------------------------- who is scheduled
    def schedule(self, instance: Instance) -> None:
        """Put an instance on the list and raise NET_RX (`____napi_schedule`)."""
        self.poll_list.append(instance)
        for other in self.others:
            # The other queues are busy for as long as this one is: see `Other`.
            if not other.scheduled:
                other.scheduled = True
                self.poll_list.append(other)
        if not (self.rules.rx_same_pass and self.in_pass):
            self.pending = True

    def irq_exit(self) -> None:
        """An interrupt ends: softirqs run now, unless they do already or are ksoftirqd's (`invoke_softirq`)."""
        if self.running or not self.pending:
            return
        if self.rules.ksoftirqd_first and self.m.cpu.ksoftirqd_runs:
            return
        self.do_softirq(ksoftirqd=False)

    # ------------------------------------------------------------------------------------------------ __do_softirq
    def do_softirq(self, *, ksoftirqd: bool) -> None:
        """Begin: passes follow each other until nothing is pending, or a limit is reached."""
        self.running, self.in_ksoftirqd = True, ksoftirqd
        self.runs += 1
        self.end = self.jiffies + self.softirq_limit
        self.restarts = self.rules.max_softirq_restart

    def go_on(self) -> None:
        """Poll one instance, and do what comes before and after it in its pass."""
        if not self.in_pass:
            self._begin_pass()
            if not self.to_poll:
                # Who raised the softirq was polled in the last pass already: kernels in which that looks again.
                self._end_pass()
                return
        instance = self.to_poll.popleft()
        weight = self.m.config.budget
        self.in_poll = True
        work = instance.poll(weight)
        self.in_poll = False
        self.budget -= work
        if work >= weight:
            (self.to_poll if self.rules.rx_repoll == "same pass" else self.repoll).append(instance)
        if self.rules.rx_repoll == "same pass":
            self.to_poll += self.poll_list
            self.poll_list.clear()
            if not self.to_poll:
                self._end_pass()
                return
        if self.budget <= 0 or self.jiffies >= self.time_limit:
            self._squeeze()
        elif not self.to_poll and not self._take_more():
            self._end_pass()

    # ----------------------------------------------------------------------------------------------- net_rx_action
    def _begin_pass(self) -> None:
        m = self.m
        self.pending = False
        self.in_pass = True
        self.passes += 1
        self.budget = m.config.netdev_budget
        self.time_limit = self.jiffies + self.rx_limit
        self.to_poll, self.poll_list = self.poll_list, self.to_poll
        again = self.rules.max_softirq_restart - self.restarts
        m.step(steps.SOFTIRQ_PASS, None, -1, None, None, (self.budget, len(self.to_poll), again, self.in_ksoftirqd))

    def _take_more(self) -> bool:
        """Go on in this pass with who was scheduled meanwhile, where the kernel does so; return whether it does."""
        if not self.rules.rx_same_pass or self.repoll or not self.poll_list:
            return False
        self.to_poll, self.poll_list = self.poll_list, self.to_poll
        return True

    def _squeeze(self) -> None:
        """Budget or time is used up."""
        self.time_squeeze += 1
        left = len(self.to_poll) + len(self.repoll)
        self.m.step(steps.SOFTIRQ_SQUEEZE, None, -1, None, None, (self.budget, left, self.time_squeeze))
        self._end_pass()

    def _end_pass(self) -> None:
        """Who is left goes back on the list: first those not reached, then those scheduled meanwhile, then repolls."""
        self.in_pass = False
        self.to_poll += self.poll_list
        self.to_poll += self.repoll
        self.poll_list.clear()
        self.repoll.clear()
        self.to_poll, self.poll_list = self.poll_list, self.to_poll
        if self.poll_list:
            self.pending = True
        self._restart_or_end()

    def _restart_or_end(self) -> None:
        """Whether the next pass follows at once; else `__do_softirq` is over, and what is pending is ksoftirqd's."""
        cpu = self.m.cpu
        if self.pending:
            self.restarts -= 1
            late = self.jiffies >= self.end
            if not late and not cpu.need_resched() and self.restarts:
                return
            cpu.wakeup_softirqd("time" if late else "restarts" if not self.restarts else "resched")
        self.running = self.in_ksoftirqd = False


class Other:
    """Another queue of this CPU: it uses its whole weight in every poll, as long as the modelled one has work to come.

    How long it takes is a figure of the cost profile for its whole weight; that it rests where nothing is to happen for
    `REST_NS` is the model's own, too (badge M), so that a wire on which a frame comes in an hour costs no hour's polls.
    """

    __slots__ = ("m", "number", "scheduled")

    def __init__(self, m: Machine, number: int) -> None:
        self.m = m
        self.number = number
        self.scheduled = False

    def poll(self, weight: int) -> int:
        """Use the whole weight; nothing is left to do once the run has nothing more, or not for long, for the queue."""
        m = self.m
        if m.is_quiet or m.rests_for(REST_NS):
            self.scheduled = False
            return 0
        m.step(steps.OTHER_POLL, None, -1, None, None, (self.number, weight))
        return weight
