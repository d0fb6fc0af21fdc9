"""The one widget that shows cells: a picture is drawn for its size, and only what differs is painted again."""

from __future__ import annotations

from collections.abc import Callable

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from rxviz.screens.theme import palette_of
from rxviz.view.cell import Picture, Role, Span, Target
from rxviz.view.text import safe

Draw = Callable[[int, int], Picture]
"""Gives the picture for a width and a height in cells."""

SETTLE_SECONDS = 0.25
"""How long a change stays lit where motion is wanted."""

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

    def show(self, draw: Draw | None = None) -> None:
        """Draw again (by another function from now on, when one is given), and repaint the cells that differ."""
        self._draw = draw or self._draw
        size = (self.size.width, self.size.height)
        if self._drawn_for != size or not self.is_attached:
            self._drawn_for = (-1, -1)
            self.refresh()
            return
        old, self._picture = self._picture, self._draw(*size)
        regions = []
        for y, new in enumerate(self._picture.lines):
            span = differing(old.lines[y] if y < len(old.lines) else (), new)
            if span is not None:
                self._strips.pop(y, None)
                regions.append(Region(span[0], y, span[1] - span[0], 1))
        if regions:
            self.refresh(*regions)

    def render_line(self, y: int) -> Strip:
        """Return one line as Textual wants it."""
        picture = self.picture
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self._strip(picture.lines[y] if y < len(picture.lines) else ())
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
