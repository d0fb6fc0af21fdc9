"""What each slot of the ring is doing, told from cursors, descriptors and shadow entries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rxviz.model import descriptor, steps
from rxviz.model.names import half_name
from rxviz.view.changes import value_before

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.ring import RxRing
    from rxviz.run.timeline import Moment
    from rxviz.run.trace import Step

REFILL_KINDS = frozenset({steps.RING_REFILL, steps.PAGE_ALLOC, steps.DESC_POST, steps.RING_TAIL})


class SlotState(StrEnum):
    """In ring order from next_to_clean on."""

    DONE = "done"
    """The NIC has written back; the driver has not moved past it."""
    POSTED = "posted"
    WAITING = "waiting"
    """A recycled page has come here; the NIC has not been told."""
    REFILL = "refill"
    """No page: the next refill must get one."""
    EMPTY = "empty"
    """The one slot that is never filled, so that a full ring and an empty one look different."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A slot as it is drawn. `half` names the half (or the offset) of `page`; `length` and `eop` are of a done one."""

    number: int
    state: SlotState
    frame: Frame | None = None
    page: int | None = None
    half: str = ""
    length: int = 0
    eop: bool = False
    in_hand: bool = False
    part: str = ""
    """Which of its buffers this is, where a frame takes several: " 2/3"."""


def bands(m: Machine) -> list[tuple[SlotState, int, int]]:
    """Return (state, first slot, how many), in ring order from next_to_clean; slots without number are left out."""
    ring = m.ring
    # Posted is what the NIC has been told of: up to RDT, not up to next_to_use.
    count, clean, use = ring.count, ring.next_to_clean, m.nic.rdt
    posted = (use - clean) % count
    done = min((m.nic.rdh - clean) % count, posted)
    waiting = _with_page(ring, use, count - posted)
    bare = count - posted - waiting
    lengths = [
        (SlotState.DONE, clean, done),
        (SlotState.POSTED, (clean + done) % count, posted - done),
        (SlotState.WAITING, use, waiting),
        (SlotState.REFILL, (use + waiting) % count, max(bare - 1, 0)),
        (SlotState.EMPTY, (clean - 1) % count, min(bare, 1)),
    ]
    return [band for band in lengths if band[2]]


def counts_before(moment: Moment) -> tuple[int, int]:
    """Return how many slots were posted, and how many done, before this step."""
    ring, nic = moment.machine.ring, moment.machine.nic
    clean = value_before(moment, "ring.next_to_clean", ring.next_to_clean)
    use = value_before(moment, "nic.RDT", nic.rdt)
    rdh = value_before(moment, "nic.RDH", nic.rdh)
    with_nic = (use - clean) % ring.count
    done = min((rdh - clean) % ring.count, with_nic)
    return with_nic - done, done


def _with_page(ring: RxRing, first: int, most: int) -> int:
    """Count the slots from `first` on that have a page; in a refill next_to_alloc does not say it, it lags behind."""
    for place in range(most):
        if ring.rx_buffer_info[(first + place) % ring.count].page is None:
            return place
    return most


def states(m: Machine) -> list[SlotState]:
    """Return the state of every slot."""
    found = [SlotState.EMPTY] * m.ring.count
    for state, first, length in bands(m):
        for slot in range(first, first + length):
            found[slot % m.ring.count] = state
    return found


def slot_at(moment: Moment, number: int) -> Slot:
    """Return one slot."""
    m = moment.machine
    ring = m.ring
    state = states(m)[number] if ring.count <= 64 else _state(m, number)
    buffer = ring.rx_buffer_info[number]
    page = buffer.page
    half = half_name(buffer.page_offset, m.config.geometry.half) if m.config.geometry.half else ""
    if state is not SlotState.DONE:
        part = part_of(moment, number) if number == being_written(moment.step) else ""
        return Slot(
            number, state, None, page.id if page is not None else None, half if page is not None else "", part=part
        )
    status = descriptor.status_error(ring.desc, number)
    frame = ring.frames[number]
    return Slot(
        number,
        state,
        frame,
        page.id if page is not None else None,
        half,
        descriptor.length(ring.desc, number),
        bool(status & descriptor.EOP),
        number == ring.next_to_clean and _in_hand(moment, number),
        part_of(moment, number),
    )


def _state(m: Machine, number: int) -> SlotState:
    for state, first, length in bands(m):
        if (number - first) % m.ring.count < length:
            return state
    return SlotState.EMPTY


def _in_hand(moment: Moment, number: int) -> bool:
    """Whether the driver has begun with the slot at next_to_clean."""
    m, step = moment.machine, moment.step
    if m.ring.rx_buffer_info[number].page is None:
        return True
    if step is not None and step.slot == number and steps.KINDS[step.kind].who == "cpu":
        return True
    frame = m.ring.frames[number]
    newest = next(reversed(m.skbs.values()), None)
    return newest is not None and newest.state == "driver" and newest.frame is frame


def part_of(moment: Moment, number: int) -> str:
    """Return " 2/3" for a slot with the second of a frame's three buffers, "" where a frame takes one."""
    m = moment.machine
    frame = m.ring.frames[number]
    size = m.config.geometry.dma_size
    parts = -(-frame.wire_len // size) if frame is not None else 1
    if frame is None or parts == 1:
        return ""
    place = 1
    while place < parts and m.ring.frames[(number - place) % m.ring.count] is frame:
        place += 1
    return f" {place}/{parts}"


def being_written(step: Step | None) -> int:
    """Return the slot into whose buffer the NIC writes in this step, -1 when it writes into none."""
    return step.slot if step is not None and step.kind == steps.NIC_DMA else -1


LOOK_BACK = 64
"""How many slots behind next_to_clean a frame's own slot is looked for."""


def slot_in_question(moment: Moment) -> int:
    """Return the slot that this step is about, else the one of its frame, from where it will be written until its skb
    is gone; between frames the one that the driver comes to next.
    """
    m, step = moment.machine, moment.step
    ring = m.ring
    if step is None:
        return ring.next_to_clean
    if step.slot >= 0:
        return step.slot
    if step.kind in (steps.RING_REFILL, steps.RING_TAIL):
        return ring.next_to_use if step.kind == steps.RING_REFILL else (ring.next_to_use - 1) % ring.count
    if step.kind in (steps.WIRE_ARRIVE, steps.NIC_WAIT, steps.NIC_STRIP) or step.kind in steps.NIC_DROPS:
        return m.nic.rdh
    own = slot_of_frame(moment, step.frame) if step.frame is not None else None
    return own if own is not None else ring.next_to_clean


def slot_of_frame(moment: Moment, frame: int) -> int | None:
    """Return the slot that a frame was written through last, None when it is long ago."""
    ring = moment.machine.ring
    for back in range(1, min(ring.count, LOOK_BACK)):
        slot = (ring.next_to_clean - back) % ring.count
        found = ring.frames[slot]
        if found is not None and found.id == frame:
            return slot
    return None
