"""The panel of the bill: what the run's frames have cost so far, in all and for each frame, the set-up apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.machine import Machine
from rxviz.run.engine import make_config
from rxviz.run.scenario import Scenario
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.ledger import Ledger


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the bill: its name with the unit, its total without the set-up, and the number of frames that this is
    shared among (those done, for heads also the one in hand), 0 where an average would mean nothing. `changed` says
    that this step added to it.
    """

    name: str
    total: int
    over: int
    changed: bool = False


def frames_done(m: Machine) -> int:
    """Return how many frames the driver has finished: handed up or thrown away."""
    kinds = (steps.SKB_DELIVER, steps.GRO_RECEIVE, steps.LRO_RECEIVE, steps.FRAME_DISCARD, steps.RXQ_DROP)
    return sum(m.counts[kind] for kind in kinds)


def softirq_ns(m: Machine) -> int:
    """Return the CPU's time so far without the interrupt handler's, copies included, in ns."""
    spent = sum(count * cost for count, cost in zip(m.counts, m.costs, strict=True))
    return spent + m.copy_ns + m.csum_ns - m.counts[steps.IRQ_ENTER] * m.costs[steps.IRQ_ENTER]


class _Silence:
    """A wire on which nothing comes."""

    def frame(self, n: int) -> Frame | None:
        """Return no frame."""
        del n
        return None


@lru_cache(maxsize=8)
def set_up(scenario: Scenario) -> Machine:
    """Return the machine of a scenario as the interface has just come up: what it has cost by then is the set-up."""
    return Machine(make_config(scenario), _Silence())


def lost(m: Machine) -> int:
    """Return how many frames were lost at the NIC, in the driver and at the socket."""
    return m.nic.dropped_ring + m.nic.dropped_error + m.driver.rx_errors + m.socket.frames_dropped


def items(moment: Moment) -> list[Item]:
    """Return the bill without the set-up, what the two ways of building skbs differ in first."""
    m, step = moment.machine, moment.step
    first = set_up(moment.scenario)
    ledger, before, done = m.ledger, first.ledger, frames_done(m)
    kind = steps.KINDS[step.kind].name if step is not None else ""
    made = ledger.sk_buffs - before.sk_buffs
    maps = Item("pages mapped", ledger.dma_maps - before.dma_maps, done, kind == "page.alloc")
    mapped = _mapped(m, before, done, kind) if m.config.geometry.head else [maps]
    told = [
        Item("bytes copied", ledger.bytes_copied, done, kind in ("skb.copy", "skb.headers")),
        Item("softirq, ns", softirq_ns(m) - softirq_ns(first), done),
        Item("skb heads", ledger.skb_heads - before.skb_heads, made, kind in ("skb.alloc", "skb.ahead")),
        Item("truesize, B", ledger.truesize_total, done, kind == "skb.deliver"),
        Item("headers parsed", ledger.header_parses, done, kind == "skb.headers"),
        *mapped,
        Item("atomic refs", ledger.refs_atomic - before.refs_atomic, done),
        Item("tail writes", ledger.tail_writes - before.tail_writes, done, kind == "ring.tail"),
        Item("sync CPU, B", ledger.sync_cpu_bytes, done, kind in ("buf.sync", "buf.unmap")),
        Item(
            "sync NIC, B", ledger.sync_device_bytes - before.sync_device_bytes, done, kind in ("desc.post", "buf.map")
        ),
        Item("desc reads", ledger.descriptor_reads - before.descriptor_reads, done),
        Item("desc writes", ledger.descriptor_writes - before.descriptor_writes, done),
    ]
    missing = lost(m)
    if missing:
        now = kind in LOSING
        told.insert(0, Item("lost frames", missing, 0, now))
    return told


def _mapped(m: Machine, before: Ledger, done: int, kind: str) -> list[Item]:
    """Return what is mapped and unmapped for each frame anew."""
    return [
        Item("heads mapped", m.ledger.dma_maps - before.dma_maps, done, kind == "buf.map"),
        Item("unmapped", m.ledger.dma_unmaps, done, kind == "buf.unmap"),
    ]


LOSING = frozenset({
    "nic.missed", "nic.oversize", "nic.discard", "socket.drop", "frame.discard", "rxq.drop", "bridge.refuse",
})  # fmt: skip
"""Steps in which a frame is lost."""
TOTAL, EACH = "whole run", "each frame"


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the bill. The heads of its two columns stand in the border, the set-up in the border at the bottom."""
    before = set_up(moment.scenario).ledger
    tails = f" · {before.tail_writes} tail write" if width >= 50 else ""
    ring = moment.machine.ring
    posted = ring.count - 1 if ring.keeps_one_empty else ring.count
    foot = [(f"set-up apart: {before.dma_maps:,} maps · {posted:,} posted{tails}", Role.REST)]

    def body(canvas: Canvas) -> None:
        _draw(canvas, moment)

    return frame(width, height, "The bill · M ns" if width >= 48 else "The bill M", f"{TOTAL}  {EACH}", body, foot=foot,
                 active=active, glyphs=glyphs)  # fmt: skip


def average(total: int, frames: int) -> str:
    """Return a total shared among frames: whole, or with one digit behind the point where that is under 100."""
    if not frames:
        return "–"
    share = total / frames
    return f"{share:,.0f}" if share >= 99.95 or share == int(share) else f"{share:.1f}"


def _draw(canvas: Canvas, moment: Moment) -> None:
    """Write one item a line under the two heads of the border; the newest skb's truesize where a line is left."""
    share_end = canvas.width - 1
    total_end = share_end - len(EACH) - 2
    found = items(moment)
    for y, item in enumerate(found[: canvas.height]):
        role = Role.CHANGED if item.changed else Role.PLAIN if item.total else Role.REST
        total = f"{item.total:,}"
        start = canvas.put_right(total_end, y, total, role)
        if item.changed:
            canvas.put(start - 1, y, canvas.glyphs.changed, role)
        canvas.put(0, y, fit(item.name, max(start - 2, 0)), Role.BAD if item.name.startswith("lost") else Role.REST)
        canvas.put_right(share_end, y, average(item.total, item.over), Role.PLAIN if item.total else Role.REST)
    newest = next(reversed(moment.machine.skbs.values()), None)
    row = len(found) + 1
    if canvas.height > row:
        words = f"newest skb: truesize {newest.truesize:,}" if newest is not None else "no skb is alive"
        canvas.write(0, row, words, Role.REST)
