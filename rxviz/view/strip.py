"""The pipeline in two or three lines: where every frame is right now, and which stage acts in this step."""

from __future__ import annotations

from dataclasses import dataclass, field

from rxviz.model import steps
from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.names import frame_name
from rxviz.model.napi_gro import NapiGro
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.slots import SlotState, bands, slot_at
from rxviz.view.text import size_text

LEAST = {"wire": 10, "NIC": 8, "ring": 13, "driver": 8, "skb": 6, "socket": 11, "reader": 8}
"""The stages in order, and the cells that each takes at least, where there are as many."""
MORE = {"wire": 8, "NIC": 10, "ring": 8, "driver": 2, "skb": 4, "socket": 12, "reader": 1}
"""How they share what is left."""
QUEUES = frozenset({"wire", "ring", "socket"})
"""Stages whose first frame stands at the right, next to where it goes: the others stay put when one more comes."""
GRO, GRO_LEAST, GRO_MORE = "GRO", 8, 8
"""The stage between skb and socket, its cells and its share, where GRO is on."""
STATUS_WIDTH, STATUS_FROM = 14, 74
AHEAD = 3
"""Frames still on the wire that are shown."""
_PREFIXES = {
    "nic": "NIC",
    "irq.raise": "NIC",
    "skb": "skb",
    "gro": GRO,
    "stack": "socket",
    "socket": "socket",
    "reader": "reader",
}
_EXACT = {
    "wire.arrive": "wire", "irq.raise": "NIC", "irq.enter": "driver", "ring.refill": "ring", "ring.tail": "ring",
    "desc.post": "ring", "page.alloc": "ring", "nic.writeback": "ring", "skb.free": "reader",
}  # fmt: skip


@dataclass(slots=True)
class Stage:
    """What stands at a stage: frames in the order in which they move on (the first moves first), and words below."""

    frames: list[Frame] = field(default_factory=list)
    more: int = 0
    words: tuple[str, ...] = ()
    """What is said below, the longest form first; the first that fits is taken."""
    gauge: float | None = None


def acting_stage(moment: Moment) -> str:
    """Return the stage that takes this step, "" at the start."""
    if moment.step is None:
        return ""
    name = moment.step.name
    return _EXACT.get(name) or _PREFIXES.get(name.partition(".")[0], "driver")


def stages(moment: Moment) -> dict[str, Stage]:
    """Return every stage of the moment."""
    m = moment.machine
    found = {name: Stage() for name in stage_names(m)}
    found["wire"] = _wire(m)
    nic = m.nic
    limit = m.config.rules.packet_buffer
    waiting, share = list(nic.fifo), nic.fifo_bytes / limit
    found["NIC"] = Stage(waiting[:8], max(len(waiting) - 8, 0), (f"of {size_text(limit)}",), share)
    found["ring"], found["driver"] = _ring_and_driver(moment)
    at_work = [skb.frame for skb in list(m.skbs.values())[-4:] if skb.state == "driver"]
    found["skb"] = Stage(at_work, words=(f"{m.ledger.sk_buffs:,} made", f"{m.ledger.sk_buffs:,}"))
    queue = m.socket.queue
    words = (f"{m.socket.charged:,} of {size_text(m.socket.limit)}", f"{m.socket.charged:,} B", f"{m.socket.charged}")
    if m.gro is not None:
        found[GRO] = _gro(m.gro)
    frames = [frame for place in range(min(len(queue), 12)) for frame in queue[place].frames]
    waiting_up = len(queue) - min(len(queue), 12) + max(len(frames) - 12, 0)
    found["socket"] = Stage(frames[:12], waiting_up, words, m.socket.charged / m.socket.limit)
    step = moment.step
    members = {member.id for skb in m.skbs.values() for member in skb.frag_list}
    read = [skb for skb in m.skbs.values() if skb.state == "reader" and skb.id not in members]
    reading = [frame for skb in read for frame in skb.frames] if step is not None else []
    found["reader"] = Stage(reading, words=(f"{m.socket.read:,} read", f"{m.socket.read:,}"))
    return found


