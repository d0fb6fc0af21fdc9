"""The capture of a command that reads it once, from front to back, in memory that does not grow with it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain

from rxviz.capture.frames import Arrival, Frames, require_some
from rxviz.errors import CaptureError, quoted, shown
from rxviz.run import shipped

DEFAULT_MTU = 1500


@dataclass(frozen=True, slots=True)
class Located:
    """Where a capture lies, the name to print for it, and its MTU where it comes with the program."""

    path: str
    name: str
    mtu: int = DEFAULT_MTU


def locate(word: str) -> Located:
    """Return the capture that a word names: one that comes with the program, else a file; `./NAME` is always a file."""
    known = shipped.captures()
    if word in known:
        words = dict(each.split("=", 1) for each in known[word].words)
        return Located(str(known[word].path), word, int(words.get("mtu", DEFAULT_MTU)))
    if word in shipped.scenarios():
        raise CaptureError(f"{word} is a scenario, and this takes a capture: a file, or one of {', '.join(known)}")
    if os.path.basename(word) == word and not _exists(word):
        raise CaptureError(f"{quoted(word)} is no file, and no capture that comes with rxviz{_nearest(word)}")
    return Located(word, shown(word))


def _exists(name: str) -> bool:
    try:
        return os.path.lexists(name)
    except ValueError:  # a NUL in the name
        return False


def _nearest(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, shipped.captures(), n=1)
    return f', did you mean "{near[0]}"?' if near else f"; those are {', '.join(shipped.captures())}"


class _Counted:
    """Stands where `Frames` keeps a list of numbers: counts them, and remembers only the last."""

    def __init__(self) -> None:
        self._count = 0
        self._last = 0

    def append(self, number: int) -> None:
        self._count += 1
        self._last = number

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> int:
        if place != -1 or not self._count:
            raise IndexError(place)
        return self._last


class PassingFrames(Frames):
    """The frames of a capture, once: what went by is not kept, so one cannot go back."""

    def __init__(self, path: str, *, mtu: int = DEFAULT_MTU) -> None:
        super().__init__(path, mtu=mtu)
        for name in ("_index", "_time", "_where", "_captured", "_wire"):
            setattr(self, name, _Counted())

    def __iter__(self) -> Iterator[Arrival]:
        while (arrival := self._next()) is not None:
            yield arrival


@dataclass(frozen=True, slots=True)
class Passing:
    """A capture opened: where it is, its reader, and its frames from the first on."""

    located: Located
    reader: Frames
    frames: Iterator[Arrival]

    def notes(self) -> list[str]:
        """Return what is to be said of the capture, once it was read."""
        return ["this capture holds no packets"] if _nothing_in(self.reader) else self.reader.notes()


@contextmanager
def passing(word: str, mtu: int | None = None) -> Iterator[Passing]:
    """Open a capture by name or path; raise CaptureError where it has packets but no frame.

    A sound capture without a single packet is no error.
    """
    located = locate(word)
    if mtu is not None:
        located = Located(located.path, located.name, mtu)
    with PassingFrames(located.path, mtu=located.mtu) as reader:
        walk = iter(reader)
        first = next(walk, None)
        if first is None and not _nothing_in(reader):
            require_some(reader)
        yield Passing(located, reader, walk if first is None else chain((first,), walk))


def _nothing_in(reader: Frames) -> bool:
    """Tell whether a capture, once begun, is sound and has no packet at all."""
    return not reader.seen and not reader.skipped and reader.problem is None
