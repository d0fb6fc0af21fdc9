"""One poll in a picture: the frames that come, what each carries, where it is now, and the skbs that went up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.names import frame_name
from rxviz.model.skb import SkBuff
from rxviz.run.timeline import Moment
from rxviz.view.border import frame as border
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import plural
from rxviz.wire.summary import Summary, summarise

LABEL = 12
"""Columns of a row's name."""
LEAST, MOST = 9, 14
"""Columns of a frame."""
LOOKED_AT = 128
"""Frames from which connections are numbered."""
REST_OF_THEM = 10
"""Columns kept for the number of those that do not fit."""
MADE = 1 << 12
"""Flows of made frames have numbers below this; those of a capture are anything."""


class _Row(NamedTuple):
    """A row of the picture: its name, how much it is worth where there is little room (0 most), and what is in it."""

    name: str
    rank: int
    kind: str


_ROWS = (
    _Row("frame", 0, "chips"),
    _Row("connection", 2, "connection"),
    _Row("bytes", 4, "bytes"),
    _Row("carries", 3, "carries"),
    _Row("now", 1, "now"),
    _Row("", 5, ""),
    _Row("skbs up", 0, "up"),
)


@dataclass(slots=True)
class _Told:
    """What is said of one frame."""

    frame: Frame
    connection: str = ""
    bytes: str = ""
    carries: str = ""
    now: str = ""
    role: str = Role.PLAIN


