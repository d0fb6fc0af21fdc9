"""Walking through a run: moving, jumping, playing, asking what if. What is shown of it is the workbench's affair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from time import monotonic

from textual import events
from textual.timer import Timer

from rxviz.errors import RxvizError
from rxviz.model.names import frame_name
from rxviz.run.scenario_remarks import remarks_at_end
from rxviz.run.timeline import Timeline
from rxviz.run.traffic import CapturedFrames, close_source
from rxviz.screens.actions import JUMPS, WHAT_IFS, Choice
from rxviz.screens.chrome import Counts
from rxviz.screens.clock import Clock
from rxviz.screens.pauses import QUIET_SECONDS, Tidy
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.session import Session
from rxviz.screens.widgets.cells import SWEEP_SECONDS

INDEX_SECONDS = 0.05
INDEX_SLICE = 0.02
IDLE_SECONDS = 0.3
"""The rest of the run is played on in such slices, in s, while nobody moves, so that keys are never held up by it."""


@dataclass(frozen=True)
class Menu:
    """A question that the next key answers."""

    title: str
    choices: Sequence[Choice]
    answer: Callable[[Choice], None]
    counts: Counts = None


@dataclass(frozen=True)
class Goal:
    """A place in the run that is not known yet; the run is played on until it is. No kinds: the end."""

    word: str
    kinds: tuple[str, ...]
    start: int


class WalkScreen(KeyedScreen):
    """A screen on a run. Those who derive from it say how to show the moment."""

    def __init__(self, timeline: Timeline) -> None:
        super().__init__()
        self.session = Session(timeline)
        self.clock = Clock(self, self._play_on)
        self.menu: Menu | None = None
        """The question that waits for a key."""
        self.said = ""
        """What there is to say, until the next key."""
        self._last_jump: Choice | None = None
        self._goal: Goal | None = None
        self._index_timer: Timer | None = None
        self._slices = 0
        self._moved_at = 0.0
        self._tidy = Tidy()

    def update(self, sweep: int = 0) -> None:
        """Show the moment; `sweep` says which way a change should be seen to move."""
        raise NotImplementedError

    def rearrange(self) -> None:
        """Put the parts where they go now, and show the moment."""
        raise NotImplementedError

    def show_length(self) -> None:
        """Show how long the run is known to be."""
        raise NotImplementedError

    def settle(self) -> None:
        """Show at once what is on its way."""
        raise NotImplementedError

    def say(self, words: str) -> None:
        """Show a sentence, until the next key."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------------------- playing the run on
    def on_mount(self) -> None:
        """Begin to find out how long the run is."""
        self._watch_index()
        self.set_interval(QUIET_SECONDS, self._tidy.look)

    def _watch_index(self) -> None:
        if self._index_timer is None and not self.session.timeline.complete:
            self._index_timer = self.set_interval(INDEX_SECONDS, self._index)

    def _index(self) -> None:
        """Play the run on for a moment; then see whether what somebody waits for has come."""
        timeline = self.session.timeline
        if self._goal is None and monotonic() - self._moved_at < IDLE_SECONDS:
            return
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
            self._say_if_cut(timeline)
        self._slices += 1
        if timeline.complete or self._slices % 8 == 0:
            self.show_length()

    def _say_if_cut(self, timeline: Timeline) -> None:
        """Say where a capture broke off, now that it was read so far."""
        problem = timeline.source.frames.problem if isinstance(timeline.source, CapturedFrames) else None
        if problem is not None:
            offset, sentence = problem
            self.say(f"The capture breaks off at byte {offset:,}: {sentence}; what came before it is shown.")

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
            self._goal, self.said = None, ""
            self._go(partial(self.session.seek, found))
        elif timeline.complete:
            self._goal = None
            self.say(f"No {goal.word} from here to the end of the run.")
        else:
            self._goal = Goal(goal.word, goal.kinds, timeline.length)
            self.say(f"Looking for {goal.word} … step {timeline.length:,}. Any key stops it.")

    # ------------------------------------------------------------------------------------------------------------ keys
    def on_key(self, event: events.Key) -> None:
        """Let an open menu have the key, or else do what the key is for."""
        self.settle()
        if self.said or self._goal:
            self._goal = None
            self.say("")
        if self.menu is not None:
            event.stop()
            event.prevent_default()
            self._answer(event.character or event.key)
            return
        super().on_key(event)

    def _ask(self, menu: Menu) -> None:
        self.menu = menu
        self.rearrange()

    def _answer(self, key: str) -> None:
        menu, self.menu = self.menu, None
        self.rearrange()
        if menu is None:
            return
        if key == "n" and menu.counts is not None and self._last_jump is not None:
            menu.answer(self._last_jump)
            return
        choice = next((choice for choice in menu.choices if choice.key == key), None)
        if choice is not None:
            menu.answer(choice)

    def _go(self, move: Callable[[], bool]) -> bool:
        """Make a move and show where it led; return whether it led anywhere."""
        was, self._moved_at = self.session.position, monotonic()
        self._tidy.moved()
        try:
            moved = move()
        except RxvizError as error:
            self.clock.pause()
            self.say(str(error))
            return False
        if moved:
            self.update(self._sweep(was))
            if self._at_end():
                self._say_the_end()
        return moved

    def _say_the_end(self, more: str = "") -> None:
        """Say that the run ends here, and what its end shows, or else `more`."""
        told = self._at_end()
        self.say(f"The end. {' '.join(told)}" if told else f"The end of the run.{more}")

    def _at_end(self) -> list[str]:
        """Return what the end of the run shows, where that is what is in sight."""
        timeline = self.session.timeline
        if not timeline.complete or self.session.position < timeline.length:
            return []
        return remarks_at_end(self.session.moment.machine)

    def _sweep(self, was: int) -> int:
        """Which way a change should be seen to move: only after one step, and where there is time and wish for it."""
        way = self.session.position - was
        if abs(way) != 1 or self.app.animation_level == "none" or self.clock.seconds < 2 * SWEEP_SECONDS:
            return 0
        return way

    # ---------------------------------------------------------------------------------------------------------- moving
    def do_forward(self) -> None:
        """One stop forward."""
        if not self._go(self.session.forward):
            self._say_the_end(" Home goes to the start, x asks what if.")

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
        self.clock.pause()
        self.update()
        self._say_the_end()
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
        self._ask(Menu(f"To the next{again}", self._jumps(), self.jump_to, self._counts(back=False)))

    def do_previous_of(self) -> None:
        """Ask for a kind, and jump back to its last step."""
        self._ask(Menu("Back to the last", self._jumps(), self._jump_back, self._counts(back=True)))

    def _jumps(self) -> Sequence[Choice]:
        """Return the kinds that one can jump to; those of GRO only where it is on."""
        if self.session.moment.machine.gro is not None:
            return JUMPS
        return [choice for choice in JUMPS if not all(name.startswith("gro.") for name in choice.value)]

    def _counts(self, *, back: bool) -> dict[str, str]:
        """Return how many steps of each kind there are ahead (or behind), as far as the run is known."""
        more = "" if back or self.session.timeline.complete else "+"
        has = {choice.key: self.session.has(choice.value) for choice in JUMPS}
        return {c.key: f"{self.session.count(c.value, back=back):,}{more}" if has[c.key] else "" for c in JUMPS}

    def jump_to(self, choice: Choice) -> None:
        """Go to the next step of a kind, as soon as it is known."""
        self._last_jump = choice
        self._look(Goal(choice.word, choice.value, self.session.position))

    def _jump_back(self, choice: Choice) -> None:
        self._last_jump = choice
        found = self.session.find(choice.value, back=True)
        if found is None:
            self.say(f"No {choice.word} between here and the start.")
        else:
            self._go(partial(self.session.seek, found))

    def _follow(self, frame: int) -> None:
        """Go to the next step of a frame."""
        found = self.session.find_frame(frame)
        if found is None:
            self.say(f"No step of frame {frame_name(frame)} after this one is known yet.")
        else:
            self._go(partial(self.session.seek, found))

    # --------------------------------------------------------------------------------------------------------- what if
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
        self.say(f"From here on: {choice.word}. X or Esc returns.")

    def do_come_back(self) -> None:
        """Return to the run that was left."""
        if self.session.come_back():
            self._watch_index()
            self.update()
            self.say("Back in the run you left, where you left it.")
        else:
            self.say("This is the run itself; x asks what if.")

    def remarks(self) -> list[str]:
        """Return what the run and its capture are not as they would be."""
        timeline = self.session.timeline
        notes = timeline.source.frames.notes() if isinstance(timeline.source, CapturedFrames) else []
        at_end = remarks_at_end(timeline.at(timeline.length).machine) if timeline.complete else []
        return [*timeline.scenario.remarks(), *at_end, *notes]

    def on_unmount(self) -> None:
        """Close the capture."""
        close_source(self.session.timeline.source)

    def on_screen_suspend(self) -> None:
        """Do not play behind another screen."""
        self.clock.pause()
