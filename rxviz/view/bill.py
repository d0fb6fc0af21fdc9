"""The panel of the bill: what the run's frames have cost so far, in all and for each frame, the set-up apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.account import drops
from rxviz.model.ledger import COUNTS
from rxviz.model.machine import Machine
from rxviz.model.names import frame_name
from rxviz.run.engine import make_config
from rxviz.run.scenario import Scenario
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit, plural

if TYPE_CHECKING:
    from rxviz.model.frame import Frame


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the bill: its name with the unit, its total without the set-up, and the number of frames that this is
    shared among (those done, for heads also the one in hand), 0 where an average would mean nothing. `own` tells what
    the frame in question has paid, "" where that is not known. `changed` says that this step added to it.
    """

    name: str
    total: int
    over: int
    changed: bool = False
    own: str = ""


LINES = (
    ("bytes copied", "bytes_copied"),
    ("softirq, ns", ""),
    ("skb heads", "skb_heads"),
    ("truesize, B", "truesize_total"),
    ("headers parsed", "header_parses"),
    ("atomic refs", "refs_atomic"),
    ("sync CPU, B", "sync_cpu_bytes"),
    ("sync NIC, B", "sync_device_bytes"),
    ("cache lines M", "cache_lines"),
    ("pages mapped", "dma_maps"),
    ("pages unmapped", "dma_unmaps"),
    ("sk_buffs", "sk_buffs"),
    ("desc reads", "descriptor_reads"),
    (" before fetch", "descriptor_reads_before_fetch"),
    ("desc writes", "descriptor_writes"),
    ("tail writes", "tail_writes"),
    ("checksummed, B", "csum_bytes"),
)
"""The lines in order, what two ways of building skbs differ in first, and what the ledger calls them; "": the time."""
RUNS_OWN = frozenset({"dma_maps", "descriptor_writes", "tail_writes"})
"""What is paid for no frame, but for the run: buffers are posted for whatever comes."""
HEADS = (("heads mapped", "dma_maps"), ("heads unmapped", "dma_unmaps"))
"""What comes behind the time where buffers are heads of skbs: each is mapped and unmapped for one frame."""
AHEAD = RUNS_OWN | {"skb_heads", "sk_buffs", "sync_device_bytes"}
"""What is paid for no frame where skbs are made ahead of the frames."""
NOBODYS = "run's"
"""What stands for a frame's share of that."""


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
    return sum(drops(m).values())


def lines(*, heads: bool) -> list[tuple[str, str]]:
    """Return the bill's lines; `heads` says that the NIC writes into heads of skbs."""
    if not heads:
        return [*LINES]
    known = {key for _, key in HEADS}
    others = [line for line in LINES if line[1] not in known]
    time = others.index(LINES[1]) + 1
    return [*others[:time], *HEADS, *others[time:]]


def items(moment: Moment) -> list[Item]:
    """Return the bill without the set-up: a line for each of `LINES`, and frames that were lost in front."""
    m, first = moment.machine, set_up(moment.scenario)
    own, done = moment.frame_bill(), frames_done(m)
    paid, before = dict(zip(COUNTS, moment.paid, strict=True)), dict(zip(COUNTS, first.ledger.values(), strict=True))
    heads, told = m.config.geometry.head > 0, []
    runs_own = AHEAD if heads else RUNS_OWN
    for name, key in lines(heads=heads):
        over = m.ledger.sk_buffs if key == "skb_heads" and not m.config.geometry.head else done
        if not key:
            ns = softirq_ns(m) - softirq_ns(first)
            told.append(Item(name, ns, over, own=f"{own.bill.ns:,}" if own else ""))
            continue
        share = "" if own is None else NOBODYS if key in runs_own else f"{own.bill[key]:,}"
        told.append(Item(name, getattr(m.ledger, key) - before[key], over, paid[key] != 0, share))
    missing = lost(m)
    if missing:
        now = moment.step is not None and moment.step.kind in steps.LOSSES
        told.insert(0, Item("lost frames", missing, 0, now))
    return told


