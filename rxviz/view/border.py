"""The rounded border round a panel: title on the left, note on the right, the accent when it is the active one."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit

LEAST_WIDTH, LEAST_HEIGHT = 12, 3
"""Below this a border would leave nothing inside, and is left out."""


def frame(
    width: int,
    height: int,
    title: str,
    note: str | Sequence[tuple[str, str]],
    body: Callable[[Canvas], None],
    *,
    foot: Sequence[tuple[str, str]] = (),
    active: bool = False,
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return a picture of `width` x `height` cells: what `body` draws on the canvas inside, and a border round it.

    One blank column stands between border and body on either side. The note, dim or in spans with roles of their own,
    is left out where there is no room for it. `foot` stands in the line at the bottom, cut with an ellipsis.
    """
    canvas = Canvas(width, height, glyphs)
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        body(canvas)
        return canvas.picture()
    inner = Canvas(width - 4, height - 2, glyphs)
    body(inner)
    _border(canvas, active)
    _title(canvas, title, note, active)
    if foot:
        end = canvas.write_spans(2, height - 1, [(" ", Role.REST), *foot], width - 5)
        canvas.put(end, height - 1, " ", Role.REST)
    canvas.paste(2, 1, inner)
    return canvas.picture()


def _border(canvas: Canvas, active: bool) -> None:
    role = Role.BORDER_ACCENT if active else Role.BORDER
    width, bottom = canvas.width, canvas.height - 1
    canvas.put(0, 0, "╭" + "─" * (width - 2) + "╮", role)
    for y in range(1, bottom):
        canvas.put(0, y, "│", role)
        canvas.put(width - 1, y, "│", role)
    canvas.put(0, bottom, "╰" + "─" * (width - 2) + "╯", role)


def _title(canvas: Canvas, title: str, note: str | Sequence[tuple[str, str]], active: bool) -> None:
    end = canvas.put(2, 0, f" {fit(title, canvas.width - 6)} ", Role.ACCENT if active else Role.TITLE)
    spans = [(note, Role.REST)] if isinstance(note, str) else note
    length = sum(len(text) for text, _ in spans)
    if length and canvas.width - 2 - end >= length + 3:
        canvas.spans(canvas.width - 4 - length, 0, (" ", Role.REST), *spans, (" ", Role.REST))
