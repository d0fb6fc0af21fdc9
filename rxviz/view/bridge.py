"""The panel of a bridge: what of the skb in hand goes out of the other port, and what of that is not what came in."""

from __future__ import annotations

from rxviz.model.bridge import Bridge, Change
from rxviz.model.names import frame_name
from rxviz.run.timeline import Moment
from rxviz.run.words_mv643xx import change_words
from rxviz.view.border import frame as border
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit, plural


def draw(moment: Moment, bridge: Bridge, width: int, height: int, *, active: bool, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the bridge."""
    note = f"{plural(bridge.frames_sent, 'frame')} sent"

    def body(canvas: Canvas) -> None:
        _counts(canvas, moment, bridge)
        _sent(canvas, bridge)

    return border(width, height, "Bridge", note, body, active=active, glyphs=glyphs)


def _counts(canvas: Canvas, moment: Moment, bridge: Bridge) -> None:
    """Write at the bottom how many frames were not sent as they came, or not at all."""
    y = canvas.height - 1
    new = "lamps.sent_as_arrived" in changed(moment)
    if bridge.frames_changed:
        words = f"{bridge.frames_changed:,} not sent as they came"
        canvas.write(0, y, words, Role.CHANGED if new else Role.BAD)
    else:
        canvas.write(0, y, "all sent as they came" if bridge.frames_sent else "nothing was sent yet", Role.REST)
    if bridge.frames_dropped and y >= 1:
        canvas.write(0, y - 1, f"{bridge.frames_dropped:,} dropped: LRO had merged them", Role.BAD)


def _sent(canvas: Canvas, bridge: Bridge) -> None:
    """Write the frames of the last skb, the newest at the bottom: each as it came, or what is other."""
    room = canvas.height - (2 if bridge.frames_dropped else 1)
    shown = bridge.last[-room:] if room > 0 else []
    for y, (number, changes) in enumerate(shown):
        x = canvas.put(0, y, f" {frame_name(number)} ", frame_role(number))
        if not changes:
            canvas.write(x + 1, y, "as it came", Role.REST)
            continue
        canvas.put(x + 1, y, "✗ ", Role.BAD)
        canvas.write(x + 3, y, _short(changes, canvas.width - x - 3), Role.PLAIN)


def _short(changes: tuple[Change, ...], width: int) -> str:
    """Return what is other, "ACK number 1 → 201", as many as fit; checksums follow from the rest."""
    told = [each for each in changes if each[0] != "checksum"] or list(changes)
    forms = [
        ", ".join(f"{name} {came:,} → {sent:,}" for name, came, sent in told),
        ", ".join(f"{name.split()[0]} {came:,} → {sent:,}" for name, came, sent in told),
        change_words(*told[0]),
    ]
    return next((form for form in forms if len(form) <= width), fit(forms[1], width))
