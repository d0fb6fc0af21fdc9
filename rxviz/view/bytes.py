"""The panel Bytes: first form."""

from __future__ import annotations

from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the panel."""

    def body(canvas: Canvas) -> None:
        canvas.write(0, 0, f"step {moment.position}", Role.REST)

    return frame(width, height, "Bytes", "", body, active=active, glyphs=glyphs)
