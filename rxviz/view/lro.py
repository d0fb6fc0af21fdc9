"""LRO in GRO's panel: what is in the making, what each packet has noted of the newest frame, what leaves and why."""

from __future__ import annotations

from rxviz.model import steps
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
    room = canvas.height - y
    for at, (number, one) in enumerate(rows):
        if at >= room or (at == room - 1 and len(rows) > room):
            canvas.write(0, canvas.height - 1, f"{len(rows) - at} more", Role.REST)
            return
        skb = lro.holding[one.parent.id]
        x = canvas.put(0, y, f"desc {number} ", Role.REST)
        noted = f" ack {one.ack} · window {one.window}"
        long = f" {skb.len:,} B ·{noted}"
        text = next((form for form in (long, noted, "") if canvas.width - x - len(form) >= 9), "")
        x = chips(canvas, x, y, skb.frames, canvas.width - len(text))
        canvas.write(x, y, text, Role.PLAIN)
        y += 1


def _deed(canvas: Canvas, moment: Moment) -> int:
    """Write what this step did; return the line below."""
    step = moment.step
    if step is None or step.kind not in KINDS:
        return 0
    config = moment.machine.config
    lines = wrap(words.text(step, config), canvas.width, 2)
    for y, line in enumerate(lines):
        canvas.write(0, y, line, Role.ACCENT if step.kind != steps.LRO_RECEIVE else Role.PLAIN)
    y = len(lines)
    if step.kind == steps.LRO_FLUSH and step.segs > 1 and canvas.height - y >= 2:
        for line in wrap(words.why(step, config), canvas.width, canvas.height - y - 1):
            canvas.write(0, y, line, Role.REST)
            y += 1
    return y
