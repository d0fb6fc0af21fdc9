"""A page of two halves as one row: what each half is doing, and how many hold the page besides the driver."""

from __future__ import annotations

from rxviz.model import steps
from rxviz.model.halves import Half, State
from rxviz.model.machine import Machine
from rxviz.model.memory import Page
from rxviz.model.names import frame_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role, frame_role
from rxviz.view.changes import changed, changed_halves
from rxviz.view.regions import drawn_halves, part_in, state_letter
from rxviz.view.slots import being_written
from rxviz.view.text import fit

REFS, REFS_SHORT, REFS_PLAIN = 18, 8, 11
"""Cells of a mark, "65535−65534 = 1" and a verdict beside each page, of "= 1 ✗" where there is little room, and of
"refs 1", which is all where nothing is paid in advance."""
HALVES = 34
"""Cells that the two halves need beside the long form."""
RESERVED = {"remote_page": "other node", "pfmemalloc": "reserve"}
"""Why a page must not stay on the ring, whoever holds it."""
STATE_ROLES = {State.WAITING: Role.FREE, State.POSTED: Role.NIC}


def refs_width(room: int, parts: int = 2) -> int:
    """Return the cells for the references in a row of `room` cells, 0 where they are left out; pages of more than two
    `parts` need the room themselves.
    """
    if parts > 2 and room - REFS_PLAIN >= HALVES:
        return REFS_PLAIN
    return REFS if room - REFS >= HALVES else REFS_SHORT if room - REFS_SHORT >= 16 else 0


def has_left(page: Page) -> bool:
    """Whether a page is off the ring: only who holds a half of it still keeps it."""
    return page.slot < 0


def just_given_up(moment: Moment, page: Page) -> bool:
    """Whether this very step gave the page up."""
    step = moment.step
    return step is not None and step.kind == steps.PAGE_GIVE_UP and step.page == page.id


def draw_number(canvas: Canvas, y: int, page: Page, digits: int, *, question: bool) -> None:
    """Draw a page's number, a pointer where it is the one in question, and make its line one to press."""
    canvas.put(0, y, f"{page.id:>{digits}}", Role.ACCENT if question else Role.REST)
    canvas.put(digits, y, canvas.glyphs.right if question else " ", Role.ACCENT)
    canvas.target(0, y, canvas.width, 1, "page", page.id)


