"""The panel of the ring's pages: both halves of each side by side, who owns them, and who holds the page."""

from __future__ import annotations

from rxviz.model.halves import Half, State
from rxviz.model.machine import Machine
from rxviz.model.memory import Page
from rxviz.model.names import frame_name, half_name
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed_names
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.page_choice import Choice, choose_pages
from rxviz.view.regions import drawn_halves, half_in_question, page_in_question, region_parts, state_letter
from rxviz.view.scale import Part, draw_scale
from rxviz.view.text import fit, join_fit, size_text

REFS, REFS_SHORT = 16, 6
"""Cells of " 65535−65534 = 1" beside each page, and of " = 1" where there is little room."""


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the pages."""
    geometry = moment.machine.config.geometry
    note = "half A │ half B · refs − prepaid" if geometry.half else f"{size_text(geometry.page)} pages, walked once"

    def body(canvas: Canvas) -> None:
        _draw(canvas, moment)

    return frame(width, height, "Pages", note, body, active=active, glyphs=glyphs)


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
        _more(canvas, y, digits, choice)
    if scale and question is not None:
        _scale(canvas, moment, canvas.height - foot - scale, question, digits)
    if foot:
        _foot(canvas, moment)


def _more(canvas: Canvas, y: int, digits: int, choice: Choice) -> None:
    canvas.write(digits + 2, y, choice.more, Role.REST)


def _page_line(canvas: Canvas, moment: Moment, y: int, page: Page, digits: int, question: bool) -> None:
    m = moment.machine
    refs = _refs(moment, page)
    changed = changed_names(moment.step.changes) if moment.step is not None else frozenset()
    mark = any(name.startswith(f"pages.{page.id}.") for name in changed)
    canvas.put(0, y, f"{page.id:>{digits}}", Role.ACCENT if question else Role.REST)
    canvas.put(digits, y, canvas.glyphs.changed if mark else canvas.glyphs.right if question else " ", Role.ACCENT)
    left = digits + 2
    room = canvas.width - left
    refs_width = REFS if room - REFS >= 34 else REFS_SHORT if room - REFS_SHORT >= 16 else 0
    right = canvas.width - refs_width
    canvas.target(0, y, canvas.width, 1, "page", page.id)
    if m.config.geometry.half:
        _two_halves(canvas, moment, y, left, right, page)
    else:
        parts = [_part(m, canvas, half) for half in drawn_halves(moment, page)]
        draw_scale(canvas, left, y, max(right - left, 0), parts, 0, offsets=False)
        for half in drawn_halves(moment, page):
            x = left + (right - left) * half.start // page.size
            canvas.target(x, y, max((right - left) * half.size // page.size, 1), 1, "half", f"{page.id}:{half.start}")
    if refs_width:
        shown = refs if len(refs) < refs_width else "=" + refs.rpartition("=")[2]
        canvas.put_right(canvas.width, y, fit(shown, refs_width - 1), Role.ACCENT if question else Role.REST)


def _refs(moment: Moment, page: Page) -> str:
    """Return the count less what is prepaid: how many hold the page besides the driver."""
    if page.slot < 0 or moment.machine.config.rules.bias_start == 0:
        return f"refs {page.refcount}"
    bias = moment.machine.ring.rx_buffer_info[page.slot].pagecnt_bias
    return f"{page.refcount}−{bias} = {page.refcount - bias}"


def _two_halves(canvas: Canvas, moment: Moment, y: int, left: int, right: int, page: Page) -> None:
    each = max((right - left - 1) // 2, 0)
    for number, half in enumerate(drawn_halves(moment, page)):
        x = left + number * (each + 1)
        _half(moment.machine, canvas, x, y, each, half)
        canvas.target(x, y, each, 1, "half", f"{page.id}:{half.start}")
    canvas.put(left + each, y, "│", Role.BORDER)


def words_of(m: Machine, half: Half) -> str:
    """Return what a half is doing, without the frame's letter."""
    if half.state is State.STACK and half.skb is not None:
        return {"socket": "in socket", "reader": "being read"}.get(m.skbs[half.skb].state, "stack")
    slot = f" · slot {half.slot}" if half.slot >= 0 else ""
    return f"{half.state}{slot}"


_ROLES = {State.WAITING: Role.FREE, State.POSTED: Role.NIC}


def _half(m: Machine, canvas: Canvas, x: int, y: int, width: int, half: Half) -> None:
    """Draw one half: a bit of fill, the frame's letter, what it is doing, and fill to the end."""
    letter = state_letter(canvas.glyphs, half.state)
    role = frame_role(half.frame.id, solid=False) if half.frame is not None else _ROLES.get(half.state, Role.REST)
    canvas.fill(x, y, width, letter, role)
    if width < 4:
        return
    at, words = x + 1, f" {words_of(m, half)} "
    if half.frame is not None:
        at = canvas.put(at, y, f" {frame_name(half.frame.id)} "[: width - 1], frame_role(half.frame.id))
    room = x + width - at
    if len(words) > room:
        words = words.replace(" · slot ", " s")
    if room < 4:
        return
    words = words if len(words) <= room else fit(words.rstrip(), room)
    in_hand = half.frame is not None and half.state is State.IN_HAND
    role = Role.PLAIN if half.frame is not None else Role.REST
    canvas.put(at, y, words, frame_role(half.frame.id) if in_hand and half.frame is not None else role)


def _part(m: Machine, canvas: Canvas, half: Half) -> Part:
    """A region of a walked page."""
    letter = state_letter(canvas.glyphs, half.state)
    if half.frame is not None:
        name = frame_name(half.frame.id)
        return Part(name, half.size, letter, frame_role(half.frame.id, solid=False), frame_role(half.frame.id))
    return Part(words_of(m, half), half.size, letter, _ROLES.get(half.state, Role.REST), Role.REST)


def _scale(canvas: Canvas, moment: Moment, y: int, page: Page, digits: int) -> None:
    """Draw the half in question to scale."""
    half = half_in_question(moment, page)
    if half is None:
        return
    geometry = moment.machine.config.geometry
    name = half_name(half.start, geometry.half) if geometry.half else ""
    canvas.put(0, y, f"{page.id}{name}"[: digits + 1], Role.ACCENT)
    left = digits + 2
    parts = region_parts(moment, page, half, canvas.glyphs)
    draw_scale(canvas, left, y, canvas.width - left, parts, half.start, offsets=True)


def _foot(canvas: Canvas, moment: Moment) -> None:
    ledger = moment.machine.ledger
    parts = [f"{ledger.pages_reused:,} reused", f"{ledger.pages_given_up:,} given up", f"{ledger.dma_maps:,} allocated"]
    if moment.machine.config.geometry.half:
        parts.append(f"{ledger.flips:,} flips")
    canvas.put(0, canvas.height - 1, join_fit(parts, canvas.width), Role.REST)
