"""A screen of a lesson as one sheet: a picture, and below it lines of words with places that can be pressed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import Glyphs
from rxviz.view.text import wrap

MEASURE = 76
"""Columns of a line of words at most, the margin not counted; longer ones are hard to read."""
MARGIN = 2
STAGE = 132
"""Columns of a sheet at most; on a wider terminal it stands in the middle."""
LEAST_PICTURE = 5
_BADGE = re.compile(r"(\[[KSMH]\])")

Spans = Sequence[tuple[str, str]]
DrawAt = Callable[[int, int], Picture]


class Words:
    """Collects lines of words of a width, and which of them can be pressed."""

    def __init__(self, width: int, glyphs: Glyphs) -> None:
        self.width = max(width - 2 * MARGIN, 1)
        self.glyphs = glyphs
        self.measure = min(MEASURE, self.width)
        self.lines: list[Spans] = []
        self.targets: list[tuple[int, str, str]] = []

    def gap(self) -> None:
        """Leave a line blank, but never two, and none at the top."""
        if self.lines and self.lines[-1]:
            self.lines.append([])

    def text(self, text: str, role: str = Role.PLAIN, *, last: str = "", indent: int = 0, rows: int = 99) -> None:
        """Add paragraphs; the last one in the role `last`, when one is given. Badges have a role of their own."""
        paragraphs = text.split("\n\n")
        for number, paragraph in enumerate(paragraphs):
            if number:
                self.gap()
            mine = last if last and number == len(paragraphs) - 1 else role
            for line in wrap(paragraph, self.measure - indent, rows):
                self.lines.append([(" " * indent, Role.PLAIN), *_badged(line, mine)])

    def hanging(self, head: Spans, text: str, role: str = Role.PLAIN) -> None:
        """Add a paragraph that hangs behind its first words."""
        indent = sum(len(part) for part, _ in head)
        for number, line in enumerate(wrap(text, self.measure - indent, 99)):
            first = head if number == 0 else [(" " * indent, Role.PLAIN)]
            self.lines.append([*first, *_badged(line, role)])

    def spans(self, *spans: tuple[str, str]) -> None:
        """Add one line as it is; it is cut where it is too long."""
        self.lines.append(spans)

    def press(self, kind: str, value: str, lines: int = 1) -> None:
        """Make the last lines pressable."""
        self.targets.extend((len(self.lines) - 1 - back, kind, value) for back in range(lines))

    def trim(self) -> None:
        """Drop blank lines at the end."""
        while self.lines and not self.lines[-1]:
            self.lines.pop()


def _badged(line: str, role: str) -> list[tuple[str, str]]:
    return [(part, Role.BADGE if _BADGE.fullmatch(part) else role) for part in _BADGE.split(line) if part]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A screen of a lesson; the first `split` lines are the picture, the rest are words."""

    picture: Picture
    split: int = 0

    def above(self) -> Picture:
        """Return the picture alone."""
        whole = self.picture
        targets = tuple(place for place in whole.targets if place.y < self.split)
        return Picture(whole.width, whole.lines[: self.split], targets)

    def below(self) -> Picture:
        """Return the words alone."""
        whole, split = self.picture, self.split
        targets = tuple(place._replace(y=place.y - split) for place in whole.targets if place.y >= split)
        return Picture(whole.width, whole.lines[split:], targets)


def sheet(
    width: int, height: int, glyphs: Glyphs, draw: DrawAt | None, tall: int, words: Words, *, least: int = 0
) -> Sheet:
    """Return picture and words, one under the other; `tall` lines are all that the picture can use.

    The words come first: the picture gets what they leave, and none where that is next to nothing. For `least` lines of
    picture blank lines between the words are given up.
    """
    canvas = Canvas(width, height, glyphs)
    words.trim()
    room = height - len(words.lines) - 1
    if room < least <= room + sum(not line for line in words.lines):
        room = least
    y = split = 0
    if draw is not None and room >= LEAST_PICTURE:
        stage = min(width, STAGE)
        picture = draw(stage, min(room, tall))
        paste(canvas, (width - stage) // 2, 0, picture)
        split = len(picture.lines)
        y = split + 1
    left = MARGIN + max((width - STAGE) // 2, 0)
    # Blank lines go first where there are too many.
    lines, dropped = words.lines, 0
    too_many = len(lines) - (height - y)
    for number, line in enumerate(lines):
        if not line and dropped < too_many:
            dropped += 1
            continue
        canvas.write_spans(left, y, line, words.width)
        for row, kind, value in words.targets:
            if row == number:
                canvas.target(left, y, words.width, 1, kind, value)
        y += 1
    return Sheet(canvas.picture(), split)


def paste(canvas: Canvas, x: int, y: int, picture: Picture) -> None:
    """Copy a picture onto a canvas, its pressable places too."""
    for row, line in enumerate(picture.lines):
        at = x
        for text, role in line:
            at = canvas.put(at, y + row, text, role)
    for place in picture.targets:
        canvas.target(x + place.x, y + place.y, place.width, place.height, place.kind, place.value)


def beside(
    width: int, height: int, glyphs: Glyphs, draws: Sequence[DrawAt], titles: Sequence[Spans], *, wide: int = 100
) -> Picture:
    """Return two or more pictures with a title line each: side by side from `wide` columns on, else in a stack."""
    canvas = Canvas(width, height, glyphs)
    count = len(draws)
    if width >= wide:
        each = (width - (count - 1)) // count
        for number, (draw, title) in enumerate(zip(draws, titles, strict=True)):
            x = number * (each + 1)
            broad = width - x if number == count - 1 else each
            canvas.write_spans(x + 1, 0, title, broad - 2)
            paste(canvas, x, 1, draw(broad, height - 1))
        return canvas.picture()
    each = height // count
    for number, (draw, title) in enumerate(zip(draws, titles, strict=True)):
        y = number * each
        canvas.write_spans(1, y, title, width - 2)
        paste(canvas, 0, y + 1, draw(width, each - 1))
    return canvas.picture()
