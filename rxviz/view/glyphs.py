"""Every special letter that a picture uses, and what stands for it on terminals that have only ASCII.

Box drawing, block elements, arrows and geometric shapes alone: each is one cell wide everywhere. A state has a letter
of its own, so that a picture without colours still tells everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Glyphs:
    """Letters by meaning. `letters` translates what is left in prose and borders (see `Canvas`)."""

    name: str
    in_hand: str = "█"
    """Fill: the driver is at work on it. The states of halves and slots follow, from full to empty."""
    filled: str = "▓"
    stack: str = "▒"
    posted: str = "░"
    waiting: str = "╌"
    spare: str = "·"
    gone: str = " "
    unknown: str = "╱"
    """Fill: bytes that a capture does not have."""
    shinfo: str = "═"
    copied: str = "┈"
    """Fill: bytes that were copied elsewhere and matter no more here."""
    right: str = "▸"
    left: str = "◂"
    up: str = "▲"
    down: str = "▼"
    up_rest: str = "△"
    down_rest: str = "▽"
    """A cursor that did not move in this step; the full one did."""
    changed: str = "●"
    bar: str = "█"
    bar_rest: str = "▒"
    full: str = "▪"
    empty: str = "▫"
    ellipsis: str = "…"
    letters: Mapping[int, str] = field(default_factory=dict, compare=False, repr=False)


_ASCII = {
    "█": "#", "▓": "@", "▒": "%", "░": ":", "╌": "-", "·": ".", "╱": "/", "═": "=", "┈": "'",
    "▸": ">", "◂": "<", "▲": "^", "▼": "v", "△": "^", "▽": "v", "●": "*", "▪": "o", "▫": ".", "…": "~",
    "─": "-", "│": "|", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+", "┼": "+",
    "┃": "!", "━": "=", "┏": "=", "┓": "=", "┗": "=", "┛": "=", "┄": ".", "┊": "|",
    "→": ">", "←": "<", "−": "-", "–": "-", "×": "x", "µ": "u", "≥": ">", "≤": "<",
    "▁": "_", "▂": "_", "▃": "-", "▄": "-", "▅": "=", "▆": "=", "▇": "#", "▌": "#", "▐": "#", "¹": "1",
    "≠": "!", "✓": "+", "✗": "x", "○": "o",
}  # fmt: skip

UNICODE = Glyphs("unicode")
ASCII = Glyphs(
    "ascii",
    in_hand="#", filled="@", stack="%", posted=":", waiting="-", spare=".", unknown="/", shinfo="=", copied="'",
    right=">", left="<", up="^", down="v", up_rest="'", down_rest=",", changed="*", bar="#", bar_rest="%",
    full="o", empty=".", ellipsis="~",
    letters={ord(letter): plain for letter, plain in _ASCII.items()},
)  # fmt: skip
SETS = {"unicode": UNICODE, "ascii": ASCII}
