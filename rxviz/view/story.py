"""What just happened: the sentence, why, where in the kernel, and what it changed."""

from __future__ import annotations

from rxviz.model import steps
from rxviz.model.names import frame_name
from rxviz.run import words
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.changes import change_texts
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import join_fit, plural, time_text, wrap

TITLE = "What just happened"


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the story of the step that led to this moment."""
    step = moment.step
    note = ""
    if step is not None:
        note = f"{steps.KINDS[step.kind].badge}  {words.where(step, moment.machine.config)}"

    def body(canvas: Canvas) -> None:
        if moment.step is None:
            _write(canvas, "Nothing has happened yet.", _before(moment), [])
            return
        config = moment.machine.config
        changes = change_texts(moment.step.changes)
        _write(canvas, words.text(moment.step, config), words.why(moment.step, config), changes)

    return frame(width, height, TITLE, note, body, active=active, glyphs=glyphs)


def _write(canvas: Canvas, sentence: str, why: str, changes: list[str]) -> None:
    """Write the three parts; changes have the last line, or where there is room a line each under the reason."""
    height = canvas.height
    lines = wrap(sentence, canvas.width, max(1, min(2, height - 1)))
    for y, line in enumerate(lines):
        canvas.put(0, y, line, Role.STRONG)
    y = len(lines)
    room = height - y - (1 if changes and height >= 4 else 0)
    for line in wrap(why, canvas.width, room):
        canvas.put(0, y, line, Role.PLAIN)
        y += 1
    if not changes or y >= height:
        return
    if len(changes) > 1 and y + 3 + len(changes) <= height:
        for row, change in enumerate(changes, y + 1):
            canvas.write(0, row, change, Role.REST)
            _accent_arrows(canvas, row)
        return
    last = min(height - 1, y + 2)
    canvas.put(0, last, join_fit(changes, canvas.width), Role.REST)
    _accent_arrows(canvas, last)


def _accent_arrows(canvas: Canvas, y: int) -> None:
    """Let the arrow between old and new stand out: it says that something changed."""
    arrow = "→".translate(dict(canvas.glyphs.letters))
    for x, letter in enumerate(canvas.line_text(y)):
        if letter == arrow:
            canvas.paint(x, y, 1, Role.ACCENT)


def _before(moment: Moment) -> str:
    """Say what there is before the first step, and which key to press."""
    m = moment.machine
    ring = m.ring
    posted = (ring.next_to_use - ring.next_to_clean) % ring.count
    words_ = [f"The driver has posted {plural(posted, 'buffer')} on a ring of {ring.count:,}; one slot stays empty."]
    first = m.source.frame(0)
    if first is not None:
        name = frame_name(first.id)
        words_.append(f"Frame {name}, {first.wire_len:,} bytes, arrives after {time_text(first.t_ns)}.")
    words_.append("Press → for the first step, or space to play.")
    return " ".join(words_)
