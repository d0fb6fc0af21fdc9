"""What each slot of the ring is doing, told from cursors, descriptors and shadow entries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rxviz.model import steps, steps_qede
from rxviz.model.names import half_name

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.ring import Ring
    from rxviz.run.timeline import Moment
    from rxviz.run.trace import Step

_MISSING = frozenset({steps.RING_REFILL, steps_qede.BD_REFILL, steps.RXQ_REFILL})
_TOLD = frozenset({steps.RING_TAIL, steps_qede.RING_PROD})
REFILL_KINDS = frozenset({
    *_MISSING, *_TOLD, steps.PAGE_ALLOC, steps.DESC_POST, steps_qede.BD_FILL, steps.CHUNK_ALLOC, steps.SKB_AHEAD,
    steps.BUF_MAP, steps.DESC_GIVE,
})  # fmt: skip
"""Steps that are about slots being filled: what is missing, what is put in, what the NIC is told."""
BEFORE_THE_RING = steps.NIC_DROPS | {steps.WIRE_ARRIVE, steps.NIC_WAIT, steps.NIC_STRIP}
"""Steps of a frame that no slot has yet, or none ever will."""


class SlotState(StrEnum):
    """In ring order from where the driver looks next."""

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
    end: str = ""
    in_hand: bool = False
    skb: int | None = None
    """The skb that waits in it, where skbs wait for frames."""
    part: str = ""
    """Which of its buffers this is, where a frame takes several: " 2/3"."""


def bands(m: Machine) -> list[tuple[SlotState, int, int]]:
    """Return (state, first slot, how many), in ring order from where the driver looks next; states that no slot is in
    are left out.
    """
    ring = m.ring
    count, first, given, done = ring.count, ring.first, m.nic.given, m.nic.written
    behind = (first + given) % count
    waiting = _with_page(ring, behind, count - given)
    bare = count - given - waiting
    empty = min(bare, 1) if ring.keeps_one_empty else 0
    lengths = [
        (SlotState.DONE, first, done),
        (SlotState.POSTED, (first + done) % count, given - done),
        (SlotState.WAITING, behind, waiting),
        (SlotState.REFILL, (behind + waiting) % count, bare - empty),
        (SlotState.EMPTY, (first - 1) % count, empty),
    ]
    return [band for band in lengths if band[2]]


def counts_before(moment: Moment) -> tuple[int, int]:
    """Return how many slots were posted, and how many done, before this step."""
    nic = moment.machine.nic
    place, _ = moment.machine.ring.CURSORS[0]
    taken, filled = _moved(moment, f"ring.{place}"), _moved(moment, f"nic.{nic.REGISTERS[0][1]}")
    given, done = nic.given + taken - _moved(moment, nic.TOLD_BY), nic.written + taken - filled
    return given - done, done


def _moved(moment: Moment, name: str) -> int:
    """Return by how many slots this step moved a cursor."""
    for changed, old, new in moment.step.changes if moment.step is not None else ():
        if changed == name and isinstance(old, int) and isinstance(new, int):
            return (new - old) % moment.machine.ring.count
    return 0


def _with_page(ring: Ring, first: int, most: int) -> int:
    """Count the slots from `first` on that have a page; in a refill next_to_alloc does not say it, it lags behind."""
    for place in range(most):
        if ring.page_at((first + place) % ring.count) is None:
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
    page = ring.page_at(number)
    part_size = m.config.geometry.named
    half = half_name(ring.offset_at(number), part_size) if part_size else ""
    waiting = ring.skb_at(number)
    skb = waiting.id if waiting is not None and m.config.geometry.head else None
    if state is not SlotState.DONE:
        part = part_of(moment, number) if number == being_written(moment.step) else ""
        found = page.id if page is not None else None
        return Slot(number, state, None, found, half if page is not None else "", skb=skb, part=part)
    frame = ring.frames[number]
    return Slot(
        number,
        state,
        frame,
        page.id if page is not None else None,
        half,
        ring.length_at(number),
        ring.ends_at(number),
        ring.EOP,
        number == ring.first and _in_hand(moment, number),
        skb,
        part_of(moment, number),
    )


def _state(m: Machine, number: int) -> SlotState:
    for state, first, length in bands(m):
        if (number - first) % m.ring.count < length:
            return state
    return SlotState.EMPTY


def _in_hand(moment: Moment, number: int) -> bool:
    """Whether the driver has begun with the slot that it looks at next."""
    m, step = moment.machine, moment.step
    if m.ring.page_at(number) is None:
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
"""How many slots behind the driver's place a frame's own slot is looked for."""


def slot_in_question(moment: Moment) -> int:
    """Return the slot that this step is about, else the one of its frame, from where it will be written until its skb
    is gone; between frames the one that the driver comes to next.
    """
    m, step = moment.machine, moment.step
    ring = m.ring
    if step is None:
        return ring.first
    if step.slot >= 0:
        return step.slot
    if step.kind in _MISSING or step.kind in _TOLD:
        return ring.fill if step.kind in _MISSING else (ring.fill - 1) % ring.count
    if step.kind in BEFORE_THE_RING:
        return m.nic.rdh
    own = slot_of_frame(moment, step.frame) if step.frame is not None else None
    return own if own is not None else ring.first


def slot_of_frame(moment: Moment, frame: int) -> int | None:
    """Return the slot that a frame was written through last, None when it is long ago."""
    ring = moment.machine.ring
    for back in range(1, min(ring.count, LOOK_BACK)):
        slot = (ring.first - back) % ring.count
        found = ring.frames[slot]
        if found is not None and found.id == frame:
            return slot
    return None
