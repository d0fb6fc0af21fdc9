"""Who has each head of a chunk, where the NIC writes into the heads of skbs that wait for it: derived, never stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.halves import Half, State

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page


def heads(m: Machine, page: Page) -> list[Half]:
    """Return the heads in a page that anybody has, in address order: in a slot, in the driver's hands, or in the stack.

    One that waits in the ring has no frame; `slot` tells where it waits.
    """
    ring, size = m.ring, m.config.geometry.head
    waiting = {skb.id: slot for slot in range(ring.count) if (skb := ring.skb_at(slot)) is not None}
    found = []
    for start, holder in sorted(page.users.items()):
        slot = waiting.get(holder, -1)
        if slot >= 0:
            done = (slot - ring.first) % ring.count < m.nic.written
            state, frame = (State.FILLED, ring.frames[slot]) if done else (State.POSTED, None)
            found.append(Half(start, size, state, frame, None, slot))
        else:
            skb = m.skbs[holder]
            state = State.IN_HAND if skb.state == "driver" else State.STACK
            found.append(Half(start, size, state, skb.frame_at(page, start), holder))
    return found


def cut_up_to(m: Machine, page: Page) -> int:
    """Return how far a page has been cut into heads; behind that nothing was ever used."""
    current = m.napi_frags
    if current.page is not page:
        return page.size // m.config.geometry.head * m.config.geometry.head
    return current.offset if current.rules.frag_direction == "up" else page.size
