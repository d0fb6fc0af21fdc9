"""From the stamps of a capture to times of arrival."""

from __future__ import annotations

from rxviz.capture.notes import Tally

# Stamps of several queues may cross by microseconds; a step back of more than this is a clock that was set.
CLOCK_SET_NS = 1_000_000_000
# Room for any time in a signed 64-bit number; a stamp may claim thousands of years.
LAST_NS = (1 << 63) - 1


class ArrivalClock:
    """Turns stamps, which may be missing, equal or step back, into times that never do."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._before: int | None = None
        self._zero = 0
        self._last = 0

    def arrival(self, stamp: int | None) -> int:
        """Return the time in ns after the first stamp."""
        if stamp is None:
            self._tally.timeless += 1
            return self._last
        before = self._before
        self._before = stamp
        if before is None:
            self._zero = stamp - self._last
        elif stamp < before:
            self._tally.stepped_back += 1
        t_ns = stamp - self._zero
        if t_ns > self._last:
            self._last = min(t_ns, LAST_NS)
        elif self._last - t_ns > CLOCK_SET_NS:
            # One stamp far ahead must not make all the others arrive at once.
            self._zero = stamp - self._last
        return self._last
