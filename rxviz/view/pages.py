"""The panel of the ring's pages: both halves of each side by side, who owns them, and who holds the page."""

from __future__ import annotations

from rxviz.model.halves import Half, State, halves
from rxviz.model.memory import Page
from rxviz.model.names import frame_name, half_name
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed_names
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.page_choice import Choice, choose_pages
from rxviz.view.regions import half_in_question, page_in_question, region_parts
from rxviz.view.scale import Part, draw_scale
from rxviz.view.text import fit, join_fit, size_text

REFS = 17
"""Cells of "65535−65534 = 1 " beside each page."""


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
    show_refs = canvas.width - left - REFS >= 16
    right = canvas.width - (REFS if show_refs else 0)
    canvas.target(0, y, canvas.width, 1, "page", page.id)
    if m.config.geometry.half:
        _two_halves(canvas, moment, y, left, right, page)
    else:
        parts = [_part(canvas, half) for half in halves(m, page)]
        draw_scale(canvas, left, y, max(right - left, 0), parts, 0, offsets=False)
        for half in halves(m, page):
            x = left + (right - left) * half.start // page.size
            canvas.target(x, y, max((right - left) * half.size // page.size, 1), 1, "half", f"{page.id}:{half.start}")
    if show_refs:
        canvas.put_right(canvas.width, y, refs, Role.ACCENT if question else Role.REST)


def _refs(moment: Moment, page: Page) -> str:
    """Return the count less what is prepaid: how many hold the page besides the driver."""
    if page.slot < 0 or moment.machine.config.rules.bias_start == 0:
        return f"refs {page.refcount}"
    bias = moment.machine.ring.rx_buffer_info[page.slot].pagecnt_bias
    return f"{page.refcount}−{bias} = {page.refcount - bias}"


def _two_halves(canvas: Canvas, moment: Moment, y: int, left: int, right: int, page: Page) -> None:
    each = max((right - left - 1) // 2, 0)
    for number, half in enumerate(halves(moment.machine, page)):
        x = left + number * (each + 1)
        _half(canvas, x, y, each, half)
        canvas.target(x, y, each, 1, "half", f"{page.id}:{half.start}")
    canvas.put(left + each, y, "│", Role.BORDER)


def words_of(half: Half) -> str:
    """Return what a half is doing, without the frame's letter."""
    slot = f" · slot {half.slot}" if half.slot >= 0 else ""
    if half.state is State.STACK:
        return "with the stack"
    return f"{half.state}{slot}"


def _letter(canvas: Canvas, state: State) -> str:
    glyphs = canvas.glyphs
    fills = {
        State.WAITING: glyphs.waiting, State.POSTED: glyphs.posted, State.FILLED: glyphs.filled,
        State.IN_HAND: glyphs.in_hand, State.STACK: glyphs.stack, State.SPARE: glyphs.spare,
    }  # fmt: skip
    return fills.get(state, glyphs.gone)


_ROLES = {State.WAITING: Role.FREE, State.POSTED: Role.NIC}


def _half(canvas: Canvas, x: int, y: int, width: int, half: Half) -> None:
    """Draw one half: a bit of fill, the frame's letter, what it is doing, and fill to the end."""
    letter = _letter(canvas, half.state)
    role = frame_role(half.frame.id, solid=False) if half.frame is not None else _ROLES.get(half.state, Role.REST)
    canvas.fill(x, y, width, letter, role)
    if width < 4:
        return
    at = x + 1
    words = words_of(half)
    if half.frame is not None:
        at = canvas.put(at, y, f" {frame_name(half.frame.id)} "[: width - 1], frame_role(half.frame.id))
    else:
        words = " " + words
    room = x + width - at - 1
    text = fit(words, room)
    if len(words) > room and half.slot >= 0:
        text = fit(words.replace(" · slot ", " s"), room)
    if room >= 3:
        strong = half.state is State.IN_HAND
        end = canvas.put(at, y, text + " ", frame_role(half.frame.id) if strong and half.frame else Role.PLAIN)
        if half.frame is None:
            canvas.paint(at, y, end - at, Role.REST)


def _part(canvas: Canvas, half: Half) -> Part:
    """A region of a walked page."""
    letter = _letter(canvas, half.state)
    if half.frame is not None:
        name = frame_name(half.frame.id)
        return Part(name, half.size, letter, frame_role(half.frame.id, solid=False), frame_role(half.frame.id))
    return Part(words_of(half), half.size, letter, _ROLES.get(half.state, Role.REST), Role.REST)


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
