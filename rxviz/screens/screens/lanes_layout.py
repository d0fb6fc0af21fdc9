"""Where the parts of two lanes go, for any size of terminal. Pure: numbers in, rectangles out."""

from __future__ import annotations

from rxviz.screens.layout import LEAST, Places, Rect

BESIDE = (100, 30)
"""From here on the lanes stand side by side and the bill is in sight; below they stand one above the other."""
WITH_STEPS = 52
"""Lines from which the steps of a frame have a place of their own."""
LANE, BILL, STEPS = 18, 19, 18
"""Lines of a lane, the bill and the steps: as many as they can use."""
LEAST_LANE, LEAST_BILL = 11, 12
"""Lines that they have at least, if there are as many."""


def is_beside(width: int, height: int) -> bool:
    """Whether the lanes stand side by side."""
    return width >= BESIDE[0] and height >= BESIDE[1]


def arrange(width: int, height: int, *, bill: bool, steps: bool) -> Places:
    """Return the place of each part; `bill` says that the bill is wanted where there is no room for it beside the
    lanes, `steps` that the steps of the frame are, in place of the words on where the lanes part.
    """
    if width < LEAST[0] or height < LEAST[1]:
        return {"small": Rect(0, 0, width, height)}
    places = {"header": Rect(0, 0, width, 1), "keys": Rect(0, height - 1, width, 1)}
    if is_beside(width, height):
        return places | _beside(width, height, steps)
    return places | _stacked(width, height, bill=bill, steps=steps)


def _stacked(width: int, height: int, *, bill: bool, steps: bool) -> Places:
    end = height - 3
    places = {"track": Rect(0, end, width, 2)}
    room = end - 1
    if bill:
        upper = min(max(room // 2, room - 9), 17)
        part = "steps" if steps else "part"
        return {**places, "bill": Rect(0, 1, width, upper), part: Rect(0, 1 + upper, width, room - upper)}
    upper = room // 2
    return {**places, "left": Rect(0, 1, width, upper), "right": Rect(0, end - (room - upper), width, room - upper)}


def _beside(width: int, height: int, steps: bool) -> Places:
    track = 3 if height >= 36 else 2
    end = height - 1 - track
    gap = 1 if height >= 36 else 0
    top, room = 1 + gap, end - 1 - gap
    left = (width - 1) // 2
    own = height >= WITH_STEPS
    middle = STEPS if own else 0
    lower = min(max(room - middle - LANE, LEAST_BILL), BILL, room - middle - LEAST_LANE)
    upper = room - lower - middle
    places = {
        "track": Rect(0, end, width, track),
        "left": Rect(0, top, left, upper),
        "line": Rect(left, top, 1, upper),
        "right": Rect(left + 1, top, width - left - 1, upper),
    }
    if middle:
        places["steps"] = Rect(0, top + upper, width, middle)
    below, bill = top + upper + middle, width * 63 // 100
    places["bill"] = Rect(0, below, bill, lower)
    places["steps" if steps and not middle else "part"] = Rect(bill + 1, below, width - bill - 1, lower)
    return places
