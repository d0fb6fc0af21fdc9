"""`rxviz progress`: what was learned so far, carried to another machine, or begun anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rxviz.cli import say
from rxviz.cli.group import Subcommands

if TYPE_CHECKING:
    from rxviz.lessons.load import LoadedLesson
    from rxviz.lessons.progress import LessonProgress

EXAMPLES = """\b
Examples:
  rxviz progress show
  rxviz progress export my-progress.jsonl
  rxviz progress import my-progress.jsonl
  rxviz progress reset
"""


@click.group("progress", cls=Subcommands, epilog=EXAMPLES)
@click.pass_context
def command(ctx: click.Context) -> int:
    """Show what was learned, carry it to another machine, or begin anew; show it when nothing is said."""
    return 0 if ctx.invoked_subcommand is not None else _show(as_json=False)


@click.command("show")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
def show(as_json: bool) -> int:
    """Show how far each lesson is."""
    return _show(as_json)


def _show(as_json: bool) -> int:
    from rxviz.lessons.load import content_hash, course
    from rxviz.lessons.progress import log_path, read

    progress = read()
    rows = [(loaded, progress.of(loaded.lesson.id, content_hash(loaded))) for loaded in course()]
    if as_json:
        import json

        table = {
            "log": str(log_path()), "unreadable": progress.unreadable, "newer": progress.newer,
            "lessons": [_facts(loaded, mine) for loaded, mine in rows],
        }  # fmt: skip
        say.data([json.dumps(table, ensure_ascii=False)])
    else:
        say.data(f"{loaded.lesson.number:>3}  {_state(loaded, mine):<34}  {loaded.title}" for loaded, mine in rows)
    if remark := progress.remark():
        say.note(remark)
    return 0


def _facts(loaded: LoadedLesson, mine: LessonProgress) -> dict[str, object]:
    right = _right(loaded, mine)
    return {
        "id": loaded.lesson.id, "number": loaded.lesson.number, "finished": mine.finished, "part": mine.part,
        "questions": len(loaded.lesson.predict), "right": right,
        "tries": sum(len(given) for given in mine.answers.values()), "goals": len(mine.goals),
    }  # fmt: skip


def _right(loaded: LoadedLesson, mine: LessonProgress) -> int:
    """How many of the lesson's questions were answered right at some time."""
    asked = [mine.answers.get(predict.id, []) for predict in loaded.lesson.predict]
    return sum(any(answer["right"] for answer in answers) for answers in asked)


def _state(loaded: LoadedLesson, mine: LessonProgress) -> str:
    if not mine.answers and not mine.finished and mine.part == "hook":
        return "not begun"
    where = "finished" if mine.finished else f"at {mine.part}"
    return f"{where}, {_right(loaded, mine)} of {len(loaded.lesson.predict)} questions right"


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path))
def export_command(file: Path) -> int:
    """Copy the log of all that was done to FILE, which must not be there yet."""
    from rxviz.lessons.progress import export

    say.note(f"{export(file):,} lines written")
    return 0


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path))
def import_command(file: Path) -> int:
    """Add the lines of an exported log that are not there yet; nothing that is there is lost."""
    from rxviz.lessons.progress import bring_in

    say.note(f"{bring_in(file):,} lines added")
    return 0


@click.command("reset")
def reset_command() -> int:
    """Begin the course anew. The log is moved aside, not deleted; `import` brings it back."""
    from rxviz.errors import shown
    from rxviz.lessons.progress import reset

    aside = reset()
    say.note("there is no progress yet" if aside is None else f"the log is kept as {shown(aside)}")
    return 0


for each in (show, export_command, import_command, reset_command):
    command.add_command(each)
