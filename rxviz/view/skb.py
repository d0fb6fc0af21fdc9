"""The panel of the sk_buff in question: its head to scale, headers by layer, fragments, and what it is charged."""

from __future__ import annotations

from rxviz.model import steps
from rxviz.model.frame import VLAN_ID
from rxviz.model.names import frame_name, half_name
from rxviz.model.skb import Frag, SkBuff
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.changes import changed_names
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.headers import header_parts
from rxviz.view.question import frame_in_question, skb_in_question
from rxviz.view.scale import Part, draw_scale, widths
from rxviz.view.slot_box import region_name
from rxviz.view.slots import slot_at, slot_in_question
from rxviz.view.text import fit, join_fit, wrap
from rxviz.wire.dissect import summarise

_PLACES = {
    "ring": "waits in the ring", "lro": "in LRO",
    "driver": "in the driver's hands", "gro": "in GRO", "list": "leaves GRO", "stack": "in the stack",
    "socket": "in the socket's queue", "reader": "with the program",
}  # fmt: skip

FRAG_COLUMN = 18
"""Cells of a fragment where several stand in a line."""


def draw(moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE) -> Picture:
    """Return the skb."""
    skb = skb_in_question(moment)
    note = _frames_note(skb) if skb is not None else ""

    def body(canvas: Canvas) -> None:
        if skb is None:
            _none(canvas, moment)
        else:
            _draw(canvas, moment, skb)

    return frame(width, height, "sk_buff", note, body, active=active, glyphs=glyphs)


def _frames_note(skb: SkBuff) -> str:
    frames = skb.frames
    if skb.waits_for_frame:
        return f"skb {skb.id}"
    if len(frames) == 1:
        return f"frame {frame_name(skb.frame.id)}"
    return f"{len(frames)} frames, {frame_name(frames[0].id)} to {frame_name(frames[-1].id)}"


