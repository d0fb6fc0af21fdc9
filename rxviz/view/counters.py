"""The panel of the counters: what `ethtool -S`, /proc/net/snmp and softnet_stat would show, and what each counts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache

from rxviz import paths
from rxviz.model.machine import Machine
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit

NAME = 22
"""Columns that most names need."""
SOURCES = "ethtool -S · snmp · softnet_stat"
MEANING = 24
"""Columns from which a meaning is worth its place."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter with its value now; `before` is what it was before the step."""

    name: str
    value: int
    before: int

    @property
    def changed(self) -> bool:
        """Whether the step changed it."""
        return self.value != self.before


@cache
def meanings() -> dict[str, str]:
    """Return what each counter counts, by its name (assets/counters.toml)."""
    with (paths.assets() / "counters.toml").open("rb") as file:
        words: dict[str, str] = tomllib.load(file)["counters"]
    return words


def values(m: Machine) -> dict[str, int]:
    """Return every counter of a machine, the NIC's and the driver's first, then the socket's and softnet_stat's."""
    return {**m.counters(), "time_squeeze": m.softirq.time_squeeze}


def counters(moment: Moment) -> list[Counter]:
    """Return the counters, those that are not zero first, each part in the order in which the kernel shows them."""
    changed = {name: old for name, old, _ in (moment.step.changes if moment.step is not None else ())}
    found = []
    for name, value in values(moment.machine).items():
        old = changed.get(f"counters.{name}", value)
        found.append(Counter(name, value, old if isinstance(old, int) else value))
    return sorted(found, key=lambda counter: not counter.value)


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the counters, one a line: name, value, and what it counts, where there is room for that."""

    found = counters(moment)
    marked = sum(counter.changed for counter in found)

    def body(canvas: Canvas) -> None:
        _draw(canvas, found)

    right = f"{marked} changed · {SOURCES}" if marked else SOURCES
    return frame(width, height, "Counters", right, body, active=active, glyphs=glyphs)


def in_sight(found: list[Counter], height: int) -> list[Counter]:
    """Return those that a height has room for, in their order: what the step changed is always among them."""
    if len(found) <= height:
        return found
    room = max(height - 1, 0)
    changed = [counter for counter in found if counter.changed][:room]
    others = [counter for counter in found if not counter.changed][: room - len(changed)]
    return [counter for counter in found if counter in changed or counter in others]


def _draw(canvas: Canvas, found: list[Counter]) -> None:
    widest = min(max((len(each.name) for each in found), default=0), max(canvas.width - 9, 1))
    end = min(widest + 9, canvas.width)
    shown = in_sight(found, canvas.height)
    for y, counter in enumerate(shown):
        _line(canvas, y, counter, end)
    left = [counter for counter in found if counter not in shown]
    if left:
        all_zero = not any(counter.value for counter in left)
        canvas.write(0, len(shown), f"{len(left)} more, all zero" if all_zero else f"{len(left)} more")


def _line(canvas: Canvas, y: int, counter: Counter, end: int) -> None:
    role = Role.CHANGED if counter.changed else Role.PLAIN if counter.value else Role.REST
    start = canvas.put_right(end, y, f"{counter.value:,}", role)
    if counter.changed:
        canvas.put(start - 1, y, canvas.glyphs.changed, role)
    canvas.put(0, y, fit(counter.name, max(start - 1, 0)), role if counter.value else Role.REST)
    room = canvas.width - end - 2
    if room >= MEANING:
        meaning = meanings().get(counter.name, "")
        x = end + 2
        if counter.changed:
            x = canvas.put(x, y, f"{counter.value - counter.before:+,} · ", role)
        canvas.put(x, y, fit(meaning, canvas.width - x), Role.PLAIN if counter.value else Role.REST)
