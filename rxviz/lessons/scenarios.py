"""The scenarios that lessons play: small enough for one, and with captures from nowhere but the lesson's folder."""

from __future__ import annotations

from pathlib import Path

from rxviz.errors import shown
from rxviz.lessons.load import LessonError, LoadedLesson
from rxviz.run import shipped
from rxviz.run.capture_word import quote, unquote
from rxviz.run.lanes import Lane
from rxviz.run.scenario import Scenario, parse_line

MAX_STEPS, MAX_FRAMES, MAX_RING = 40_000, 2_000, 1_024
"""What a run of a lesson may have at most: it is kept whole, and looked at step by step."""
_CAPTURE_WORDS = ("capture=", "traffic=capture:")


def scenario_of(loaded: LoadedLesson, words: str, seed: int, *more: str) -> Scenario:
    """Return the scenario of a lesson's words, changed by `more` (words too), with a seed of the learner's own.

    Raises ScenarioError where the words are wrong, LessonError where they ask for more than a lesson may have.
    """
    scenario = parse_line(_inside(loaded.folder, words))
    for change in more:
        if change:
            scenario = scenario.with_words(_inside(loaded.folder, change))
    if seed != scenario.seed:
        scenario = scenario.with_words([f"seed={seed}"])
    _require_small(scenario)
    return scenario


def lane_of(scenario: Scenario, name: str = "") -> Lane:
    """Return a lane for a lesson, which takes no run that is too long for one."""
    return Lane(scenario, name, MAX_STEPS)


def _require_small(scenario: Scenario) -> None:
    count = scenario.spec.count
    if count > MAX_FRAMES or scenario.ring > MAX_RING:
        raise LessonError(
            f"a lesson's run has at most {MAX_FRAMES:,} frames and a ring of {MAX_RING:,}; "
            f"this one has {count:,} and {scenario.ring:,}"
        )


def _inside(folder: Path, words: str) -> list[str]:
    """Return the words, with each capture taken from the lesson's own folder; raise LessonError for any other."""
    return [_capture(folder, word) if word.startswith(_CAPTURE_WORDS) else word for word in words.split()]


def _capture(folder: Path, word: str) -> str:
    prefix = next(prefix for prefix in _CAPTURE_WORDS if word.startswith(prefix))
    name = unquote(word.removeprefix(prefix))
    if name in shipped.captures():
        return word
    path = folder / Path(name).name
    if not name or "\0" in name or Path(name).name != name or path.is_symlink() or not path.is_file():
        raise LessonError(
            f"{shown(word)}: a lesson's capture lies in its own folder, under a plain name, and is no link"
        )
    return f"{prefix}{quote(str(path))}"
