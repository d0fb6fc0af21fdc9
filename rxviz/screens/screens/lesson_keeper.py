"""What a learner does, kept as he does it; where it cannot be kept, that is said and the lesson goes on."""

from __future__ import annotations

from typing import Any

from rxviz.lessons import progress
from rxviz.lessons.load import LoadedLesson, content_hash, course_folders
from rxviz.lessons.progress import LessonProgress, ProgressError

ALL_GOALS = "all"
"""Stands in the log, as if it were a goal, when all goals of a task held at once."""
FOUND = "found "
"""Stands in the log, as if it were a goal, in front of what a task has collected."""
TASK = "do"
"""Stands in the log as the question that the task's number or choice answers."""
CHANGED = (
    "This lesson was changed since you took it, so it begins anew and asks again. What you did is still in the log."
)


def key_of(loaded: LoadedLesson) -> str:
    """Return the name of a lesson in the log; one from elsewhere cannot take that of a lesson of the course."""
    own = loaded.folder.resolve() in {folder.resolve() for folder in course_folders()}
    return loaded.lesson.id if own else f"elsewhere/{loaded.lesson.id}"


class Keeper:
    """The progress of one lesson: read once, then written after every action. `trouble` is what went wrong last."""

    def __init__(self, loaded: LoadedLesson) -> None:
        self.key = key_of(loaded)
        self.content = content_hash(loaded)
        self.trouble = ""
        self.mine = LessonProgress(content=self.content)
        try:
            log = progress.read()
        except ProgressError as error:
            self.trouble = str(error)
            return
        before = log.lessons.get(self.key)
        self.trouble = log.remark()
        if before is not None and before.content not in ("", self.content):
            self.trouble = CHANGED
        self.mine = log.of(self.key, self.content)

    def at(self, part: str, screen: int, seed: int) -> None:
        """Keep where one is."""
        self.mine.part, self.mine.screen, self.mine.seed = part, screen, seed
        self._save("at", part=part, screen=screen, seed=seed)

    def answer(self, question: str, given: str | int, right: bool, reason: str) -> None:
        """Keep an answer with its reason."""
        reason = reason[: progress.REASON_LENGTH]
        self.mine.answers.setdefault(question, []).append({"given": given, "right": right, "reason": reason})
        self._save("answer", question=question, given=given, right=right, reason=reason)

    def goal(self, name: str) -> None:
        """Keep a goal that was reached for the first time."""
        if name not in self.mine.goals:
            self.mine.goals.add(name)
            self._save("goal", goal=name)

    def finished(self) -> None:
        """Keep that the lesson is done."""
        if not self.mine.finished:
            self.mine.finished = True
            self._save("finished")

    def again(self) -> None:
        """Begin the lesson anew; that it was finished once stays."""
        self.mine = LessonProgress(content=self.content, finished=self.mine.finished)
        self._save("again")

    def last_answer(self, question: str) -> dict[str, Any] | None:
        """Return the last answer that was given to a question."""
        given = self.mine.answers.get(question)
        return given[-1] if given else None

    def _save(self, action: str, **details: Any) -> None:
        try:
            progress.save(action, self.key, self.content, **details)
        except ProgressError as error:
            self.trouble = f"{error} The lesson goes on."
