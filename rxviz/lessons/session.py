"""A lesson being taken, without a screen: the example, questions and their right answers, wrong answers' worlds, tasks.

The screens show this and nothing else, and the checker plays it headless: what passes here passes there.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from rxviz.lessons.ask import LaneBook, as_position, as_scalar, ask, filled, named
from rxviz.lessons.format import Goal, Option, Predict
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.scenarios import lane_of, scenario_of
from rxviz.run.expression import ExpressionError
from rxviz.run.lanes import Lane, Lanes
from rxviz.run.scenario import Scenario

PARTS = ("hook", "example", "predict", "observe", "explain", "do", "keep")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an answer led to. For a wrong one with a misconception: the two worlds, and where they part.

    `parting` holds the positions in the (real, learner's) lane just after the first step that differs. `damage` is
    the position in the learner's lane at which the misconception's lamp went on, and the lamp's name; None where
    nothing breaks and only the bill tells. `shows` is the sentence on what it means.
    """

    right: bool
    option: Option | None
    lanes: Lanes | None = None
    parting: tuple[int, int] | None = None
    damage: tuple[int, str] | None = None
    shows: str = ""


class Opening:
    """Hook, worked example, keep and notes: the lesson's own run, with its stops."""

    def __init__(self, loaded: LoadedLesson, seed: int = 1) -> None:
        self.loaded = loaded
        self.seed = seed
        self.scenario = scenario_of(loaded, loaded.lesson.example.scenario or loaded.lesson.scenario, seed)
        self.lane = lane_of(self.scenario)
        self.lanes = LaneBook(
            loaded.lesson.example.lanes, lambda more: lane_of(scenario_of(loaded, self.scenario.line(), seed, more))
        )

    @cached_property
    def names(self) -> dict[str, Any]:
        """The values that the lesson has named, and its seeds' figures."""
        let, given = self.loaded.lesson.let, {"lane": self.lanes.record}
        return {**self.loaded.figures, **named(let, self.lane, self.seed, given)}

    @cached_property
    def stops(self) -> list[tuple[int, str]]:
        """(position, label) for each stop of the worked example, in order."""
        return [
            (as_position(ask(stop.at, self.lane, 0, self.names, self.seed), self.lane), self.text(stop.text))
            for stop in self.loaded.lesson.example.stops
        ]

    @cached_property
    def pauses(self) -> list[int]:
        """The positions at which a presenter pauses."""
        return [
            as_position(ask(pause, self.lane, 0, self.names, self.seed), self.lane)
            for pause in self.loaded.lesson.present.pause
        ]

    def text(self, key: str) -> str:
        """Return a text with the lesson's values filled in."""
        return filled(self.loaded.text(key), self.names)


class Question:
    """A question in a run of its own; another seed gives another question."""

    def __init__(self, loaded: LoadedLesson, predict: Predict, seed: int) -> None:
        self.loaded = loaded
        self.predict = predict
        self.seed = seed
        words = predict.scenario or loaded.lesson.scenario
        varied = " ".join(f"{key}={values[(seed - 1) % len(values)]}" for key, values in predict.vary.items())
        self.scenario = scenario_of(loaded, words, seed, varied)
        self.lane = lane_of(self.scenario, "real")
        self.lanes = LaneBook(
            predict.lanes, lambda more: lane_of(scenario_of(loaded, self.scenario.line(), seed, more))
        )

    @cached_property
    def names(self) -> dict[str, Any]:
        """The values that the question has named, worked out from the start of the run, and the seeds' figures."""
        return {**self.loaded.figures, **named(self.predict.let, self.lane, self.seed, self._given)}

    @property
    def _given(self) -> dict[str, Any]:
        return {"lane": self.lanes.record}

    def _ask(self, text: str, position: int) -> Any:
        return ask(text, self.lane, position, {**self._given, **self.names}, self.seed)

    @cached_property
    def position(self) -> int:
        """Where the run pauses and the question is asked."""
        return as_position(self._ask(self.predict.at, 0), self.lane)

    @cached_property
    def answer(self) -> int | str:
        """What the run itself says."""
        return as_scalar(self._ask(self.predict.answer, self.position), self.predict.answer)

    @cached_property
    def until(self) -> int:
        """Where the observation of a right answer stops."""
        if not self.predict.until:
            return min(self.position + 1, len(self.lane.trace))
        return as_position(self._ask(self.predict.until, self.position), self.lane)

    @cached_property
    def options(self) -> list[Option]:
        """The options with the question's values filled in, in the order of the file."""
        return [
            msgspec.structs.replace(option, value=_filled_plain(str(option.value), self.names))
            for option in self.predict.option
        ]

    def text(self, key: str) -> str:
        """Return a text with the question's values filled in."""
        return filled(self.loaded.text(key), self.names)

    def option_of(self, given: str | int) -> Option | None:
        """Return the option that an answer is, None when it is none of them.

        For `order` that is the first step in the answer that does not belong there.
        """
        if self.predict.ask == "order":
            wrong = {str(option.value): option for option in self.options if option.misconception}
            return next((wrong[value] for value in str(given).split() if value in wrong), None)
        if self.predict.ask == "number":
            given = _digits(given)
        return next((option for option in self.options if str(option.value) == str(given)), None)

    def is_right(self, given: str | int) -> bool:
        """Whether an answer is what the run says."""
        if self.predict.ask == "number":
            digits = _digits(given)
            return (
                isinstance(self.answer, int) and bool(digits) and abs(int(digits) - self.answer) <= self.predict.within
            )
        if self.predict.ask == "order":
            return str(given).split() == str(self.answer).split()
        return str(given) == str(self.answer)

    def give(self, given: str | int) -> Outcome:
        """Take an answer; a wrong one runs its own world beside the real one. Nothing that is given raises."""
        if self.is_right(given):
            return Outcome(True, self.option_of(given))
        option = self.option_of(given)
        belief = self.loaded.misconceptions.get(option.misconception) if option is not None else None
        if belief is None:
            return Outcome(False, option)
        assert option is not None
        world = lane_of(scenario_of(self.loaded, self.scenario.line(), self.seed, option.run, belief.world), "yours")
        lanes = Lanes(self._lane_for(option), world)
        return Outcome(False, option, lanes, lanes.parting(), world.lamp_on(belief.lamp), belief.shows)

    def _lane_for(self, option: Option) -> Lane:
        """Return the run that an answer is about: the question's own, or that of another load."""
        if not option.run:
            return self.lane
        return lane_of(scenario_of(self.loaded, self.scenario.line(), self.seed, option.run), "real")


