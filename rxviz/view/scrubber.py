"""The track under everything: the whole run in one line, its telling steps as letters, and where one is in it."""

from __future__ import annotations

from collections.abc import Mapping

from rxviz.model import steps
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs

LEGEND = {
    "d": "drop", "g": "give up", "u": "top up", "c": "copy", "k": "new head", "a": "alloc", "l": "leaves GRO",
    "h": "held", "m": "merge", "b": "build",
    "f": "flip", "r": "reuse", "s": "deliver", "t": "tail", "i": "irq", "p": "poll", "n": "complete", "x": "free",
}  # fmt: skip
"""The words for the letters of `rxviz.model.steps`; of two kinds equally rare, the one named first is shown."""
_ROLES = {"d": Role.BAD, "g": Role.BAD, "c": Role.LEGACY, "k": Role.LEGACY, "b": Role.BUILD, "f": Role.NIC}
_ROLES |= {"a": Role.FREE, "r": Role.FREE, "s": Role.STACK, "m": Role.GOOD}
CLOSE = 4
"""With so few steps in a cell, every letter has its place."""
FEW = 3
"""On longer runs a kind must leave all but one in so many cells free."""
_GLYPHS = {kind.number: kind.glyph for kind in steps.KINDS if kind.glyph}
_ORDER = list(LEGEND)


def position_at(x: int, width: int, total: int) -> int:
    """Return the position (0 … total) that column `x` of a track `width` cells wide stands for."""
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
        self._counts = dict.fromkeys(_GLYPHS, 0)
        self._counted = 0
        """Steps that are in the counts; while a run grows, only what is new is counted."""
        self._track = ""
        self._seen: list[str] = []

    def draw(
        self,
        kinds: bytearray,
        position: int,
        width: int,
        height: int = 2,
        *,
        complete: bool = True,
        active: bool = False,
        glyphs: Glyphs = UNICODE,
    ) -> Picture:
        """Return track and legend in up to three lines; `kinds` are the kinds of all known steps (`Timeline.kinds`)."""
        canvas = Canvas(width, height, glyphs)
        self._remember(kinds, width)
        row = 1 if height >= 3 else 0
        for x, letter in enumerate(self._track, 1):
            canvas.put(x, row, letter, _ROLES.get(letter, Role.REST))
        canvas.put(0, row, "├", Role.BORDER)
        canvas.put(width - 1, row, "┤" if complete else glyphs.right, Role.BORDER)
        head = column_of(position, width, len(kinds))
        canvas.put(head, 0, glyphs.down, Role.ACCENT)
        if height >= 2:
            self._legend(canvas, height - 1)
        canvas.target(0, 0, width, min(row + 1, height), "track", len(kinds))
        return canvas.picture()

    def _legend(self, canvas: Canvas, y: int) -> None:
        x = 1
        for letter in self._seen:
            words = f"{letter} {LEGEND[letter]}"
            if x + len(words) > canvas.width:
                break
            canvas.put(x, y, letter, _ROLES.get(letter, Role.PLAIN))
            x = canvas.put(x + 2, y, LEGEND[letter], Role.REST) + 2

    def _remember(self, kinds: bytearray, width: int) -> None:
        key = (len(kinds), width)
        same = self._kinds is kinds
        if same and key == self._key:
            return
        if not same or len(kinds) < self._counted:
            self._counts, self._counted = dict.fromkeys(_GLYPHS, 0), 0
        self._kinds, self._key = kinds, key
        data = bytes(kinds)
        for kind in _GLYPHS:
            self._counts[kind] += data.count(kind, self._counted)
        self._counted = len(data)
        by_rarity = telling(rank(self._counts), self._counts, len(data), width - 2)
        self._seen = sorted({_GLYPHS[kind] for kind in by_rarity}, key=_ORDER.index)
        self._track = track(data, by_rarity, width)


def rank(counts: Mapping[int, int]) -> list[int]:
    """Return the kinds with a letter that occur at all, the rarest first."""
    found = [kind for kind, count in counts.items() if count and kind in _GLYPHS]
    return sorted(found, key=lambda kind: (counts[kind], _ORDER.index(_GLYPHS[kind])))


def telling(by_rarity: list[int], counts: Mapping[int, int], total: int, cells: int) -> list[int]:
    """Leave out kinds that would stand nearly everywhere on the track of a long run, where they tell nothing."""
    if total <= CLOSE * cells:
        return by_rarity
    return [kind for kind in by_rarity if counts[kind] * FEW <= cells]


def track(data: bytes, by_rarity: list[int], width: int) -> str:
    """Return the letters of the track, `width` - 2 of them: in each cell the rarest kind of the steps it stands for.

    The work is a search in bytes for each cell and kind, so that even millions of steps take milliseconds.
    """
    letters = ""
    before = 0
    for cell in range(width - 2):
        # A cell shows the steps that led from the cell before it to where one comes to rest on it.
        here = position_at(cell + 1, width, len(data))
        done = data[before:here]
        letters += next((_GLYPHS[kind] for kind in by_rarity if kind in done), "─")
        before = here
    return letters
