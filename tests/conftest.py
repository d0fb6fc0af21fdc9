"""What holds for every test: no property fails because the machine was busy; timings belong in the benchmark."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("rxviz", deadline=None)
settings.load_profile("rxviz")
