"""Counts of what a capture has besides frames, and the sentences that say so."""

from __future__ import annotations

from collections import Counter

from rxviz.capture import linktypes

# Link types that get a sentence of their own; a hostile file may name thousands.
_MAX_NAMED = 8


class Tally:
    """What was left out or odd up to the place read so far."""

    def __init__(self) -> None:
        self.partial = 0
        self.unpadded = 0
        self.overlong = 0
        self.stepped_back = 0
        self.timeless = 0
        self.foreign: Counter[int] = Counter()
        self.giants = 0
        self.giant_max = 0
        self.giant_min = 0
        self.impossible = 0
        self.impossible_max = 0
        self.runts = 0

    def giant(self, wire_len: int) -> None:
        """Count a super-packet."""
        self.giant_min = min(self.giant_min or wire_len, wire_len)
        self.giant_max = max(self.giant_max, wire_len)
        self.giants += 1

    def no_frame(self, wire_len: int) -> None:
        """Count a record whose length no frame can have."""
        if wire_len < 14:
            self.runts += 1
        else:
            self.impossible += 1
            self.impossible_max = max(self.impossible_max, wire_len)


def sentences(tally: Tally, frames: int, span_ns: int, at_end: bool) -> list[str]:
    """Return the notes, most important first, on `frames` found in `span_ns`, which `at_end` are all."""
    so_far = "" if at_end else " read so far"
    return [*_left_out(tally), *_lengths(tally, frames, so_far), *_times(tally, frames, span_ns, so_far)]


def _left_out(tally: Tally) -> list[str]:
    notes = []
    for link_type, count in tally.foreign.most_common(_MAX_NAMED):
        notes.append(f"{_count(count, 'record')} left out: {linktypes.explain(link_type)}")
    if len(tally.foreign) > _MAX_NAMED:
        rest = sum(count for _, count in tally.foreign.most_common()[_MAX_NAMED:])
        notes.append(f"{_count(rest, 'record')} of {len(tally.foreign) - _MAX_NAMED:,} more link types left out")
    if tally.giants:
        lengths = f"{tally.giant_max:,} bytes"
        if tally.giant_min != tally.giant_max:
            lengths = f"{tally.giant_min:,} to {lengths}"
        cause = "captured before segmentation (GSO) or after merging (GRO/LRO); left out"
        giants = _were(tally.giants, "record")
        notes.append(f"{giants} larger than any frame on this link ({lengths}): {cause}")
    if tally.impossible:
        up_to = "" if tally.impossible == 1 else "up to "
        sentence = f"{_count(tally.impossible, 'record')} claimed {up_to}{tally.impossible_max:,} bytes on the wire"
        notes.append(f"{sentence}, which no Ethernet frame has and no header in it backs; left out")
    if tally.runts:
        notes.append(f"{_were(tally.runts, 'record')} shorter than an Ethernet header (14 bytes); left out")
    return notes


def _lengths(tally: Tally, frames: int, so_far: str) -> list[str]:
    notes = []
    if tally.partial:
        be = "is" if tally.partial == 1 else "are"
        notes.append(f"{tally.partial:,} of {_count(frames, 'frame')}{so_far} {be} only partly in the file")
    if tally.unpadded:
        them = "it" if tally.unpadded == 1 else "them"
        short = f"{_count(tally.unpadded, 'frame')} shorter than 60 bytes"
        notes.append(f"{short}: captured before the sender padded {them}")
    if tally.overlong:
        overlong = _count(tally.overlong, "frame")
        notes.append(f"{overlong} with more bytes captured than were on the wire; the length on the wire is used")
    return notes


def _times(tally: Tally, frames: int, span_ns: int, so_far: str) -> list[str]:
    notes = []
    if tally.timeless:
        notes.append(f"{_count(tally.timeless, 'frame')} without a time: taken to arrive right behind the one before")
    if tally.stepped_back:
        back = _count(tally.stepped_back, "stamp")
        notes.append(f"{back} earlier than the one before: file order is taken as the order of arrival")
    if span_ns == 0 and tally.stepped_back == 0 and frames - tally.timeless > 1:
        notes.append(f"every stamp{so_far} is the same: all frames arrive back to back")
    return notes


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _were(number: int, noun: str) -> str:
    return f"{_count(number, noun)} {'was' if number == 1 else 'were'}"
