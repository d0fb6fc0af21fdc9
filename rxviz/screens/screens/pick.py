"""A list of things to open, each by its number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rxviz.run.shipped import Shipped
from rxviz.screens.actions import LIST
from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role, Target
from rxviz.view.text import fit


class PickScreen(PageScreen):
    """Shows titles and what they are about; a number or the mouse opens one."""

    KEYS: ClassVar[str] = LIST

    def __init__(self, heading: str, items: Sequence[Shipped], open_words: Callable[[str], None]) -> None:
        super().__init__()
        self.heading = heading
        self._items = items[:9]
        self._open = open_words

    def write(self, page: Prose) -> None:
        """Write a title and a sentence for each."""
        roomy = self.size.height >= 36
        for number, item in enumerate(self._items):
            page.spans((f"  {number + 1}  ", Role.KEY), (f"{item.title}  ", Role.STRONG), (item.name, Role.REST))
            before = len(page.lines) - 1
            # Without room for all of every sentence, each gets a line, so that no title is out of sight.
            about = item.about if roomy else fit(item.about, page.measure - 5)
            page.text(about, Role.REST, indent=5)
            page.press("pick", str(number), len(page.lines) - before)
            page.gap(self.size.height >= 44)

    def pressed(self, target: Target) -> None:
        """Open what was pressed."""
        self.do_pick(str(target.value))

    def do_pick(self, number: str) -> None:
        """Open one."""
        if int(number) < len(self._items) and self.is_current:
            self.app.pop_screen()
            self._open(self._items[int(number)].name)
