"""Pages of text as lines of cells: headings, paragraphs, and lines that can be pressed."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import Glyphs
from rxviz.view.text import wrap

MEASURE = 92
"""Columns of a line of prose at most: longer ones are hard to read."""
MARGIN = 3

Spans = Sequence[tuple[str, str]]


class Prose:
    """Collects the lines of a page of a width; `picture` shows as many as there is room for."""

    def __init__(self, width: int, glyphs: Glyphs, measure: int = MEASURE) -> None:
        self.width = width
        self.glyphs = glyphs
        self.measure = max(min(measure, width - 2 * MARGIN), 1)
        """Columns of a line that is written as it is; a paragraph has `MEASURE` at most."""
        self.left = max((width - self.measure) // 2, 0)
        self.lines: list[Spans] = []
        self.targets: list[tuple[int, str, str]] = []
        self.spots: list[tuple[int, int, int, str, str]] = []

    def gap(self, count: int = 1) -> None:
        """Leave lines blank."""
        self.lines.extend([] for _ in range(count))

    def heading(self, text: str) -> None:
        """Begin a part."""
        if self.lines:
            self.gap()
        self.lines.append([(text, Role.ACCENT)])

    def text(self, text: str, role: str = Role.PLAIN, indent: int = 0) -> None:
        """Add a paragraph."""
        for line in wrap(text, min(self.measure, MEASURE) - indent, 99):
            self.lines.append([(" " * indent, Role.PLAIN), (line, role)])

    def entry(self, key: str, text: str, column: int, role: str = Role.KEY, text_role: str = Role.PLAIN) -> None:
        """Add a word and what it means, the meaning in a column of its own."""
        for number, line in enumerate(wrap(text, self.measure - column, 99)):
            first = f"{key:<{column}}" if number == 0 else " " * column
            self.lines.append([(first, role), (line, text_role)])

    def spans(self, *spans: tuple[str, str]) -> None:
        """Add one line as it is."""
        self.lines.append(spans)

    def press(self, kind: str, value: str, lines: int = 1) -> None:
        """Make the last lines pressable."""
        self.targets.extend((len(self.lines) - 1 - back, kind, value) for back in range(lines))

    def spot(self, column: int, width: int, kind: str, value: str) -> None:
        """Make some columns of the next line pressable."""
        self.spots.append((len(self.lines), column, width, kind, value))

    def picture(self, height: int, first: int = 0, *, bar: bool = False) -> Picture:
        """Return the lines from `first` on; `bar`: with a scroll bar in the margin, where not all are in sight."""
        canvas = Canvas(self.width, height, self.glyphs)
        for y, line in enumerate(self.lines[first : first + height]):
            canvas.write_spans(self.left, y, line, self.measure)
        for y, kind, value in self.targets:
            canvas.target(self.left, y - first, self.measure, 1, kind, value)
        for y, x, width, kind, value in self.spots:
            canvas.target(self.left + x, y - first, width, 1, kind, value)
        if bar and len(self.lines) > height > 2:
            self._bar(canvas, height, first)
        return canvas.picture()

    def _bar(self, canvas: Canvas, height: int, first: int) -> None:
        """Draw how much of the page is in sight and where: an arrow is full where there is more that way."""
        x, lines, track = self.left + self.measure + 1, len(self.lines), height - 2
        long = max(track * height // lines, 1)
        most = lines - height
        # At an end only if there is nothing more that way.
        start = 0 if not first else track - long if first == most else min(max(track * first // lines, 1), track - long)
        thumb = range(start, start + long)
        for y in range(track):
            canvas.put(x, 1 + y, self.glyphs.bar if y in thumb else "│", Role.REST)
        canvas.put(x, 0, self.glyphs.up if first else "│", Role.KEY if first else Role.REST)
        canvas.put(x, height - 1, self.glyphs.down if first < most else "│", Role.KEY if first < most else Role.REST)
        half = height // 2
        canvas.target(x, 0, 1, half, "scroll", str(1 - height))
        canvas.target(x, half, 1, height - half, "scroll", str(height - 1))
