"""What every panel is: a key name, a title, a drawing, and the smallest size at which it is still good."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rxviz.run.timeline import Moment
from rxviz.view.cell import Picture
from rxviz.view.glyphs import UNICODE, Glyphs


class Draw(Protocol):
    """Draws a moment into exactly `width` x `height` cells, border included; any size, down to 1 x 1, is allowed."""

    def __call__(
        self, moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE
    ) -> Picture:
        """Return the picture; a pure function of its arguments."""
        ...


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel as screens and help read it. Smaller than (`width`, `height`) it still draws, but in a shorter form."""

    key: str
    title: str
    draw: Draw
    width: int
    height: int
    about: str
