"""What a lesson is made of: the shape of `lesson.toml`. Words are not here but in `text.<language>.md`, under keys.

A lesson has seven parts: hook, worked example, predict, observe, explain, do, keep. Everything that is true or false
in it is an expression over a run (rxviz.run.query), so that no answer is ever typed in. `let` names values of a run;
texts show them in braces, and the figures of the seeds too: `{receive_before}`.
"""

from __future__ import annotations

from typing import Literal

import msgspec

MAX_SCREENS, MAX_WORDS = 6, 40
STOPS, MAX_QUESTIONS, HINTS = (6, 12), 2, 3
Panel = Literal["ring", "pages", "skb", "bill", "bytes", "strip", "gro", "poll", "cpu", "counters", "owner"]
Ask = Literal["choice", "press", "number", "order"]
Target = Literal["", "slot", "half", "region", "counter"]
REGIONS = ("headroom", "frame", "tailroom")
"""What of a half can be pressed; an option with another value is offered in words below the picture."""


class Struct(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A table of the file; unknown keys are errors."""


class Stop(Struct, frozen=True, kw_only=True):
    """A stop of the worked example: the position (an expression), the key of its label, and a panel of its own."""

    at: str
    text: str
    panel: Panel | Literal[""] = ""


class Example(Struct, frozen=True, kw_only=True):
    """A run that is stepped through by the lesson, with a label at each stop; six to twelve of them.

    `lanes` are runs of the same frames shown beside it, name and scenario words, in lockstep by frame; the lesson's
    own values may read them as lane('name'). `name` is what its own run is called beside them (its path without).
    """

    panel: Panel
    stops: list[Stop]
    scenario: str = ""
    lanes: dict[str, str] = {}
    name: str = ""


class Option(Struct, frozen=True, kw_only=True):
    """One answer. A wrong one names the misconception behind it, whose world can be run.

    `value` may hold named values in braces, so that it follows from the run as the answer does. `run` are scenario
    words: an answer about another load is shown on that load, as it is and as the misconception would have it.
    """

    value: str | int
    text: str = ""
    misconception: str = ""
    run: str = ""


class Predict(Struct, frozen=True, kw_only=True):
    """A question. `at` is where the run pauses, `answer` what the run itself says, `ask` how it is answered.

    choice: one of the options. press: a place on the picture, of the kind that `target` says: a slot's number, a
    half's letter, a region of a half (REGIONS), a line of the bill (`ledger.bytes_copied`); options with other values
    are offered in words. number: a number, `within` so much of the answer; options are numbers that tell of a
    misconception, and are not shown. order: some or all of the options put in order; `answer` is the right order of
    their values, joined by blanks, and an option with a misconception does not belong into it.

    `let` names values (expressions, in order) for use in the other expressions and, in braces, in texts. `until` is
    where the observation stops when the answer was right. `vary` gives scenario words of which each seed takes
    another value. `lanes` are further runs, name and scenario words, read as lane('name'); the worlds of wrong
    answers run beside the question's own scenario. `name` is what the question's own run is called beside them. Its
    bill can be `covered` until the answer is given: then that of the first lane stands beside it, at its end. Lanes
    that are there for their values only leave it `alone`. With the panel poll the lanes are loads, shown in a list.
    """

    id: str
    at: str
    ask: Ask
    answer: str
    panel: Panel
    let: dict[str, str] = {}
    text: str
    explain: str
    option: list[Option] = []
    target: Target = ""
    within: int = 0
    until: str = ""
    scenario: str = ""
    vary: dict[str, list[str]] = {}
    lanes: dict[str, str] = {}
    name: str = ""
    covered: bool = False
    alone: bool = False


class Knob(Struct, frozen=True, kw_only=True):
    """A scenario word that the learner may change in the task, and what it may be set to.

    With `arrange` it is set to all of its values, joined by commas, in an order of the learner's own.
    """

    key: str
    values: list[str]
    text: str
    arrange: bool = False

    def settings(self) -> list[str]:
        """Return what the word can be set to; of many orders the first one."""
        return [",".join(self.values)] if self.arrange else self.values

    def takes(self, value: str) -> bool:
        """Say whether the word can be set to a value."""
        return sorted(value.split(",")) == sorted(self.values) if self.arrange else value in self.values


class Goal(Struct, frozen=True, kw_only=True):
    """A goal of the task: true when its expression is, by whatever route."""

    text: str
    check: str


class Collect(Struct, frozen=True, kw_only=True):
    """What a task remembers of every run that the learner has played: a value, when a condition holds."""

    when: str
    value: str


class Solution(Struct, frozen=True, kw_only=True):
    """One way to reach the goals: the knobs as set, the position and the answer (both expressions).

    `through` are settings of the knobs that are played to their end before, for tasks that collect.
    """

    knobs: dict[str, str] = {}
    at: str = ""
    answer: str = ""
    through: list[dict[str, str]] = []


class Do(Struct, frozen=True, kw_only=True):
    """The task. With `number` the learner also types a number, with `choices` picks one of some names (the key of a
    name's words is `choice.` and the name in small letters, `_` as `-`); goals read either as `answer`, where one
    stands as `position`, and the run's last position as `end`. `lanes` are runs side by side, name and further
    scenario words, read as lane('name'). What was collected goals read as found('value'), or found() for how many
    values; the key of a value's words is `found.` and the value in small letters, `_` as `-`."""

    text: str
    scenario: str
    panel: Panel
    goal: list[Goal]
    hints: list[str]
    solution: Solution
    knob: list[Knob] = []
    number: bool = False
    choices: list[str] = []
    collect: Collect | None = None
    lanes: dict[str, str] = {}
    let: dict[str, str] = {}


class Present(Struct, frozen=True, kw_only=True):
    """For the classroom: where to pause, and the key of the presenter's notes."""

    pause: list[str]
    notes: str


class Lesson(Struct, frozen=True, kw_only=True):
    """A whole lesson. Texts are keys of the language file; `order` decides the place in the course.

    `seeds` are ids of lessons/seeds.toml: the published texts that the lesson leans on.
    """

    format: Literal[1]
    id: str
    number: int
    order: int
    minutes: int
    needs: list[str]
    seeds: list[str]
    scenario: str
    let: dict[str, str] = {}
    example: Example
    predict: list[Predict]
    do: Do
    present: Present


class Misconception(Struct, frozen=True, kw_only=True):
    """A belief that learners hold, as a world: the words that make the model follow it, and the lamp that shows it."""

    belief: str
    world: str
    shows: str
    lamp: str = ""


class Registry(Struct, frozen=True, kw_only=True):
    """The file of misconceptions, by their ids."""

    misconception: dict[str, Misconception]


class Seed(Struct, frozen=True, kw_only=True):
    """A published text: what it is, where it stands, its badge, and the figures that lessons quote from it."""

    title: str
    source: str
    badge: Literal["S", "K"]
    figures: dict[str, str]


class Seeds(Struct, frozen=True, kw_only=True):
    """The file of seeds, by their ids."""

    seed: dict[str, Seed]
