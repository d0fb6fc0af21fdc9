"""Bills side by side: what each of two runs has cost so far, line by line, and where they differ."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.model import steps
from rxviz.model.machine import Machine
from rxviz.run.timeline import Moment
from rxviz.view.bill import softirq_ns
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs

LEDGER = (
    ("ledger.bytes_copied", "bytes copied"),
    ("ledger.header_parses", "header searches"),
    ("ledger.skb_heads", "heads allocated"),
    ("ledger.sk_buffs", "skbs made"),
    ("skbs.truesize_total", "bytes charged"),
    ("pages.allocated", "pages allocated"),
    ("pages.flips", "page flips"),
    ("ledger.sync_cpu_bytes", "bytes synced"),
    ("ledger.refs_atomic", "atomic references"),
    ("ledger.descriptor_reads", "descriptors read"),
    ("ledger.descriptor_writes", "descriptors written"),
    ("ledger.tail_writes", "tail writes"),
)
"""Lines by the name that lessons give them, what two ways of receiving differ in first."""
UP = ("skbs.delivered", "skbs up the stack")
"""Where GRO is on in one of the runs: then skbs are not frames."""
SUMMED = ("ledger.csum_bytes", "checksums, bytes")
"""Where somebody added up checksums."""
_ELSEWHERE = {"skbs.truesize_total": "truesize_total", "pages.allocated": "dma_maps", "pages.flips": "flips"}
NAME = 22
"""Columns of a line's name."""


def values(m: Machine, gro: bool = False, summed: bool = False) -> list[tuple[str, str, int]]:
    """Return (key, words, number) of each line of the bill of a run so far, with those of GRO where they are asked."""
    ledger = [*LEDGER, *((SUMMED,) if summed else ())]
    lines = [(key, words, int(getattr(m.ledger, _ELSEWHERE.get(key, key.partition(".")[2])))) for key, words in ledger]
    if gro:
        lines.insert(0, (*UP, went_up(m)))
    return [*lines, ("cpu_ns.softirq", "softirq ns (model)", softirq_ns(m))]


def went_up(m: Machine) -> int:
    """Return how many skbs went up the stack."""
    return m.counts[steps.SKB_DELIVER] + m.counts[steps.STACK_RECEIVE]


def draw(
    columns: Sequence[tuple[str, str, Moment]],
    width: int,
    height: int,
    *,
    glyphs: Glyphs = UNICODE,
    focus: str = "",
    digits: dict[str, str] | None = None,
    active: bool = False,
    covered: bool = False,
) -> Picture:
    """Return a table of bills; `columns` are (name, role, moment). Where numbers differ, the line is marked.

    Lines are places that can be pressed, by the key that lessons give them. The first column may be `covered`.
    """
    machines = [moment.machine for _, _, moment in columns]
    gro = any(m.gro is not None for m in machines)
    summed = any(m.ledger.csum_bytes for m in machines)
    bills = [values(m, gro, summed) for m in machines]
    done = [went_up(m) for m in machines][1 if covered else 0 :]

    def body(canvas: Canvas) -> None:
        ends = _ends(canvas.width, len(columns))
        for (name, role, _), end in zip(columns, ends, strict=True):
            canvas.put_right(end, 0, name[:14], role)
        rows = _order(bills, canvas.height - 1, gro)
        for y, row in enumerate(rows, 1):
            key, words, _ = bills[0][row]
            numbers = [bill[row][2] for bill in bills]
            differs = len(set(numbers)) > 1 and not covered
            mark = glyphs.changed if differs else glyphs.right if focus == key else " "
            if digits is not None:
                canvas.put(0, y, digits.get(key, " "), Role.KEY)
            canvas.put(2, y, mark, Role.ACCENT)
            canvas.write(4, y, words, Role.CHANGED if focus == key else Role.PLAIN if differs else Role.REST, NAME)
            for place, (number, end) in enumerate(zip(numbers, ends, strict=True)):
                if covered and place == 0:
                    canvas.put_right(end, y, "?", Role.ACCENT)
                    continue
                role = Role.STRONG if differs and number == max(numbers) else Role.PLAIN if number else Role.REST
                canvas.put_right(end, y, f"{number:,}", role)
            canvas.target(0, y, ends[-1], 1, "place", key)

    shared = " and ".join(str(count) for count in dict.fromkeys(done))
    title = "The bill" if len(columns) == 1 else "The bills"
    return frame(width, height, title, f"skbs delivered: {shared}", body, active=active, glyphs=glyphs)


def _ends(width: int, count: int) -> list[int]:
    room = min(max(width - NAME - 4, 0), 18 * count)
    return [NAME + 4 + room * (number + 1) // count for number in range(count)]


def _order(bills: Sequence[list[tuple[str, str, int]]], room: int, gro: bool) -> list[int]:
    """Return the lines to show: all where there is room, else those that differ first, kept in order.

    With GRO, how many skbs go up and what the softirq takes come before all others.
    """
    rows = list(range(len(bills[0])))
    if len(rows) <= room:
        return rows
    first = [0, rows[-1]] if gro else []
    different = [row for row in rows if len({bill[row][2] for bill in bills}) > 1]
    ranked = dict.fromkeys([*first, *different, *rows])
    return sorted([*ranked][: max(room, 0)])
