"""The lines round two lanes: the header, and one scrubber for both, a mark for each frame where they differ."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.lanes_words import as_many
from rxviz.view.text import plural

FIRST, AGAIN, SAME = "◆", "◇", "·"
"""A frame that differs in a way in which none before it did; one that differs like one before; one that is the same."""
_ASCII = {FIRST: "*", AGAIN: "+", SAME: "."}
_ROLES = {FIRST: Role.ACCENT, AGAIN: Role.PLAIN, SAME: Role.REST}
_RANK = {SAME: 0, AGAIN: 1, FIRST: 2}


def marks(frames: int, differing: Sequence[int], firsts: Sequence[int]) -> str:
    """Return the mark of each frame."""
    found = [SAME] * frames
    for number in differing:
        found[number] = AGAIN
    for number in firsts:
        found[number] = FIRST
    return "".join(found)


def column_of(number: int, width: int, frames: int) -> int:
    """Return the column of a frame's mark on a track `width` cells wide."""
    cells = width - 2
    if cells <= 1 or frames <= 1:
        return min(1, max(width - 1, 0))
    return 1 + number * (cells - 1) // (frames - 1)


def frame_at(x: int, width: int, frames: int) -> int:
    """Return the first frame of a column, or the one nearest to it where it has none."""
    cells = width - 2
    if cells <= 1 or frames <= 1:
        return 0
    place = min(max(x - 1, 0), cells - 1) * (frames - 1)
    first = -(-place // (cells - 1))
    return first if column_of(first, width, frames) == x else (place + (cells - 1) // 2) // (cells - 1)


def draw_track(marked: str, number: int, width: int, height: int, *, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the scrubber: one mark for each frame (of several in a cell the most telling), and where one is."""
    canvas = Canvas(width, height, glyphs)
    row = 1 if height >= 3 else 0
    canvas.put(0, row, "├" + "─" * max(width - 2, 0) + "┤", Role.BORDER)
    best: dict[int, str] = {}
    for place, mark in enumerate(marked):
        x = column_of(place, width, len(marked))
        if _RANK[mark] >= _RANK[best.get(x, SAME)]:
            best[x] = mark
    for x, mark in best.items():
        canvas.put(x, row, _letter(mark, glyphs), _ROLES[mark])
    if marked:
        canvas.put(column_of(number, width, len(marked)), 0, glyphs.down, Role.ACCENT)
    if height >= 2:
        _legend(canvas, height - 1, marked)
    canvas.target(0, 0, width, min(row + 1, height), "track", len(marked))
    return canvas.picture()


def _letter(mark: str, glyphs: Glyphs) -> str:
    return _ASCII[mark] if glyphs.letters else mark


def _legend(canvas: Canvas, y: int, marked: str) -> None:
    words = {FIRST: "differs in a new way", AGAIN: "differs as before", SAME: "the same in both"}
    x = 1
    for mark, said in words.items():
        if mark in marked and x + len(said) + 2 < canvas.width:
            x = canvas.spans(x, y, (_letter(mark, canvas.glyphs), _ROLES[mark]), (f" {said}   ", Role.REST))


def draw_header(
    number: int,
    frames: int,
    differ: int,
    ways: int,
    width: int,
    *,
    step: tuple[int, int] | None = None,
    play: str = "",
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the first line; `step` is (which, of how many) while one is in the steps of a frame."""
    canvas = Canvas(width, 1, glyphs)
    if not frames:
        canvas.write_spans(1, 0, [("rxviz", Role.ACCENT), ("  two lanes", Role.PLAIN)], width - 1)
        return canvas.picture()
    place = f"frame {number + 1:,} / {frames:,}"
    right = [(place, Role.STRONG)]
    if step is not None:
        right.append((f" · step {step[0]} / {step[1]}", Role.STRONG))
    differences = plural(differ, "difference")
    if ways > 1:
        differences += f" of {ways} kinds"
    right += [(f"   {differences}", Role.ACCENT if differ else Role.REST), (f"  {play}" if play else "", Role.GOOD)]
    length = sum(len(text) for text, _ in right) + 1
    if length > width:
        canvas.write(0, 0, place, Role.STRONG)
        return canvas.picture()
    canvas.spans(width - length, 0, *right)
    if width - length >= 10:
        canvas.put(1, 0, "rxviz", Role.ACCENT)
        parts = ["two lanes", f"same {plural(frames, 'frame')}", "lockstep by " + ("frame" if step is None else "step")]
        canvas.put(8, 0, as_many(parts, width - length - 9), Role.PLAIN)
    return canvas.picture()
