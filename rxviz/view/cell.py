"""What a picture is made of: spans of text with a role, and places that can be pressed.

A role says what a span means (a frame's own colour, an accent, something at rest), never how it looks: themes decide
that. Nothing may be told by a role alone; letters and shapes carry the meaning too.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

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

    def __init__(self, width: int, height: int) -> None:
        self.width = max(width, 0)
        self.height = max(height, 0)
        self._letters = [[" "] * self.width for _ in range(self.height)]
        self._roles: list[list[str]] = [[Role.PLAIN] * self.width for _ in range(self.height)]
        self._targets: list[Target] = []

    def put(self, x: int, y: int, text: str, role: str = Role.PLAIN) -> int:
        """Write `text` (single-width letters) at (x, y); return the column behind it."""
        if 0 <= y < self.height:
            letters, roles = self._letters[y], self._roles[y]
            for column, letter in enumerate(text, x):
                if 0 <= column < self.width:
                    letters[column] = letter
                    roles[column] = role
        return x + len(text)

    def put_right(self, x: int, y: int, text: str, role: str = Role.PLAIN) -> int:
        """Write `text` so that it ends before column x; return the column at which it starts."""
        self.put(x - len(text), y, text, role)
        return x - len(text)

    def spans(self, x: int, y: int, *spans: tuple[str, str]) -> int:
        """Write several spans behind each other; return the column behind the last."""
        for text, role in spans:
            x = self.put(x, y, text, role)
        return x

    def target(self, x: int, y: int, width: int, height: int, kind: str, value: int | str) -> None:
        """Make a place pressable; of two that overlap, the later one counts."""
        self._targets.append(Target(x, y, width, height, kind, value))

    def picture(self) -> Picture:
        """Return what was drawn, neighbouring cells of one role joined."""
        return Picture(self.width, tuple(map(_joined, self._letters, self._roles)), tuple(self._targets))


def _joined(letters: list[str], roles: list[str]) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for column in range(1, len(letters) + 1):
        if column == len(letters) or roles[column] != roles[start]:
            spans.append(Span("".join(letters[start:column]), roles[start]))
            start = column
    return tuple(spans)