EACH, TOTAL = "each", "in all"
OWN_WIDTH, EACH_WIDTH, TOTAL_WIDTH = 7, 7, 8
"""Columns of what the frame in question paid, of the average and of the total, where numbers are not longer."""
NARROW, ROOMY = 40, 52
"""Below the first width there is no column for a frame, below the second there is none too many for long numbers."""
LEADERS = 8
"""Dots lead the eye over gaps that are wider than this."""
ROOM = 35
"""Columns that a panel's other columns take."""


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the bill. The heads of its columns stand in the border, the set-up in the border at the bottom."""
    before = set_up(moment.scenario).ledger
    tails = f" · {plural(before.tail_writes, 'tail write')}" if width >= 50 and before.tail_writes else ""
    ring = moment.machine.ring
    posted = ring.count - 1 if ring.keeps_one_empty else ring.count
    said = f"{before.dma_maps:,} maps · {posted:,} posted{tails}"
    foot = [(f"set-up apart: {said}" if len(said) + 20 <= width else f"set-up: {said}", Role.REST)]
    found = items(moment)
    most = width - ROOM if width < ROOMY else width
    totals = max(TOTAL_WIDTH, *(len(amount(item.total, most)) + 1 for item in found))
    heads = f"{EACH:>{EACH_WIDTH}}  {TOTAL:>{totals}}"
    own = moment.frame_bill() if width >= NARROW else None
    spans: list[tuple[str, str]] = [(heads.strip(), Role.REST)]
    if own is not None:
        name = frame_name(own.frame)
        words = f"frame {name}" if width >= ROOMY or len(name) < 3 else name
        spans = [(words, frame_role(own.frame, solid=False)), (heads, Role.REST)]

    def body(canvas: Canvas) -> None:
        _draw(canvas, moment, found, totals, most, own is not None)

    title = "The bill · M ns" if width >= ROOMY else "Bill M"
    return frame(width, height, title, spans, body, foot=foot, active=active, glyphs=glyphs)


def amount(total: int, room: int) -> str:
    """Return a total; in millions where it takes more than `room` columns."""
    exact = f"{total:,}"
    return exact if len(exact) <= room else f"{total / 1_000_000:,.1f}M"


def average(total: int, frames: int) -> str:
    """Return a total shared among frames: whole, or with one digit behind the point where that is under 100."""
    if not frames:
        return "–"
    share = total / frames
    return f"{share:,.0f}" if share >= 99.95 or share == int(share) else f"{share:.1f}"


def _in_sight(found: list[Item], rows: int) -> list[Item]:
    """Return as many lines as fit; where this step added only to lines further down, the first of these comes last."""
    shown = found[:rows]
    if rows >= MOST_TOLD and not any(item.changed for item in shown):
        shown[-1:] = [next((item for item in found[rows:] if item.changed), shown[-1])]
    return shown


MOST_TOLD = 3
"""With fewer lines in sight than this, they are always the same."""


def _draw(canvas: Canvas, moment: Moment, found: list[Item], totals: int, most: int, own: bool) -> None:
    """Write one item a line under the heads of the border; the newest skb's truesize where a line is left."""
    each_end = canvas.width - totals - 2
    own_end = each_end - EACH_WIDTH
    owns = max(OWN_WIDTH, *(len(item.own) + 1 for item in found)) if own else 0
    for y, item in enumerate(_in_sight(found, canvas.height)):
        role = Role.CHANGED if item.changed else Role.PLAIN if item.total else Role.REST
        start = canvas.put_right(canvas.width, y, amount(item.total, most), role)
        if item.changed:
            canvas.put(start - 1, y, canvas.glyphs.changed, role)
        share = average(item.total, item.over)
        canvas.put_right(each_end, y, share, Role.PLAIN if item.total else Role.REST)
        if own:
            canvas.put_right(own_end, y, item.own, Role.REST if item.own in ("0", NOBODYS) else Role.PLAIN)
        room = min(own_end - owns, each_end - len(share)) - 1
        end = canvas.put(0, y, fit(item.name, max(room, 0)), Role.BAD if item.name.startswith("lost") else Role.REST)
        if room - end > LEADERS:
            canvas.fill(end + 1, y, room - end - 1, canvas.glyphs.spare, Role.BORDER)
    newest = next(reversed(moment.machine.skbs.values()), None)
    row = len(found) + 1
    if canvas.height > row:
        words = f"newest skb: truesize {newest.truesize:,}" if newest is not None else "no skb is alive"
        canvas.write(0, row, words, Role.REST)
