"""TCP segments made one by one: `traffic=segs:300p:1,1,2,1,1p,1` says of each whose connection it is, and what it has.

A number is the connection. Letters behind it: p PSH, f FIN, e empty (no payload, as a pure ACK), h half the payload,
a its ACK number is higher from here on, w its window is another from here on, g one segment of its connection is
missing before it, r the one before is sent again, n its IPv4 IDs count up from here on.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rxviz.errors import ScenarioError, quoted

MAX_SEGMENTS = 64
LETTERS = "pfehawgrn"
SHAPE = re.compile(r"segs:(\d{1,6})(p?):(.+)", re.ASCII)
_SEGMENT = re.compile(rf"([1-9])([{LETTERS}]*)", re.ASCII)
_BUCKETS = 8


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment as it is written."""

    connection: int
    letters: str

    @property
    def flow(self) -> int:
        """The number of its flow; receive hashes of flows that are 8 apart lead to one bucket of GRO, to meet there."""
        return (self.connection - 1) * _BUCKETS


def parse_segments(text: str) -> tuple[Segment, ...]:
    """Read the segments of a scenario; raise ScenarioError with one sentence."""
    parts = text.split(",")
    if len(parts) > MAX_SEGMENTS:
        raise ScenarioError(f"{len(parts):,} segments are too many: up to {MAX_SEGMENTS} are made one by one")
    found = []
    for part in parts:
        match = _SEGMENT.fullmatch(part)
        if match is None or len(set(match[2])) < len(match[2]):
            raise ScenarioError(
                f"{quoted(part, 20)} is not a segment: the number of its connection, 1 to 9, and letters of {LETTERS},"
                " each once, e.g. 1 or 2p"
            )
        found.append(Segment(int(match[1]), match[2]))
    return tuple(found)
