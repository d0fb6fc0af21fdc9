"""The one widget that shows cells: a picture is drawn for its size, and only what differs is painted again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from rxviz.screens.theme import palette_of
from rxviz.view.cell import Picture, Role, Span, Target
from rxviz.view.text import safe

Draw = Callable[[int, int], Picture]
"""Gives the picture for a width and a height in cells."""

SWEEP_SECONDS = 0.24
SWEEP_FRAMES = 6
"""How long a change takes to sweep over the cells that differ, and in how many paints: 25 a second."""

Line = tuple[Span, ...]


def differing(old: Line, new: Line) -> tuple[int, int] | None:
    """Return the first column in which two lines of one width differ and the column behind the last, or None."""
    if old == new:
        return None
    before, after = _cells(old), _cells(new)
    places = [x for x, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
    if len(before) != len(after):
        return (places[0] if places else min(len(before), len(after))), max(len(before), len(after))
    return (places[0], places[-1] + 1) if places else None


def _cells(line: Line) -> list[tuple[str, str]]:
    return [(letter, role) for text, role in line for letter in text]


@dataclass
class Sweep:
    """A change on its way over the lines that differ: what was there before, where they differ, how far it is."""

    old: Picture
    changed: dict[int, tuple[int, int]]
    way: int
    done: int = 0

    def line(self, y: int, new: Line) -> Line:
        """Return a line as it looks now: new up to the front, and old behind it."""
        if y not in self.changed or y >= len(self.old.lines):
            return new
        front = self._front(y, self.done)
        before, after = _cells(self.old.lines[y]), _cells(new)
        cells = after[:front] + before[front:] if self.way > 0 else before[:front] + after[front:]
        # Cells of one role go out as one: a colour code for each would be most of what is sent.
        runs = groupby(cells, key=itemgetter(1))
        return tuple(Span("".join(letter for letter, _ in run), role) for role, run in runs)

    def go_on(self) -> dict[int, tuple[int, int]]:
        """Move the front on; return the cells that it has passed over, by line."""
        self.done += 1
        passed = {y: sorted((self._front(y, self.done - 1), self._front(y, self.done))) for y in self.changed}
        return {y: (start, end) for y, (start, end) in passed.items() if start < end}

    def rest(self) -> dict[int, tuple[int, int]]:
        """Return the cells that the front has not come to yet."""
        passed = {y: self._front(y, self.done) for y in self.changed}
        if self.way > 0:
            return {y: (front, self.changed[y][1]) for y, front in passed.items() if front < self.changed[y][1]}
        return {y: (self.changed[y][0], front) for y, front in passed.items() if front > self.changed[y][0]}

    def _front(self, y: int, done: int) -> int:
        start, end = self.changed[y]
        length = (end - start) * done // SWEEP_FRAMES
        return start + length if self.way > 0 else end - length


class Cells(Widget):
    """A picture on the screen.

    `draw` is asked again whenever the size has changed, also in the midst of a paint: the compositor paints a widget
    before it tells it its new size.
    """

    class Pressed(Message):
        """A place in the picture was pressed. `x` is the column, for places that are lines."""

        def __init__(self, cells: Cells, target: Target | None, x: int) -> None:
            super().__init__()
            self.cells = cells
            self.target = target
            self.x = x

        @property
        def control(self) -> Cells:
            """The widget that was pressed."""
            return self.cells

    def __init__(self, draw: Draw, *, surface: str = "panel", id: str | None = None, draggable: bool = False) -> None:
        super().__init__(id=id)
        self.surface = surface
        self.draggable = draggable
        """Whether the mouse goes on pressing while its button is held down."""
        self._draw = draw
        self._picture = Picture(0, ())
        self._drawn_for = (-1, -1)
        self._strips: dict[int, Strip] = {}
        self._sweep: Sweep | None = None
        self._sweep_timer: Timer | None = None

    # ----------------------------------------------------------------------------------------------------- showing
    @property
    def picture(self) -> Picture:
        """The picture for the present size."""
        size = (self.size.width, self.size.height)
        if self._drawn_for != size:
            self._drawn_for = size
            self._picture = self._draw(*size)
            self._strips.clear()
        return self._picture

    def show(self, draw: Draw | None = None, *, sweep: int = 0) -> None:
        """Draw again (by another function from now on, when one is given), and repaint the cells that differ.

        `sweep` 1 lets the change run over them from left to right, as bytes arrive, and -1 back again; whoever asks
        must know that motion is wanted.
        """
        self._draw = draw or self._draw
        size = (self.size.width, self.size.height)
        if self._drawn_for != size or not self.is_attached:
            self.forget()
            return
        self._end_sweep()
        old, self._picture = self._picture, self._draw(*size)
        changed = {}
        for y, new in enumerate(self._picture.lines):
            span = differing(old.lines[y] if y < len(old.lines) else (), new)
            if span is not None:
                changed[y] = span
        if sweep and changed:
            self._sweep = Sweep(old, changed, sweep)
            self._sweep_timer = self.set_interval(SWEEP_SECONDS / SWEEP_FRAMES, self._sweep_on)
        else:
            self._repaint(changed)

    def forget(self) -> None:
        """Draw again when it is next painted; for a widget that is not in sight."""
        if self._drawn_for != (-1, -1):
            self._end_sweep()
            self._drawn_for = (-1, -1)
            self.refresh()

    def _repaint(self, changed: dict[int, tuple[int, int]]) -> None:
        for y in changed:
            self._strips.pop(y, None)
        if changed:
            self.refresh(*(Region(start, y, end - start, 1) for y, (start, end) in changed.items()))

    def _sweep_on(self) -> None:
        if self._sweep is not None:
            self._repaint(self._sweep.go_on())
            if self._sweep.done >= SWEEP_FRAMES:
                self._end_sweep()

    def _end_sweep(self) -> None:
        """Show what a sweep was on its way to; a key that comes meanwhile does not wait for it."""
        if self._sweep_timer is not None:
            self._sweep_timer.stop()
        sweep, self._sweep, self._sweep_timer = self._sweep, None, None
        if sweep is not None:
            self._repaint(sweep.rest())

    def render_line(self, y: int) -> Strip:
        """Return one line as Textual wants it."""
        picture = self.picture
        strip = self._strips.get(y)
        if strip is None:
            line = picture.lines[y] if y < len(picture.lines) else ()
            strip = self._strips[y] = self._strip(self._sweep.line(y, line) if self._sweep else line)
        return strip

    def _strip(self, line: Line) -> Strip:
        palette, width = palette_of(self.app.theme), self.size.width
        segments = [Segment(safe(text), palette.style(role, self.surface)) for text, role in line]
        used = sum(len(segment.text) for segment in segments)
        if used < width:
            segments.append(Segment(" " * (width - used), palette.style(Role.PLAIN, self.surface)))
        return Strip(segments, max(used, width))

    # ---------------------------------------------------------------------------------------------------- reacting
    def on_resize(self) -> None:
        """Paint all of it: the compositor has painted before this came, with the picture of the old size."""
        self.refresh()

    def notify_style_update(self) -> None:
        """Forget colours that may be those of another theme."""
        super().notify_style_update()
        self._strips.clear()

    def target_at(self, x: int, y: int) -> Target | None:
        """Return the place at a cell; of two that overlap, the later one."""
        for target in reversed(self.picture.targets):
            if target.x <= x < target.x + target.width and target.y <= y < target.y + target.height:
                return target
        return None

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Say what was pressed."""
        if event.button == 1:
            event.stop()
            if self.draggable:
                self.capture_mouse()
            self.post_message(self.Pressed(self, self.target_at(event.x, event.y), event.x))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go on pressing where the mouse is dragged."""
        if self.draggable and self.app.mouse_captured is self:
            event.stop()
            self.post_message(self.Pressed(self, None, event.x))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        if self.draggable:
            self.release_mouse()
