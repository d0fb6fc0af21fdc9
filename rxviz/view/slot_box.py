"""One slot of the ring as a box, as a word of a row, and its descriptor in words."""

from __future__ import annotations

from rxviz.model import descriptor
from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.model.frame import VLAN_ID
from rxviz.model.names import frame_name, half_name
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Role, frame_role
from rxviz.view.completion import done_words
from rxviz.view.owner_slot import owner_words
from rxviz.view.slots import Slot, SlotState, being_written, slot_at, slot_of_frame

_WIDE, _NARROW = {SlotState.REFILL: "refill", SlotState.EMPTY: "empty"}, {SlotState.REFILL: "fill", SlotState.EMPTY: ""}
_ROLES = {SlotState.POSTED: Role.NIC, SlotState.WAITING: Role.FREE}
_LIGHT, _HEAVY = "╭─╮│╰╯", "┏━┓┃┗┛"


def put_block(canvas: Canvas, x: int, y: int, width: int, letter: str, frame_id: int, name: str) -> None:
    """Draw a frame's block: its name in the middle of `width` cells filled with `letter`, all in its own colour."""
    canvas.fill(x, y, width, letter, frame_role(frame_id, solid=False))
    if len(name) > width:
        name = name.partition(" ")[0]
    shown = f" {name} " if width >= len(name) + 4 else name[:width]
    canvas.put(x + (width - len(shown)) // 2, y, shown, frame_role(frame_id))


def draw_box(
    canvas: Canvas, x: int, y: int, width: int, height: int, slot: Slot, *, question: bool, changed: bool, writing: int
) -> None:
    """Draw a slot: number, fill, and what it holds. `question` makes its border heavy, `changed` marks its number and
    its first words; `writing` is the id of the frame that the NIC is writing into it, -1 for none.
    """
    _edges(canvas, x, y, width, height, _HEAVY if question else _LIGHT, question)
    role = Role.CHANGED if changed else Role.ACCENT if question else Role.REST
    canvas.put(x + 1, y, f"{slot.number}{canvas.glyphs.changed if changed else ''}", role)
    inner = width - 2
    _fill(canvas, x + 1, y + 1, inner, slot, writing)
    for row, text in enumerate(_lines(slot, inner, height - 3, writing)):
        role = Role.PLAIN if slot.state is SlotState.DONE and row == 0 else Role.REST
        canvas.put(x + 1 + (inner - len(text)) // 2, y + 2 + row, text, Role.CHANGED if changed and not row else role)
    canvas.target(x, y, width, height, "slot", slot.number)


def _edges(canvas: Canvas, x: int, y: int, width: int, height: int, letters: str, question: bool) -> None:
    role = Role.BORDER_ACCENT if question else Role.BORDER
    left, line, right, side, low_left, low_right = tuple(letters)
    canvas.put(x, y, left + line * (width - 2) + right, role)
    for row in range(y + 1, y + height - 1):
        canvas.put(x, row, side, role)
        canvas.put(x + width - 1, row, side, role)
    canvas.put(x, y + height - 1, low_left + line * (width - 2) + low_right, role)


def _fill(canvas: Canvas, x: int, y: int, width: int, slot: Slot, writing: int) -> None:
    glyphs = canvas.glyphs
    if slot.frame is not None:
        letter = glyphs.in_hand if slot.in_hand else glyphs.filled
        put_block(canvas, x, y, width, letter, slot.frame.id, frame_name(slot.frame.id) + slot.part)
    elif writing >= 0:
        put_block(canvas, x, y, width, glyphs.posted, writing, frame_name(writing) + slot.part)
    elif slot.state is SlotState.POSTED:
        canvas.fill(x, y, width, glyphs.posted, Role.NIC)
    elif slot.state is SlotState.WAITING:
        canvas.fill(x, y, width, glyphs.waiting, Role.FREE)
    else:
        canvas.put(x + width // 2, y, glyphs.spare, Role.REST)


def _lines(slot: Slot, width: int, rows: int, writing: int) -> list[str]:
    """Return what stands under the fill, at most `rows` lines of at most `width` cells."""
    lines = []
    if slot.state is SlotState.DONE:
        named = slot.frame is None or len(frame_name(slot.frame.id) + slot.part) <= width
        lines.append(_length(slot, width) if named else slot.part.strip())
        if slot.page is not None and not slot.in_hand:
            lines.append(_page(slot, width))
    elif slot.page is not None:
        lines.append(_page(slot, width))
        lines.append("DMA" if writing >= 0 else slot.state if len(slot.state) <= width else "")
    else:
        lines.append((_WIDE if width >= 6 else _NARROW).get(slot.state, ""))
    return [line if len(line) <= width else line.replace(" ", "")[:width] for line in lines[:rows]]


def _length(slot: Slot, width: int) -> str:
    """Return how much was written, and whether the frame ends here: "1514 EOP" or "2048 more", "2K+" in little room."""
    if not slot.length:
        return "written"[:width]
    for end, more in ((slot.end, " more"), ("", "+")):
        text = f"{slot.length}{end if slot.eop else more}"
        if len(text) <= width:
            return text
    return f"{slot.length >> 10}K{'' if slot.eop else '+'}"


def _page(slot: Slot, width: int) -> str:
    """Return page and half: "p12·B", or shorter; where skbs wait in the slots, the skb."""
    if slot.skb is not None:
        return next((text for text in (f"skb {slot.skb}", f"s{slot.skb}", str(slot.skb)) if len(text) <= width), "")
    for text in (f"p{slot.page}·{slot.half}".rstrip("·"), f"{slot.page}{slot.half}", str(slot.page)):
        if len(text) <= width:
            return text
    return ""


def slot_word(canvas: Canvas, x: int, y: int, slot: Slot, digits: int, *, question: bool) -> int:
    """Write a slot as one short word: number, then its letter between two fills; return the column behind it."""
    glyphs = canvas.glyphs
    start = x
    x = canvas.put(x, y, f"{slot.number:>{digits}}", Role.ACCENT if question else Role.REST)
    if slot.frame is not None:
        letter = glyphs.in_hand if slot.in_hand else glyphs.filled
        name = frame_name(slot.frame.id)
        x = canvas.put(x, y, letter, frame_role(slot.frame.id, solid=False))
        x = canvas.put(x, y, name[:2], frame_role(slot.frame.id))
        x = canvas.fill(x, y, 3 - len(name[:2]), letter, frame_role(slot.frame.id, solid=False))
    else:
        fill = {SlotState.POSTED: glyphs.posted, SlotState.WAITING: glyphs.waiting, SlotState.REFILL: glyphs.spare}
        x = canvas.fill(x, y, 4, fill.get(slot.state, glyphs.gone), _ROLES.get(slot.state, Role.REST))
    canvas.target(start, y, x - start, 1, "slot", slot.number)
    return x


def slot_words(moment: Moment, number: int) -> list[tuple[str, str]]:
    """Return the line that says what is in a slot's descriptor and buffer, as spans; of a slot that was filled again
    since the step's frame came through it, that it did.
    """
    slot, step = slot_at(moment, number), moment.step
    spans = _slot_words(moment, number, slot)
    filled_again = slot.state in (SlotState.POSTED, SlotState.WAITING)
    if filled_again and step is not None and step.frame is not None and slot_of_frame(moment, step.frame) == number:
        came = f"; was frame {frame_name(step.frame)}'s"
        return [span for span in spans if span[1] != Role.REST] + [(came, Role.REST)]
    return spans


def _slot_words(moment: Moment, number: int, slot: Slot) -> list[tuple[str, str]]:
    spans: list[tuple[str, str]] = [(f"{moment.machine.ring.SLOT} {number}  ", Role.ACCENT)]
    if slot.state is SlotState.DONE and not moment.machine.config.geometry.head:
        return spans + _done_words(moment, slot)
    if slot.skb is not None or moment.machine.config.geometry.head:
        return spans + owner_words(moment, slot)
    half = f" {moment.machine.config.geometry.part_word} {slot.half}" if slot.half else ""
    if slot.state is SlotState.POSTED:
        ring = moment.machine.ring
        page = ring.page_at(number)
        address = f"  0x{page.dma + ring.offset_at(number):x}" if page is not None else ""
        writing = moment.step if being_written(moment.step) == number else None
        if writing is not None and writing.frame is not None:
            words = f"DMA of frame {frame_name(writing.frame)} to page {slot.page}{half}"
            return [*spans, (words, Role.PLAIN)]
        return [*spans, (f"posted: page {slot.page}{half}", Role.PLAIN), (address, Role.REST)]
    if slot.state is SlotState.WAITING:
        return [
            *spans,
            (f"{moment.machine.ring.WAITING}: page {slot.page}{half}", Role.PLAIN),
            ("  not posted yet", Role.REST),
        ]
    step, words = moment.step, "empty: one slot always is"
    if step is not None and step.frame is not None and slot_of_frame(moment, step.frame) == number:
        words = f"no page now; frame {frame_name(step.frame)} came through it"
    elif slot.state is SlotState.REFILL:
        words = "no page until the next refill"
    return [*spans, (words, Role.REST)]


def _done_words(moment: Moment, slot: Slot) -> list[tuple[str, str]]:
    if isinstance(moment.machine.ring, QedeRing):
        return done_words(moment, slot)
    desc = moment.machine.ring.desc
    status = descriptor.status_error(desc, slot.number)
    flags = " ".join(name for bit, name in ((descriptor.DD, "DD"), (descriptor.EOP, "EOP")) if status & bit)
    spans: list[tuple[str, str]] = [(f"len {slot.length:,}  {flags}  ", Role.PLAIN)]
    parked = moment.machine.ring.skb_at(slot.number)
    if parked is not None:
        spans.append((f"goes on skb {frame_name(parked.frame.id)}  ", Role.PLAIN))
    if not slot.eop:
        return [*spans, ("more in the next slot", Role.REST)]
    bits = moment.machine.config.rules.status_bits
    bad = status & bits.frame
    if bad:
        return [*spans, (" ".join(bits.flag_names(bad)), Role.BAD)]
    tag = f"VLAN {descriptor.vlan(desc, slot.number) & VLAN_ID}  " if status & descriptor.VP else ""
    return [*spans, (f"{packet_type(desc, slot.number)}  {tag}", Role.PLAIN), csum_words(status, bits)]


def packet_type(desc: bytearray, number: int) -> str:
    """Return the packet type that a write-back reports: "tcp4", "udp6", "ipv4", "other"."""
    info: int = descriptor.WRITEBACK.unpack_from(desc, number * descriptor.SIZE)[0]
    version = "4" if info & descriptor.PKT_IPV4 else "6" if info & descriptor.PKT_IPV6 else ""
    if info & descriptor.PKT_TCP:
        return "tcp" + version
    if info & descriptor.PKT_UDP:
        return "udp" + version
    return "ipv" + version if version else "other"


def csum_words(status: int, bits: descriptor.StatusBits) -> tuple[str, str]:
    """Return what the NIC says of the checksums."""
    if status & (bits.tcpe | bits.ipe):
        return "csum BAD", Role.BAD
    if status & descriptor.L4CS:
        return "csum ok", Role.GOOD
    return "csum not checked", Role.REST


def region_name(moment: Moment, offset: int) -> str:
    """Return "half B" or "segment B", or on other walked pages "offset 1,792"."""
    geometry = moment.machine.config.geometry
    part = geometry.named
    return f"{geometry.part_word} {half_name(offset, part)}" if part else f"offset {offset:,}"
