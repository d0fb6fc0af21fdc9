"""The frames of a capture that an Ethernet NIC could have received, in the order of arrival."""

from __future__ import annotations

from array import array
from collections.abc import Generator, Iterator
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from rxviz.capture import notes
from rxviz.capture.clock import ArrivalClock
from rxviz.capture.giants import ETHERNET_HEADER, MSS_OPTION, TAG, SegmentSizes, count_tags, innermost
from rxviz.capture.linktypes import ETHERNET
from rxviz.capture.reader import Capture, Problem
from rxviz.capture.record import overlong_remark
from rxviz.capture.reread import Reread
from rxviz.errors import CaptureError, shown

# Frames indexed at most, at 32 bytes each: 512 MiB.
MAX_FRAMES = 1 << 24
# A gzipped capture is unpacked to a temporary file, for going back in it; at most so many bytes of it.
MAX_SPOOL = 4 << 30
# Longer than any Ethernet card takes in.
MAX_WIRE = 16_384
# The most bytes that Linux puts into one packet: 8 * 65,535 of GSO (BIG TCP) and its headers.
_MAX_GSO = 524_280 + 256
_SHORTEST_SENT = 60


MOST_SKIPPED = 2_000_000
"""Records of one kind that are left out at most: a small gzipped file could hold billions."""


class Verdict(StrEnum):
    """What a record is to an Ethernet NIC."""

    FRAME = "frame"
    NOT_ETHERNET = "not Ethernet"
    SUPER_PACKET = "super-packet"
    IMPOSSIBLE = "impossible"


class Arrival(NamedTuple):
    """A frame as it arrives.

    `index` is its record's in the file; `t_ns` its time in ns after the first frame's, never less than the
    one before; `data` the bytes that are known (fewer than `wire_len` in a cut capture, never more);
    `wire_len` the length without FCS.
    """

    index: int  # type: ignore[assignment]  # the record's word for it
    t_ns: int
    data: bytes
    wire_len: int
    remark: str


