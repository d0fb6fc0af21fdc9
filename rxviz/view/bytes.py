"""The bytes zoom: the 16 bytes of a descriptor in both their formats, and the bytes of a half as they are in memory."""

from __future__ import annotations

from rxviz.model import descriptor, steps
from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.model.halves import Half
from rxviz.model.memory import Page
from rxviz.model.mv643xx_desc import is_owned_by_dma
from rxviz.run.timeline import Moment
from rxviz.view import owner_slot
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.changes import changed_names
from rxviz.view.completion import draw_bd
from rxviz.view.fields import Row, put_field
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.hexdump import draw_rows
from rxviz.view.question import half_in_question, page_in_question, skb_of_frame
from rxviz.view.regions import drawn_halves, own_head
from rxviz.view.slot_box import csum_words, packet_type, region_name, slot_words
from rxviz.view.slots import SlotState, slot_at, slot_in_question

_ABOUT_HEADS = frozenset({steps.SKB_ALLOC, steps.SKB_COPY, steps.SKB_HEADERS})
"""Steps that show the skb's own head: what is copied is copied there."""
FACES_FROM = 16
"""Lines from which both formats are shown field by field."""


def draw(
    moment: Moment,
    width: int,
    height: int,
    *,
    active: bool = False,
    glyphs: Glyphs = UNICODE,
    slot: int | None = None,
    half: tuple[int, int] | None = None,
    top: int | None = None,
) -> Picture:
    """Return the bytes of a slot's descriptor and of a half, by default those in question.

    `half` is (page number, first byte); `top` scrolls to that line of 16 bytes, None leaves out what tells little.
    """
    number = slot_in_question(moment) if slot is None else slot % moment.machine.ring.count
    page, region = _find(moment, half)
    note = f"{moment.machine.ring.DESC} {number}"
    if page is not None and region is not None:
        where = region_name(moment, region.start) if page.kind == "rx" else f"head at {region.start:,}"
        note += f" · page {page.id} {where}"

    def body(canvas: Canvas) -> None:
        y = _descriptor(canvas, moment, number)
        if page is not None and region is not None and canvas.height > y:
            draw_rows(canvas, moment, page, region, y, top)

    return frame(width, height, "Bytes", note, body, active=active, glyphs=glyphs)


def _find(moment: Moment, half: tuple[int, int] | None) -> tuple[Page | None, Half | None]:
    """Return the page and half that were asked for, or those in question; None where there is none such any more."""
    if half is None:
        skb = skb_of_frame(moment)
        if skb is not None and not skb.is_built and moment.step is not None and moment.step.kind in _ABOUT_HEADS:
            return skb.head_page, own_head(moment, skb.head_page, skb.head)
        page = page_in_question(moment)
        return page, half_in_question(moment, page, of_frame=True) if page is not None else None
    page = moment.machine.memory.pages.get(half[0])
    if page is None:
        return None, None
    if page.kind != "rx":
        return page, own_head(moment, page, half[1])
    return page, next((each for each in drawn_halves(moment, page) if each.start == half[1]), None)


def is_written_back(moment: Moment, number: int) -> bool:
    """Whether the NIC was the last to write a descriptor."""
    if moment.machine.config.geometry.head:
        return not is_owned_by_dma(moment.machine.ring.desc, number)
    state = slot_at(moment, number).state
    if state in (SlotState.DONE, SlotState.POSTED):
        return state is SlotState.DONE
    desc = moment.machine.ring.desc
    return bool(descriptor.status_error(desc, number) or descriptor.length(desc, number))


