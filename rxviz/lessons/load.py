"""Find lessons and read them. Lessons come from strangers too: nothing in one can run code or leave its folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import TypeVar

import msgspec

from rxviz import paths
from rxviz.errors import RxvizError
from rxviz.lessons.format import Lesson, Misconception, Registry, Seed, Seeds
from rxviz.lessons.source import line_of
from rxviz.lessons.texts import printable, split_texts
from rxviz.strangers import parse_toml

MAX_FILE, MAX_LINES = 64 << 10, 2_000
"""Bytes and lines of a lesson's file at most."""
LANGUAGE = "en"


class LessonError(RxvizError):
    """A lesson cannot be used; the message names file, line and key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a lesson: where it is, and one sentence."""

    place: str
    sentence: str

    def __post_init__(self) -> None:
        """Keep to one line of a length that can be read, whatever the lesson holds."""
        object.__setattr__(self, "place", printable(self.place, 200))
        object.__setattr__(self, "sentence", printable(self.sentence, 400))

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class LoadedLesson:
    """A lesson with its words, its misconceptions, and where it came from."""

    folder: Path
    lesson: Lesson
    texts: dict[str, str]
    text_lines: dict[str, int]
    source: str
    misconceptions: dict[str, Misconception]
    seeds: dict[str, Seed]
    findings: list[Finding] = field(default_factory=list)

    def text(self, key: str) -> str:
        """Return the text of a key; a missing one is said openly, and the checker complains of it."""
        return self.texts.get(key, f"[no text for {key}]")

    @property
    def title(self) -> str:
        """The lesson's name."""
        return self.text("title")

    def place(self, path: str) -> str:
        """Return file:line of a key of lesson.toml."""
        return f"{_place(self.folder, 'lesson.toml')}:{line_of(self.source, path)}"

    def text_place(self, key: str) -> str:
        """Return file:line of a text."""
        return f"{_place(self.folder, f'text.{LANGUAGE}.md')}:{self.text_lines.get(key, 1)}"

    @property
    def figures(self) -> dict[str, str]:
        """The figures that the lesson may quote from the published texts that it leans on."""
        known = [self.seeds[name].figures for name in self.lesson.seeds if name in self.seeds]
        return {name: figure for figures in known for name, figure in figures.items()}


def course() -> list[LoadedLesson]:
    """Return the shipped lessons in the order of the course."""
    return sorted((load(folder) for folder in course_folders()), key=lambda loaded: loaded.lesson.order)


def course_folders() -> list[Path]:
    """Return the folders of the shipped lessons, by name."""
    return sorted(folder for folder in paths.lessons().iterdir() if (folder / "lesson.toml").is_file())


def find(name: str) -> LoadedLesson:
    """Return a lesson by number, id or folder; raise LessonError."""
    lessons = course()
    for loaded in lessons:
        if name.lower() in (
            loaded.lesson.id,
            str(loaded.lesson.number),
            f"l{loaded.lesson.number}",
            loaded.folder.name,
        ):
            return loaded
    folder = Path(name)
    if os.path.isdir(name):  # unlike Path.is_dir, this answers for any name, however long
        return load(folder)
    known = ", ".join(f"{loaded.lesson.number} {loaded.lesson.id}" for loaded in lessons)
    raise LessonError(f'there is no lesson "{printable(name, 40)}"; known: {known}')


def load(folder: Path) -> LoadedLesson:
    """Read the lesson in a folder; raise LessonError where it cannot be read at all."""
    source = read_text(folder, "lesson.toml")
    lesson = _converted(source, _place(folder, "lesson.toml"), Lesson)
    name = f"text.{LANGUAGE}.md"
    texts, starts, wrong = split_texts(read_text(folder, name))
    findings = [Finding(f"{_place(folder, name)}:{line}", sentence) for line, sentence in wrong]
    return LoadedLesson(folder, lesson, texts, starts, source, misconceptions(folder), seeds(), findings)


def misconceptions(folder: Path) -> dict[str, Misconception]:
    """Return the course's misconceptions, and those that a lesson from elsewhere brings with it."""
    return own_misconceptions(folder) | misconceptions_of_course()


