"""The panel of the descriptor ring: a loop where every slot fits, bands where there are too many, else rows."""

from __future__ import annotations

from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.run.timeline import Moment
from rxviz.view import ring_bands, ring_loop, ring_rows
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.completion import queue_words
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.slot_box import slot_words
from rxviz.view.slots import SlotState, bands, counts_before, slot_in_question

BORDER = 6
"""Cells of the border's top that are no words."""


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the ring."""
    count = moment.machine.ring.count
    lengths = {state: length for state, _, length in bands(moment.machine)}
    posted, done = lengths.get(SlotState.POSTED, 0), lengths.get(SlotState.DONE, 0)
    old_posted, old_done = counts_before(moment)
    note: list[tuple[str, str]] = [(f"{count:,} slots ·", Role.REST)]
    for number, new, word in ((posted, posted != old_posted, "posted"), (done, done != old_done, "to clean")):
        note.append((glyphs.changed if new else " ", Role.CHANGED if new else Role.REST))
        note.append((f"{number:,} {word}", Role.CHANGED if new else Role.REST))
        note.append((" ·", Role.REST))
    note.pop()
    if isinstance(moment.machine.ring, QedeRing):
        note += queue_words(moment, width - sum(len(text) for text, _ in note) - len(" Ring ") - BORDER)

    loop = ring_loop.layout(count, width - 4, height - 2)
    in_rows = loop is None and not ring_bands.fits(count, width - 4, height - 2)

    def body(canvas: Canvas) -> None:
        if loop is not None:
            ring_loop.draw(canvas, moment, loop)
        elif in_rows:
            ring_rows.draw(canvas, moment)
        else:
            ring_bands.draw(canvas, moment)

    foot = [] if in_rows else slot_words(moment, slot_in_question(moment))
    while len(foot) > 2 and sum(len(text) for text, _ in foot) > width - 6:
        # What is said last is told in the bytes, too.
        foot.pop()
        foot[-1] = (foot[-1][0].rstrip(), foot[-1][1])
    return frame(width, height, "Ring", note, body, foot=foot, active=active, glyphs=glyphs)
