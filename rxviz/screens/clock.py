"""What sets the pace of playing: one stop after another, at a speed that can be changed, never holding up a key."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from textual.timer import Timer
from textual.widget import Widget

SPEEDS = ("¼", "½", "1", "2", "4", "8", "16")
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
STOP_SECONDS = 0.64
"""From one stop to the next at speed 1; at the greatest speed that is 25 a second."""


class Clock:
    """Calls `advance` again and again until it returns False.

    The next call is asked for when the last one is done, so that a slow machine plays more slowly and keys still come
    through; a run is never moved on by the time that has passed.
    """

    def __init__(self, owner: Widget, advance: Callable[[], bool]) -> None:
        self._owner = owner
        self._advance = advance
        self._timer: Timer | None = None
        self.playing = False
        self.speed = SPEEDS.index("1")

    @property
    def words(self) -> str:
        """The speed, as the header has it."""
        return f"×{SPEEDS[self.speed]}"

    @property
    def seconds(self) -> float:
        """From one stop to the next while it plays; without end while it does not."""
        return STOP_SECONDS / FACTORS[self.speed] if self.playing else float("inf")

    def toggle(self) -> None:
        """Play, or pause."""
        if self.playing:
            self.pause()
        else:
            self.playing = True
            self._schedule(0.0)

    def pause(self) -> None:
        """Stop where it is."""
        self.playing = False
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def change(self, by: int) -> bool:
        """Play faster or slower; return False at the end of the scale."""
        speed = min(max(self.speed + by, 0), len(SPEEDS) - 1)
        changed, self.speed = speed != self.speed, speed
        return changed

    def _schedule(self, spent: float) -> None:
        wait = STOP_SECONDS / FACTORS[self.speed] - spent
        self._timer = self._owner.set_timer(max(wait, 0.002), self._tick)

    def _tick(self) -> None:
        started = monotonic()
        self._timer = None
        self.playing = self._advance() and self.playing
        if self.playing:
            self._schedule(monotonic() - started)
