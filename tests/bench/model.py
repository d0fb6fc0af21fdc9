"""Frames a second through the model, against SimPy in the same process.

The yardstick, "ten bare timeouts a frame": one SimPy process that does nothing but `yield env.timeout(1)`, ten times
for each frame. It is what any simulation of ten acts a frame would cost before it does anything.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from typing import Any
from unittest.mock import patch

import simpy

from rxviz.model.config import FrameSource
from rxviz.model.frame import Frame
from rxviz.model.lamps import Lamps
from rxviz.model.machine import Machine
from rxviz.run.engine import make_machine, make_source
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.trace import as_json, record
from tests.bench.measure import Measure, best_in_turn, seconds

TIMEOUTS = 10
GROWTH_GOAL = 10.5


def scenario(frames: int) -> Scenario:
    """The run that is measured: ixgbe 6.18 build_skb, ring 512, full frames."""
    return parse_line(f"ixgbe kernel=6.18 path=build_skb ring=512 mtu=1500 traffic=tcp:1514x{frames}")


class Ready:
    """Frames that were made beforehand."""

    def __init__(self, source: FrameSource, count: int) -> None:
        self.frames = [source.frame(i) for i in range(count)]

    def frame(self, i: int) -> Frame | None:
        """Return a frame of the list."""
        return self.frames[i] if i < len(self.frames) else None


def bare_timeouts(frames: int) -> float:
    """Return the seconds that SimPy takes for ten timeouts a frame."""
    environment = simpy.Environment()

    def process() -> Generator[Any, None, None]:
        for _ in range(frames * TIMEOUTS):
            yield environment.timeout(1)

    environment.process(process())
    return seconds(environment.run)


def plain(frames: int, source: FrameSource | None = None) -> float:
    """Return the seconds that a run takes without a watcher."""
    machine = make_machine(scenario(frames), source)
    return seconds(machine.run)


def without_lamps(frames: int) -> float:
    """Return the seconds that a run takes when no lamp watches it."""
    with (
        patch.object(Lamps, "dma", lambda *_: None),
        patch.object(Lamps, "read", lambda *_: None),
        patch.object(Lamps, "page_freed", lambda *_: None),
    ):
        return plain(frames)


def traced(frames: int, keep: Callable[[Machine], object]) -> float:
    """Return the seconds that a run takes when each step is recorded."""
    machine = make_machine(scenario(frames))
    return seconds(lambda: keep(machine))


def steps(machine: Machine) -> object:
    """Keep all steps."""
    return list(record(machine))


def json_lines(machine: Machine) -> object:
    """Write each step as a line of JSON, and drop it."""
    return sum(len(json.dumps(as_json(step, machine.config))) for step in record(machine))


def measure(quick: bool) -> list[Measure]:
    """Measure rates, each as a ratio to SimPy's in this run."""
    frames, few, rounds = (2_000, 300, 5) if quick else (6_000, 500, 12)
    ready = Ready(make_source(scenario(frames)), frames)
    yardstick, made, beforehand, dark, kept, lines = best_in_turn(
        [
            lambda: bare_timeouts(frames) / frames,
            lambda: plain(frames) / frames,
            lambda: plain(frames, ready) / frames,
            lambda: without_lamps(frames) / frames,
            lambda: traced(few, steps) / few,
            lambda: traced(few, json_lines) / few,
        ],
        rounds,
    )
    return [
        Measure("simpy.rate", 1 / yardstick, "frames/s", "SimPy, ten bare timeouts a frame: the yardstick"),
        Measure("model.rate", 1 / made, "frames/s", "the model, frames made as they arrive, no watcher"),
        Measure("model.of_simpy", yardstick / made, "×", "that, as a part of SimPy's rate", 1, True),
        Measure("model.ready.of_simpy", yardstick / beforehand, "×", "with frames made beforehand: the model alone"),
        Measure("model.lamps", made / dark, "×", "time with the lamps watching ÷ without"),
        Measure("trace.of_simpy", yardstick / kept, "×", "with the trace: every step recorded and kept"),
        Measure("trace.json.of_simpy", yardstick / lines, "×", "with the trace as JSON lines, sentences and all"),
    ]


def growth(quick: bool) -> list[Measure]:
    """Measure whether a long run takes longer for each frame than a short one."""
    short, rounds = (2_000, 2) if quick else (10_000, 3)
    once, ten_times = best_in_turn([lambda: plain(short), lambda: plain(10 * short)], rounds)
    about = f"time for {10 * short:,} frames ÷ time for {short:,}"
    return [Measure("model.growth", ten_times / once, "×", about, GROWTH_GOAL)]
