"""The panels of the workbench, in the order of their number keys; screens and help read this table."""

from __future__ import annotations

from rxviz.view import bill, counters, gro, pages, ring, skb, socket, story
from rxviz.view import bytes as bytes_zoom
from rxviz.view.panel import Draw, Panel

__all__ = ["PANELS", "Draw", "Panel"]

_ALL = (
    Panel("ring", "Ring", ring.draw, 40, 9, "The descriptor ring: every slot, what it holds, and the cursors."),
    Panel("pages", "Pages", pages.draw, 48, 8, "The ring's pages: who owns each half, and who still holds it."),
    Panel("skb", "sk_buff", skb.draw, 36, 8, "The skb in question: its head to scale, its fragments, its price."),
    Panel("story", "What just happened", story.draw, 40, 5, "The step in one sentence, why, and what it changed."),
    Panel("bill", "The bill", bill.draw, 36, 6, "What the frames have cost so far, and on average."),
    Panel("bytes", "Bytes", bytes_zoom.draw, 72, 12, "The 16 bytes of a descriptor and the bytes of a half."),
    Panel("gro", "GRO", gro.draw, 32, 8, "What is held, the frame before it rule by rule, and what leaves and why."),
    Panel("socket", "Socket", socket.draw, 31, 6, "What waits for the program, to the size of what it is charged."),
    Panel("counters", "Counters", counters.draw, 44, 6, "Every counter by the kernel's name, and what it counts."),
)
PANELS: dict[str, Panel] = {panel.key: panel for panel in _ALL}
"""By key name; iterates in the order of the number keys."""
