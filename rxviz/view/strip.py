"""The pipeline in two or three lines: where every frame is right now, and which stage acts in this step."""

from __future__ import annotations

from dataclasses import dataclass, field

from rxviz.model import steps
from rxviz.model.bridge import Bridge
from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.names import frame_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.slots import SlotState, bands, counts_before, slot_at

LEAST = {"wire": 9, "NIC": 7, "ring": 12, "driver": 8, "skb": 6, "socket": 10, "reader": 8}
"""The stages in order, and the cells that each takes at least, where there are as many."""
MORE = {"wire": 8, "NIC": 10, "ring": 8, "driver": 2, "skb": 4, "socket": 12, "reader": 1}
"""How they share what is left."""
QUEUES = frozenset({"wire", "ring", "socket"})
"""Stages whose first frame stands at the right, next to where it goes: the others stay put when one more comes."""
GRO, GRO_LEAST, GRO_MORE = "GRO", 8, 8
"""The stage between skb and socket, its cells and its share, where GRO is on."""
STATUS_WIDTHS = (18, 11)
"""Cells that interrupt and poll take beside the stages, where there is room for both."""
AHEAD = 3
"""Frames still on the wire that are shown."""
_PREFIXES = {
    "nic": "NIC",
    "irq.raise": "NIC",
    "skb": "skb",
    "gro": GRO,
    "lro": GRO,
    "rxq": "driver",
    "bridge": "socket",
    "stack": "socket",
    "socket": "socket",
    "reader": "reader",
}
_EXACT = {
    "wire.arrive": "NIC", "irq.raise": "NIC", "irq.enter": "driver", "ring.refill": "ring", "ring.tail": "ring",
    "desc.post": "ring", "page.alloc": "ring", "nic.writeback": "ring", "skb.free": "reader",
    "nic.give_back": "ring", "rxq.refill": "ring", "chunk.alloc": "ring", "skb.ahead": "ring", "buf.map": "ring",
    "desc.give": "ring", "bridge.send": "reader",
}  # fmt: skip


@dataclass(slots=True)
class Stage:
    """What stands at a stage: frames in the order in which they move on (the first moves first), and words below."""

    frames: list[Frame] = field(default_factory=list)
    more: int = 0
    words: tuple[str, ...] = ()
    """What is said below, the longest form first; the first that fits is taken."""
    gauge: float | None = None
    changed: bool = False
    """Whether this step changed what the words and the gauge say."""
    dropped: int | None = None
    """Number of the frame that is lost here in this step."""
    lost: int = 0
    """How many were lost here so far."""


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
    names = changed(moment)
    kind = moment.step.kind if moment.step is not None else -1
    found["NIC"] = _nic(moment, "nic.waiting" in names)
    found["ring"], found["driver"] = _ring_and_driver(moment)
    newest = [skb for skb in list(m.skbs.values())[-4:] if skb.state == "driver"]
    at_work = [frame for skb in newest for frame in skb.frames]
    if kind in (steps.SOCKET_DROP, steps.BRIDGE_REFUSE) and moment.step is not None:
        at_work = [frame for frame in at_work if frame.id != moment.step.frame]
    words = (f"{m.ledger.sk_buffs:,} made", f"{m.ledger.sk_buffs:,}")
    new = kind in (steps.SKB_ALLOC, steps.SKB_BUILD)
    found["skb"] = Stage(at_work[:8], max(len(at_work) - 8, 0), words, changed=new)
    if m.gro is not None or m.lro is not None:
        found[GRO] = _merging(m, changed=bool({"gro.held", "lro.held"} & names))
    found["socket"] = _socket(moment, "socket.charged" in names)
    members = {member.id for skb in m.skbs.values() for member in skb.frag_list}
    read = [skb for skb in m.skbs.values() if skb.state == "reader" and skb.id not in members]
    reading = [frame for skb in read for frame in skb.frames] if moment.step is not None else []
    words = (f"{m.socket.read:,} read", f"{m.socket.read:,}")
    if isinstance(m.socket, Bridge):
        words = (f"{m.socket.frames_sent:,} sent", f"{m.socket.frames_sent:,}")
        step = moment.step
        if step is not None and step.kind == steps.BRIDGE_SEND and step.frame is not None:
            sent = m.source.frame(step.frame)
            reading = [sent] if sent is not None else []
    found["reader"] = Stage(reading, words=words, changed="socket.read" in names)
    return found


def _nic(moment: Moment, new: bool) -> Stage:
    """Frames in the NIC's packet buffer, and those that found no room there or were refused."""
    m, limit = moment.machine, moment.machine.nic.packet_buffer
    waiting = list(m.nic.fifo)
    stage = Stage(waiting[:8], max(len(waiting) - 8, 0), (used_of(m.nic.fifo_bytes, limit),), m.nic.fifo_bytes / limit)
    stage.changed, stage.lost = new, m.nic.dropped_ring + m.nic.dropped_error
    if moment.step is not None and moment.step.kind in steps.NIC_DROPS:
        stage.dropped = moment.step.frame
    return stage


