"""The panel of the descriptor ring: a loop where every slot fits, bands where there are too many, else rows."""

from __future__ import annotations

from rxviz.run.timeline import Moment
from rxviz.view import ring_bands, ring_loop, ring_rows
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.slots import SlotState, bands


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the ring."""
    count = moment.machine.ring.count
    lengths = {state: length for state, _, length in bands(moment.machine)}
    posted, done = lengths.get(SlotState.POSTED, 0), lengths.get(SlotState.DONE, 0)
    note = f"{count:,} slots · {posted:,} posted · {done:,} to clean"

    def body(canvas: Canvas) -> None:
        loop = ring_loop.layout(count, canvas.width, canvas.height)
        if loop is not None:
            ring_loop.draw(canvas, moment, loop)
        elif ring_bands.fits(count, canvas.width, canvas.height):
            ring_bands.draw(canvas, moment)
        else:
            ring_rows.draw(canvas, moment)

    return frame(width, height, "Ring", note, body, active=active, glyphs=glyphs)
