"""What one frame has cost up to a position of a run: its own steps are played again, with the bills looking on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.run.bills import Bill, Bills, empty

if TYPE_CHECKING:
    from rxviz.model.machine import Machine, Watch
    from rxviz.run.timeline import Timeline

WINDOW = 20_000
"""Steps that are looked through, at most, for where a frame begins; playing so many takes some 40 ms."""
FIRST = steps.DESC_DONE
"""The step with which a driver takes a frame in hand; what the NIC does before costs the CPU nothing."""


@dataclass(frozen=True, slots=True)
class FrameBill:
    """A frame, and what was paid for it so far."""

    frame: int
    bill: Bill


def frame_bill(timeline: Timeline, position: int) -> FrameBill | None:
    """Return the bill of the frame in question at a position: the step's, or else the last one that a step named.

    None before the first frame, and where the frame began too long ago to be played again.
    """
    frames, least = timeline.frames, max(position - WINDOW, 0)
    last = next((at for at in range(position - 1, least - 1, -1) if frames[at] >= 0), None)
    if last is None:
        return None
    frame = frames[last]
    first = _first(timeline, frame, least, position)
    if first == position:
        return FrameBill(frame, empty())
    if first is None:
        return None
    bills: list[Bills] = []

    def watcher(machine: Machine) -> Watch:
        bills.append(Bills(machine))
        return bills[0].watch

    timeline.replay(first, position, watcher)
    return FrameBill(frame, bills[0].frames.get(frame, empty()))


def _first(timeline: Timeline, frame: int, least: int, position: int) -> int | None:
    """Return how many steps there were before the driver took a frame in hand; `position` where it has not yet, None
    where that was before `least`.
    """
    frames, kinds, at, arrived = timeline.frames, timeline.kinds, least, least == 0
    while True:
        try:
            at = frames.index(frame, at, position)
        except ValueError:
            return position
        kind = kinds[at]
        if steps.KINDS[kind].who != "nic":
            return at if kind == FIRST or arrived else None
        arrived, at = True, at + 1
