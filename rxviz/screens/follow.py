"""Which panel a step is about, and which panels it changed: for windows that show one panel at a time."""

from __future__ import annotations

from rxviz.run.timeline import Moment
from rxviz.view.panels import PANELS

FIRST = next(iter(PANELS))
SOCKET = next((key for key in ("socket", "bill") if key in PANELS), FIRST)
"""The panel that tells of the socket."""
_ABOUT = {
    "nic.dma": "pages", "buf": "pages", "page": "pages", "skb": "skb", "socket": SOCKET, "reader": SOCKET,
    "stack": SOCKET, "bridge": SOCKET, "lro": "gro", "tpa": "skb", "jumbo": "skb", "seg": "pages", "chunk": "pages",
    "cqe.fields": "skb", "rxq.drop": "skb",
    "wire": "ring", "nic": "ring", "irq": "ring", "poll": "ring", "napi": "ring", "ring": "ring", "desc": "ring",
    "frame": "ring",
}  # fmt: skip
_SHOWN_IN = {
    "slots": "ring",
    "ring": "ring",
    "nic": "ring",
    "pages": "pages",
    "skbs": "skb",
    "socket": SOCKET,
    "gro": "gro",
    "lro": "gro",
    "counters": "counters",
}
"""Where the values of `rxviz.run.observe` are to be seen."""


def panel_of(moment: Moment) -> str:
    """Return the key of the panel that the step to a moment is about."""
    if moment.step is None:
        return FIRST
    name = moment.step.name
    group = name.partition(".")[0]
    found = _ABOUT.get(name) or _ABOUT.get(group, group)
    return found if found in PANELS else FIRST


def changed_panels(moment: Moment) -> frozenset[str]:
    """Return the keys of the panels in which the step to a moment changed something."""
    if moment.step is None:
        return frozenset()
    names = [name for name, _, _ in moment.step.changes]
    found = {_SHOWN_IN.get(name.partition(".")[0], "") for name in names} | {panel_of(moment)}
    if moment.step.name == "nic.dma" or any(name.endswith(".descriptor") for name in names):
        found.add("bytes")
    return frozenset(found & set(PANELS))
