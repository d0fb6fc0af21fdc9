"""The cursors of the ring, and their labels: each a triangle at its slot with its name beside it, never overlapping."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import changed_names

if TYPE_CHECKING:
    from rxviz.run.timeline import Moment


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

    `column` gives the middle of a slot, None when the row does not show it. Long names are taken where all of the
    row's fit, else short ones, else letters. Labels stay between the columns `left` and `right`.
    """
    groups: dict[int, list[Cursor]] = {}
    for cursor in found:
        x = column(cursor.slot)
        if x is not None:
            groups.setdefault(x, []).append(cursor)
    right = canvas.width if right is None else right
    spots = sorted(groups)
    for level in range(3):
        widths = [len(_text(groups[x], level)) + 2 for x in spots]
        starts = _place(spots, widths, left, right)
        if starts is not None:
            for x, start in zip(spots, starts, strict=True):
                _write(canvas, y, x, start, groups[x], level, below)
            return
    for x in spots:
        _triangle(canvas, y, x, groups[x], below)


def _text(group: list[Cursor], level: int) -> str:
    return "·".join(cursor.names[level] for cursor in group)


def _place(spots: list[int], widths: list[int], left: int, right: int) -> list[int] | None:
    """Return where each label starts: at its triangle, or so that it ends there; None when they cannot all fit."""
    for sides in product((0, 1), repeat=len(spots)):
        starts = [x - (width - 1) * side for x, width, side in zip(spots, widths, sides, strict=True)]
        end, fits = left, True
        for start, width in zip(starts, widths, strict=True):
            fits = fits and start >= end
            end = start + width + 1
        if fits and end - 1 <= right:
            return starts
    return None


def _write(canvas: Canvas, y: int, x: int, start: int, group: list[Cursor], level: int, below: bool) -> None:
    _triangle(canvas, y, x, group, below)
    at = start if start < x else x + 2
    for number, cursor in enumerate(group):
        if number:
            at = canvas.put(at, y, "·", Role.REST)
        at = canvas.put(at, y, cursor.names[level], Role.ACCENT if cursor.moved else cursor.role)


def _triangle(canvas: Canvas, y: int, x: int, group: list[Cursor], below: bool) -> None:
    glyphs = canvas.glyphs
    moved = any(cursor.moved for cursor in group)
    if below:
        letter = glyphs.up if moved else glyphs.up_rest
    else:
        letter = glyphs.down if moved else glyphs.down_rest
    canvas.put(x, y, letter, Role.ACCENT if moved else group[0].role)
