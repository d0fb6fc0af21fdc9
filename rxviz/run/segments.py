"""The frames of segments that were made one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rxviz.model.frame import Frame
from rxviz.run.segment_words import Segment
from rxviz.run.template import FIRST_PORT, FIRST_SEQ, PORT
from rxviz.run.traffic import MadeFrames, flow_hash
from rxviz.run.traffic_spec import HEADERS, TrafficSpec
from rxviz.wire import build

ACKED, WINDOW, OTHER_WINDOW = 100, 229, 230
_FLAGS = {"p": "P", "f": "F"}


class SegmentFrames(MadeFrames):
    """Gives frame by frame what a scenario says segment by segment."""

    def __init__(self, spec: TrafficSpec, seed: int, checked: bool = True) -> None:
        self.made = made(spec.segments, spec.size - HEADERS["tcp"])
        super().__init__(spec, seed, checked)

    def _first(self) -> bytes:
        return self.made[0]

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last."""
        place = self._survivor(i) if self._loses else i
        if place >= self.spec.count:
            return None
        sent = self._sent(place)
        data, flow = self._tagged(self.made[sent]), self.spec.segments[sent].flow
        return Frame(
            i, self._time(place), data, len(data), flow, self._pkt_info, flow_hash(flow), self._status,
            tag=self._frame_tag,
        )  # fmt: skip


@dataclass(slots=True)
class _Connection:
    """What the sender of a connection counts."""

    port: int
    seq: int = FIRST_SEQ
    last: int = FIRST_SEQ
    ack: int = 1
    window: int = WINDOW
    ip_id: int = 0
    counts: bool = False
    """Whether each datagram gets an ID of its own, as senders did (and kernels before 4.7 ask for)."""

    def send(self, letters: str, payload: int, mark: int) -> bytes:
        """Return the next segment."""
        if "g" in letters:
            self.seq += payload
        if "a" in letters:
            self.ack += ACKED
        self.ip_id += self.counts
        self.counts |= "n" in letters
        if "w" in letters:
            self.window = OTHER_WINDOW if self.window == WINDOW else WINDOW
        size = 0 if "e" in letters else payload // 2 if "h" in letters else payload
        if "r" not in letters:
            self.last = self.seq
            self.seq += size
        flags = "A" + "".join(_FLAGS.get(letter, "") for letter in letters)
        # With DF and an IPv4 ID that stays 0, as hosts may send it, only TCP's own fields decide what GRO makes of it;
        # to kernels before 4.7 the IDs must count.
        return build.tcp4(
            build.payload(size, mark), sport=self.port, dport=PORT, seq=self.last, ack=self.ack, flags=flags,
            window=self.window, tsval=1000, tsecr=500, ip_id=self.ip_id,
        )  # fmt: skip


def made(segments: Sequence[Segment], payload: int) -> list[bytes]:
    """Return the frames of segments with so many bytes of payload each, in the order in which they are sent."""
    connections: dict[int, _Connection] = {}
    frames = []
    for mark, segment in enumerate(segments):
        sender = connections.setdefault(segment.connection, _Connection(FIRST_PORT + segment.flow))
        frames.append(sender.send(segment.letters, payload, mark))
    return frames