class Frames:
    """Random access by position to the receivable frames of a capture.

    The file is read only as far as asked. Costs 32 bytes a frame, for up to `max_frames`; of a gzipped file,
    a temporary file too. A record longer than `max_wire` is never a frame; one longer than `mtu` and its
    headers only where no sign (see `giants`) says that it was not one on the wire. Raises CaptureError for
    what is no capture, for a limit passed, and where the file changes underneath.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        mtu: int = 1500,
        max_wire: int = MAX_WIRE,
        max_frames: int = MAX_FRAMES,
        max_spool: int = MAX_SPOOL,
    ) -> None:
        self._capture = Capture(path)
        self._max_wire = max_wire
        self._max_frames = max_frames
        self._mtu_frame = min(mtu + ETHERNET_HEADER, max_wire)
        self._again = Reread(self._capture.path, unpacked=self._capture.is_gzip)
        self._capture_records = self._capture.records(self._again.spool, max_spool)
        self._segment_sizes = SegmentSizes()
        self._tally = notes.Tally()
        self._at_end = False
        self.skipped: dict[Verdict, int] = {}
        self._index = array("Q")
        self._time = array("Q")
        self._where = array("Q")
        self._captured = array("I")
        self._wire = array("I")
        self._walk = self._arrivals()
        self._failure: CaptureError | None = None

    @property
    def path(self) -> Path:
        """The capture's path."""
        return self._capture.path

    @property
    def format(self) -> str:
        """The format in words, as "gzip of pcap, little endian, ns"."""
        return self._capture.format

    @property
    def seen(self) -> int:
        """How many frames were found so far."""
        return len(self._index)

    @property
    def at_end(self) -> bool:
        """Whether the file was read to its end, so that `seen`, `skipped`, `problem` and notes are final."""
        return self._at_end

    @property
    def problem(self) -> Problem | None:
        """Where and how the file broke off, once that place was reached."""
        return self._capture.problem

    def notes(self) -> list[str]:
        """Return a sentence for each kind of record left out and each oddity, as far as the file was read."""
        span_ns = self._time[-1] if self._time else 0
        return notes.sentences(self._tally, len(self._index), span_ns, self._at_end)

    def get(self, position: int) -> Arrival | None:
        """Return the frame at a position, counted from 0, or None past the end."""
        seen = len(self._index)
        if position < seen:
            if position < 0:
                raise IndexError(f"frame {position}")
            return self._indexed(position)
        while position > seen:
            if self._next() is None:
                return None
            seen += 1
        return self._next()

    def __iter__(self) -> Iterator[Arrival]:
        position = 0
        while (arrival := self.get(position)) is not None:
            yield arrival
            position += 1

    def _next(self) -> Arrival | None:
        """Read on to the next frame."""
        if self._failure is not None:
            raise self._failure
        try:
            return next(self._walk, None)
        except CaptureError as failure:
            self._failure = failure
            raise

    def _arrivals(self) -> Generator[Arrival, None, None]:
        """Yield the frames in order and index them; written out flat, as each frame comes by here."""
        new, note_syn = tuple.__new__, self._segment_sizes.note
        clock = ArrivalClock(self._tally)
        add_index, add_time, add_where = self._index.append, self._time.append, self._where.append
        add_captured, add_wire = self._captured.append, self._wire.append
        longest, left = self._mtu_frame, self._max_frames
        stamp_before, t_ns = None, 0
        for index, stamp, data, wire_len, link_type, _, remark, where in self._capture_records:
            if link_type != ETHERNET or not ETHERNET_HEADER <= wire_len <= longest:
                verdict = self._judge(data, wire_len, link_type)
                if verdict is not Verdict.FRAME:
                    self.skipped[verdict] = count = self.skipped.get(verdict, 0) + 1
                    if count > MOST_SKIPPED:
                        raise self._too_few(where)
                    continue
            if data.find(MSS_OPTION, 34, 240) >= 0:
                note_syn(data)
            captured = len(data)
            if captured != wire_len or wire_len < _SHORTEST_SENT:
                self._note_lengths(captured, wire_len)
                data = data[:wire_len]
            if stamp != stamp_before or stamp is None:
                t_ns = clock.arrival(stamp)
                stamp_before = stamp
            if not left:
                raise self._too_many()
            left -= 1
            add_index(index)
            add_time(t_ns)
            add_where(where)
            add_captured(captured)
            add_wire(wire_len)
            yield new(Arrival, (index, t_ns, data, wire_len, remark))
        self._at_end = True

    def _judge(self, data: bytes, wire_len: int, link_type: int) -> Verdict:
        """Decide on a record that is not plainly a frame, and count it unless it is one."""
        if link_type != ETHERNET:
            self._tally.foreign[link_type] += 1
            return Verdict.NOT_ETHERNET
        if wire_len < ETHERNET_HEADER:
            self._tally.no_frame(wire_len)
            return Verdict.IMPOSSIBLE
        if wire_len <= self._max_wire:
            if wire_len <= self._mtu_frame + TAG * count_tags(data):
                return Verdict.FRAME
            if not self._segment_sizes.never_one_frame(data, wire_len):
                return Verdict.FRAME
        elif not _could_be_merged(data, wire_len):
            self._tally.no_frame(wire_len)
            return Verdict.IMPOSSIBLE
        self._tally.giant(wire_len)
        return Verdict.SUPER_PACKET

    def _note_lengths(self, captured: int, wire_len: int) -> None:
        if captured < wire_len:
            self._tally.partial += 1
        elif captured > wire_len:
            self._tally.overlong += 1
        if wire_len < _SHORTEST_SENT:
            self._tally.unpadded += 1

    def _too_few(self, where: int) -> CaptureError:
        name = shown(self.path)
        return CaptureError(
            f"{name}: byte {where:,}: more than {MOST_SKIPPED:,} records that are no frames; given up here"
        )

    def _too_many(self) -> CaptureError:
        name = shown(self.path)
        return CaptureError(f"{name}: more than {self._max_frames:,} frames, the limit; cut the capture into pieces")

    def _indexed(self, position: int) -> Arrival:
        wire_len, captured = self._wire[position], self._captured[position]
        data = self._again.bytes_at(self._where[position], min(captured, wire_len))
        remark = overlong_remark(captured, wire_len) if captured > wire_len else ""
        return Arrival(self._index[position], self._time[position], data, wire_len, remark)

    def close(self) -> None:
        """Close all files; the temporary one is gone with that."""
        self._walk.close()
        self._capture_records.close()
        self._again.close()

    def __enter__(self) -> Frames:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _could_be_merged(data: bytes, wire_len: int) -> bool:
    """Tell whether a record longer than any frame can be a packet inside a host: its IP length agrees."""
    packet = innermost(data, wire_len)
    return packet is not None and packet.length_fits and packet.end > MAX_WIRE and wire_len <= _MAX_GSO


def require_some(frames: Frames) -> None:
    """Raise CaptureError, saying why, unless there is at least one frame to replay."""
    if frames.get(0) is not None:
        return
    reasons = frames.notes()
    if frames.problem is not None:
        reasons.append(frames.problem.sentence)
    if not reasons:
        raise CaptureError(f"{shown(frames.path)}: holds no packets")
    raise CaptureError(f"{shown(frames.path)}: holds no frame to replay; {'; '.join(reasons)}")
