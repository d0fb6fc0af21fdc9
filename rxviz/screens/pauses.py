"""When Python looks for garbage: not between a key and its picture, where a full search takes as long as three."""

from __future__ import annotations

import gc
from time import monotonic

THRESHOLDS = (20_000, 10, 50)
"""For `gc.set_threshold`: a search of the youngest every ten keys or so, and hardly ever one of all objects."""
QUIET_SECONDS = 1.0
"""After so long without a key a search of all objects is in nobody's way."""


def calm() -> None:
    """Let Python search seldom, and never through what was loaded at the start and stays."""
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)


class Tidy:
    """Searches once in each quiet time behind a move."""

    def __init__(self) -> None:
        self._moved_at = monotonic()
        self._done = False

    def moved(self) -> None:
        """Somebody moved."""
        self._moved_at, self._done = monotonic(), False

    def look(self) -> bool:
        """Search if it is quiet and was not done; return whether it was done now."""
        if self._done or monotonic() - self._moved_at < QUIET_SECONDS:
            return False
        self._done = True
        gc.collect()
        return True
