"""Which pages to show where not all fit: those in motion first, in an order that stays put."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.view.slots import SlotState, bands

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.run.timeline import Moment


@dataclass(frozen=True, slots=True)
class Choice:
    """Pages by number, and a word on those left out ("" when none are)."""

    pages: list[Page]
    more: str


def choose_pages(moment: Moment, question: Page | None, room: int) -> Choice:
    """Choose at most `room` pages, one line of them for the word on the rest where there is one."""
    m = moment.machine
    every = [page for page in m.memory.pages.values() if page.kind == "rx"]
    if len(every) <= room:
        return Choice(every, "")
    if room <= 1:
        return Choice([question] if question is not None and room else every[: max(room, 0)], "")
    chosen: dict[int, Page] = {}
    for page in _by_interest(m, question, every):
        if len(chosen) == room - 1:
            break
        chosen.setdefault(page.id, page)
    shown = sorted(chosen.values(), key=lambda page: page.id)
    return Choice(shown, _rest(m, [page for page in every if page.id not in chosen]))


def _by_interest(m: Machine, question: Page | None, every: list[Page]) -> list[Page]:
    """The page in question, those that the driver is to clean, that the newest skbs hold, that were recycled last, and
    then those that the NIC comes to next.
    """
    found = [question] if question is not None else []
    slots = {state: (first, length) for state, first, length in bands(m)}
    first, length = slots.get(SlotState.DONE, (0, 0))
    found += _pages_at(m, first, min(length, 3))
    held = [page for page in every if page.users]
    held.sort(key=lambda page: -max(page.users.values()))
    found += held[:2]
    first, length = slots.get(SlotState.WAITING, (0, 0))
    last = min(length, 2)
    found += _pages_at(m, first + length - last, last) + held[:64]
    first, length = slots.get(SlotState.POSTED, (0, 0))
    return found + _pages_at(m, first, min(length, 64)) + every[:64]


def _pages_at(m: Machine, first: int, length: int) -> list[Page]:
    pages = [m.ring.page_at((first + place) % m.ring.count) for place in range(length)]
    return [page for page in pages if page is not None]


def _rest(m: Machine, left_out: list[Page]) -> str:
    """Say what the pages left out are doing; of chunks, in which many things are, how many there are."""
    if m.config.geometry.head:
        return f"+{len(left_out):,} chunks" if len(left_out) > 1 else "+1 chunk" if left_out else ""
    held = sum(1 for page in left_out if page.users)
    on_ring = sum(1 for page in left_out if page.slot >= 0 and not page.users)
    words = [f"+{on_ring:,} on the ring"] if on_ring else []
    words += [f"+{held:,} held by skbs"] if held else []
    kept = sum(1 for page in left_out if page.slot < 0 and m.driver.kept(page) is not None)
    words += [f"+{kept:,} in reserve"] if kept else []
    return "  ".join(words)
