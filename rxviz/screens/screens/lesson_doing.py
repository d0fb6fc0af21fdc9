"""A task on its way to being done: knobs, a run to walk through, an answer, goals, hints, and the solution."""

from __future__ import annotations

from math import factorial

from rxviz.errors import RxvizError
from rxviz.lessons.format import Goal, Knob
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.screens import choice_key, found_key
from rxviz.lessons.session import Task
from rxviz.run.timeline import FRAME_ENDS, Moment

MAX_DIGITS = 9
TRY_FIRST = "Try once yourself first: turn a knob, step, or answer. Then s shows one way."


class Doing:
    """The state of a task. While the solution is shown, `shown` stands in the place of the learner's own run."""

    def __init__(self, loaded: LoadedLesson, seed: int = 1) -> None:
        self.loaded = loaded
        self.task = Task(loaded, seed)
        self.seed = seed
        self.do = loaded.lesson.do
        self.acts = 0
        """What the learner has done so far; the solution is shown after one honest try."""
        self.hints = 0
        """How many hints were asked for."""
        self.hint_open = 0
        """The hint in sight, from 1; 0: none."""
        self.turning = -1
        """The knob that arrows turn; -1: none, they step."""
        self.place = 0
        """Which of the things that a knob arranges the arrows carry."""
        self.typing: str | None = None
        """The number that is being typed."""
        self.shown: Task | None = None
        self.solved_at = 0
        self._goals: list[tuple[Goal, bool]] | None = None

    # -------------------------------------------------------------------------------------------------------- looking
    @property
    def now(self) -> Task:
        """What is in sight: the learner's own task, or the solution."""
        return self.shown or self.task

    @property
    def moment(self) -> Moment:
        """The moment of the run in sight."""
        return self.now.lane().timeline.at(self.now.position)

    @property
    def length(self) -> int:
        """Steps of the run in sight."""
        return len(self.now.lane().trace)

    def goals(self) -> list[tuple[Goal, bool]]:
        """Return each goal, and whether it is reached in what is in sight."""
        if self._goals is None:
            self._goals = self.now.goals()
        return self._goals

    def done(self) -> bool:
        """Whether every goal is reached at once, by the learner."""
        return self.shown is None and all(reached for _, reached in self.goals())

    def value_of(self, knob: Knob) -> str:
        """Return what a knob is set to; what the lesson's line says, until somebody turns it."""
        return self.now.knobs.get(knob.key) or self._as_given(knob)

    def _as_given(self, knob: Knob) -> str:
        words = dict(word.partition("=")[::2] for word in self.do.scenario.split())
        value = words.get(knob.key, "")
        return value if knob.takes(value) else knob.settings()[0]

    @property
    def arranging(self) -> Knob | None:
        """The knob in hand, when it is one that puts things in order."""
        knob = self.do.knob[self.turning] if 0 <= self.turning < len(self.do.knob) else None
        return knob if knob is not None and knob.arrange else None

    @property
    def carried(self) -> int:
        """The place of what the arrows carry; -1: nothing is being put in order."""
        return self.place if self.arranging is not None else -1

    def collected(self) -> list[str]:
        """Return in words what was collected so far."""
        keys = [found_key(value) for value in sorted(self.now.found)]
        return [self.task.text(key) for key in keys]

    def choices(self) -> list[tuple[str, str]]:
        """Return (name, words) of what the task lets choose from."""
        return [(name, self.task.text(choice_key(name))) for name in self.do.choices]

    # --------------------------------------------------------------------------------------------------------- acting
    def act(self) -> None:
        """Note that something was done: goals are looked at anew."""
        self._goals = None
        if self.shown is None:
            self.acts += 1

    def move(self, to: int) -> bool:
        """Go to a position of the run in sight; return whether that is another one."""
        before = self.now.position
        self.now.position = min(max(to, 0), self.length)
        if self.now.position == before:
            return False
        self.act()
        return True

    def frame(self, way: int) -> int:
        """Return the position where the next (or the last) frame's trip ends."""
        trace, position = self.now.lane().trace, self.now.position
        if way > 0:
            return next((n + 1 for n in range(position, len(trace)) if trace[n].kind in FRAME_ENDS), len(trace))
        return next((n + 1 for n in range(position - 2, -1, -1) if trace[n].kind in FRAME_ENDS), 0)

    def choose_place(self, by: int) -> None:
        """Take the next of the things in order in hand."""
        if (knob := self.arranging) is not None:
            self.place = (self.place + by) % len(knob.values)

    def turn(self, by: int) -> None:
        """Turn the knob at hand, or carry what it puts in order; it stops at either end, and the run starts anew."""
        if self.shown is not None or not 0 <= self.turning < len(self.do.knob):
            return
        knob = self.do.knob[self.turning]
        if knob.arrange:
            self._carry(knob, by)
            return
        place = knob.values.index(self.value_of(knob))
        value = knob.values[min(max(place + by, 0), len(knob.values) - 1)]
        if value != self.value_of(knob):
            self.task.turn(knob.key, value)
            self.act()

    def _carry(self, knob: Knob, by: int) -> None:
        order, to = self.value_of(knob).split(","), self.place + by
        if 0 <= to < len(order):
            order[self.place], order[to] = order[to], order[self.place]
            self.place = to
            self.task.turn(knob.key, ",".join(order))
            self.act()

    def say(self, answer: str | int) -> None:
        """Answer with a number or a choice."""
        self.task.answer = answer
        self.act()

    def hint(self) -> None:
        """Show the next hint; after the last one the first again."""
        if self.do.hints:
            self.hint_open = self.hint_open % len(self.do.hints) + 1
            self.hints = max(self.hints, self.hint_open)

    def solve(self) -> str:
        """Show one way to do it, from its start; return why not, nothing when it is shown."""
        if not self.acts:
            return TRY_FIRST
        shown = Task(self.loaded, self.seed)
        try:
            shown.solve()
        except RxvizError as error:
            return str(error)
        self.solved_at, self.shown, self.turning, self.typing = shown.position, shown, -1, None
        shown.position = 0
        self._goals = None
        return ""

    def leave_solution(self) -> bool:
        """Return to the learner's own run; return whether the solution was in sight."""
        was, self.shown, self._goals = self.shown, None, None
        return was is not None

    # -------------------------------------------------------------------------------------------------------- keeping
    def code(self) -> int:
        """Return position and knobs as one number, for the log."""
        code = self.task.position
        for knob in self.do.knob:
            value = self.task.knobs.get(knob.key) or self._as_given(knob)
            count, number = (factorial(len(knob.values)), number_of(knob, value)) if knob.arrange else (
                len(knob.values), knob.values.index(value))  # fmt: skip
            code = code * count + number
        return code

    def restore(self, code: int) -> None:
        """Take position and knobs from such a number; one that cannot be is taken as far as it goes."""
        for knob in reversed(self.do.knob):
            code, place = divmod(code, factorial(len(knob.values)) if knob.arrange else len(knob.values))
            value = arrangement(knob, place) if knob.arrange else knob.values[place]
            if value != self._as_given(knob):
                self.task.turn(knob.key, value)
        self.task.position = min(code, len(self.task.lane().trace))
        self._goals = None


def number_of(knob: Knob, value: str) -> int:
    """Return the number of an order among all of a knob's orders."""
    left, number = list(knob.values), 0
    for part in value.split(","):
        place = left.index(part)
        number = number * len(left) + place
        left.pop(place)
    return number


def arrangement(knob: Knob, number: int) -> str:
    """Return the order of such a number."""
    places: list[int] = []
    for count in range(1, len(knob.values) + 1):
        number, place = divmod(number, count)
        places.insert(0, place)
    left = list(knob.values)
    return ",".join(left.pop(place) for place in places)
