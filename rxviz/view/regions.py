"""What lies where in a half (or a region) of a page: headroom, frame, shared info; and whose bytes those are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.halves import Half, State, halves
from rxviz.model.heads import heads
from rxviz.model.kernel import align
from rxviz.model.names import frame_name
from rxviz.view.cell import Role, frame_role
from rxviz.view.glyphs import Glyphs
from rxviz.view.scale import Part
from rxviz.view.slots import part_of, slot_at

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff
    from rxviz.run.timeline import Moment


_ROOM = {
    State.POSTED: ("posted: the NIC may write here", "posted"),
    State.WAITING: ("waiting to be posted", "waiting"),
    State.SPARE: ("spare: nobody holds it", "spare"),
    State.USED: ("used once: not offered again", "used"),
    State.GONE: ("left the ring", "left"),
}
ROOMY = 48
"""Cells of a half's bar from which its words are the long ones."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Bytes of a frame in a page: `size` bytes at `offset`, being those of the frame from byte `first` on.

    `copied` bytes in front of them are the frame's too, but were copied into an skb's head. `is_head` says that an
    skb was built round them, so that shared info lies at the end.
    """

    frame: Frame
    offset: int
    size: int
    first: int = 0
    copied: int = 0
    is_head: bool = False

    @property
    def known(self) -> int:
        """How many of the bytes are really known; the rest was not captured."""
        return max(0, min(self.size, self.frame.known - self.first))


def state_letter(glyphs: Glyphs, state: State) -> str:
    """Return the fill that stands for a state."""
    fills = {
        State.WAITING: glyphs.waiting, State.POSTED: glyphs.posted, State.FILLED: glyphs.filled,
        State.IN_HAND: glyphs.in_hand, State.STACK: glyphs.stack, State.SPARE: glyphs.spare,
    }  # fmt: skip
    return fills.get(state, glyphs.gone)


def drawn_halves(moment: Moment, page: Page) -> list[Half]:
    """Return the halves or segments of a page; of another walked page its regions, and the rest between them."""
    m = moment.machine
    if m.config.geometry.part:
        return [_in_hand(moment, half) for half in halves(m, page)]
    left = State.SPARE if page.slot >= 0 or m.config.geometry.head else State.GONE
    if page.slot < 0 and not page.users:
        return [Half(0, page.size, left)]
    found: list[Half] = []
    at = 0
    for region in heads(m, page) if m.config.geometry.head else halves(m, page):
        if region.start > at:
            found.append(Half(at, region.start - at, left))
        size = min(region.size, _length(m, page, region))
        found.append(_in_hand(moment, replace(region, size=size)))
        at = region.start + size
    if at < page.size:
        found.append(Half(at, page.size - at, left))
    return found


def _in_hand(moment: Moment, half: Half) -> Half:
    """Say "in hand" as soon as the driver has begun with a slot, as the ring's picture does."""
    if half.state is State.FILLED and slot_at(moment, half.slot).in_hand:
        return replace(half, state=State.IN_HAND)
    return half


def _length(m: Machine, page: Page, region: Half) -> int:
    """Return how many bytes of a walked page a region takes: its buffer, or what its skb is charged for."""
    geometry, core = m.config.geometry, m.config.core
    if geometry.head:
        return geometry.head
    if region.skb is None:
        return geometry.pad + geometry.bufsz
    skb = m.skbs[region.skb]
    if skb.head_page is page and skb.head_region == region.start:
        return skb.end - skb.head + core.shinfo_size
    ends = (frag.offset + frag.size for frag in skb.frags if frag.page is page and frag.region == region.start)
    return align(max(ends) - region.start, core.cache_line)


