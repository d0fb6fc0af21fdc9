"""Whose bytes really lie in memory: the halves of a page and what a program reads of a frame, letter by letter."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.memory import Page
from rxviz.model.names import frame_name, half_name
from rxviz.model.skb import SkBuff
from rxviz.run.timeline import Moment
from rxviz.view.cell import Role, frame_role
from rxviz.view.glyphs import Glyphs

CELLS = 8
BACK = 16
"""Frames before the newest one whose bytes are recognised; older ones are while an skb has them."""
LEAST_RUN = 12
"""Bytes that are too few to tell whose they are, when they are looked for at any place of a frame."""

Spans = list[tuple[str, str]]


def damaged(m: Machine) -> SkBuff | None:
    """Return the first living skb whose bytes are not those of its frame any more, or of its frames."""
    return next((skb for skb in whole_skbs(m) if not skb.is_intact()), None)


def whole_skbs(m: Machine) -> list[SkBuff]:
    """Return the living skbs that have left the driver, without those that are chained to another."""
    chained = {member.id for skb in m.skbs.values() for member in skb.frag_list}
    return [skb for skb in m.skbs.values() if skb.state != "driver" and skb.id not in chained]


def halves_line(moment: Moment, page_id: int, cells: int, glyphs: Glyphs) -> Spans:
    """Return spans such as `A C C C  B D D D`: for each half whose bytes lie there, in `cells` letters."""
    m = moment.machine
    page, half = m.memory.pages.get(page_id), m.config.geometry.half
    if page is None or not half or not page.data:
        return [("gone", Role.REST)]
    frames = _candidates(m)
    spans: Spans = []
    for start in range(0, page.size, half):
        spans.append((f" {half_name(start, half)} ", Role.REST))
        spans += _letters(_owners(page, start + m.config.geometry.pad, half, cells, frames), glyphs, "")
        spans.append((" ", Role.PLAIN))
    return spans


def reader_line(skb: SkBuff, m: Machine, cells: int, glyphs: Glyphs, good: str, bad: str) -> Spans:
    """Return spans such as `frame C reads D D D C ✗`: whose bytes a program finds when it reads a frame."""
    name, payload, data = frame_name(skb.frame.id), skb.payload(), skb.frame.data
    frames = _candidates(m)
    owners: list[str] = []
    step = max(len(data) // cells, 1)
    for start, end in _cuts(len(data), cells):
        mine, wanted = payload[start:end], data[start:end]
        if mine == wanted:
            owners.append(name)
        else:
            differs = next((i for i, (a, b) in enumerate(zip(mine, wanted, strict=False)) if a != b), 0)
            owners.append(_owner(mine[differs:], frames, skb.frame, start + differs))
    owners += [
        _owner(payload[at : at + step], frames, skb.frame, at - len(data)) for at in _beyond(data, payload, step)
    ]
    right = payload == data
    spans = [(f"a program reads {name}: ", Role.PLAIN), *_letters(owners, glyphs, name)]
    return [*spans, (good if right else bad, Role.GOOD if right else Role.BAD)]


def _candidates(m: Machine) -> list[Frame]:
    """Return the frames that bytes may be of: the newest first, then older ones that an skb still has."""
    numbers = range(max(m.offered - BACK, 0), m.offered + 1)
    newest = [frame for number in reversed(numbers) if (frame := m.source.frame(number)) is not None]
    held = {frame.id: frame for skb in m.skbs.values() for frame in skb.frames if frame.id < numbers.start}
    return [*newest, *(held[number] for number in sorted(held, reverse=True))]


def _cuts(size: int, cells: int) -> list[tuple[int, int]]:
    return [(size * i // cells, size * (i + 1) // cells) for i in range(cells)]


def _beyond(data: bytes, payload: bytes, step: int) -> range:
    """Where bytes that are too many begin, a few pieces of them."""
    return range(len(data), min(len(payload), len(data) + 3 * step), step)


def _owners(page: Page, start: int, half: int, cells: int, frames: Sequence[Frame]) -> list[str]:
    longest = max((len(frame.data) for frame in frames), default=half)
    return [
        _owner(bytes(page.data[start + low : start + high]), frames, None, low)
        for low, high in _cuts(min(longest, half), cells)
    ]


def _owner(part: bytes, frames: Sequence[Frame], not_this: Frame | None, at: int) -> str:
    """Return the letter of the frame that bytes are of: those at the same place of it first, then anywhere in it."""
    if not any(part):
        return ""
    for frame in frames:
        if frame is not not_this and frame.data[at : at + len(part)] == part:
            return frame_name(frame.id)
    if len(part) >= LEAST_RUN:
        for frame in frames:
            if frame is not not_this and part[:LEAST_RUN] in frame.data:
                return frame_name(frame.id)
    return "?"


def _letters(owners: Sequence[str], glyphs: Glyphs, mine: str) -> Spans:
    """Return the letters, those that are not `mine` marked: by sign as well as by role."""
    spans: Spans = []
    for owner in owners:
        if not owner:
            spans.append((glyphs.spare + " ", Role.REST))
        elif owner == "?":
            spans.append(("? ", Role.BAD if mine else Role.REST))
        else:
            number = (ord(owner[0]) - 65) + 26 * int(owner[1:] or 0)
            wrong = bool(mine) and owner != mine
            spans.append((f"{owner} ", Role.BAD if wrong else frame_role(number, solid=False)))
    return spans
