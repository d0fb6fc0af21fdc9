"""What holds for every test: no property fails because the machine was busy; timings belong in the benchmark.

Each run by hand draws new examples. With CI set (`.ci/run` sets it) a commit always draws the same ones: a check that
passed can be repeated, and one that failed fails again.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("rxviz", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("rxviz")
