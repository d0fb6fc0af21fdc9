"""Words that name places by number: `crc@3`, `alloc_page@5-20`, `alloc_skb@7-`, several with commas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rxviz.errors import ScenarioError, quoted
from rxviz.model.failures import FOREVER, Spot

MOST = 64
"""How many places one word may name."""
_SPOT = re.compile(r"([a-z_]+)@(\d{1,8})(-(\d{1,8})?)?", re.ASCII)
LONGEST = 10_000
"""Numbers in a range: each may be an attempt that a timer makes again."""


def parse_spots(key: str, text: str, kinds: Sequence[str], example: str, of: str = "") -> tuple[Spot, ...]:
    """Take such a word apart; "none" names no place. Raise ScenarioError with one sentence, which says whose (`of`)."""
    if text == "none":
        return ()
    parts = text.split(",")
    if len(parts) > MOST:
        raise ScenarioError(f"{key}= names {len(parts)} places; up to {MOST} are taken, and a range N-M is one")
    return tuple(_spot(key, part, kinds, example, of) for part in parts)


def spot_text(spot: Spot) -> str:
    """Return a place as the word has it."""
    last = "" if spot.last == spot.first else "-" if spot.last == FOREVER else f"-{spot.last}"
    return f"{spot.kind}@{spot.first}{last}"


def _spot(key: str, part: str, kinds: Sequence[str], example: str, of: str) -> Spot:
    found = _SPOT.fullmatch(part)
    if found is None:
        raise ScenarioError(
            f"{key}={quoted(part, 40)} is not KIND@N, KIND@N-M or KIND@N-, e.g. {example}; kinds: {', '.join(kinds)}"
        )
    if found[1] not in kinds:
        raise ScenarioError(f"{key}={of} knows no {quoted(found[1], 40)}; kinds: {', '.join(kinds)}")
    first = int(found[2])
    last = first if found[3] is None else FOREVER if found[4] is None else int(found[4])
    if last != FOREVER and last - first > LONGEST:
        raise ScenarioError(f"{key}={part}: a range holds up to {LONGEST:,} numbers; {first}- is all that follow")
    if last < first:
        raise ScenarioError(f"{key}={part}: the range ends before it begins")
    return Spot(found[1], first, last)
