"""The panel of GRO: what is held, the frame that is being compared rule by rule, and what leaves and why."""

from __future__ import annotations

from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Verdict
from rxviz.model.names import frame_name
from rxviz.model.napi_gro import NapiGro
from rxviz.model.napi_lro import NapiLro
from rxviz.run.gro_moment import Asking, asking
from rxviz.run.gro_why import Asked, State
from rxviz.run.timeline import Moment
from rxviz.view import lro
from rxviz.view.border import frame as border
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed
from rxviz.view.chips import chips
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.text import plural, wrap

_MERGED = (Verdict.MERGED, Verdict.MERGED_FREE)
MARKS = {State.PASSED: "✓", State.FAILED: "✗", State.NOT_REACHED: "–", State.OFF: "○"}
ROLES = {State.PASSED: Role.GOOD, State.FAILED: Role.BAD, State.NOT_REACHED: Role.REST, State.OFF: Role.ACCENT}
COLUMN = 42
"""Cells of a rule in a list of several columns."""


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return what GRO holds and asks."""
    gro, shown = moment.machine.gro, _lro(moment)
    note = "off" if gro is None else f"{plural(len(gro.holding), 'packet')} held"
    if shown is not None:
        note = f"{plural(len(shown.holding), 'packet')} in the making"

    def body(canvas: Canvas) -> None:
        if shown is not None:
            lro.draw(canvas, moment, shown)
            return
        if gro is None:
            _off(canvas, moment)
            return
        question = asking(moment)
        if question is None:
            _overview(canvas, moment, gro)
        else:
            _question(canvas, moment, gro, question)

    title = "LRO" if shown is not None else "GRO"
    return border(width, height, title, note, body, active=active, glyphs=glyphs)


def _lro(moment: Moment) -> NapiLro | None:
    """Return LRO where the panel is its own: GRO has nothing to do, or not in this step."""
    m, step = moment.machine, moment.step
    if m.lro is None or (m.gro is not None and (step is None or step.kind not in lro.KINDS)):
        return None
    return m.lro


def _off(canvas: Canvas, moment: Moment) -> None:
    scenario = moment.scenario
    never = scenario.deliver_as == "netif_receive_skb"
    said = [("Off: one frame is one skb.", Role.REST)]
    if scenario.lro == "on":
        said = [("Off: the kernel switches LRO off in a bridge.", Role.PLAIN)]
    elif scenario.gro == "on":
        said = [("On, but nobody calls it.", Role.PLAIN)]
    if never:
        more = "" if scenario.gro == "on" else " gro=on and"
        said += [
            ("The driver hands its skbs to netif_receive_skb.", Role.REST),
            (f"Merging them takes{more} deliver=napi_gro_receive.", Role.REST),
        ]
    else:
        said.append(("gro=on switches it on.", Role.REST))
    lines = [(line, role) for text, role in said for line in wrap(text, canvas.width, 3)]
    for y, (line, role) in enumerate(lines[: canvas.height]):
        canvas.put(0, y, line, role)


# ------------------------------------------------------------------------------------------------------------ what is
def _overview(canvas: Canvas, moment: Moment, gro: NapiGro) -> None:
    """Write what is held, bucket by bucket, and what waits for the stack."""
    y = 0
    step = moment.step
    leaving = step.field("left") if step is not None else None
    if leaving is not None and step is not None and gro.queue:
        _leaves(canvas, gro, leaving.rule.asks)
        y = 2
    y = _card(canvas, moment, y)
    rows = sorted(((p.hash % len(gro.buckets), skb, p) for skb, p in gro.holding.values()), key=lambda row: row[0])
    room = canvas.height - y - (1 if gro.queue and y == 0 else 0)
    if not rows and room > 0:
        canvas.write(0, y, "Nothing is held.", Role.REST)
        y += 1
    for number, (bucket, skb, p) in enumerate(rows):
        if number == room - 1 and len(rows) > room:
            canvas.write(0, y, f"{len(rows) - number} more", Role.REST)
            return
        x = canvas.put(0, y, f"bucket {bucket} ", Role.REST)
        words = f" {skb.len:,} B · gso_size {p.gso_size:,}"
        words = words if canvas.width - x - len(words) >= 9 else f" {skb.len:,} B"
        x = chips(canvas, x, y, skb.frames, canvas.width - len(words))
        canvas.write(x, y, words, Role.PLAIN)
        y += 1
    if gro.queue and not leaving:
        x = canvas.put(0, y, "to the stack ", Role.REST)
        chips(canvas, x, y, [frame for skb in gro.queue for frame in skb.frames], canvas.width)


def _card(canvas: Canvas, moment: Moment, y: int) -> int:
    """Write what the card goes on merging, before any skb of it goes up; return the line below.

    Where it may merge, and does not at this moment, that is told too: GRO is not the only one that merges here.
    """
    m = moment.machine
    if m.config.hw_gro and not m.nic.merging() and y < canvas.height - 1:
        canvas.write(canvas.put(0, y, "The card merges ", Role.NIC), y, "nothing now.", Role.REST)
        return y + 1
    for numbers in m.nic.merging()[: max(canvas.height - y - 1, 0)]:
        found = [m.source.frame(number) for number in numbers]
        x = canvas.put(0, y, "The card merges ", Role.NIC)
        chips(canvas, x, y, [frame for frame in found if frame is not None], canvas.width)
        y += 1
    return y


def _leaves(canvas: Canvas, gro: NapiGro, why: str) -> None:
    skb = gro.queue[-1]
    x = chips(canvas, 0, 0, skb.frames, canvas.width - 9)
    canvas.write(x + 1, 0, f"{canvas.glyphs.right} leaves", Role.ACCENT)
    canvas.write(0, 1, f"{why} · {skb.len:,} B, truesize {skb.truesize:,}", Role.PLAIN)


# --------------------------------------------------------------------------------------------------------- the question
def _question(canvas: Canvas, moment: Moment, gro: NapiGro, question: Asking) -> None:
    """Write the held packet, the frame before it, and the rules."""
    _held(canvas, moment, gro, question)
    frame = question.frame
    canvas.target(0, 1, canvas.width, 1, "why", frame.id)
    before, behind = _words(question, told=gro.skb is None)
    x = canvas.put(0, 1, f"{canvas.glyphs.left}{before} ", Role.REST)
    x = canvas.put(x, 1, f" {frame_name(frame.id)} ", frame_role(frame.id))
    end = canvas.write(x, 1, f" {behind}", Role.ACCENT if question.decided else Role.REST)
    key = "w why" if question.decision.verdict in _MERGED and question.decided else "w why not"
    if question.held and canvas.width - end > len(key):
        canvas.put_right(canvas.width, 1, key, Role.KEY)
    room = canvas.height - 2
    columns = max(canvas.width // COLUMN, 1)
    lines = rule_lines(question.asked, canvas.width // columns - 3)
    if len(lines) > room * columns:
        lines, columns = group_lines(question.asked, canvas.width - 2), 1
    if len(lines) > room * columns:
        lines = [line for line in lines if line[0] is State.FAILED] + [
            line for line in lines if line[0] is not State.FAILED
        ]
    for number, (state, text) in enumerate(lines[: room * columns]):
        x, y = number // room * (canvas.width // columns), 2 + number % room
        canvas.put(x, y, MARKS[state], ROLES[state])
        width = canvas.width // columns - (3 if columns > 1 else 2)
        canvas.write(x + 2, y, text, ROLES[state] if state is not State.PASSED else Role.PLAIN, width)


def _held(canvas: Canvas, moment: Moment, gro: NapiGro, question: Asking) -> None:
    if not question.held:
        bucket = question.frame.hash % len(gro.buckets)
        canvas.write(0, 0, f"Bucket {bucket} holds nothing.", Role.REST)
        return
    found = gro.holding.get(question.held[0].id)
    merged = question.decided and question.decision.verdict in _MERGED and question.frame not in question.held
    if found is None:
        x = chips(canvas, 0, 0, question.held, canvas.width - 11)
        canvas.write(x + 1, 0, "has left", Role.REST)
        return
    skb, p = found
    new = f"skbs.{skb.id}.len" in changed(moment)
    size, words = f" {skb.len:,} B", f" · gso_size {p.gso_size:,}"
    if canvas.width - len(size) - len(words) < 9:
        words = ""
    frames = skb.frames if merged else question.held
    x = chips(canvas, 0, 0, frames, canvas.width - len(size) - len(words))
    x = canvas.put(x, 0, size, Role.CHANGED if new else Role.PLAIN)
    canvas.put(x, 0, words, Role.PLAIN)


def _words(question: Asking, *, told: bool) -> tuple[str, str]:
    """Return what stands before and behind the frame's letter; the verdict is `told` once its own step has come."""
    verdict = question.decision.verdict
    if not question.decided:
        return ("", "comes: what will GRO do?") if not question.held else (" will", "join?")
    if verdict in _MERGED:
        return "", "joined"
    if not told:
        return "", "does not join"
    if verdict is Verdict.HELD:
        return "", "is held" if not question.held else "did not join; it is held"
    return "", "passes, not held"


