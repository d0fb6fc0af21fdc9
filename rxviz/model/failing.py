"""A machine in which things fail: memory that is not to be had, or that is not good enough, and what revives a ring.

An honest machine has none of this and pays nothing for it. Sources: mm/page_alloc.c, `dev_page_is_reusable`,
`sk_filter_trim_cap` (net/core/filter.c), `ixgbe_check_hang_subtask`, `igb_watchdog_task`.
"""

from __future__ import annotations

from typing import Any, cast

from rxviz.model import steps
from rxviz.model.config import Config, FrameSource
from rxviz.model.cpu import Who
from rxviz.model.failures import ALLOC_PAGE, ALLOC_SKB, MAP, PFMEMALLOC, REMOTE_PAGE, STALL_CPU, Failures, Spot, Stall
from rxviz.model.machine import Machine
from rxviz.model.memory import Page, PageAllocator
from rxviz.model.rules import with_rules_off
from rxviz.model.skb import SkBuff
from rxviz.model.socket import Socket

NO_TIME = -1


class FailingAllocator(PageAllocator):
    """Hands out pages, or does not."""

    __slots__ = ("failures",)

    def __init__(self, m: Machine, failures: Failures) -> None:
        super().__init__(m)
        self.failures = failures

    def alloc(self, size: int, kind: str) -> Page:
        """Return a fresh page; where the scenario says so, it is one that must not stay on a ring."""
        page = super().alloc(size, kind)
        if kind == "rx":
            page.reserved = next((word for word in (REMOTE_PAGE, PFMEMALLOC) if self.failures.names(word, page.id)), "")
        return page

    def dev_alloc_pages(self, size: int) -> Page | None:
        """Return a page for the ring, None where this attempt fails."""
        return None if self.failures.fails(ALLOC_PAGE) else super().dev_alloc_pages(size)

    def dma_map(self, page: Page) -> bool:
        """Map a page; return whether that went well."""
        return not self.failures.fails(MAP)


class ReservedSocket(Socket):
    """A socket that nobody has allowed to use the memory that is kept for emergencies (no SOCK_MEMALLOC)."""

    __slots__ = ("pfmemalloc_drop",)

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.pfmemalloc_drop = 0

    def enqueue(self, skb: SkBuff) -> None:
        """Take an skb, unless it lies in such memory (`sk_filter_trim_cap`)."""
        if not _is_pfmemalloc(skb):
            super().enqueue(skb)
            return
        m = self.m
        self.pfmemalloc_drop += skb.segs
        m.step(steps.SOCKET_PFMEMALLOC, skb.frame, -1, skb.first_page, skb, ())
        m.driver.free_skb(skb)

    def drops(self) -> dict[str, int]:
        """Return the frames that were lost here, each once, by the name of the counter that tells of it."""
        return {**super().drops(), "PFMemallocDrop": self.pfmemalloc_drop}


def _is_pfmemalloc(skb: SkBuff) -> bool:
    """Whether the skb was marked as it was made (`skb->pfmemalloc`); what GRO adds to it later does not mark it."""
    own = [frag.page for number, frag in enumerate(skb.frags) if not skb.frag_frames or _is_own(skb, number)]
    return any(page.reserved == PFMEMALLOC for page in (skb.head_page, *own))


def _is_own(skb: SkBuff, number: int) -> bool:
    return skb.frag_frames[number] is skb.frame


class FailingMachine(Machine):
    """One receive queue and all that stands round it, in a world in which memory may be short."""

    __slots__ = ("failures", "gave_up", "service_at", "tried")

    def __init__(self, config: Config, source: FrameSource) -> None:
        self.failures = Failures(config.fail)
        self.service_at = NO_TIME
        """When the service task is to look at the ring; it is thought of only where it has something to do."""
        self.gave_up = False
        self.tried = -1
        """How many attempts there had been when it was last asked whether to come by again would help."""
        super().__init__(config, source)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {name: getattr(self, name) for name in FailingMachine.__slots__}

    def make_memory(self) -> PageAllocator:
        """Return where pages come from."""
        return FailingAllocator(self, self.failures)

    def make_socket(self) -> Socket:
        """Return the end that every frame comes to; nothing but a socket asks whose memory an skb is in."""
        if self.config.forward != "off":
            return super().make_socket()
        return cast(ReservedSocket, with_rules_off(ReservedSocket, "socket", self.config.off)(self))

    def new_skb_id(self) -> int:
        """Return the number of the next skb, negative where this attempt to allocate one fails."""
        return -1 if self.failures.fails(ALLOC_SKB) else super().new_skb_id()

    def counters(self) -> dict[str, int]:
        """Return the counters by their kernel names."""
        return super().counters() | {"PFMemallocDrop": self.socket.drops().get("PFMemallocDrop", 0)}

    @property
    def waits_for_memory(self) -> bool:
        """Whether the run ended because memory is never to be had again: the service task would go on for ever."""
        return self.gave_up

    def unmet(self) -> list[Spot]:
        """Return what the scenario has fail and the run, so far, never came to: attempts that were not made, pages that
        the ring never had, or that are on it still, as no frame has made the driver look at them.
        """
        waiting = [page for page in self.memory.pages.values() if page.reserved and page.slot >= 0]
        return [
            spot
            for spot in self.failures.spots
            if self.failures.met.get(spot, 0)
            <= sum(page.reserved == spot.kind and spot.first <= page.id <= spot.last for page in waiting)
        ]

    # ------------------------------------------------------------------------------------------- the service task
    def tick(self) -> Who:
        """Do the next event; the service task is one where it comes first and the ring has got stuck."""
        if self.halted:
            return Who.NOBODY
        busy = self.stalled or self.softirq.running or self.cpu.busy
        if self.service_at == NO_TIME or busy or self.next_t < self.service_at or not self._is_stuck():
            return self._other_event()
        if not self.heap and not self._will_help():
            return Who.NOBODY
        self.now, self.service_at = max(self.now, self.service_at), NO_TIME
        self.driver.revive()
        return Who.IDLE

    def _other_event(self) -> Who:
        """Do what comes next but for the service task; see when that is to come by for a ring that has got stuck."""
        happened = super().tick()
        if not self._is_stuck():
            self.service_at = NO_TIME
            return happened
        if self.service_at == NO_TIME:
            self.service_at = self.driver.next_service(self.now) or NO_TIME
        return happened if self.service_at == NO_TIME else happened or Who.IDLE

    def _is_stuck(self) -> bool:
        """Whether nothing is under way that would have the ring polled, though it should be."""
        napi, nic = self.napi, self.nic
        under_way = napi.scheduled or napi.irq_pending or nic.irq_armed or nic.irq_masked
        return not under_way and (self.driver.pending() or self.driver.falls_short())

    def _will_help(self) -> bool:
        """Whether it helps to come by again; a failure that lasts for ever is what the run waits for at its end."""
        failures, tried = self.failures, self.tried
        self.gave_up = not all(failures.ends(kind) for kind in self.driver.needs())
        self.tried = sum(failures.attempts.values())
        return not self.gave_up and self.tried != tried

    def _set_up(self) -> None:
        super()._set_up()
        self.failures.armed = True
        for stall in self.config.stalls:
            self.at(stall.at, self._stall, stall)

    def _stall(self, stall: Stall) -> None:
        if stall.kind == STALL_CPU:
            self.stall_cpu(stall.ns)
        else:
            self.stall_reader(stall.ns)


def make_machine(config: Config, source: FrameSource) -> Machine:
    """Return a machine with its ring filled and its first frame on the way."""
    return (FailingMachine if config.fail or config.stalls else Machine)(config, source)
