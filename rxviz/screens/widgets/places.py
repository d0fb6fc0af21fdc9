"""A container that puts its children where a function of its size says."""

from __future__ import annotations

from collections.abc import Callable

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.widget import Widget

from rxviz.screens.layout import Places
from rxviz.screens.steady import Guarded

OVER = ("menu",)
"""Parts that lie over others."""


class PlacesLayout(Layout):
    """Asks for the places by name (a child's id); a child without a place is not in sight."""

    name = "places"

    def __init__(self, places: Callable[[int, int], Places]) -> None:
        self._places = places

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        """Return where each child goes."""
        parent.pre_layout(self)
        places = self._places(size.width, size.height)
        return [
            WidgetPlacement(Region(*places[child.id]), NULL_OFFSET, NULL_SPACING, child, order=child.id in OVER)
            for child in children
            if child.id in places
        ]


class PlacesContainer(Guarded, Widget):
    """The container. Call `replace` when the places are others though the size is the same."""

    DEFAULT_CSS = "PlacesContainer { width: 100%; height: 100%; }"

    def __init__(self, places: Callable[[int, int], Places], *children: Widget) -> None:
        super().__init__(*children)
        self._places_layout = PlacesLayout(places)

    def replace(self) -> None:
        """Ask for the places again: a container does so by itself only when a child of its wants another place."""
        for child in self.children[:1]:
            child.refresh(layout=True)

    @property
    def layout(self) -> Layout:
        """The layout that asks."""
        return self._places_layout
