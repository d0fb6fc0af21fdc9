"""Find lessons and read them. Lessons come from strangers too: nothing in one can run code or leave its folder."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from rxviz import paths
from rxviz.errors import RxvizError
from rxviz.lessons.format import Lesson, Misconception, Registry
from rxviz.lessons.source import line_of
from rxviz.lessons.texts import split_texts

MAX_FILE = 128 << 10
"""Bytes of a lesson's file at most."""
LANGUAGE = "en"


class LessonError(RxvizError):
    """A lesson cannot be used; the message names file, line and key."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a lesson: where it is, and one sentence."""

    place: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.place}: {self.sentence}"


@dataclass(frozen=True, slots=True)
class LoadedLesson:
    """A lesson with its words, its misconceptions, and where it came from."""

    folder: Path
    lesson: Lesson
    texts: dict[str, str]
    source: str
    misconceptions: dict[str, Misconception]
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
        return f"{self.folder.name}/lesson.toml:{line_of(self.source, path)}"


def course() -> list[LoadedLesson]:
    """Return the shipped lessons in the order of the course."""
    folders = [folder for folder in paths.lessons().iterdir() if (folder / "lesson.toml").is_file()]
    return sorted((load(folder) for folder in folders), key=lambda loaded: loaded.lesson.order)


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
    if folder.is_dir():
        return load(folder)
    known = ", ".join(f"{loaded.lesson.number} {loaded.lesson.id}" for loaded in lessons)
    shown = "".join(letter if letter.isprintable() else "?" for letter in name)[:40]
    raise LessonError(f'there is no lesson "{shown}"; known: {known}')


def load(folder: Path) -> LoadedLesson:
    """Read the lesson in a folder; raise LessonError where it cannot be read at all."""
    source = read_text(folder, "lesson.toml")
    place = f"{folder.name}/lesson.toml"
    try:
        table = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{place}: {error}") from None
    try:
        lesson = msgspec.convert(table, Lesson)
    except msgspec.ValidationError as error:
        words, _, path = str(error).partition(" - at `")
        raise LessonError(f"{place}:{line_of(source, path)}: {path.rstrip('`') or 'the file'}: {words}") from None
    name = f"text.{LANGUAGE}.md"
    texts, wrong = split_texts(read_text(folder, name))
    findings = [Finding(f"{folder.name}/{name}:{line}", sentence) for line, sentence in wrong]
    return LoadedLesson(folder, lesson, texts, source, misconceptions(folder), findings)


def misconceptions(folder: Path) -> dict[str, Misconception]:
    """Return the course's misconceptions, and those that a lesson from elsewhere brings with it."""
    known = _registry(paths.lessons())
    if (folder / "misconceptions.toml").is_file():
        known = known | _registry(folder)
    return known


def _registry(folder: Path) -> dict[str, Misconception]:
    source = read_text(folder, "misconceptions.toml")
    place = f"{folder.name}/misconceptions.toml"
    try:
        return msgspec.convert(tomllib.loads(source), Registry).misconception
    except tomllib.TOMLDecodeError as error:
        raise LessonError(f"{place}: {error}") from None
    except msgspec.ValidationError as error:
        words, _, path = str(error).partition(" - at `")
        raise LessonError(f"{place}:{line_of(source, path)}: {path.rstrip('`')}: {words}") from None


def read_text(folder: Path, name: str) -> str:
    """Read a file of a lesson, which must be a plain file in its folder, UTF-8, and not too long."""
    path = folder / name
    place = f"{folder.name}/{name}"
    try:
        if path.is_symlink() or not path.is_file():
            raise LessonError(f"{place}: there is no such file (links are not followed)")
        if path.stat().st_size > MAX_FILE:
            raise LessonError(f"{place}: {path.stat().st_size:,} bytes are too many; {MAX_FILE:,} are allowed")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise LessonError(f"{place}: not UTF-8 at byte {error.start:,}") from None
    except OSError as error:
        raise LessonError(f"{place}: cannot be read: {error.strerror}") from None
