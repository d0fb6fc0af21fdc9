"""Time travel: any step of a run, forwards and backwards, and forks.

A position p is the state after p steps; position 0 is the machine before anything has happened. The run is played
once by a front machine, which notes each step's kind and frame and leaves checkpoints between events. To be at p, the
nearest checkpoint at or before it is restored and played on until step p is done. There is one model and one way to
run it, so that being at p is the same however one came there.
"""

from __future__ import annotations

import pickle
from array import array
from bisect import bisect_right
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any
from zlib import compress, decompress

from rxviz.errors import ScenarioError
from rxviz.model import steps
from rxviz.model.config import FrameSource
from rxviz.run.engine import make_machine, make_source
from rxviz.run.observe import Observer
from rxviz.run.scenario import Scenario
from rxviz.run.trace import Step, make_step

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

FRAME_ENDS = frozenset(
    {steps.SOCKET_QUEUE, steps.SOCKET_DROP, steps.FRAME_DISCARD, steps.NIC_MISSED, steps.NIC_OVERSIZE}
)
POLL_ENDS = frozenset({steps.POLL_END})
ZOOM_STOPS = {"step": None, "frame": FRAME_ENDS, "poll": POLL_ENDS}
"""Kinds after which a zoom stops; a step is one of any kind."""

FIRST_SPACING = 512
STORE_LIMIT = 96 << 20
"""Bytes of checkpoints that are kept at most; when they are more, every second one goes."""
HOT = 6
"""Checkpoints close to where one has just been, kept uncompressed."""
DYNAMIC = {"reader": "reader_ns", "itr": "itr_ns", "budget": "budget"}
"""Scenario keys that may be changed in the middle of a run, and what they are called in the model."""


