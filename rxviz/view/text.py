"""Words in narrow places: cut with an ellipsis, wrapped, numbers with commas, times with units."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from textwrap import wrap as _wrap
from unicodedata import combining, east_asian_width

ELLIPSIS = "…"


@lru_cache(maxsize=8192)
def safe(text: str) -> str:
    """Return `text` with every letter that is not one printable cell wide made "?"; strangers' words pass here.

    A picture is drawn anew at every step, nearly all of it in the words of the one before: they are remembered.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if is_single(letter) else "?" for letter in text)


def is_single(letter: str) -> bool:
    """Whether a letter takes exactly one cell."""
    return letter.isprintable() and not combining(letter) and east_asian_width(letter) not in "WF"


def fit(text: str, width: int) -> str:
    """Return `text` if it is at most `width` cells wide, else as much of it as fits with an ellipsis behind."""
    if len(text) <= width:
        return text
    return text[: width - 1].rstrip() + ELLIPSIS if width > 0 else ""


def wrap(text: str, width: int, rows: int) -> list[str]:
    """Return `text` as at most `rows` lines of at most `width` cells; an ellipsis says that there was more."""
    if width <= 0 or rows <= 0:
        return []
    lines = _wrap(text, width, break_long_words=True) or [""]
    if len(lines) <= rows:
        return lines
    last = fit(lines[rows - 1] + " " + lines[rows], width)
    return [*lines[: rows - 1], last if last.endswith(ELLIPSIS) else fit(last + " " * width, width)]


def join_fit(parts: Iterable[str], width: int, between: str = " · ") -> str:
    """Return as many whole `parts` as fit, joined; "+n" says how many did not."""
    items = list(parts)
    for taken in range(len(items), 0, -1):
        rest = [f"+{len(items) - taken}"] if taken < len(items) else []
        line = between.join(items[:taken] + rest)
        if len(line) <= width:
            return line
    return fit(items[0], width) if items else ""


def plural(count: int, word: str) -> str:
    """Return "1 slot", "2 slots", "1,024 slots"."""
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def time_text(ns: int) -> str:
    """Return a time on the model's clock in the unit that a person would use."""
    if ns < 1000:
        return f"{ns} ns"
    if ns < 1_000_000:
        return f"{ns / 1000:.2f} µs"
    return f"{ns / 1_000_000:,.3f} ms"


def size_text(size: int) -> str:
    """Return a size in bytes, short: 512 B, 2K, 64K, 1.5M."""
    for unit, power in (("M", 20), ("K", 10)):
        if size >= 1 << power:
            number = size / (1 << power)
            return f"{number:.0f}{unit}" if number == int(number) else f"{number:.1f}{unit}"
    return f"{size} B"
