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
from rxviz.model.assemble import make_driver, make_gro, make_lro, make_nic, make_ring, make_socket
from rxviz.model.config import Config, FrameSource
from rxviz.model.frame import Frame
from rxviz.model.lamps import Lamps
from rxviz.model.ledger import Ledger
from rxviz.model.memory import Page, PageAllocator, PageFragCache
from rxviz.model.napi import Napi
from rxviz.model.skb import SkBuff

NEVER = 1 << 62
"""A time that no run reaches."""

Watch = Callable[[int, "Frame | None", int, "Page | None", "SkBuff | None", tuple[Any, ...]], None]
"""Called with (kind, frame, slot, page, skb, fields) after each step; may raise to stop the machine there."""


class Machine:
    """One receive queue and all that stands round it.

    `now` is the CPU's clock in ns. Things that happen beside the CPU wait in a heap of (time, number, act, argument)
    and are done as soon as the CPU's clock has passed them, so that frames go on arriving while the driver works.
    """

    __slots__ = (
        "config",
        "copy_ns",
        "costs",
        "counts",
        "csum_ns",
        "driver",
        "gro",
        "halted",
        "heap",
        "in_world",
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
        "pushed",
        "ring",
        "skbs",
        "socket",
        "source",
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
        self.halted = False
        self.offered = 0
        self.copy_ns = 0
        self.csum_ns = 0
        self.ledger = Ledger()
        self.lamps = Lamps(self)
        self.memory = PageAllocator(self)
        self.napi_frags = PageFragCache(self.memory, config.core, "rx" if config.geometry.head else "frag")
        self.skbs: dict[int, SkBuff] = {}
        self.ring = make_ring(self)
        self.nic = make_nic(self)
        self.napi = Napi(self)
        self.gro = make_gro(self)
        self.lro = make_lro(self)
        self.socket = make_socket(self)
        self.driver = make_driver(self)
        self._set_up()

    def __getstate__(self) -> dict[str, Any]:
        """A checkpoint holds neither the source nor the watcher: whoever restores it brings his own."""
        return {name: getattr(self, name) for name in self.__slots__ if name not in ("source", "watch")}

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

    def tick(self) -> bool:
        """Do the next event, whatever it is; return False when nothing will ever happen again.

        Between two ticks no code of the model is half done: that is where checkpoints are taken.
        """
        if self.halted:
            return False
        if self.napi.irq_pending:
            self.napi.interrupt()
            return True
        if self.napi.scheduled:
            self.napi.softirq()
            return True
        if not self.heap:
            return False
        t, _, act, argument = heappop(self.heap)
        self.next_t = self.heap[0][0] if self.heap else NEVER
        self.now = max(self.now, t)
        act(argument)
        return True

    def run(self) -> None:
        """Play to the end."""
        while self.tick():
            pass
        self.lamps.at_end()

    def halt(self) -> None:
        """Let nothing more happen: the kernel has stopped."""
        self.halted = True

    # ------------------------------------------------------------------------------------------------------ frames
    def _set_up(self) -> None:
        """What the driver does when the interface comes up; no step, since it is over before the first frame."""
        self.driver.configure_rx_ring()
        self.counts = [0] * len(steps.KINDS)
        self.now = 0
        self._next_arrival()

    def _next_arrival(self) -> None:
        frame = self.source.frame(self.offered)
        if frame is not None:
            self.at(frame.t_ns, self._arrive, frame)

    def _arrive(self, frame: Frame) -> None:
        self.offered += 1
        self.nic.receive(frame)
        self._next_arrival()

    def new_skb_id(self) -> int:
        """Return the number of the next skb, and put its sk_buff on the bill."""
        ledger = self.ledger
        ledger.sk_buffs = made = ledger.sk_buffs + 1
        ledger.cache_lines += self.config.core.skb_lines
        return made - 1

    def counters(self) -> dict[str, int]:
        """Return the counters by the names that `ethtool -S` and `/proc/net/snmp` have for them."""
        return {**self.nic.counters(), **self.driver.counters(), "RcvbufErrors": self.socket.rcvbuf_errors}
