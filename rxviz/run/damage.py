"""What a lamp that has gone on means here: which bytes, whose page, how many frames. Read from the model's memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rxviz.model.lamps import LAMPS
from rxviz.model.names import frame_name, half_name
from rxviz.run.words_mv643xx import change_words

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff
    from rxviz.run.timeline import Moment
    from rxviz.run.trace import Step

_SHOWN = 8
"""Bytes that are shown of what is wrong, and lines at most."""


def lamps_now(moment: Moment) -> list[str]:
    """Return the lamps that first went on in the step that led to this moment, or in the look at the end of a run."""
    here = {moment.position - 1, moment.position} if moment.is_last else {moment.position - 1}
    return [name for name, n in moment.machine.lamps.first.items() if n in here]


def damage(moment: Moment, lamp: str) -> list[str]:
    """Return what is wrong, in plain sentences: what the lamp watches first, then the bytes, pages or frames."""
    found = _FINDERS[lamp](moment.machine, moment.step)
    return [LAMPS[lamp], *(sentence for _, sentence in zip(range(_SHOWN), found, strict=False))]


# ------------------------------------------------------------------------------------------------------------- by lamp
def _bytes(m: Machine, step: Step | None) -> Iterator[str]:
    """The skbs whose bytes are not what arrived; the one of the step first."""
    own = m.skbs.get(step.skb) if step is not None and step.skb is not None else None
    others = [skb for skb in m.skbs.values() if skb is not own and skb.state != "driver"]
    for skb in [own, *others] if own is not None else others:
        if not skb.is_intact():
            yield changed_bytes(m, skb)


def changed_bytes(m: Machine, skb: SkBuff) -> str:
    """Return how an skb's bytes differ from its frame's, and whose they are now, if they are another frame's."""
    has, should = skb.payload(), skb.expected()
    if len(has) != len(should):
        return f"Frame {frame_name(skb.frame.id)}: the skb has {len(has):,} bytes, {len(should):,} arrived."
    return _difference(m, skb.frame, has, should)


def _difference(m: Machine, frame: Frame, has: bytes, should: bytes) -> str:
    """Return where bytes of a frame differ from what they should be, and whose they are; both are equally many."""
    name = frame_name(frame.id)
    wrong = [i for i, (one, other) in enumerate(zip(has, should, strict=True)) if one != other]
    first, last = wrong[0], wrong[-1]
    end = min(first + _SHOWN, last + 1)
    whose = next(
        (f" They are frame {frame_name(f.id)}'s." for f in m.ring.frames
         if f is not None and f is not frame and f.data[first : last + 1] == has[first : last + 1]), ""
    )  # fmt: skip
    return (
        f"Frame {name}: {len(wrong):,} of {len(has):,} bytes are wrong, from byte {first:,} on:"
        f" {has[first:end].hex(' ')} instead of {should[first:end].hex(' ')}.{whose}"
    )


def _outside(m: Machine, step: Step | None) -> Iterator[str]:
    """The write that left its buffer."""
    if step is not None and step.name == "world.astray":
        yield f"{step.field('size'):,} bytes went to an address that no buffer has."
    offset, size = (step.field("offset"), step.field("size")) if step is not None else (None, None)
    if step is None or offset is None or step.page is None:
        return
    if m.config.geometry.head:
        yield from _outside_head(m, step, offset, step.field("size"))
        return
    lamps, page = m.lamps, m.memory.pages.get(step.page)
    whole = m.config.geometry.page
    start = (offset - lamps.pad) // lamps.part * lamps.part if 0 <= offset < whole and lamps.room else 0
    end = start + lamps.room if lamps.room else whole
    if page is None or not 0 <= offset < whole:
        way = "before" if offset < 0 else "past"
        yield f"The address leads {abs(offset):,} bytes {way} the start of page {step.page}."
        return
    over = offset + size - end
    if over > 0:
        last = offset + size - 1
        yield f"Bytes {end:,} to {last:,} of page {step.page} are overwritten: {over:,} past the buffer's end."
    elif page.slot < 0:
        yield f"Page {step.page} has left the ring: nobody offered it."
    else:
        yield f"The frame begins at byte {offset:,} of page {step.page}, where no buffer begins."


def _outside_head(m: Machine, step: Step, offset: int, size: int) -> Iterator[str]:
    """The write that left the head of the skb that waits in its slot."""
    skb = m.ring.skb_at(step.slot)
    if skb is None:
        yield f"Slot {step.slot} has no skb: the NIC was given nothing there."
        return
    start, end = skb.head + m.lamps.head_pad, skb.end
    yield f"Slot {step.slot} offers bytes {start:,} to {end - 1:,} of page {skb.head_page.id}, the head of its skb."
    inside = 0 <= offset < skb.head_page.size
    where = f"from byte {offset:,} of that page on" if inside else "to where that page is not"
    yield f"The NIC writes {size:,} bytes {where}."