def draw(
    moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE, chosen: int = -1,
    covered: bool = False,
) -> Picture:  # fmt: skip
    """Return the poll; `chosen` is a frame to be marked, `covered` asks how many skbs there will be."""
    m = moment.machine
    told = _window(moment, max(width - 4 - LABEL, 0) // LEAST)

    def body(canvas: Canvas) -> None:
        if not told:
            canvas.write(0, 0, "No frame comes.", Role.REST)
            return
        each = min(max((canvas.width - LABEL) // len(told), LEAST), MOST)
        ranks = sorted(row.rank for row in _ROWS)[: canvas.height]
        rows = [row for row in _ROWS if row.rank <= ranks[-1]][: canvas.height] if ranks else []
        for y, row in enumerate(rows):
            canvas.put(0, y, row.name, Role.REST)
            if row.kind == "up":
                _up(canvas, y, m, covered)
            elif row.kind:
                for number, one in enumerate(told):
                    _cell(canvas, LABEL + number * each, y, row.kind, one, each - 1, one.frame.id == chosen)

    up = m.socket.delivered
    note = "" if covered else f"{plural(up, 'skb')} up"
    last = told[-1].frame.id if told else 0
    more = f"frames {frame_name(told[0].frame.id)} to {frame_name(last)}" if told and _goes_on(m, told) else ""
    return border(width, height, "One poll" if not more else f"The poll, {more}", note, body, active=active,
                  glyphs=glyphs)  # fmt: skip


def _goes_on(m: Machine, told: Sequence[_Told]) -> bool:
    return bool(told[0].frame.id) or m.source.frame(told[-1].frame.id + 1) is not None


def _cell(canvas: Canvas, x: int, y: int, kind: str, one: _Told, width: int, chosen: bool) -> None:
    frame = one.frame
    if kind == "chips":
        canvas.target(x, y, width, 1, "frame", frame.id)
        role = frame_role(frame.id, solid=one.role != Role.REST)
        end = canvas.put(x, y, f" {frame_name(frame.id)} ", role)
        if chosen:
            canvas.put(x - 1, y, canvas.glyphs.right, Role.ACCENT)
            canvas.put(end, y, canvas.glyphs.left, Role.ACCENT)
        return
    text = {"connection": one.connection, "bytes": one.bytes, "carries": one.carries, "now": one.now}[kind]
    role = one.role if kind == "now" else Role.ACCENT if kind == "carries" else Role.PLAIN
    canvas.write(x + 1, y, text, role, width)


def _up(canvas: Canvas, y: int, m: Machine, covered: bool) -> None:
    """Write the skbs that went up or are on their way, each as one block."""
    if covered:
        canvas.put(LABEL + 1, y, "how many?", Role.ACCENT)
        return
    x = LABEL
    if m.socket.read:
        x = canvas.put(x + 1, y, f"{plural(m.socket.read, 'skb')} read ", Role.REST)
    waiting = m.gro.queue if m.gro is not None else []
    skbs = [*m.socket.queue, *waiting]
    for number, skb in enumerate(skbs):
        if x + LEAST + REST_OF_THEM > canvas.width and number + 1 < len(skbs):
            canvas.put(x, y, f"+{plural(len(skbs) - number, 'skb')}", Role.REST)
            return
        for place, frame in enumerate(skb.frames):
            name = f" {frame_name(frame.id)} "
            if x + len(name) + REST_OF_THEM > canvas.width and place + 1 < skb.segs:
                x = canvas.put(x, y, f" +{skb.segs - place}", Role.REST)
                break
            x = canvas.put(x, y, name, frame_role(frame.id))
        x += 2


def loads(
    columns: Sequence[tuple[str, Moment]], width: int, height: int, *, glyphs: Glyphs = UNICODE
) -> Picture:  # fmt: skip
    """Return some loads, (name, moment) each: their first frames, and at the end how many skbs went up."""

    def body(canvas: Canvas) -> None:
        tall = 2 if canvas.height >= 2 * len(columns) else 1
        for number, (name, moment) in enumerate(columns):
            _load(canvas, number * tall, tall, name, moment)

    return border(width, height, "The loads", "frame and connection", body, active=True, glyphs=glyphs)


def _load(canvas: Canvas, y: int, tall: int, name: str, moment: Moment) -> None:
    m = moment.machine
    room = canvas.width - LABEL - 22
    told = _frames(m, 0, max(room // 6, 1))
    canvas.write(0, y, name, Role.STRONG, LABEL - 1)
    x = LABEL
    for one in told:
        x = canvas.put(x, y, f" {frame_name(one.frame.id)} ", frame_role(one.frame.id))
        x = canvas.put(x, y, f"{one.connection:<3}", Role.PLAIN)
    if m.source.frame(told[-1].frame.id + 1) is not None:
        canvas.put(x, y, canvas.glyphs.ellipsis, Role.REST)
    if m.offered:
        up = f"{m.offered:,} frames: {plural(m.socket.delivered, 'skb')}"
        canvas.put_right(canvas.width, y, up, Role.ACCENT)
    if tall > 1:
        canvas.write(LABEL + 1, y + 1, _size(told[0]), Role.REST)


def _size(one: _Told) -> str:
    """Return in words what each frame of a load carries."""
    if one.bytes == "none":
        return "TCP without payload: an ACK each"
    said = summarise(one.frame.data)
    return f"{said.l4.upper()}, {said.payload_length:,} bytes of payload each"


# ----------------------------------------------------------------------------------------------------------- the frames
def _window(moment: Moment, columns: int) -> list[_Told]:
    """Return what there is to say of as many frames as fit, those round the frame of this step."""
    m, step = moment.machine, moment.step
    columns = max(columns, 1)
    current = step.frame if step is not None and step.frame is not None else max(m.offered - 1, 0)
    found = _frames(m, current // columns * columns, columns)
    places = _places(m)
    for one in found:
        one.now, one.role = places.get(one.frame.id, _place(m, one.frame))
    return found


def _frames(m: Machine, start: int, count: int) -> list[_Told]:
    """Return what so many frames from one on say of themselves."""
    frames: list[Frame] = []
    for number in range(max(start - LOOKED_AT, 0), start + count):
        frame = m.source.frame(number)
        if frame is None:
            break
        frames.append(frame)
    numbers = _connections(frames)
    said = [(frame, numbers[frame.flow], summarise(frame.data)) for frame in frames if frame.id >= start]
    first = {connection: one for _, connection, one in reversed(said)}
    differing = {
        (connection, name)
        for _, connection, one in said
        for name in ("ack", "window")
        if getattr(one, name) != getattr(first[connection], name)
    }
    return [_tell(frame, connection, one, differing) for frame, connection, one in said]


def _connections(frames: Sequence[Frame]) -> dict[int, int]:
    """Number the connections: made ones as they were numbered, whatever the frames' order, others as they come."""
    flows = list(dict.fromkeys(frame.flow for frame in frames))
    if flows and max(flows) < MADE:
        flows.sort()
    return {flow: number for number, flow in enumerate(flows, 1)}


def _tell(frame: Frame, connection: int, said: Summary, differing: set[tuple[int, str]]) -> _Told:
    one = _Told(frame, str(connection))
    size = said.payload_length
    if said.l4 == "tcp" and said.seq is not None:
        one.bytes = f"{said.seq}–{said.seq + size - 1}" if size else "none"
        one.carries = _carries(said, {name for number, name in differing if number == connection})
    else:
        one.bytes, one.carries = f"{size:,}", said.l4.upper()
    return one


def _carries(said: Summary, differing: set[str]) -> str:
    """Return what is special of a segment, and those fields in which the segments of its connection differ."""
    flags = [name for letter, name in (("P", "PSH"), ("F", "FIN"), ("S", "SYN"), ("R", "RST")) if letter in said.flags]
    if "ack" in differing:
        flags.append(f"ACK {said.ack}")
    if "window" in differing:
        flags.append(f"win {said.window}")
    return " ".join(flags) or ("" if said.payload_length else "no data")


def _places(m: Machine) -> dict[int, tuple[str, str]]:
    """Return where each frame is that GRO has in hand, or that is in an skb at the socket."""
    found: dict[int, tuple[str, str]] = {}
    gro = m.gro
    if gro is not None:
        for skb, _ in gro.holding.values():
            _joined(found, skb, "held", Role.ACCENT)
        for skb in gro.queue:
            _joined(found, skb, "leaves", Role.CHANGED)
    for skb in m.socket.queue:
        _joined(found, skb, "up", Role.GOOD)
    return found


def _joined(found: dict[int, tuple[str, str]], skb: SkBuff, word: str, role: str) -> None:
    found[skb.frame.id] = word, role
    for frame in skb.frames[1:]:
        found[frame.id] = f"in {frame_name(skb.frame.id)}", role


def _place(m: Machine, frame: Frame) -> tuple[str, str]:
    """Return where a frame is that is in nobody's hand yet, or not any more; skbs are made in the frames' order."""
    if frame.id >= m.offered:
        return "", Role.REST
    if any(skb.frame.id == frame.id for skb in m.skbs.values()):
        return "driver", Role.PLAIN
    return ("read", Role.REST) if frame.id < m.ledger.sk_buffs else ("in ring", Role.NIC)
