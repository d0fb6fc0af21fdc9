"""A screen of text: a title, lines to scroll through, the keys."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult

from rxviz.screens import chrome, layout
from rxviz.screens.actions import PAGE, footer
from rxviz.screens.prose import MEASURE, Prose
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.screens.widgets.places import PlacesContainer
from rxviz.view.cell import Canvas, Picture, Role, Target

GAP = 2
"""Columns at least between the title and where in the page one is."""


class PageScreen(KeyedScreen):
    """A page; those who derive from it write it."""

    KEYS: ClassVar[str] = PAGE
    HEADING: ClassVar[str] = ""
    MEASURE: ClassVar[int] = MEASURE
    """Columns of a line at most, where the window has them."""

    def __init__(self) -> None:
        super().__init__()
        self.heading = self.HEADING
        self.first = 0
        """The first line in sight."""
        self._said = ""

    def write(self, page: Prose) -> None:
        """Write the page, for the width it has."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """Title, text, keys, and what a page has of its own."""
        yield PlacesContainer(
            self.places,
            Cells(self._draw_title, surface="bar", id="header"),
            Cells(self._draw_body, surface="ground", id="body"),
            Cells(self._draw_keys, surface="bar", id="keys"),
            *self.more(),
            Cells(lambda width, height: chrome.too_small(width, height, self.glyphs), surface="ground", id="small"),
        )

    def places(self, width: int, height: int) -> layout.Places:
        """Return where the parts go."""
        return layout.page(width, height)

    def more(self) -> Iterable[Cells]:
        """Return the parts that a page has of its own."""
        return ()

    def _draw_title(self, width: int, height: int) -> Picture:
        canvas = Canvas(width, height, self.glyphs)
        title = self.title_spans()
        canvas.write_spans(1, 0, title, width - 2)
        room = width - 2 - sum(len(text) for text, _ in title) - GAP
        place = next((place for place in self.place_words() if len(place) <= room), "")
        canvas.put_right(width - 1, 0, place, Role.REST)
        return canvas.picture()

    def title_spans(self) -> list[tuple[str, str]]:
        """Return what stands at the left of the first line."""
        return [("rxviz  ", Role.ACCENT), (self.heading, Role.PLAIN)]

    def place_words(self) -> list[str]:
        """Return ways to say where in the page one is, the longest first: the first one that fits is shown."""
        return []

    def _draw_body(self, width: int, height: int) -> Picture:
        page = Prose(width, self.glyphs, self.MEASURE)
        self.write(page)
        self.first = max(min(self.first, len(page.lines) - height), 0)
        return page.picture(height, self.first, bar=True)

    def _draw_keys(self, width: int, height: int) -> Picture:
        return chrome.keys(width, self.glyphs, footer(self.KEYS), self._said)

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys."""
        self._said = words
        self.cells("#keys").show()

    def cells(self, part: str) -> Cells:
        """Return a part of the page."""
        return self.query_one(part, Cells)

    def _scroll(self, lines: int) -> None:
        self.first = max(self.first + lines, 0)
        self.query_one("#body", Cells).show()

    def on_cells_pressed(self, event: Cells.Pressed) -> None:
        """Do what was pressed."""
        event.stop()
        if self.press_key(event.target) or event.target is None:
            return
        if event.target.kind == "scroll":
            self._scroll(int(event.target.value))
        else:
            self.pressed(event.target)

    def pressed(self, target: Target) -> None:
        """Do what a place on the page is for."""

    def on_mouse_scroll_down(self) -> None:
        """Read on."""
        self._scroll(3)

    def on_mouse_scroll_up(self) -> None:
        """Back."""
        self._scroll(-3)

    def do_line_down(self) -> None:
        """Read on."""
        self._scroll(1)

    def do_line_up(self) -> None:
        """Back a line."""
        self._scroll(-1)

    def do_page_down(self) -> None:
        """A page on."""
        self._scroll(max(self.size.height - 4, 1))

    def do_page_up(self) -> None:
        """A page back."""
        self._scroll(-max(self.size.height - 4, 1))

    def do_top(self) -> None:
        """To the top."""
        self._scroll(-self.first)

    def do_bottom(self) -> None:
        """To the end; the page holds it there."""
        self._scroll(1 << 20)
