"""Where in a lesson a learner is, as one number for the log, and back from it to the very same place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.lessons.format import MAX_QUESTIONS
from rxviz.screens.screens.lesson_keeper import FOUND, TASK

if TYPE_CHECKING:
    from rxviz.screens.screens.lesson_play import Play

SEEDS = 12
"""A question is asked anew with another of so many seeds."""
LARGEST = (1 << 31) - 1


@dataclass(frozen=True, slots=True)
class Scene:
    """A stretch of the lesson: its part, and for questions which one."""

    part: str
    question: int = 0


def screen_of(play: Play) -> int:
    """Return the number that the log keeps beside the part: a stop, a question and a position, or the task's state."""
    code = {
        "example": play.stop,
        "predict": play.scene.question,
        "observe": play.walked * MAX_QUESTIONS + play.scene.question,
        "explain": play.walked * MAX_QUESTIONS + play.scene.question,
        "do": play.doing.code(),
    }.get(play.part, 0)
    return code if code <= LARGEST else 0


def resume(play: Play) -> None:
    """Go where the log says that the learner was; as near to it as can be, where it says what cannot be."""
    mine = play.keeper.mine
    last = play.keeper.last_answer(TASK)
    if last is not None:
        play.doing.task.answer = last["given"]
    play.doing.task.found = {name.removeprefix(FOUND) for name in mine.goals if name.startswith(FOUND)}
    detail, question = divmod(mine.screen, MAX_QUESTIONS)
    match mine.part:
        case "example":
            play.index = play.scenes.index(Scene("example"))
            play.stop = min(mine.screen, len(play.opening.stops) - 1)
        case "predict":
            _question(play, "predict", mine.screen, 0)
        case "observe" | "explain":
            _question(play, mine.part, question, detail)
        case "do":
            play.index = play.scenes.index(Scene("do"))
            play.doing.restore(mine.screen)
        case "keep":
            play.index = play.scenes.index(Scene("keep"))


def _question(play: Play, part: str, number: int, detail: int) -> None:
    """Return to a question; its answer and reason are in the log, what they led to is worked out anew."""
    number = min(number, len(play.lesson.predict) - 1)
    play.seeds[number] = min(max(play.keeper.mine.seed, 1), SEEDS)
    play.index = play.scenes.index(Scene("predict", number))
    last = play.keeper.last_answer(play.lesson.predict[number].id)
    if part == "predict" or last is None:
        return
    asking = play.asking
    asking.given = str(last["given"])
    asking.commit(str(last["reason"]))
    play.index = play.scenes.index(Scene(part, number))
    if part == "observe":
        play.begin_observing()
    if play.worlds is not None:
        play.worlds.move(detail)
    else:
        play.position = min(max(detail, 0), len(play.lane.trace))
