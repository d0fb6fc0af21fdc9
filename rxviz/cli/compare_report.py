"""Two lanes as a table that a person reads."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from rxviz.cli.report import LEDGER, WIDTH
from rxviz.model.names import frame_name
from rxviz.view.lanes_bill import Side
from rxviz.view.lanes_part import parting, price_words

if TYPE_CHECKING:
    from rxviz.run.lanes import Lanes
    from rxviz.run.lockstep import Lockstep

_LABELS = {
    **LEDGER,
    "skbs.truesize_total": "truesize charged, bytes",
    "pages.allocated": "pages allocated",
    "pages.given_up": "pages given up",
    "pages.flips": "page flips",
    "softirq ns": "softirq time, ns   M",
}
_FOOTNOTE = (
    "Counts follow the kernel's source (K). M is the model's own: times come from round figures chosen for teaching;"
    " they compare two runs, but measure nothing."
)
_WAYS = 4
"""Ways of differing that are told; a long capture may have more."""


def report(lanes: Lanes) -> Iterator[str]:
    """Yield the lines: both scenarios, what differs, what is the same, how frames part."""
    from rxviz.run.lockstep import Lockstep

    lockstep = Lockstep(lanes)
    names = [_short(lane.name) for lane in (lanes.left, lanes.right)]
    for side, lane in zip(("left", "right"), (lanes.left, lanes.right), strict=True):
        yield f"{side + ':':7}{lane.name}"
        yield f"       {lane.scenario.line()}"
    yield ""
    yield _frames(lanes, lockstep)
    bills = lanes.bills()
    for title, differs in (("what differs", True), ("the same in both", False)):
        shown = [line for line in bills if (line[1] != line[2]) is differs]
        if shown:
            yield ""
            yield f"{title:32}{names[0]:>16}{names[1]:>16}{'difference' if differs else '':>16}".rstrip()
            yield from (_line(*line) for line in shown)
    yield from _parting(lanes, lockstep)
    yield ""
    yield from wrap(_FOOTNOTE, WIDTH)


def _short(name: str) -> str:
    return name if len(name) <= 15 else name[:14] + "~"


def _line(name: str, left: int, right: int) -> str:
    more = f"{right - left:>+16,}" if left != right else ""
    return f"  {_LABELS.get(name, name):30}{left:>16,}{right:>16,}{more}"


def _frames(lanes: Lanes, lockstep: Lockstep) -> str:
    differ, frames = len(lockstep.differing), lockstep.frames
    if not differ:
        return f"{frames:,} frames, and each goes the same way in both lanes."
    kinds = "" if len(lockstep.ways) == 1 else f", in {len(lockstep.ways)} ways"
    return f"{frames:,} frames, of which {differ:,} do not go the same way in both lanes{kinds}."


def _parting(lanes: Lanes, lockstep: Lockstep) -> Iterator[str]:
    sides = Side(lanes.left.name, ""), Side(lanes.right.name, "")
    ways = sorted(lockstep.ways.values(), key=lambda numbers: numbers[0])
    for numbers in ways[:_WAYS]:
        part = parting(lockstep, numbers[0])
        more = f" and {len(numbers) - 1:,} more like it" if len(numbers) > 1 else ""
        yield ""
        yield f"Frame {frame_name(part.frame)}{more}:"
        for side, does in ((sides[0], part.left), (sides[1], part.right)):
            yield from wrap(
                f"{side.name} {does}." if does else f"{side.name} does not.",
                WIDTH,
                initial_indent="  ",
                subsequent_indent="    ",
            )
        if price := price_words(part):
            yield from wrap(price, WIDTH, initial_indent="  ", subsequent_indent="    ")
    if len(ways) > _WAYS:
        yield ""
        yield f"{len(ways) - _WAYS} more ways; --json has them all."
