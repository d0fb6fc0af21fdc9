"""What a learner has done, as a log: one line a thing done, appended and never rewritten.

An append of one short line is done at once by the system, so two windows may write and a killed process loses at most
the line it was writing. Lines that cannot be read (a torn write, another version's) are left where they are and
counted; nothing that was saved is ever thrown away. `reset` moves the log aside.

Each line names the content of the lesson that it belongs to (load.content_hash): when the lesson was changed since,
what was answered counts no longer, and is asked anew. The lines themselves stay.
"""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rxviz.errors import RxvizError
from rxviz.lessons.session import PARTS
from rxviz.lessons.texts import printable

VERSION = 1
MAX_LINE = 4000
MAX_LOG = 64 << 20
REASON_LENGTH, NAME_LENGTH = 400, 80


class ProgressError(RxvizError):
    """Progress cannot be read or written; the message says what is still safe."""


@dataclass(slots=True)
class LessonProgress:
    """How far someone is with a lesson: the part he is in, its screen, what he answered, and what he has finished."""

    part: str = "hook"
    screen: int = 0
    seed: int = 1
    content: str = ""
    answers: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    goals: set[str] = field(default_factory=set)
    finished: bool = False


@dataclass(slots=True)
class Progress:
    """All of it, and how many lines of the log could not be read."""

    lessons: dict[str, LessonProgress] = field(default_factory=dict)
    unreadable: int = 0
    newer: int = 0

    def of(self, lesson: str, content: str = "") -> LessonProgress:
        """Return a lesson's progress; fresh when there is none, or when it belongs to other content than this."""
        known = self.lessons.setdefault(lesson, LessonProgress(content=content))
        if content and known.content and known.content != content:
            known = self.lessons[lesson] = LessonProgress(content=content)
        known.content = content or known.content
        return known

    def remark(self) -> str:
        """Return what a person should know about the log, or nothing."""
        said = []
        if self.unreadable:
            said.append(
                f"{self.unreadable} damaged lines of the progress log were passed over; they are still in the file."
            )
        if self.newer:
            said.append(f"{self.newer} lines were written by a newer version and were left alone.")
        return " ".join(said)


def log_path() -> Path:
    """Return where the log lies: RXVIZ_DATA, or the platform's data directory."""
    chosen = os.environ.get("RXVIZ_DATA")
    if chosen:
        return Path(chosen) / "progress.jsonl"
    import platformdirs

    return Path(platformdirs.user_data_dir("rxviz", appauthor=False)) / "progress.jsonl"


def save(action: str, lesson: str, content: str = "", **details: Any) -> None:
    """Append one thing done with a lesson of some content; raise ProgressError when it cannot be kept.

    Actions and their details: at (part, screen, seed), answer (question, given, right, reason), goal (goal), finished,
    again (the lesson is begun once more).
    """
    entry = {"v": VERSION, "at": int(time.time()), "do": action, "lesson": lesson, "content": content, **details}
    line = json.dumps(entry, ensure_ascii=True)
    if len(line) > MAX_LINE:
        raise ProgressError("the answer is too long to be saved; shorten it")
    _append(line)


