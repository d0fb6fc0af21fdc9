"""Two runs side by side: the same frames, one thing otherwise, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from time import monotonic
from typing import TYPE_CHECKING, Any

from rxviz.errors import ScenarioError
from rxviz.model import steps
from rxviz.model.geometry import ETH_FCS_LEN
from rxviz.run.engine import make_machine
from rxviz.run.observe import Unobserved, everything
from rxviz.run.query import Questions
from rxviz.run.result import result
from rxviz.run.scenario import Scenario
from rxviz.run.scenario_remarks import remarks_at_end
from rxviz.run.timeline import FRAME_ENDS, Timeline
from rxviz.run.trace import Step, record
from rxviz.run.traffic import close_source

if TYPE_CHECKING:
    from rxviz.model.machine import Machine

MAX_STEPS = 200_000
"""Steps of a lane at most: lanes are for looking at, and keep their whole trace."""


class Lane:
    """One run with its whole trace at hand."""

    def __init__(self, scenario: Scenario, name: str = "", limit: int = MAX_STEPS) -> None:
        self.scenario = scenario
        self.name = name
        self.limit = limit
        self.timeline = Timeline(scenario)
        self.known: list[Step] = []
        """The steps that have been played so far."""
        self.complete = False
        self._machine = make_machine(scenario, self.timeline.source)
        self._steps: Iterator[Step] = record(self._machine, Unobserved())

    def close(self) -> None:
        """Close the capture that the frames come from, if it is one."""
        close_source(self.timeline.source)

    def play_on(self, seconds: float | None = None) -> bool:
        """Play for a time (None: to the end); return whether the end is known. Raises ScenarioError past the limit."""
        deadline = None if seconds is None else monotonic() + seconds
        while not self.complete:
            step = next(self._steps, None)
            if step is None:
                self.complete = True
                break
            self.known.append(step)
            if len(self.known) > self.limit:
                raise ScenarioError(
                    f"this run has more than {self.limit:,} steps, which are too many to be kept whole; let fewer"
                    " frames arrive"
                )
            if deadline is not None and len(self.known) % 64 == 0 and monotonic() > deadline:
                break
        return self.complete

    @cached_property
    def _played(self) -> tuple[list[Step], dict[str, Any], dict[str, int]]:
        self.play_on()
        trace, machine = self.known, self._machine
        # A lamp goes on in the middle of the step that is taken next.
        lit = {name: min(n + 1, len(trace)) for name, n in machine.lamps.first.items()}
        return trace, result(self.scenario, machine), lit

    @property
    def offered(self) -> int:
        """How many frames have arrived so far."""
        return self._machine.offered

    @property
    def trace(self) -> list[Step]:
        """Every step of the run, without what each changed: that is in `timeline.at(position).step`."""
        return self._played[0]

    @property
    def result(self) -> dict[str, Any]:
        """What the run came to."""
        return self._played[1]

    def remarks(self) -> list[str]:
        """Return what a person should know about the scenario, and what the end showed where it has been played."""
        return [*self.scenario.remarks(), *(remarks_at_end(self._machine) if self.complete else [])]

    def questions(self, position: int = 0) -> Questions:
        """Return the functions of the expression language, bound to this run at a position."""
        return Questions(self.trace, self.half_size, position, self.look, lambda: self.result)

    @property
    def half_size(self) -> int:
        """The size of a half, 0 where pages are walked."""
        return self.timeline.at(0).machine.config.geometry.named

    def look(self, position: int) -> dict[str, Any]:
        """Return all that can be seen at a position, and how buffers and skbs are laid out."""
        machine = self.timeline.at(position).machine
        return {**everything(machine), **layout(machine)}

    @cached_property
    def frame_ends(self) -> list[tuple[int, int]]:
        """(frame, position) in the order in which frames leave the driver or are dropped."""
        return [(step.frame, step.n + 1) for step in self.trace if step.kind in FRAME_ENDS and step.frame is not None]

    @cached_property
    def by_frame(self) -> dict[int, list[Step]]:
        """The steps of each frame in order, from the wire to where it left the driver or was dropped."""
        found: dict[int, list[Step]] = {}
        ended: set[int] = set()
        for step in self.trace:
            if step.frame is None or step.frame in ended:
                continue
            found.setdefault(step.frame, []).append(step)
            if step.kind in FRAME_ENDS:
                ended.add(step.frame)
        return found

    @cached_property
    def first_lamp(self) -> tuple[int, str] | None:
        """The position at which the first lamp went on, and its name; None when all stay dark."""
        return min(((position, name) for name, position in self._played[2].items()), default=None)

    def lamp_on(self, lamp: str) -> tuple[int, str] | None:
        """The position at which a lamp first went on, and its name; None when it stays dark (or there is none)."""
        position = self._played[2].get(lamp)
        return None if position is None else (position, lamp)


def layout(m: Machine) -> dict[str, int]:
    """Return where things lie, in bytes: `layout.*` for every buffer of the ring, `skbs.N.*` for each living skb.

    ring (slots) · page, half, pad (headroom) · room: what the driver lets the NIC write · shinfo · copybreak: the
    longest frame that the legacy path copies whole · longest: the longest frame that the MAC lets in, without FCS.
    Of an skb: head, data, tail and end, counted from the start of its page.
    """
    geometry, core, rules = m.config.geometry, m.config.core, m.config.rules
    seen = {
        "layout.ring": m.ring.count,
        "layout.page": geometry.page,
        "layout.half": geometry.half,
        "layout.pad": geometry.pad,
        "layout.room": geometry.bufsz,
        "layout.shinfo": core.shinfo_size if geometry.build_skb else 0,
        "layout.copybreak": rules.rx_hdr_size,
        "layout.longest": geometry.max_frame - ETH_FCS_LEN,
    }
    for skb in m.skbs.values():
        name = f"skbs.{skb.id}"
        seen |= {f"{name}.head": skb.head, f"{name}.data": skb.data, f"{name}.tail": skb.tail, f"{name}.end": skb.end}
    return seen


@dataclass(frozen=True, slots=True)
class Pair:
    """A stop of two lanes in lockstep: how far each has come when it is done with a frame."""

    frame: int
    left: int
    right: int
    differs: bool


class Lanes:
    """Two lanes in lockstep by frame."""

    def __init__(self, left: Lane, right: Lane) -> None:
        self.left = left
        self.right = right

    @cached_property
    def pairs(self) -> list[Pair]:
        """One stop for each frame that both lanes know, in the order of the left one."""
        right = dict(self.right.frame_ends)
        acts = (_acts_by_frame(self.left.trace), _acts_by_frame(self.right.trace))
        return [
            Pair(frame, position, right[frame], acts[0].get(frame) != acts[1].get(frame))
            for frame, position in self.left.frame_ends
            if frame in right
        ]

    def parting(self) -> tuple[int, int] | None:
        """Return the positions just after the first step that is not the same in both lanes; None when all are."""
        for i, (left, right) in enumerate(zip_longest(map(_act, self.left.trace), map(_act, self.right.trace))):
            if left != right:
                return min(i + 1, len(self.left.trace)), min(i + 1, len(self.right.trace))
        return None

    def bills(self) -> list[tuple[str, int, int]]:
        """Return (name, left, right) for the lines of the two bills."""
        lines = [
            (name, lane_value, self.right.result["ledger"][name])
            for name, lane_value in self.left.result["ledger"].items()
        ]
        for part, names in (("skbs", ("truesize_total",)), ("pages", ("allocated", "given_up", "flips"))):
            lines += [(f"{part}.{name}", self.left.result[part][name], self.right.result[part][name]) for name in names]
        lines.append(("softirq ns", self.left.result["cpu_ns"]["softirq"], self.right.result["cpu_ns"]["softirq"]))
        return lines


def _act(step: Step) -> tuple[Any, ...]:
    """What a step did, without when: two lanes differ in acts, not in clocks."""
    return step.kind, step.frame, step.slot, step.page, step.fields


def _acts_by_frame(trace: Sequence[Step]) -> dict[int, list[tuple[Any, ...]]]:
    """What was done for each frame by the driver, in order; where in the ring it lay does not count as a difference."""
    acts: dict[int, list[tuple[Any, ...]]] = {}
    for step in trace:
        if step.frame is not None and steps.KINDS[step.kind].who == "cpu":
            acts.setdefault(step.frame, []).append((step.kind,))
    return acts
