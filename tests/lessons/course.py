"""Lessons for tests: lesson 5 as it is, copied to a folder of its own and then changed."""

from __future__ import annotations

import shutil
from pathlib import Path

from rxviz import paths
from rxviz.lessons.check import check
from rxviz.lessons.load import LoadedLesson, course, load

MODEL = "05-two-halves"
NUMBERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15)
"""The lessons of the course, in order."""


def lesson(number: int) -> LoadedLesson:
    """Return a lesson of the course."""
    return next(loaded for loaded in course() if loaded.lesson.number == number)


def copy(tmp_path: Path, *edits: tuple[str, str], name: str = MODEL) -> Path:
    """Copy lesson 5 and replace texts in its files; each must be there."""
    folder = tmp_path / "lesson"
    shutil.copytree(paths.lessons() / name, folder)
    for old, new in edits:
        edit(folder, old, new)
    return folder


def edit(folder: Path, old: str, new: str) -> None:
    """Replace a text in the one file of a lesson that has it."""
    for path in sorted(folder.iterdir()):
        text = path.read_text(encoding="utf-8")
        if old in text:
            path.write_text(text.replace(old, new), encoding="utf-8")
            return
    raise AssertionError(f"no file of the lesson has {old!r}")


def sentences(folder: Path) -> list[str]:
    """Return what the checker finds in a lesson."""
    return [str(finding) for finding in check([load(folder)])]
