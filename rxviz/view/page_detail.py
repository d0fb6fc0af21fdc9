"""The page in question to scale: both halves side by side, so that a flip moves nothing but the bright one."""

from __future__ import annotations

from rxviz.model.halves import Half
from rxviz.model.memory import Page
from rxviz.model.names import half_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import changed
from rxviz.view.question import half_in_question
from rxviz.view.regions import drawn_halves, region_parts
from rxviz.view.scale import draw_scale

LEAST = 20
"""Cells of a half's bar; where two have less, the half in question stands alone."""


def draw_detail(canvas: Canvas, moment: Moment, y: int, page: Page, digits: int) -> None:
    """Draw two halves of `page` into line `y`, their offsets into the line below; of a page of more parts, or a walked
    one, the frame's and the next one.
    """
    geometry = moment.machine.config.geometry
    question = half_in_question(moment, page)
    if question is None:
        return
    left = digits + 2
    each = (canvas.width - left - 1) // 2
    if each < LEAST or geometry.parts == 1 or geometry.head:
        name = half_name(question.start, geometry.named) if geometry.named else ""
        canvas.put(0, y, f"{page.id}{name}"[: digits + 1], Role.ACCENT)
        parts = region_parts(moment, page, question, canvas.glyphs, canvas.width - left)
        draw_scale(canvas, left, y, canvas.width - left, parts, question.start, offsets=True)
        return
    canvas.put(0, y, f"{page.id:>{digits}}", Role.ACCENT)
    found = drawn_halves(moment, page) if geometry.parts == 2 else _frame_and_next(moment, page)
    for number, half in enumerate(found):
        if half is not None:
            here = half.start == question.start
            _one(canvas, moment, left + (each + 1) * number, y, each, page, half, here=here, last=number > 0)
    canvas.put(left + each, y, "│", Role.BORDER)


def _frame_and_next(moment: Moment, page: Page) -> list[Half | None]:
    """Return where on a walked page the frame of the moment lies, and where the next one goes."""
    found = drawn_halves(moment, page)
    frame = half_in_question(moment, page, of_frame=True)
    if page.slot < 0:
        return [frame, None]
    offset = moment.machine.ring.offset_at(page.slot)
    following = next((half for half in found if half.start <= offset < half.start + half.size), None)
    return [frame if frame != following else None, following]


def _one(
    canvas: Canvas, moment: Moment, x: int, y: int, width: int, page: Page, half: Half, *, here: bool, last: bool
) -> None:
    """Draw one half, its offsets bright where it is the one `here`; where this step moved the offset that the page is
    used from, that offset is marked.
    """
    parts = region_parts(moment, page, half, canvas.glyphs, width)
    draw_scale(canvas, x, y, width, parts, half.start, offsets=True, last=last)
    if not here:
        return
    canvas.paint(x, y + 1, width, Role.STRONG)
    if page.slot >= 0 and f"pages.{page.id}.page_offset" in changed(moment):
        text = f"{moment.machine.ring.offset_at(page.slot):,}"
        at = canvas.line_text(y + 1).find(text, x)
        if at >= 0:
            canvas.paint(at, y + 1, len(text), Role.CHANGED)
