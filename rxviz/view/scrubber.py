"""The track under everything: the steps round the present one, and below them the whole run in one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from rxviz.model import steps
from rxviz.model.names import frame_name
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs

LEGEND = {
    "!": "rule off", "d": "drop", "g": "give up", "a": "new page", "c": "copy", "k": "new head", "f": "flip",
    "b": "build", "m": "merge", "h": "held", "l": "release",
    "r": "reuse", "u": "top up", "s": "deliver", "t": "tail", "i": "irq", "p": "poll",
    "e": "complete", "x": "free", "q": "squeeze", "w": "ksoftirqd", "o": "other queue", "v": "irq delay", "z": "stall",
    "j": "no memory", "y": "service task", "S": "next segment", "O": "page out",
}  # fmt: skip
"""The words for the letters of `rxviz.model.steps`: here, on the track, in menus and in the help they are the same."""
MARKS = "!dgjyzqwackmf"
"""Letters that the whole run is marked with, the most telling first."""
ALWAYS = "dg"
"""Of them, those that are shown however often they come: a frame or a page is lost."""
FEW = 3
"""The others must leave all but one in so many cells free, or they would stand everywhere and tell nothing."""
BARS = "▁▂▃▄▅"
"""How many frames go up the stack in a cell of the whole run, from none to the most; low, to leave letters in sight."""
LEAST_MOST = 3
"""So many frames in a cell at least make a full bar: one alone is no peak."""
PITCH = 2
"""Cells of a step in the row of steps: its letter, and what joins it to the one before."""
LABEL, LABEL_FROM = 6, 60
"""Columns that the rows' names take, and the width from which they are there."""
SHORT = 3
"""Where there is one row only, a run of at most so many steps for each column is shown step by step."""
_ROLES: dict[str, str] = {
    "!": Role.BAD,
    "d": Role.BAD,
    "g": Role.BAD,
    "j": Role.BAD,
    "y": Role.ACCENT,
    "q": Role.ACCENT,
    "w": Role.ACCENT,
    "c": Role.LEGACY,
    "k": Role.LEGACY,
    "b": Role.BUILD,
}
_ROLES |= {"f": Role.NIC, "S": Role.NIC, "a": Role.FREE, "r": Role.FREE, "s": Role.STACK}
_GLYPHS = {kind.number: kind.glyph for kind in steps.KINDS if kind.glyph}


class Rows(NamedTuple):
    """Where the rows are: the line of each (-1: there is none), and the columns that they take."""

    here: int
    run: int
    left: int
    room: int


def rows(width: int, height: int, total: int) -> Rows:
    """Return the rows of a track of a size."""
    left = LABEL if width >= LABEL_FROM else 0
    if height >= 2:
        return Rows(0, 1, left, width - left)
    here = total <= SHORT * width
    return Rows(0 if here else -1, -1 if here else 0, left, width - left)


