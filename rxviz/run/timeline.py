"""Time travel: any step of a run, forwards and backwards, and forks.

A position p is the state after p steps; position 0 is the machine before anything has happened. The run is played
once by a front machine, which notes each step's kind and frame, where each event begins (an event is one tick of the
machine), and leaves checkpoints between events. To be at p, the nearest checkpoint before it is restored and played on
until step p is done. There is one model and one way to run it, so that being at p is the same however one came there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, partial
from operator import sub
from time import monotonic
from typing import TYPE_CHECKING, Any

from rxviz.errors import ScenarioError
from rxviz.model import steps
from rxviz.model.config import FrameSource
from rxviz.model.ledger import COUNTS
from rxviz.run.activity import WATCHED, Activity
from rxviz.run.checkpoint import Checkpoint, take
from rxviz.run.engine import make_machine, make_source
from rxviz.run.frame_bill import FrameBill, frame_bill
from rxviz.run.observe import Observer
from rxviz.run.scenario import Scenario
from rxviz.run.trace import Step, make_step

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine, Watch
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff

FRAME_ENDS = frozenset(
    steps.LOSSES
    | {steps.SOCKET_QUEUE, steps.GRO_HELD, steps.GRO_MERGE, steps.GRO_NORMAL, steps.TPA_FRAG, steps.BRIDGE_SEND}
)
POLL_ENDS = frozenset({steps.POLL_END})
ZOOM_STOPS = {"step": None, "frame": FRAME_ENDS, "poll": POLL_ENDS}
"""Kinds after which a zoom stops; a step is one of any kind."""

FIRST_SPACING = 16_384
"""Steps between checkpoints: playing so many takes some 25 ms, a checkpoint of a ring of 512 some 6."""
GRO_STEPS = 2
"""So many times as long takes a step where GRO is on: it looks at every header of a frame."""
STORE_LIMIT = 96 << 20
"""Bytes of checkpoints that are kept at most; when they are more, every second one goes."""
HOT = 8
"""Checkpoints close to where one has just been, kept unpacked."""
HOT_LIMIT = 64 << 20
"""Bytes that they take at most, together."""
BEHIND = (1, 1_024, 4_096)
"""How many steps before a position such checkpoints are left, for going back from there."""
APART = 256
"""No such checkpoint is left so few steps behind another."""
NOTHING = (0,) * len(COUNTS)
DYNAMIC = {"reader": ("reader_ns", "reader_cpu"), "itr": ("itr_ns",), "budget": ("budget",)}
"""Scenario keys that may be changed in the middle of a run, and what they set: the same names here and in the model."""


class _Reached(Exception):  # noqa: N818 - no error, but the way out of the middle of a poll
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

    `machine` is for looking at only: it may stand in the middle of a poll, and is not played on. At the last position
    (`is_last`) it is the machine after all, as running to the end leaves it. `paid` is what the step put on the bill,
    in the order of rxviz.model.ledger.COUNTS; `frame_bill()` what was paid so far for the frame in question.
    """

    position: int
    machine: Machine
    step: Step | None
    scenario: Scenario
    is_last: bool = False
    paid: tuple[int, ...] = NOTHING
    frame_bill: Callable[[], FrameBill | None] = field(default=lambda: None, repr=False, compare=False)


