"""What just happened: the sentence, why, where in the kernel, and what it changed."""

from __future__ import annotations

from rxviz.model import steps
from rxviz.model.names import frame_name
from rxviz.run import words
from rxviz.run.damage import damage, lamps_now
from rxviz.run.timeline import Moment
from rxviz.run.trace import Step
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.changes import change_texts
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import fit, join_fit, plural, time_text, wrap

TITLE = "What just happened"
_START = "Nothing has happened yet. Press → for the first step, or space to play."
_UNCHANGED = {
    steps.DESC_DONE: "Nothing changed: the driver only looked.",
    steps.DESC_EMPTY: "Nothing changed: the driver only looked.",
    steps.BUF_SYNC: "Nothing changed but who may touch these bytes.",
    steps.SKB_DELIVER: "Nothing changed but who has the skb.",
    steps.RING_REFILL: "Nothing changed yet: a page or a descriptor comes next.",
    steps.GRO_RECEIVE: "Nothing changed but who has the skb.",
    steps.RXQ_REFILL: "Nothing changed yet: an skb for each slot comes next.",
    steps.BUF_MAP: "Nothing changed but who may touch these bytes.",
    steps.BUF_UNMAP: "Nothing changed but who may touch these bytes.",
    steps.NIC_WAIT: "Nothing changed: the NIC waits.",
}


def draw(
    moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE, more: str = ""
) -> Picture:
    """Return the story of the step that led to this moment; `more` is the key that shows all of it."""
    step = moment.step
    note = ""
    if step is not None:
        note = f"{steps.KINDS[step.kind].badge}  {words.where(step, moment.machine.config)}"

    def body(canvas: Canvas) -> None:
        if moment.step is None:
            _write(canvas, _START, _before(moment), [])
            return
        config = moment.machine.config
        changes = _changes(moment, moment.step)
        if lamps := lamps_now(moment):
            _write_harm(canvas, moment, words.text(moment.step, config), lamps)
            return
        _write(canvas, words.text(moment.step, config), words.why(moment.step, config), changes)

    foot = [(more, Role.KEY), (" tells it in full", Role.REST)] if more else []
    return frame(width, height, TITLE, note, body, foot=foot, active=active, glyphs=glyphs)


def _write_harm(canvas: Canvas, moment: Moment, sentence: str, lamps: list[str]) -> None:
    """Write the step in a line or two, and then each lamp that went on with what is damaged."""
    y = 0
    for line in wrap(sentence, canvas.width, 1 if canvas.height < 5 else 2):
        canvas.put(0, y, line, Role.STRONG)
        y += 1
    for lamp in lamps:
        law, *found = damage(moment, lamp)
        said = f"{canvas.glyphs.changed} lamp {lamp}: " + " ".join(found or [law])
        for line in wrap(said, canvas.width, canvas.height - y):
            canvas.put(0, y, line, Role.BAD)
            y += 1
        if found and y < canvas.height and lamp == lamps[-1]:
            canvas.put(0, y, fit(law, canvas.width), Role.REST)
            y += 1


def _changes(moment: Moment, step: Step) -> list[str]:
    """Return what the step changed in words, never nothing: that a step changes nothing is worth knowing too. Where a
    socket drops, the comparison that failed comes first.
    """
    if step.kind == steps.SOCKET_DROP:
        return [_refusal(moment, step), *change_texts(step.changes)]
    if step.kind == steps.NIC_DMA:
        return [f"{plural(step.field('size'), 'byte')} of memory changed", *change_texts(step.changes)]
    if step.changes:
        return change_texts(step.changes)
    return [_UNCHANGED.get(step.kind, "Nothing changed in ring, pages and skbs.")]


def _refusal(moment: Moment, step: Step) -> str:
    """Return the comparison by which this kernel's socket refuses an skb."""
    charged, limit = step.field("charged"), step.field("limit")
    rule = moment.machine.config.core.udp_admission
    skb = moment.machine.skbs.get(step.skb) if step.skb is not None else None
    if rule.startswith("charged >") or skb is None:
        return f"{charged:,} charged {'≥' if '>=' in rule else '>'} {limit:,}"
    return f"{charged:,} + {skb.truesize:,} > {limit:,}"


def _write(canvas: Canvas, sentence: str, why: str, changes: list[str]) -> None:
    """Write the three parts. Changes have all the lines that are left, one on each or several where they
    are many; the last line says how many are missing.
    """
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
    rows = _rows(changes, canvas.width, height - y)
    if y + len(rows) < height:
        y += 1
    for row in rows:
        canvas.put(0, y, row, Role.REST)
        _accent_arrows(canvas, y)
        y += 1


def _rows(changes: list[str], width: int, room: int) -> list[str]:
    """Return changes in at most `room` lines: a line each where they fit, else several to a line."""
    if len(changes) <= room:
        return [fit(change, width) for change in changes]
    rows: list[str] = []
    left = list(changes)
    while left and len(rows) < room - 1:
        taken = 1
        while taken < len(left) and len(" · ".join(left[: taken + 1])) <= width:
            taken += 1
        rows.append(fit(" · ".join(left[:taken]), width))
        left = left[taken:]
    return [*rows, join_fit(left, width)] if left else rows


def _accent_arrows(canvas: Canvas, y: int) -> None:
    """Let the arrow between old and new stand out: it says that something changed."""
    arrow = "→".translate(dict(canvas.glyphs.letters))
    for x, letter in enumerate(canvas.line_text(y)):
        if letter == arrow:
            canvas.paint(x, y, 1, Role.ACCENT)


def _before(moment: Moment) -> str:
    """Say what there is before the first step."""
    m = moment.machine
    ring = m.ring
    rest = "; one slot stays empty" if ring.keeps_one_empty else ""
    words_ = [f"The driver has posted {plural(m.nic.given, 'buffer')} on a ring of {ring.count:,}{rest}."]
    first = m.source.frame(0)
    if first is not None:
        name = frame_name(first.id)
        words_.append(f"Frame {name}, {first.wire_len:,} bytes, arrives after {time_text(first.t_ns)}.")
    return " ".join(words_)
