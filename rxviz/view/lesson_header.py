"""The line at the top of a lesson: its name, and its seven parts, those done and the one at hand marked."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import Glyphs
from rxviz.view.text import fit


def signs(glyphs: Glyphs) -> tuple[str, str]:
    """Return the signs for done and for wrong; letters where there is only ASCII."""
    return ("+", "x") if glyphs.letters else ("✓", "✗")


def draw(
    width: int, glyphs: Glyphs, number: int, title: str, parts: Sequence[str], at: str, done: Sequence[str], more: str
) -> Picture:
    """Return the line; where it is too narrow, blanks go first, then words, then the title's end. `more` says which
    of several questions."""
    canvas = Canvas(width, 1, glyphs)
    tick = signs(glyphs)[0]
    full = f"Lesson {number}  "
    short = f"{number} "
    for lead, gap, blank in ((full, 3, " "), (full, 2, " "), (short, 2, " "), (short, 1, " "), (short, 1, "")):
        marked = [_marked(part, part == at, part in done, tick, f"{glyphs.changed}{more}", blank) for part in parts]
        room = width - 2 - len(lead) - sum(len(text) + gap for text in marked)
        if room >= len(title):
            break
    x = canvas.put(1, 0, lead, Role.ACCENT)
    x = canvas.put(x, 0, fit(title, max(room, 8)), Role.STRONG) + gap
    for part, text in zip(parts, marked, strict=True):
        x = canvas.put(x, 0, text, Role.ACCENT if part == at else Role.REST) + gap
    return canvas.picture()


def _marked(part: str, here: bool, done: bool, tick: str, dot: str, blank: str) -> str:
    return f"{part}{blank}{dot}" if here else f"{part}{blank}{tick}" if done else part
