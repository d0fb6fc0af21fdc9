"""The workbench: the panels that show the moment of a run, and what the mouse and the number keys do with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult

from rxviz.errors import RxvizError
from rxviz.run.timeline import Moment, Timeline
from rxviz.screens import chrome, fitting, follow, layout
from rxviz.screens.actions import BENCH, JUMPS, by_key, footer
from rxviz.screens.screens.walk import Menu, WalkScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.screens.widgets.places import PlacesContainer
from rxviz.view import bytes as bytes_zoom
from rxviz.view import scrubber, story, strip, who_runs
from rxviz.view.cell import Picture, Target
from rxviz.view.panels import PANELS

if TYPE_CHECKING:
    from rxviz.run.break_rule import Broken
    from rxviz.run.scenario import Scenario

KNOWN = tuple(PANELS)
PAUSED = ("‖", "||")
"""The sign for it, and its form in ASCII."""
STAGE_PANELS = {
    "wire": "ring", "NIC": "ring", "ring": "ring", "driver": "pages", "skb": "skb", "GRO": "gro", "socket": "socket",
}  # fmt: skip
"""The panel that tells most about a stage of the strip."""
SCROLL = 4
"""Lines of the dump that the mouse wheel moves."""
MOVING = ("strip", "ring", "pages", "skb")
"""Parts in which frames are seen to move; words never do."""


@dataclass(frozen=True)
class Subject:
    """What the bytes are of; None: what is in question. `top` is the line of the dump that they start at."""

    slot: int | None = None
    half: tuple[int, int] | None = None
    top: int | None = None


class BenchScreen(WalkScreen):
    """A run to walk through."""

    KEYS: ClassVar[str] = BENCH

    def __init__(self, timeline: Timeline) -> None:
        super().__init__(timeline)
        self.chosen = KNOWN[0]
        self._picked = False
        """Whether anybody has chosen a panel yet."""
        self.pinned = False
        """Whether, where one panel is in sight at a time, somebody keeps it there; else it is the step's."""
        self._placed: layout.Places = {}
        """Where the parts are, until they are put elsewhere."""
        self._need: tuple[Moment, int, int, int] | None = None
        self.deep_from: str | None = None
        """The panel that the bytes took the place of."""
        self.subject = Subject()
        self._track = scrubber.Scrubber()
        self.cpus: bool | None = None
        """Whether the rows of who runs when are in sight; None: where there is room for them."""

    # --------------------------------------------------------------------------------------------------------- drawing
    def compose(self) -> ComposeResult:
        """Make a widget for each part; which are in sight is up to the layout."""
        yield PlacesContainer(
            self._arrange,
            Cells(self._draw_header, surface="bar", id="header"),
            Cells(self._draw_strip, surface="ground", id="strip"),
            Cells(self._draw_tabs, surface="ground", id="tabs"),
            *(Cells(partial(self._draw_panel, key), id=key) for key in KNOWN),
            Cells(self._draw_track, surface="ground", id="scrubber", draggable=True),
            Cells(self._draw_cpus, surface="ground", id="cpus"),
            Cells(self._draw_keys, surface="bar", id="keys"),
            Cells(self._draw_menu, id="menu"),
            Cells(lambda width, height: chrome.too_small(width, height, self.glyphs), surface="ground", id="small"),
        )

    def _arrange(self, width: int, height: int) -> layout.Places:
        """Return where the parts go, to who puts them there."""
        self._placed = self._places(width, height)
        return self._placed

    def _places(self, width: int, height: int) -> layout.Places:
        if self._one_at_a_time(width, height) and not self.pinned and not self.deep_from:
            self.chosen = self._step_panel()
        menu = chrome.menu_height(width, self.menu.choices, self.menu.counts) if self.menu else 0
        places = layout.arrange(width, height, KNOWN, self.chosen, menu=menu, cpus=self._cpu_rows(width, height))
        if self._one_at_a_time(width, height) and self.chosen != "story":
            places = fitting.with_story(places, self._story_need(width, places["story"].height))
        return fitting.with_menu(fitting.with_legend(places))

    def _cpu_rows(self, width: int, height: int) -> int:
        shown = layout.shows_cpus(width, height) if self.cpus is None else self.cpus
        return who_runs.rows_of(self.session.timeline.scenario.cpus) if shown else 0

    def _step_panel(self) -> str:
        """Return the panel that the step is about; the one that is there, where a capture is gone."""
        try:
            return follow.panel_of(self.session.moment)
        except RxvizError:
            return self.chosen

    def _story_need(self, width: int, least: int) -> int:
        """Return the lines that the story needs; it is asked several times for each picture."""
        try:
            moment = self.session.moment
        except RxvizError:
            # Those who draw say why.
            return least
        if self._need is None or self._need[0] is not moment or self._need[1:3] != (width, least):
            self._need = (moment, width, least, fitting.story_need(moment, width, least))
        return self._need[3]

    def _more(self, width: int, height: int) -> str:
        """Return the key that shows all of a story that has too little room, "" where it has enough."""
        if not self._one_at_a_time(*self.size) or self.chosen == "story":
            return ""
        return str(KNOWN.index("story") + 1) if self._story_need(width, height) > height else ""

    def _one_at_a_time(self, width: int, height: int) -> bool:
        return layout.size_name(width, height) == "one"

    @property
    def _active(self) -> str:
        """The panel with the accent: the story, until somebody chooses another where all are in sight."""
        one_at_a_time = self._one_at_a_time(self.size.width, self.size.height)
        return self.chosen if self._picked or one_at_a_time else "story"

    def _draw_header(self, width: int, height: int) -> Picture:
        play = f"{self.glyphs.right if self.clock.playing else PAUSED[bool(self.glyphs.letters)]} {self.clock.words}"
        if self.session.zoom != "step":
            play = f"by {self.session.zoom} {play}"
        return chrome.header(self.session.moment, width, self.glyphs, self.session.timeline, play, self.session.edit)

    def _draw_strip(self, width: int, height: int) -> Picture:
        return strip.draw(self.session.moment, width, height, kinds=self.session.timeline.kinds, glyphs=self.glyphs)

    def _draw_tabs(self, width: int, height: int) -> Picture:
        changed = follow.changed_panels(self.session.moment)
        panels = list(PANELS.values())
        merging = strip.label_of(self.session.moment.machine, strip.GRO).partition(",")[0]
        return chrome.tabs(
            width, self.glyphs, panels, self.chosen, pinned=self.pinned, changed=changed, names={"gro": merging}
        )

    def _draw_panel(self, key: str, width: int, height: int) -> Picture:
        moment, active = self.session.moment, key == self._active
        if key == "bytes":
            about = self.subject
            return bytes_zoom.draw(
                moment,
                width,
                height,
                active=active,
                glyphs=self.glyphs,
                slot=about.slot,
                half=about.half,
                top=about.top,
            )
        if key == "story":
            return story.draw(moment, width, height, active=active, glyphs=self.glyphs, more=self._more(width, height))
        return PANELS[key].draw(moment, width, height, active=active, glyphs=self.glyphs)

    def _draw_track(self, width: int, height: int) -> Picture:
        timeline = self.session.timeline
        return self._track.draw(
            timeline.kinds,
            self.session.position,
            width,
            height,
            frames=timeline.frames,
            complete=timeline.complete,
            glyphs=self.glyphs,
        )

    def _draw_cpus(self, width: int, height: int) -> Picture:
        return who_runs.draw(self.session.timeline.activity, self.session.moment, width, height, glyphs=self.glyphs)

    def _draw_keys(self, width: int, height: int) -> Picture:
        shown = footer(BENCH)
        if self.pinned and self._one_at_a_time(*self.size):
            shown.insert(2, replace(by_key(BENCH)["0"], footer="follow"))
        return chrome.keys(width, self.glyphs, shown, self.said)

    def _draw_menu(self, width: int, height: int) -> Picture:
        menu = self.menu or Menu("", JUMPS, lambda _: None)
        return chrome.menu(width, height, self.glyphs, menu.title, menu.choices, menu.counts)

    def update(self, sweep: int = 0) -> None:
        """Show the moment; each part repaints only the cells that differ. `sweep`: see `Cells.show`."""
        places, placed = self._places(self.size.width, self.size.height), self._placed
        if places != placed:
            self.query_one(PlacesContainer).replace()
        for cells in self.query(Cells):
            key = cells.id or ""
            if key in places and places[key] == placed.get(key):
                cells.show(sweep=sweep if key in MOVING else 0)
            else:
                # It is drawn for its new size as soon as it has it.
                cells.forget()

    def settle(self) -> None:
        """Show at once what is on its way."""
        for cells in self.query(Cells):
            cells.settle()

    def rearrange(self) -> None:
        """Put the parts where they go now, and show the moment."""
        self.update()

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys, until the next key."""
        self.said = words
        self.query_one("#keys", Cells).show()

    def show_length(self) -> None:
        """Show how long the run is known to be."""
        self.query_one("#header", Cells).show()
        self.query_one("#scrubber", Cells).show()
        self.query_one("#cpus", Cells).show()

    # ------------------------------------------------------------------------------------------------------- the mouse
    def on_cells_pressed(self, event: Cells.Pressed) -> None:
        """Do with the mouse what the keys do: seek, choose a panel, answer a menu, look deeper."""
        event.stop()
        target, part = event.target, event.cells.id or ""
        if self.press_key(target):
            return
        if part == "scrubber":
            self._seek_on_track(event)
        elif part == "menu" and target is not None:
            self._answer(str(target.value))
        elif part == "tabs" and target is not None:
            self.do_panel(str(target.value))
        elif part in PANELS:
            self._choose(part)
            if target is not None:
                self._press(target)
        elif part == "strip" and target is not None:
            self._press(target)

    def _seek_on_track(self, event: Cells.Pressed) -> None:
        """Go where the track was pressed; the row of steps moves with every step, so nothing is dragged on it."""
        size, session = event.cells.size, self.session
        row, position = scrubber.place_at(
            event.x, event.y, size.width, size.height, session.position, session.timeline.length
        )
        if row == "run" or not event.dragged:
            self._go(partial(session.seek, position))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """One stop forward; over the bytes, on in them."""
        if self._is_over_bytes(event):
            self.do_bytes_down()
        else:
            self.do_forward()

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """One stop back; over the bytes, back in them."""
        if self._is_over_bytes(event):
            self.do_bytes_up()
        else:
            self.do_back()

    def _is_over_bytes(self, event: events.MouseEvent) -> bool:
        return self.query_one("#bytes").region.contains(*event.screen_offset)

    def _press(self, target: Target) -> None:
        """Look into what was pressed: a slot, a half, an skb; follow a frame; or show a stage's panel."""
        if target.kind == "slot":
            self._look_into(Subject(slot=int(target.value)))
        elif target.kind == "half":
            page, _, start = str(target.value).partition(":")
            self._look_into(Subject(half=(int(page), int(start))))
        elif target.kind == "skb":
            self._look_into(Subject())
        elif target.kind == "frame":
            self._follow(int(target.value))
        elif target.kind == "why":
            self.do_why()
        elif target.kind == "stage" and target.value in STAGE_PANELS:
            self._choose(STAGE_PANELS[str(target.value)])

    def _look_into(self, subject: Subject) -> None:
        was, pinned = self.chosen, self.pinned
        self._choose("bytes")
        self.deep_from, self.subject, self.pinned = was, subject, pinned
        self.update()

    def _look_up(self) -> None:
        """Show again what the bytes took the place of."""
        pinned = self.pinned
        self._choose(self.deep_from or KNOWN[0])
        self.pinned = pinned
        self.update()

    def do_why(self) -> None:
        """Show all that GRO asks about the frame of this moment, and of any other."""
        from rxviz.run.gro_pair import Pairs
        from rxviz.screens.screens.why import WhyScreen

        if self.session.moment.machine.gro is None:
            self.say(self._without_gro())
            return
        pairs = Pairs(self.session.moment)
        if pairs.first is None:
            self.say("This run has no two frames that could be compared.")
            return
        self.app.push_screen(WhyScreen(pairs, *pairs.first))

    def _without_gro(self) -> str:
        """Say why there is nothing to ask of GRO."""
        machine, scenario = self.session.moment.machine, self.session.timeline.scenario
        if machine.lro is not None:
            return f"LRO merges here, not GRO: panel {KNOWN.index('gro') + 1} shows what it holds and notes."
        if scenario.deliver_as == "netif_receive_skb" and "gro_called" not in scenario.off_rules:
            return f"Nobody calls GRO here: {scenario.driver} hands its skbs to netif_receive_skb."
        return "GRO is off in this run: nothing is ever merged. gro=on switches it on."

    # ---------------------------------------------------------------------------------------------------------- panels
    def do_panel(self, number: str) -> None:
        """Choose a panel by its number; where one is in sight at a time, the same number lets go of it again."""
        if int(number) >= len(KNOWN):
            return
        if self.pinned and self.chosen == KNOWN[int(number)] and self._one_at_a_time(*self.size):
            self.do_follow()
        else:
            self._choose(KNOWN[int(number)])

    def do_follow(self) -> None:
        """Show the panel that the step is about, now and after each step."""
        self.pinned, self.deep_from, self.subject = False, None, Subject()
        self.rearrange()

    def do_next_panel(self) -> None:
        """Choose the next panel."""
        self._choose(self._neighbour(1))

    def do_previous_panel(self) -> None:
        """Choose the panel before."""
        self._choose(self._neighbour(-1))

    def _neighbour(self, way: int) -> str:
        """Return the next panel, or the one before."""
        return KNOWN[(KNOWN.index(self.chosen) + way) % len(KNOWN)]

    def _choose(self, key: str) -> None:
        if key != self.chosen or not self._picked or not self.pinned:
            self.chosen, self.deep_from, self._picked, self.pinned = key, None, True, True
            if key != "bytes":
                self.subject = Subject()
            self.rearrange()

    def do_cpus(self) -> None:
        """Show who runs when, or no longer."""
        self.cpus = not self._cpu_rows(*self.size)
        self.rearrange()

    def do_deeper(self) -> None:
        """Show the bytes, or what they took the place of."""
        if self.chosen == "bytes":
            self._look_up()
        else:
            self._look_into(Subject())

    def do_bytes_down(self) -> None:
        """On in the bytes."""
        self._scroll_bytes(SCROLL)

    def do_bytes_up(self) -> None:
        """Back in the bytes."""
        self._scroll_bytes(-SCROLL)

    def _scroll_bytes(self, lines: int) -> None:
        last = self.session.moment.machine.config.geometry.page // 16 - 1
        # Before the first line there is the shorter form, which leaves out what tells little.
        top = min(self.subject.top + lines, last) if self.subject.top is not None else min(lines, 0)
        self.subject = replace(self.subject, top=top if top >= 0 else None)
        self.update()

    def do_break(self) -> None:
        """List the rules of this scene, and show what falls when one is switched off."""
        from rxviz.screens.screens.breaking import BreakScreen, BrokenScreen

        if self.session.timeline.edits:
            self.say("A what-if cannot be broken; X returns to the run itself.")
            return
        scenario = self.session.timeline.scenario

        def show(broken: Broken) -> None:
            self.app.push_screen(BrokenScreen(broken))

        self.app.push_screen(BreakScreen(scenario, show))

    def do_driver(self) -> None:
        """Choose a driver, and open this scene with it beside this run."""
        from rxviz.screens.screens.drivers import DriversScreen

        def show(scenario: Scenario, lost: list[str]) -> None:
            screen = BenchScreen(Timeline(scenario))
            if lost:
                screen.said = f"{scenario.driver} cannot have {', '.join(lost)}; that is left out here."
            self.app.push_screen(screen)

        self.app.push_screen(DriversScreen(self.session.timeline.scenario, show))

    def do_patches(self) -> None:
        """List the patches of the series; go on in the scene with those that are applied there, at the same frame."""
        from rxviz.run.patch_scene import same_place
        from rxviz.run.patches import in_words, series
        from rxviz.screens.screens.patching import PatchesScreen

        session = self.session
        scenario = session.timeline.scenario
        if session.timeline.edits:
            self.say("A what-if has no patches to switch; X returns to the run itself.")
            return
        if series(scenario.driver) is None:
            self.say(f"{scenario.driver} has no part in the series; it is for ixgbe and igb.")
            return
        own = session.moment.frame_bill()

        def leave(changed: Scenario) -> None:
            try:
                timeline = Timeline(changed)
                place = same_place(session.timeline, session.position, timeline)
                session.change(timeline, place, in_words(changed.patches))
            except RxvizError as error:
                self.say(str(error))
                return
            self._watch_index()
            self.rearrange()
            self.say(f"The same frame with {in_words(changed.patches)}. X or Esc returns to the run.")

        self.app.push_screen(PatchesScreen(scenario, own.frame if own is not None else None, leave))

    def do_lanes(self) -> None:
        """Show the same frames the legacy way and with build_skb, side by side, from the frame in question on."""
        from rxviz.run.lane_words import make_lanes
        from rxviz.screens.screens.lanes import LanesScreen

        step = self.session.moment.step
        try:
            lanes = make_lanes(self.session.timeline.scenario)
        except RxvizError as error:
            self.say(str(error))
            return
        said = (
            "The lanes go without the what-if: both play the run as it was opened."
            if self.session.timeline.edits
            else ""
        )
        self.app.push_screen(LanesScreen(lanes, step.frame if step is not None else None, said))

    def do_escape(self) -> None:
        """Back: from the bytes, from a what-if, from the workbench."""
        if self.chosen == "bytes" and self.deep_from:
            self._look_up()
        elif self.session.left:
            self.do_come_back()
        elif len(self.app.screen_stack) > 1:
            super().do_escape()
        else:
            self.say("q quits.")
