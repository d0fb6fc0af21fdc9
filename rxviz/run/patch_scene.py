"""A scene and the state of the series in it: patches applied and reverted, and what that does to the bill."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from rxviz.errors import ScenarioError
from rxviz.model.ledger import COUNTS
from rxviz.run import patches
from rxviz.run.engine import make_machine
from rxviz.run.timeline import FRAME_ENDS

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.run.scenario import Scenario
    from rxviz.run.timeline import Timeline

MOST_STEPS = 400_000
"""Steps of a long scene that are played, at most, for a bill."""

CHUNK = 4_096
"""Steps that a run is played on at a time, in search of a frame."""

Change = tuple[str, int, int]
"""The ledger's name of what changes, without and with the change."""


class _Done(Exception):  # noqa: N818 - no error, but the way out of the middle of a poll
    """The frame that was asked for is done."""


def ledger_after(scenario: Scenario, frame: int | None = None) -> dict[str, int]:
    """Return what a scene has cost, the set-up apart, when the driver is done with a frame (None: in all)."""
    m = make_machine(scenario)
    before = m.ledger.values()
    done = 0

    def watch(kind: int, which: Frame | None, *_: Any) -> None:
        nonlocal done
        done += 1
        if done > MOST_STEPS or (which is not None and which.id == frame and kind in FRAME_ENDS):
            raise _Done

    m.watch = watch
    with suppress(_Done):
        m.run()
    return {name: now - was for name, now, was in zip(COUNTS, m.ledger.values(), before, strict=True)}


class PatchScene:
    """A scene on the kernel before the series, with the patches that are applied there.

    A scene of a kernel begins with the patches that this kernel has; what else that kernel changed is left behind.
    Bills are those when the driver is done with `frame`, None for the whole run.
    """

    def __init__(self, scenario: Scenario, frame: int | None = None) -> None:
        self.frame = frame
        if scenario.patches == patches.KERNEL:
            scenario = scenario.with_words([f"patches={patches.word(patches.in_kernel(scenario.kernel))}"])
        self.scenario = scenario
        self._began = self.applied
        self._bills: dict[str, dict[str, int]] = {}

    @property
    def applied(self) -> tuple[int, ...]:
        """The patches that are applied."""
        return patches.numbers(self.scenario.patches)

    @property
    def moved(self) -> bool:
        """Whether other patches are applied than when the scene was opened."""
        return self.applied != self._began

    def toggled(self, number: int) -> Scenario:
        """Return the scene with a patch applied, or reverted; raise ScenarioError where it cannot be."""
        applied = {*self.applied}
        if number in applied:
            needing = patches.needing(number, applied)
            if needing:
                verb, first = ("needs", "that") if len(needing) == 1 else ("need", "those")
                raise ScenarioError(f"{patches.listed(needing)} {verb} patch {number}; revert {first} first")
        else:
            lacks = patches.missing(number, applied)
            if lacks:
                first = "that" if len(lacks) == 1 else "those"
                raise ScenarioError(f"patch {number} needs {patches.listed(lacks)}; apply {first} first")
        return self.with_patches(applied ^ {number})

    def with_patches(self, applied: set[int]) -> Scenario:
        """Return the scene with a set of patches."""
        return self.scenario.with_words([f"patches={patches.word(applied)}"])

    def bill(self, scenario: Scenario | None = None) -> dict[str, int]:
        """Return the bill of the scene, or of another state of it."""
        found = scenario or self.scenario
        line = found.line()
        if line not in self._bills:
            self._bills[line] = ledger_after(found, self.frame)
        return self._bills[line]

    def changes(self, scenario: Scenario) -> list[Change]:
        """Return what would be otherwise on the bill in another state of the scene."""
        now, then = self.bill(), self.bill(scenario)
        return [(name, now[name], then[name]) for name in COUNTS if now[name] != then[name]]


def same_place(old: Timeline, position: int, new: Timeline) -> int:
    """Return where in another run of the same frames one is as far with the frame in question as in the old one.

    That is behind the same step of the frame, or where the driver is done with it when it takes no such step there.
    """
    last = next((at for at in range(position - 1, -1, -1) if old.frames[at] >= 0), None)
    if last is None:
        return 0
    frame, kind = old.frames[last], old.kinds[last]
    nth = sum(1 for at in _steps_of(old, frame) if at <= last and old.kinds[at] == kind)
    while not new.complete and not any(new.kinds[at] in FRAME_ENDS for at in _steps_of(new, frame)):
        new.extend(until=new.length + CHUNK)
    places = _steps_of(new, frame)
    same = [at for at in places if new.kinds[at] == kind]
    if len(same) >= nth:
        return same[nth - 1] + 1
    ends = [at for at in places if new.kinds[at] in FRAME_ENDS]
    return (ends or places or [-1])[0] + 1


def _steps_of(timeline: Timeline, frame: int) -> list[int]:
    """Return the positions before the known steps of a frame."""
    found: list[int] = []
    frames, at = timeline.frames, 0
    while True:
        try:
            at = frames.index(frame, at)
        except ValueError:
            return found
        found.append(at)
        at += 1
