"""A lesson being taken, without a screen: questions and their right answers, wrong answers' worlds, tasks and goals.

The screens show this and nothing else, and the checker plays it headless: what passes here passes there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from rxviz.lessons.format import Goal, Option, Predict
from rxviz.lessons.load import LoadedLesson
from rxviz.model.names import frame_name
from rxviz.run.expression import ExpressionError, parse
from rxviz.run.lanes import Lane, Lanes
from rxviz.run.scenario import Scenario, parse_line

PARTS = ("hook", "example", "predict", "observe", "explain", "do", "keep")
_NAME = re.compile(r"\{([a-z][a-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer led to. For a wrong one with a misconception: the two worlds, and where they part.

    `parting` and `damage` are positions in (real, learner's) lane; `damage` is where a lamp went on, if one did.
    """

    right: bool
    option: Option | None
    lanes: Lanes | None = None
    parting: tuple[int, int] | None = None
    damage: tuple[int, str] | None = None
    shows: str = ""


class Question:
    """A question in a run of its own; another seed gives another question."""

    def __init__(self, loaded: LoadedLesson, predict: Predict, seed: int) -> None:
        self.loaded = loaded
        self.predict = predict
        self.seed = seed
        self.scenario = seeded(predict.scenario or loaded.lesson.scenario, seed)
        self.lane = Lane(self.scenario, "real")

    @cached_property
    def names(self) -> dict[str, Any]:
        """The values that the question has named, worked out from the start of the run."""
        return named(self.predict.let, self.lane, self.seed)

    @cached_property
    def position(self) -> int:
        """Where the run pauses and the question is asked."""
        return as_position(ask(self.predict.at, self.lane, 0, self.names, self.seed), self.lane)

    @cached_property
    def answer(self) -> Any:
        """What the run itself says."""
        return ask(self.predict.answer, self.lane, self.position, self.names, self.seed)

    @cached_property
    def until(self) -> int:
        """Where the observation of a right answer stops."""
        if not self.predict.until:
            return min(self.position + 1, len(self.lane.trace))
        return as_position(ask(self.predict.until, self.lane, self.position, self.names, self.seed), self.lane)

    def text(self, key: str) -> str:
        """Return a text with the question's values filled in."""
        return filled(self.loaded.text(key), self.names)

    def option_of(self, given: str | int) -> Option | None:
        """Return the option that an answer is, None when it is none of them."""
        return next((option for option in self.predict.option if str(option.value) == str(given)), None)

    def is_right(self, given: str | int) -> bool:
        """Whether an answer is what the run says."""
        if self.predict.ask == "number":
            return (
                isinstance(self.answer, int)
                and _is_number(given)
                and abs(int(given) - self.answer) <= self.predict.within
            )
        return str(given) == str(self.answer)

    def give(self, given: str | int) -> Outcome:
        """Take an answer; a wrong one runs its own world beside the real one."""
        option = self.option_of(given)
        if self.is_right(given):
            return Outcome(True, option)
        if option is None or not option.misconception:
            return Outcome(False, option)
        belief = self.loaded.misconceptions[option.misconception]
        world = Lane(self.scenario.with_words(belief.world.split()), "yours")
        lanes = Lanes(self.lane, world)
        return Outcome(False, option, lanes, lanes.parting(), world.first_lamp, belief.shows)


class Task:
    """The task of a lesson: knobs to turn, a position to stop at, perhaps an answer; goals tick by any route."""

    def __init__(self, loaded: LoadedLesson, seed: int) -> None:
        self.loaded = loaded
        self.do = loaded.lesson.do
        self.seed = seed
        self.knobs: dict[str, str] = {}
        self.position = 0
        self.answer: str | int | None = None
        self.moved = False
        """Whether the learner has come to the position step by step or by a jump of his own, not by none at all."""
        self._lanes: dict[str, Lane] = {}

    @property
    def scenario(self) -> Scenario:
        """The run that the knobs give."""
        words = [f"{key}={value}" for key, value in self.knobs.items()]
        return seeded(self.do.scenario, self.seed).with_words(words)

    def lane(self, words: str = "") -> Lane:
        """Return the run (with further words, for tasks with lanes), played once for each setting of the knobs."""
        line = self.scenario.with_words(words.split()).line() if words else self.scenario.line()
        if line not in self._lanes:
            self._lanes[line] = Lane(parse_line(line))
        return self._lanes[line]

    def turn(self, key: str, value: str) -> None:
        """Set a knob; the run starts anew."""
        self.knobs[key] = value
        self.position = 0

    def goals(self) -> list[tuple[Goal, bool]]:
        """Return each goal and whether it is reached now."""
        return [(goal, self._holds(goal)) for goal in self.do.goal]

    def done(self) -> bool:
        """Whether every goal is reached."""
        return all(reached for _, reached in self.goals())

    def _holds(self, goal: Goal) -> bool:
        lane = self.lane()
        names: dict[str, Any] = {"answer": self.answer, "position": self.position, "end": len(lane.trace)}
        names["lane"] = self._lane_record
        try:
            return bool(ask(goal.check, lane, self.position, names | named(self.do.let, lane, self.seed), self.seed))
        except ExpressionError:
            # Something that the goal asks for does not exist (yet): it is not reached.
            return False

    def _lane_record(self, name: str) -> Any:
        if name not in self.do.lanes:
            raise ExpressionError(f'there is no lane "{name:.40}"')
        return self.lane(self.do.lanes[name]).questions(0).as_record()

    def solve(self) -> None:
        """Do what the lesson's solution says."""
        solution = self.do.solution
        for key, value in solution.knobs.items():
            self.turn(key, value)
        lane = self.lane()
        if solution.at:
            self.position = as_position(ask(solution.at, lane, 0, named(self.do.let, lane, self.seed), self.seed), lane)
        if solution.answer:
            names = named(self.do.let, lane, self.seed) | {"lane": self._lane_record}
            self.answer = ask(solution.answer, lane, self.position, names, self.seed)


# ------------------------------------------------------------------------------------------------------------- helpers
def seeded(words: str, seed: int) -> Scenario:
    """Return a lesson's scenario with a seed of the learner's own."""
    scenario = parse_line(words)
    return scenario if seed == scenario.seed else scenario.with_words([f"seed={seed}"])


def ask(text: str, lane: Lane, position: int, names: Mapping[str, Any], seed: int) -> Any:
    """Work out an expression over a lane at a position."""
    random = Random(f"{seed}/{text}")
    scope = lane.questions(position).scope() | {
        "pick": lambda low, high: random.randint(low, high),
        "letter": frame_name,
        "end": len(lane.trace),
    }
    return parse(text).evaluate(scope | dict(names))


def named(let: Mapping[str, str], lane: Lane, seed: int) -> dict[str, Any]:
    """Work out named values, each of which may use those before it."""
    names: dict[str, Any] = {}
    for name, text in let.items():
        names[name] = ask(text, lane, 0, names, seed)
    return names


def as_position(value: Any, lane: Lane) -> int:
    """Check that a value is a position of the run."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= len(lane.trace):
        raise ExpressionError(f"{value!r:.40} is not a position of the run, which has {len(lane.trace):,} steps")
    return value


def filled(text: str, names: Mapping[str, Any]) -> str:
    """Put named values into a text; numbers get their thousands separated."""

    def value(found: re.Match[str]) -> str:
        known = names.get(found[1], found[0])
        return f"{known:,}" if isinstance(known, int) else str(known)

    return _NAME.sub(value, text)


def _is_number(given: str | int) -> bool:
    text = str(given).replace(",", "").strip()
    return text.isascii() and text.isdigit() and len(text) < 16
