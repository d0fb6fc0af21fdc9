"""What a moment is about: one answer, which every panel takes.

A step names a frame, a slot, a page or an skb, or none of them. What it does not name follows from what it does: a
frame's page and half are those where its bytes lie, its skb the one that it is in. Between frames all is about the slot
that the driver comes to next (`rxviz.view.slots.slot_in_question`), the page there, and the frame in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.heads import cut_up_to
from rxviz.view.changes import regions_changed
from rxviz.view.regions import drawn_halves
from rxviz.view.slots import BEFORE_THE_RING, SlotState, slot_at, slot_in_question

if TYPE_CHECKING:
    from rxviz.model.halves import Half
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff
    from rxviz.run.timeline import Moment


def frame_in_question(moment: Moment) -> int | None:
    """Return the number of the frame that this step is about, else of the one in the slot in question."""
    if moment.step is not None and moment.step.frame is not None:
        return moment.step.frame
    slot = slot_at(moment, slot_in_question(moment))
    return slot.frame.id if slot.state is SlotState.DONE and slot.frame is not None else None


def skb_of_frame(moment: Moment) -> SkBuff | None:
    """Return the skb that the step names, else the one of its frame."""
    skbs, step = moment.machine.skbs, moment.step
    if step is None:
        return None
    if step.skb is not None and step.skb in skbs:
        return skbs[step.skb]
    return _skb_with(moment, step.frame) if step.frame is not None else None


def _skb_with(moment: Moment, frame: int) -> SkBuff | None:
    mine = (skb for skb in reversed(moment.machine.skbs.values()) if any(each.id == frame for each in skb.frames))
    return next(mine, None)


def skb_in_question(moment: Moment) -> SkBuff | None:
    """Return the skb of this step or of the frame in question; where there is no such frame, the newest that is alive.

    A frame that has no skb yet, or whose skb is freed, has none. Where skbs wait in the ring for frames, the one in the
    slot in question it is.
    """
    found = skb_of_frame(moment)
    step = moment.step
    if moment.machine.config.geometry.head:
        waiting = moment.machine.ring.skb_at(slot_in_question(moment))
        about = step is None or step.frame is None or step.kind in BEFORE_THE_RING
        if waiting is not None and (about or (step is not None and step.skb == waiting.id)):
            return waiting
    if found is None and (step is None or step.frame is None):
        frame = frame_in_question(moment)
        return _skb_with(moment, frame) if frame is not None else next(reversed(moment.machine.skbs.values()), None)
    return found


def page_in_question(moment: Moment) -> Page | None:
    """Return the page that this step is about, else that of its frame, else that of the slot in question."""
    m, step = moment.machine, moment.step
    if step is not None and step.page is not None:
        page = m.memory.pages.get(step.page)
        if page is not None and page.kind == "rx":
            return page
    skb = skb_of_frame(moment)
    page = _page_of(skb, step.frame if step is not None else None) if skb is not None else None
    if page is None:
        page = _page_at(moment, slot_in_question(moment))
    if page is None and m.skbs:
        page = _page_of(next(reversed(m.skbs.values())), None)
    if page is None and m.config.geometry.head:
        page = m.napi_frags.page
    return page


def _page_at(moment: Moment, slot: int) -> Page | None:
    """Return the page in a slot, else the one in which the frame lies that came through it last."""
    ring = moment.machine.ring
    page, frame = ring.page_at(slot), ring.frames[slot]
    if page is not None or frame is None:
        return page
    skb = _skb_with(moment, frame.id)
    return _page_of(skb, frame.id) if skb is not None else None


def _page_of(skb: SkBuff, frame: int | None) -> Page | None:
    """Return the page of the ring in which the end of a frame's bytes lies, of any frame's where it is None; None where
    the skb points into no page of the ring.
    """
    held = [skb.head_page, *(frag.page for frag in skb.frags)]
    owners = [skb.frame, *(skb.frag_frames or [skb.frame] * len(skb.frags))]
    of_ring = [(page, owner.id) for page, owner in zip(held, owners, strict=True) if page.kind == "rx"]
    own = [page for page, owner in of_ring if owner == frame]
    return next(iter(reversed(own or [page for page, _ in of_ring])), None)


def half_in_question(moment: Moment, page: Page, *, of_frame: bool = False) -> Half | None:
    """Return the half of `page` that this step is about: the one that it names, the one with its frame, the one that
    it let go; else the one of the slot in question, else one with a frame or on offer.

    With `of_frame` it is the half where the step's frame lies, even when the step is about the other one.
    """
    found = drawn_halves(moment, page)
    step = moment.step
    if step is not None:
        mine = [half for half in found if half.frame is not None and half.frame.id == step.frame]
        offset = step.field("offset") if step.page == page.id else None
        if isinstance(offset, int) and not (of_frame and mine):
            return _at(found, offset)
        if mine:
            return mine[-1]
        let_go = sorted(regions_changed(moment, page))
        if step.frame is not None and let_go:
            return _at(found, let_go[0])
    ring, slot = moment.machine.ring, slot_in_question(moment)
    if ring.page_at(slot) is page:
        return _at(found, ring.offset_at(slot))
    if moment.machine.napi_frags.page is page and moment.machine.config.geometry.head and step is not None:
        # The slot is to have a head that is not cut yet.
        return _at(found, cut_up_to(moment.machine, page)) or (found[-1] if found else None)
    with_frame = [half for half in found if half.frame is not None]
    offered = [half for half in found if half.slot >= 0]
    return next(iter(with_frame or offered or found), None)


def _at(found: list[Half], offset: int) -> Half | None:
    return next((half for half in found if half.start <= offset < half.start + half.size), None)
