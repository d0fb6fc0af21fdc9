"""A half's bytes in lines: offset, hex, text; each byte in the role of what it belongs to."""

from __future__ import annotations

from collections.abc import Callable
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
DECIMAL = 7
"""Cells for the offset in decimal behind the one in hex."""


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
    tail = end - moment.machine.config.core.shinfo_size if geometry.build_skb and geometry.part else end
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
        skb_end = tail if geometry.part else end - moment.machine.config.core.shinfo_size
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
        canvas.write(0, y, "Nothing is written here yet: its bytes mean nothing.", Role.REST)
        return
    per = WIDE if canvas.width >= 7 + 4 * WIDE else NARROW
    found = zones(moment, page, half)
    if canvas.height - y >= 4:
        starts = [f"{zone.name} {zone.start:04x}={zone.start:,}" for zone in found if zone.name]
        canvas.put(0, y, join_fit(starts, canvas.width), Role.REST)
        y += 1
    count, room = -(-half.size // per), canvas.height - y
    rows = _chosen(page, half, found, per, room)
    if top is not None:
        first = min(max(top, 0), max(count - room, 0))
        rows = list(range(first, min(first + room, count)))
    for line, row in enumerate(rows):
        if isinstance(row, str):
            canvas.write(6, y + line, row, Role.REST)
        else:
            _row(canvas, y + line, page, half, found, row, per)


def telling_rows(found: list[Zone], half: Half, per: int, room: int) -> list[int]:
    """Return at most `room` numbers of the lines that a frame lies in, those of the whole half where none does."""
    of_frame = [zone for zone in found if zone.name not in ("pad", "", "shinfo")] or found
    first = (of_frame[0].start - half.start) // per
    last = (of_frame[-1].end - 1 - half.start) // per
    return list(range(first, min(last + 1, first + room)))


def _chosen(page: Page, half: Half, found: list[Zone], per: int, room: int) -> list[int | str]:
    """Return the lines to show: all of the half where they fit once folded, else those of the frame."""
    count = -(-half.size // per)

    def content(row: int) -> object:
        return _content(page, half, found, row, per)

    every = folded(list(range(count)), room + 1, content) if room >= 4 else []
    return every if 0 < len(every) <= room else folded(telling_rows(found, half, per, count), room, content)


def folded(rows: list[int], room: int, content: Callable[[int], object]) -> list[int | str]:
    """Return at most `room` lines: runs of the same content folded into one line and words, then what has room."""
    shown: list[int | str] = []
    at = 0
    while at < len(rows) and len(shown) < 4 * room:
        same = at + 1
        while same < len(rows) and content(rows[same]) == content(rows[at]):
            same += 1
        shown.append(rows[at])
        if same - at > 2:
            shown.append(f"… {same - at - 1:,} lines of the same")
        elif same - at == 2:
            shown.append(rows[at + 1])
        at = same
    if (len(shown) <= room and at == len(rows)) or room < 4:
        return shown[:room]
    kept = shown[: room - 2]
    told = next((row for row in reversed(kept) if isinstance(row, int)), rows[0])
    return [*kept, f"… {rows[-1] - told - 1:,} more lines", rows[-1]]


def _content(page: Page, half: Half, found: list[Zone], row: int, per: int) -> object:
    """Return what makes a line look as it does, its offset apart."""
    start = half.start + row * per
    zones_here = [(zone.name, zone.known) for zone in found if zone.start < start + per and zone.end > start]
    return tuple(zones_here), bytes(page.data[start : start + per]) if all(known for _, known in zones_here) else b""


def _row(canvas: Canvas, y: int, page: Page, half: Half, found: list[Zone], row: int, per: int) -> None:
    start = half.start + row * per
    end = min(start + per, half.start + half.size)
    decimal = canvas.width >= 6 + 4 * per + 1 + DECIMAL
    left = 6 + (DECIMAL if decimal else 0)
    canvas.put(0, y, f"{start:04x}", Role.REST)
    if decimal:
        canvas.put_right(left - 2, y, f"{start:,}", Role.REST)
    text_at = left + 3 * per + 1
    names: list[str] = []
    for offset in range(start, end):
        zone = next(zone for zone in found if zone.start <= offset < zone.end)
        byte = page.data[offset]
        place = offset - start
        canvas.put(left + 3 * place, y, f"{byte:02x}" if zone.known else "??", zone.role)
        letter = chr(byte) if 32 <= byte < 127 else "·"
        canvas.put(text_at + place, y, letter if zone.known else canvas.glyphs.unknown, zone.role)
        joined = offset + 1 < min(end, zone.end)
        if joined and zone.role.startswith("header"):
            canvas.put(left + 2 + 3 * place, y, " ", zone.role)
        if zone.start == offset and zone.name and zone.name != "payload":
            names.append(zone.name)
    words = " ".join(dict.fromkeys(names))
    if words and canvas.width >= text_at + per + 2 + len(words):
        canvas.put(text_at + per + 2, y, words, Role.REST)