def draw_halves(canvas: Canvas, moment: Moment, y: int, left: int, right: int, page: Page) -> None:
    """Draw the halves (or segments) between two columns, with lines between them."""
    found = drawn_halves(moment, page)
    each = max((right - left - len(found) + 1) // len(found), 0)
    new = changed_halves(moment, page, found)
    dim = has_left(page) and not just_given_up(moment, page)
    for number, half in enumerate(found):
        x = left + number * (each + 1)
        draw_half(moment, canvas, x, y, each, page, half, new=half.start in new, dim=dim)
        canvas.target(x, y, each, 1, "half", f"{page.id}:{half.start}")
        if number:
            canvas.put(x - 1, y, "│", Role.BORDER)


_STACK = {"lro": "in LRO", "gro": "in GRO", "list": "leaves GRO", "socket": "in socket", "reader": "being read"}


def words_of(m: Machine, half: Half) -> str:
    """Return what a half is doing, without the frame's letter."""
    if m.config.geometry.head:
        return _head_words(m, half)
    if half.state is State.STACK and half.skb is not None:
        return _STACK.get(m.skbs[half.skb].state, "stack")
    if half.state is State.GONE:
        return "nobody's"
    return str(half.state) if half.slot < 0 else f"{half.state} · {m.ring.SLOT} {half.slot}"


def _head_words(m: Machine, half: Half) -> str:
    """Return what the head of an skb is doing, with the skb's number."""
    if half.slot >= 0:
        skb = m.ring.skb_at(half.slot)
        number = f"skb {skb.id} " if skb is not None else ""
        return f"{number}{'done' if half.state is State.FILLED else half.state} · slot {half.slot}"
    if half.skb is None:
        return str(half.state)
    state = half.state if half.state is not State.STACK else _STACK.get(m.skbs[half.skb].state, "stack")
    return f"skb {half.skb} {state}"


def draw_half(
    moment: Moment, canvas: Canvas, x: int, y: int, width: int, page: Page, half: Half, *, new: bool, dim: bool
) -> None:
    """Draw one half: a bit of fill, the frame's letter, what it is doing, and fill to the end.

    What this step did something to has a mark in front of its words.
    """
    letter = state_letter(canvas.glyphs, half.state)
    own = half.frame.id if half.frame is not None else None
    fill: str = frame_role(own, solid=False) if own is not None else STATE_ROLES.get(half.state, Role.REST)
    canvas.fill(x, y, width, letter, Role.REST if dim else fill)
    if width < 4:
        return
    words = words_of(moment.machine, half)
    step = moment.step
    if half.slot >= 0 and half.slot == being_written(step) and step is not None and step.frame is not None:
        words = f"DMA of {frame_name(step.frame)} · {moment.machine.ring.SLOT} {half.slot}"
    at, words = x + 1, f"{canvas.glyphs.changed if new else ' '}{words} "
    if half.frame is not None:
        name = frame_name(half.frame.id) + part_in(moment, page, half)
        chip = f" {name} " if width >= len(name) + len(words) + 3 else f" {frame_name(half.frame.id)} "
        at = canvas.put(at, y, chip[: width - 1], frame_role(half.frame.id, solid=not dim))
    room = x + width - at
    if room < 4:
        return
    words = _shortened(words, moment.machine.ring.SLOT, room)
    role: str = Role.CHANGED if new else Role.PLAIN if half.frame is not None and not dim else Role.REST
    if half.frame is not None and half.state is State.IN_HAND and not new and not dim:
        role = frame_role(half.frame.id)
    canvas.put(at, y, words, role)


def _shortened(words: str, slot: str, room: int) -> str:
    """Return the longest form of the words of a half that fits: without the slot's word, without its number, then the
    number alone; else as much as fits.
    """
    mark, said = words[0], words[1:].strip()
    short = said.replace(f" · {slot} ", f" {slot[0].lower()}")
    state, _, number = short.rpartition(" ")
    bare = [state, number] if short != said else [said.removeprefix("in ").removeprefix("being ")]
    forms = (words, f"{mark}{short} ", *(f"{mark}{form} " for form in bare if form))
    forms = (*forms, *(form.rstrip() for form in forms[2:]), *(bare if mark == " " else []))
    return next((form for form in forms if len(form) <= room), fit(words.rstrip(), room))


def draw_refs(canvas: Canvas, moment: Moment, y: int, right: int, page: Page) -> None:
    """Write the count less what is prepaid, behind column `right`: how many hold the page besides the driver.

    A page that is given up keeps its sum for that step, marked as what decided against it; afterwards only the count
    is left, and the word that it is off the ring.
    """
    room = canvas.width - right
    names = changed(moment)
    new = f"pages.{page.id}.page_count" in names or f"pages.{page.id}.pagecnt_bias" in names
    if just_given_up(moment, page) and moment.step is not None:
        if reserved := moment.step.field("reserved"):
            canvas.put_right(canvas.width, y, fit(f"{RESERVED[reserved]} ✗", room - 1), Role.BAD)
            return
        count, bias = moment.step.field("count"), moment.step.field("bias")
        short = f"= {count - bias} ✗"
        long = f"{count}−{bias} {short}" if moment.machine.config.rules.bias_start else f"refs {count} ✗"
        canvas.put_right(canvas.width, y, long if len(long) < room else short, Role.BAD)
        return
    if has_left(page):
        _left_the_ring(canvas, moment, y, right, page, new)
        return
    if moment.machine.config.rules.bias_start == 0:
        text = f"refs {page.refcount}"
    else:
        bias = prepaid(moment.machine, page)
        text = f"{page.refcount}−{bias} = {page.refcount - bias}"
        text = text if len(text) + 3 <= room else f"= {page.refcount - bias}"
    _marked(canvas, y, canvas.width - 2, fit(text, room - 3), new)


def prepaid(m: Machine, page: Page) -> int:
    """Return the references of a page on the ring that are paid in advance."""
    return m.ring.place(page.slot)[1] or 0


def _where(m: Machine, page: Page) -> str:
    """Say where a page off the ring is: with those who hold it, or beside the ring with the driver."""
    kept = m.driver.kept(page)
    if kept is None:
        return "left the ring"
    return "in reserve" if kept[1] is None else "kept aside"


def _left_the_ring(canvas: Canvas, moment: Moment, y: int, right: int, page: Page, new: bool) -> None:
    """Write what is left of a page off the ring; the words lie over the end of its second half."""
    long = f"refs {page.refcount} · {_where(moment.machine, page)}"
    text = (
        long if right >= 30 and canvas.width - right == REFS else fit(f"refs {page.refcount}", canvas.width - right - 1)
    )
    canvas.put(canvas.width - len(text) - 2, y, "  ", Role.REST)
    _marked(canvas, y, canvas.width, text, new)


def _marked(canvas: Canvas, y: int, end: int, text: str, new: bool) -> None:
    start = canvas.put_right(end, y, text, Role.CHANGED if new else Role.REST)
    if new:
        canvas.put(start - 1, y, canvas.glyphs.changed, Role.CHANGED)
