"""What a measurement is, and small helpers for taking one on a machine that does other things too."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from time import process_time
from typing import Any


@dataclass(frozen=True, slots=True)
class Measure:
    """One line of the table. `goal` is a bound on `value`, at most it or (`at_least`) at least it; None: no goal."""

    name: str
    value: float
    unit: str
    about: str
    goal: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without a goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal

    def as_json(self) -> dict[str, Any]:
        """Return the fields, and whether the goal is met."""
        return {**asdict(self), "met": self.met}


def seconds(act: Callable[[], object]) -> float:
    """Return the CPU time that `act` takes, garbage of earlier acts cleared away before.

    All that is measured so waits for nothing; its CPU time is how long it takes on a machine that does nothing else.
    """
    gc.collect()
    start = process_time()
    act()
    return process_time() - start


def best_in_turn(acts: Sequence[Callable[[], float]], rounds: int) -> list[float]:
    """Take each measurement once a round, in turn, and return the least of each: what others do falls on all alike."""
    best = [float("inf")] * len(acts)
    for _ in range(rounds):
        best = [min(least, act()) for least, act in zip(best, acts, strict=True)]
    return best


def p99(values: Sequence[float]) -> float:
    """Return the value that 99 in 100 do not pass."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


def median_and_p99(
    name: str, about: str, values: Sequence[float], goals: tuple[float | None, float | None] = (None, None)
) -> list[Measure]:
    """Return two lines for times in seconds, in ms."""
    ms = [value * 1000 for value in values]
    return [
        Measure(f"{name}.median", median(ms), "ms", f"{about}, median of {len(ms)}", goals[0]),
        Measure(f"{name}.p99", p99(ms), "ms", f"{about}, p99 of {len(ms)}", goals[1]),
    ]