def stretch_of(moment: Moment, page: Page, half: Half) -> Stretch | None:
    """Return the bytes of a frame that matter in a half, None when none do."""
    m, step = moment.machine, moment.step
    if half.skb is not None:
        return _held(m.skbs[half.skb], page, half.start, m.config.geometry.pad)
    if half.slot >= 0 and half.frame is not None:
        size, offset = m.ring.length_at(half.slot), m.ring.offset_at(half.slot)
        return Stretch(half.frame, offset, size, m.ring.before(half.slot))
    if half.frame is not None:
        # The driver waits for more frames of its connection, and has not made an skb of it.
        return Stretch(half.frame, half.start + m.config.geometry.pad, half.frame.wire_len)
    if step is not None and step.kind == steps.NIC_DMA and step.page == page.id and m.nic.fifo:
        offset, size = step.field("offset"), step.field("size")
        if half.start <= offset < half.start + half.size:
            return Stretch(m.nic.fifo[0], offset, size, m.nic.sent)
    return None


def _held(skb: SkBuff, page: Page, start: int, pad: int) -> Stretch | None:
    if skb.head_page is page and start in (skb.head_region, skb.head):
        return Stretch(skb.frame, skb.mac_header, skb.tail - skb.mac_header, is_head=True)
    first = skb.tail - skb.mac_header
    if skb.frag_frames:
        return _taken_over(skb, page, start, pad)
    for number, frag in enumerate(skb.frags):
        if frag.page is page and frag.region == start:
            pulled = skb.tail - skb.mac_header if number == 0 and not skb.is_built else 0
            return Stretch(skb.frame, frag.offset, frag.size, first, pulled)
        first += frag.size
    return None


def _taken_over(skb: SkBuff, page: Page, start: int, pad: int) -> Stretch | None:
    """The bytes in a fragment of an skb that is made of several frames; their headers stay behind in front of them."""
    at, lost = {skb.frame.id: skb.tail - skb.mac_header}, {frame.id: size for frame, size in skb.merged}
    for frag, frame in zip(skb.frags, skb.frag_frames, strict=True):
        left = 0 if frame.id in at else frag.offset - frag.region - pad
        before = at.get(frame.id, lost.get(frame.id, left))
        if frag.page is page and frag.region == start:
            return Stretch(frame, frag.offset, frag.size, before, left)
        at[frame.id] = before + frag.size
    return None


def own_head(moment: Moment, page: Page, start: int) -> Half | None:
    """Return the head of an skb that has one of its own, as a region of the chunk that it was cut from; `start` is
    its first byte in `page`.
    """
    size = moment.machine.config.core.shinfo_size
    for skb in moment.machine.skbs.values():
        if skb.head_page is page and skb.head == start and not skb.is_built:
            state = State.IN_HAND if skb.state == "driver" else State.STACK
            return Half(start, skb.end - skb.head + size, state, skb.frame, skb.id)
    return None


