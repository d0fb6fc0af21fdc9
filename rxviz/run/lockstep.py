"""Two lanes frame by frame: which steps they share, in how many ways they part, and what a frame costs in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import zip_longest

from rxviz.model import steps, steps_qede
from rxviz.run.lanes import Lane, Lanes
from rxviz.run.trace import Step

PICKS = {
    "ring": (steps.BUF_TAKE, steps.BUF_SYNC, steps.DESC_DONE, steps_qede.CQE_TAKE),
    "page": (steps.SKB_BUILD, steps.SKB_HEADERS, steps.SKB_COPY, steps.SKB_FRAG, steps_qede.TPA_FRAG),
    "skb": (steps.SKB_DELIVER, steps.SKB_BUILD, steps.SKB_HEADERS, steps.SKB_COPY, steps_qede.TPA_FRAG),
}
"""The step after which ring, page and skb of a frame tell most, the best first."""
COPIES = frozenset({steps.SKB_COPY, steps.SKB_HEADERS, steps_qede.TPA_COPY})


@dataclass(frozen=True, slots=True)
class Row:
    """Steps of both lanes that stand side by side, by their numbers; None where a lane has none of the kind."""

    left: int | None
    right: int | None
    same: bool


@dataclass(frozen=True, slots=True)
class Price:
    """What a frame's own steps cost: bytes copied, heads allocated, bytes charged (0: never handed up), CPU time."""

    copied: int
    heads: int
    truesize: int
    ns: int


@dataclass(frozen=True, slots=True)
class Looks:
    """Positions at which a lane's ring, page and skb tell most of a frame, and the one at which its trip ends."""

    ring: int
    page: int
    skb: int
    end: int


Way = tuple[tuple[int, ...], tuple[int, ...]]
"""The kinds of step that only the left lane takes for a frame, and those that only the right one takes."""


class Lockstep:
    """What is to be known of two lanes with each other. Frames go by their number among `lanes.pairs`, from 0 on."""

    def __init__(self, lanes: Lanes) -> None:
        self.lanes = lanes

    @property
    def frames(self) -> int:
        """How many frames both lanes are done with."""
        return len(self.lanes.pairs)

    @cached_property
    def ways(self) -> dict[Way, list[int]]:
        """The ways in which frames differ, and which frames do; those that go the same in both are in none."""
        found: dict[Way, list[int]] = {}
        for number, pair in enumerate(self.lanes.pairs):
            way = self.way(pair.frame)
            if any(way):
                found.setdefault(way, []).append(number)
        return found

    @cached_property
    def differing(self) -> list[int]:
        """The frames that differ, in order."""
        return sorted(number for numbers in self.ways.values() for number in numbers)

    @cached_property
    def firsts(self) -> list[int]:
        """The frames that differ in a way in which none before them did, in order."""
        return sorted(numbers[0] for numbers in self.ways.values())

    def way(self, frame: int) -> Way:
        """Return what only one of the lanes does for a frame."""
        left, right = (_kinds(lane, frame) for lane in (self.lanes.left, self.lanes.right))
        apart = [(left[i:i_end], right[j:j_end]) for tag, i, i_end, j, j_end in _opcodes(left, right) if tag != "equal"]
        return tuple(kind for kinds, _ in apart for kind in kinds), tuple(kind for _, kinds in apart for kind in kinds)

    def rows(self, frame: int) -> list[Row]:
        """Return the steps of a frame side by side: equal kinds beside each other, the rest paired in order."""
        left, right = (lane.by_frame.get(frame, []) for lane in (self.lanes.left, self.lanes.right))
        codes = _opcodes(_kinds(self.lanes.left, frame), _kinds(self.lanes.right, frame))
        return [
            Row(one.n if one is not None else None, other.n if other is not None else None, tag == "equal")
            for tag, i, i_end, j, j_end in codes
            for one, other in zip_longest(left[i:i_end], right[j:j_end])
        ]

    def positions(self, rows: Sequence[Row], number: int) -> tuple[int, int]:
        """Return how far each lane is at a row: a lane with nothing to do waits where it was."""
        at = [1, 1]
        for row in rows[: number + 1]:
            at = [n + 1 if n is not None else before for n, before in zip((row.left, row.right), at, strict=True)]
        return at[0], at[1]


def _kinds(lane: Lane, frame: int) -> tuple[int, ...]:
    return tuple(step.kind for step in lane.by_frame.get(frame, ()))


@lru_cache(maxsize=1024)
def _opcodes(left: tuple[int, ...], right: tuple[int, ...]) -> Sequence[tuple[str, int, int, int, int]]:
    """Align two sequences of kinds; frames go few ways, so that long runs ask for the same again and again."""
    return SequenceMatcher(None, left, right, autojunk=False).get_opcodes()


def looks(lane: Lane, frame: int) -> Looks:
    """Return where a lane's picture of a frame tells most."""
    mine = lane.by_frame[frame]
    end = mine[-1].n + 1
    at = {part: _first(mine, kinds) for part, kinds in PICKS.items()}
    page = at["page"] or end
    return Looks(at["ring"] or page, page, at["skb"] or page, end)


def _first(mine: Sequence[Step], kinds: Sequence[int]) -> int | None:
    """Return the position behind the first step of the first kind that occurs."""
    for kind in kinds:
        for step in mine:
            if step.kind == kind:
                return step.n + 1
    return None


def price(lane: Lane, frame: int) -> Price:
    """Return what the steps of a frame cost in a lane; time without what other frames share with it."""
    cost = lane.timeline.at(0).machine.config.cost
    copied = heads = truesize = ns = 0
    for step in lane.by_frame[frame]:
        if steps.KINDS[step.kind].who == "cpu":
            ns += cost.steps[step.kind]
        if step.kind in COPIES:
            copied += step.field("copied")
            ns += int(step.field("copied") * cost.copy_byte)
        elif step.kind == steps.SKB_ALLOC:
            heads += 1
        elif step.kind == steps.SKB_DELIVER:
            truesize = step.field("truesize")
    return Price(copied, heads, truesize, ns)
