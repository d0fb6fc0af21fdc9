"""The ring as a ring: what leaves on the right comes back on the left below."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import changed_names
from rxviz.view.cursors import crossed, cursor_line, cursors, write_labels
from rxviz.view.slot_box import draw_box
from rxviz.view.slots import being_written, slot_at, slot_in_question

WIDE, NARROW, WIDEST = 9, 6, 18
"""Boxes of at least WIDE cells stand apart with arrows between them; smaller ones, down to NARROW, share no gap."""
LABELS_AND_WORDS = 3
"""Lines beside the boxes: cursors above, cursors below, and the cursors in words."""


@dataclass(frozen=True, slots=True)
class Loop:
    """Where the boxes go: `row` of them above, the others below, each `box` x `tall`, `gap` cells apart."""

    count: int
    row: int
    box: int
    tall: int
    gap: int
    between: int
    """Blank lines between the upper and the lower boxes."""

    def column(self, slot: int) -> int:
        """Return the left edge of a slot's box; the lower row runs from right to left."""
        place = slot if slot < self.row else 2 * self.row - 1 - slot
        return 2 + place * (self.box + self.gap)

    @property
    def width(self) -> int:
        """Cells from the left edge of the first box to behind the right edge of the last of a row."""
        return self.row * (self.box + self.gap) - self.gap


def layout(count: int, width: int, height: int) -> Loop | None:
    """Return how a ring of `count` slots fits into `width` x `height`, None when it does not."""
    row = (count + 1) // 2
    room = width - 4
    gap = 2
    box = (room - gap * (row - 1)) // row
    if box < WIDE:
        gap, box = 0, room // row
    tall = min(5, (height - LABELS_AND_WORDS) // 2)
    if box < NARROW or tall < 4:
        return None
    between = min(1, height - LABELS_AND_WORDS - 2 * tall)
    return Loop(count, row, min(box, WIDEST), tall, gap, between)


def draw(canvas: Canvas, moment: Moment, loop: Loop) -> None:
    """Draw the loop, its cursors, and these in words."""
    step = moment.step
    changed = changed_names(step.changes) if step is not None else frozenset()
    question, writing = slot_in_question(moment), being_written(step)
    upper, lower = 1, 1 + loop.tall + loop.between
    _wires(canvas, loop, upper, lower, crossed(moment))
    for number in range(loop.count):
        draw_box(
            canvas, loop.column(number), upper if number < loop.row else lower, loop.box, loop.tall,
            slot_at(moment, number),
            question=number == question,
            changed=bool(changed & {f"slots.{number}.descriptor", f"slots.{number}.page", f"slots.{number}.skb"}),
            writing=step.frame if step is not None and step.frame is not None and number == writing else -1,
        )  # fmt: skip
    found = cursors(moment)
    middle = loop.box // 2
    write_labels(canvas, 0, found, lambda slot: loop.column(slot) + middle if slot < loop.row else None)
    bottom = lower + loop.tall
    write_labels(
        canvas, bottom, found, lambda slot: loop.column(slot) + middle if slot >= loop.row else None, below=True
    )
    cursor_line(canvas, min(bottom + 2, canvas.height - 1), moment)


def _wires(canvas: Canvas, loop: Loop, upper: int, lower: int, crossed: frozenset[int]) -> None:
    """Draw what joins the boxes: arrows along each row, and a bend at either end; an edge in `crossed` stands out."""
    glyphs = canvas.glyphs
    high, low = upper + loop.tall // 2, lower + loop.tall // 2

    def role(slot: int) -> Role:
        return Role.ACCENT if slot in crossed else Role.REST

    for place in range(loop.row - 1):
        x = 2 + place * (loop.box + loop.gap) + loop.box
        if loop.gap:
            canvas.put(x, high, "─" + glyphs.right, role(place))
            canvas.put(x, low, glyphs.left + "─", role(2 * loop.row - 2 - place))
    right, turn, back = 2 + loop.width, role(loop.row - 1), role(loop.count - 1)
    canvas.put(right, high, "─╮", turn)
    canvas.put(right, low, glyphs.left + "╯", turn)
    canvas.put(0, high, "╭" + glyphs.right, back)
    canvas.put(0, low, "╰─", back)
    for y in range(high + 1, low):
        canvas.put(right + 1, y, "│", turn)
        canvas.put(0, y, "│", back)
    if loop.count % 2:
        canvas.put(2, low, "─" * (loop.box + loop.gap), back)
