"""The checker of lessons: finds what would stop a learner, before one meets it.

It reads (words, limits, references), works out (expressions, scenarios), looks (do the screens fit) and plays (the
solution passes, doing nothing and jumping to the end fail, every wrong answer's world parts from the real one). A
lesson from elsewhere gets the same checks as our own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rxviz.lessons.check_logic import check_logic
from rxviz.lessons.check_play import check_play
from rxviz.lessons.check_words import check_fit, check_words
from rxviz.lessons.load import Finding, LessonError, LoadedLesson, course, load

MIN_MINUTES, MAX_MINUTES, COURSE_MINUTES = 3, 12, 150


def check(lessons: Sequence[LoadedLesson]) -> list[Finding]:
    """Return all that is wrong with lessons, each by itself and together; nothing when they are sound."""
    found = _together(lessons)
    for loaded in lessons:
        found += _alone(loaded)
    return found


def check_folders(folders: Iterable[Path]) -> list[Finding]:
    """Load and check lessons by their folders; one that cannot be loaded is a finding, too."""
    loaded, found = [], []
    for folder in folders:
        try:
            loaded.append(load(folder))
        except LessonError as error:
            place, _, sentence = str(error).partition(": ")
            found.append(Finding(place, sentence))
    return found + check(loaded)


def _alone(loaded: LoadedLesson) -> list[Finding]:
    found = [*loaded.findings, *check_words(loaded)]
    logic = check_logic(loaded)
    if not logic:
        # What cannot be worked out is not played: one finding is better than twenty that follow from it.
        logic = check_fit(loaded) + check_play(loaded)
    return found + logic


def _together(lessons: Sequence[LoadedLesson]) -> list[Finding]:
    found = []
    for path in ("id", "number", "order"):
        taken = Counter(getattr(loaded.lesson, path) for loaded in lessons)
        for loaded in lessons:
            value = getattr(loaded.lesson, path)
            if taken[value] > 1:
                found.append(Finding(loaded.place(path), f"{path}: {value} is another lesson's, too"))
    found += _needs(lessons)
    for loaded in lessons:
        if not MIN_MINUTES <= loaded.lesson.minutes <= MAX_MINUTES:
            sentence = f"minutes: {loaded.lesson.minutes} is not between {MIN_MINUTES} and {MAX_MINUTES}"
            found.append(Finding(loaded.place("minutes"), sentence))
    total = sum(loaded.lesson.minutes for loaded in lessons)
    if total > COURSE_MINUTES:
        found.append(Finding(lessons[-1].place("minutes"), f"minutes: {total} in all are more than {COURSE_MINUTES}"))
    return found


def _needs(lessons: Sequence[LoadedLesson]) -> list[Finding]:
    """Each lesson that is needed is there, and none needs itself in the end."""
    needs = {loaded.lesson.id: set(loaded.lesson.needs) for loaded in lessons}
    ours = {id(loaded) for loaded in lessons}
    try:
        known = {loaded.lesson.id: set(loaded.lesson.needs) for loaded in course()} | needs
    except LessonError:
        known = needs
    found = []
    for loaded in lessons:
        for name in sorted(needs[loaded.lesson.id] - set(known)):
            found.append(Finding(loaded.place("needs"), f'needs: there is no lesson "{name}"'))
        if id(loaded) in ours and _reaches(known, loaded.lesson.id):
            found.append(Finding(loaded.place("needs"), "needs: in the end this lesson needs itself"))
    return found


def _reaches(needs: dict[str, set[str]], start: str) -> bool:
    """Whether a lesson is among all that it needs."""
    waiting, seen = list(needs[start]), set[str]()
    while waiting:
        name = waiting.pop()
        if name == start:
            return True
        if name not in seen:
            seen.add(name)
            waiting += needs.get(name, ())
    return False
