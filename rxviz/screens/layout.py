"""Where each part of the workbench goes, for any size of terminal. Pure: numbers in, rectangles out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LEAST = (60, 18)
"""Below this there is nothing but a sentence that says so."""
FULL = (118, 36)
"""From here on every panel is in sight."""
WIDE = (180, 50)
"""From here on the bytes are, too."""
BYTES_WIDTH = 78
"""Columns that sixteen bytes a line, and what they mean, can use."""

ROWS: tuple[tuple[tuple[str, int], ...], ...] = (
    (("ring", 56), ("pages", 63)),
    (("skb", 44), ("gro", 38), ("socket", 36)),
    (("story", 76), ("bill", 43)),
)
"""The panels of the full layout, row by row, with the shares of the width that they get."""
HEIGHTS = (13, 10, 7)
"""The shares of the height that the rows get."""


class Rect(NamedTuple):
    """A place on the screen, in cells."""

    x: int
    y: int
    width: int
    height: int


Places = dict[str, Rect]


def size_name(width: int, height: int) -> str:
    """Return which layout a size gets: small, one, full, wide."""
    for name, least in (("wide", WIDE), ("full", FULL), ("one", LEAST)):
        if width >= least[0] and height >= least[1]:
            return name
    return "small"


def arrange(width: int, height: int, known: Sequence[str], shown: str, *, menu: int = 0) -> Places:
    """Return the place of each part that is in sight; `shown` is the panel that gets the room where there is for one.

    `menu` is how many lines a menu needs, which then lies over the lines above the bar.
    """
    name = size_name(width, height)
    if name == "small":
        return {"small": Rect(0, 0, width, height)}
    places = _one(width, height, shown) if name == "one" else _full(width, height, known, shown, wide=name == "wide")
    if menu:
        places["menu"] = Rect(0, height - 1 - menu, width, menu)
    return places


def _one(width: int, height: int, shown: str) -> Places:
    """One panel at a time; the strip, the story and the scrubber are always there."""
    story = 6 if height < 30 else 8
    scrubber = 1 if height < 26 else 2
    top, bottom = 4, height - 1 - scrubber - story
    return {
        "header": Rect(0, 0, width, 1),
        "strip": Rect(0, 1, width, 2),
        "tabs": Rect(0, 3, width, 1),
        shown: Rect(0, top, width, bottom - top),
        "story": Rect(0, bottom, width, story),
        "scrubber": Rect(0, bottom + story, width, scrubber),
        "keys": Rect(0, height - 1, width, 1),
    }


def _full(width: int, height: int, known: Sequence[str], shown: str, *, wide: bool) -> Places:
    gap = 1 if height >= 40 else 0
    top = 3 + 2 * gap
    places = {
        "header": Rect(0, 0, width, 1),
        "strip": Rect(0, 1 + gap, width, 2),
        "scrubber": Rect(0, height - 3 - gap, width, 2),
        "keys": Rect(0, height - 1, width, 1),
    }
    room = height - 3 - 2 * gap - top
    left = width
    if wide and "bytes" in known:
        left = width - min(BYTES_WIDTH, width - FULL[0])
        places["bytes"] = Rect(left + 1, top, width - left - 1, room)
    for (y, tall), row in zip(_split(top, room, HEIGHTS, 0), ROWS, strict=True):
        there = [(key, share) for key, share in row if key in known]
        for (x, broad), (key, _) in zip(_split(0, left, [s for _, s in there], 1), there, strict=True):
            places[key] = Rect(x, y, broad, tall)
    if shown == "bytes" and not wide:
        places["bytes"] = places.pop("pages")
    return places


def _split(start: int, length: int, shares: Sequence[int], gap: int) -> list[tuple[int, int]]:
    """Share a length out, with a gap between the parts: (start, length) of each; the parts fill it to the last cell."""
    room, total = length - gap * (len(shares) - 1), sum(shares)
    parts: list[tuple[int, int]] = []
    taken = given = 0
    for share in shares:
        given += share
        end = room * given // total
        parts.append((start + taken + gap * len(parts), end - taken))
        taken = end
    return parts


def page(width: int, height: int) -> Places:
    """Return the places of a page of text: a line at the top and at the bottom, and the rest between them."""
    return {
        "header": Rect(0, 0, width, 1),
        "body": Rect(0, min(2, height - 1), width, max(height - 3, 1)),
        "keys": Rect(0, max(height - 1, 0), width, 1),
    }