def _socket(moment: Moment, new: bool) -> Stage:
    """Skbs in the socket's queue, and those that it had no room for."""
    socket = moment.machine.socket
    if isinstance(socket, Bridge):
        return _bridge(moment, socket)
    queue = socket.queue
    shown = min(len(queue), 12)
    frames = [frame for place in range(shown) for frame in queue[place].frames]
    words = (used_of(socket.charged, socket.limit),)
    more = len(queue) - shown + max(len(frames) - 12, 0)
    stage = Stage(frames[:12], more, words, socket.charged / socket.limit)
    stage.changed, stage.lost = new, socket.frames_dropped
    if moment.step is not None and moment.step.kind in (steps.SOCKET_DROP, steps.BRIDGE_REFUSE):
        stage.dropped = moment.step.frame
    return stage


def _bridge(moment: Moment, bridge: Bridge) -> Stage:
    """What the bridge has in hand, and what it has not sent as it came."""
    m, step = moment.machine, moment.step
    members = {member.id for skb in m.skbs.values() for member in skb.frag_list}
    in_hand = [skb for skb in m.skbs.values() if skb.state == "stack" and skb.id not in members]
    frames = [frame for skb in in_hand for frame in skb.frames]
    left = {number for number, _ in bridge.last} if step is not None and step.name.startswith("bridge") else set()
    stage = Stage([frame for frame in frames if frame.id not in left][:12])
    stage.words = (f"{bridge.frames_changed:,} changed", f"{bridge.frames_changed:,}")
    stage.changed = "lamps.sent_as_arrived" in changed(moment)
    stage.lost = bridge.frames_dropped
    if step is not None and step.kind == steps.BRIDGE_REFUSE:
        stage.dropped = step.frame
    return stage


def used_of(used: int, limit: int) -> str:
    """Return "1.5/512K": what is used and what there is, both in the unit that suits the limit."""
    for unit, power in (("M", 20), ("K", 10)):
        if limit >= 1 << power:
            part, whole = used / (1 << power), limit / (1 << power)
            shown = f"{part:.1f}" if 0 < part < 100 else f"{part:.0f}"
            return f"{shown}/{whole:.1f}{unit}".replace(".0" + unit, unit)
    return f"{used}/{limit} B"


def stage_names(m: Machine) -> list[str]:
    """Return the stages in order; GRO is one where it is on."""
    names = list(LEAST)
    if m.gro is not None or m.lro is not None:
        names.insert(names.index("socket"), GRO)
    return names


def _merging(m: Machine, *, changed: bool) -> Stage:
    """What GRO and LRO hold, and nearer to the socket what waits to go up."""
    frames: list[Frame] = []
    held = 0
    if m.gro is not None:
        gro = m.gro
        frames += [frame for skb in gro.queue for frame in skb.frames]
        frames += [frame for skb, _ in gro.holding.values() for frame in skb.frames]
        if gro.skb is not None and gro.skb.frame not in frames:
            frames.append(gro.skb.frame)
        held += len(gro.holding)
    if m.lro is not None:
        frames += [frame for skb in m.lro.holding.values() for frame in skb.frames]
        held += len(m.lro.holding)
    words = (f"{held} held", f"{held}")
    return Stage(frames[:12], max(len(frames) - 12, 0), words, changed=changed)


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
    new = counts_before(moment) != (posted, done)
    return Stage(frames[:12], max(done - 24, 0), words, changed=new), Stage(in_hand)


def work_done(moment: Moment, kinds: bytearray) -> int | None:
    """Return how many frames the present poll has finished, None between polls; `kinds` are those of the run."""
    data = kinds[: moment.position]
    start = data.rfind(steps.POLL_START)
    if start < 0 or data.find(steps.POLL_END, start) >= 0:
        return None
    if taken := data.count(steps.CQE_TAKE, start):
        return taken
    done = [steps.SKB_DELIVER, steps.GRO_RECEIVE, steps.LRO_RECEIVE]
    if moment.machine.config.geometry.head:
        # To mv643xx_eth a refill is work like a frame, and so is a frame thrown away.
        done += [steps.RXQ_DROP, steps.DESC_GIVE]
    return sum(data.count(kind, start) for kind in done)


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
    with_gro = moment.machine.gro is not None or moment.machine.lro is not None
    need = sum(LEAST.values()) + (GRO_LEAST if with_gro else 0)
    status = next((cells for cells in STATUS_WIDTHS if need + cells < width), 0)
    room = width - status - 1
    acting = acting_stage(moment)
    row = 1 if height >= 2 else 0
    canvas.fill(1, row, room - 1, "─", Role.BORDER)
    edges = stage_edges(room, gro=with_gro)
    for (name, stage), x, end in zip(stages(moment).items(), edges, edges[1:], strict=False):
        _stage(canvas, x, end, row, name, stage, label_of(moment.machine, name), name == acting)
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


