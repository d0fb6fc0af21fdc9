"""The workbench: one run, a position in it, and the panels that show the moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer

from rxviz.errors import RxvizError
from rxviz.run.timeline import Timeline
from rxviz.screens import chrome, layout
from rxviz.screens.actions import BENCH, JUMPS, WHAT_IFS, Choice, footer
from rxviz.screens.clock import Clock
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.session import Session
from rxviz.screens.widgets.cells import Cells
from rxviz.screens.widgets.places import PlacesContainer
from rxviz.view import scrubber, strip
from rxviz.view.cell import Picture
from rxviz.view.panels import PANELS

KNOWN = tuple(PANELS)
INDEX_SECONDS = 0.05
INDEX_SLICE = 0.02
"""The rest of the run is played on in such slices, in s, so that keys are never held up by it."""


@dataclass(frozen=True)
class Menu:
    """A question that the next key answers."""

    title: str
    choices: Sequence[Choice]
    answer: Callable[[Choice], None]


@dataclass(frozen=True)
class Goal:
    """A place in the run that is not known yet; the run is played on until it is. No kinds: the end."""

    word: str
    kinds: tuple[str, ...]
    start: int


class BenchScreen(KeyedScreen):
    """A run to walk through."""

    KEYS: ClassVar[str] = BENCH

    def __init__(self, timeline: Timeline, said: str = "") -> None:
        super().__init__()
        self.session = Session(timeline)
        self.clock = Clock(self, self._play_on)
        self.chosen = KNOWN[0]
        self.deep_from: str | None = None
        """The panel that the bytes took the place of."""
        self._menu: Menu | None = None
        self._last_jump: Choice | None = None
        self._goal: Goal | None = None
        self._said = said
        self._track = scrubber.Scrubber()
        self._index_timer: Timer | None = None
        self._slices = 0

    # ------------------------------------------------------------------------------------------------------ drawing
    def compose(self) -> ComposeResult:
        """Make a widget for each part; which are in sight is up to the layout."""
        yield PlacesContainer(
            self._places,
            Cells(self._draw_header, surface="bar", id="header"),
            Cells(self._draw_strip, surface="ground", id="strip"),
            Cells(self._draw_tabs, surface="ground", id="tabs"),
            *(Cells(partial(self._draw_panel, key), id=key) for key in KNOWN),
            Cells(self._draw_track, surface="ground", id="scrubber", draggable=True),
            Cells(self._draw_keys, surface="bar", id="keys"),
            Cells(self._draw_menu, id="menu"),
            Cells(lambda width, height: chrome.too_small(width, height, self.glyphs), surface="ground", id="small"),
        )

    def on_mount(self) -> None:
        """Begin to find out how long the run is."""
        self._watch_index()

    def _places(self, width: int, height: int) -> layout.Places:
        menu = chrome.menu_height(width, self._menu.choices) if self._menu else 0
        return layout.arrange(width, height, KNOWN, self.chosen, menu=menu)

    @property
    def _one_at_a_time(self) -> bool:
        return layout.size_name(self.size.width, self.size.height) == "one"

    def _draw_header(self, width: int, height: int) -> Picture:
        play = f"{self.glyphs.right if self.clock.playing else '‖'} {self.clock.words}"
        if self.session.zoom != "step":
            play = f"by {self.session.zoom} {play}"
        return chrome.header(self.session.moment, width, self.glyphs, self.session.timeline, play, self.session.edit)

    def _draw_strip(self, width: int, height: int) -> Picture:
        return strip.draw(self.session.moment, width, height, kinds=self.session.timeline.kinds, glyphs=self.glyphs)

    def _draw_tabs(self, width: int, height: int) -> Picture:
        return chrome.tabs(width, self.glyphs, [panel.title for panel in PANELS.values()], KNOWN.index(self.chosen))

    def _draw_panel(self, key: str, width: int, height: int) -> Picture:
        return PANELS[key].draw(self.session.moment, width, height, active=key == self.chosen, glyphs=self.glyphs)

    def _draw_track(self, width: int, height: int) -> Picture:
        timeline = self.session.timeline
        return self._track.draw(
            timeline.kinds, self.session.position, width, height, complete=timeline.complete, glyphs=self.glyphs
        )

    def _draw_keys(self, width: int, height: int) -> Picture:
        return chrome.keys(width, self.glyphs, footer(BENCH), self._said)

    def _draw_menu(self, width: int, height: int) -> Picture:
        menu = self._menu or Menu("", JUMPS, lambda _: None)
        return chrome.menu(width, height, self.glyphs, menu.title, menu.choices)

    def update(self) -> None:
        """Show the moment; each part repaints only the cells that differ."""
        for cells in self.query(Cells):
            cells.show()

    def rearrange(self) -> None:
        """Put the parts where they go now, and show the moment."""
        self.query_one(PlacesContainer).refresh(layout=True)
        self.update()

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys, until the next key."""
        self._said = words
        self.query_one("#keys", Cells).show()

    # ------------------------------------------------------------------------------------------- playing the run on
    def _watch_index(self) -> None:
        if self._index_timer is None and not self.session.timeline.complete:
            self._index_timer = self.set_interval(INDEX_SECONDS, self._index)

    def _index(self) -> None:
        """Play the run on for a moment; then see whether what somebody waits for has come."""
        timeline = self.session.timeline
        try:
            timeline.extend(seconds=INDEX_SLICE * (2 if self._goal else 1))
        except RxvizError as error:
            self._goal = None
            self._stop_index()
            self.say(str(error))
            return
        if self._goal is not None:
            self._look(self._goal)
        if timeline.complete:
            self._stop_index()
        self._slices += 1
        if timeline.complete or self._slices % 8 == 0:
            self.query_one("#header", Cells).show()
            self.query_one("#scrubber", Cells).show()

    def _stop_index(self) -> None:
        if self._index_timer is not None:
            self._index_timer.stop()
            self._index_timer = None

    def _look(self, goal: Goal) -> None:
        """Go to where the goal is, if it is known by now."""
        timeline = self.session.timeline
        if goal.kinds:
            found = self.session.find(goal.kinds, start=goal.start)
        else:
            found = timeline.length if timeline.complete else None
        if found is not None:
            self._goal, self._said = None, ""
            self._go(partial(self.session.seek, found))
        elif timeline.complete:
            self._goal = None
            self.say(f"No more {goal.word} from here to the end.")
        else:
            self._goal = Goal(goal.word, goal.kinds, timeline.length)
            self.say(f"Looking for {goal.word} … step {timeline.length:,}. Any key stops it.")

    # ----------------------------------------------------------------------------------------------- keys and mouse
    def on_key(self, event: events.Key) -> None:
        """Let an open menu have the key, or else do what the key is for."""
        if self._said or self._goal:
            self._goal = None
            self.say("")
        if self._menu is not None:
            event.stop()
            event.prevent_default()
            self._answer(event.character or event.key)
            return
        super().on_key(event)

    def on_cells_pressed(self, event: Cells.Pressed) -> None:
        """Do with the mouse what the keys do: seek, choose a panel, answer a menu, look deeper."""
        event.stop()
        target, part = event.target, event.cells.id or ""
        if part == "scrubber":
            total = self.session.timeline.length
            self._go(partial(self.session.seek, scrubber.position_at(event.x, event.cells.size.width, total)))
        elif part == "menu" and target is not None:
            self._answer(str(target.value))
        elif part == "tabs" and target is not None:
            self.do_panel(str(target.value))
        elif part in PANELS:
            self._choose(part)
            if target is not None and target.kind in ("slot", "half", "skb"):
                self._press(target.kind, target.value)

    def _press(self, kind: str, value: int | str) -> None:
        self.say(f"{kind} {value}")

    def _ask(self, menu: Menu) -> None:
        self._menu = menu
        self.rearrange()

    def _answer(self, key: str) -> None:
        menu, self._menu = self._menu, None
        self.rearrange()
        if menu is None:
            return
        if key == "n" and menu.choices is JUMPS and self._last_jump is not None:
            menu.answer(self._last_jump)
            return
        choice = next((choice for choice in menu.choices if choice.key == key), None)
        if choice is not None:
            menu.answer(choice)

    def _go(self, move: Callable[[], bool]) -> bool:
        """Make a move and show where it led; return whether it led anywhere."""
        try:
            moved = move()
        except RxvizError as error:
            self.clock.pause()
            self.say(str(error))
            return False
        if moved:
            self.update()
        return moved

    # ------------------------------------------------------------------------------------------------------- acting
    def do_forward(self) -> None:
        """One stop forward."""
        if not self._go(self.session.forward):
            self.say("The end of the run. Home goes to the start, x asks what if.")

    def do_back(self) -> None:
        """One stop back."""
        if not self._go(self.session.back):
            self.say("The start of the run.")

    def do_next_frame(self) -> None:
        """To where the next frame's trip ends."""
        self._go(partial(self.session.forward, "frame"))

    def do_previous_frame(self) -> None:
        """To where the last frame's trip ended."""
        self._go(partial(self.session.back, "frame"))

    def do_next_poll(self) -> None:
        """To the end of the next poll."""
        self._go(partial(self.session.forward, "poll"))

    def do_previous_poll(self) -> None:
        """To the end of the last poll."""
        self._go(partial(self.session.back, "poll"))

    def do_start(self) -> None:
        """To the start."""
        self._go(partial(self.session.seek, 0))

    def do_end(self) -> None:
        """To the end, as soon as it is known where that is."""
        self._look(Goal("the end", (), 0))

    def do_play(self) -> None:
        """Play or pause."""
        self.clock.toggle()
        self.update()

    def _play_on(self) -> bool:
        if self._go(self.session.forward):
            return True
        self.say("The end of the run.")
        self.update()
        return False

    def do_faster(self) -> None:
        """Play faster."""
        self.clock.change(1)
        self.update()

    def do_slower(self) -> None:
        """Play slower."""
        self.clock.change(-1)
        self.update()

    def do_zoom(self) -> None:
        """Stop at each step, frame or poll."""
        zoom = self.session.next_zoom()
        self.update()
        self.say(f"Arrows and play stop at each {zoom} now.")

    def do_next_of(self) -> None:
        """Ask for a kind, and jump to its next step."""
        again = f"; n again: {self._last_jump.word}" if self._last_jump else ""
        self._ask(Menu(f"To the next{again}", JUMPS, self._jump))

    def do_previous_of(self) -> None:
        """Ask for a kind, and jump back to its last step."""
        self._ask(Menu("Back to the last", JUMPS, self._jump_back))

    def _jump(self, choice: Choice) -> None:
        self._last_jump = choice
        self._look(Goal(choice.word, choice.value, self.session.position))

    def _jump_back(self, choice: Choice) -> None:
        self._last_jump = choice
        found = self.session.find(choice.value, back=True)
        if found is None:
            self.say(f"No {choice.word} between here and the start.")
        else:
            self._go(partial(self.session.seek, found))

    def do_panel(self, number: str) -> None:
        """Choose a panel by its number."""
        if int(number) < len(KNOWN):
            self._choose(KNOWN[int(number)])

    def do_next_panel(self) -> None:
        """Choose the next panel."""
        self._choose(KNOWN[(KNOWN.index(self.chosen) + 1) % len(KNOWN)])

    def do_previous_panel(self) -> None:
        """Choose the panel before."""
        self._choose(KNOWN[(KNOWN.index(self.chosen) - 1) % len(KNOWN)])

    def _choose(self, key: str) -> None:
        if key != self.chosen:
            self.chosen, self.deep_from = key, None
            self.rearrange()

    def do_deeper(self) -> None:
        """Show the bytes, or what they took the place of."""
        if self.chosen == "bytes":
            self._choose(self.deep_from or KNOWN[0])
        else:
            was = self.chosen
            self._choose("bytes")
            self.deep_from = was

    def do_what_if(self) -> None:
        """Ask for a change, and go on in a run in which it is made."""
        self._ask(Menu(f"What if, from step {self.session.position:,} on …", WHAT_IFS, self._fork))

    def _fork(self, choice: Choice) -> None:
        try:
            self.session.fork(choice.value[0])
        except RxvizError as error:
            self.say(str(error))
            return
        self._watch_index()
        self.update()
        self.say(f"From here on: {choice.word}. X or Esc returns to the run you left, at this step.")

    def do_come_back(self) -> None:
        """Return to the run that was left."""
        if self.session.come_back():
            self._watch_index()
            self.update()
            self.say("Back in the run you left, where you left it.")
        else:
            self.say("This is the run itself; x asks what if.")

    def do_escape(self) -> None:
        """Back: from the bytes, from a what-if, from the workbench."""
        if self.chosen == "bytes" and self.deep_from:
            self._choose(self.deep_from)
        elif self.session.left:
            self.do_come_back()
        elif len(self.app.screen_stack) > 1:
            super().do_escape()
        else:
            self.say("q quits.")

    def on_screen_suspend(self) -> None:
        """Do not play behind another screen."""
        self.clock.pause()
