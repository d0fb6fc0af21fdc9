"""A change that is seen to happen: frames slide along the strip, and a frame's bytes fill a buffer from the left.

Nothing else moves. Words, numbers and borders are those of the new picture from the first instant on, so that no
false word can be read on the way, and a frame that slides is on the screen exactly once all the time.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby, pairwise
from operator import itemgetter

from rxviz.view.cell import Picture, Role, Span
from rxviz.view.glyphs import SETS

PAINTS = 6
"""Pictures from the old one to the new one."""

Line = tuple[Span, ...]
Cell = tuple[str, str]

FILLS = frozenset(
    letter
    for glyphs in SETS.values()
    for letter in (glyphs.in_hand, glyphs.filled, glyphs.stack, glyphs.posted, glyphs.waiting, glyphs.spare,
                   glyphs.unknown, glyphs.copied)
)  # fmt: skip
"""Letters that a buffer is filled with."""


def cells_of(line: Line) -> list[Cell]:
    """Return a line cell by cell: letter and role."""
    return [(letter, role) for text, role in line for letter in text]


def line_of(cells: list[Cell]) -> Line:
    """Return cells as a line; those of one role go out as one, or colour codes would be most of what is sent."""
    runs = groupby(cells, key=itemgetter(1))
    return tuple(Span("".join(letter for letter, _ in run), role) for role, run in runs)


class Slide:
    """Frames on their way along one line, each (old column, new column, cells)."""

    def __init__(self, new: list[Cell], chips: list[tuple[int, int, list[Cell]]], still: list[tuple[int, int]]) -> None:
        self._chips = chips
        borders = Counter(cell for cell in new if cell[1] == Role.BORDER)
        self._ground: Cell = borders.most_common(1)[0][0] if borders else (" ", Role.PLAIN)
        self._base = list(new)
        for _, place, chip in chips:
            self._clear(self._base, place, place + len(chip))
        letters = "".join(letter for letter, _ in self._base)
        words = re.finditer(rf"[^\s{re.escape(self._ground[0])}]+", letters)
        self._blocks = still + [word.span() for word in words]
        """What stands there: a frame that slides over a part of it hides all of it, lest half a word be read."""

    def _clear(self, cells: list[Cell], start: int, end: int) -> None:
        cells[start:end] = [self._ground] * (end - start)

    def cells(self, done: int) -> list[Cell]:
        """Return the line after so many paints of `PAINTS`."""
        line = list(self._base)
        places = [(old + (new - old) * done // PAINTS, chip) for old, new, chip in self._chips]
        for place, chip in places:
            for start, end in self._blocks:
                if start < place + len(chip) and place < end:
                    self._clear(line, start, end)
        for place, chip in places:
            line[place : place + len(chip)] = chip
        return line


class Fill:
    """Runs of cells of one line in which a frame's bytes arrive (or, on the way back, go)."""

    def __init__(self, old: list[Cell], new: list[Cell], runs: list[tuple[int, int, list[int]]], way: int) -> None:
        self._old, self._new, self._runs, self._way = old, new, runs, way

    def cells(self, done: int) -> list[Cell]:
        """Return the line after so many paints of `PAINTS`."""
        line = list(self._new)
        for start, end, places in self._runs:
            length = (end - start) * done // PAINTS
            for x in places:
                if x >= start + length if self._way > 0 else x < end - length:
                    line[x] = self._old[x]
        return line


class Motion:
    """A change on its way; `lines` are those that are not yet as they will be."""

    def __init__(self, new: Picture, moving: dict[int, Slide | Fill]) -> None:
        self._new = new
        self._moving = moving
        self.done = 0

    @property
    def lines(self) -> list[int]:
        """The lines in which something moves."""
        return list(self._moving)

    def line(self, y: int) -> Line:
        """Return a line as it looks now."""
        moving = self._moving.get(y)
        if moving is None or self.done >= PAINTS:
            return self._new.lines[y]
        return line_of(moving.cells(self.done))


def begin(old: Picture, new: Picture, way: int) -> Motion | None:
    """Return what moves from one picture to another of the same size, `way` 1 forward and -1 back; None: nothing."""
    if old.width != new.width or len(old.lines) != len(new.lines):
        return None
    moving: dict[int, Slide | Fill] = dict(_slides(old, new))
    for y, (before, after) in enumerate(zip(old.lines, new.lines, strict=True)):
        if y not in moving and before != after:
            was, now = cells_of(before), cells_of(after)
            runs = _runs(was, now, way)
            if runs:
                moving[y] = Fill(was, now, runs, way)
    return Motion(new, moving) if moving else None


def _chips(picture: Picture) -> dict[int, tuple[int, int, int]]:
    """Return (line, column, cells) of each frame that is drawn exactly once, as a block with its name."""
    places = [place for place in picture.targets if place.kind == "frame"]
    count = Counter(place.value for place in places)
    return {int(place.value): (place.y, place.x, place.width) for place in places if count[place.value] == 1}


def _slides(old: Picture, new: Picture) -> dict[int, Slide]:
    before, after = _chips(old), _chips(new)
    both = {frame: (before[frame], after[frame]) for frame in after if frame in before}
    found = {}
    for y in sorted({line for line, _, _ in after.values()}):
        pairs = [(was[1], now[1], now[2]) for was, now in both.values() if was[0] == now[0] == y and was[2] == now[2]]
        pairs.sort()
        # Frames that overtake each other would hide each other on the way; they just swap.
        in_order = all(a[1] + a[2] <= b[1] for a, b in pairwise(pairs))
        if not in_order or all(was == now for was, now, _ in pairs):
            continue
        cells = cells_of(new.lines[y])
        moving = [(was, now, cells[now : now + width]) for was, now, width in pairs if was != now]
        taken = {now for _, now, _ in moving}
        still = [(x, x + width) for line, x, width in after.values() if line == y and x not in taken]
        found[y] = Slide(cells, moving, still)
    return found


def _runs(old: list[Cell], new: list[Cell], way: int) -> list[tuple[int, int, list[int]]]:
    """Return (first column, column behind the last, columns that change) of each stretch that a frame fills."""
    if len(old) != len(new):
        return []
    frame = new if way > 0 else old
    runs: list[tuple[int, int, list[int]]] = []
    places: list[int] = []
    for x, (letter, role) in enumerate([*frame, ("", "")]):
        if role.startswith("frame"):
            if letter in FILLS and old[x] != new[x] and old[x][0] in FILLS and new[x][0] in FILLS:
                places.append(x)
        elif places:
            runs.append((places[0], places[-1] + 1, places))
            places = []
    return runs
