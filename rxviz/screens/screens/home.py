"""The first screen: what this is, and what can be opened, each with one key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens import layout
from rxviz.screens.actions import HOME
from rxviz.screens.opening import Opening
from rxviz.screens.prose import Prose
from rxviz.screens.screens.help import BADGES
from rxviz.screens.screens.page import PageScreen
from rxviz.screens.session import Session
from rxviz.screens.widgets.cells import Cells
from rxviz.view import strip
from rxviz.view.cell import Picture, Role, Target
from rxviz.view.panels import PANELS

FIRST, LEGACY = "first-flip", "legacy"
ABOUT = (
    "This is the receive path of a Linux network driver: its descriptor ring, its pages, its skbs; "
    "what happens, why, and what it costs."
)
DOORS = (
    ("1", "learn", "Learn", "short lessons: you predict, then see it happen"),
    ("2", "first_steps", "The first flip", "ten frames through a ring of eight slots"),
    ("3", "captures", "A real capture", "real Linux traffic, frame by frame"),
    ("4", "legacy", "The legacy way", "the frames of 2, each with a copy and a head"),
    ("5", "scenarios", "More small runs", "a slow reader, an overrun, chained frames"),
    ("o", "open", "A capture of yours", "pcap or pcapng, plain or gzipped"),
)
STAGE_SECONDS = 1.6
"""From one step to the next of the run that plays below."""


class HomeScreen(PageScreen):
    """Where bare `rxviz` begins."""

    KEYS: ClassVar[str] = HOME
    HEADING: ClassVar[str] = "the Linux receive path, one step at a time"

    def __init__(self) -> None:
        super().__init__()
        self._stage = Session(Timeline(resolve([FIRST])))
        self._opening = Opening(self, self._enter, self.say)

    def on_mount(self) -> None:
        """Let the run below the text play; where no motion is wanted it stands at the first flip."""
        if self.app.animation_level == "none":
            self._stage.seek(self._stage.timeline.next_of(0, "page.flip") or 0)
        else:
            self._stage.seek(1)
            self.set_interval(STAGE_SECONDS, self._play_on)

    def _play_on(self) -> None:
        if self.is_current:
            if not self._stage.forward():
                self._stage.seek(1)
            self.query_one("#strip", Cells).show(sweep=1)
            self.query_one("#story", Cells).show()

    def places(self, width: int, height: int) -> layout.Places:
        """Return where the parts go."""
        page = Prose(width, self.glyphs)
        self.write(page)
        return layout.home(width, height, len(page.lines))

    def more(self) -> Iterable[Cells]:
        """Return the strip and the story of a run that plays."""
        yield Cells(self._draw_strip, surface="ground", id="strip")
        yield Cells(self._draw_story, id="story")

    def _draw_strip(self, width: int, height: int) -> Picture:
        return strip.draw(self._stage.moment, width, height, kinds=self._stage.timeline.kinds, glyphs=self.glyphs)

    def _draw_story(self, width: int, height: int) -> Picture:
        return PANELS["story"].draw(self._stage.moment, width, height, glyphs=self.glyphs)

    def write(self, page: Prose) -> None:
        """Say what this is in two sentences, then the doors."""
        roomy = self.size.height >= 36
        page.text("Watch a frame become an skb, one step at a time, forwards and backwards.", Role.STRONG)
        page.text(ABOUT)
        page.gap(1 + roomy)
        for key, name, title, words in DOORS:
            page.spans((f"  {key}  ", Role.KEY), (f"{title:<21}", Role.STRONG), (words, Role.REST))
            page.press("door", name)
            page.gap(roomy)
        page.gap()
        page.spans(
            ("  New here?  Press ", Role.PLAIN),
            ("1", Role.KEY),
            (".  In a hurry?  ", Role.PLAIN),
            ("2", Role.KEY),
            (", then ", Role.PLAIN),
            ("n f", Role.KEY),
            (": the first flip, ", Role.PLAIN),
            ("→", Role.KEY),
            (" why.", Role.PLAIN),
        )
        page.gap()
        page.spans(
            ("A teaching model: it is not the hardware.  ", Role.REST),
            ("m", Role.KEY),
            (" what it leaves out  ", Role.REST),
            ("W", Role.KEY),
            (" words", Role.REST),
        )
        sure = [part for badge, word, _ in BADGES for part in ((f"  {badge}", Role.STRONG), (f" {word}", Role.REST))]
        page.spans(("Badges:", Role.REST), *sure)

    def open_words(self, *words: str) -> None:
        """Open a run by its words, or say why it cannot be opened."""
        self._opening.begin(words)

    def do_escape(self) -> None:
        """Wait no longer for a run that takes long to open."""
        if self._opening.forget():
            self.say("")
        else:
            super().do_escape()

    def _enter(self, timeline: Timeline) -> None:
        from rxviz.screens.screens.bench import BenchScreen

        self.app.push_screen(BenchScreen(timeline))

    def pressed(self, target: Target) -> None:
        """Open what was pressed."""
        if target.kind == "door":
            getattr(self, f"do_{target.value}")()

    def do_learn(self) -> None:
        """Show the map of the lessons."""
        from rxviz.screens.screens.course import CourseScreen

        self.app.push_screen(CourseScreen())

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

        self.app.push_screen(
            PickScreen("real captures: press a number", list(shipped.captures().values()), self.open_words)
        )

    def do_scenarios(self) -> None:
        """Show the runs that come with the program."""
        from rxviz.run import shipped
        from rxviz.screens.screens.pick import PickScreen

        self.app.push_screen(
            PickScreen("small runs: press a number", list(shipped.scenarios().values()), self.open_words)
        )

    def do_open(self) -> None:
        """Ask for a path."""
        from rxviz.screens.screens.open import OpenScreen

        self.app.push_screen(OpenScreen(), self._opened)

    def _opened(self, timeline: Timeline | None) -> None:
        if timeline is not None:
            self._enter(timeline)
