"""The cursors of the ring: each a triangle at its slot with its name right of it, and all in a line of words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import value_before

if TYPE_CHECKING:
    from rxviz.run.timeline import Moment


@dataclass(frozen=True, slots=True)
class Cursor:
    """A cursor: its short name, the slot it stands at, and the one it stood at before this step."""

    name: str
    slot: int
    role: Role
    before: int

    @property
    def moved(self) -> bool:
        """Whether this step moved it."""
        return self.slot != self.before


def cursors(moment: Moment) -> list[Cursor]:
    """Return the driver's cursors and the NIC's registers, always in this order."""
    ring, nic = moment.machine.ring, moment.machine.nic
    rows: list[tuple[str, int, Role, str]] = []
    for attribute, short in ring.CURSORS:
        role = Role.FREE if short == "alloc" else Role.DRIVER
        rows.append((short, getattr(ring, attribute), role, f"ring.{attribute}"))
    for attribute, name in nic.REGISTERS:
        rows.append((name, getattr(nic, attribute), Role.NIC, f"nic.{name}"))
    return [Cursor(name, slot, role, value_before(moment, full, slot)) for name, slot, role, full in rows]


def crossed(moment: Moment) -> frozenset[int]:
    """Return the slots that a cursor left in this step: it went over the edge from each to the next one."""
    count = moment.machine.ring.count
    edges: set[int] = set()
    for cursor in cursors(moment):
        edges.update((cursor.before + i) % count for i in range((cursor.slot - cursor.before) % count))
    return frozenset(edges)


def cursor_line(canvas: Canvas, y: int, moment: Moment) -> None:
    """Write all cursors and their slots into line `y`, each in a column of its own, those that moved marked."""
    found = cursors(moment)
    digits = len(str(moment.machine.ring.count - 1))
    needs = [len(cursor.name) + digits + 2 for cursor in found]
    gap = max(min((canvas.width - sum(needs)) // (len(found) - 1), 3), 0)
    x = 0
    for cursor, need in zip(found, needs, strict=True):
        mark = canvas.glyphs.changed if cursor.moved else " "
        at = canvas.put(x, y, mark, Role.CHANGED if cursor.moved else Role.REST)
        at = canvas.put(at, y, f"{cursor.name} ", Role.ACCENT if cursor.moved else cursor.role)
        canvas.put(at, y, str(cursor.slot), Role.CHANGED if cursor.moved else Role.PLAIN)
        x += need + gap


def write_labels(
    canvas: Canvas,
    y: int,
    found: list[Cursor],
    column: Callable[[int], int | None],
    *,
    below: bool = False,
    alone: bool = True,
) -> None:
    """Write the labels of a row of slots into line `y`, above the slots or `below` them.

    `column` gives the middle of a slot, None when the row does not show it. Names stand right of their triangle,
    left of it only where there is no room. Where there is none on either side, the triangle stands `alone`, or else is
    left out unless it moved.
    """
    groups: dict[int, list[Cursor]] = {}
    for cursor in found:
        x = column(cursor.slot)
        if x is not None:
            groups.setdefault(x, []).append(cursor)
    spots = sorted(groups)
    free = 0
    for number, x in enumerate(spots):
        following = spots[number + 1] if number + 1 < len(spots) else canvas.width
        last = number + 1 == len(spots)
        free = _label(canvas, y, x, groups[x], below, free, following, last=last, alone=alone)


def _label(
    canvas: Canvas, y: int, x: int, group: list[Cursor], below: bool, free: int, end: int, *, last: bool, alone: bool
) -> int:
    """Write one triangle with its names between the columns `free` and `end`; return the column behind them."""
    glyphs = canvas.glyphs
    moved = any(cursor.moved for cursor in group)
    full, rest = (glyphs.up, glyphs.up_rest) if below else (glyphs.down, glyphs.down_rest)
    canvas.put(x, y, full if moved else rest, Role.ACCENT if moved else group[0].role)
    length = sum(len(cursor.name) for cursor in group) + len(group) - 1
    for gap in (2, 1):
        if x + gap + length <= end - (0 if last or gap == 1 else 1):
            return _names(canvas, x + gap, y, group) + 1
    first = next((cursor for cursor in group if cursor.moved), group[0])
    more = f"+{len(group) - 1}" if len(group) > 1 else ""
    if more and x + 1 + len(first.name) + len(more) <= end - (0 if last else 1):
        at = _names(canvas, x + 1, y, [first])
        return canvas.put(at, y, more, Role.REST) + 1
    if x - 3 - length >= free:
        _names(canvas, x - 1 - length, y, group)
    elif not alone and not moved:
        canvas.put(x, y, " ", Role.REST)
    return x + 2


def _names(canvas: Canvas, x: int, y: int, group: list[Cursor]) -> int:
    for number, cursor in enumerate(group):
        x = canvas.put(x, y, "·" if number else "", Role.REST)
        x = canvas.put(x, y, cursor.name, Role.ACCENT if cursor.moved else cursor.role)
    return x
