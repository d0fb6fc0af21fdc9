"""Where two lanes part: in sentences with the price, and step by step."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.model import steps
from rxviz.model.names import frame_name
from rxviz.run import words
from rxviz.run.lanes import Lane
from rxviz.run.lockstep import Lockstep, Price, Row, price
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.lanes_bill import Side
from rxviz.view.lanes_words import listed, verb
from rxviz.view.text import wrap

MARK = "≠"
_PRICES = (("bytes copied", "copied"), ("new heads", "heads"), ("bytes charged", "truesize"))


@dataclass(frozen=True, slots=True)
class Parting:
    """What is said of a frame: what each lane does that the other does not, what that costs, and where in its steps
    (`at` of `of`, from 1 on; 0 where the lanes do not part).
    """

    frame: int
    left: str
    right: str
    price: str
    at: int
    of: int


def parting(lockstep: Lockstep, number: int, sides: tuple[Side, Side]) -> Parting:
    """Return where the lanes part for a frame, by its number."""
    lanes = lockstep.lanes
    frame_id = lanes.pairs[number].frame
    rows = lockstep.rows(frame_id)
    at = next((i for i, row in enumerate(rows, 1) if not row.same), 0)
    left = _verbs(lanes.left, [row.left for row in rows if not row.same])
    right = _verbs(lanes.right, [row.right for row in rows if not row.same])
    prices = price(lanes.left, frame_id), price(lanes.right, frame_id)
    return Parting(frame_id, left, right, _price_words(prices, sides), at, len(rows))


def _verbs(lane: Lane, numbers: list[int | None]) -> str:
    half = lane.half_size
    return listed([verb(lane.trace[n], half) for n in numbers if n is not None])


def _price_words(prices: tuple[Price, Price], sides: tuple[Side, Side]) -> str:
    """Return what the frame costs in the lanes, only what is not the same; "" where all is."""
    left, right = prices
    apart = [
        f"{name} {getattr(left, key):,} | {getattr(right, key):,}"
        for name, key in _PRICES
        if getattr(left, key) != getattr(right, key)
    ]
    if left.ns != right.ns:
        apart.append(f"time {left.ns:,} | {right.ns:,} ns (M)")
    return f"Price, {sides[0].name} | {sides[1].name}: {', '.join(apart)}." if apart else ""


def draw_parting(
    part: Parting | None,
    sides: tuple[Side, Side],
    width: int,
    height: int,
    *,
    first: int | None = None,
    active: bool = False,
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the panel; `part` None where there is no frame, `first` the first frame that differs (None: none does)."""
    note = f"step {part.at} of {part.of}" if part is not None and part.at else ""

    def body(canvas: Canvas) -> None:
        if part is None:
            _write(canvas, [("No frame gets to its end in both lanes.", Role.PLAIN)])
        elif not part.at:
            _write(canvas, _same(part, first))
        else:
            _write(canvas, _apart(part, sides))

    return frame(width, height, "Where they part", note, body, active=active, glyphs=glyphs)


def _same(part: Parting, first: int | None) -> list[tuple[str, str]]:
    said = [(f"Frame {frame_name(part.frame)} goes the same way in both lanes.", Role.STRONG)]
    if first is None:
        said.append(("The lanes do not part: each frame goes the same way in both.", Role.PLAIN))
    else:
        said.append((f"They first part at frame {frame_name(first)}. N goes to the next difference.", Role.PLAIN))
    if part.price:
        said += [("", Role.PLAIN), (part.price, Role.BAD)]
    return said


def _apart(part: Parting, sides: tuple[Side, Side]) -> list[tuple[str, str]]:
    said = []
    for side, does, other in ((sides[0], part.left, part.right), (sides[1], part.right, part.left)):
        if does:
            said.append((f"{side.name} {does}.", side.role))
        elif other:
            said.append((f"{side.name} does not.", side.role))
    return [*said, ("", Role.PLAIN), (part.price or "It costs the same in both.", Role.BAD if part.price else Role.REST)]


def _write(canvas: Canvas, said: list[tuple[str, str]]) -> None:
    """Write paragraphs; where there is little room, blank lines go first."""
    lines = [(line, role) for text, role in said for line in (wrap(text, canvas.width, 9) if text else [""])]
    if len(lines) > canvas.height:
        lines = [(line, role) for line, role in lines if line]
    for y, (line, role) in enumerate(lines[: canvas.height]):
        more = y == canvas.height - 1 and len(lines) > canvas.height
        canvas.write(0, y, line + " " * canvas.width if more else line, role)


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