def _none(canvas: Canvas, moment: Moment) -> None:
    """Say that there is no skb; of a frame that is to have one, draw the outline of where the driver builds it."""
    step = moment.step
    if step is not None and step.frame is not None and step.name in ("skb.free", "page.free"):
        canvas.write(0, 0, f"The skb of frame {frame_name(step.frame)} is freed.", Role.REST)
        return
    if step is not None and step.kind in steps.NIC_DROPS:
        canvas.write(0, 0, f"Frame {frame_name(step.frame or 0)} is lost: there will be no skb.", Role.REST)
        return
    if step is not None and step.kind == steps.SKB_ALLOC_FAILED:
        canvas.write(0, 0, f"No skb of frame {frame_name(step.frame or 0)}: there is no memory for one.", Role.BAD)
        canvas.write(0, 1, f"The frame waits in slot {step.slot}, and is looked at again later.", Role.REST)
        return
    if moment.machine.config.geometry.head:
        canvas.write(0, 0, "No skb with a frame now:", Role.REST)
        canvas.write(0, 1, "those without one wait in the ring.", Role.REST)
        return
    frame = frame_in_question(moment)
    whose = f"of frame {frame_name(frame)} " if frame is not None else ""
    if canvas.height < 4:
        canvas.write(0, 0, f"No skb {whose}yet: the driver builds it here.", Role.REST)
        return
    canvas.write(0, 0, f"No skb {whose}yet", Role.REST)
    y = 2 if canvas.height >= 6 else 1
    inner = max(canvas.width - 2, 0)
    words = " the driver builds it here "
    for name, x in (("head", 0), ("data", max(inner // 8, 5)), ("tail", inner * 3 // 4), ("end", inner - 2)):
        canvas.put(x, y, name, Role.REST)
    canvas.put(0, y + 1, "▕" + "┄" * inner + "▏", Role.REST)
    canvas.put(max((canvas.width - len(words)) // 2, 0), y + 1, words, Role.REST)


def _draw(canvas: Canvas, moment: Moment, skb: SkBuff) -> None:
    """Write the lines from the top; where there are few, the price and the head come first, words last."""
    height = canvas.height
    _price(canvas, moment, skb)
    y = 1
    if height >= 3:
        _where(canvas, moment, skb, y)
        y += 1
    if height >= 11:
        y += 1
    if height - y >= 3:
        y = _head(canvas, moment, skb, y)
    waiting = wrap(_waiting_words(moment), canvas.width, 2) if skb.waits_for_frame else []
    lines = waiting or summary_lines(skb, canvas.width)
    keep = 1 if height - y >= 2 else 0
    if skb.frag_list and height - y - keep >= 2:
        y = _frag_list(canvas, skb, y)
    if height - y - keep >= 1 and skb.frags:
        y = _whole(canvas, moment, skb, y, offsets=height - y - keep >= 2)
        if height - y - len(lines) > len(skb.frags):
            y = _frags(canvas, moment, skb, y)
        elif skb.frag_frames and height - y - len(lines) >= 2:
            y = _frags_short(canvas, moment, skb, y, height - y - len(lines) - 1)
    if height - y > len(lines):
        y += 1
    for line in lines[: max(height - y, 0)]:
        canvas.write(0, y, line, Role.PLAIN if line is lines[0] else Role.REST)
        y += 1
    canvas.target(0, 0, canvas.width, min(2, height), "skb", skb.id)


def _waiting_words(moment: Moment) -> str:
    """Say whether the NIC has written a frame into the skb that waits in the slot in question."""
    slot = slot_at(moment, slot_in_question(moment))
    if slot.frame is not None:
        return f"Frame {frame_name(slot.frame.id)} is in its head; the skb has no length yet."
    return "No frame has come yet."


def _price(canvas: Canvas, moment: Moment, skb: SkBuff) -> None:
    changed = changed_names(moment.step.changes) if moment.step is not None else frozenset()
    if skb.waits_for_frame:
        x = canvas.put(0, 0, f" {skb.id} ", Role.STRONG)
    else:
        x = canvas.put(0, 0, f" {frame_name(skb.frame.id)} ", frame_role(skb.frame.id))
    spans: list[tuple[str, str]] = []
    values = [("len", skb.len), ("truesize", skb.truesize), ("frags", len(skb.frags))]
    if skb.data_len and canvas.width >= 52:
        values.insert(1, ("data_len", skb.data_len))
    need = x + sum(len(name) + len(f"{value:,}") + 3 for name, value in values)
    between = "  " if need <= canvas.width else " "
    for name, value in values:
        new = f"skbs.{skb.id}.{name}" in changed
        spans.append((between + name, Role.REST))
        spans.append((canvas.glyphs.changed if new else " ", Role.ACCENT))
        spans.append((f"{value:,}", Role.CHANGED if new else Role.PLAIN))
    canvas.write_spans(x, 0, spans)


def _where(canvas: Canvas, moment: Moment, skb: SkBuff, y: int) -> None:
    place = _PLACES.get(skb.state, skb.state)
    head = f"{skb.end - skb.head:,}-byte head"
    if moment.machine.config.geometry.head:
        head = f"page {skb.head_page.id} at {skb.head:,}"
    elif skb.is_built:
        head = f"page {skb.head_page.id} {region_name(moment, skb.head)}"
    parts = [place, *([f"{len(skb.frag_list)} on frag_list"] if skb.frag_list else []), head]
    parts += [f"gso_size {skb.gso_size:,}"] if skb.gso_size else []
    parts += [f"tag VLAN {skb.vlan_tag & VLAN_ID}"] if skb.vlan_tag else []
    canvas.write(0, y, join_fit(parts, canvas.width), Role.REST)


def _head(canvas: Canvas, moment: Moment, skb: SkBuff, y: int) -> int:
    """Draw the head: the four pointers, the bar, and offsets from `head`; return the line below."""
    glyphs = canvas.glyphs
    shinfo = moment.machine.config.core.shinfo_size
    parts = [Part("pad", skb.mac_header - skb.head, glyphs.spare, Role.REST, Role.REST)]
    if not skb.waits_for_frame:
        parts += header_parts(skb.frame, 0, skb.tail - skb.mac_header, glyphs)
    parts.append(Part("", skb.end - skb.tail, glyphs.spare, Role.REST, least=6))
    parts.append(Part("shinfo", shinfo, glyphs.shinfo, Role.SHINFO, Role.SHINFO, padded=False))
    shown = [part for part in parts if part.size > 0]
    _pointers(canvas, y, skb, shown, widths(shown, canvas.width))
    draw_scale(canvas, 0, y + 1, canvas.width, shown, 0, offsets=True)
    canvas.target(0, y, canvas.width, 3, "half", f"{skb.head_page.id}:{skb.head}")
    return y + 3


def _pointers(canvas: Canvas, y: int, skb: SkBuff, parts: list[Part], cells: list[int]) -> None:
    """Write head, data, tail and end over where they point; where two would touch, the earlier one stays."""
    starts: dict[int, int] = {}
    at = offset = 0
    for part, cell in zip(parts, cells, strict=True):
        starts.setdefault(offset, at)
        at += cell
        offset += part.size
    pointers = (("head", 0), ("data", skb.data - skb.head), ("tail", skb.tail - skb.head), ("end", skb.end - skb.head))
    free = 0
    for name, offset in pointers:
        x = starts.get(offset)
        if x is not None and x >= free and x + len(name) <= canvas.width:
            free = canvas.put(x, y, name, Role.REST) + 1


def _whole(canvas: Canvas, moment: Moment, skb: SkBuff, y: int, *, offsets: bool) -> int:
    """Draw the frame as the skb has it, to scale: what lies in the head, and each fragment with its page; return the
    line below.
    """
    half = moment.machine.config.geometry.named
    linear = skb.tail - skb.mac_header
    owners = [skb.frame, *(skb.frag_frames or [skb.frame] * len(skb.frags))]
    own = f"page {skb.head_page.id} {region_name(moment, skb.head)}" if skb.is_built else "copied"
    long = [f"head {own} {linear:,}"]
    short = [f"head {linear:,}"]
    for number, frag in enumerate(skb.frags):
        long.append(f"frag {number} page {frag.page.id} {region_name(moment, frag.offset)} {frag.size:,}")
        short.append(f"{number} p{frag.page.id}{half_name(frag.offset, half) if half else ''} {frag.size:,}")
    if skb.frag_frames:
        long = short = [frame_name(owner.id) for owner in owners]
    sizes = [linear, *(frag.size for frag in skb.frags)]
    names = long if sum(len(name) + 3 for name in long) <= canvas.width else short
    parts = [
        Part(name, size, canvas.glyphs.stack, frame_role(owner.id, solid=False), Role.PLAIN, closing="│")
        for name, size, owner in zip(names, sizes, owners, strict=True)
    ]
    draw_scale(canvas, 0, y, canvas.width, parts, 0, offsets=offsets)
    x = 0
    for cells, at in zip(widths(parts, canvas.width), [None, *skb.frags], strict=True):
        if at is not None:
            canvas.target(x, y, cells, 1, "half", f"{at.page.id}:{at.offset // half * half if half else at.region}")
        x += cells
    return y + (2 if offsets else 1)


def _frags(canvas: Canvas, moment: Moment, skb: SkBuff, y: int) -> int:
    """Write a line for each fragment; return the line below."""
    for number, frag in enumerate(skb.frags):
        _frag(canvas, moment, skb, y, number, frag)
        y += 1
    return y


def _frags_short(canvas: Canvas, moment: Moment, skb: SkBuff, y: int, rows: int) -> int:
    """Write whose bytes each fragment holds and where, several to a line; return the line below."""
    half = moment.machine.config.geometry.named
    columns = max(canvas.width // FRAG_COLUMN, 1)
    for place, (frag, owner) in enumerate(zip(skb.frags[: rows * columns], skb.frag_frames, strict=False)):
        x, row = place % columns * FRAG_COLUMN, y + place // columns
        end = canvas.put(x, row, f" {frame_name(owner.id)} ", frame_role(owner.id))
        where = f"p{frag.page.id}{half_name(frag.offset, half) if half else ''} {frag.size:,}"
        canvas.write(end + 1, row, where, Role.REST, FRAG_COLUMN - (end - x) - 2)
    return y + min(-(-len(skb.frags) // columns), rows)


def _frag_list(canvas: Canvas, skb: SkBuff, y: int) -> int:
    """Write what is chained behind the fragments; return the line below."""
    x = canvas.put(0, y, "frag_list ", Role.REST)
    texts = [f"{frame_name(member.frame.id)} with {len(member.frags)} frags" for member in skb.frag_list]
    canvas.write(x, y, join_fit(texts, canvas.width - x), Role.PLAIN)
    return y + 1


def _frag(canvas: Canvas, moment: Moment, skb: SkBuff, y: int, number: int, frag: Frag) -> None:
    half = moment.machine.config.geometry.named
    within = frag.offset - (frag.offset // half * half if half else 0)
    where = f"page {frag.page.id} {region_name(moment, frag.offset)}"
    at = f" +{within:,}" if half else ""
    owner = skb.frag_frames[number] if skb.frag_frames else skb.frame
    role = frame_role(owner.id, solid=False)
    spans: list[tuple[str, str]] = [(f"frag {number} ", Role.REST), (canvas.glyphs.stack * 2 + " ", role)]
    if owner is not skb.frame:
        spans[1:] = [(f" {frame_name(owner.id)} ", frame_role(owner.id)), (" ", Role.PLAIN)]
    canvas.write_spans(0, y, [*spans, (where + at, Role.PLAIN), (f"  {frag.size:,} B", Role.PLAIN)])
    value = f"{frag.page.id}:{frag.offset // half * half if half else frag.region}"
    canvas.target(0, y, canvas.width, 1, "half", value)


def summary_lines(skb: SkBuff, width: int) -> list[str]:
    """Return what the frame says of itself in one line where it fits, else in two: who to whom, and the rest, if need
    be without the window and the ACK number.
    """
    line = _summary(skb)
    if len(line) <= width:
        return [line]
    words = line.split(" ")
    first: list[str] = []
    while words and len(" ".join([*first, words[0]])) <= width and not (len(first) >= 3 and first[1] == ">"):
        first.append(words.pop(0))
    for name in ("win", "ack"):
        if len(" ".join(words)) > width and name in words:
            at = words.index(name)
            del words[at : at + 2]
    return [" ".join(first) or fit(line, width), fit(" ".join(words), width)] if words else [" ".join(first)]


def _summary(skb: SkBuff) -> str:
    """Return the frame's own sentence. Of one that was cut short, the payload is told as long as it was on the wire:
    what is missing of the frame is missing at its end.
    """
    frame = skb.frame
    told = summarise(skb.headers + frame.data[len(skb.headers) : frame.known])
    line = told.line()
    while told.inner is not None:
        told = told.inner
    missing = frame.wire_len - frame.known
    here = f" {told.payload_length} B"
    if missing <= 0 or here not in line:
        return line
    before, _, behind = line.rpartition(here)
    return f"{before} {told.payload_length + missing:,} B, {told.payload_length:,} captured{behind}"