class Timeline:
    """One run of a scenario with all its positions. A fork takes `parent`'s run over up to position `at`."""

    def __init__(
        self, scenario: Scenario, edits: tuple[Edit, ...] = (), parent: Timeline | None = None, at: int = 0
    ) -> None:
        self.scenario = scenario
        self.edits = edits
        self.complete = False
        self._hot: dict[int, Checkpoint] = {}
        self._near: Moment | None = None
        if parent is None:
            self.source: FrameSource = make_source(scenario)
            self._front = make_machine(scenario, self.source)
            self.kinds = bytearray()
            self.frames = array("i")
            self.activity = Activity()
            self._events = array("I")
            """The position at which each event begins."""
            self._positions: list[int] = []
            self._at_event: list[int] = []
            """The event before which each checkpoint was taken; as there are events without a step, more exact."""
            self._stored: list[Checkpoint] = []
            self._bytes = 0
            self._spacing = max(FIRST_SPACING // (GRO_STEPS if scenario.gro == "on" else 1), 1)
            self._keep()
        else:
            self._branch(parent, at)
        self._front.watch = self._note

    # ------------------------------------------------------------------------------------------------ the front
    @property
    def length(self) -> int:
        """Steps that are known so far; all of them once `complete`."""
        return len(self.kinds)

    @property
    def checkpoint_bytes(self) -> int:
        """What the kept checkpoints take, in bytes."""
        return self._bytes

    def extend(self, until: int | None = None, seconds: float | None = None) -> bool:
        """Play the front on: to a position, for a time, or to the end. Return whether the end is known."""
        deadline = None if seconds is None else monotonic() + seconds
        kinds, events, front, activity = self.kinds, self._events, self._front, self.activity
        while not self.complete and (until is None or len(kinds) < until):
            if len(kinds) - self._positions[-1] >= self._spacing:
                self._keep()
            events.append(len(kinds))
            who = front.tick()
            activity.tick(who, front.now)
            if not who:
                events.pop()
                self.complete = True
                front.lamps.at_end()
            elif deadline is not None and monotonic() > deadline:
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
        if WATCHED[kind]:
            self.activity.step(kind, self._front)
        if self.edits:
            _apply(self.edits, self._front, len(self.kinds))

    def _keep(self) -> None:
        checkpoint = take(self._front).pack()
        self._positions.append(self.length)
        self._at_event.append(len(self._events))
        self._stored.append(checkpoint)
        self._bytes += checkpoint.size
        if self._bytes > STORE_LIMIT:
            del self._positions[1::2], self._at_event[1::2], self._stored[1::2]
            self._bytes = sum(each.size for each in self._stored)
            self._spacing *= 2

    def _branch(self, parent: Timeline, position: int) -> None:
        """Take over all that the parent knows up to a position, and play on from there."""
        kept = bisect_right(parent._positions, position)
        self.source = parent.source
        self._positions = parent._positions[:kept]
        self._at_event = parent._at_event[:kept]
        self._stored = parent._stored[:kept]
        self._bytes = sum(each.size for each in self._stored)
        self._spacing = parent._spacing
        start = self._positions[-1]
        self.kinds, self.frames = parent.kinds[:start], parent.frames[:start]
        self._events = parent._events[: self._at_event[-1]]
        self._front = self._restore(self._stored[-1])
        self.activity = parent.activity.until(self._front.now)
        if start == position:
            # No step is taken on the way to the edit: from now on the checkpoint has it.
            _apply(self.edits, self._front, position)
            self._stored[-1] = take(self._front).pack()

    # -------------------------------------------------------------------------------------------------- seeking
    def at(self, position: int) -> Moment:
        """Return the state after `position` steps (clamped to the run); plays the front as far as needed."""
        self.extend(until=max(position, 0) + 1)
        position = min(max(position, 0), self.length)
        if self._near is None or self._near.position != position or self._near.is_last != self._is_last(position):
            self._near = self._play_to(position)
        return self._near

    def _is_last(self, position: int) -> bool:
        return self.complete and position == self.length

    def _play_to(self, position: int) -> Moment:
        machine, event = self._nearest(position)
        last = self._event_of(position - 1)
        wanted = {self._event_of(position - back) for back in BEHIND}
        if self.edits:
            machine.watch = self._editor(machine, event)
        for each in range(event, last):
            if each in wanted and each != event:
                self._heat(each, machine)
            machine.tick()
        if last in wanted and last != event:
            self._heat(last, machine)
        step, paid = self._play_last(machine, position, self._events[last] if position else 0)
        bill = cache(partial(frame_bill, self, position))
        return Moment(position, machine, step, self.scenario, self._is_last(position), paid, bill)

    def _editor(self, machine: Machine, event: int) -> Watch:
        """Return a watcher that makes the changes of this run as the machine comes by them."""
        done = self._events[event] if event < len(self._events) else self.length

        def watch(*_: object) -> None:
            nonlocal done
            done += 1
            _apply(self.edits, machine, done)

        return watch

    def _play_last(self, machine: Machine, position: int, done: int) -> tuple[Step | None, tuple[int, ...]]:
        """Play to a position from the event of the step before it, the last position to the end; return the step, and
        what it put on the bill.

        What a step changed is seen by looking right after the step before, as there are events that take no step.
        """
        if not position:
            return None, NOTHING
        step: list[Step] = []
        paid: tuple[int, ...] = machine.ledger.values()
        observer = Observer(machine) if position == 1 else None
        last = self._is_last(position)

        def watch(
            kind: int,
            frame: Frame | None,
            slot: int,
            page: Page | None,
            skb: SkBuff | None,
            fields: tuple[Any, ...],
        ) -> None:
            nonlocal done, observer, paid
            done += 1
            if self.edits:
                _apply(self.edits, machine, done)
            if done == position - 1:
                observer, paid = Observer(machine), machine.ledger.values()
            elif done == position and observer is not None:
                step.append(make_step(machine, observer, kind, frame, slot, page, skb, fields))
                paid = tuple(map(sub, machine.ledger.values(), paid))
                if not last:
                    raise _Reached

        _play_watched(machine, watch)
        return step[0], paid

    def replay(self, start: int, end: int, watcher: Callable[[Machine], Watch]) -> None:
        """Play the steps from position `start` to `end` once more; `watcher` makes what looks on, at `start`."""
        machine, event = self._nearest(start + 1)
        done, look = self._events[event], watcher(machine) if self._events[event] == start else None

        def watch(
            kind: int,
            frame: Frame | None,
            slot: int,
            page: Page | None,
            skb: SkBuff | None,
            fields: tuple[Any, ...],
        ) -> None:
            nonlocal done, look
            done += 1
            if self.edits:
                _apply(self.edits, machine, done)
            if done == start:
                look = watcher(machine)
            elif look is not None:
                look(kind, frame, slot, page, skb, fields)
                if done == end:
                    raise _Reached

        _play_watched(machine, watch)

    def _event_of(self, position: int) -> int:
        """Return the event in which the step to a position is taken; the first one for positions without a step."""
        return bisect_right(self._events, position - 1) - 1 if position > 0 else 0

    def _nearest(self, position: int) -> tuple[Machine, int]:
        """Restore the last checkpoint from which a position can be played to; return the machine and its event."""
        last = self._event_of(position - 1)
        kept = bisect_right(self._at_event, last) - 1
        event, checkpoint = self._at_event[kept], self._stored[kept]
        for hot in self._hot:
            if event < hot <= last:
                event, checkpoint = hot, self._hot[hot]
        return self._restore(checkpoint), event

    def _heat(self, event: int, machine: Machine) -> None:
        """Leave a checkpoint here, close to where one is going."""
        start = self._events[event]
        if any(start - APART < self._events[hot] <= start for hot in self._hot):
            return
        self._hot[event] = take(machine)
        while len(self._hot) > HOT or sum(each.size for each in self._hot.values()) > HOT_LIMIT:
            del self._hot[next(iter(self._hot))]

    def _restore(self, checkpoint: Checkpoint) -> Machine:
        machine = checkpoint.restore()
        machine.source = self.source
        return machine

    # --------------------------------------------------------------------------------------------------- moving
    def stop_after(self, position: int, zoom: str) -> int:
        """Return the next position at which a zoom (step, frame, poll) stops; the end when there is none."""
        return self._search(position, ZOOM_STOPS[zoom]) or self.length

    def stop_before(self, position: int, zoom: str) -> int:
        """Return the last position before this one at which a zoom stops; 0 when there is none."""
        return self._search_back(position, ZOOM_STOPS[zoom])

    def next_of(self, position: int, kind: str) -> int | None:
        """Return the position just after the next step of a kind, None when no more comes."""
        return self._search(position, frozenset({steps.BY_NAME[kind]})) or None

    def previous_of(self, position: int, kind: str) -> int | None:
        """Return the position just after the last earlier step of a kind, None when there was none."""
        return self._search_back(position, frozenset({steps.BY_NAME[kind]})) or None

    def _search(self, position: int, kinds: frozenset[int] | None) -> int:
        """Return the position after the first step of one of the kinds from a position on, 0 when none comes."""
        self.extend(until=position + 1)
        while True:
            known = self.length
            if kinds is None:
                return position + 1 if position < known else 0
            found = known
            for kind in kinds:
                at = self.kinds.find(kind, position, found)
                found = at if at >= 0 else found
            if found < known:
                return found + 1
            if self.complete:
                return 0
            position = known
            self.extend(until=known + 4096)

    def _search_back(self, position: int, kinds: frozenset[int] | None) -> int:
        """Return the position after the last step of one of the kinds that is before a position, 0 without one."""
        self.extend(until=position)
        position = min(position, self.length + 1)
        if kinds is None:
            return max(position - 1, 0)
        return 1 + max((self.kinds.rfind(kind, 0, max(position - 1, 0)) for kind in kinds), default=-1)

    # -------------------------------------------------------------------------------------------------- forking
    def fork(self, position: int, **changes: str) -> Timeline:
        """Return a run that goes otherwise from a position on; this one stays as it is.

        `changes` are scenario keys that may change in the middle of a run: reader, itr, budget. Raises ScenarioError.
        """
        for key in changes:
            if key not in DYNAMIC:
                raise ScenarioError(f"{key}= cannot change in the middle of a run; {', '.join(DYNAMIC)} can")
        self.scenario.with_words([f"{key}={value}" for key, value in changes.items()])
        self.extend(until=position)
        position = min(max(position, 0), self.length)
        earlier = tuple(edit for edit in self.edits if edit.position <= position)
        edits = earlier + tuple(Edit(position, key, value) for key, value in changes.items())
        return Timeline(self.scenario, edits, self, position)


def _play_watched(machine: Machine, watch: Watch) -> None:
    """Play a machine on until its watcher has seen what it was to see (`_Reached`), or to the end."""
    machine.watch = watch
    try:
        while machine.tick():
            pass
        machine.lamps.at_end()
    except _Reached:
        pass
    machine.watch = None


def _apply(edits: tuple[Edit, ...], machine: Machine, position: int) -> None:
    """Make the changes that belong to a position."""
    for edit in edits:
        if edit.position == position:
            changed = Scenario(cpus=machine.config.cpus).with_words([f"{edit.key}={edit.value}"])
            for name in DYNAMIC[edit.key]:
                setattr(machine.config, name, getattr(changed, name))
            machine.socket.wake()
