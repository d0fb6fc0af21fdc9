"""Checks of a lesson's words: every key is there and used, nothing is too long, and every screen fits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rxviz.errors import RxvizError
from rxviz.lessons.ask import names_in
from rxviz.lessons.format import HINTS, MAX_SCREENS, MAX_WORDS, Lesson
from rxviz.lessons.load import Finding, LoadedLesson
from rxviz.lessons.screens import FOUND, SIZES, SOMETHING_ELSE, choice_key, screens
from rxviz.lessons.texts import words

TITLE_WORDS, OPTION_WORDS, GOAL_WORDS, NOTES_WORDS = 6, 16, 24, 70
_BADGE = re.compile(r"\[[KSMH]\]")


@dataclass(frozen=True, slots=True)
class Use:
    """Where a text is used: its key, the place that names it, how many words it may have, and which names it knows."""

    key: str
    path: str
    limit: int
    names: frozenset[str]


def uses(loaded: LoadedLesson) -> Iterator[Use]:
    """Give every use of a text, in the order of the lesson."""
    lesson = loaded.lesson
    figures = frozenset(loaded.figures)
    known = figures | frozenset(lesson.let)
    for key, limit in (("title", TITLE_WORDS), ("objective", 2 * TITLE_WORDS + OPTION_WORDS), ("hook", MAX_WORDS)):
        yield Use(key, key, limit, known)
    for i, stop in enumerate(lesson.example.stops):
        yield Use(stop.text, f"example.stops[{i}]", MAX_WORDS, known)
    yield from _predict_uses(lesson, figures)
    yield from _task_uses(loaded, figures)
    yield Use("keep", "keep", MAX_WORDS, known)
    yield Use(lesson.present.notes, "present.notes", NOTES_WORDS, known)


def _predict_uses(lesson: Lesson, figures: frozenset[str]) -> Iterator[Use]:
    for i, predict in enumerate(lesson.predict):
        known = figures | frozenset(predict.let)
        yield Use(predict.text, f"predict[{i}].text", MAX_WORDS, known)
        yield Use(predict.explain, f"predict[{i}].explain", MAX_WORDS, known)
        for k, option in enumerate(predict.option):
            if option.text:
                yield Use(option.text, f"predict[{i}].option[{k}].text", OPTION_WORDS, known)


def _task_uses(loaded: LoadedLesson, figures: frozenset[str]) -> Iterator[Use]:
    do = loaded.lesson.do
    known = figures | frozenset(do.let)
    yield Use(do.text, "do.text", MAX_WORDS, known)
    for i, knob in enumerate(do.knob):
        yield Use(knob.text, f"do.knob[{i}].text", OPTION_WORDS, known)
    for i, goal in enumerate(do.goal):
        yield Use(goal.text, f"do.goal[{i}].text", GOAL_WORDS, known)
    for hint in do.hints:
        yield Use(hint, "do.hints", MAX_WORDS, known)
    if do.collect is not None:
        for key in [key for key in loaded.texts if key.startswith(FOUND)]:
            yield Use(key, "do.collect", OPTION_WORDS, known)
    for name in do.choices:
        yield Use(choice_key(name), "do.choices", OPTION_WORDS, known)


def check_words(loaded: LoadedLesson) -> list[Finding]:
    """Return what is wrong with the texts of a lesson."""
    found: list[Finding] = []
    seen: set[str] = set()
    for use in uses(loaded):
        if use.key not in loaded.texts or not loaded.texts[use.key]:
            found.append(Finding(loaded.place(use.path), f'{use.path}: there is no text "{use.key}"'))
        elif use.key not in seen:
            found += _check_text(loaded, use)
        seen.add(use.key)
    for key in loaded.texts:
        if key not in seen:
            found.append(Finding(loaded.text_place(key), f"{key}: nothing in lesson.toml uses this text"))
    found += _beliefs(loaded) + _equal(loaded) + _badges(loaded)
    if len(loaded.lesson.do.hints) != HINTS:
        found.append(Finding(loaded.place("do.hints"), f"do.hints: there are {HINTS} of them, each more plain"))
    return found


def _check_text(loaded: LoadedLesson, use: Use) -> list[Finding]:
    text, place = loaded.texts[use.key], loaded.text_place(use.key)
    found = []
    if (count := words(text)) > use.limit:
        found.append(Finding(place, f"{use.key}: {count} words; at most {use.limit}"))
    for name in sorted(names_in(text) - use.names):
        found.append(Finding(place, f"{use.key}: {{{name}}} has no value here"))
    return found


def _beliefs(loaded: LoadedLesson) -> list[Finding]:
    found = []
    for i, predict in enumerate(loaded.lesson.predict):
        for k, option in enumerate(predict.option):
            belief = loaded.misconceptions.get(option.misconception)
            if belief is not None and words(belief.shows) > MAX_WORDS:
                path = f"predict[{i}].option[{k}].misconception"
                sentence = (
                    f"{path}: what {option.misconception} shows has {words(belief.shows)} words; at most {MAX_WORDS}"
                )
                found.append(Finding(loaded.place(path), sentence))
    return found


def _equal(loaded: LoadedLesson) -> list[Finding]:
    """Two texts that read the same could only be told apart by where they stand, or by colour."""
    found = []
    first: dict[str, str] = {" ".join(SOMETHING_ELSE.split()): "something else, which every question offers"}
    for key, text in loaded.texts.items():
        plain = " ".join(text.lower().split()).rstrip(".")
        if plain in first:
            found.append(Finding(loaded.text_place(key), f"{key}: reads the same as {first[plain]}"))
        first.setdefault(plain, key)
    return found


def _badges(loaded: LoadedLesson) -> list[Finding]:
    found = []
    for key in [predict.explain for predict in loaded.lesson.predict]:
        if key in loaded.texts and not _BADGE.search(loaded.texts[key]):
            found.append(Finding(loaded.text_place(key), f"{key}: says nowhere on what it rests: [K], [S], [M] or [H]"))
    return found


def check_fit(loaded: LoadedLesson) -> list[Finding]:
    """Return the screens that do not fit a terminal of the smallest sizes; only for a lesson that can be worked out."""
    try:
        shown = screens(loaded)
    except RxvizError as error:
        return [Finding(loaded.place(""), f"its screens cannot be worked out: {error}")]
    found = []
    if len(shown) > MAX_SCREENS:
        found.append(Finding(loaded.place("predict"), f"predict: {len(shown)} screens; at most {MAX_SCREENS}"))
    for screen in shown:
        for state in screen.states:
            for columns, rows, width, height in SIZES:
                if len(lines := state.lines(width)) > height:
                    key = state.blocks[0].key if state.blocks else screen.name
                    sentence = f"{key}: takes {len(lines)} lines of {height} in a terminal of {columns} by {rows}"
                    place = loaded.text_place(key) if key in loaded.texts else loaded.place("")
                    found.append(Finding(place, sentence))
    return found
