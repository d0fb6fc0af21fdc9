"""Who runs when: a row for the queue's interrupt and one for each CPU, in time, round the present step.

A span begins with its letter and goes on as a line of its kind, so that it tells the same without colours.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from rxviz.model.cpu import Who
from rxviz.run.activity import Activity, Vector
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import time_text


class Sign(NamedTuple):
    """How a span is drawn: its letter, the line that it goes on with, its role; a word for it, and what it means."""

    letter: str
    line: str
    role: str
    word: str
    meaning: str


VECTOR: dict[int, Sign] = {
    Vector.WAITS: Sign("w", "╌", Role.NIC, "waits", "the NIC would interrupt: moderation or the CPU holds it back"),
    Vector.MASKED: Sign("m", "┈", Role.REST, "masked", "the vector is masked, as the driver polls"),
}
CPU: dict[int, Sign] = {
    Who.HARDIRQ: Sign("I", "▪", Role.ACCENT, "interrupt", "an interrupt's handler"),
    Who.SOFTIRQ: Sign("S", "━", Role.DRIVER, "softirq", "the softirq, which polls"),
    Who.KSOFTIRQD: Sign("K", "═", Role.CHANGED, "ksoftirqd", "ksoftirqd, which polls in its place"),
    Who.READER: Sign("R", "─", Role.READER, "reads", "the program reads from the socket"),
    Who.STALL: Sign("!", "╱", Role.BAD, "stalled", "nothing: the CPU is stalled"),
}
_IDLE = "·"
LABEL = 7
"""Columns of the names of the rows."""
NICE = tuple(lead * 10**power for power in range(3) for lead in (10, 12, 15, 20, 25, 30, 40, 50, 60, 80))[:-2]
"""ns that a cell may stand for, 10 to 5,000; a run that needs more is shown in part."""
_NO = 0


def rows_of(cpus: int) -> int:
    """Return the lines that the rows take, with the line above them."""
    return 2 + cpus


class Window(NamedTuple):
    """A window of time: its start, and what a cell stands for, both in ns."""

    start: int
    cell: int


def window(now: int, total: int, cells: int) -> Window:
    """Return the window for a run known to a time `total`: all of it, or a part that `now` is in the middle half of.

    The part stands still while `now` moves through that half.
    """
    for cell in NICE:
        if total < cell * cells:
            return Window(0, cell)
    cell = NICE[-1]
    half = cell * cells // 2
    return Window(max(now // half * half - half // 2, 0), cell)


def draw(
    activity: Activity, moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE,
    past_only: bool = False,
) -> Picture:  # fmt: skip
    """Return the rows, as many as there is height for: above them what they mean, then interrupt and CPUs.

    With `past_only` nothing is drawn of what comes after the moment, though it may be known.
    """
    canvas = Canvas(width, height, glyphs)
    cells = max(width - LABEL - 1, 1)
    now = moment.step.t_ns if moment.step is not None else 0
    shown = window(now, max(activity.now, 1), cells)
    end = shown.start + shown.cell * cells
    known = min(now, activity.now) if past_only else activity.now
    config = moment.machine.config
    lanes = [("irq", VECTOR, _vector_spans(activity, shown.start, end))]
    for cpu in range(config.cpus):
        own: Iterable[tuple[int, int, int]] = ()
        if cpu in (0, config.reader_cpu):
            own = (activity.reader if cpu else activity.cpu).between(shown.start, end)
        lanes.append((f"CPU {cpu}", CPU, own))
    head = min(max((now - shown.start) // shown.cell, 0), cells - 1)
    actor = _actor(moment)
    seen: set[str] = set()
    for row, (name, signs, spans) in enumerate(lanes[: max(height - 1, 1)]):
        y = row + 1 if height > 1 else 0
        found = _cells(((a, min(b, known), what) for a, b, what in spans if a <= known), shown, cells)
        seen |= {signs[what].letter for what, _ in found if what}
        canvas.put(1, y, name, Role.ACCENT if row == actor else Role.REST)
        _lane(canvas, y, found, signs, known, shown)
        _head(canvas, y, head, found[head][0], signs, here=row == actor)
    if height > 1:
        _legend(canvas, seen, shown, end)
    return canvas.picture()


def _vector_spans(activity: Activity, start: int, end: int) -> Iterable[tuple[int, int, int]]:
    yield from activity.vector.between(start, end)
    if activity.vector_is is not Vector.ON and activity.since < end and activity.now > start:
        yield max(activity.since, start), min(activity.now, end), activity.vector_is


def _actor(moment: Moment) -> int:
    """Return the row of who took the step, -1 where nobody did."""
    step = moment.step
    if step is None:
        return -1
    return 0 if step.cpu is None else step.cpu + 1


def _cells(spans: Iterable[tuple[int, int, int]], shown: Window, cells: int) -> list[tuple[int, bool]]:
    """Return for each cell what it shows, and whether a span of that begins there.

    A cell shows an interrupt that begins in it, else what takes most of it, and is idle only where that is all.
    """
    most = [0] * cells
    found: list[tuple[int, bool]] = [(_NO, False)] * cells
    for start, end, what in spans:
        first = (start - shown.start) // shown.cell
        last = min(max((end - 1 - shown.start) // shown.cell, first), cells - 1)
        for x in range(first, last + 1):
            left, right = shown.start + x * shown.cell, shown.start + (x + 1) * shown.cell
            weight = min(end, right) - max(start, left)
            if what == Who.HARDIRQ and x == first:
                weight += shown.cell
            if weight > most[x]:
                most[x] = weight
                found[x] = (what, x == first)
    return found


def _lane(
    canvas: Canvas, y: int, found: list[tuple[int, bool]], signs: dict[int, Sign], known: int,
    shown: Window,
) -> None:  # fmt: skip
    before = _NO
    for x, (what, begins) in enumerate(found):
        if shown.start + x * shown.cell > known:
            return
        if not what:
            canvas.put(LABEL + x, y, _IDLE, Role.REST)
        else:
            sign = signs[what]
            fresh = what != before or (begins and what == Who.HARDIRQ)
            canvas.put(LABEL + x, y, sign.letter if fresh else sign.line, sign.role)
        before = what


def _head(canvas: Canvas, y: int, x: int, what: int, signs: dict[int, Sign], *, here: bool) -> None:
    """Mark the present: a line through all rows, and in that of who acts the letter of what he is at."""
    letter = "│"
    if here:
        letter = signs[what].letter if what else "┃"
    canvas.put(LABEL + x, y, letter, Role.ACCENT)


def _legend(canvas: Canvas, seen: set[str], shown: Window, end: int) -> None:
    """Say what the letters mean that are in sight, and what a cell stands for."""
    cell = f"a cell is {shown.cell / 1000:g} µs"
    x = canvas.put(1, 0, "who runs", Role.STRONG) + 2
    signs = [(sign.letter, sign.word, sign.role) for sign in (*VECTOR.values(), *CPU.values()) if sign.letter in seen]
    signs.append((_IDLE, "idle", Role.REST))
    need = x + sum(len(words) + 4 for _, words, _ in signs)
    whole = f"{time_text(shown.start)} to {time_text(end)} · {cell}"
    said = next((words for words in (whole, cell, cell[10:]) if need + len(words) < canvas.width), "")
    for letter, words, role in signs:
        if x + len(words) + 2 > canvas.width - len(said) - 2:
            break
        canvas.put(x, 0, letter, role)
        x = canvas.put(x + 2, 0, words, Role.REST) + 2
    canvas.put_right(canvas.width - 1, 0, said, Role.REST)
