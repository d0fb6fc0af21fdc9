"""The cursors of the ring, and their labels: each a triangle at its slot with its name beside it, never overlapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import changed_names

if TYPE_CHECKING:
    from rxviz.run.timeline import Moment

NO_NAME = 3
"""One more than the levels of names: the triangle alone."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A cursor: its names from long to short, the slot it stands at, and whether this step moved it."""

    names: tuple[str, str, str]
    slot: int
    role: Role
    moved: bool


def cursors(moment: Moment) -> list[Cursor]:
    """Return the driver's three cursors and the NIC's two registers."""
    ring, nic = moment.machine.ring, moment.machine.nic
    changed = changed_names(moment.step.changes) if moment.step is not None else frozenset()
    rows = (
        (("next_to_clean", "clean", "c"), ring.next_to_clean, Role.DRIVER, "ring.next_to_clean"),
        (("next_to_use", "use", "u"), ring.next_to_use, Role.DRIVER, "ring.next_to_use"),
        (("next_to_alloc", "alloc", "a"), ring.next_to_alloc, Role.FREE, "ring.next_to_alloc"),
        (("RDH", "RDH", "H"), nic.rdh, Role.NIC, "nic.RDH"),
        (("RDT", "RDT", "T"), nic.rdt, Role.NIC, "nic.RDT"),
    )
    return [Cursor(names, slot, role, name in changed) for names, slot, role, name in rows]


def write_labels(
    canvas: Canvas,
    y: int,
    found: list[Cursor],
    column: Callable[[int], int | None],
    *,
    below: bool = False,
    left: int = 0,
    right: int | None = None,
) -> None:
    """Write the labels of a row of slots into line `y`, above the slots or `below` them.

    `column` gives the middle of a slot, None when the row does not show it. Names are as long as there is room.
    Labels stay between the columns `left` and `right`.
    """
    groups: dict[int, list[Cursor]] = {}
    for cursor in found:
        x = column(cursor.slot)
        if x is not None:
            groups.setdefault(x, []).append(cursor)
    right = canvas.width if right is None else right
    spots = sorted(groups)
    best = _place([(x, groups[x]) for x in spots], left, right)
    for x, label in zip(spots, best, strict=True):
        _write(canvas, y, x, label, groups[x], below)


_Spot = tuple[int, list[Cursor]]
_Label = tuple[int, int, int]
"""Where a label starts, the level of its names, and how many of them stand left of the triangle."""


def _forms(spot: _Spot) -> list[tuple[_Label, int]]:
    """Return the forms of a label with their widths, the longest names first, and of these the plainest first."""
    x, group = spot
    forms: list[tuple[_Label, int]] = []
    for level in range(NO_NAME):
        names = [cursor.names[level] for cursor in group]
        width = len("·".join(names)) + 2
        forms.append(((x, level, 0), width))
        forms.append(((x - width + 1, level, len(names)), width))
        for split in range(1, len(names)):
            forms.append(((x - len("·".join(names[:split])) - 1, level, split), width + 1))
    return [*forms, ((x, NO_NAME, 0), 1)]


def _place(spots: list[_Spot], left: int, right: int) -> list[_Label]:
    """Return the labels from left to right: of all choices without overlap the one with the longest names."""
    if not spots:
        return []
    best: list[_Label] | None = None
    best_cost = 0
    for label, width in _forms(spots[0]):
        start, level, _ = label
        if start < left or start + width > (spots[1][0] if spots[1:] else right):
            continue
        others = _place(spots[1:], start + width + 1, right)
        cost = level * level + sum(other * other for _, other, _ in others)
        if best is None or cost < best_cost:
            best, best_cost = [label, *others], cost
    return best if best is not None else [(spots[0][0], NO_NAME, 0), *_place(spots[1:], left, right)]


def _write(canvas: Canvas, y: int, x: int, label: _Label, group: list[Cursor], below: bool) -> None:
    start, level, split = label
    _triangle(canvas, y, x, group, below)
    if level == NO_NAME:
        return
    at = start
    for number, cursor in enumerate(group):
        if number == split:
            at = x + 2
        elif number:
            at = canvas.put(at, y, "·", Role.REST)
        at = canvas.put(at, y, cursor.names[level], Role.ACCENT if cursor.moved else cursor.role)


def _triangle(canvas: Canvas, y: int, x: int, group: list[Cursor], below: bool) -> None:
    glyphs = canvas.glyphs
    moved = any(cursor.moved for cursor in group)
    full, rest = (glyphs.up, glyphs.up_rest) if below else (glyphs.down, glyphs.down_rest)
    canvas.put(x, y, full if moved else rest, Role.ACCENT if moved else group[0].role)
