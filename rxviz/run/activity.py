"""Who had CPU 0 when, how the queue's vector stood, and when a program beside that CPU read: noted as a run is played.

Times are in ns. Everything is kept in flat arrays, in the order of time, so that a long run takes little room and any
moment is found by halving.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from enum import IntEnum

from rxviz.model import steps
from rxviz.model.cpu import Who
from rxviz.model.machine import Machine


class Vector(IntEnum):
    """How an interrupt's vector stands."""

    ON = 0
    """The NIC may interrupt, and has nothing to say."""
    WAITS = 1
    """It has, but moderation holds the interrupt back, or the CPU does not take it yet."""
    MASKED = 2
    """It has interrupted, and waits until the driver lets it in again."""


class Spans:
    """Spans of time, one behind the other, each with a number; gaps between them have none."""

    __slots__ = ("ends", "starts", "what")

    def __init__(self) -> None:
        self.starts = array("Q")
        self.ends = array("Q")
        self.what = bytearray()

    def add(self, start: int, end: int, what: int) -> None:
        """Note a span that begins where the last one ends, or later."""
        self.starts.append(start)
        self.ends.append(end)
        self.what.append(what)

    def until(self, now: int) -> Spans:
        """Return what lies before a time; a span that goes on behind it is cut."""
        kept, count = Spans(), bisect_left(self.starts, now)
        kept.starts, kept.ends, kept.what = self.starts[:count], self.ends[:count], self.what[:count]
        if count and kept.ends[-1] > now:
            kept.ends[-1] = now
        return kept

    def between(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """Yield (start, end, what) of the spans that lie in a window of time, cut to it."""
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        for i in range(first, last):
            yield max(self.starts[i], start), min(self.ends[i], end), self.what[i]


class Activity:
    """What a run has done so far, up to `now`."""

    __slots__ = ("cpu", "now", "reader", "since", "vector", "vector_is")

    def __init__(self) -> None:
        self.cpu = Spans()
        """Who had CPU 0 (`Who`); idle time is in the gaps."""
        self.reader = Spans()
        """When a program beside CPU 0 read."""
        self.vector = Spans()
        """When the vector waited or was masked (`Vector`), up to the last time that this changed."""
        self.now = 0
        self.vector_is, self.since = Vector.ON, 0
        """How the vector stands now, and since when."""

    def tick(self, who: Who, now: int) -> None:
        """A tick of the machine is over at `now`. Polls that follow each other are one span; interrupts never are."""
        if who is not Who.IDLE and now > self.now:
            spans = self.cpu
            goes_on = spans.what and spans.what[-1] == who and spans.ends[-1] == self.now
            if goes_on and who is not Who.HARDIRQ:
                spans.ends[-1] = now
            else:
                spans.add(self.now, now, who)
        self.now = now

    def step(self, kind: int, m: Machine) -> None:
        """Note one of the steps that are watched."""
        if kind != steps.READER_READ:
            self._turn(vector_of(m), m.now)
        elif m.socket.took:
            self.reader.add(m.now - m.socket.took, m.now, Who.READER)

    def _turn(self, to: Vector, now: int) -> None:
        if to is not self.vector_is:
            if self.vector_is is not Vector.ON and now > self.since:
                self.vector.add(self.since, now, self.vector_is)
            self.vector_is, self.since = to, now

    def until(self, now: int) -> Activity:
        """Return what was known at a time, for a run that forks off there."""
        kept = Activity()
        kept.cpu, kept.reader, kept.vector = (spans.until(now) for spans in (self.cpu, self.reader, self.vector))
        kept.now = now
        if self.vector_is is not Vector.ON and self.since < now:
            kept.vector_is, kept.since = self.vector_is, self.since
        elif kept.vector.what and kept.vector.ends[-1] == now:
            # The vector stood like this in the midst of the span that was cut.
            kept.since, kept.vector_is = kept.vector.starts.pop(), Vector(kept.vector.what.pop())
            kept.vector.ends.pop()
        return kept


def vector_of(m: Machine) -> Vector:
    """Return how the queue's vector stands."""
    if m.nic.irq_armed or m.napi.irq_pending:
        return Vector.WAITS
    return Vector.MASKED if m.nic.irq_masked else Vector.ON


_WATCHED = (steps.IRQ_RAISE, steps.IRQ_ENTER, steps.IRQ_ENABLE, steps.READER_READ)
WATCHED = bytes(kind.number in _WATCHED for kind in steps.KINDS)
"""For each kind of step, whether `Activity.step` wants to know of it."""