def label_of(m: Machine, name: str) -> str:
    """Return how a stage is called: LRO may stand where GRO does, and a bridge where a socket does."""
    if name == GRO and m.lro is not None:
        return "LRO" if m.gro is None else "LRO, GRO"
    if m.config.forward != "off":
        return {"socket": "bridge", "reader": "out"}.get(name, name)
    return name


def _stage(canvas: Canvas, x: int, end: int, row: int, name: str, stage: Stage, label: str, acting: bool) -> None:
    width = end - x - 1
    if row:
        mark = canvas.glyphs.down if acting else ""
        end_of_name = canvas.write(x, 0, label, Role.ACCENT if acting else Role.REST, width - len(mark))
        canvas.put(end_of_name, 0, mark, Role.ACCENT)
    _frames(canvas, x, end - 1, row, stage, name)
    if row + 1 < canvas.height:
        _below(canvas, x, row + 1, stage, width)
    canvas.target(x, 0, end - x, 1, "stage", name)


def _frames(canvas: Canvas, x: int, end: int, y: int, stage: Stage, name: str) -> None:
    """Draw frames as blocks, the next one to move on the right; "+n" stands for those behind that have no room."""
    blocks = [f" {frame_name(frame.id)} " for frame in stage.frames]
    if stage.dropped is not None:
        word = f"✗{frame_name(stage.dropped)}"
        canvas.put(x, y, word[: max(end - x, 0)], Role.BAD)
        x += len(word) + 1
    taken, used = 0, 0
    while taken < len(blocks) and used + len(blocks[taken]) <= end - x:
        used += len(blocks[taken]) + 1
        taken += 1
    rest = len(blocks) - taken + stage.more
    while rest and taken and used + len(f"+{rest}") > end - x:
        taken -= 1
        rest += 1
        used -= len(blocks[taken]) + 1
    if (
        blocks
        and not taken
        and rest > 1
        and name != "wire"
        and len(f"+{rest - 1}{frame_name(stage.frames[0].id)}") <= end - x
    ):
        # There is no room for a block, but for the letter of the first.
        blocks[0], taken, rest = frame_name(stage.frames[0].id), 1, rest - 1
        used = len(blocks[0])
    more = f"+{rest}" if rest and name != "wire" else ""
    at = max(end - used - len(more), x) if name in QUEUES else x
    at = canvas.put(at, y, more[: max(end - at, 0)], Role.PLAIN)
    for number, (frame, block) in enumerate(reversed(list(zip(stage.frames[:taken], blocks, strict=False)))):
        at = canvas.put(at, y, " ", Role.PLAIN) if number else at
        canvas.target(at, y, len(block), 1, "frame", frame.id)
        at = canvas.put(at, y, block, frame_role(frame.id))


def _below(canvas: Canvas, x: int, y: int, stage: Stage, width: int) -> None:
    """Write what is said under a stage: gauge and words where they fit, a mark where they changed, and what is lost."""
    lost = f"lost {stage.lost:,}" if stage.lost else ""
    room = width - (len(lost) + 1 if lost else 0)
    words = next((words for words in stage.words if len(words) <= room), "")
    gauge = stage.gauge is not None and len(words) + 7 <= room
    role = Role.CHANGED if stage.changed else Role.REST
    at = _gauge(canvas, x, y, stage) if gauge else x
    if words:
        if gauge or (stage.changed and len(words) < room):
            at = canvas.put(at, y, canvas.glyphs.changed if stage.changed else " ", role)
        at = canvas.put(at, y, words, role)
    if lost:
        canvas.write(at + (1 if at > x else 0), y, lost, Role.BAD, x + width - at)


def _gauge(canvas: Canvas, x: int, y: int, stage: Stage) -> int:
    """Draw how full a stage is, in six small boxes; return the column behind them."""
    share = stage.gauge or 0
    full = min(6, round(share * 6 + 0.49)) if share > 0 else 0
    at = canvas.fill(x, y, full, canvas.glyphs.full, Role.NIC if share < 1 else Role.BAD)
    return canvas.fill(at, y, 6 - full, canvas.glyphs.empty, Role.REST)


def _status(canvas: Canvas, moment: Moment, x: int, kinds: bytearray | None) -> None:
    """Write what interrupt and poll are doing, each always in its own line."""
    m = moment.machine
    irq = "masked" if m.nic.irq_masked else "armed" if m.nic.irq_armed else "on"
    new = "nic.irq" in changed(moment)
    work = work_done(moment, kinds) if kinds is not None else None
    canvas.put(x, 0, "irq", Role.REST)
    canvas.put(x + 3, 0, canvas.glyphs.changed if new else " ", Role.CHANGED if new else Role.REST)
    canvas.put(x + 4, 0, irq, Role.CHANGED if new else Role.PLAIN)
    poll, room = f"poll {m.napi.polls:,}", canvas.width - x
    forms = (poll,) if m.napi.scheduled else (f"{poll} · idle", f"{poll} idle", "idle")
    canvas.write(x, 1, next((form for form in forms if len(form) <= room), poll), Role.PLAIN)
    canvas.write(x, 2, f"{work} of {m.config.budget}" if work is not None else f"budget {m.config.budget}", Role.REST)
