"""Where two lanes part: in sentences with the price, and step by step."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.model import steps
from rxviz.model.names import frame_name
from rxviz.run import words
from rxviz.run.lanes import Lane
from rxviz.run.lockstep import Lockstep, Row, price
from rxviz.run.trace import Step
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.lanes_bill import Side
from rxviz.view.lanes_words import verbs
from rxviz.view.text import fit, wrap

MARK = "≠"
_PRICES = (("bytes copied", "copied"), ("new heads", "heads"), ("bytes charged", "truesize"), ("time, ns (M)", "ns"))
_REASONS = ("socket.drop", "nic.missed", "page.give_up", "skb.build", "skb.copy", "skb.headers", "page.reuse")
"""Steps whose reason is told when only one lane takes them, the most telling first."""
_VALUE = 12
"""Columns of a figure in the table of prices."""


@dataclass(frozen=True, slots=True)
class Parting:
    """What is said of a frame: what each lane does that the other does not, the reason for the most telling of it,
    what the frame costs (name, left, right; only what is not the same), and where in its steps (`at` of `of`, from 1
    on; 0 where the lanes do not part).
    """

    frame: int
    left: str
    right: str
    why: str
    prices: tuple[tuple[str, int, int], ...]
    at: int
    of: int


def parting(lockstep: Lockstep, number: int) -> Parting:
    """Return where the lanes part for a frame, by its number."""
    lanes = lockstep.lanes
    frame_id = lanes.pairs[number].frame
    rows = lockstep.rows(frame_id)
    apart = [row for row in rows if not row.same]
    at = next((i for i, row in enumerate(rows, 1) if not row.same), 0)
    left = [lanes.left.trace[row.left] for row in apart if row.left is not None]
    right = [lanes.right.trace[row.right] for row in apart if row.right is not None]
    prices = [(name, *(getattr(each, key) for each in (price(lanes.left, frame_id), price(lanes.right, frame_id))))
              for name, key in _PRICES]  # fmt: skip
    return Parting(
        frame_id, verbs(left, lanes.left.half_size), verbs(right, lanes.right.half_size),
        _why(lanes.left, left, lanes.right, right),
        tuple((name, one, other) for name, one, other in prices if one != other), at, len(rows),
    )  # fmt: skip


def _why(left: Lane, left_steps: list[Step], right: Lane, right_steps: list[Step]) -> str:
    """Return the reason for the most telling step that only one lane takes."""
    found = {step.name: (right, step) for step in reversed(right_steps)}
    found |= {step.name: (left, step) for step in reversed(left_steps)}
    for name in _REASONS:
        if name in found:
            lane, step = found[name]
            return words.why(step, lane.timeline.at(0).machine.config)
    return ""


def draw_parting(
    part: Parting,
    sides: tuple[Side, Side],
    width: int,
    height: int,
    *,
    first: int | None = None,
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the panel; `first` is the first frame that differs (None: none does)."""
    note = f"step {part.at} of {part.of}" if part.at else ""

    def body(canvas: Canvas) -> None:
        _write(canvas, _apart(part, sides) if part.at else _same(part, first), part, sides)

    return frame(width, height, "Where they part", note, body, active=True, glyphs=glyphs)


def _same(part: Parting, first: int | None) -> list[tuple[str, str]]:
    said: list[tuple[str, str]] = [(f"Frame {frame_name(part.frame)} goes the same way in both lanes.", Role.STRONG)]
    if first is None:
        said.append(("The lanes do not part: each frame goes the same way in both.", Role.PLAIN))
    else:
        said.append((f"They first part at frame {frame_name(first)}; N and P go from difference to difference.", ""))
    return said


def _apart(part: Parting, sides: tuple[Side, Side]) -> list[tuple[str, str]]:
    said = []
    for side, does, other in ((sides[0], part.left, part.right), (sides[1], part.right, part.left)):
        if does:
            said.append((f"{side.name} {does}.", side.role))
        elif other:
            said.append((f"{side.name} does not.", side.role))
    return [*said, (part.why, Role.REST)] if part.why else said


def _write(canvas: Canvas, said: list[tuple[str, str]], part: Parting, sides: tuple[Side, Side]) -> None:
    """Write paragraphs, and the prices below: a table where there is room for it, else a sentence."""
    lines = [(line, role or Role.PLAIN) for text, role in said for line in wrap(text, canvas.width, 9)]
    prices = _price_lines(part, canvas.width)
    table = len(part.prices) + 1
    if part.prices and len(lines) + table <= canvas.height and canvas.width >= 3 * _VALUE:
        _put(canvas, 0, lines)
        _table(canvas, min(len(lines) + 1, canvas.height - table), part, sides)
        return
    room = max(canvas.height - len(prices), 1)
    kept = lines[:room]
    if len(lines) > room:
        # The ellipsis says that there was more.
        kept[-1] = (fit(kept[-1][0] + " " * canvas.width, canvas.width), kept[-1][1])
    _put(canvas, 0, kept)
    _put(canvas, min(len(lines), room), prices)


