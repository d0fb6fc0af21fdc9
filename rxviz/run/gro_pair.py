"""Why not? of any two frames of a run, or of a frame and a packet that GRO holds at a moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.model.gro import words
from rxviz.model.gro.trace import Verdict
from rxviz.model.names import frame_name
from rxviz.run.gro_moment import Room, moment_pair
from rxviz.run.gro_why import Why, explain

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.run.timeline import Moment

Held = tuple[int, ...]
"""The frames of a packet, oldest first; a single frame stands for a packet of its own."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What GRO says of `frame` and the packet of the `held` frames, and in which situation it was asked."""

    frame: Frame
    held: list[Frame]
    why: Why
    situation: str


class Pairs:
    """The frames of a moment, any two of which can be asked about.

    `own` is the pair that GRO itself asks about at this moment, None where it asks nothing; `first` is that, or else
    the two frames that came last. `packets` are held at this moment.
    """

    def __init__(self, moment: Moment) -> None:
        self._room = Room(moment.machine, moment.scenario.mtu)
        self._source = moment.machine.source
        self.own, self.decided, newest = moment_pair(moment)
        self.first = self.own or ((newest, (newest - 1,)) if newest > 0 and self.has(newest) else None)
        gro = moment.machine.gro
        holding = gro.holding.values() if gro is not None else ()
        self.packets: list[Held] = [tuple(p.segments) for _, p in holding]

    def has(self, number: int) -> bool:
        """Whether the run has a frame of that number."""
        return number >= 0 and self._source.frame(number) is not None

    def ask(self, number: int, held: Held) -> Answer:
        """Ask GRO whether a frame may join a packet; ValueError where the frame is in it."""
        if number in held:
            raise ValueError(f"frame {number} is in the packet")
        room = self._room
        (trial,) = room.trials([list(held)])
        frame = room.frame(number)
        found = explain(trial, room.packet(frame))
        return Answer(frame, [room.frame(each) for each in held], found, self._situation(number, held, found))

    def _situation(self, number: int, held: Held, found: Why) -> str:
        name, first = frame_name(number), frame_name(held[0])
        if (number, held) == self.own:
            return "GRO asked this at this moment." if self.decided else "This is what GRO is about to ask."
        if held in self.packets:
            return f"This packet is held now; asked as if {name} came next."
        order = "" if held[0] < number else ", the other way round than they came"
        said = f"Asked as if GRO held {first} and {name} came next{order}."
        if found.first.verdict is not Verdict.HELD:
            said += f" But GRO does not even hold {first}: {words.why(found.first)}."
        return said
