"""qede's BDs and completions as the ring and the bytes zoom show them: raw, field by field, and in short words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import cqe
from rxviz.model.cqe import TYPE_NAMES, Completion, Type
from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import changed
from rxviz.view.fields import Row, put_field
from rxviz.view.glyphs import UNICODE

if TYPE_CHECKING:
    from rxviz.run.timeline import Moment
    from rxviz.view.slots import Slot

Spans = list[tuple[str, str]]
FACES_FROM, COLUMNS_FROM = 68, 104
"""Columns from which fields are shown one by one, and from which those of a completion stand in two columns."""
BD_WIDTH = 22
"""Columns of a BD's fields: an address of 36 bits has room there."""
RAW_FROM = 58
"""Columns that 16 bytes in hex take with the words in front of them."""
NAMES = 22


def completion_in_question(moment: Moment, number: int) -> int | None:
    """Return the completion that this step is about, else the one that a BD belongs to; None where there is none."""
    ring, step = moment.machine.ring, moment.step
    assert isinstance(ring, QedeRing)
    named = step.field("cqe") if step is not None else None
    if isinstance(named, int):
        return named
    found = ring.completion_of(number)
    return found[0] if found is not None else None


def draw_bd(canvas: Canvas, moment: Moment, number: int, *, faces: bool) -> int:
    """Draw a BD and its completion, with `faces` field by field; return the line below."""
    ring = moment.machine.ring
    assert isinstance(ring, QedeRing)
    new = changed(moment)
    _raw(canvas, 0, "BD 8 bytes", ring.descriptor(number), f"slots.{number}.descriptor" in new, Role.DRIVER)
    at = completion_in_question(moment, number)
    y = 1
    if at is not None and canvas.width >= RAW_FROM:
        raw, fresh = ring.entry(at), f"completions.{at}" in new
        _raw(canvas, y, "completion", raw[:16], fresh, Role.NIC)
        _raw(canvas, y + 1, "  32 bytes", raw[16:], fresh, Role.NIC)
        y += 2
    if not faces or canvas.width < FACES_FROM:
        return y
    return _faces(canvas, moment, number, at, y)


def _raw(canvas: Canvas, y: int, name: str, raw: bytes, new: bool, role: str) -> None:
    x = canvas.put(0, y, name, Role.REST)
    x = canvas.put(x, y, canvas.glyphs.changed if new else " ", Role.ACCENT)
    canvas.put(x, y, raw.hex(" "), Role.CHANGED if new else role)


