"""Choose a driver: the same scene with another driver, kernel or path."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rxviz.errors import ScenarioError
from rxviz.run.other_driver import Other, about, others, with_driver
from rxviz.run.scenario import Scenario
from rxviz.screens.actions import DRIVER_LIST
from rxviz.screens.prose import Prose
from rxviz.screens.screens.chooser import ChooserScreen
from rxviz.view.cell import Role

ABOUT = "The same frames, reader and socket with another driver, another kernel, or the other way to make skbs."


class DriversScreen(ChooserScreen):
    """Lists drivers with their kernels and paths; `show` opens the scene with the one that is taken."""

    KEYS: ClassVar[str] = DRIVER_LIST
    HEADING: ClassVar[str] = "choose a driver"

    def __init__(self, scenario: Scenario, show: Callable[[Scenario, list[str]], None]) -> None:
        super().__init__()
        self.scenario = scenario
        self.rows = others()
        self._show = show
        here = Other(scenario.driver, scenario.kernel, scenario.path)
        self.here = self.rows.index(here) if here in self.rows else 0
        self.chosen = self.here

    def count(self) -> int:
        """Return how many there are."""
        return len(self.rows)

    def head(self, page: Prose) -> None:
        """Say what stays the same."""
        page.text(ABOUT, Role.REST)

    def group(self, number: int) -> str:
        """Return the driver."""
        return self.rows[number].driver

    def group_head(self, page: Prose, number: int) -> None:
        """Write a driver's name and what it is."""
        page.gap()
        page.text(self.group(number), Role.STRONG)
        page.text(about(self.group(number)), Role.REST, indent=2)

    def words(self, number: int) -> str:
        """Return driver, kernel and path, and what the driver is."""
        row = self.rows[number]
        return f"{row.driver} {row.kernel} {row.path} {about(row.driver)}"

    def item(self, page: Prose, number: int, *, chosen: bool) -> None:
        """Write a kernel and a path."""
        row = self.rows[number]
        here = "  this scene" if number == self.here else ""
        page.spans(
            (f"  {self.glyphs.right if chosen else ' '} ", Role.ACCENT),
            (f"{row.kernel:<6}", Role.CHANGED if chosen else Role.PLAIN),
            (f" {row.path:<10}", Role.CHANGED if chosen else Role.PLAIN),
            (here, Role.REST),
        )

    def take(self) -> None:
        """Open the scene with the chosen driver."""
        try:
            found, lost = with_driver(self.scenario, self.rows[self.chosen])
        except ScenarioError as error:
            self.say(str(error))
            return
        self.app.pop_screen()
        self._show(found, lost)
