"""Where a person stands in two lanes: the frame, the step in it, which lane is chosen. Knows nothing of the screen."""

from __future__ import annotations

from dataclasses import dataclass, field

from rxviz.model.machine import Machine
from rxviz.model.names import frame_name
from rxviz.run import words
from rxviz.run.lanes import Lane, Lanes
from rxviz.run.lockstep import Lockstep, Row, looks
from rxviz.run.patches import in_words
from rxviz.view.cell import Role
from rxviz.view.lanes import LaneHead, LaneView
from rxviz.view.lanes_bill import Line, Side, lines
from rxviz.view.lanes_words import does, fate

KEPT = 256
"""Bills that are kept; going back and forth asks for the same again and again."""


@dataclass
class LanesSession:
    """Two lanes and a place in them. Everything that moves returns whether the place is another one now."""

    lanes: Lanes
    number: int = 0
    """The frame, from 0 on, among those that both lanes are done with."""
    row: int | None = None
    """The row of the frame's steps; None while whole frames are looked at."""
    chosen: int = 0
    """0 the left lane, 1 the right one."""
    _views: tuple[tuple[int, int | None, int], tuple[LaneView, LaneView]] | None = None
    _bills: dict[tuple[int, int], list[Line]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.lockstep = Lockstep(self.lanes)
        paths = [lane.scenario.path for lane in self.both]
        self._roles = (Role.BUILD, Role.LEGACY) if paths == ["build_skb", "legacy"] else (Role.LEGACY, Role.BUILD)

    @property
    def both(self) -> tuple[Lane, Lane]:
        """The left lane and the right one."""
        return self.lanes.left, self.lanes.right

    @property
    def frame(self) -> int | None:
        """The frame in question; None where no frame gets to its end in both."""
        return self.lanes.pairs[self.number].frame if self.lanes.pairs else None

    @property
    def sides(self) -> tuple[Side, Side]:
        """The lanes' names and colours; a path keeps its colour when the lanes change places."""
        return Side(self.lanes.left.name, self._roles[0]), Side(self.lanes.right.name, self._roles[1])

    @property
    def positions(self) -> tuple[int, int]:
        """How far each lane is: done with the frame, or behind the step in hand."""
        if not self.lanes.pairs:
            return 0, 0
        pair = self.lanes.pairs[self.number]
        if self.row is None:
            return pair.left, pair.right
        return self.lockstep.positions(self.lockstep.rows(pair.frame), self.row)

    def bill(self) -> list[Line]:
        """Return what both lanes have cost up to where they are."""
        at = self.positions
        if at not in self._bills:
            if len(self._bills) >= KEPT:
                self._bills.clear()
            self._bills[at] = lines(*self._machines(at))
        return self._bills[at]

    def _machines(self, at: tuple[int, int]) -> tuple[Machine, Machine]:
        left, right = (lane.timeline.at(position).machine for lane, position in zip(self.both, at, strict=True))
        return left, right

    @property
    def frames_done(self) -> int:
        """How many frames both lanes are done with where they are."""
        return self.number + (self.row is None) if self.lanes.pairs else 0

    @property
    def step_words(self) -> str:
        """Where in a frame one is, "" while whole frames are looked at."""
        if self.row is None or self.frame is None:
            return ""
        return f"step {self.row + 1} of frame {frame_name(self.frame)}"

    # ---------------------------------------------------------------------------------------------------------- moving
    def go_to(self, number: int) -> bool:
        """Go to a frame, clamped."""
        before, self.number = self.number, min(max(number, 0), max(self.lockstep.frames - 1, 0))
        return self.number != before

    def forward(self) -> bool:
        """One frame on; among steps one step, and from a frame's last on to the next one's first."""
        if self.row is None:
            return self.go_to(self.number + 1)
        if self.row + 1 < len(self._rows()):
            self.row += 1
            return True
        if self.go_to(self.number + 1):
            self.row = 0
            return True
        return False

    def back(self) -> bool:
        """One frame back, or one step."""
        if self.row is None:
            return self.go_to(self.number - 1)
        if self.row > 0:
            self.row -= 1
            return True
        if self.go_to(self.number - 1):
            self.row = len(self._rows()) - 1
            return True
        return False

    def into(self) -> bool:
        """Into the steps of the frame: to the first."""
        if self.row is not None or self.frame is None:
            return False
        self.row = 0
        return True

    def out(self) -> bool:
        """Back to whole frames."""
        was, self.row = self.row, None
        return was is not None

    def to_row(self, row: int) -> bool:
        """Go to a row of the frame's steps."""
        before, self.row = self.row, min(max(row, 0), len(self._rows()) - 1)
        return self.row != before

    def start(self) -> bool:
        """To the first frame, or the first step of this one."""
        return self.go_to(0) if self.row is None else self.to_row(0)

    def end(self) -> bool:
        """To the last frame, or the last step of this one."""
        return self.go_to(self.lockstep.frames - 1) if self.row is None else self.to_row(1 << 30)

    def next_difference(self) -> bool:
        """To the next frame that differs in a new way; among steps to the next that is not the same in both."""
        if self.row is not None:
            row = next((i for i, row in enumerate(self._rows()) if i > (self.row or 0) and not row.same), None)
            return row is not None and self.to_row(row)
        number = next((number for number in self.lockstep.firsts if number > self.number), None)
        return number is not None and self.go_to(number)

    def previous_difference(self) -> bool:
        """Back to the last one."""
        if self.row is not None:
            rows = self._rows()
            row = next((i for i in range(self.row - 1, -1, -1) if not rows[i].same), None)
            return row is not None and self.to_row(row)
        number = next((number for number in reversed(self.lockstep.firsts) if number < self.number), None)
        return number is not None and self.go_to(number)

    def swap(self) -> None:
        """Let the lanes change places; frame and chosen lane stay."""
        frame = self.frame
        self.lanes = Lanes(self.lanes.right, self.lanes.left)
        self.lockstep = Lockstep(self.lanes)
        self._bills.clear()
        self._views = None
        self.chosen = 1 - self.chosen
        self._roles = self._roles[1], self._roles[0]
        if frame is not None:
            self.number = next(i for i, pair in enumerate(self.lanes.pairs) if pair.frame == frame)
            if self.row is not None:
                self.row = min(self.row, len(self._rows()) - 1)

    def _rows(self) -> list[Row]:
        return self.lockstep.rows(self.lanes.pairs[self.number].frame)

    # --------------------------------------------------------------------------------------------------------- drawing
    def views(self) -> tuple[LaneView, LaneView] | None:
        """Return what is shown of the lanes; None where there is no frame."""
        frame = self.frame
        if frame is None:
            return None
        key = self.number, self.row, self.chosen
        if self._views is None or self._views[0] != key:
            self._views = key, (self._view(0, frame), self._view(1, frame))
        return self._views[1]

    def _view(self, side: int, frame: int) -> LaneView:
        lane, look = self.both[side], self.sides[side]
        head = LaneHead(("left", "right")[side], look.name, look.role, facts(lane), self.chosen == side)
        if self.row is not None:
            return self._at_step(lane, side, frame, head)
        at = looks(lane, frame)
        moment = lane.timeline.at
        return LaneView(
            head=head, frame=frame, ring=moment(at.ring), page=moment(at.page), skb=moment(at.skb),
            after=moment(at.end), says=does(lane, frame), fate=fate(lane, frame)
        )  # fmt: skip

    def _at_step(self, lane: Lane, side: int, frame: int, head: LaneHead) -> LaneView:
        moment = lane.timeline.at(self.positions[side])
        row = self._rows()[self.row or 0]
        waits = (row.left, row.right)[side] is None
        config = moment.machine.config
        step = lane.trace[moment.position - 1]
        other = self.sides[1 - side].name
        says = f"waits: {other} does something that has no counterpart here" if waits else words.text(step, config)
        return LaneView(
            head=head, frame=frame, ring=moment, page=moment, skb=moment, after=moment, says=says,
            why="" if waits else words.why(step, config), waits=waits, now=True,
        )  # fmt: skip


def facts(lane: Lane) -> str:
    """Return a lane's scenario in a few words."""
    scenario = lane.scenario
    rules = lane.timeline.at(0).machine.config.rules
    layout = lane.timeline.at(0).machine.config.geometry
    if layout.head:
        return f"{scenario.driver} {scenario.kernel} · {layout.head:,}-byte heads"
    flag = f"legacy-rx {'off' if scenario.path == 'build_skb' else 'on'}" if rules.build_skb else "before build_skb"
    state = f" · {words}" if (words := in_words(scenario.patches)) else ""
    return f"{scenario.driver} {scenario.kernel}{state} · {flag} · ring {scenario.ring} · MTU {scenario.mtu}"