def stage_names(m: Machine) -> list[str]:
    """Return the stages in order; GRO is one where it is on."""
    names = list(LEAST)
    if m.gro is not None:
        names.insert(names.index("socket"), GRO)
    return names


def _gro(gro: NapiGro) -> Stage:
    """What is held, and nearer to the socket what waits to go up."""
    frames = [frame for skb in gro.queue for frame in skb.frames]
    frames += [frame for skb, _ in gro.holding.values() for frame in skb.frames]
    if gro.skb is not None and gro.skb.frame not in frames:
        frames.append(gro.skb.frame)
    words = (f"{len(gro.holding)} held", f"{len(gro.holding)}")
    return Stage(frames[:12], max(len(frames) - 12, 0), words)


def _wire(m: Machine) -> Stage:
    """The next frames that have not arrived; asks the source for one more, to say whether there are more."""
    frames = []
    for place in range(AHEAD):
        frame = m.source.frame(m.offered + place)
        if frame is None:
            break
        frames.append(frame)
    return Stage(frames, words=() if frames else ("nothing more", "no more"))


def _ring_and_driver(moment: Moment) -> tuple[Stage, Stage]:
    """Frames in done slots; the one that the driver has in hand, before it has an skb, stands with the driver."""
    m = moment.machine
    lengths = {state: (first, length) for state, first, length in bands(m)}
    first, done = lengths.get(SlotState.DONE, (0, 0))
    frames: list[Frame] = []
    for place in range(min(done, 24)):
        frame = m.ring.frames[(first + place) % m.ring.count]
        if frame is not None and frame not in frames:
            frames.append(frame)
    in_hand: list[Frame] = []
    with_skb = {skb.frame.id for skb in list(m.skbs.values())[-8:]}
    if done and slot_at(moment, first).in_hand and frames:
        in_hand = frames[:1]
    in_hand = [frame for frame in in_hand if frame.id not in with_skb]
    frames = [frame for frame in frames if frame not in in_hand and frame.id not in with_skb]
    posted = lengths.get(SlotState.POSTED, (0, 0))[1]
    words = (f"{done:,} done · {posted:,} posted", f"{done:,} done")
    return Stage(frames[:12], max(done - 24, 0), words), Stage(in_hand)


def work_done(moment: Moment, kinds: bytearray) -> int | None:
    """Return how many frames the present poll has finished, None between polls; `kinds` are those of the run."""
    data = kinds[: moment.position]
    start = data.rfind(steps.POLL_START)
    if start < 0 or data.find(steps.POLL_END, start) >= 0:
        return None
    return data.count(steps.SKB_DELIVER, start) + data.count(steps.GRO_RECEIVE, start)


def draw(
    moment: Moment,
    width: int,
    height: int = 3,
    *,
    kinds: bytearray | None = None,
    active: bool = False,
    glyphs: Glyphs = UNICODE,
) -> Picture:
    """Return the strip. With the run's `kinds` it can tell how much of the budget the present poll has used."""
    canvas = Canvas(width, height, glyphs)
    with_gro = moment.machine.gro is not None
    status = STATUS_WIDTH if width >= STATUS_FROM + (GRO_LEAST if with_gro else 0) else 0
    room = width - status - 1
    acting = acting_stage(moment)
    row = 1 if height >= 2 else 0
    canvas.fill(1, row, room - 1, "─", Role.BORDER)
    edges = stage_edges(room, gro=with_gro)
    for (name, stage), x, end in zip(stages(moment).items(), edges, edges[1:], strict=False):
        _stage(canvas, x, end, row, name, stage, name == acting)
    if status:
        _status(canvas, moment, width - status, kinds)
    return canvas.picture()


