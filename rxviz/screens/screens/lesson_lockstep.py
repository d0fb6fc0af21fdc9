"""Two runs walked together: where the one has come to when the other has done the same."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from rxviz.lessons.session import Outcome
from rxviz.run.lanes import Lane
from rxviz.run.timeline import Moment

_Key = tuple[int, int | None, int]


def _keys(lane: Lane) -> list[_Key]:
    """Return for each step what it is: its kind, its frame, and how often that was there before."""
    seen: Counter[tuple[int, int | None]] = Counter()
    keys = []
    for step in lane.trace:
        what = (step.kind, step.frame)
        keys.append((*what, seen[what]))
        seen[what] += 1
    return keys


class Lockstep:
    """Maps positions of one lane to those of another."""

    def __init__(self, lane: Lane, other: Lane) -> None:
        self.lane = lane
        self.other = other

    @cached_property
    def _found(self) -> tuple[list[_Key], dict[_Key, int]]:
        return _keys(self.lane), {key: n for n, key in enumerate(_keys(self.other))}

    def at(self, position: int) -> int:
        """Return where the other lane is: behind the same step, or where it comes to its frame's next common one."""
        mine, theirs = self._found
        if position <= 0:
            return 0
        if position >= len(mine):
            return len(theirs)
        if (n := theirs.get(mine[position - 1])) is not None:
            return n + 1
        frame = mine[position - 1][1]
        for key in mine[position:]:
            if key[1] == frame and (n := theirs.get(key)) is not None:
                return n
        for key in reversed(mine[:position]):
            if (n := theirs.get(key)) is not None:
                return n + 1
        return 0


class Worlds:
    """The real run and the learner's, from where they part to the damage."""

    def __init__(self, outcome: Outcome) -> None:
        assert outcome.lanes is not None
        assert outcome.parting is not None
        self.real, self.yours = outcome.lanes.left, outcome.lanes.right
        self.parting = outcome.parting
        self.damage = outcome.damage
        self.shows = outcome.shows
        self._step = Lockstep(self.yours, self.real)
        self.position = self.parting[1]

    @property
    def length(self) -> int:
        """Steps of the learner's run."""
        return len(self.yours.trace)

    @property
    def last_stop(self) -> int:
        """Where there is all to be seen: at the damage, else at the end, where the bills are compared."""
        return self.damage[0] if self.damage is not None else self.length

    @property
    def real_position(self) -> int:
        """Where the real run is."""
        return self.parting[0] if self.position == self.parting[1] else self._step.at(self.position)

    @property
    def at_parting(self) -> bool:
        """Whether both stand right behind the first step that differs."""
        return self.position == self.parting[1]

    @property
    def at_last_stop(self) -> bool:
        """Whether what is wrong is in sight."""
        return self.position >= self.last_stop

    def moments(self) -> tuple[Moment, Moment]:
        """Return the moment of the real run and that of the learner's."""
        return self.real.timeline.at(self.real_position), self.yours.timeline.at(self.position)

    def move(self, to: int) -> bool:
        """Go to a position of the learner's run; return whether that is another one."""
        before, self.position = self.position, min(max(to, 0), self.length)
        return self.position != before