def rule_lines(asked: list[Asked], width: int) -> list[tuple[State, str]]:
    """Return a line for each rule, in the kernel's order."""
    return [(each.state, sentence(each, width)) for each in asked]


def sentence(asked: Asked, width: int) -> str:
    """Return what a rule asks, with the value where it tells more; of one that failed, what is wrong."""
    if asked.state is State.FAILED:
        long = asked.sentence()
        return long if len(long) <= width or asked.new == asked.old else f"{asked.rule.asks}: {asked.new} ≠ {asked.old}"
    value = asked.old if asked.rule.kind is not Kind.EXIT else ""
    told = value and value not in ("0", "1", "-1") and len(value) <= 12 and asked.state is State.PASSED
    return (
        f"{asked.rule.asks}: {value}" if told and asked.rule.kind in (Kind.IDENTITY, Kind.REFUSAL) else asked.rule.asks
    )


_GROUPS = (
    ("headers whole, checksums right", lambda rule: rule.kind in (Kind.EXIT, Kind.CONDEMN)),
    ("same flow", lambda rule: rule.kind is Kind.IDENTITY),
    ("IP fields same, ID follows", lambda rule: rule.where in ("inet_gro_flush", "ipv6_gro_flush")),
    ("below the size limit", lambda rule: rule.where == "skb_gro_receive"),
    ("TCP fields same, seq follows", lambda rule: rule.kind is Kind.REFUSAL),
    ("not the last: no PSH, no FIN", lambda rule: rule.kind is Kind.CLOSE),
)  # fmt: skip


def _group_of(rule: Rule) -> str:
    return next((name for name, fits in _GROUPS if fits(rule)), rule.where)


def group_lines(asked: list[Asked], width: int) -> list[tuple[State, str]]:
    """Return a line for each kind of rule and one for each rule that failed, in the order in which each is asked."""
    order: dict[str, list[int]] = {}
    for place, each in enumerate(asked):
        order.setdefault(_group_of(each.rule), []).append(place)
    lines: list[tuple[int, State, str]] = []
    for name, places in order.items():
        failed = [place for place in places if asked[place].state is State.FAILED]
        lines += [(place, State.FAILED, sentence(asked[place], width)) for place in failed]
        if not failed:
            reached = any(asked[place].state is not State.NOT_REACHED for place in places)
            lines.append((places[0], State.PASSED if reached else State.NOT_REACHED, name))
    return [(state, text) for _, state, text in sorted(lines)]