def stage_edges(room: int, *, gro: bool = False) -> list[int]:
    """Return the first column of each stage, and the one behind the last."""
    least, more = list(LEAST.values()), list(MORE.values())
    if gro:
        least.insert(-2, GRO_LEAST)
        more.insert(-2, GRO_MORE)
    spare = max(room - 1 - sum(least), 0)
    shrink = min((room - 1) / sum(least), 1)
    edges, used, shared = [1], 0, 0
    for need, share in zip(least, more, strict=True):
        used += need
        shared += share
        edges.append(1 + int(used * shrink) + spare * shared // sum(more))
    return edges


def _stage(canvas: Canvas, x: int, end: int, row: int, name: str, stage: Stage, acting: bool) -> None:
    width = end - x - 1
    if row:
        mark = canvas.glyphs.down if acting else ""
        end_of_name = canvas.write(x, 0, name, Role.ACCENT if acting else Role.REST, width - len(mark))
        canvas.put(end_of_name, 0, mark, Role.ACCENT)
    _frames(canvas, x, end - 1, row, stage, name)
    if row + 1 < canvas.height:
        gauge = _gauge(canvas, x, row + 1, stage, width)
        words = next((words for words in stage.words if len(words) <= width - gauge), "")
        canvas.put(x + gauge, row + 1, words, Role.REST)
    canvas.target(x, 0, end - x, 1, "stage", name)


def _frames(canvas: Canvas, x: int, end: int, y: int, stage: Stage, name: str) -> None:
    """Draw frames as blocks, the next one to move on the right; "+n" stands for those behind that have no room."""
    blocks = [f" {frame_name(frame.id)} " for frame in stage.frames]
    pitch = 2 if name == "wire" else 0
    taken, used = 0, 0
    while taken < len(blocks) and used + len(blocks[taken]) <= end - x:
        used += len(blocks[taken]) + pitch
        taken += 1
    rest = len(blocks) - taken + stage.more
    while rest and taken and used + len(f"+{rest}") > end - x:
        taken -= 1
        rest += 1
        used -= len(blocks[taken]) + pitch
    more = f"+{rest}" if rest and name != "wire" else ""
    at = max(end - used - len(more), x) if name in QUEUES else x
    at = canvas.put(at, y, more[: max(end - at, 0)], Role.PLAIN)
    for frame, block in reversed(list(zip(stage.frames[:taken], blocks, strict=False))):
        canvas.target(at, y, len(block), 1, "frame", frame.id)
        at = canvas.put(at, y, block, frame_role(frame.id)) + pitch


def _gauge(canvas: Canvas, x: int, y: int, stage: Stage, width: int) -> int:
    """Draw how full a stage is, in six small boxes; return the cells taken."""
    if stage.gauge is None or width < 14:
        return 0
    full = min(6, round(stage.gauge * 6 + 0.49)) if stage.gauge > 0 else 0
    at = canvas.fill(x, y, full, canvas.glyphs.full, Role.NIC if stage.gauge < 1 else Role.BAD)
    canvas.fill(at, y, 6 - full, canvas.glyphs.empty, Role.REST)
    return 7


def _status(canvas: Canvas, moment: Moment, x: int, kinds: bytearray | None) -> None:
    """Write what interrupt and poll are doing."""
    m = moment.machine
    irq = "masked" if m.nic.irq_masked else "armed" if m.nic.irq_armed else "on"
    changed = moment.step is not None and any(name == "nic.irq" for name, _, _ in moment.step.changes)
    canvas.put(x, 0, "irq ", Role.REST)
    canvas.write(x + 4, 0, irq, Role.ACCENT if changed else Role.PLAIN)
    words = f"poll {m.napi.polls}"
    work = work_done(moment, kinds) if kinds is not None else None
    share = f"{work}/{m.config.budget} done" if work is not None else f"budget {m.config.budget}"
    if canvas.height >= 3:
        canvas.write(x, 1, words if m.napi.scheduled or not m.napi.polls else f"{words} is over", Role.PLAIN)
        canvas.write(x, 2, share, Role.REST)
    elif canvas.height == 2:
        canvas.write(x, 1, words if work is None else f"{words} · {work}/{m.config.budget}", Role.REST)
