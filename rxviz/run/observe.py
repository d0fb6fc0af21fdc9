"""What can be seen of a machine, as flat names and values: `pages.0.page_offset`, `ring.next_to_clean`.

The changes of a step are the difference of two looks. A look at everything costs as much as the ring is large, so
after a step only what it touched is looked at again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.ring import Ring
    from rxviz.model.skb import SkBuff

Value = int | str | None
Look = dict[str, Value]
Change = tuple[str, Value, Value]


_WHOLE = (
    *(f"nic.{name}" for name in ("waiting", "irq")),
    *(f"napi.{name}" for name in ("scheduled", "missed", "polls", "passes", "interrupts", "itr")),
    "counters.time_squeeze",
    *(f"socket.{name}" for name in ("queued", "charged", "read")),
)
_SLOT = ("descriptor", "page", "skb")
_PAGE = ("page_count", "users", "page_offset", "pagecnt_bias")
_SKB = ("len", "data_len", "truesize", "frags", "state")
_GRO = ("gro.held", "gro.queued")
_LRO = ("lro.held",)
_SEGS = ("segs",)
"""What there is only where GRO is on."""
Values = tuple[Value, ...]
_NO_PAGE: Values = (None,) * len(_PAGE)


def everything(m: Machine) -> Look:
    """Return all that can be seen."""
    look: Look = dict(zip(_whole_names(m), _whole(m), strict=True))
    for slot in range(m.ring.count):
        look.update(zip((f"slots.{slot}.{name}" for name in _SLOT), _slot(m, slot), strict=True))
    for number in range(m.ring.entries):
        look[f"{m.ring.BESIDE}.{number}"] = m.ring.entry(number).hex()
    for page in m.memory.pages.values():
        values = zip(_PAGE, _page(m, page), strict=True)
        look.update((f"pages.{page.id}.{name}", value) for name, value in values if value is not None)
    waiting = (m.ring.skb_at(slot) for slot in range(m.ring.count))
    skbs = m.skbs | {skb.id: skb for skb in waiting if skb is not None}
    for skb in skbs.values():
        look.update(zip((f"skbs.{skb.id}.{name}" for name in _skb_names(m)), _skb(m, skb), strict=True))
    return look


def _skb_names(m: Machine) -> tuple[str, ...]:
    return _SKB if m.gro is None and m.lro is None else _SKB + _SEGS


def _whole_names(m: Machine) -> tuple[str, ...]:
    counters, lamps = (f"counters.{name}" for name in m.counters()), (f"lamps.{name}" for name in m.lamps.lit)
    ring = (f"ring.{name}" for name in _ring_names(m.ring))
    registers = (f"nic.{name}" for _, name in m.nic.REGISTERS)
    return (
        *ring,
        *registers,
        *_WHOLE,
        *(() if m.gro is None else _GRO),
        *(() if m.lro is None else _LRO),
        *counters,
        *lamps,
    )


def _whole(m: Machine) -> Values:
    """What there is one of: cursors, NIC, NAPI, socket, GRO, counters, lamps."""
    ring, nic, napi, softirq, socket = m.ring, m.nic, m.napi, m.softirq, m.socket
    return (
        *_numbers(ring, _ring_names(ring)),
        *_numbers(nic, tuple(name for name, _ in nic.REGISTERS)),
        nic.fifo_bytes,
        "masked" if nic.irq_masked else "armed" if nic.irq_armed else "on",
        int(napi.scheduled),
        int(napi.missed),
        napi.polls,
        softirq.passes,
        napi.interrupts,
        m.itr.ns if m.config.itr_ns is None else m.config.itr_ns,
        softirq.time_squeeze,
        len(socket.queue),
        socket.charged,
        socket.read,
        *(() if m.gro is None else (len(m.gro.holding), m.gro.rx_count)),
        *(() if m.lro is None else (len(m.lro.holding),)),
        *m.counters().values(),
        *m.lamps.lit.values(),
    )


def _ring_names(ring: Ring) -> tuple[str, ...]:
    return (*(name for name, _ in ring.CURSORS), *ring.COUNTS)


def _numbers(of: object, names: tuple[str, ...]) -> tuple[int, ...]:
    """Return attributes that are numbers, in order."""
    return _getter(names)(of)


@cache
def _getter(names: tuple[str, ...]) -> Callable[[object], tuple[int, ...]]:
    """Return what gets several attributes at once; of one alone it gets no tuple."""
    get: Callable[[object], Any] = attrgetter(*names)
    return get if len(names) > 1 else lambda of: (get(of),)


def _slot(m: Machine, slot: int) -> Values:
    page, skb = m.ring.page_at(slot), m.ring.skb_at(slot)
    return (
        m.ring.descriptor(slot).hex(),
        page.id if page is not None else None,
        skb.id if skb is not None else None,
    )


def _page(m: Machine, page: Page) -> Values:
    """Only pages of the ring have users, and only those on it an offset and a bias; None stands for "not there"."""
    if page.kind != "rx":
        return page.refcount, None, None, None
    users = " ".join([f"{region}:{skb}" for region, skb in sorted(page.users.items())]) if page.users else ""
    if page.slot < 0:
        return page.refcount, users, None, None
    return page.refcount, users, *m.ring.place(page.slot)


def _skb(m: Machine, skb: SkBuff) -> Values:
    seen = skb.len, skb.data_len, skb.truesize, len(skb.frags), skb.state
    return seen if m.gro is None and m.lro is None else (*seen, skb.segs)


class Observer:
    """Keeps the last look at a machine and tells what each step changed.

    Nothing is named before it has changed: a look at a whole ring is taken for each step that is shown.
    """

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.names = _whole_names(m)
        self.whole = _whole(m)
        self.slots = [_slot(m, slot) for slot in range(m.ring.count)]
        self.pages = {page.id: _page(m, page) for page in m.memory.pages.values()}
        self.skb_names = _skb_names(m)
        self.no_skb: Values = (None,) * len(self.skb_names)
        waiting = (m.ring.skb_at(slot) for slot in range(m.ring.count))
        self.skbs = {skb.id: _skb(m, skb) for skb in (*m.skbs.values(), *waiting) if skb is not None}
        self.beside = [m.ring.entry(number).hex() for number in range(m.ring.entries)]
        self.newest = m.ring.newest
        self.chunk = m.napi_frags.page
        """The chunk that heads were cut from at the last look: a new one takes back what was prepaid on it."""

    def changes(self, slot: int, page: Page | None, skb: SkBuff | None) -> list[Change]:
        """Return [(name, old, new)] for the step just taken, None standing for "not there"; what went comes last."""
        m = self.m
        found: list[Change] = []
        gone: list[Change] = []
        now = _whole(m)
        if now != self.whole:
            found += [
                (name, old, new) for name, old, new in zip(self.names, self.whole, now, strict=True) if old != new
            ]
            self.whole = now
        for near in self._slots(slot, page):
            now = _slot(m, near)
            if now != self.slots[near]:
                _compare(f"slots.{near}", _SLOT, self.slots[near], now, found, found)
                self.slots[near] = now
        if m.ring.newest != self.newest:
            self.newest = number = m.ring.newest
            entry = m.ring.entry(number).hex()
            if entry != self.beside[number]:
                found.append((f"{m.ring.BESIDE}.{number}", self.beside[number], entry))
                self.beside[number] = entry
        for touched in self._pages(page, skb):
            alive = touched.id in m.memory.pages
            now, old = _page(m, touched) if alive else _NO_PAGE, self.pages.get(touched.id, _NO_PAGE)
            if now != old:
                _compare(f"pages.{touched.id}", _PAGE, old, now, found, gone)
                self.pages[touched.id] = now
            if not alive:
                self.pages.pop(touched.id, None)
        for id in self._skbs(skb):
            known = m.skbs.get(id) or (skb if skb is not None and skb.id == id and skb.waits_for_frame else None)
            now, old = self.no_skb if known is None else _skb(m, known), self.skbs.get(id, self.no_skb)
            if now != old:
                _compare(f"skbs.{id}", self.skb_names, old, now, found, gone)
                self.skbs[id] = now
            if known is None:
                self.skbs.pop(id, None)
        return found + gone

    def _skbs(self, skb: SkBuff | None) -> list[int]:
        """The skb of the step, what is chained to it, and what GRO has just taken from."""
        if skb is None:
            return []
        ids = [skb.id, *(member.id for member in skb.frag_list)]
        merged = self.m.gro.touched[0] if self.m.gro is not None else -1
        return ids if merged < 0 or merged in ids else [*ids, merged]

    def _slots(self, slot: int, page: Page | None) -> set[int]:
        count = self.m.ring.count
        near = {slot, (slot + 1) % count} if slot >= 0 else set()
        if page is not None and page.slot >= 0:
            near.add(page.slot)
        return near

    def _pages(self, page: Page | None, skb: SkBuff | None) -> list[Page]:
        pages = [page] if page is not None else []
        if skb is not None:
            for each in (skb, *skb.frag_list):
                pages += [each.head_page, *(frag.page for frag in each.frags)]
            if self.m.gro is not None and (head := self.m.memory.pages.get(self.m.gro.touched[1])) is not None:
                pages.append(head)
        if self.chunk is not self.m.napi_frags.page:
            pages += [chunk for chunk in (self.chunk,) if chunk is not None]
            self.chunk = self.m.napi_frags.page
        return pages


def _compare(
    prefix: str, names: tuple[str, ...], old: Values, new: Values, found: list[Change], gone: list[Change]
) -> None:
    """Add what differs to `found`, and to `gone` what is there no more."""
    for name, before, after in zip(names, old, new, strict=True):
        if before != after:
            (gone if after is None else found).append((f"{prefix}.{name}", before, after))


class Unobserved(Observer):
    """Stands for an observer where nobody asks what a step changed: looking costs more than the step itself."""

    def __init__(self) -> None:
        """Look at nothing."""

    def changes(self, slot: int, page: Page | None, skb: SkBuff | None) -> list[Change]:
        """Return nothing."""
        return []
