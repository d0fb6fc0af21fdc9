"""A large ring: every slot in two lines of bands, counts, and the slots in motion in detail."""

from __future__ import annotations

from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role, frame_role
from rxviz.view.changes import changed_names
from rxviz.view.cursors import Cursor, crossed, cursor_line, cursors, write_labels
from rxviz.view.slot_box import draw_box
from rxviz.view.slots import REFILL_KINDS, SlotState, bands, being_written, slot_at, slot_in_question, states

_TELLING = (SlotState.DONE, SlotState.WAITING, SlotState.REFILL, SlotState.POSTED, SlotState.EMPTY)
"""Which state a cell shows that stands for slots in several: the rarer the sooner."""
_ROLES = {SlotState.DONE: Role.STRONG, SlotState.POSTED: Role.NIC, SlotState.WAITING: Role.FREE}
_WORDS = {
    SlotState.DONE: "done",
    SlotState.POSTED: "posted",
    SlotState.WAITING: "recycled",
    SlotState.REFILL: "to refill",
}
BOX, BOX_WIDE, PER_WINDOW = 6, 7, 4
WINDOW_GAP = 2


def fits(count: int, width: int, height: int) -> bool:
    """Whether bands and a window in detail have room."""
    return width >= 2 * PER_WINDOW * BOX + WINDOW_GAP and height >= 11 and count > 2 * PER_WINDOW


def draw(canvas: Canvas, moment: Moment) -> None:
    """Draw bands, counts and windows."""
    found = cursors(moment)
    spare = canvas.height - 11
    tall = 4 + (1 if spare >= 1 else 0)
    thick = 1 + (1 if spare >= 4 else 0)
    y = _overview(canvas, moment, found, thick) + (1 if spare >= 3 else 0)
    _counts(canvas, moment, y)
    y += 1 + (1 if spare >= 2 else 0)
    _windows(canvas, moment, found, y, tall)
    cursor_line(canvas, min(y + 1 + tall + (1 if spare >= 6 else 0), canvas.height - 1), moment)