class Task:
    """The task of a lesson: knobs to turn, a position to stop at, perhaps an answer; goals tick by any route."""

    def __init__(self, loaded: LoadedLesson, seed: int) -> None:
        self.loaded = loaded
        self.do = loaded.lesson.do
        self.seed = seed
        self.knobs: dict[str, str] = {}
        self.position = 0
        self.answer: str | int | None = None
        self.found: set[str] = set()
        """What was collected from the runs that were played."""
        self._lanes: dict[str, Lane] = {}

    @property
    def scenario(self) -> Scenario:
        """The run that the knobs give."""
        return self._scenario()

    def _scenario(self, *more: str) -> Scenario:
        words = " ".join(f"{key}={value}" for key, value in self.knobs.items())
        return scenario_of(self.loaded, self.do.scenario, self.seed, words, *more)

    def lane(self, words: str = "") -> Lane:
        """Return the run (with further words, for tasks with lanes), played once for each setting of the knobs."""
        scenario = self._scenario(words)
        line = scenario.line()
        if line not in self._lanes:
            self._lanes[line] = lane_of(scenario)
        return self._lanes[line]

    def turn(self, key: str, value: str) -> None:
        """Set a knob; the run starts anew."""
        self.knobs[key] = value
        self.position = 0

    def text(self, key: str) -> str:
        """Return a text of the task with its own values, the lesson's and the seeds' filled in."""
        return filled(self.loaded.text(key), self._names)

    @property
    def _names(self) -> dict[str, Any]:
        return {**self.loaded.figures, **named(self.do.let, self.lane(), self.seed, self._given)}

    @property
    def _given(self) -> dict[str, Any]:
        book = LaneBook(self.do.lanes, self.lane)
        return {"lane": book.record}

    def goals(self) -> list[tuple[Goal, bool]]:
        """Return each goal and whether it is reached now; what this run has to be remembered for is collected first."""
        self._collect()
        return [(goal, self._holds(goal.check)) for goal in self.do.goal]

    def done(self) -> bool:
        """Whether every goal is reached."""
        return all(reached for _, reached in self.goals())

    def _collect(self) -> None:
        collect = self.do.collect
        if collect is not None and self._holds(collect.when) and (value := str(self.worked_out(collect.value))):
            self.found.add(value)

    def _found(self, value: str | None = None) -> int:
        """How many values were collected; with one whether it was."""
        return len(self.found) if value is None else int(str(value) in self.found)

    def _holds(self, check: str) -> bool:
        try:
            return bool(self.worked_out(check))
        except ExpressionError:
            # Something that the goal asks for does not exist (yet): it is not reached.
            return False

    def worked_out(self, check: str) -> Any:
        """Work out an expression as the goals do, now; raise ExpressionError when it cannot be."""
        answer = self.answer
        if self.do.number and answer is not None:
            # What is no number is no answer yet.
            answer = int(digits) if (digits := _digits(answer)) else None
        names = {"answer": answer, "position": self.position, "found": self._found, **self._given, **self._names}
        return ask(check, self.lane(), self.position, names, self.seed)

    def solve(self) -> None:
        """Do what the lesson's solution says; raise ExpressionError where it cannot be done."""
        solution = self.do.solution
        for knobs in solution.through:
            for key, value in knobs.items():
                self.turn(key, value)
            self.position = len(self.lane().trace)
            self._collect()
        for key, value in solution.knobs.items():
            self.turn(key, value)
        lane = self.lane()
        names = {**self._given, **self._names}
        if solution.at:
            self.position = as_position(ask(solution.at, lane, 0, names, self.seed), lane)
        if solution.answer:
            text = solution.answer
            self.answer = as_scalar(ask(text, lane, self.position, names, self.seed), text)


def _filled_plain(text: str, names: dict[str, Any]) -> str:
    """Fill in values as they are compared, not as they are shown."""
    return filled(text, {name: str(value) for name, value in names.items()})


def _digits(given: str | int) -> str:
    """Return the digits of a number as it was typed (blanks and commas are let pass), nothing where it is none."""
    text = "".join(str(given).replace(",", "").split())
    return text if text.isascii() and text.isdigit() and len(text) < 16 else ""