def first_shown(position: int, room: int, total: int) -> int:
    """Return the first position in the row of steps: the present one is in the middle, or nearer to an end."""
    count = room // PITCH
    return min(max(position - count // 2, 0), max(total + 2 - count, 0))


def place_at(x: int, y: int, width: int, height: int, position: int, total: int) -> tuple[str, int]:
    """Return the row ("here", "run") at a place of the track, and the position (0 … total) that it stands for."""
    where = rows(width, height, total)
    if where.here >= 0 and (y <= where.here or where.run < 0):
        place = first_shown(position, where.room, total) + max(x - where.left, 0) // PITCH
        return "here", min(place, total)
    return "run", position_at(x - where.left, where.room, total)


def position_at(x: int, width: int, total: int) -> int:
    """Return the position (0 … total) that column `x` of a whole run `width` cells wide stands for."""
    cells = width - 2
    if cells <= 1 or total <= 0:
        return 0
    return min(max(x - 1, 0), cells - 1) * total // (cells - 1)


def column_of(position: int, width: int, total: int) -> int:
    """Return the column that shows a position; `position_at` of it is that position or a little before."""
    cells = width - 2
    if cells <= 1 or total <= 0:
        return min(1, max(width - 1, 0))
    return 1 + -(-min(position, total) * (cells - 1) // total)


class Scrubber:
    """Draws the track of a run; what it made of the run's steps is kept until they or the width change."""

    def __init__(self) -> None:
        self._kinds: bytearray | None = None
        self._key = (-1, -1)
        self._track = ""

    def draw(
        self,
        kinds: bytearray,
        position: int,
        width: int,
        height: int = 2,
        *,
        frames: Sequence[int] = (),
        complete: bool = True,
        active: bool = False,
        glyphs: Glyphs = UNICODE,
    ) -> Picture:
        """Return the track; `kinds` and `frames` are those of all known steps (see `Timeline`), a line for the legend.

        Without `frames`, steps are not shown in the colours of theirs.
        """
        canvas = Canvas(width, height, glyphs)
        where = rows(width, height, len(kinds))
        if where.here >= 0:
            _steps(canvas, where, kinds, frames, position, complete)
        if where.run >= 0:
            self._run(canvas, where, kinds, position, complete)
        if height >= 3:
            _legend(canvas, height - 1, kinds)
        return canvas.picture()

    def _run(self, canvas: Canvas, where: Rows, kinds: bytearray, position: int, complete: bool) -> None:
        y, left, room = where.run, where.left, where.room
        self._remember(kinds, room)
        if left:
            canvas.put(1, y, "run", Role.REST)
        x = left + 1
        for role, letters in groupby(self._track, lambda letter: _ROLES.get(letter, Role.REST)):
            x = canvas.put(x, y, "".join(letters), role)
        canvas.put(left, y, "├", Role.BORDER)
        canvas.put(canvas.width - 1, y, "┤" if complete else canvas.glyphs.right, Role.BORDER)
        canvas.put(left + column_of(position, room, len(kinds)), y, canvas.glyphs.up, Role.ACCENT)
        canvas.target(0, y, canvas.width, 1, "track", "run")

    def _remember(self, kinds: bytearray, width: int) -> None:
        key = (len(kinds), width)
        if self._kinds is not kinds or key != self._key:
            self._kinds, self._key = kinds, key
            self._track = track(kinds, width)


def track(kinds: bytearray, width: int) -> str:
    """Return the whole run in `width` - 2 cells: what is rare and telling as a letter, else how many frames went up.

    The work is a few searches in bytes for each cell, so that even millions of steps take milliseconds.
    """
    ends = [position_at(cell + 1, width, len(kinds)) for cell in range(width - 2)]
    # A cell shows the steps that led from the cell before it to where one comes to rest on it.
    spans = list(zip([0, *ends], ends, strict=False))
    done = [kinds.count(steps.SKB_DELIVER, start, end) for start, end in spans]
    most = max(LEAST_MOST, *done) if done else LEAST_MOST
    cells = [BARS[-(-count * (len(BARS) - 1) // most)] for count in done]
    for letter in reversed(MARKS):
        numbers = [number for number, glyph in _GLYPHS.items() if glyph == letter and number in kinds]
        found = [
            cell
            for cell, (start, end) in enumerate(spans)
            if any(kinds.find(number, start, end) >= 0 for number in numbers)
        ]
        if letter in ALWAYS or len(found) * FEW <= len(spans):
            for cell in found:
                cells[cell] = letter
    return "".join(cells)


def _steps(canvas: Canvas, where: Rows, kinds: bytearray, frames: Sequence[int], position: int, complete: bool) -> None:
    """Draw the steps round the present one: a letter each, a frame's name where another frame comes in."""
    y, left, total = where.here, where.left, len(kinds)
    first = first_shown(position, where.room, total)
    count = where.room // PITCH
    if left:
        canvas.put(1, y, "here", Role.REST)
    canvas.fill(left, y, (min(total + 1, first + count - 1) - first) * PITCH + 1, "─", Role.BORDER)
    last, behind = -1, left
    for place in range(first, min(first + count, total + 2)):
        x = left + (place - first) * PITCH + 1
        if place == 0:
            canvas.put(x - 1, y, " ├", Role.BORDER)
        elif place > total:
            canvas.put(x, y, "┤" if complete else canvas.glyphs.right, Role.BORDER)
        else:
            frame = frames[place - 1] if place <= len(frames) else -1
            letter = _GLYPHS.get(kinds[place - 1], "")
            _step(canvas, x, y, letter, frame, place == position)
            if frame >= 0:
                if frame != last and place not in (position, position + 1):
                    behind = _name(canvas, x, y, letter, frame, behind)
                last = frame
    head = left + (position - first) * PITCH + 1
    canvas.put(head - 1, y, "[", Role.ACCENT)
    canvas.put(head + 1, y, "]", Role.ACCENT)
    canvas.target(0, y, canvas.width, 1, "track", "here")


def _step(canvas: Canvas, x: int, y: int, letter: str, frame: int, here: bool) -> None:
    role = frame_role(frame, solid=here) if frame >= 0 else Role.CHANGED if here else _ROLES.get(letter, Role.REST)
    if letter in ALWAYS and letter:
        role = Role.BAD
    canvas.put(x, y, letter or "·", role)


def _name(canvas: Canvas, x: int, y: int, letter: str, frame: int, behind: int) -> int:
    """Write a frame's name where it hides no letter and none from `behind` on; return the column behind the last name.

    Most frames come in with a step that has no letter.
    """
    name = frame_name(frame)
    start = x - 1 if letter or len(name) > 1 else x
    if start < behind or len(name) > (1 if letter else PITCH + 1):
        return behind
    return canvas.put(start, y, name, frame_role(frame))


def _legend(canvas: Canvas, y: int, kinds: bytearray) -> None:
    """Say what the letters mean that this run has, and then what the bars do."""
    seen = {glyph for number, glyph in _GLYPHS.items() if number in kinds}
    x = 1
    for letter in (letter for letter in LEGEND if letter in seen):
        words = f"{letter} {LEGEND[letter]}"
        if x + len(words) > canvas.width:
            return
        canvas.put(x, y, letter, _ROLES.get(letter, Role.PLAIN))
        x = canvas.put(x + 2, y, LEGEND[letter], Role.REST) + 2
    words = f"{BARS[0]}{BARS[-1]} frames up"
    if x + len(words) <= canvas.width:
        canvas.put(x, y, words, Role.REST)
