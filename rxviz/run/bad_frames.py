"""Frames that come with something wrong: sources that spoil those which the word `errors` names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.frame import Frame
from rxviz.run.segments import SegmentFrames
from rxviz.run.traffic import CapturedFrames, MadeFrames

if TYPE_CHECKING:
    from rxviz.capture.frames import Frames
    from rxviz.model.failures import Spot
    from rxviz.run.scenario import Scenario

RUNT = 40
"""How long a frame is that is too short, in bytes without FCS."""
PAST = 16
"""By how many bytes a frame is past the MAC's limit that is too long; two tags would still not let it in."""


class Spoiler:
    """Spoils frames. `limit` is the MAC's limit, in bytes with FCS."""

    def __init__(self, spots: tuple[Spot, ...], limit: int) -> None:
        self.spots = spots
        self.limit = limit

    def spoilt(self, frame: Frame | None) -> Frame | None:
        """Return a frame as it arrives: as it is, or bad."""
        if frame is None:
            return None
        kind = next((spot.kind for spot in self.spots if spot.first <= frame.id <= spot.last), "")
        return self._spoil(frame, kind) if kind else frame

    def _spoil(self, frame: Frame, kind: str) -> Frame:
        data, wire_len = frame.data[: frame.known], frame.wire_len
        if kind == "undersize":
            wire_len = min(wire_len, RUNT)
            data = data[:wire_len]
        elif kind == "oversize":
            wire_len = max(wire_len, self.limit + PAST)
            data = data.ljust(wire_len, b"\0")
            # The MAC finds out by itself.
            kind = ""
        return Frame(
            frame.id, frame.t_ns, data, wire_len, frame.flow, frame.pkt_info, frame.hash, frame.status, frame.remark,
            frame.tag, kind,
        )  # fmt: skip


class BadMadeFrames(MadeFrames):
    """Made frames, some of them bad."""

    spoiler: Spoiler

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last."""
        return self.spoiler.spoilt(super().frame(i))


class BadSegmentFrames(SegmentFrames):
    """Segments made one by one, some of them bad."""

    spoiler: Spoiler

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last."""
        return self.spoiler.spoilt(super().frame(i))


class BadCapturedFrames(CapturedFrames):
    """The frames of a capture, some of them bad."""

    spoiler: Spoiler

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last."""
        return self.spoiler.spoilt(super().frame(i))


def made_frames(scenario: Scenario) -> MadeFrames:
    """Return the frames that the words of a scenario make."""
    spec, seed, checked = scenario.spec, scenario.seed, scenario.rxcsum == "on"
    if not scenario.error_spots:
        return (SegmentFrames if spec.segments else MadeFrames)(spec, seed, checked)
    bad = (BadSegmentFrames if spec.segments else BadMadeFrames)(spec, seed, checked)
    bad.spoiler = _spoiler(scenario)
    return bad


def captured_frames(scenario: Scenario, frames: Frames) -> CapturedFrames:
    """Return the frames of a scenario's capture."""
    checked = scenario.rxcsum == "on"
    if not scenario.error_spots:
        return CapturedFrames(frames, checked)
    bad = BadCapturedFrames(frames, checked)
    bad.spoiler = _spoiler(scenario)
    return bad


def _spoiler(scenario: Scenario) -> Spoiler:
    return Spoiler(scenario.error_spots, scenario.geometry.max_frame)
