"""Where a person stands in a run: the position, the zoom, the runs that were left. Knows nothing of the screen."""

from __future__ import annotations

from dataclasses import dataclass, field

from rxviz.model import steps
from rxviz.run.timeline import Moment, Timeline

ZOOMS = ("step", "frame", "poll")


@dataclass(frozen=True, slots=True)
class Left:
    """A run that was left for a what-if, and where."""

    timeline: Timeline
    position: int
    edit: str


@dataclass
class Session:
    """A run and a position in it. Everything that moves returns whether the position is another one now."""

    timeline: Timeline
    position: int = 0
    zoom: str = "step"
    left: list[Left] = field(default_factory=list)
    edit: str = ""
    """The change that made this run, in words; "" in the run that was opened."""

    @property
    def moment(self) -> Moment:
        """The state at the position."""
        return self.timeline.at(self.position)

    def seek(self, position: int) -> bool:
        """Go to a position, clamped to the run."""
        before, self.position = self.position, self.timeline.at(max(position, 0)).position
        return self.position != before

    def forward(self, zoom: str | None = None) -> bool:
        """Go to the next stop."""
        return self.seek(self.timeline.stop_after(self.position, zoom or self.zoom))

    def back(self, zoom: str | None = None) -> bool:
        """Go to the stop before."""
        return self.seek(self.timeline.stop_before(self.position, zoom or self.zoom))

    def next_zoom(self) -> str:
        """Take the next zoom and return it."""
        self.zoom = ZOOMS[(ZOOMS.index(self.zoom) + 1) % len(ZOOMS)]
        return self.zoom

    def find(self, kinds: tuple[str, ...], *, back: bool = False, start: int | None = None) -> int | None:
        """Return the position behind the nearest step of these kinds, of the steps known so far; None without one.

        Nothing is played on for it: a kind that never comes would play a long run to its end, and hold up the keys.
        """
        known, start = self.timeline.kinds, self.position if start is None else start
        wanted = [steps.BY_NAME[name] for name in kinds]
        if back:
            places = [known.rfind(kind, 0, max(start - 1, 0)) for kind in wanted]
            return 1 + max(places) if max(places) >= 0 else None
        places = [place for kind in wanted if (place := known.find(kind, start)) >= 0]
        return 1 + min(places) if places else None

    def has(self, kinds: tuple[str, ...]) -> bool:
        """Whether the run has a step of these kinds, as far as it is known."""
        return any(steps.BY_NAME[name] in self.timeline.kinds for name in kinds)

    def count(self, kinds: tuple[str, ...], *, back: bool = False) -> int:
        """Return how many steps of these kinds `find` would come to one after the other."""
        known = self.timeline.kinds
        start, end = (0, max(self.position - 1, 0)) if back else (self.position, len(known))
        return sum(known.count(steps.BY_NAME[name], start, end) for name in kinds)

    def find_frame(self, frame: int) -> int | None:
        """Return the position behind the next known step of a frame, None without one."""
        frames = self.timeline.frames
        return next((i + 1 for i in range(self.position, len(frames)) if frames[i] == frame), None)

    def fork(self, reader: str) -> None:
        """Leave this run for one in which the program at the socket is another from here on."""
        forked = self.timeline.fork(self.position, reader=reader)
        self._leave_for(forked, f"reader {reader} from step {self.position:,}")

    def change(self, timeline: Timeline, position: int, words: str) -> None:
        """Leave this run for another one; `words` say what is otherwise there."""
        self._leave_for(timeline, words)
        self.seek(position)

    def _leave_for(self, timeline: Timeline, words: str) -> None:
        self.left.append(Left(self.timeline, self.position, self.edit))
        self.timeline, self.edit = timeline, words

    def come_back(self) -> bool:
        """Return to the run that was left, where it was left."""
        if not self.left:
            return False
        run = self.left.pop()
        self.timeline, self.position, self.edit = run.timeline, run.position, run.edit
        return True
