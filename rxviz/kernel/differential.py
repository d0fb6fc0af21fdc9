"""Model and kernel on many sessions: random ones, or the frames of a capture, 63 at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rxviz.kernel.compare import Comparison, compare
from rxviz.kernel.oracle import MAX_SESSION, KernelGro, Setup
from rxviz.kernel.traffic import long_frames, random_session, setups
from rxviz.run.gro import ArrivingFrame, FrameEntry, PacketEntry

LENGTH = 40
_LONGEST = 65_521 + 14
_EVERY_LONG = 8


@dataclass(frozen=True, slots=True)
class Compared:
    """One session and both answers to it. `label` finds it again: a seed's number, or the capture's first frame."""

    label: str
    frames: list[bytes]
    comparison: Comparison


@dataclass(slots=True)
class Tally:
    """What many sessions came to. `skipped` counts frames that could not be fed, by the reason."""

    kernel: str
    sessions: int = 0
    frames: int = 0
    differing: int = 0
    retried: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    findings: list[dict[str, str]] = field(default_factory=list)
    problem: str = ""
    """What could not be compared, and why; empty when all could."""

    def add(self, compared: Compared) -> None:
        """Count a session, and keep its differences."""
        outcome = compared.comparison
        self.sessions += 1
        self.frames += len(outcome.decisions)
        self.differing += not outcome.ok
        self.retried += outcome.kernel.attempts > 1
        self.findings += [{"place": compared.label, "sentence": text} for text in outcome.differences]

    @property
    def ok(self) -> bool:
        """Whether something was compared, and nothing differed."""
        return self.sessions > 0 and not self.differing

    def as_json(self) -> dict[str, Any]:
        """Return the object that `rxviz kernel gro --json` prints."""
        return {
            "ok": self.ok,
            "kernel": self.kernel,
            "sessions": self.sessions,
            "frames": self.frames,
            "differing": self.differing,
            "retried": self.retried,
            "skipped": self.skipped,
            "not_compared": self.problem,
            "findings": self.findings,
        }


def random_sessions(count: int, seed: int, tally: Tally, length: int = LENGTH) -> Iterator[Compared]:
    """Compare `count` random sessions, evenly over every set-up; the same seed gives the same frames.

    Where the kernel does not tell how a frame reached GRO, only what a program can know of that itself is asked.
    """
    kinds_of = setups()
    for which, (setup, kinds) in enumerate(kinds_of):
        share = count // len(kinds_of) + (which < count % len(kinds_of))
        if not share:
            return
        with KernelGro(setup) as kernel:
            tally.kernel, tally.problem = kernel.release, kernel.problem
            if setup.feed != "tap" and not kernel.tells_layouts:
                continue
            for number in range(share):
                label = f"{seed}/{which}/{number}"
                long = _has_long_frames(setup, number) and kernel.tells_layouts
                rng = Random(label)
                session = long_frames(rng, length) if long else random_session(rng, setup, kinds, length)
                yield _compared(kernel, label, session.frames, session.headers, tally)


def _has_long_frames(setup: Setup, number: int) -> bool:
    return setup == Setup(layout="copied") and number % _EVERY_LONG == _EVERY_LONG - 1


def capture_sessions(frames: Iterable[ArrivingFrame], setup: Setup, tally: Tally) -> Iterator[Compared]:
    """Compare the frames of a capture, 63 to a poll; those of which only a part was kept cannot be fed."""
    with KernelGro(setup) as kernel:
        tally.kernel, tally.problem = kernel.release, kernel.problem
        batch: list[bytes] = []
        first = 0
        for number, frame in enumerate(frames):
            reason = _not_fed(frame)
            if reason:
                tally.skipped[reason] = tally.skipped.get(reason, 0) + 1
                continue
            if not batch:
                first = number
            batch.append(frame.data)
            if len(batch) == MAX_SESSION:
                yield _compared(kernel, f"frame {first}", batch, [b""] * len(batch), tally)
                batch = []
        if batch:
            yield _compared(kernel, f"frame {first}", batch, [b""] * len(batch), tally)


def _not_fed(frame: ArrivingFrame) -> str:
    if len(frame.data) < frame.wire_len:
        return "only a part of the frame was kept"
    if not 14 <= len(frame.data) <= _LONGEST:
        return "not of a length that a device takes"
    return ""


def _compared(kernel: KernelGro, label: str, frames: list[bytes], headers: list[bytes], tally: Tally) -> Compared:
    compared = Compared(label, frames, compare(kernel, frames, headers))
    tally.add(compared)
    return compared


def side_by_side(compared: Compared) -> dict[str, Any]:
    """Return both answers to one session, the model's in the words of `rxviz gro --json`."""
    outcome = compared.comparison
    verdicts = outcome.kernel.verdicts
    frames = [FrameEntry(n, decision, False).as_json() for n, decision in enumerate(outcome.decisions)]
    for n, entry in enumerate(frames):
        entry["kernel_verdict"] = verdicts[n].name if verdicts is not None and n < len(verdicts) else None
    return {
        "place": compared.label,
        "ok": outcome.ok,
        "frames": frames,
        "model": [PacketEntry(packet).as_json() for packet in outcome.delivered],
        "kernel": [
            {
                "length": len(packet.frame),
                "gso_size": packet.gso_size,
                "gso_type": packet.gso_type,
                "checksum": packet.checksum,
                "truesize": packet.truesize,
                "vlan": packet.tag & 0xFFF if packet.tag else None,
            }
            for packet in outcome.kernel.delivered
        ],
        "differences": outcome.differences,
    }
