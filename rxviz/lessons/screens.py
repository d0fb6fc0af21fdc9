"""The words of a lesson, cut into screens: what stands on each at once, so that every reader gets the same split.

The Textual screens and the checker both take it from here. A lesson has hook, worked example, one screen for each
question (asked, then observed, then explained in the same place), the task and what is kept: six at most. A picture
stands above the words; what is left for words in a terminal of the smallest sizes is in SIZES.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Literal

from rxviz.lessons.format import Panel, Predict
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.session import Opening, Question, Task

Kind = Literal["text", "option", "entry", "knob", "goal"]
SIZES = ((80, 24, 76, 12), (100, 30, 96, 16))
"""(columns, rows, columns for words, rows for words) of the terminals in which every lesson must fit."""
SOMETHING_ELSE = "something else"
"""What every question with options offers last; what it is can be typed as the reason."""
REASON = "Why?"
YOUR_NUMBER = "Your number:"
YOUR_CHOICE = "Your choice:"
YOU_FOUND = "Found:"
FOUND = "found."
"""What keys of the words for collected values begin with."""
_MARK = 2
"""Columns in front of an option, a knob or a goal, for its digit or its tick."""


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text: a paragraph, an option, a line for an entry, a knob or a goal."""

    kind: Kind
    key: str
    text: str

    def lines(self, width: int) -> list[str]:
        """Return the text wrapped, an empty line after each paragraph but the last."""
        if self.kind != "text":
            return wrap(self.text, width - _MARK, break_long_words=True) or [""]
        lines: list[str] = []
        for paragraph in self.text.split("\n\n"):
            lines += [*wrap(paragraph, width, break_long_words=True), ""]
        return lines[:-1]


@dataclass(frozen=True, slots=True)
class State:
    """What stands on a screen at once. `part` is the part of the lesson, one of session.PARTS."""

    part: str
    blocks: tuple[Block, ...]

    def lines(self, width: int) -> list[str]:
        """Return all lines; text and what is below it are set apart by an empty line."""
        lines: list[str] = []
        for i, block in enumerate(self.blocks):
            if i and (block.kind == "text" or self.blocks[i - 1].kind == "text"):
                lines.append("")
            lines += block.lines(width)
        return lines


@dataclass(frozen=True, slots=True)
class Screen:
    """One screen of a lesson, its picture, and the states that it goes through."""

    name: str
    panel: Panel
    states: tuple[State, ...]


def screens(loaded: LoadedLesson, seed: int = 1) -> list[Screen]:
    """Return the screens of a lesson in order, with the values of a seed filled in; raises RxvizError."""
    lesson = loaded.lesson
    opening = Opening(loaded, seed)
    found = [
        Screen("hook", lesson.example.panel, (_told("hook", "hook", opening.text("hook")),)),
        Screen(
            "example",
            lesson.example.panel,
            tuple(_told("example", stop.text, opening.text(stop.text)) for stop in lesson.example.stops),
        ),
    ]
    found += [_question(Question(loaded, predict, seed)) for predict in lesson.predict]
    found.append(_task(Task(loaded, seed)))
    found.append(Screen("keep", lesson.example.panel, (_told("keep", "keep", opening.text("keep")),)))
    return found


def _told(part: str, key: str, text: str) -> State:
    return State(part, (Block("text", key, text),))


def _question(question: Question) -> Screen:
    predict, loaded = question.predict, question.loaded
    asked = [Block("text", predict.text, question.text(predict.text)), *_entries(question, predict)]
    beliefs = [loaded.misconceptions.get(option.misconception) for option in predict.option]
    shown = [_told("observe", "", belief.shows) for belief in beliefs if belief is not None]
    explained = _told("explain", predict.explain, question.text(predict.explain))
    return Screen(f"predict.{predict.id}", predict.panel, (State("predict", tuple(asked)), *shown, explained))


def _entries(question: Question, predict: Predict) -> Iterator[Block]:
    if predict.ask == "number":
        yield Block("entry", "number", YOUR_NUMBER)
    else:
        for option in question.options:
            yield Block("option", option.text, question.text(option.text))
        yield Block("option", "", SOMETHING_ELSE)
    yield Block("entry", "reason", REASON)


def _task(task: Task) -> Screen:
    do = task.do
    blocks = [Block("text", do.text, task.text(do.text))]
    blocks += [Block("knob", knob.text, f"{knob.key} {knob.settings()[0]}  {task.text(knob.text)}") for knob in do.knob]
    if do.number:
        blocks.append(Block("entry", "number", YOUR_NUMBER))
    if do.choices:
        blocks.append(Block("entry", "choice", YOUR_CHOICE))
    blocks += [Block("goal", goal.text, task.text(goal.text)) for goal in do.goal]
    if do.collect is not None:
        named = sorted(loaded_key for loaded_key in task.loaded.texts if loaded_key.startswith(FOUND))
        blocks.append(Block("goal", "", f"{YOU_FOUND} {', '.join(map(task.text, named))}"))
    hints = [_told("do", hint, task.text(hint)) for hint in do.hints]
    choices = [
        State("do", tuple(Block("option", choice_key(name), task.text(choice_key(name))) for name in do.choices))
    ]
    return Screen("do", do.panel, (State("do", tuple(blocks)), *hints, *(choices if do.choices else ())))


def found_key(value: str) -> str:
    """Return the key of the words for a value that a task has collected."""
    return FOUND + value.lower().replace("_", "-")


def choice_key(name: str) -> str:
    """Return the key of the words for one of the names that a task lets choose from."""
    return "choice." + name.lower().replace("_", "-")
