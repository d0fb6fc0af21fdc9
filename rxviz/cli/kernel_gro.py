"""Sessions of `rxviz kernel gro`: run them, print them, and say what they came to."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from itertools import islice
from typing import TYPE_CHECKING, Any

from rxviz.cli import kernel_report, say
from rxviz.cli.interrupt import between
from rxviz.cli.progress import Progress
from rxviz.kernel.differential import Compared, Tally, capture_sessions, random_sessions, side_by_side
from rxviz.kernel.oracle import Setup

if TYPE_CHECKING:
    from rxviz.cli.passing import Passing

SAME, DIFFERS, NOT_HERE = 0, 1, 2
_SHOWN = 10
"""Random sessions that differ and are shown whole; all of them are counted and named."""


class Outcome:
    """What some sessions came to. One of which it is not certain that it was one poll shows nothing either way.

    `uncertain` has the frames of each of those, by its label.
    """

    def __init__(self) -> None:
        self.tally = Tally("")
        self.uncertain: dict[str, int] = {}

    def watch(self, sessions: Iterable[Compared]) -> Iterator[Compared]:
        """Pass sessions on and note the uncertain ones."""
        for compared in sessions:
            if not compared.comparison.kernel.certified:
                self.uncertain[compared.label] = len(compared.frames)
            yield compared

    @property
    def differing(self) -> int:
        """How many sessions differ."""
        return self.tally.differing - len(self.uncertain)

    @property
    def nothing(self) -> bool:
        """Whether there was nothing that could be compared."""
        return self.tally.sessions == len(self.uncertain)

    @property
    def status(self) -> int:
        """The exit status."""
        return DIFFERS if self.differing else NOT_HERE if self.nothing else SAME

    def remarks(self) -> list[str]:
        """Return what could not be compared, and why."""
        found = [self.tally.problem] if self.tally.problem else []
        found += [f"{_count(count, 'frame')}: {reason}" for reason, count in self.tally.skipped.items()]
        if self.uncertain:
            found.append(f"{_count(len(self.uncertain), 'poll')}: never certain to be one poll, try again when idle")
        return found

    def as_json(self) -> dict[str, Any]:
        """Return the object of `--json`, without the sessions themselves."""
        findings = [finding for finding in self.tally.findings if finding["place"] not in self.uncertain]
        return self.tally.as_json() | {
            "ok": self.status == SAME,
            "sessions": self.tally.sessions - len(self.uncertain),
            "frames": self.tally.frames - sum(self.uncertain.values()),
            "differing": self.differing,
            "not_compared": self.remarks(),
            "findings": findings,
        }

    def lines(self) -> Iterator[str]:
        """Yield the sums as lines."""
        tally = self.tally
        sessions, frames = tally.sessions - len(self.uncertain), tally.frames - sum(self.uncertain.values())
        return kernel_report.totals(
            tally.kernel, sessions, frames, self.differing, verdicts=not tally.problem, remarks=self.remarks()
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def random(count: int, seed: int, length: int) -> tuple[Outcome, list[Compared]]:
    """Run random sessions; return what they came to, and the first ones that differ."""
    outcome = Outcome()
    differing: list[Compared] = []
    running = random_sessions(count, seed, outcome.tally, length)
    with closing(_closable(running)), between(outcome.watch(running)) as sessions, Progress(count * length) as progress:
        for compared in sessions:
            progress.show(outcome.tally.frames)
            if not compared.comparison.ok and compared.label not in outcome.uncertain and len(differing) < _SHOWN:
                differing.append(compared)
    return outcome, differing


def random_json(outcome: Outcome, differing: list[Compared]) -> dict[str, Any]:
    """Return the object of `--json` for random sessions; `compared` are some that differ."""
    return {"compared": [side_by_side(compared) for compared in differing], **outcome.as_json()}


def of_capture(source: Passing, layout: str, most: int | None, as_json: bool) -> Outcome:
    """Run the frames of a capture and print each session as it comes."""
    outcome = Outcome()
    running = capture_sessions(islice(source.frames, most), Setup(layout=layout), outcome.tally)
    with closing(_closable(running)), between(outcome.watch(running)) as sessions:
        # The first one shows whether the kernel can be asked at all; nothing is printed before that.
        first = next(sessions, None)
        every = () if first is None else _with_first(first, sessions)
        say.data(_json_lines(every, outcome) if as_json else _text_lines(every, outcome))
    return outcome


def _closable(running: Iterator[Compared]) -> Generator[Compared, None, None]:
    """A loop that is interrupted closes what runs the helper in the namespace, which so ends at once."""
    assert isinstance(running, Generator)
    return running


def _with_first(first: Compared, rest: Iterator[Compared]) -> Iterator[Compared]:
    yield first
    yield from rest


def _text_lines(sessions: Iterable[Compared], outcome: Outcome) -> Iterator[str]:
    for compared in sessions:
        yield from kernel_report.session(compared)
    yield from outcome.lines()


def _json_lines(sessions: Iterable[Compared], outcome: Outcome) -> Iterator[str]:
    """Yield one object over several lines, so that a long capture needs no more memory than a short one."""
    comma = ""
    yield '{"compared": ['
    for compared in sessions:
        yield comma + json.dumps(side_by_side(compared))
        comma = ", "
    yield "], " + json.dumps(outcome.as_json())[1:]