def _put(canvas: Canvas, y: int, lines: list[tuple[str, str]]) -> None:
    for row, (line, role) in enumerate(lines, y):
        canvas.write(0, row, line, role)


def _price_lines(part: Parting, width: int) -> list[tuple[str, str]]:
    words_ = price_words(part)
    return [(line, Role.BAD) for line in wrap(words_, width, 3)] if words_ else []


def price_words(part: Parting) -> str:
    """Return in a sentence what a frame costs, "" where it costs the same in both."""
    if not part.prices:
        return ""
    short = {"bytes copied": "copied", "new heads": "heads", "bytes charged": "charged", "time, ns (M)": "ns (M)"}
    figures = ", ".join(f"{short[name]} {left:,} | {right:,}" for name, left, right in part.prices)
    return f"Price, left | right: {figures}."


def _table(canvas: Canvas, y: int, part: Parting, sides: tuple[Side, Side]) -> None:
    """Write what the frame costs in each lane."""
    ends = (canvas.width - _VALUE, canvas.width)
    canvas.put(0, y, f"price of {frame_name(part.frame)}", Role.BAD)
    for end, side in zip(ends, sides, strict=True):
        canvas.put_right(end, y, fit(side.name, _VALUE - 1), side.role)
    for row, (name, *values) in enumerate(part.prices, y + 1):
        canvas.put(0, row, name, Role.PLAIN)
        for end, value, side in zip(ends, values, sides, strict=True):
            canvas.put_right(end, row, f"{value:,}", side.role)


# ------------------------------------------------------------------------------------------------------------ the steps
def draw_steps(
    lockstep: Lockstep,
    frame_id: int,
    sides: tuple[Side, Side],
    width: int,
    height: int,
    *,
    at: int | None = None,
    active: bool = False,
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the steps of a frame side by side, sentences where there is room; `at` is the row in hand (from 0 on)."""
    rows = lockstep.rows(frame_id)
    note = f"step {at + 1} of {len(rows)}" if at is not None else f"{MARK} not the same"

    def body(canvas: Canvas) -> None:
        _Steps(canvas, lockstep, sides).draw(rows, at)

    return frame(width, height, f"Frame {frame_name(frame_id)}, step by step", note, body, active=active, glyphs=glyphs)


class _Steps:
    """The rows of steps, those round the one in hand where not all fit."""

    def __init__(self, canvas: Canvas, lockstep: Lockstep, sides: tuple[Side, Side]) -> None:
        self.canvas = canvas
        self.lanes = lockstep.lanes
        self.sides = sides
        self.each = max((canvas.width - 3) // 2, 0)

    def draw(self, rows: list[Row], at: int | None) -> None:
        """Write names of lanes, then the rows."""
        canvas = self.canvas
        y = 0
        if canvas.height >= 4:
            for x, side in zip((2, self.each + 3), self.sides, strict=True):
                canvas.write(x, 0, side.name, side.role, self.each - 1)
            y = 1
        room = canvas.height - y
        first = min(max((at or 0) - room // 2, 0), max(len(rows) - room, 0))
        for number, row in enumerate(rows[first : first + room], first):
            self._row(y, row, number == at)
            canvas.target(0, y, canvas.width, 1, "row", number)
            y += 1

    def _row(self, y: int, row: Row, here: bool) -> None:
        canvas = self.canvas
        mark = MARK if not row.same else canvas.glyphs.spare
        canvas.put(0, y, ("!" if canvas.glyphs.letters else mark) if not row.same else mark,
                   Role.ACCENT if not row.same else Role.REST)  # fmt: skip
        pairs = ((self.lanes.left, row.left), (self.lanes.right, row.right))
        for x, side, (lane, n) in zip((2, self.each + 3), self.sides, pairs, strict=True):
            role = Role.CHANGED if here else side.role if not row.same else Role.REST
            canvas.write(x, y, self._text(lane, n) if n is not None else "–", role, self.each - 1)

    def _text(self, lane: Lane, n: int) -> str:
        """A sentence where it can be read, else the name of the kind."""
        step = lane.trace[n]
        if self.each < 52:
            return steps.KINDS[step.kind].name
        return words.text(step, lane.timeline.at(0).machine.config)
