"""What is made to fail in a run: attempts by their numbers, and pages by theirs."""

from __future__ import annotations

from typing import NamedTuple

FOREVER = 1 << 62
"""The end of a range that has none."""
ALLOC_PAGE, MAP, ALLOC_SKB = "alloc_page", "map", "alloc_skb"
"""Attempts: the n-th one of each sort, from 1, since the first fill of the ring."""
REMOTE_PAGE, PFMEMALLOC = "remote_page", "pfmemalloc"
"""Pages, by the number that each is shown with: on another memory node, or from the reserve for emergencies."""
STALL_CPU, STALL_READER = "stall_cpu", "stall_reader"
"""CPU 0 or the program does nothing for a while."""
ATTEMPTS, PAGES = (ALLOC_PAGE, MAP, ALLOC_SKB), (REMOTE_PAGE, PFMEMALLOC)
STALLS = (STALL_CPU, STALL_READER)


class Spot(NamedTuple):
    """A kind of thing, from number `first` to number `last`, both included."""

    kind: str
    first: int
    last: int


class Stall(NamedTuple):
    """Who does nothing from time `at` on for `ns`, both in ns."""

    kind: str
    at: int
    ns: int


class Failures:
    """Counts attempts, and knows which of them fail. Nothing fails before `armed` is set: the first fill succeeds."""

    __slots__ = ("armed", "attempts", "met", "spots")

    def __init__(self, spots: tuple[Spot, ...]) -> None:
        self.spots = spots
        self.attempts = dict.fromkeys(ATTEMPTS, 0)
        self.met: dict[Spot, int] = {}
        """How many attempts or pages each range named so far."""
        self.armed = False

    def fails(self, kind: str) -> bool:
        """Count an attempt; return whether it fails."""
        if not self.armed:
            return False
        self.attempts[kind] = number = self.attempts[kind] + 1
        return self.names(kind, number)

    def names(self, kind: str, number: int) -> bool:
        """Whether a number is among those of a kind."""
        found = [spot for spot in self.spots if spot.kind == kind and spot.first <= number <= spot.last]
        for spot in found:
            self.met[spot] = self.met.get(spot, 0) + 1
        return bool(found)

    def ends(self, kind: str) -> bool:
        """Whether some later attempt will succeed."""
        following = self.attempts[kind] + 1
        return not any(spot.kind == kind and spot.first <= following and spot.last >= FOREVER for spot in self.spots)