def _append(line: str) -> None:
    path = log_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            data = (line + "\n").encode()
            if _ends_torn(descriptor):
                # Another process died in the middle of a line; ours starts on its own.
                data = b"\n" + data
            written = os.write(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise ProgressError(
            f"progress could not be saved in {path}: {error.strerror}; what was saved before is safe"
        ) from None
    if written != len(data):
        raise ProgressError(
            f"progress could not be saved whole in {path}: no space left; what was saved before is safe"
        )


def _ends_torn(descriptor: int) -> bool:
    size = os.fstat(descriptor).st_size
    return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"


def read(path: Path | None = None) -> Progress:
    """Play the log back; a log that is not there is an empty one. Raises ProgressError when it cannot be read."""
    progress = Progress()
    for entry in _entries(path or log_path(), progress):
        _take(progress, entry)
    return progress


def _entries(path: Path, progress: Progress) -> Iterator[dict[str, Any]]:
    try:
        if path.exists() and path.stat().st_size > MAX_LOG:
            raise ProgressError(
                f"{path} is larger than {MAX_LOG >> 20} MB, which no course fills; move it away to start anew"
            )
        with path.open("rb") as file:
            for raw in file:
                if raw.isspace():
                    # Two processes found the same torn line, and each began a new one.
                    continue
                entry = _entry(raw)
                if entry is None:
                    progress.unreadable += 1
                elif entry["v"] > VERSION:
                    progress.newer += 1
                else:
                    yield entry
    except FileNotFoundError:
        return
    except OSError as error:
        raise ProgressError(f"{path} cannot be read: {error.strerror}") from None


def _entry(raw: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(raw) if len(raw) <= 2 * MAX_LINE else None
    except (ValueError, RecursionError):
        return None
    sound = (
        isinstance(entry, dict)
        and type(entry.get("v")) is int
        and isinstance(entry.get("do"), str)
        and isinstance(entry.get("lesson"), str)
    )
    return entry if sound else None


def _take(progress: Progress, entry: dict[str, Any]) -> None:
    """Apply one entry; details of the wrong kind count as damage. Logs may come from strangers: texts are cleaned."""
    try:
        name = printable(entry["lesson"], NAME_LENGTH)
        lesson = progress.of(name, _name(entry.get("content", "")))
        match entry["do"]:
            case "at":
                part, screen, seed = entry["part"], _small(entry["screen"]), _small(entry["seed"])
                if part not in PARTS:
                    raise ValueError(part)
                lesson.part, lesson.screen, lesson.seed = part, screen, seed
            case "answer":
                lesson.answers.setdefault(_name(entry["question"]), []).append(_answer(entry))
            case "goal":
                lesson.goals.add(_name(entry["goal"]))
            case "finished":
                lesson.finished = True
            case "again":
                progress.lessons[name] = LessonProgress(content=lesson.content, finished=lesson.finished)
    except (KeyError, TypeError, ValueError):
        progress.unreadable += 1


def _answer(entry: dict[str, Any]) -> dict[str, Any]:
    given = entry["given"]
    if not isinstance(given, int | str):
        raise TypeError(given)
    return {
        "given": printable(given, REASON_LENGTH) if isinstance(given, str) else given,
        "right": bool(entry["right"]),
        "reason": printable(str(entry.get("reason", "")), REASON_LENGTH),
    }


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return printable(value, NAME_LENGTH)


def _small(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 31:
        raise ValueError(value)
    return value


def reset() -> Path | None:
    """Move the log aside, so that the course starts anew; return where it is now, None when there was none."""
    path = log_path()
    if not path.exists():
        return None
    for number in range(1, 10_000):
        aside = path.with_name(f"progress.{number}.old.jsonl")
        if not aside.exists():
            try:
                path.rename(aside)
            except OSError as error:
                raise ProgressError(f"{path} cannot be moved aside: {error.strerror}") from None
            return aside
    raise ProgressError(f"{path.parent} is full of old logs; move some away")


def export(target: Path) -> int:
    """Copy the log to a file that is not there yet; return how many lines it has."""
    path = log_path()
    try:
        data = path.read_bytes() if path.exists() else b""
        with target.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise ProgressError(f"{printable(str(target))} is there already; give another name") from None
    except OSError as error:
        raise ProgressError(f"{printable(str(target))} cannot be written: {error.strerror}") from None
    return data.count(b"\n")


def bring_in(source: Path) -> int:
    """Append the sound lines of an exported log that are not in ours yet; return how many those were."""
    progress = Progress()
    if not os.path.isfile(source):
        raise ProgressError(f"{printable(str(source))} is not a file")
    ours = Counter(json.dumps(entry, sort_keys=True) for entry in _entries(log_path(), Progress()))
    theirs = list(_entries(source, progress))
    if not theirs:
        raise ProgressError(f"{printable(str(source))} holds no progress that can be read")
    fresh = []
    for entry in theirs:
        line = json.dumps(entry, sort_keys=True)
        if ours[line]:
            ours[line] -= 1
        else:
            fresh.append(entry)
    for entry in fresh:
        _append(json.dumps(entry, ensure_ascii=True))
    return len(fresh)
