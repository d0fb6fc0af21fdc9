"""`rxviz learn`: the course on the screen, or a lesson in words where no screen can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rxviz.cli import say

if TYPE_CHECKING:
    from rxviz.lessons.load import LoadedLesson

EXAMPLES = """\b
Examples:
  rxviz learn
  rxviz learn 5
  rxviz learn two-halves
  rxviz learn ./my-lesson
"""


@click.command("learn", epilog=EXAMPLES)
@click.argument("lesson", required=False)
def command(lesson: str | None) -> int:
    """Take the lessons: each shows a run, lets you predict the next, and runs your answer, right or wrong.

    LESSON is a number, an id, or the folder of a lesson, which is checked first. What you do is kept as you do it, and
    a lesson goes on where you left it. Where no screen can be shown (a pipe, TERM=dumb) the lesson is printed instead.
    """
    from rxviz.screens.terminal import why_not

    loaded = _found(lesson) if lesson is not None else None
    reason = why_not()
    if reason is not None:
        return _print(loaded, reason)
    from rxviz.screens.launch import run_app
    from rxviz.screens.screens.course import Learn

    return run_app(Learn(loaded))


def _found(name: str) -> LoadedLesson:
    """Return the lesson; raise LessonError where there is none, or the checker finds a fault in one from elsewhere."""
    from rxviz.lessons.check import check_folders
    from rxviz.lessons.load import LessonError, course_folders, find

    loaded = find(name)
    if loaded.folder.resolve() in {folder.resolve() for folder in course_folders()}:
        return loaded
    found = check_folders([loaded.folder])
    if found:
        for finding in found:
            say.note(str(finding))
        count = f"{len(found)} thing{'s' if len(found) != 1 else ''}"
        raise LessonError(f"this lesson is not opened: the checker finds {count} wrong with it")
    return loaded


def _print(loaded: LoadedLesson | None, reason: str) -> int:
    from rxviz.cli.lessons import _in_words, _list

    if loaded is None:
        say.note(f"{reason}; here are the lessons, and `rxviz learn 1` prints one")
        return _list(as_json=False)
    say.note(f"{reason}; here is the lesson in words, with the steps of its example")
    say.data(_in_words(loaded))
    say.data(["", "[the example, step by step]"])
    say.data(_transcript(loaded))
    return 0


def _transcript(loaded: LoadedLesson) -> list[str]:
    """Return the steps of the example's run up to its last stop, one sentence each."""
    from rxviz.lessons.session import Opening
    from rxviz.run.words import text

    opening = Opening(loaded)
    config = opening.lane.timeline.at(0).machine.config
    last = opening.stops[-1][0]
    return [f"  {step.n + 1:>4}  {text(step, config)}" for step in opening.lane.trace[:last]]
