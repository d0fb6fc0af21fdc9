"""Draw random scenarios until so many frames have come; print each one that does not hold, and how many did.

python -m tests.soak --frames 10_000_000 --seed 1
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from random import Random

from rxviz.model.drivers.table import DRIVERS
from tests.soak.check import faults
from tests.soak.draw import scenario

FRAMES_EACH = 2_000


def main() -> int:
    """Return 0 when everything held, else 1."""
    asked = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    asked.add_argument("--frames", type=int, default=100_000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--driver", choices=[*DRIVERS], action="append", help="draw this one only; may be given again")
    words = asked.parse_args()
    random, came, broken = Random(words.seed), 0, 0
    runs: Counter[str] = Counter()
    while came < words.frames:
        drawn = scenario(random, FRAMES_EACH, words.driver or [*DRIVERS])
        offered, found = faults(drawn)
        came += offered
        runs[f"{drawn.driver} {drawn.kernel} {drawn.path}"] += 1
        for sentence in found:
            print(f"{drawn.line()}: {sentence}", flush=True)
        broken += bool(found)
    for name, count in sorted(runs.items()):
        print(f"{count:>8,}  {name}")
    print(f"{came:,} frames in {sum(runs.values()):,} runs; {broken} runs did not hold")
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
