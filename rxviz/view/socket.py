"""The panel of the socket: its bucket filled with skbs to the size of what they are charged, payload and the rest."""

from __future__ import annotations

from rxviz.model.bridge import Bridge
from rxviz.model.names import frame_name
from rxviz.model.skb import SkBuff
from rxviz.model.socket import Socket
from rxviz.run.timeline import Moment
from rxviz.view import bridge
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import join_fit, plural, size_text

LONG_NOTE = 44
"""Columns from which the option stands in the border by its full name."""
WORDS = 3
"""Lines of words below the bucket, where there are as many."""


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the socket."""
    if isinstance(moment.machine.socket, Bridge):
        return bridge.draw(moment, moment.machine.socket, width, height, active=active, glyphs=glyphs)
    socket = moment.machine.socket
    note = f"SO_RCVBUF {size_text(socket.limit // 2)} → {size_text(socket.limit)}"
    if width < LONG_NOTE:
        note = note.removeprefix("SO_")

    def body(canvas: Canvas) -> None:
        rows = max(canvas.height - WORDS, 1)
        _bucket(canvas, socket, rows)
        _words(canvas, moment, rows)

    return frame(width, height, "Socket", note, body, active=active, glyphs=glyphs)


def _bucket(canvas: Canvas, socket: Socket, rows: int) -> None:
    """Fill cells in proportion: all of them are the limit. What is read but still charged comes first."""
    cells = rows * canvas.width
    for cell in range(cells):
        canvas.put(cell % canvas.width, cell // canvas.width, canvas.glyphs.spare, Role.REST)
    charged = socket.deferred
    end = charged * cells // socket.limit
    for cell in range(min(end, cells)):
        canvas.put(cell % canvas.width, cell // canvas.width, canvas.glyphs.copied, Role.READER)
    for skb in socket.queue:
        start, charged = end, charged + skb.truesize
        end = min(max(charged * cells // socket.limit, start + 1), cells)
        _brick(canvas, skb, start, end)
        if end == cells:
            break


def _brick(canvas: Canvas, skb: SkBuff, start: int, end: int) -> None:
    """One skb: solid for its payload, light for what else it keeps busy, its frames' letters where they fit."""
    solid = start + max(round((end - start) * skb.len / max(skb.truesize, 1)), 1)
    for cell in range(start, end):
        letter, role = (" ", frame_role(skb.frame.id))
        if cell >= solid:
            letter, role = canvas.glyphs.stack, frame_role(skb.frame.id, solid=False)
        canvas.put(cell % canvas.width, cell // canvas.width, letter, role)
    name = frame_name(skb.frame.id) + (f"+{skb.segs - 1}" if skb.segs > 1 else "")
    name = name if len(name) <= end - start else frame_name(skb.frame.id)
    if len(name) <= end - start and start % canvas.width + len(name) <= canvas.width:
        canvas.put(start % canvas.width, start // canvas.width, name, frame_role(skb.frame.id))
    width = min(end - start, canvas.width - start % canvas.width)
    canvas.target(start % canvas.width, start // canvas.width, width, 1, "frame", skb.frame.id)


def _words(canvas: Canvas, moment: Moment, y: int) -> None:
    socket = moment.machine.socket
    new = "socket.charged" in changed(moment)
    spans = [
        (f"{socket.charged:,}", Role.CHANGED if new else Role.PLAIN),
        (f" of {socket.limit:,} charged", Role.PLAIN),
    ]
    canvas.write_spans(0, y, spans)
    payload = sum(skb.len for skb in socket.queue)
    carry = "carries" if len(socket.queue) == 1 else "carry"
    parts = [f"{plural(len(socket.queue), 'skb')} {carry} {payload:,} B" if socket.queue else "no skb waits"]
    if socket.deferred:
        parts.append(f"{socket.deferred:,} read")
    canvas.write(0, y + 1, join_fit(parts, canvas.width), Role.REST)
    errors = f"RcvbufErrors {socket.rcvbuf_errors:,}"
    canvas.write(0, y + 2, errors, Role.BAD if socket.rcvbuf_errors else Role.REST)
    if canvas.width - len(errors) > 12:
        canvas.put(len(errors), y + 2, f" · {socket.read:,} read", Role.REST)
