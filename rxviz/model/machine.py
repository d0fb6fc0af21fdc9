"""The machine: its clock, its parts, and the steps they take.

A step is the smallest thing that happens. Whoever does something changes the state first and then says so with
`step` (an act of the CPU, which takes time) or `note` (an act of the NIC or of the reader, which happens beside it).
Nothing else drives the model: stepping, running and seeking differ only in who watches, and where he stops.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

from rxviz.model import steps
from rxviz.model.assemble import make_driver, make_frags, make_gro, make_lro, make_nic, make_ring, make_socket
from rxviz.model.config import Config, FrameSource
from rxviz.model.cpu import Cpu, Who
from rxviz.model.frame import Frame
from rxviz.model.lamps import Lamps
from rxviz.model.ledger import Ledger
from rxviz.model.memory import Page, PageAllocator
from rxviz.model.moderation import make_moderation
from rxviz.model.napi import Napi
from rxviz.model.skb import SkBuff
from rxviz.model.socket import Socket
from rxviz.model.softirq import Softirq

NEVER = 1 << 62
"""A time that no run reaches."""

Watch = Callable[[int, "Frame | None", int, "Page | None", "SkBuff | None", tuple[Any, ...]], None]
"""Called with (kind, frame, slot, page, skb, fields) after each step; may raise to stop the machine there."""


class Machine:
    """One receive queue and all that stands round it.

    `now` is the clock, in ns, of CPU 0, which takes the queue's interrupt and polls. Things that happen beside it wait
    in a heap of (time, number, act, argument) and are done as soon as that clock has passed them, so that frames go
    on arriving while the driver works.
    """

    __slots__ = (
        "called",
        "config",
        "copy_ns",
        "costs",
        "counts",
        "cpu",
        "csum_ns",
        "driver",
        "gro",
        "halted",
        "heap",
        "in_world",
        "itr",
        "lamps",
        "ledger",
        "lro",
        "memory",
        "napi",
        "napi_frags",
        "next_t",
        "nic",
        "now",
        "offered",
        "over",
        "pushed",
        "ring",
        "skbs",
        "socket",
        "softirq",
        "source",
        "stalled",
        "stands",
        "watch",
    )

    def __init__(self, config: Config, source: FrameSource) -> None:
        self.config = config
        self.source = source
        self.watch: Watch | None = None
        self.now = 0
        self.counts = [0] * len(steps.KINDS)
        """Steps taken so far, by kind."""
        self.costs = config.cost.steps
        self.heap: list[tuple[int, int, Callable[[Any], None], Any]] = []
        self.next_t = NEVER
        self.pushed = 0
        self.in_world = False
        self.called = False
        """Whether an interrupt has come in the midst of a poll, to be taken as soon as the step is over."""
        self.stands = False
        """Whether CPU 0 is halted or stalled."""
        self.stalled = 0
        """ns for which CPU 0 is to do nothing at all, as soon as it comes to an end of what it does."""
        self.halted = False
        self.offered = 0
        self.over = False
        """Whether the last frame has arrived."""
        self.copy_ns = 0
        self.csum_ns = 0
        self.ledger = Ledger()
        self.lamps = Lamps(self)
        self.memory = self.make_memory()
        self.napi_frags = make_frags(self)
        self.skbs: dict[int, SkBuff] = {}
        self.ring = make_ring(self)
        self.nic = make_nic(self)
        self.itr = make_moderation(self)
        self.softirq = Softirq(self)
        self.cpu = Cpu(self)
        self.napi = Napi(self)
        self.gro = make_gro(self)
        self.lro = make_lro(self)
        self.socket = self.make_socket()
        self.driver = make_driver(self)
        self._set_up()

    def make_memory(self) -> PageAllocator:
        """Return where pages come from."""
        return PageAllocator(self)

    def make_socket(self) -> Socket:
        """Return the end that every frame comes to."""
        return make_socket(self)

    def __getstate__(self) -> dict[str, Any]:
        """A checkpoint holds neither the source nor the watcher: whoever restores it brings his own."""
        return {name: getattr(self, name) for name in Machine.__slots__ if name not in ("source", "watch")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.watch = None
        for name, value in state.items():
            setattr(self, name, value)

    # ------------------------------------------------------------------------------------------------------- steps
    @property
    def n(self) -> int:
        """Steps taken so far."""
        return sum(self.counts)

    def step(
        self, kind: int, frame: Frame | None = None, slot: int = -1, page: Page | None = None,
        skb: SkBuff | None = None, fields: tuple[Any, ...] = (),
    ) -> None:  # fmt: skip
        """Say what the CPU has just done; its cost passes on the clock, and with it whatever happens meanwhile."""
        self.counts[kind] += 1
        if self.watch is not None:
            self.watch(kind, frame, slot, page, skb, fields)
        self.now = now = self.now + self.costs[kind]
        if self.next_t <= now:
            self.catch_up()

    def note(
        self, kind: int, frame: Frame | None = None, slot: int = -1, page: Page | None = None,
        skb: SkBuff | None = None, fields: tuple[Any, ...] = (),
    ) -> None:  # fmt: skip
        """Say what has just happened beside the CPU, or at no cost of its own."""
        self.counts[kind] += 1
        if self.watch is not None:
            self.watch(kind, frame, slot, page, skb, fields)

    # ------------------------------------------------------------------------------------------------------- clock
    def at(self, t: int, act: Callable[[Any], None], argument: Any = None) -> None:
        """Have `act(argument)` done at time `t`; acts of one time are done in the order in which they were asked."""
        self.pushed += 1
        heappush(self.heap, (t, self.pushed, act, argument))
        if t < self.next_t:
            self.next_t = t

    def spend_copy(self, ns: int) -> None:
        """Let the time pass on the CPU that a copy takes, which depends on its size."""
        self.copy_ns += ns
        self.now += ns

    def spend_csum(self, ns: int) -> None:
        """Let the time pass on the CPU that adding up a checksum takes."""
        self.csum_ns += ns
        self.now += ns

    def catch_up(self) -> None:
        """Do what has happened beside the CPU up to its present time."""
        if self.in_world:
            return
        self.in_world = True
        cpu_now = self.now
        heap = self.heap
        while heap and heap[0][0] <= cpu_now:
            t, _, act, argument = heappop(heap)
            self.now = t
            act(argument)
        self.now = cpu_now
        self.next_t = heap[0][0] if heap else NEVER
        self.in_world = False
        if self.called:
            self.called = False
            self.cpu.hardirq()

    def tick(self) -> Who:
        """Do the next event, whatever it is; return who had CPU 0 meanwhile, NOBODY when nothing will happen again.

        Between two ticks no code of the model is half done: that is where checkpoints are taken.
        """
        if self.stands:
            return self._stand_still()
        if self.napi.irq_pending:
            self.cpu.hardirq()
            return Who.HARDIRQ
        softirq = self.softirq
        if softirq.running:
            who = Who.KSOFTIRQD if softirq.in_ksoftirqd else Who.SOFTIRQ
            softirq.go_on()
            return who
        if self.cpu.busy:
            return self.cpu.run()
        if not self.heap:
            return Who.NOBODY
        t, _, act, argument = heappop(self.heap)
        self.next_t = self.heap[0][0] if self.heap else NEVER
        self.now = max(self.now, t)
        act(argument)
        return Who.IDLE

    def run(self) -> None:
        """Play to the end."""
        while self.tick():
            pass
        self.lamps.at_end()

    # ------------------------------------------------------------------------------------------------------ stalls
    def stall_cpu(self, ns: int) -> None:
        """Have CPU 0 do nothing for a time, from the end of the poll or handler in which it is: not even interrupts."""
        self.stalled += ns
        self.stands = True

    def stall_reader(self, ns: int) -> None:
        """Have the program read nothing for a time, from the end of the read in which it is."""
        self.socket.stall(ns)

    def _stand_still(self) -> Who:
        if self.halted:
            return Who.NOBODY
        ns, self.stalled, self.stands = self.stalled, 0, False
        self.note(steps.CPU_STALL, None, -1, None, None, (ns,))
        self.now += ns
        self.catch_up()
        return Who.STALL

    @property
    def is_quiet(self) -> bool:
        """Whether no frame will arrive, and nothing is left that would have the queue polled."""
        napi = self.napi
        waits = napi.scheduled or napi.irq_pending or napi.timer_pending or napi.timer_at > self.now
        return self.over and not waits and not self.nic.irq_armed

    def rests_for(self, ns: int) -> bool:
        """Whether the queue waits for nothing but for what happens beside the CPU, and nothing does for so long."""
        napi = self.napi
        return not (napi.scheduled or napi.irq_pending or napi.timer_pending) and self.next_t > self.now + ns

    def halt(self) -> None:
        """Let nothing more happen: the kernel has stopped."""
        self.halted = self.stands = True

    # ------------------------------------------------------------------------------------------------------ frames
    def _set_up(self) -> None:
        """What the driver does when the interface comes up; no step, since it is over before the first frame."""
        self.driver.configure_rx_ring()
        self.counts = [0] * len(steps.KINDS)
        self.now = 0
        self._next_arrival()

    def _next_arrival(self) -> None:
        frame = self.source.frame(self.offered)
        if frame is None:
            self.over = True
        else:
            self.at(frame.t_ns, self._arrive, frame)

    def _arrive(self, frame: Frame) -> None:
        self.offered += 1
        self.nic.receive(frame)
        self._next_arrival()

    @property
    def waits_for_memory(self) -> bool:
        """Whether the ring may rest with work pending, because memory is never to be had again."""
        return False

    def new_skb_id(self) -> int:
        """Return the number of the next skb, and put its sk_buff on the bill; -1 where there is no memory for one."""
        ledger = self.ledger
        ledger.sk_buffs = made = ledger.sk_buffs + 1
        ledger.cache_lines += self.config.core.skb_lines
        return made - 1

    def counters(self) -> dict[str, int]:
        """Return the counters by the names that `ethtool -S` and `/proc/net/snmp` have for them."""
        return {**self.nic.counters(), **self.driver.counters(), "RcvbufErrors": self.socket.rcvbuf_errors}
