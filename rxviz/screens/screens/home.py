"""The first screen: what this is, and what can be opened, each with one key."""

from __future__ import annotations

from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens.actions import HOME
from rxviz.screens.prose import Prose
from rxviz.screens.screens.help import BADGES
from rxviz.screens.screens.page import PageScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Role

FIRST, LEGACY = "first-flip", "legacy"
DOORS = (
    ("1", "first_steps", "The first flip", "ten frames, one at a time, through a ring of eight"),
    ("2", "captures", "A real capture", "frames from a wire, through the same ring"),
    ("3", "legacy", "The legacy way", "the frames of 1, with a copy and a head for each"),
    ("4", "scenarios", "More small runs", "a slow reader, an overrun, chained frames …"),
    ("o", "open", "A capture of yours", "pcap or pcapng, plain or gzipped"),
)


class HomeScreen(PageScreen):
    """Where bare `rxviz` begins."""

    KEYS: ClassVar[str] = HOME
    HEADING: ClassVar[str] = "the Linux receive path, one step at a time"

    def write(self, page: Prose) -> None:
        """Say what this is in two sentences, then the doors."""
        roomy = self.size.height >= 30
        page.gap(2 if roomy else 0)
        page.text("Watch a frame become an skb, one step at a time, forwards and backwards.", Role.STRONG)
        page.text("This is the receive path of a Linux network driver: its descriptor ring, its pages of two halves, "
                  "its skbs; with what happens, why, and what it costs.")  # fmt: skip
        page.gap(2 if roomy else 1)
        for key, name, title, words in DOORS:
            page.spans((f"  {key}  ", Role.KEY), (f"{title:<21}", Role.STRONG), (words, Role.REST))
            page.press("door", name)
            page.gap(roomy)
        page.gap()
        page.spans(("  New here?  Press ", Role.PLAIN), ("1", Role.KEY), (", then ", Role.PLAIN), ("n f", Role.KEY),
                   (": the first flip, and why it may happen.", Role.PLAIN))  # fmt: skip
        page.gap(2 if roomy else 1)
        page.spans(("A teaching model: it cannot reproduce the hardware; ", Role.REST), ("m", Role.KEY),
                   (" says what it leaves out.", Role.REST))  # fmt: skip
        page.spans(
            ("Badges:  ", Role.REST),
            *(
                part
                for badge, words in BADGES
                for part in ((badge, Role.STRONG), (f" {words.removeprefix('the ')}  ", Role.REST))
            ),
        )

    def open_words(self, *words: str) -> None:
        """Open a run by its words, or say why it cannot be opened."""
        try:
            timeline = Timeline(resolve(words))
            timeline.at(0)
        except RxvizError as error:
            self.say(str(error))
            return
        self._enter(timeline)

    def _enter(self, timeline: Timeline) -> None:
        from rxviz.screens.screens.bench import BenchScreen

        self.app.push_screen(BenchScreen(timeline))

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys."""
        self._said = words
        self.query_one("#keys", Cells).show()

    def on_cells_pressed(self, event: Cells.Pressed) -> None:
        """Open what was pressed."""
        event.stop()
        if event.target is not None and event.target.kind == "door":
            getattr(self, f"do_{event.target.value}")()

    def do_first_steps(self) -> None:
        """Open the run that leads to the first flip."""
        self.open_words(FIRST)

    def do_legacy(self) -> None:
        """Open the same frames on the other path."""
        self.open_words(LEGACY)

    def do_captures(self) -> None:
        """Show the captures that come with the program."""
        from rxviz.run import shipped
        from rxviz.screens.screens.pick import PickScreen

        self.app.push_screen(PickScreen("real captures", list(shipped.captures().values()), self.open_words))

    def do_scenarios(self) -> None:
        """Show the runs that come with the program."""
        from rxviz.run import shipped
        from rxviz.screens.screens.pick import PickScreen

        self.app.push_screen(PickScreen("small runs", list(shipped.scenarios().values()), self.open_words))

    def do_open(self) -> None:
        """Ask for a path."""
        from rxviz.screens.screens.open import OpenScreen

        self.app.push_screen(OpenScreen(), self._opened)

    def _opened(self, timeline: Timeline | None) -> None:
        if timeline is not None:
            self._enter(timeline)
