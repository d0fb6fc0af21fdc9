"""Memory of whole programs: a large capture, and a long run against a short one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from rxviz.capture.writer import write_pcap
from rxviz.run.engine import make_source
from tests.bench.measure import Measure
from tests.bench.model import scenario

PEAK_GOAL_MIB = 250
FULL_FRAME, RECORD = 1514, 16
_WATCHER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss)
sys.exit(process.returncode != 0)
"""
"""A small program between: what starts a program counts as a part of that one's peak, and the benchmark is large."""


def measure(quick: bool) -> list[Measure]:
    """Measure peak memory; the capture is made on the fly, of full TCP frames."""
    megabytes = 20 if quick else 100
    count = megabytes * 1_000_000 // (FULL_FRAME + RECORD)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "large.pcap"
        write_pcap(path, _frames(count))
        size = path.stat().st_size / 1e6
        large = _peak([str(path)])
    short, long = (_peak([scenario(n).line()]) for n in (1_000, 10_000 if quick else 100_000))
    return [
        Measure("memory.capture", large, "MiB", f"peak of rxviz run on a capture of {size:.0f} MB", PEAK_GOAL_MIB),
        Measure("memory.growth", long - short, "MiB", "peak of a long run less that of one of 1,000 frames", 8),
    ]


def _frames(count: int) -> Iterator[tuple[int, bytes]]:
    source = make_source(scenario(count))
    for i in range(count):
        frame = source.frame(i)
        assert frame is not None
        yield 1_700_000_000 * 10**9 + frame.t_ns, frame.data


def _peak(what: list[str]) -> float:
    """Return the peak resident memory of `rxviz run` in MiB."""
    command = [sys.executable, "-m", "rxviz", "run", *what, "--json"]
    ran = subprocess.run([sys.executable, "-c", _WATCHER, *command], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"rxviz run {what} failed: {ran.stderr.strip()[-300:]}")
    return int(ran.stdout) / (2**20 if sys.platform == "darwin" else 2**10)
