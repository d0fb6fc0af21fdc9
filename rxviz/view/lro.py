"""LRO in GRO's panel: what is in the making, what each packet has noted of the newest frame, what leaves and why."""

from __future__ import annotations

from rxviz.model import steps
from rxviz.model.gro import lro_check
from rxviz.model.gro.lro import LroDescriptor
from rxviz.model.napi_lro import NapiLro
from rxviz.run import words
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role
from rxviz.view.chips import chips
from rxviz.view.text import wrap

KINDS = frozenset({steps.LRO_RECEIVE, steps.LRO_START, steps.LRO_MERGE, steps.LRO_ALONE, steps.LRO_FLUSH})
"""Steps that are LRO's: then the panel is."""


def draw(canvas: Canvas, moment: Moment, lro: NapiLro) -> None:
    """Write what is in the making, descriptor by descriptor; above it what this step did with a frame."""
    y = _deed(canvas, moment)
    rows = [(n, one) for n, one in enumerate(lro.slots) if one is not None and one.parent.id in lro.holding]
    if not rows:
        if y < canvas.height:
            canvas.write(0, y, "Nothing is in the making.", Role.REST)
        return
    room, each = canvas.height - y, 2 if canvas.height - y >= 2 * len(rows) else 1
    for at, (number, one) in enumerate(rows):
        if (at + 1) * each > room or ((at + 2) * each > room and at + 1 < len(rows)):
            canvas.write(0, canvas.height - 1, f"{len(rows) - at} more", Role.REST)
            return
        skb = lro.holding[one.parent.id]
        x = canvas.put(0, y, f"desc {number} ", Role.REST)
        size = f" {skb.len:,} B"
        x = chips(canvas, x, y, skb.frames, canvas.width - len(size))
        canvas.write(x, y, size, Role.PLAIN)
        if each == 2:
            _noted(canvas, moment, y + 1, one)
        y += each


def _noted(canvas: Canvas, moment: Moment, y: int, one: LroDescriptor) -> None:
    """Write what the packet's header will say, and what it still says, where that is something else."""
    _, _, ack, _, window, _, _ = lro_check.tcp_header(one.parent.data, one.parent.transport)
    noted = f"notes ack {one.ack}, window {one.window}"
    now = f" · header {ack}, {window}" if (ack, window) != (one.ack, one.window) else ""
    new = moment.step is not None and moment.step.kind == steps.LRO_MERGE
    x = canvas.write(2, y, noted, Role.CHANGED if new and now else Role.PLAIN)
    if x + len(now) <= canvas.width:
        canvas.put(x, y, now, Role.REST)


def _deed(canvas: Canvas, moment: Moment) -> int:
    """Write what this step did; return the line below."""
    step = moment.step
    if step is None or step.kind not in KINDS:
        return 0
    config = moment.machine.config
    lines = wrap(words.text(step, config), canvas.width, 3 if canvas.height >= 7 else 2)
    for y, line in enumerate(lines):
        canvas.write(0, y, line, Role.ACCENT if step.kind != steps.LRO_RECEIVE else Role.PLAIN)
    y = len(lines)
    if step.kind == steps.LRO_FLUSH and step.segs > 1 and canvas.height - y >= 2:
        for line in wrap(words.why(step, config), canvas.width, canvas.height - y - 1):
            canvas.write(0, y, line, Role.REST)
            y += 1
    return y
