"""What a picture is made of: spans of text with a role, and places that can be pressed.

A role says what a span means (a frame's own colour, an accent, something at rest), never how it looks: themes decide
that. Nothing may be told by a role alone; letters and shapes carry the meaning too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit, safe

FRAME_ROLES = 8
"""Frames take turns with this many colours."""


class Role(StrEnum):
    """The meaning of a span. `frame_role` gives the roles of frames, which are not listed here."""

    PLAIN = "plain"
    REST = "rest"
    """Dim: at rest, nothing to look at."""
    STRONG = "strong"
    ACCENT = "accent"
    """Look here: the one accent."""
    CHANGED = "changed"
    """Changed in this step."""
    BORDER = "border"
    BORDER_ACCENT = "border_accent"
    TITLE = "title"
    NIC = "nic"
    """The NIC's cursor, and what it may write."""
    DRIVER = "driver"
    FREE = "free"
    """Waiting for the next frame."""
    STACK = "stack"
    GOOD = "good"
    BAD = "bad"
    LEGACY = "legacy"
    BUILD = "build"
    HEADER_ETH = "header_eth"
    HEADER_IP = "header_ip"
    HEADER_L4 = "header_l4"
    SHINFO = "shinfo"
    HEADER_TUNNEL = "header_tunnel"
    UNKNOWN = "unknown"
    """Bytes that a capture does not have."""
    READER = "reader"
    KEY = "key"
    BADGE = "badge"


def frame_role(frame_id: int, *, solid: bool = True) -> str:
    """Return the role of a frame's own colour: `solid` as a block with its letter, else as its bytes in a buffer."""
    return f"frame{frame_id % FRAME_ROLES}" + ("" if solid else "_bytes")


class Span(NamedTuple):
    """A run of text with one role."""

    text: str
    role: str


class Target(NamedTuple):
    """A place that can be pressed: `kind` is slot, half, skb, frame, step …, `value` says which one."""

    x: int
    y: int
    width: int
    height: int
    kind: str
    value: int | str


@dataclass(frozen=True, slots=True)
class Picture:
    """Lines of spans, each exactly `width` cells wide, and the places in them that can be pressed."""

    width: int
    lines: tuple[tuple[Span, ...], ...]
    targets: tuple[Target, ...] = ()

    def text(self) -> str:
        """Return the picture as plain text, a line a line, without trailing blanks."""
        return "\n".join("".join(span.text for span in line).rstrip() for line in self.lines)


class Canvas:
    """A grid of cells to draw on; what falls outside is cut off."""

    def __init__(self, width: int, height: int, glyphs: Glyphs = UNICODE) -> None:
        self.width = max(width, 0)
        self.height = max(height, 0)
        self.glyphs = glyphs
        self._letters = [[" "] * self.width for _ in range(self.height)]
        self._roles: list[list[str]] = [[Role.PLAIN] * self.width for _ in range(self.height)]
        self._targets: list[Target] = []

    def put(self, x: int, y: int, text: str, role: str = Role.PLAIN) -> int:
        """Write `text` (single-width letters) at (x, y); return the column behind it."""
        text = safe(text)
        if self.glyphs.letters:
            text = "".join(letter if letter.isascii() else "?" for letter in text.translate(self.glyphs.letters))
        end = x + len(text)
        if 0 <= y < self.height:
            left, right = max(x, 0), min(end, self.width)
            if left < right:
                self._letters[y][left:right] = text[left - x : right - x]
                self._roles[y][left:right] = [role] * (right - left)
        return end

    def write(self, x: int, y: int, text: str, role: str = Role.PLAIN, width: int | None = None) -> int:
        """Write `text` with an ellipsis where it is wider than `width` (or what is left of the line)."""
        room = self.width - x
        return self.put(x, y, fit(text, room if width is None else min(width, room)), role)

    def put_right(self, x: int, y: int, text: str, role: str = Role.PLAIN) -> int:
        """Write `text` so that it ends before column x; return the column at which it starts."""
        self.put(x - len(text), y, text, role)
        return x - len(text)

    def spans(self, x: int, y: int, *spans: tuple[str, str]) -> int:
        """Write several spans behind each other; return the column behind the last."""
        for text, role in spans:
            x = self.put(x, y, text, role)
        return x

    def write_spans(self, x: int, y: int, spans: Iterable[tuple[str, str]], width: int | None = None) -> int:
        """Write spans behind each other, with an ellipsis where they are wider than `width` or the line."""
        end = self.width if width is None else min(x + width, self.width)
        parts = [(text, role) for text, role in spans if text]
        for number, (text, role) in enumerate(parts):
            more = number + 1 < len(parts) and x + len(text) >= end
            x = self.put(x, y, fit(text + " " * more, end - x), role)
            if x >= end:
                break
        return x

    def fill(self, x: int, y: int, width: int, letter: str, role: str = Role.PLAIN) -> int:
        """Write one letter `width` times; return the column behind the last."""
        return self.put(x, y, letter * max(width, 0), role)

    def paint(self, x: int, y: int, width: int, role: str) -> None:
        """Give cells that are written already another role."""
        if 0 <= y < self.height:
            for column in range(max(x, 0), min(x + width, self.width)):
                self._roles[y][column] = role

    def free(self, x: int, y: int, width: int) -> bool:
        """Whether cells of a line are inside and still blank."""
        if not 0 <= y < self.height or x < 0 or x + width > self.width:
            return False
        return all(letter == " " for letter in self._letters[y][x : x + width])

    def line_text(self, y: int) -> str:
        """Return what stands in a line so far."""
        return "".join(self._letters[y]) if 0 <= y < self.height else ""

    def paste(self, x: int, y: int, other: Canvas) -> None:
        """Copy another canvas onto this one, its pressable places too."""
        for row in range(min(other.height, self.height - y)):
            width = max(min(other.width, self.width - x), 0)
            self._letters[y + row][x : x + width] = other._letters[row][:width]
            self._roles[y + row][x : x + width] = other._roles[row][:width]
        for place in other._targets:
            self.target(x + place.x, y + place.y, place.width, place.height, place.kind, place.value)

    def target(self, x: int, y: int, width: int, height: int, kind: str, value: int | str) -> None:
        """Make a place pressable, as far as it lies inside; of two that overlap, the later one counts."""
        left, top = max(x, 0), max(y, 0)
        right, bottom = min(x + width, self.width), min(y + height, self.height)
        if left < right and top < bottom:
            self._targets.append(Target(left, top, right - left, bottom - top, kind, value))

    def picture(self) -> Picture:
        """Return what was drawn, neighbouring cells of one role joined."""
        return Picture(self.width, tuple(map(_joined, self._letters, self._roles)), tuple(self._targets))


def _joined(letters: list[str], roles: list[str]) -> tuple[Span, ...]:
    text, start = "".join(letters), 0
    spans: list[Span] = []
    for role, cells in groupby(roles):
        end = start + len(list(cells))
        spans.append(Span(text[start:end], role))
        start = end
    return tuple(spans)
