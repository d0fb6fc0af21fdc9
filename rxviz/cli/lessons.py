"""`rxviz lessons`: what lessons there are, what stands in one, and whether they are sound."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rxviz.cli import say
from rxviz.cli.group import Subcommands

if TYPE_CHECKING:
    from rxviz.lessons.load import Finding, LoadedLesson

EXAMPLES = """\b
Examples:
  rxviz lessons list
  rxviz lessons show 5
  rxviz lessons check
  rxviz lessons check my-lesson --json
"""
COLUMNS = 78


@click.group("lessons", cls=Subcommands, epilog=EXAMPLES)
@click.pass_context
def command(ctx: click.Context) -> int:
    """List the lessons, show one in words, or check them; list them when nothing is said.

    A lesson is named by its number, its id, or the folder that it lies in.
    """
    return 0 if ctx.invoked_subcommand is not None else _list(as_json=False)


@click.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
def listing(as_json: bool) -> int:
    """List the lessons of the course in their order."""
    return _list(as_json)


def _list(as_json: bool) -> int:
    from rxviz.lessons.load import course

    lessons = course()
    if as_json:
        _print_json({"lessons": [_facts(loaded) for loaded in lessons]})
        return 0
    say.data(
        f"{one.lesson.number:>3}  {one.lesson.minutes:>2} min  {one.lesson.id:<18}  {one.title}" for one in lessons
    )
    return 0


@click.command("show")
@click.argument("lesson")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the text.")
def show(lesson: str, as_json: bool) -> int:
    """Print a lesson in words: its screens in order, without giving the answers away.

    Hints, explanations and what wrong answers show are for the lesson itself, and are left out.
    """
    from rxviz.lessons.load import find

    loaded = find(lesson)
    if as_json:
        _print_json(_facts(loaded))
        return 0
    say.data(_in_words(loaded))
    return 0


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH…]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
def check(paths: tuple[Path, ...], as_json: bool) -> int:
    """Check lessons: read them, play them, and say what is wrong, with file, line and key.

    Without PATH the whole course is checked; a PATH is the folder of a lesson. The exit status is 1 when something is
    wrong with one.
    """
    from rxviz.lessons.check import check_folders
    from rxviz.lessons.load import course_folders

    _require_folders(paths)
    folders = list(paths) or course_folders()
    found = check_folders(folders)
    if as_json:
        _print_json({
            "ok": not found, "lessons": len(folders),
            "findings": [{"place": finding.place, "sentence": finding.sentence} for finding in found],
        })  # fmt: skip
    else:
        say.data(str(finding) for finding in found)
        say.note(_summary(len(folders), found))
    return 1 if found else 0


def _require_folders(paths: tuple[Path, ...]) -> None:
    from rxviz.errors import shown
    from rxviz.lessons.load import LessonError

    for path in paths:
        if not os.path.isdir(path):
            raise LessonError(f"{shown(path)}: is no folder; give the folder that a lesson.toml lies in")


def _summary(count: int, found: list[Finding]) -> str:
    checked = f"{count} lesson{'s' if count != 1 else ''} checked"
    return f"{checked}, {len(found)} finding{'s' if len(found) != 1 else ''}" if found else f"{checked}, nothing found"


def _facts(loaded: LoadedLesson) -> dict[str, object]:
    lesson = loaded.lesson
    return {
        "number": lesson.number, "id": lesson.id, "title": loaded.title, "objective": loaded.text("objective"),
        "minutes": lesson.minutes, "needs": lesson.needs, "scenario": lesson.scenario,
        "seeds": [loaded.seeds[name].title for name in lesson.seeds if name in loaded.seeds],
        "questions": [predict.id for predict in lesson.predict],
    }  # fmt: skip


def _in_words(loaded: LoadedLesson) -> list[str]:
    from rxviz.lessons.screens import screens

    lesson = loaded.lesson
    lines = [f"Lesson {lesson.number}: {loaded.title} ({lesson.minutes} minutes)", loaded.text("objective"), ""]
    for screen in screens(loaded):
        lines.append(f"[{screen.name}]")
        # Of a question and a task only what is asked; what comes after it would tell the answer.
        told = screen.states if screen.name == "example" else screen.states[:1]
        for state in told:
            lines += [*(f"  {line}".rstrip() for line in state.lines(COLUMNS)), ""]
    return lines[:-1]


def _print_json(table: object) -> None:
    import json

    say.data([json.dumps(table, ensure_ascii=False)])


for each in (listing, show, check):
    command.add_command(each)
