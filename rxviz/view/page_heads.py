"""A chunk that skbs' heads are cut from, as one row: which wait in slots, which have a frame, which are free again."""

from __future__ import annotations

from rxviz.model import steps
from rxviz.model.halves import Half, State
from rxviz.model.heads import cut_up_to
from rxviz.model.memory import Page
from rxviz.model.names import frame_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role, frame_role
from rxviz.view.changes import changed, changed_halves
from rxviz.view.glyphs import Glyphs
from rxviz.view.page_rows import STATE_ROLES
from rxviz.view.regions import drawn_halves, state_letter
from rxviz.view.slots import being_written
from rxviz.view.text import size_text

LEAST = 2
"""Cells of a head; where one has less, several share a cell."""


def legend(moment: Moment, glyphs: Glyphs) -> str:
    """Return what the fills of such a row mean."""
    size = moment.machine.config.geometry.head
    fills = f"{glyphs.posted} waits  {glyphs.filled} done  {glyphs.stack} stack  {glyphs.spare} free"
    return f"heads of {size:,} B · {fills}"


def draw_heads(canvas: Canvas, moment: Moment, y: int, left: int, page: Page) -> None:
    """Draw the row of a chunk from column `left` on: a cell or more for each head, then how many are what."""
    room = canvas.width - left
    found = drawn_halves(moment, page)
    count = max(page.size // moment.machine.config.geometry.head, 1)
    words = _words(moment, page, found, count)
    text = next((form for form in words if room - len(form) - 4 >= min(count * LEAST, room // 2)), "")
    width = room - (len(text) + 4 if text else 2)
    canvas.put(left, y, "▕", Role.BORDER)
    each = max(width // count, 1)
    used = min(each * count, width)
    canvas.put(left + 1 + used, y, "▏", Role.BORDER)
    _row(canvas, moment, y, left + 1, each, count, width, page, found)
    if text:
        new = f"pages.{page.id}.page_count" in changed(moment)
        canvas.put(left + used + 3, y, text, Role.CHANGED if new else Role.REST)
        if new:
            canvas.put(left + used + 2, y, canvas.glyphs.changed, Role.CHANGED)


def _words(moment: Moment, page: Page, found: list[Half], count: int) -> tuple[str, ...]:
    waiting = sum(half.state in (State.POSTED, State.FILLED) for half in found)
    held = sum(half.state in (State.IN_HAND, State.STACK) for half in found)
    long = f"{waiting} in the ring · {held} with frames"
    current = moment.machine.napi_frags.page is page
    left = count - cut_up_to(moment.machine, page) // moment.machine.config.geometry.head if current else 0
    return (f"{long} · {left} to come" if left else long, long, f"{waiting} · {held}")


def _row(
    canvas: Canvas, moment: Moment, y: int, x: int, each: int, count: int, width: int, page: Page, found: list[Half]
) -> None:
    """Draw the heads, each `each` cells wide; what is in motion is marked."""
    size, glyphs = moment.machine.config.geometry.head, canvas.glyphs
    end = cut_up_to(moment.machine, page)
    new = changed_halves(moment, page, found)
    at = {half.start: half for half in found if half.state not in (State.SPARE, State.GONE)}
    for number in range(count):
        column = x + number * each
        if column + each > x + width:
            return
        half = at.get(number * size)
        if half is None:
            letter = glyphs.spare if number * size < end else glyphs.gone
            canvas.fill(column, y, each, letter, Role.REST)
            continue
        _head(canvas, moment, column, y, each, half, new=half.start in new)
        canvas.target(column, y, each, 1, "half", f"{page.id}:{half.start}")


def _head(canvas: Canvas, moment: Moment, x: int, y: int, width: int, half: Half, *, new: bool) -> None:
    letter, step = state_letter(canvas.glyphs, half.state), moment.step
    frame = half.frame.id if half.frame is not None else None
    if frame is None and half.slot >= 0 and half.slot == being_written(step) and step is not None:
        frame = step.frame
    if frame is None:
        canvas.fill(x, y, width, letter, Role.CHANGED if new else STATE_ROLES.get(half.state, Role.REST))
        if half.slot >= 0 and width >= len(str(half.slot)) + 2:
            canvas.put(x + (width - len(str(half.slot))) // 2, y, str(half.slot), Role.CHANGED if new else Role.REST)
        return
    canvas.fill(x, y, width, letter, frame_role(frame, solid=False))
    name = frame_name(frame)
    if width > len(name):
        canvas.put(x + (width - len(name)) // 2, y, name, frame_role(frame))
    elif width == len(name):
        canvas.put(x, y, name, frame_role(frame))


def draw_foot(canvas: Canvas, moment: Moment) -> None:
    """Write how many heads were ever allocated, mapped and unmapped; what this step moved on is marked."""
    m, step = moment.machine, moment.step
    kind = step.kind if step is not None else -1
    counts = [
        (f"{m.ledger.skb_heads:,} heads", kind == steps.SKB_AHEAD),
        (f"{m.ledger.dma_maps:,} mapped", kind == steps.BUF_MAP),
        (f"{m.ledger.dma_unmaps:,} unmapped", kind == steps.BUF_UNMAP),
        (f"{m.memory.taken:,} × {size_text(m.config.geometry.page)}", kind == steps.CHUNK_ALLOC),
        ("0 used again", False),
    ]
    x, y = 0, canvas.height - 1
    for text, new in counts:
        if x + len(text) + 3 > canvas.width:
            return
        x = canvas.put(x, y, " ·" if x else "", Role.REST)
        x = canvas.put(x, y, canvas.glyphs.changed if new else " ", Role.CHANGED if new else Role.REST)
        x = canvas.put(x, y, text, Role.CHANGED if new else Role.REST)
