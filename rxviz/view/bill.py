"""The panel of the bill: what the run's frames have cost so far, in all and for each frame."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.model import steps
from rxviz.model.machine import Machine
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import plural, time_text


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the bill; `badge` where the figure is the model's own. `short` is its name in a narrow place.

    `over` is the number of frames that it is shared among: those done, for heads also the one in hand.
    """

    name: str
    short: str
    total: int
    over: int
    unit: str = ""
    badge: str = ""


def frames_done(m: Machine) -> int:
    """Return how many frames the driver has finished: handed up or thrown away."""
    return m.counts[steps.SKB_DELIVER] + m.counts[steps.GRO_RECEIVE] + m.counts[steps.FRAME_DISCARD]


def softirq_ns(m: Machine) -> int:
    """Return the CPU's time so far without the interrupt handler's, copies included, in ns."""
    spent = sum(count * cost for count, cost in zip(m.counts, m.costs, strict=True))
    return spent + m.copy_ns + m.csum_ns - m.counts[steps.IRQ_ENTER] * m.costs[steps.IRQ_ENTER]


def items(m: Machine) -> list[Item]:
    """Return the bill, what the two ways of building skbs differ in first."""
    ledger, done = m.ledger, frames_done(m)
    return [
        Item("bytes copied", "copied", ledger.bytes_copied, done, "B"),
        Item("softirq time", "softirq", softirq_ns(m), done, "ns", "M"),
        Item("skb heads", "heads", ledger.skb_heads, ledger.sk_buffs),
        Item("truesize", "truesize", ledger.truesize_total, done, "B"),
        Item("headers parsed", "parses", ledger.header_parses, done),
        Item("pages mapped", "maps", ledger.dma_maps, done),
        Item("atomic refs", "atomics", ledger.refs_atomic, done),
        Item("tail writes", "tail", ledger.tail_writes, done),
        Item("synced for CPU", "sync cpu", ledger.sync_cpu_bytes, done, "B"),
        Item("for device", "sync dev", ledger.sync_device_bytes, done, "B"),
        Item("descriptor reads", "desc rd", ledger.descriptor_reads, done),
        Item("and writes", "desc wr", ledger.descriptor_writes, done),
    ]


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the bill."""
    m = moment.machine
    done = frames_done(m)
    note = f"a frame, over {done:,}" if done else "in all, no frame done yet"

    def body(canvas: Canvas) -> None:
        if canvas.height >= len(items(m)) + 1:
            _long(canvas, m, done)
        else:
            _short(canvas, m, done)

    return frame(width, height, "The bill", note, body, active=active, glyphs=glyphs)


def average(total: int, frames: int) -> str:
    """Return a total shared among frames: whole, or with one digit behind the point where that is under 100."""
    if not frames:
        return "–"
    share = total / frames
    return f"{share:,.0f}" if share >= 99.95 or share == int(share) else f"{share:.1f}"


def _short(canvas: Canvas, m: Machine, done: int) -> None:
    """Write two items a line, each with its share for one frame."""
    each = (canvas.width - 3) // 2 if canvas.width >= 34 else canvas.width
    columns = 2 if canvas.width >= 34 else 1
    for number, item in enumerate(items(m)[: canvas.height * columns]):
        x, y = (number % columns) * (each + 3), number // columns
        canvas.write(x, y, item.short, Role.REST)
        unit = f" {item.unit}" if item.unit else "   "
        value = average(item.total, item.over) if done else f"{item.total:,}"
        start = canvas.put_right(x + each, y, f"{unit:<3}", Role.REST)
        canvas.put_right(start, y, value, Role.PLAIN if item.total else Role.REST)
        if item.badge and each >= len(item.short) + len(value) + 6:
            canvas.put(x + len(item.short) + 1, y, item.badge, Role.BADGE)


def _long(canvas: Canvas, m: Machine, done: int) -> None:
    """Write one item a line: its total, its share for one frame, and a bar where there is room."""
    end = min(canvas.width, 56)
    share_end, total_end = end - 3, end - 15
    canvas.put_right(total_end, 0, "total", Role.REST)
    canvas.put_right(share_end, 0, "a frame", Role.REST)
    for y, item in enumerate(items(m), 1):
        name = f"{item.name} {item.badge}".rstrip()
        canvas.write(0, y, name, Role.REST, total_end - 12)
        role = Role.PLAIN if item.total else Role.REST
        total = time_text(item.total) if item.unit == "ns" else f"{item.total:,}"
        canvas.put_right(total_end, y, total, Role.REST)
        canvas.put_right(share_end, y, average(item.total, item.over if done else 0), role)
        canvas.put(share_end + 1, y, item.unit, Role.REST)
    row = len(items(m)) + 2
    if canvas.height > row:
        words = f"{plural(done, 'frame')} done; the first fill is counted too"
        canvas.write(0, row, words, Role.REST)
