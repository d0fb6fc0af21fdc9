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
RING_HEIGHT, PANEL_HEIGHT = 13, 12
"""Lines from which a ring is drawn as a ring, and those that another panel keeps, where one is in sight at a time."""
STORY, LEAST_STORY = 6, 5
"""Lines of the story there, and to which it gives way for them; what it leaves out then, its own panel tells."""
COMPANIONS = ("ring", "pages", "skb")
"""What stands below the chosen panel on a high and narrow terminal."""
STAGE_WIDTH = 98
"""Columns of the run that plays on the home screen."""
INSTEAD = {"bytes": "pages", "counters": "gro"}
"""Panels that have no place of their own where not all fit, and whose place they take when they are chosen."""
COUNTERS_HEIGHT = 13
"""Lines of the counters where they stand below the bytes."""
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
ENOUGH = (0, 12, 9)
"""Lines of which a row can make no more use; what is over goes to the ring and the pages, which can always use it."""


CPUS_FROM = 48
"""Lines from which the rows of who runs when are there without being asked for, where all panels are in sight."""


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


def shows_cpus(width: int, height: int) -> bool:
    """Whether a terminal has room for the rows of who runs when, beside all that is there anyway."""
    return size_name(width, height) in ("full", "wide") and height >= CPUS_FROM


def arrange(width: int, height: int, known: Sequence[str], shown: str, *, menu: int = 0, cpus: int = 0) -> Places:
    """Return the place of each part that is in sight; `shown` is the panel that gets the room where there is for one.

    `menu` is how many lines a menu needs, which then lies over the lines above the bar; `cpus` how many the rows of who
    runs when take, which then stand under the track.
    """
    name = size_name(width, height)
    if name == "small":
        return {"small": Rect(0, 0, width, height)}
    room = height - cpus
    places = _one(width, room, shown) if name == "one" else _full(width, room, known, shown, wide=name == "wide")
    if cpus:
        places["cpus"] = Rect(0, room - 1, width, cpus)
        places["keys"] = Rect(0, height - 1, width, 1)
    if menu:
        places["menu"] = Rect(0, height - 1 - menu, width, menu)
    return places


def _one(width: int, height: int, shown: str) -> Places:
    """One panel at a time, or a few where it is high enough; strip, story and scrubber are always there."""
    strip, scrubber = (2, 1) if height < 26 else (3, 2)
    top, end = 2 + strip, height - 1 - scrubber
    story = min(max(end - top - kept(shown), LEAST_STORY), STORY if height < 30 else STORY + 2)
    places = {
        "header": Rect(0, 0, width, 1),
        "strip": Rect(0, 1, width, strip),
        "tabs": Rect(0, top - 1, width, 1),
        "scrubber": Rect(0, end, width, scrubber),
        "keys": Rect(0, height - 1, width, 1),
    }
    if shown == "story":
        places["story"] = Rect(0, top, width, end - top)
    else:
        room = end - story - top
        stack = [shown, *(key for key in COMPANIONS if key != shown)][: max(room // RING_HEIGHT, 1)]
        for (y, tall), key in zip(_split(top, room, [1] * len(stack), 0), stack, strict=True):
            places[key] = Rect(0, y, width, tall)
        places["story"] = Rect(0, end - story, width, story)
    return places


def kept(key: str) -> int:
    """Return the lines that a panel does not give away to the story; always as many, so that nothing jumps."""
    return RING_HEIGHT if key == "ring" else PANEL_HEIGHT


def _full(width: int, height: int, known: Sequence[str], shown: str, *, wide: bool) -> Places:
    gap = 1 if height >= 40 else 0
    top = 3 + 2 * gap
    places = {
        "header": Rect(0, 0, width, 1),
        "strip": Rect(0, 1, width, 2 + gap),
        "scrubber": Rect(0, height - 3 - gap, width, 2),
        "keys": Rect(0, height - 1, width, 1),
    }
    room = height - 3 - 2 * gap - top
    left = width
    if wide and "bytes" in known:
        left = width - BYTES_WIDTH
        below = COUNTERS_HEIGHT if "counters" in known else 0
        places["bytes"] = Rect(left + 1, top, width - left - 1, room - below)
        if below:
            places["counters"] = Rect(left + 1, top + room - below, width - left - 1, below)
    for (y, tall), row in zip(_rows(top, room), ROWS, strict=True):
        there = [(key, share) for key, share in row if key in known]
        for (x, broad), (key, _) in zip(_split(0, left, [s for _, s in there], 1), there, strict=True):
            places[key] = Rect(x, y, broad, tall)
    if not wide and shown in INSTEAD:
        places[shown] = places.pop(INSTEAD[shown])
    return places


def _rows(top: int, room: int) -> list[tuple[int, int]]:
    """Return (line, height) of each row of panels."""
    heights = [tall for _, tall in _split(0, room, HEIGHTS, 0)]
    lower = [min(tall, enough) for tall, enough in zip(heights[1:], ENOUGH[1:], strict=True)]
    return _split(top, room, [room - sum(lower), *lower], 0)


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
    if size_name(width, height) == "small":
        return {"small": Rect(0, 0, width, height)}
    return {
        "header": Rect(0, 0, width, 1),
        "body": Rect(0, 2, width, height - 3),
        "keys": Rect(0, height - 1, width, 1),
    }


def home(width: int, height: int, text: int) -> Places:
    """Return the places of the home screen: `text` lines at the top, and below them a run that plays, where it fits."""
    places = page(width, height)
    room = height - 3 - text
    if "small" in places or room < 3:
        return places
    story = 7 if room >= 12 else 0
    both = 3 + 1 + story if story else 3
    stage = min(width, STAGE_WIDTH)
    spare = room - both
    left, top = (width - stage) // 2, 2 + text + spare * 2 // 3
    places["body"] = Rect(0, 2 + spare // 3, width, text)
    places["strip"] = Rect(left, top, stage, 3)
    if story:
        places["story"] = Rect(left, top + 4, stage, story)
    return places
