"""The panel of the ring's pages: both halves of each side by side, who owns them, and who holds the page."""

from __future__ import annotations

from rxviz.model.memory import Page
from rxviz.model.names import half_name, page_words
from rxviz.run.timeline import Moment
from rxviz.view import page_heads
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.page_choice import choose_pages
from rxviz.view.page_detail import draw_detail
from rxviz.view.page_rows import draw_halves, draw_number, draw_refs, refs_width
from rxviz.view.page_walk import draw_walked, legend
from rxviz.view.question import page_in_question


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the pages."""
    geometry = moment.machine.config.geometry
    note = _note(moment) if 0 < geometry.parts <= SIDE_BY_SIDE else legend(moment, glyphs)
    if geometry.head:
        note = page_heads.legend(moment, glyphs)

    def body(canvas: Canvas) -> None:
        (page_heads.draw if geometry.head else _draw)(canvas, moment)

    return frame(width, height, "Pages", note, body, active=active, glyphs=glyphs)


SIDE_BY_SIDE = 4
"""Parts of a page that are drawn beside each other at most; a page of more is one bar."""


def _note(moment: Moment) -> str:
    """Return what stands where in a row."""
    geometry, prepaid = moment.machine.config.geometry, moment.machine.config.rules.bias_start
    if geometry.parts == 1:
        return "one segment a page · refs"
    names = [f"{geometry.part_word} {half_name(number, 1)}" for number in range(geometry.parts)]
    return " │ ".join(names) + (" · refs − prepaid" if prepaid else " · refs")


def _draw(canvas: Canvas, moment: Moment) -> None:
    question = page_in_question(moment)
    foot = 1 if canvas.height >= 3 else 0
    scale = 2 if canvas.height >= 6 and question is not None else 0
    room = canvas.height - foot - scale
    choice = choose_pages(moment, question, room)
    step = 2 if len(choice.pages) * 2 + (1 if choice.more else 0) <= room else 1
    digits = max((len(str(page.id)) for page in choice.pages), default=1)
    y = 0
    for page in choice.pages:
        _page_line(canvas, moment, y, page, digits, page is question)
        y += step
    if choice.more:
        canvas.write(digits + 2, y, choice.more, Role.REST)
    if scale and question is not None:
        draw_detail(canvas, moment, canvas.height - foot - scale, question, digits)
    if foot:
        _foot(canvas, moment)


def _page_line(canvas: Canvas, moment: Moment, y: int, page: Page, digits: int, question: bool) -> None:
    """Draw one page: its number, a pointer at the one in question, what it holds, and its references."""
    draw_number(canvas, y, page, digits, question=question)
    left = digits + 2
    beside = refs_width(canvas.width - left, moment.machine.config.geometry.parts)
    right = canvas.width - beside
    if not 0 < moment.machine.config.geometry.parts <= SIDE_BY_SIDE:
        draw_walked(canvas, moment, y, left, page)
        return
    draw_halves(canvas, moment, y, left, right, page)
    if beside:
        draw_refs(canvas, moment, y, right, page)


def _foot(canvas: Canvas, moment: Moment) -> None:
    """Write the counts of pages; one that this step moved on is marked."""
    ledger = moment.machine.ledger
    step = moment.step
    kind = step.name if step is not None else ""
    reused, given_up = page_words(moment.machine.config.geometry.segment)
    counts = [
        (reused, ledger.pages_reused, kind in ("page.reuse", "seg.repost")),
        (given_up, ledger.pages_given_up, kind in ("page.give_up", "page.done", "tpa.mapped", "jumbo.frag")),
        ("allocated", ledger.dma_maps, kind == "page.alloc"),
    ]
    if moment.machine.config.geometry.half:
        counts.append(("flips" if ledger.flips != 1 else "flip", ledger.flips, kind == "page.flip"))
    x, y = 0, canvas.height - 1
    for word, count, new in counts:
        text = f"{count:,} {word}"
        if x + len(text) + 3 > canvas.width:
            return
        x = canvas.put(x, y, " ·" if x else "", Role.REST)
        x = canvas.put(x, y, canvas.glyphs.changed if new else " ", Role.CHANGED if new else Role.REST)
        x = canvas.put(x, y, text, Role.CHANGED if new else Role.REST)