def part_in(moment: Moment, page: Page, half: Half) -> str:
    """Return " 2/3" where the second of a frame's three buffers lies in a half, "" where a frame takes one."""
    if half.skb is None:
        return part_of(moment, half.slot) if half.slot >= 0 and half.frame is not None else ""
    skb, size = moment.machine.skbs[half.skb], moment.machine.config.geometry.dma_size
    parts = -(-skb.frame.wire_len // size)
    if parts == 1:
        return ""
    own = 1 if skb.is_built else 0
    if skb.head_page is page and skb.head_region == half.start:
        return f" 1/{parts}"
    frags = enumerate(skb.frags, 1 + own)
    return next((f" {n}/{parts}" for n, frag in frags if frag.page is page and frag.region == half.start), "")


def region_parts(moment: Moment, page: Page, half: Half, glyphs: Glyphs, width: int) -> list[Part]:
    """Return the parts of a half in address order, from its first byte to its last, with words for `width` cells."""
    geometry, core = moment.machine.config.geometry, moment.machine.config.core
    stretch = stretch_of(moment, page, half)
    letter = state_letter(glyphs, half.state)
    if geometry.head and half.state not in (State.SPARE, State.GONE):
        return _head_parts(moment, half, stretch, letter, glyphs, width)
    head_follows = geometry.pad > 0 and (stretch is None or (stretch.first == 0 and not stretch.is_head))
    tail = core.shinfo_size if head_follows or (stretch is not None and stretch.is_head) else 0
    digits = len(f"{half.start:,}") + 1
    if stretch is None:
        role = Role.NIC if half.state is State.POSTED else Role.REST
        words = _ROOM.get(half.state, ("", ""))[0 if width >= ROOMY else 1]
        room = Part(words, min(geometry.bufsz, half.size - geometry.pad), letter, role, Role.REST)
        parts = [Part("pad", geometry.pad, glyphs.spare, Role.REST, Role.REST, least=digits), room]
    else:
        pad = stretch.offset - stretch.copied - half.start
        parts = [Part("pad", pad, glyphs.spare, Role.REST, Role.REST, least=digits)]
        copied = "hdr copied" if width >= ROOMY else "hdr"
        parts.append(Part(copied, stretch.copied, glyphs.copied, Role.REST, Role.REST, padded=False))
        parts += frame_parts(stretch, letter, glyphs, width)
    return _close(parts, half.size, tail, head_follows, glyphs, 6 if width >= ROOMY else 0)


def _head_parts(
    moment: Moment, half: Half, stretch: Stretch | None, letter: str, glyphs: Glyphs, width: int
) -> list[Part]:
    """Return the parts of a head that an skb has had from the beginning, its shared info included."""
    geometry, core = moment.machine.config.geometry, moment.machine.config.core
    front = geometry.pad if stretch is None else stretch.offset - stretch.copied - half.start
    parts = [Part("pad", front, glyphs.spare, Role.REST, Role.REST, least=len(f"{half.start:,}") + 1)]
    if stretch is None:
        words = _ROOM.get(half.state, ("", ""))[0 if width >= ROOMY else 1]
        room = half.size - geometry.pad - core.shinfo_size
        parts.append(Part(words, room, letter, Role.NIC, Role.REST))
    else:
        parts.append(Part("hdr", stretch.copied, glyphs.copied, Role.REST, Role.REST, padded=False))
        parts += frame_parts(stretch, letter, glyphs, width)
    return _close([part for part in parts if part.size], half.size, core.shinfo_size, False, glyphs,
                  6 if width >= ROOMY else 0)  # fmt: skip


def frame_parts(stretch: Stretch, fill: str, glyphs: Glyphs, width: int) -> list[Part]:
    """Return the parts of a frame's bytes: what is known, and what was not captured. The name tells the wire length."""
    frame, known = stretch.frame, stretch.known
    name = f"{frame_name(frame.id)} {stretch.size:,}"
    colour = frame_role(frame.id, solid=False)
    if known >= stretch.size:
        return [Part(name, known, fill, colour, frame_role(frame.id))]
    unknown = stretch.size - known
    words = f"{unknown:,} not captured" if width >= ROOMY else "not captured"
    if not known:
        return [Part(f"{name}, none captured", unknown, glyphs.unknown, Role.UNKNOWN, frame_role(frame.id))]
    return [
        Part(name, known, fill, colour, frame_role(frame.id)),
        Part(words if width >= ROOMY - 20 else "", unknown, glyphs.unknown, Role.UNKNOWN, Role.PLAIN),
    ]


def _close(parts: list[Part], size: int, tail: int, head_follows: bool, glyphs: Glyphs, least: int) -> list[Part]:
    """Add what is left behind the frame, and the shared info in the last `tail` bytes; until an skb is built round the
    frame, these are only kept free for it. What is left gets `least` cells, for its offset.
    """
    used = sum(part.size for part in parts)
    tail = min(tail, max(size - used, 0))
    rest = size - used - tail
    if rest > 0:
        parts.append(Part("", rest, glyphs.spare, Role.REST, least=least))
    if tail:
        fill, role = (glyphs.spare, Role.REST) if head_follows else (glyphs.shinfo, Role.SHINFO)
        parts.append(Part("shinfo", tail, fill, role, role, padded=False))
    return parts