def _descriptor(canvas: Canvas, moment: Moment, number: int) -> int:
    """Draw the descriptor; return the line below."""
    if isinstance(moment.machine.ring, QedeRing):
        return draw_bd(canvas, moment, number, faces=canvas.height >= FACES_FROM) + 1
    desc = moment.machine.ring.desc
    raw = desc[number * descriptor.SIZE : (number + 1) * descriptor.SIZE]
    written_back = is_written_back(moment, number)
    changes = moment.step.changes if moment.step is not None else ()
    changed = f"slots.{number}.descriptor" in changed_names(changes)
    role = Role.CHANGED if changed else Role.NIC if written_back else Role.DRIVER
    mark = canvas.glyphs.changed if changed else " "
    if canvas.width >= 54:
        x = canvas.put(0, 0, "16 bytes", Role.REST)
        x = canvas.put(x, 0, mark, Role.ACCENT)
        canvas.put(x, 0, raw.hex(" "), role)
        y = 1
    else:
        canvas.put(0, 0, raw[:8].hex(" "), role)
        canvas.put(0, 1, raw[8:].hex(" "), role)
        y = 2
    if canvas.height < FACES_FROM or canvas.width < 68:
        canvas.write_spans(0, y, slot_words(moment, number))
        return y + 1 + (1 if canvas.height >= 10 else 0)
    if moment.machine.config.geometry.head:
        return _one_face(canvas, desc, number, y) + 1
    return _faces(canvas, moment, number, written_back, y) + 1


def _one_face(canvas: Canvas, desc: bytearray, number: int, y: int) -> int:
    """Draw the one format of a descriptor that driver and NIC share, and whose it is; return the line below."""
    with_nic = is_owned_by_dma(desc, number)
    role = Role.NIC if with_nic else Role.DRIVER
    canvas.write(0, y, "struct rx_desc · " + ("the NIC's: owner bit set" if with_nic else "the driver's"), role)
    found = owner_slot.fields(desc, number)
    for row, (offset, name, values) in enumerate(found, y + 1):
        put_field(canvas, 0, row, (offset, name, values), canvas.width, live=True)
    return y + 1 + len(found)


def _faces(canvas: Canvas, moment: Moment, number: int, written_back: bool, y: int) -> int:
    """Draw the two formats side by side, the one that the bytes are in now bright and the other without values, which
    would mean nothing; return the line below.
    """
    desc, bits = moment.machine.ring.desc, moment.machine.config.rules.status_bits
    left, right = 0, canvas.width // 3
    now = " (now)"
    title = "read" + ("" if written_back else now)
    canvas.write(left, y, title, Role.REST if written_back else Role.DRIVER, right - 2)
    title = "write-back" + (now if written_back else "")
    canvas.write(right, y, title, Role.NIC if written_back else Role.REST)
    y += 1
    for line, row in enumerate(read_fields(desc, number)):
        put_field(canvas, left, y + line, row, right - 2, live=not written_back)
    fields = writeback_fields(desc, number, bits)
    for line, row in enumerate(fields):
        put_field(canvas, right, y + line, row, canvas.width - right, live=written_back)
    return y + len(fields)


def read_fields(desc: bytearray, number: int) -> list[Row]:
    """Return (offset, name, value in words) of the read format, which the driver writes."""
    address, header = descriptor.READ.unpack_from(desc, number * descriptor.SIZE)
    left_over = (f"0x{header:x}, left by the NIC",) if header else ()
    return [(0, "pkt_addr", (f"0x{address:x}",)), (8, "hdr_addr", (*left_over, f"0x{header:x}"))]


def writeback_fields(desc: bytearray, number: int, bits: descriptor.StatusBits) -> list[Row]:
    """Return (offset, name, value in words from long to short) of the write-back format, which the NIC writes."""
    info, header, rss, status, length, vlan = descriptor.WRITEBACK.unpack_from(desc, number * descriptor.SIZE)
    flags = " ".join(bits.flag_names(status))
    verdict = f", {csum_words(status, bits)[0]}" if status & descriptor.EOP else ""
    states = (f"0x{status:08x} {flags}{verdict}".rstrip(), f"0x{status:08x} {flags}".rstrip(), flags, f"0x{status:08x}")
    return [
        (0, "pkt_info", (f"0x{info:04x} {packet_type(desc, number)}",)),
        (2, "hdr_info", (f"0x{header:04x}",)),
        (4, "rss", (f"0x{rss:08x}",)),
        (8, "status_error", states),
        (12, "length", (f"{length:,}",)),
        (14, "vlan", (f"0x{vlan:04x}",)),
    ]
