"""A list with one line chosen: arrows and the mouse choose, Enter takes. Those who derive from it write the lines."""

from __future__ import annotations

from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Target


class ChooserScreen(PageScreen):
    """Keeps which line is chosen, and in sight."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen = 0
        self._starts: list[int] = []
        """The line of the page at which each item begins."""

    def count(self) -> int:
        """Return how many items there are."""
        raise NotImplementedError

    def head(self, page: Prose) -> None:
        """Write what stands above the list."""

    def item(self, page: Prose, number: int, *, chosen: bool) -> None:
        """Write an item."""
        raise NotImplementedError

    def take(self) -> None:
        """Do what the chosen item is for."""
        raise NotImplementedError

    # -------------------------------------------------------------------------------------------------------- the page
    def write(self, page: Prose) -> None:
        """Write the items, and keep the chosen one in sight."""
        self.head(page)
        self._starts = []
        for number in range(self.count()):
            before = len(page.lines)
            self._starts.append(before)
            self.item(page, number, chosen=number == self.chosen)
            page.press("item", str(number), len(page.lines) - before)
        self.first = self._in_sight(len(page.lines))

    def _in_sight(self, lines: int) -> int:
        """Return the first line to show so that the chosen item is in sight."""
        height = max(self.query_one("#body", Cells).size.height, 1)
        top = self._starts[self.chosen] if self.chosen and self._starts else 0
        bottom = self._starts[self.chosen + 1] if self.chosen + 1 < len(self._starts) else lines
        return max(min(self.first, top), bottom - height, 0)

    # ------------------------------------------------------------------------------------------------------------ keys
    def pressed(self, target: Target) -> None:
        """Choose an item; one that is chosen already is taken."""
        if target.kind != "item":
            return
        if int(target.value) == self.chosen:
            self.take()
        else:
            self.choose(int(target.value))

    def choose(self, number: int) -> None:
        """Choose an item, the nearest one to a number that there is not."""
        self.chosen = min(max(number, 0), self.count() - 1)
        self.query_one("#body", Cells).show()

    def do_down(self) -> None:
        """The next item."""
        self.choose(self.chosen + 1)

    def do_up(self) -> None:
        """The item before."""
        self.choose(self.chosen - 1)

    def do_page_down(self) -> None:
        """A page on."""
        self.choose(self.chosen + max(self.size.height - 8, 1))

    def do_page_up(self) -> None:
        """A page back."""
        self.choose(self.chosen - max(self.size.height - 8, 1))

    def do_top(self) -> None:
        """The first item."""
        self.choose(0)

    def do_bottom(self) -> None:
        """The last item."""
        self.choose(self.count() - 1)

    def do_take(self) -> None:
        """Do what the chosen item is for."""
        self.take()
