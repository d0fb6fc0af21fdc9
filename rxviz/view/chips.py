"""Frames as blocks in a row, each with its letter and colour."""

from __future__ import annotations

from rxviz.model.frame import Frame
from rxviz.model.names import frame_name
from rxviz.view.cell import Canvas, Role, frame_role


def chips(canvas: Canvas, x: int, y: int, frames: list[Frame], end: int) -> int:
    """Write frames as blocks, first and last ones where not all fit; return the column behind them."""
    names = [f" {frame_name(frame.id)} " for frame in frames]
    shown = len(names)
    rest = ""
    while shown > 1 and x + sum(map(len, names[:shown])) + len(rest) > end:
        shown -= 1
        rest = f"+{len(names) - shown} "
    for frame, name in zip(frames[:shown], names, strict=False):
        canvas.target(x, y, len(name), 1, "frame", frame.id)
        x = canvas.put(x, y, name, frame_role(frame.id))
    return canvas.put(x, y, rest, Role.REST)