# ---------------------------------------------------------------------------------------------------------- the bands
def _overview(canvas: Canvas, moment: Moment, found: list[Cursor], thick: int) -> int:
    """Draw the whole ring as two lines of cells, closed at the ends, the numbers of the slots there outside; return
    the line below it.
    """
    m = moment.machine
    digits = len(str(m.ring.count))
    margin = digits + 2
    cells = canvas.width - 2 * margin
    row = (m.ring.count + 1) // 2
    every = states(m)
    bottom = 1 + 2 * thick
    for upper in (True, False):
        for cell in range(cells):
            first, behind = cell * row // cells, max((cell + 1) * row // cells, cell * row // cells + 1)
            slots = range(first, behind) if upper else range(m.ring.count - behind, m.ring.count - first)
            here = [every[slot] for slot in slots if 0 <= slot < m.ring.count]
            state = next((state for state in _TELLING if state in here), SlotState.EMPTY)
            role = _cell_role(moment, state, [slot for slot in slots if every[slot] is state])
            for line in range(thick):
                canvas.put(margin + cell, (1 if upper else 1 + thick) + line, _letter(canvas, state), role)
    _ends(canvas, m.ring.count, row, digits, bottom)

    def above(slot: int) -> int | None:
        return margin + min(slot * cells // row, cells - 1) if slot < row else None

    def below(slot: int) -> int | None:
        return margin + min((m.ring.count - 1 - slot) * cells // row, cells - 1) if slot >= row else None

    write_labels(canvas, 0, found, above, alone=False)
    write_labels(canvas, bottom, found, below, below=True, alone=False)
    return bottom + 1


def _ends(canvas: Canvas, count: int, row: int, digits: int, bottom: int) -> None:
    """Close the two lines at their ends, and write the number of the slot at each."""
    glyphs, right = canvas.glyphs, canvas.width - digits - 2
    for line in range(1, bottom):
        canvas.put(digits, line, "│ ", Role.REST)
        canvas.put(right, line, " │", Role.REST)
    canvas.put(digits, 1, "╭" + glyphs.right, Role.REST)
    canvas.put(right, 1, "─╮", Role.REST)
    canvas.put(digits, bottom - 1, "╰─", Role.REST)
    canvas.put(right, bottom - 1, glyphs.left + "╯", Role.REST)
    canvas.put_right(digits, 1, "0", Role.REST)
    canvas.put(right + 2, 1, str(row - 1), Role.REST)
    canvas.put_right(digits, bottom - 1, str(count - 1), Role.REST)
    canvas.put(right + 2, bottom - 1, str(row), Role.REST)


def _cell_role(moment: Moment, state: SlotState, slots: list[int]) -> str:
    frame = moment.machine.ring.frames[slots[0]] if state is SlotState.DONE and slots else None
    return frame_role(frame.id, solid=False) if frame is not None else _ROLES.get(state, Role.REST)


def _letter(canvas: Canvas, state: SlotState) -> str:
    glyphs = canvas.glyphs
    fills = {SlotState.DONE: glyphs.filled, SlotState.POSTED: glyphs.posted, SlotState.WAITING: glyphs.waiting}
    return fills.get(state, glyphs.spare)


def _counts(canvas: Canvas, moment: Moment, y: int) -> None:
    lengths = {state: length for state, _, length in bands(moment.machine)}
    names = _WORDS | {SlotState.WAITING: moment.machine.ring.WAITING}
    words = {state: f"{lengths.get(state, 0):,} {word}" for state, word in names.items()}
    total = sum(len(text) + 2 for text in words.values())
    between = " " * max(1, min(4, (canvas.width - total) // (len(words) - 1)))
    spans: list[tuple[str, str]] = []
    for state, text in words.items():
        spans.append((_letter(canvas, state) + " ", _ROLES.get(state, Role.REST)))
        spans.append((text, Role.PLAIN if state in lengths else Role.REST))
        spans.append((between, Role.REST))
    canvas.write_spans(0, y, spans[:-1])


# -------------------------------------------------------------------------------------------------------- the windows
def _windows(canvas: Canvas, moment: Moment, found: list[Cursor], y: int, tall: int) -> None:
    """Draw the slots round the cursors: refill (where there is room), clean, NIC, each always in its place."""
    m = moment.machine
    three = canvas.width >= 3 * (PER_WINDOW * BOX_WIDE + WINDOW_GAP) - WINDOW_GAP
    focus = _focus(moment, three)
    room = (canvas.width + WINDOW_GAP) // len(focus) - WINDOW_GAP
    per = max(PER_WINDOW, room // 12)
    box = min(room // per, 12)
    starts = window_starts(focus, m.ring.count, per)
    shown: dict[int, int] = {}
    for number, start in enumerate(starts):
        left = number * (per * box + WINDOW_GAP)
        _window(canvas, moment, start, left, y, per, box, tall)
        shown |= {(start + i) % m.ring.count: left + i * box + box // 2 for i in range(per)}
        if number:
            joined = start == (starts[number - 1] + per) % m.ring.count
            over = (start - 1) % m.ring.count in crossed(moment)
            wire = "─" + canvas.glyphs.right if joined else "┄┄"
            canvas.put(left - WINDOW_GAP, y + tall // 2, wire, Role.ACCENT if joined and over else Role.REST)
    write_labels(canvas, y, found, shown.get, alone=False)


def _focus(moment: Moment, three: bool) -> list[int]:
    """Return the slots that the windows are about, in ring order."""
    ring, step = moment.machine.ring, moment.step
    if three:
        return [ring.fill, ring.first, moment.machine.nic.rdh]
    refilling = step is not None and step.kind in REFILL_KINDS
    return [_refill_slot(moment) if refilling else ring.first, moment.machine.nic.rdh]


def _refill_slot(moment: Moment) -> int:
    step = moment.step
    if step is not None and step.kind in REFILL_KINDS and step.slot >= 0:
        return step.slot
    return moment.machine.ring.fill


def window_starts(focus: list[int], count: int, per: int) -> list[int]:
    """Return the first slot of each window. A window moves by half its length, so that most steps leave it in place;
    one that would overlap the one before follows on it.
    """
    starts: list[int] = []
    for slot in focus:
        start = (slot - slot % max(per // 2, 1) - per // 4) % count
        if starts and (slot - starts[-1]) % count < 2 * per:
            start = (starts[-1] + per) % count
        starts.append(start)
    return starts


def _window(canvas: Canvas, moment: Moment, start: int, left: int, y: int, per: int, box: int, tall: int) -> None:
    step = moment.step
    changed = changed_names(step.changes) if step is not None else frozenset()
    question, writing = slot_in_question(moment), being_written(step)
    for place in range(per):
        number = (start + place) % moment.machine.ring.count
        draw_box(
            canvas, left + place * box, y + 1, box, tall, slot_at(moment, number),
            question=number == question,
            changed=bool(changed & {f"slots.{number}.descriptor", f"slots.{number}.page", f"slots.{number}.skb"}),
            writing=step.frame if step is not None and step.frame is not None and number == writing else -1,
        )  # fmt: skip
