"""The ring in little room: slots as short words in rows, those round next_to_clean where not all fit."""

from __future__ import annotations

from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas
from rxviz.view.cursors import cursor_line
from rxviz.view.slot_box import slot_word, slot_words
from rxviz.view.slots import slot_at, slot_in_question


def draw(canvas: Canvas, moment: Moment) -> None:
    """Draw cursors as words, rows of slots, and the slot in question, as far as there are lines for them."""
    count = moment.machine.ring.count
    digits = len(str(count - 1))
    across = max((canvas.width + 1) // (digits + 5), 1)
    rows = max(1, canvas.height - (1 if canvas.height >= 2 else 0) - (1 if canvas.height >= 3 else 0))
    shown = min(count, across * rows)
    question = slot_in_question(moment)
    first = 0 if shown == count else (question - question % max(shown // 2, 1) - shown // 4) % count
    y = 0
    if canvas.height >= 2:
        cursor_line(canvas, 0, moment)
        y = 1
    for place in range(shown):
        number = (first + place) % count
        x = (place % across) * (digits + 5)
        slot_word(canvas, x, y + place // across, slot_at(moment, number), digits, question=number == question)
    below = y + (shown + across - 1) // across
    if canvas.height >= 3:
        canvas.write_spans(0, min(below, canvas.height - 1), slot_words(moment, question))
