"""The one widget that shows cells: a picture is drawn for its size, and only what differs is painted again."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from rxviz.errors import RxvizError
from rxviz.screens.steady import Guarded, say_it
from rxviz.screens.theme import palette_of
from rxviz.view import motion
from rxviz.view.cell import Picture, Role, Target
from rxviz.view.motion import Line, Motion, cells_of
from rxviz.view.text import safe

Draw = Callable[[int, int], Picture]
"""Gives the picture for a width and a height in cells."""

_safe = lru_cache(8192)(safe)
"""Most spans are painted again and again."""
SWEEP_SECONDS = 0.24
"""How long a change is seen to move, in `motion.PAINTS` paints: 25 a second."""


def differing(old: Line, new: Line) -> tuple[int, int] | None:
    """Return the first column in which two lines of one width differ and the column behind the last, or None."""
    if old == new:
        return None
    before, after = cells_of(old), cells_of(new)
    places = [x for x, (a, b) in enumerate(zip(before, after, strict=False)) if a != b]
    if len(before) != len(after):
        return (places[0] if places else min(len(before), len(after))), max(len(before), len(after))
    return (places[0], places[-1] + 1) if places else None


class Cells(Guarded, Widget):
    """A picture on the screen.

    `draw` is asked again whenever the size has changed, also in the midst of a paint: the compositor paints a widget
    before it tells it its new size.
    """

    class Pressed(Message):
        """A place in the picture was pressed, or dragged to: then `y` is the line where the mouse went down."""

        def __init__(self, cells: Cells, target: Target | None, x: int, y: int, *, dragged: bool = False) -> None:
            super().__init__()
            self.cells = cells
            self.target = target
            self.x = x
            self.y = y
            self.dragged = dragged

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
        self._motion: Motion | None = None
        self._motion_timer: Timer | None = None
        self._pressed_line = 0

    # ----------------------------------------------------------------------------------------------------- showing
    @property
    def picture(self) -> Picture:
        """The picture for the present size."""
        self._redraw()
        return self._picture

    def _redraw(self) -> None:
        size = (self.size.width, self.size.height)
        if self._drawn_for != size:
            self.settle()
            self._drawn_for = size
            self._picture = self._drawn(size)
            self._strips.clear()

    def _drawn(self, size: tuple[int, int]) -> Picture:
        """Draw; where that cannot be done, as from a capture that is gone, say why and let the last picture stay."""
        try:
            return self._draw(*size)
        except RxvizError as error:
            # Not at once: this may be the midst of a paint.
            self.app.call_later(say_it, self.app, error)
            return self._picture

    def show(self, draw: Draw | None = None, *, sweep: int = 0) -> None:
        """Draw again (by another function from now on, when one is given), and repaint the cells that differ.

        `sweep` 1 lets frames be seen to move to where they are now, and -1 back again (see `rxviz.view.motion`);
        whoever asks must know that motion is wanted.
        """
        self._draw = draw or self._draw
        size = (self.size.width, self.size.height)
        if self._drawn_for != size or not self.is_attached:
            self.forget()
            return
        self.settle()
        old, self._picture = self._picture, self._drawn(size)
        if sweep:
            self._motion = motion.begin(old, self._picture, sweep)
        if self._motion is not None:
            self._motion_timer = self.set_interval(SWEEP_SECONDS / motion.PAINTS, self._move_on)
        self._repaint({y: old.lines[y] if y < len(old.lines) else () for y in range(len(self._picture.lines))})

    @property
    def moving(self) -> bool:
        """Whether a change is on its way."""
        return self._motion is not None

    def forget(self) -> None:
        """Draw again when it is next painted; for a widget that is not in sight."""
        if self._drawn_for != (-1, -1):
            self.settle()
            self._drawn_for = (-1, -1)
            self.refresh()

    def _line(self, y: int) -> Line:
        """Return a line as it looks now."""
        if self._motion is not None:
            return self._motion.line(y)
        return self._picture.lines[y] if y < len(self._picture.lines) else ()

    def _repaint(self, before: dict[int, Line]) -> None:
        """Paint what differs from how lines looked before."""
        found = {y: differing(line, self._line(y)) for y, line in before.items()}
        changed = {y: span for y, span in found.items() if span is not None}
        for y in changed:
            self._strips.pop(y, None)
        if changed:
            self.refresh(*(Region(start, y, end - start, 1) for y, (start, end) in changed.items()))

    def _move_on(self) -> None:
        if self._motion is not None:
            before = {y: self._motion.line(y) for y in self._motion.lines}
            self._motion.done += 1
            self._repaint(before)
            if self._motion.done >= motion.PAINTS:
                self.settle()

    def settle(self) -> None:
        """Show at once what a motion is on its way to; a key that comes meanwhile does not wait for it."""
        if self._motion_timer is not None:
            self._motion_timer.stop()
        gone, self._motion, self._motion_timer = self._motion, None, None
        if gone is not None:
            self._repaint({y: gone.line(y) for y in gone.lines})

    def render_line(self, y: int) -> Strip:
        """Return one line as Textual wants it."""
        self._redraw()
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self._strip(self._line(y))
        return strip

    def _strip(self, line: Line) -> Strip:
        palette, width = palette_of(self.app.theme), self.size.width
        segments = [Segment(_safe(text), palette.style(role, self.surface)) for text, role in line]
        used = sum(len(segment.text) for segment in segments)
        if used < width:
            segments.append(Segment(" " * (width - used), palette.style(Role.PLAIN, self.surface)))
        # A picture that stays though its window has become smaller is cut.
        strip = Strip(segments, max(used, width))
        return strip.crop(0, width) if used > width else strip

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
            self._pressed_line = event.y
            self.post_message(self.Pressed(self, self.target_at(event.x, event.y), event.x, event.y))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Go on pressing where the mouse is dragged."""
        if self.draggable and self.app.mouse_captured is self:
            event.stop()
            self.post_message(self.Pressed(self, None, event.x, self._pressed_line, dragged=True))

    def on_mouse_up(self, event: events.MouseUp) -> None:
        """Let go."""
        if self.draggable:
            self.release_mouse()
