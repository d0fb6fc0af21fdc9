"""What a lesson is made of: the shape of `lesson.toml`. Words are not here but in `text.<language>.md`, under keys.

A lesson has seven parts: hook, worked example, predict, observe, explain, do, keep. Everything that is true or false
in it is an expression over a run (rxviz.run.query), so that no answer is ever typed in.
"""

from __future__ import annotations

from typing import Literal

import msgspec

MAX_SCREENS, MAX_WORDS = 6, 40
Panel = Literal["ring", "pages", "skb", "bill", "bytes", "strip"]
Ask = Literal["choice", "press", "number", "order"]


class Struct(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A table of the file; unknown keys are errors."""


class Seed(Struct, frozen=True, kw_only=True):
    """A published text that the lesson leans on, and words to be found in it."""

    file: str
    find: str


class Stop(Struct, frozen=True, kw_only=True):
    """A stop of the worked example: the position (an expression), and the key of its label."""

    at: str
    text: str


class Example(Struct, frozen=True, kw_only=True):
    """A run that is stepped through by the lesson, with a label at each stop; six to twelve of them."""

    panel: Panel
    stops: list[Stop]
    scenario: str = ""


class Option(Struct, frozen=True, kw_only=True):
    """One answer. A wrong one names the misconception behind it, whose world can be run."""

    value: str | int
    text: str = ""
    misconception: str = ""


class Predict(Struct, frozen=True, kw_only=True):
    """A question. `at` is where the run pauses, `answer` what the run itself says, `ask` how it is answered.

    For `press`, `target` says what is pressed (slot, half, region, counter) and option values are such places; for
    `number`, `within` is how far off an answer may be; for `order`, the options are the steps and `answer` is the
    right order of their values, joined by blanks. `let` names values (expressions, in order) for use in the other
    expressions and, in braces, in texts. `until` is where the observation stops when the answer was right.
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
    target: str = ""
    within: int = 0
    until: str = ""
    scenario: str = ""


class Knob(Struct, frozen=True, kw_only=True):
    """A scenario word that the learner may change in the task, and what it may be set to."""

    key: str
    values: list[str]
    text: str


class Goal(Struct, frozen=True, kw_only=True):
    """A goal of the task: true when its expression is, by whatever route."""

    text: str
    check: str


class Solution(Struct, frozen=True, kw_only=True):
    """One way to reach the goals: the knobs as set, the position (an expression), and what is answered."""

    knobs: dict[str, str] = {}
    at: str = ""
    answer: str = ""


class Do(Struct, frozen=True, kw_only=True):
    """The task. With `number` the learner also types a number, with `choices` picks one of some names; goals read
    either as `answer`. `lanes` are runs side by side, name and further scenario words, read as lane('name')."""

    text: str
    scenario: str
    panel: Panel
    goal: list[Goal]
    hints: list[str]
    solution: Solution
    knob: list[Knob] = []
    number: bool = False
    choices: list[str] = []
    lanes: dict[str, str] = {}
    let: dict[str, str] = {}


class Present(Struct, frozen=True, kw_only=True):
    """For the classroom: where to pause, and the key of the presenter's notes."""

    pause: list[str]
    notes: str


class Lesson(Struct, frozen=True, kw_only=True):
    """A whole lesson. Texts are keys of the language file; `order` decides the place in the course."""

    format: Literal[1]
    id: str
    number: int
    order: int
    minutes: int
    needs: list[str]
    seeds: list[Seed]
    scenario: str
    example: Example
    predict: list[Predict]
    do: Do
    present: Present
    lanes: list[str] = []


class Misconception(Struct, frozen=True, kw_only=True):
    """A belief that learners hold, as a world: the words that make the model follow it, and the lamp that shows it."""

    belief: str
    world: str
    shows: str
    lamp: str = ""


class Registry(Struct, frozen=True, kw_only=True):
    """The file of misconceptions, by their ids."""

    misconception: dict[str, Misconception]