def _faces(canvas: Canvas, moment: Moment, number: int, at: int | None, y: int) -> int:
    """Draw the fields: the BD's on the left, the completion's beside it; return the line below."""
    ring = moment.machine.ring
    assert isinstance(ring, QedeRing)
    left = max(canvas.width // 4, BD_WIDTH)
    canvas.write(0, y, f"BD {number}", Role.DRIVER, left - 1)
    address = int.from_bytes(ring.descriptor(number), "little")
    put_field(canvas, 0, y + 1, (0, "addr", (f"0x{address:x}",)), left - 1, name_width=6)
    if at is None:
        canvas.write(left, y, "no completion tells of it yet", Role.REST)
        return y + 2
    rows = fields_of(ring.cqes, at)
    canvas.write(left, y, f"completion {at}: {rows[0][2][0]}", Role.NIC)
    columns = 2 if canvas.width >= COLUMNS_FROM else 1
    shown = rows if columns == 2 else [row for row in rows if row[1] in _TELLING]
    lines, each = -(-len(shown) // columns), (canvas.width - left) // columns
    for place, row in enumerate(shown):
        column, line = divmod(place, lines)
        put_field(canvas, left + column * each, y + 1 + line, row, each - 1, name_width=NAMES)
    return y + 1 + lines


_TELLING = frozenset(
    {"pkt_len", "seg_len", "pars_flags", "rss_hash", "len_on_first_bd", "bd_num", "tpa_agg_index", "header_len"}
    | {"len_list", "total_packet_len", "num_of_coalesced_segs"}
)
"""Fields that are shown where there is no room for all."""


def fields_of(cqes: bytearray, at: int) -> list[Row]:
    """Return the fields of a completion, whose first says how to read the others."""
    kind = cqe.cqe_type(cqes, at)
    rows: list[Row] = [(0, "type", (TYPE_NAMES.get(Type(kind), "unused"),))]
    completion = cqe.read(cqes, at)
    if kind == Type.REGULAR:
        return [*rows, *_common(cqes, at, "pkt_len"), (16, "bd_num", (str(completion.bds),))]
    if kind == Type.TPA_START:
        rows += _common(cqes, at, "seg_len")
        return [*rows, (16, "tpa_agg_index", (str(completion.agg),)), (17, "header_len", (str(completion.header),))]
    lens = (" ".join(f"{size:,}" for size in completion.lens) or "none",)
    rows.append((1, "tpa_agg_index", (str(completion.agg),)))
    if kind == Type.TPA_CONT:
        return [*rows, (2, "len_list", lens)]
    segments = (6, "num_of_coalesced_segs", (str(completion.segments),))
    return [*rows, (2, "total_packet_len", (f"{completion.length:,}",)), segments, (12, "len_list", lens)]


def _common(cqes: bytearray, at: int, name: str) -> list[Row]:
    """Fields that a regular completion and a TPA start have at the same places."""
    _, bits, length, flags, vlan, rss, first, placement, tunnel = cqe.COMMON.unpack_from(cqes, at * cqe.SIZE)
    words, verdict = parsed(flags), csum_of(flags)[0]
    return [
        (1, "bitfields", (f"0x{bits:02x} rss_hash_type {bits & 7}", f"0x{bits:02x}")),
        (2, name, (f"{length:,}",)),
        (4, "pars_flags", (f"0x{flags:04x} {words}, {verdict}", f"0x{flags:04x} {words}", f"0x{flags:04x}")),
        (6, "vlan_tag", (f"0x{vlan:04x}",)),
        (8, "rss_hash", (f"0x{rss:08x}",)),
        (12, "len_on_first_bd", (f"{first:,}",)),
        (14, "placement_offset", (str(placement),)),
        (15, "tunnel_pars_flags", (f"0x{tunnel:02x}",)),
    ]


def parsed(flags: int) -> str:
    """Return what the card's parser found: "tcp4", "udp6", "ipv4", "other"."""
    version = {cqe.L3_IPV4: "4", cqe.L3_IPV6: "6"}.get(flags & cqe.L3_MASK, "")
    name = {cqe.L4_TCP: "tcp", cqe.L4_UDP: "udp"}.get(flags & cqe.L4_MASK, "ipv" if version else "")
    return name + version if name else "other"


def csum_of(flags: int) -> tuple[str, str]:
    """Return what the card says of the checksums."""
    bad = cqe.flag_names(flags)
    if flags & (cqe.IPHDRERROR | cqe.L4CHKSMERROR):
        return "csum BAD" if len(bad) > 1 else bad[0], Role.BAD
    return ("csum ok", Role.GOOD) if flags & cqe.L4CHKSMWASCALCULATED else ("csum not checked", Role.REST)


def done_words(moment: Moment, slot: Slot) -> Spans:
    """Return what the completion says of a BD's buffer, in short words."""
    ring = moment.machine.ring
    assert isinstance(ring, QedeRing)
    found = ring.completion_of(slot.number)
    if found is None:
        return [("written; no completion yet", Role.REST)]
    number, completion, place = found
    spans: Spans = [(f"{slot.length:,} B  ", Role.PLAIN), (f"completion {number}  ", Role.NIC)]
    return spans + _told(completion, place)


def _told(completion: Completion, place: int) -> Spans:
    if completion.type in (Type.TPA_CONT, Type.TPA_END):
        return [(f"{TYPE_NAMES[completion.type]}, agg {completion.agg}", Role.PLAIN)]
    if place:
        return [(f"buffer {place + 1} of {completion.bds}", Role.PLAIN)]
    spans: Spans = [(f"{parsed(completion.flags)}  ", Role.PLAIN), csum_of(completion.flags)]
    if completion.type is Type.TPA_START:
        spans.insert(0, (f"TPA start, agg {completion.agg}  ", Role.PLAIN))
    return spans


def queue_words(moment: Moment, width: int) -> Spans:
    """Return how many completions wait to be read, marked where this step changed it, as far as there is room."""
    ring = moment.machine.ring
    assert isinstance(ring, QedeRing)
    names = changed(moment)
    new = not names.isdisjoint(("ring.hw_comp_cons", "ring.sw_comp_cons"))
    words = f"{ring.ready:,} unread completion" + ("" if ring.ready == 1 else "s")
    if len(words) + len(" ·") + 1 > width:
        words = f"{ring.ready:,} unread"
    if len(words) + len(" ·") + 1 > width:
        return []
    mark = UNICODE.changed if new else " "
    role = Role.CHANGED if new else Role.REST
    return [(" ·", Role.REST), (mark, role), (words, role)]
