"""What can be seen of a machine, as flat names and values: `pages.0.page_offset`, `ring.next_to_clean`.

The changes of a step are the difference of two looks. A look at everything costs as much as the ring is large, so
after a step only what it touched is looked at again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.descriptor import SIZE

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

Value = int | str | None
Look = dict[str, Value]
Change = tuple[str, Value, Value]


def everything(m: Machine) -> Look:
    """Return all that can be seen."""
    look = _whole(m)
    for slot in range(m.ring.count):
        look.update(_slot(m, slot))
    for page in m.memory.pages.values():
        look.update(_page(m, page))
    for skb in m.skbs.values():
        look.update(_skb(skb))
    return look


def _whole(m: Machine) -> Look:
    """What there is one of: cursors, NIC, NAPI, socket, counters, lamps."""
    ring, nic, napi, socket = m.ring, m.nic, m.napi, m.socket
    look: Look = {
        "ring.next_to_clean": ring.next_to_clean,
        "ring.next_to_use": ring.next_to_use,
        "ring.next_to_alloc": ring.next_to_alloc,
        "nic.RDH": nic.rdh,
        "nic.RDT": nic.rdt,
        "nic.waiting": nic.fifo_bytes,
        "nic.irq": "masked" if nic.irq_masked else "armed" if nic.irq_armed else "on",
        "napi.scheduled": int(napi.scheduled),
        "napi.polls": napi.polls,
        "napi.interrupts": napi.interrupts,
        "socket.queued": len(socket.queue),
        "socket.charged": socket.charged,
        "socket.read": socket.read,
    }
    look.update((f"counters.{name}", value) for name, value in m.counters().items())
    look.update((f"lamps.{name}", value) for name, value in m.lamps.lit.items())
    return look


def _slot(m: Machine, slot: int) -> Look:
    buffer = m.ring.rx_buffer_info[slot]
    return {
        f"slots.{slot}.descriptor": m.ring.desc[slot * SIZE : (slot + 1) * SIZE].hex(),
        f"slots.{slot}.page": buffer.page.id if buffer.page is not None else None,
        f"slots.{slot}.skb": buffer.skb.id if buffer.skb is not None else None,
    }


def _page(m: Machine, page: Page) -> Look:
    name = f"pages.{page.id}"
    look: Look = {f"{name}.page_count": page.refcount}
    if page.kind == "rx":
        look[f"{name}.users"] = " ".join(f"{region}:{skb}" for region, skb in sorted(page.users.items()))
        if page.slot >= 0:
            buffer = m.ring.rx_buffer_info[page.slot]
            look[f"{name}.page_offset"] = buffer.page_offset
            look[f"{name}.pagecnt_bias"] = buffer.pagecnt_bias
    return look


def _skb(skb: SkBuff) -> Look:
    name = f"skbs.{skb.id}"
    return {
        f"{name}.len": skb.len,
        f"{name}.data_len": skb.data_len,
        f"{name}.truesize": skb.truesize,
        f"{name}.frags": len(skb.frags),
        f"{name}.state": skb.state,
    }


class Observer:
    """Keeps the last look at a machine and tells what each step changed."""

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.last = everything(m)
        self.pages = set(m.memory.pages)
        self.skbs = set(m.skbs)

    def changes(self, slot: int, page: Page | None, skb: SkBuff | None) -> list[Change]:
        """Return [(name, old, new)] for the step just taken, None standing for "not there"."""
        m = self.m
        now = _whole(m)
        for near in self._slots(slot, page):
            now.update(_slot(m, near))
        for touched in self._pages(page, skb):
            now.update(_page(m, touched))
        if skb is not None and skb.id in m.skbs:
            now.update(_skb(skb))
        last = self.last
        found: list[Change] = [(name, last.get(name), value) for name, value in now.items() if last.get(name) != value]
        found += self._gone(page, now)
        for name, _, value in found:
            if value is None and name not in now:
                del last[name]
            else:
                last[name] = value
        return found

    def _slots(self, slot: int, page: Page | None) -> set[int]:
        count = self.m.ring.count
        near = {slot, (slot + 1) % count} if slot >= 0 else set()
        if page is not None and page.slot >= 0:
            near.add(page.slot)
        return near

    def _pages(self, page: Page | None, skb: SkBuff | None) -> list[Page]:
        pages = [page] if page is not None else []
        if skb is not None:
            pages += [skb.head_page, *(frag.page for frag in skb.frags)]
        return [each for each in pages if each.id in self.m.memory.pages]

    def _gone(self, page: Page | None, now: Look) -> list[Change]:
        """Names that were there before the step: of freed pages and skbs, and of a page that left the ring."""
        m = self.m
        pages, skbs = set(m.memory.pages), set(m.skbs)
        prefixes = [f"pages.{id}." for id in self.pages - pages] + [f"skbs.{id}." for id in self.skbs - skbs]
        self.pages, self.skbs = pages, skbs
        gone = [name for prefix in prefixes for name in self.last if name.startswith(prefix)]
        if page is not None and page.slot < 0 and page.id in pages:
            gone += [f"pages.{page.id}.page_offset", f"pages.{page.id}.pagecnt_bias"]
        return [(name, self.last[name], None) for name in gone if name in self.last and name not in now]


class Unobserved(Observer):
    """Stands for an observer where nobody asks what a step changed: looking costs more than the step itself."""

    def __init__(self) -> None:
        """Look at nothing."""

    def changes(self, slot: int, page: Page | None, skb: SkBuff | None) -> list[Change]:
        """Return nothing."""
        return []
