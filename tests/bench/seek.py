"""Time travel: how long any step of a long run is away, and the next and the last one."""

from __future__ import annotations

from random import Random
from time import process_time

from rxviz.run.timeline import Timeline
from tests.bench.measure import Measure, median_and_p99, seconds
from tests.bench.model import plain, scenario

SEEK_GOAL_MS = 50.0
STEP_GOAL_MS = 15.0


def measure(quick: bool) -> list[Measure]:
    """Measure seeks to random steps, and single steps from there in both directions."""
    frames, seeks = (10_000, 40) if quick else (100_000, 200)
    run = Timeline(scenario(frames))
    ratio = seconds(run.extend) / plain(frames)
    random = Random(1)
    far, near = [], []
    for _ in range(seeks):
        position = random.randrange(8, run.length - 8)
        far.append(_time(run, position))
        for move in (1, 1, -1, -1, -1, -1):
            position += move
            near.append(_time(run, position))
    about = f"to any step of {run.length:,} ({frames:,} frames)"
    return [
        *median_and_p99("seek", about, far, (SEEK_GOAL_MS, None)),
        *median_and_p99("step", "one step forwards or back from there", near, (STEP_GOAL_MS, None)),
        Measure("seek.index", ratio, "×", "playing a run with its checkpoints ÷ playing it"),
        Measure("seek.memory", run.checkpoint_bytes / 2**20, "MiB", "what the checkpoints take", 96),
    ]


def _time(run: Timeline, position: int) -> float:
    start = process_time()
    run.at(position)
    return process_time() - start