@cache
def misconceptions_of_course() -> dict[str, Misconception]:
    """Return the course's misconceptions; each of its lessons asks for them."""
    return own_misconceptions(paths.lessons())


def own_misconceptions(folder: Path) -> dict[str, Misconception]:
    """Return the misconceptions that a folder itself has, none where it has no file of them."""
    name = "misconceptions.toml"
    if not (folder / name).exists() and not (folder / name).is_symlink():
        return {}
    return _converted(read_text(folder, name), _place(folder, name), Registry).misconception


@cache
def seeds() -> dict[str, Seed]:
    """Return the published texts that lessons lean on, with the figures that they quote."""
    return _converted(read_text(paths.lessons(), "seeds.toml"), "lessons/seeds.toml", Seeds).seed


def content_hash(loaded: LoadedLesson) -> str:
    """Return 12 digits for all that decides what is asked and what is right.

    Kept with each answer, so that a lesson that was changed is asked anew. Words that only explain do not count.
    """
    lesson, beliefs = loaded.lesson, loaded.misconceptions
    used = sorted({option.misconception for predict in lesson.predict for option in predict.option} & set(beliefs))
    asked = [predict.text for predict in lesson.predict]
    asked += [option.text for predict in lesson.predict for option in predict.option]
    asked += [lesson.do.text, *(goal.text for goal in lesson.do.goal)]
    parts = (
        lesson.scenario, lesson.predict, lesson.do, [beliefs[name].world for name in used],
        [loaded.texts.get(key, "") for key in asked],
    )  # fmt: skip
    return sha256(msgspec.json.encode(parts)).hexdigest()[:12]


# -------------------------------------------------------------------------------------------------------------- reading
Table = TypeVar("Table")


def _converted(source: str, place: str, kind: type[Table]) -> Table:
    """Read a TOML text as a table of the format; raise LessonError, naming line and key, where it is none."""
    try:
        table = parse_toml(source)
    except RecursionError:
        raise LessonError(f"{place}: nested too deep") from None
    except ValueError as error:
        raise LessonError(f"{place}: {printable(str(error))}") from None
    try:
        converted = msgspec.convert(table, kind)
    except (msgspec.ValidationError, RecursionError, OverflowError) as error:
        words, _, path = str(error).partition(" - at `")
        key = path.rstrip("`").removeprefix("$.")
        raise LessonError(
            f"{place}:{line_of(source, key)}: {printable(key) or 'the file'}: {printable(words)}"
        ) from None
    # Whatever else may be wrong with it, nothing in the file can steer a terminal from here on.
    for text in _strings(table):
        if not text.isprintable():
            raise LessonError(
                f'{place}:{_line_with(source, text)}: "{printable(text)}" has a character that no screen shows'
            )
    return converted


def _strings(table: object) -> Iterator[str]:
    waiting = [table]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value


def _line_with(source: str, text: str) -> int:
    """Return the line where a text with an odd character begins, as near as it can be told."""
    start = "".join(takewhile(str.isprintable, text))
    for number, line in enumerate(source.splitlines(), 1):
        if start and start in line and ("\\" in line or not line.isprintable()):
            return number
    return 1


def read_text(folder: Path, name: str) -> str:
    """Read a file of a lesson, which must be a plain file in its folder, UTF-8, and not too long."""
    path, place = folder / name, _place(folder, name)
    try:
        if path.is_symlink() or not path.is_file():
            raise LessonError(f"{place}: there is no such file (links are not followed)")
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as error:
        raise LessonError(f"{place}: cannot be read: {error.strerror}") from None
    if len(data) > MAX_FILE:
        raise LessonError(f"{place}: the file has more than {MAX_FILE:,} bytes, which are too many")
    if data.count(b"\n") > MAX_LINES:
        raise LessonError(f"{place}: the file has more than {MAX_LINES:,} lines, which are too many")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise LessonError(f"{place}: not UTF-8 at byte {error.start:,}") from None


def _place(folder: Path, name: str) -> str:
    return f"{printable(os.path.basename(os.path.abspath(folder)))}/{name}"
