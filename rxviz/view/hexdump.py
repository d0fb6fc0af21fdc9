"""A half's bytes in lines: offset, hex, text; each byte in the role of what it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.view.cell import Canvas, Role
from rxviz.view.headers import header_role, layers_of
from rxviz.view.regions import stretch_of
from rxviz.view.text import join_fit

if TYPE_CHECKING:
    from rxviz.model.halves import Half
    from rxviz.model.memory import Page
    from rxviz.run.timeline import Moment

WIDE, NARROW = 16, 8
"""Bytes a line; narrow where 16 do not fit."""


@dataclass(frozen=True, slots=True)
class Zone:
    """Bytes from `start` to before `end`, offsets in the page, that belong to one thing. Not `known`: not captured."""

    name: str
    start: int
    end: int
    role: str
    known: bool = True


def zones(moment: Moment, page: Page, half: Half) -> list[Zone]:
    """Return the zones of a half in address order, without holes."""
    found: list[Zone] = []
    end = half.start + half.size
    stretch = stretch_of(moment, page, half)
    geometry = moment.machine.config.geometry
    tail = end - moment.machine.config.core.shinfo_size if geometry.build_skb and geometry.half else end
    if stretch is None:
        found = [Zone("pad", half.start, half.start + geometry.pad, Role.REST), Zone("", 0, end, Role.REST)]
        return _closed(found, half.start, end)
    front = stretch.offset - stretch.copied
    found.append(Zone("pad", half.start, front, Role.REST))
    first = stretch.first - stretch.copied
    known = front + max(stretch.copied + stretch.known, 0)
    for layer in layers_of(stretch.frame):
        low, high = front + layer.offset - first, front + layer.offset + layer.length - first
        found.append(Zone(layer.name, low, min(high, known), header_role(layer.name, stretch.frame.id)))
    behind = stretch.offset + stretch.size
    found.append(Zone("payload", 0, known, header_role("payload", stretch.frame.id)))
    found.append(Zone("not captured", 0, behind, Role.UNKNOWN, known=False))
    if stretch.is_head:
        skb_end = tail if geometry.half else end - moment.machine.config.core.shinfo_size
        found += [Zone("", 0, skb_end, Role.REST), Zone("shinfo", 0, end, Role.SHINFO)]
    return _closed([*found, Zone("", 0, end, Role.REST)], half.start, end)


def _closed(found: list[Zone], start: int, end: int) -> list[Zone]:
    """Let each zone start where the one before ends, and drop the empty ones."""
    closed: list[Zone] = []
    at = start
    for zone in found:
        behind = min(zone.end, end)
        if behind > at:
            closed.append(Zone(zone.name, at, behind, zone.role, zone.known))
            at = behind
    return closed


def draw_rows(canvas: Canvas, moment: Moment, page: Page, half: Half, y: int, top: int | None) -> None:
    """Draw lines of bytes from line `y` to the bottom; `top` is the first line, None shows the telling ones.

    Where there is room, a line in front says where headers, payload and the rest start.
    """
    if not page.data:
        canvas.write(0, y, "Nothing is written to this page yet: its bytes mean nothing.", Role.REST)
        return
    per = WIDE if canvas.width >= 7 + 4 * WIDE else NARROW
    found = zones(moment, page, half)
    if canvas.height - y >= 4:
        starts = [f"{zone.name} {zone.start:04x}" for zone in found if zone.name]
        canvas.put(0, y, join_fit(starts, canvas.width), Role.REST)
        y += 1
    count, room = -(-half.size // per), canvas.height - y
    rows = telling_rows(found, half, per, room)
    if top is not None:
        first = min(max(top, 0), max(count - room, 0))
        rows = list(range(first, min(first + room, count)))
    for line, row in enumerate(rows):
        if isinstance(row, str):
            canvas.write(6, y + line, row, Role.REST)
        else:
            _row(canvas, y + line, page, half, found, row, per)


def telling_rows(found: list[Zone], half: Half, per: int, room: int) -> list[int | str]:
    """Return at most `room` line numbers, and words for lines left out: headers whole, the middle of a payload not."""
    of_frame = [zone for zone in found if zone.name not in ("pad", "", "shinfo")] or found
    first = (of_frame[0].start - half.start) // per
    last = (of_frame[-1].end - 1 - half.start) // per
    if last - first < room or room < 4:
        return list(range(first, min(last + 1, first + room)))
    left_out = last - first + 2 - room
    return [*range(first, first + room - 2), f"… {left_out:,} more lines", last]


def _row(canvas: Canvas, y: int, page: Page, half: Half, found: list[Zone], row: int, per: int) -> None:
    start = half.start + row * per
    end = min(start + per, half.start + half.size)
    canvas.put(0, y, f"{start:04x}", Role.REST)
    text_at = 6 + 3 * per + 1
    names: list[str] = []
    for offset in range(start, end):
        zone = next(zone for zone in found if zone.start <= offset < zone.end)
        byte = page.data[offset]
        place = offset - start
        canvas.put(6 + 3 * place, y, f"{byte:02x}" if zone.known else "??", zone.role)
        letter = chr(byte) if 32 <= byte < 127 else "·"
        canvas.put(text_at + place, y, letter if zone.known else canvas.glyphs.unknown, zone.role)
        joined = offset + 1 < min(end, zone.end)
        if joined and zone.role.startswith("header"):
            canvas.put(8 + 3 * place, y, " ", zone.role)
        if zone.start == offset and zone.name and zone.name != "payload":
            names.append(zone.name)
    words = " ".join(dict.fromkeys(names))
    if words and canvas.width >= text_at + per + 2 + len(words):
        canvas.put(text_at + per + 2, y, words, Role.REST)