def _sent(m: Machine, step: Step | None) -> Iterator[str]:
    """What of a frame goes out otherwise than it came in."""
    for change in (step.field("changes") or ()) if step is not None else ():
        words = change_words(*change)
        yield f"{words[0].upper()}{words[1:]}."


def _owners(m: Machine, step: Step | None) -> Iterator[str]:
    """The skb that points where the NIC has written."""
    page = m.memory.pages.get(step.page) if step is not None and step.page is not None else None
    if page is None or step is None or step.field("offset") is None:
        return
    start = step.field("offset") - m.lamps.pad
    geometry = m.config.geometry
    skb = m.skbs.get(page.users.get(start, -1))
    where = f"{geometry.part_word} {half_name(start, geometry.part)}" if geometry.part else f"byte {start:,}"
    if skb is not None:
        yield f"The skb of frame {frame_name(skb.frame.id)} still points to {where} of page {page.id}."
        if skb.state == "driver" and skb.frags:
            yield from _changed_part(m, skb, page, start)
        elif not skb.is_intact():
            yield changed_bytes(m, skb)


def _changed_part(m: Machine, skb: SkBuff, page: Page, region: int) -> Iterator[str]:
    """How the bytes of a fragment differ from its frame's, in an skb that more frames are to join."""
    for frag, frame in zip(skb.frags, skb.frag_frames, strict=False):
        if frag.page is page and frag.region == region:
            has, should = bytes(page.data[frag.offset : frag.offset + frag.size]), frame.data[-frag.size :]
            if has != should:
                yield _difference(m, frame, has, should)


def _freed(m: Machine, step: Step | None) -> Iterator[str]:
    """Who still points into a page that was freed."""
    for skb in m.skbs.values():
        for page in {skb.head_page.id, *(frag.page.id for frag in skb.frags)}:
            if page not in m.memory.pages:
                name = frame_name(skb.frame.id)
                yield f"The skb of frame {name} points into page {page}, which may be anybody's now."
    for slot in range(m.ring.count):
        page_there = m.ring.page_at(slot)
        if page_there is not None and page_there.id not in m.memory.pages:
            yield f"Slot {slot} still offers page {page_there.id} to the NIC."


def _references(m: Machine, step: Step | None) -> Iterator[str]:
    """Pages whose count is not what their holders have."""
    held = m.lamps.references()
    for page in m.memory.pages.values():
        known = held.get(page.id, 0)
        if page.refcount != known:
            yield f"Page {page.id} counts {page.refcount:,} references; those who hold it have {known:,}."


def _leaked(m: Machine, step: Step | None) -> Iterator[str]:
    """Pages that nobody holds, and that were never given back."""
    held = m.lamps.references()
    for page in m.memory.pages.values():
        if page.id not in held:
            yield f"Page {page.id} ({page.size:,} bytes) is held by nobody, and was never freed."


def _accounted(m: Machine, step: Step | None) -> Iterator[str]:
    """Frames that came whole, and what became of them."""
    if step is not None and step.name == "reader.read" and step.frame is not None:
        yield f"Frame {frame_name(step.frame)} is read after a later frame of its flow."
        return
    delivered, dropped = m.socket.frames_delivered, sum(m.socket.drops().values()) + sum(m.driver.drops().values())
    written = m.nic.received
    came = f"{written:,} frame" + ("" if written == 1 else "s")
    yield f"The NIC has written {came}; delivered are {delivered:,}, and {dropped:,} dropped by name."


def _polled(m: Machine, step: Step | None) -> Iterator[str]:
    """What waits, and why nobody comes."""
    waiting = [frame_name(frame.id) for frame in m.nic.fifo]
    if waiting:
        yield f"In the NIC wait: {', '.join(waiting[:_SHOWN])}. No buffer is posted, so none can be written."
    if m.driver.is_cut_off():
        yield f"No {m.ring.DESC} is posted: no frame comes in, so no interrupt, so no poll, and none fills the ring."
    elif m.driver.pending():
        what = "completion is written" if m.ring.BESIDE else "descriptor is done"
        yield f"A {what}, and no interrupt and no poll is due."


def _null(m: Machine, step: Step | None) -> Iterator[str]:
    """Nothing more to say than the step itself does."""
    return iter(())


_FINDERS: dict[str, Callable[[Machine, Step | None], Iterator[str]]] = {
    "bytes_intact": _bytes,
    "delivered_as_arrived": _accounted,
    "dma_inside_buffer": _outside,
    "half_one_owner": _owners,
    "no_null_page": _null,
    "page_freed_with_holder": _freed,
    "page_leaked": _leaked,
    "refs_add_up": _references,
    "ring_polled": _polled,
    "sent_as_arrived": _sent,
}
