"""What must hold at the end of any honest run: dark lamps, every frame accounted for, every page returned."""

from __future__ import annotations

from rxviz.model.machine import Machine
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario


def faults(scenario: Scenario) -> tuple[int, list[str]]:
    """Play a scenario; return how many frames came, and what does not hold, in words."""
    m = make_machine(scenario)
    try:
        m.run()
    except Exception as fault:
        return m.offered, [f"the model itself stopped: {fault!r}"]
    found = [f"lamp {name} went on {count} times" for name, count in m.lamps.lit.items() if count]
    found += _frames(scenario, m)
    found += _pages(m)
    return m.offered, found


def _frames(scenario: Scenario, m: Machine) -> list[str]:
    """Offered = delivered + dropped, by a counter that has a name, + what is still inside, counted one by one.

    A frame whose first buffers the driver has, while the rest waits in the NIC for a descriptor, is one frame.
    """
    frames = result(scenario, m)["frames"]
    held = {frame.id for skb in m.skbs.values() if skb.state == "driver" for frame in skb.frames}
    inside = m.nic.whole_frames() + len(held.union(frame.id for frame in m.nic.fifo))
    known = frames["delivered"] + sum(frames["dropped"].values()) + inside
    if frames["offered"] == known and frames["in_flight"] == inside:
        return []
    return [f"{frames} and {inside} inside do not add up"]


def _pages(m: Machine) -> list[str]:
    """Let the program read all that is left, take the ring down, and see which pages are still held."""
    left = {page.id: page.refcount for page in m.memory.pages.values()}
    for skb in m.skbs.values():
        for page in (skb.head_page, *(frag.page for frag in skb.frags)):
            left[page.id] -= 1
    for page, count in (*m.ring.references(), *m.driver.references()):
        left[page.id] -= count
    if m.napi_frags.page is not None:
        left[m.napi_frags.page.id] -= m.napi_frags.bias
    return [f"page {page} would keep {count} references" for page, count in left.items() if count]