class _Reached(Exception):
    """The machine has come to the position that was asked for."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change made at a position: from there on the run goes otherwise than it did."""

    position: int
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a run at a position, and the step that led there (None at position 0).

    `machine` is for looking at only: it may stand in the middle of a poll, and is not played on.
    """

    position: int
    machine: Machine
    step: Step | None
    scenario: Scenario


class Timeline:
    """One run of a scenario with all its positions."""

    def __init__(self, scenario: Scenario, edits: tuple[Edit, ...] = (), parent: Timeline | None = None) -> None:
        self.scenario = scenario
        self.edits = edits
        self.complete = False
        self._hot: dict[int, bytes] = {}
        self._near: Moment | None = None
        if parent is None:
            self.source: FrameSource = make_source(scenario)
            self._front = make_machine(scenario, self.source)
            self.kinds = array("B")
            self.frames = array("i")
            self._positions: list[int] = []
            self._stored: list[bytes] = []
            self._spacing = FIRST_SPACING
            self._keep(0)
        else:
            self._branch(parent)
        self._front.watch = self._note

    # ------------------------------------------------------------------------------------------------ the front
    @property
    def length(self) -> int:
        """Steps that are known so far; all of them once `complete`."""
        return len(self.kinds)

    def extend(self, until: int | None = None, seconds: float | None = None) -> bool:
        """Play the front on: to a position, for a time, or to the end. Return whether the end is known."""
        deadline = None if seconds is None else monotonic() + seconds
        while not self.complete and (until is None or self.length < until):
            if not self._front.tick():
                self.complete = True
                self._front.lamps.at_end()
                break
            if self.length - self._positions[-1] >= self._spacing:
                self._keep(self.length)
            if deadline is not None and monotonic() > deadline:
                break
        return self.complete

    def _note(
        self,
        kind: int,
        frame: Frame | None,
        slot: int,
        page: Page | None,
        skb: SkBuff | None,
        fields: tuple[Any, ...],
    ) -> None:
        self.kinds.append(kind)
        self.frames.append(frame.id if frame is not None else -1)
        if self.edits:
            _apply(self.edits, self._front, len(self.kinds))

    def _keep(self, position: int) -> None:
        self._positions.append(position)
        self._stored.append(compress(_dump(self._front), 1))
        if sum(map(len, self._stored)) > STORE_LIMIT:
            del self._positions[1::2], self._stored[1::2]
            self._spacing *= 2

    def _branch(self, parent: Timeline) -> None:
        """Take over all that the parent knows up to the last edit, and play on from there."""
        position = self.edits[-1].position
        parent.extend(until=position)
        last = bisect_right(parent._positions, position) - 1
        self.source = parent.source
        self._positions = parent._positions[: last + 1]
        self._stored = parent._stored[: last + 1]
        self._spacing = parent._spacing
        start = self._positions[-1]
        self.kinds, self.frames = parent.kinds[:start], parent.frames[:start]
        self._front = self._restore(decompress(self._stored[-1]))
        if start == position:
            _apply(self.edits, self._front, position)

    # -------------------------------------------------------------------------------------------------- seeking
    def at(self, position: int) -> Moment:
        """Return the state after `position` steps (clamped to the run); plays the front as far as needed."""
        self.extend(until=max(position, 0))
        position = min(max(position, 0), self.length)
        if self._near is None or self._near.position != position:
            self._near = self._play_to(position)
        return self._near

    def _play_to(self, position: int) -> Moment:
        machine, start = self._nearest(position)
        if position == 0:
            return Moment(0, machine, None, self.scenario)
        step: list[Step] = []
        observer: list[Observer] = []
        done = start

        def watch(
            kind: int,
            frame: Frame | None,
            slot: int,
            page: Page | None,
            skb: SkBuff | None,
            fields: tuple[Any, ...],
        ) -> None:
            nonlocal done
            done += 1
            if self.edits:
                _apply(self.edits, machine, done)
            if done == position:
                step.append(make_step(machine, observer[0], kind, frame, slot, page, skb, fields))
                raise _Reached
            if done == position - 1:
                observer.append(Observer(machine))

        if start == position - 1:
            observer.append(Observer(machine))
        machine.watch = watch
        self._go(machine, position)
        machine.watch = None
        return Moment(position, machine, step[0], self.scenario)

    def _go(self, machine: Machine, position: int) -> None:
        """Play until the watcher stops it, leaving a hot checkpoint before the event in which that happens."""
        last_start = machine.n
        try:
            while True:
                before, start = (None, machine.n) if machine.n == last_start else (machine, machine.n)
                if before is not None and self._event_reaches(start, position):
                    self._heat(start, machine)
                if not machine.tick():
                    raise AssertionError("a position past the end of the run was asked for")
        except _Reached:
            return

    def _event_reaches(self, start: int, position: int) -> bool:
        """Whether a checkpoint at `start` would spare much of the way to `position`."""
        return position - start < self._spacing // 8 and not any(start - 200 < hot <= start for hot in self._hot)

    def _heat(self, position: int, machine: Machine) -> None:
        self._hot[position] = _dump(machine)
        while len(self._hot) > HOT:
            del self._hot[next(iter(self._hot))]

    def _nearest(self, position: int) -> tuple[Machine, int]:
        """Restore the last checkpoint from which step `position` can still be seen to happen."""
        latest = max(position - 1, 0)
        kept = bisect_right(self._positions, latest) - 1
        start = self._positions[kept]
        hot = max((at for at in self._hot if at <= latest), default=-1)
        if hot > start:
            return self._restore(self._hot[hot]), hot
        return self._restore(decompress(self._stored[kept])), start

    def _restore(self, dump: bytes) -> Machine:
        machine: Machine = pickle.loads(dump)
        machine.source = self.source
        return machine

    # --------------------------------------------------------------------------------------------------- moving
    def stop_after(self, position: int, zoom: str) -> int:
        """Return the next position at which a zoom (step, frame, poll) stops; the end when there is none."""
        return self._search(position, ZOOM_STOPS[zoom])

    def stop_before(self, position: int, zoom: str) -> int:
        """Return the last position before this one at which a zoom stops; 0 when there is none."""
        return self._search_back(position, ZOOM_STOPS[zoom])

    def next_of(self, position: int, kind: str) -> int | None:
        """Return the position just after the next step of a kind, None when no more comes."""
        found = self._search(position, frozenset({steps.BY_NAME[kind]}))
        return found if found > position and self.kinds[found - 1] == steps.BY_NAME[kind] else None

    def previous_of(self, position: int, kind: str) -> int | None:
        """Return the position just after the last earlier step of a kind, None when there was none."""
        return self._search_back(position, frozenset({steps.BY_NAME[kind]})) or None

    def _search(self, position: int, kinds: frozenset[int] | None) -> int:
        while True:
            known = self.length
            if kinds is None and position < known:
                return position + 1
            for i in range(position, known):
                if kinds is not None and self.kinds[i] in kinds:
                    return i + 1
            if self.complete:
                return known
            position = known
            self.extend(until=known + 4096)

    def _search_back(self, position: int, kinds: frozenset[int] | None) -> int:
        if kinds is None:
            return max(position - 1, 0)
        for i in range(position - 2, -1, -1):
            if self.kinds[i] in kinds:
                return i + 1
        return 0

    # -------------------------------------------------------------------------------------------------- forking
    def fork(self, position: int, **changes: str) -> Timeline:
        """Return a run that goes otherwise from a position on; this one stays as it is.

        `changes` are scenario keys that may change in the middle of a run: reader, itr, budget. Raises ScenarioError.
        """
        for key in changes:
            if key not in DYNAMIC:
                raise ScenarioError(f"{key}= cannot change in the middle of a run; {', '.join(DYNAMIC)} can")
        self.scenario.with_words([f"{key}={value}" for key, value in changes.items()])
        earlier = tuple(edit for edit in self.edits if edit.position <= position)
        edits = earlier + tuple(Edit(position, key, value) for key, value in changes.items())
        return Timeline(self.scenario, edits, self)


def _dump(machine: Machine) -> bytes:
    return pickle.dumps(machine, pickle.HIGHEST_PROTOCOL)


def _apply(edits: tuple[Edit, ...], machine: Machine, position: int) -> None:
    """Make the changes that belong to a position."""
    for edit in edits:
        if edit.position == position:
            setattr(machine.config, DYNAMIC[edit.key], _model_value(edit))
            machine.socket.wake()


def _model_value(edit: Edit) -> int | None:
    """Return an edit's value as the model has it."""
    if edit.key == "reader":
        return Scenario(reader=edit.value).reader_ns
    return int(edit.value) * (1000 if edit.key == "itr" else 1)
