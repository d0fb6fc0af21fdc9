"""Who owns each half of a page right now: derived from cursors, shadow entries and holders, never stored.

At most one half of a page is on the ring (WAITING, POSTED or FILLED) at any time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page


class State(StrEnum):
    """What a half is doing."""

    WAITING = "waiting"
    """Chosen for the next frame of a recycled page, not yet shown to the NIC (next_to_use up to next_to_alloc)."""
    POSTED = "posted"
    """Its address is in a descriptor that the NIC may use."""
    FILLED = "filled"
    """The NIC has written it; the driver has not looked yet."""
    IN_HAND = "in hand"
    """The driver is working on it in this moment."""
    STACK = "stack"
    """An skb that has left the driver points into it."""
    SPARE = "spare"
    """The driver's, held by nobody, and not on offer."""
    USED = "used"
    """Nobody holds it, its page is still in use, and it is not offered again."""
    GONE = "gone"
    """Nobody holds it, and its page has left the ring: the other half keeps the page alive."""


@dataclass(frozen=True, slots=True)
class Half:
    """A half (or, on walked pages, a region): where it starts in its page, its state, and whose bytes lie in it.

    `frame` is the frame whose bytes matter there, None where none do; `skb` the skb that holds it; `slot` the slot
    that offers it, -1 where none does.
    """

    start: int
    size: int
    state: State
    frame: Frame | None = None
    skb: int | None = None
    slot: int = -1


def halves(m: Machine, page: Page) -> list[Half]:
    """Return the halves or segments of a page, in address order; on other walked pages the regions in use."""
    part = m.config.geometry.part
    starts = [*range(0, page.size, part)] if part else sorted({*page.users, *_offered(m, page)})
    following = [*starts[1:], page.size] if starts else []
    return [_half(m, page, start, end - start) for start, end in zip(starts, following, strict=True)]


def _offered(m: Machine, page: Page) -> list[int]:
    if page.slot < 0:
        return []
    return [m.ring.offset_at(page.slot) - m.config.geometry.pad]


def _half(m: Machine, page: Page, start: int, size: int) -> Half:
    holder = page.users.get(start)
    if holder is not None:
        skb = m.skbs[holder]
        state = State.IN_HAND if skb.state == "driver" else State.STACK
        return Half(start, size, state, skb.frame_at(page, start), holder)
    if page.slot < 0:
        return _kept(m, page, start, size)
    offered = _offered(m, page)
    if start not in offered:
        walked_past = m.config.geometry.segment and start < offered[0]
        return Half(start, size, State.USED if walked_past else State.SPARE)
    return _on_ring(m, page, start, size)


def _kept(m: Machine, page: Page, start: int, size: int) -> Half:
    """A half of a page off the ring: the driver may still have it, in reserve or with a frame that it waits for."""
    kept = m.driver.kept(page)
    if kept is None:
        return Half(start, size, State.GONE)
    offset, frame = kept
    if frame is not None and start == offset:
        return Half(start, size, State.IN_HAND, frame)
    return Half(start, size, State.SPARE if start >= offset else State.USED)


def _on_ring(m: Machine, page: Page, start: int, size: int) -> Half:
    """The half that the shadow entry of the page's slot names."""
    ring, slot = m.ring, page.slot
    ahead = (slot - ring.first) % ring.count
    if ahead >= m.nic.given:
        return Half(start, size, State.WAITING, slot=slot)
    if ahead >= m.nic.written:
        return Half(start, size, State.POSTED, slot=slot)
    if ahead == 0 and _is_flipped(m, page):
        return Half(start, size, State.SPARE)
    return Half(start, size, State.FILLED, ring.frames[slot], slot=slot)


def _is_flipped(m: Machine, page: Page) -> bool:
    """Whether the driver is at work on this page: the entry names the next half while the frame's skb has this one."""
    return any(m.skbs[skb].state == "driver" for skb in page.users.values())
