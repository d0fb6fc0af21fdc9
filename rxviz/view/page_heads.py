"""Chunks that the heads of skbs are cut from: which heads wait in slots, which have a frame, which are free again.

Above a bar for each chunk, a cell or more for each of its heads; below the heads round the one in question, one by one.
"""

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
from rxviz.view.page_choice import choose_pages
from rxviz.view.page_detail import draw_detail
from rxviz.view.page_rows import STATE_ROLES, draw_half, draw_number
from rxviz.view.question import half_in_question, page_in_question
from rxviz.view.regions import drawn_halves, state_letter
from rxviz.view.slots import being_written
from rxviz.view.text import size_text

COLUMN = 26
"""Cells of a head that stands by itself."""
_USED = (State.IN_HAND, State.STACK)
_IN_RING = (State.POSTED, State.FILLED)


def legend(moment: Moment, glyphs: Glyphs) -> str:
    """Return what the fills mean."""
    size = moment.machine.config.geometry.head
    fills = f"{glyphs.posted} waits  {glyphs.filled} done  {glyphs.stack} stack  {glyphs.spare} free"
    return f"heads of {size:,} B · {fills}"


def draw(canvas: Canvas, moment: Moment) -> None:
    """Draw chunks, heads, the head in question to scale, and the counts."""
    question = page_in_question(moment)
    foot = 1 if canvas.height >= 3 else 0
    scale = 2 if canvas.height >= 6 and question is not None else 0
    room = canvas.height - foot - scale
    choice = choose_pages(moment, question, max(room // 2, 1) if room >= 4 else room)
    digits = max((len(str(page.id)) for page in choice.pages), default=1)
    y = 0
    for page in choice.pages:
        _line(canvas, moment, y, digits, page, page is question)
        y += 1
    if choice.more:
        canvas.write(digits + 2, y, choice.more, Role.REST)
        y += 1
    if question is not None and room - y >= 2:
        y += 1 if room - y >= 5 else 0
        _grid(canvas, moment, y, digits + 2, room - y, question)
    if scale and question is not None:
        draw_detail(canvas, moment, canvas.height - foot - scale, question, digits)
    if foot:
        _foot(canvas, moment)


# ---------------------------------------------------------------------------------------------------------- the chunks
def _line(canvas: Canvas, moment: Moment, y: int, digits: int, page: Page, question: bool) -> None:
    """Draw one chunk: its number, a cell or more for each head, and how many are what."""
    draw_number(canvas, y, page, digits, question=question)
    left = digits + 2
    room = canvas.width - left
    found = drawn_halves(moment, page)
    count = max(page.size // moment.machine.config.geometry.head, 1)
    # Every chunk's bar is as long as the others', whatever is said beside it.
    form = next((n for n, words in enumerate(_forms(count, 1, 1)) if room - len(words) - 5 >= count), -1)
    text = _words(moment, page, found, count)[form] if form >= 0 else ""
    width = room - (len(_forms(count, 1, 1)[form]) + 5 if text else 2)
    each = max(width // count, 1)
    shown = min(count, width // each)
    canvas.put(left, y, "▕", Role.BORDER)
    canvas.put(left + 1 + shown * each, y, "▏", Role.BORDER)
    _bar(canvas, moment, y, left + 1, each, shown, page, found)
    if text:
        new = f"pages.{page.id}.page_count" in changed(moment)
        x = left + shown * each + 3
        if new:
            canvas.put(x - 1, y, canvas.glyphs.changed, Role.CHANGED)
        canvas.put(x, y, text, Role.CHANGED if new else Role.REST)


def _words(moment: Moment, page: Page, found: list[Half], count: int) -> tuple[str, ...]:
    m = moment.machine
    waiting, held = (sum(half.state in states for half in found) for states in (_IN_RING, _USED))
    left = count - cut_up_to(m, page) // m.config.geometry.head if m.napi_frags.page is page else 0
    return _forms(waiting, held, left)


def _forms(waiting: int, held: int, left: int) -> tuple[str, ...]:
    """Say how many heads of a chunk are in the ring, how many were taken out of it with a frame and are not freed, and
    how many are not cut from it yet, the longest form first.
    """
    short = [f"{waiting} in ring", *([f"{held} taken"] if held else [])]
    uncut = [f"{left} uncut"] if left else []
    return " · ".join([*short, *uncut]), " · ".join(short), f"{waiting} · {held}"


def _bar(canvas: Canvas, moment: Moment, y: int, x: int, each: int, shown: int, page: Page, found: list[Half]) -> None:
    size, glyphs = moment.machine.config.geometry.head, canvas.glyphs
    end, new = cut_up_to(moment.machine, page), changed_halves(moment, page, found)
    at = {half.start: half for half in found if half.state in (*_IN_RING, *_USED)}
    for number in range(shown):
        half, column = at.get(number * size), x + number * each
        if half is None:
            letter = glyphs.spare if number * size < end else glyphs.gone
            canvas.fill(column, y, each, letter, Role.REST)
            continue
        _cell(canvas, moment, column, y, each, half, new=half.start in new)
        canvas.target(column, y, each, 1, "half", f"{page.id}:{half.start}")


def _cell(canvas: Canvas, moment: Moment, x: int, y: int, width: int, half: Half, *, new: bool) -> None:
    letter, frame = state_letter(canvas.glyphs, half.state), _frame(moment, half)
    if frame is None:
        canvas.fill(x, y, width, letter, Role.CHANGED if new else STATE_ROLES.get(half.state, Role.REST))
        return
    canvas.fill(x, y, width, letter, frame_role(frame, solid=False))
    name = frame_name(frame)
    if width >= len(name):
        canvas.put(x + (width - len(name)) // 2, y, name, frame_role(frame))


def _frame(moment: Moment, half: Half) -> int | None:
    """Return the number of the frame in a head, or of the one that the NIC is just writing there."""
    if half.frame is not None:
        return half.frame.id
    step = moment.step
    return step.frame if step is not None and half.slot >= 0 and half.slot == being_written(step) else None


# ----------------------------------------------------------------------------------------------------------- the heads
def _grid(canvas: Canvas, moment: Moment, y: int, left: int, rows: int, page: Page) -> None:
    """Draw the heads of a chunk that anybody has, those round the one in question where not all fit."""
    every = [half for half in drawn_halves(moment, page) if half.state in (*_IN_RING, *_USED)]
    columns = max((canvas.width - left + 1) // (COLUMN + 1), 1)
    most = columns * rows
    question = half_in_question(moment, page)
    # What is not cut yet comes behind the last head that is.
    place = max(sum(half.start <= question.start for half in every) - 1, 0) if question is not None else 0
    # A window moves by half its length, so that most steps leave it in place.
    first = 0
    if len(every) > most:
        half_window = max(most // 2 // columns * columns, columns)
        first = min(max(place - place % half_window - half_window // 2, 0), len(every) - most)
    width = (canvas.width - left + 1) // columns - 1
    new = changed_halves(moment, page, every)
    for n, half in enumerate(every[first : first + most]):
        column, row = left + n // rows * (width + 1), y + n % rows
        here = question is not None and half.start == question.start
        canvas.put(column - 1, row, canvas.glyphs.right if here else " ", Role.ACCENT)
        draw_half(moment, canvas, column, row, width, page, half, new=half.start in new, dim=False)
        canvas.target(column, row, width, 1, "half", f"{page.id}:{half.start}")


def _foot(canvas: Canvas, moment: Moment) -> None:
    """Write how many heads were ever allocated, mapped and unmapped; what this step moved on is marked."""
    m, step = moment.machine, moment.step
    kind = step.kind if step is not None else -1
    counts = [
        (f"{m.ledger.skb_heads:,} heads", kind == steps.SKB_AHEAD),
        (f"{m.ledger.dma_maps:,} mapped", kind == steps.BUF_MAP),
        (f"{m.ledger.dma_unmaps:,} unmapped", kind == steps.BUF_UNMAP),
        (f"{m.memory.allocated:,} × {size_text(m.config.geometry.page)}", kind == steps.CHUNK_ALLOC),
    ]
    x, y = 0, canvas.height - 1
    for text, new in counts:
        if x + len(text) + 3 > canvas.width:
            return
        x = canvas.put(x, y, " ·" if x else "", Role.REST)
        x = canvas.put(x, y, canvas.glyphs.changed if new else " ", Role.CHANGED if new else Role.REST)
        x = canvas.put(x, y, text, Role.CHANGED if new else Role.REST)
