"""A page that is walked from start to end as one row: what is used up, what is still held, and what comes next."""

from __future__ import annotations

from rxviz.model.halves import Half
from rxviz.model.memory import Page
from rxviz.model.names import frame_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role, frame_role
from rxviz.view.changes import changed
from rxviz.view.glyphs import Glyphs
from rxviz.view.page_rows import STATE_ROLES, prepaid
from rxviz.view.regions import drawn_halves, state_letter
from rxviz.view.text import size_text

LEAST = 14
"""Cells of a bar; where the words would leave it fewer, shorter ones are taken."""


def legend(moment: Moment, glyphs: Glyphs) -> str:
    """Return what the fills of such a row mean."""
    size = size_text(moment.machine.config.geometry.page)
    return f"{size} pages · {glyphs.filled} used  {glyphs.posted} next  {glyphs.spare} unused"


def draw_walked(canvas: Canvas, moment: Moment, y: int, left: int, page: Page) -> None:
    """Draw the row of a walked page from column `left` on: a bar to scale, how much is used, where the next goes."""
    room = canvas.width - left
    forms = walked_words(moment, page)
    text = next((form for form in forms if room - len(form) - 3 >= LEAST), "")
    width = room - (len(text) + 3 if text else 2)
    canvas.put(left, y, "▕", Role.BORDER)
    canvas.put(left + 1 + width, y, "▏", Role.BORDER)
    _bar(canvas, moment, y, left + 1, width, page)
    if text:
        new = any(name.startswith(f"pages.{page.id}.") for name in changed(moment))
        x = canvas.put(left + width + 2, y, canvas.glyphs.changed if new else " ", Role.CHANGED if new else Role.REST)
        canvas.put(x, y, text, Role.CHANGED if new else Role.REST)


def walked_words(moment: Moment, page: Page) -> tuple[str, ...]:
    """Return how far a page is walked, the longest form first.

    Each frame takes one prepaid reference, so that what is missing of them is the number of buffers used.
    """
    if page.slot < 0:
        return (f"refs {page.refcount} · left the ring", f"refs {page.refcount} · left", f"refs {page.refcount}")
    offset, start = moment.machine.ring.offset_at(page.slot), moment.machine.config.rules.bias_start
    at = f"offset {offset:,}"
    if not start:
        return at, f"{offset:,}"
    used, most = start - prepaid(moment.machine, page), page.size // moment.machine.config.geometry.dma_size
    count = f"{used} of {most} used" if 0 <= used <= most else f"{used} used"
    return f"{count:>13} · {at:<13}", f"{used} used · {at}", f"{used} used"


def _bar(canvas: Canvas, moment: Moment, y: int, x: int, width: int, page: Page) -> None:
    """Draw the page to scale; what is held or next has a cell at least, and lies over what is used or free."""
    found = drawn_halves(moment, page)
    offset = moment.machine.ring.offset_at(page.slot) if page.slot >= 0 else page.size
    glyphs = canvas.glyphs
    walked = min(offset * width // page.size, width)
    canvas.fill(x, y, walked, glyphs.filled, Role.REST)
    canvas.fill(x + walked, y, width - walked, glyphs.spare, Role.REST)
    for half in found:
        if half.frame is None and half.slot < 0:
            continue
        first = half.start * width // page.size
        cells = max((half.start + half.size) * width // page.size - first, 1)
        _region(canvas, x + first, y, min(cells, width - first), half)
        canvas.target(x + first, y, cells, 1, "half", f"{page.id}:{half.start}")


def _region(canvas: Canvas, x: int, y: int, cells: int, half: Half) -> None:
    letter = state_letter(canvas.glyphs, half.state)
    if half.frame is None:
        canvas.fill(x, y, cells, letter, STATE_ROLES.get(half.state, Role.REST))
        return
    name = frame_name(half.frame.id)
    canvas.fill(x, y, cells, letter, frame_role(half.frame.id, solid=False))
    if cells >= len(name):
        canvas.put(x + (cells - len(name)) // 2, y, name, frame_role(half.frame.id))
