"""What GRO made of a capture as a table that a person reads, written as the frames go by."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from shutil import get_terminal_size
from textwrap import wrap

from rxviz.cli.gro_sums import NARROW, Sums
from rxviz.model.gro.kernel import GroConfig
from rxviz.run.gro import ArrivingFrame, Entry, FrameEntry, GroOptions, GroReplay, PacketEntry
from rxviz.run.gro_forward import Resent

WIDE = 120
_LEFT = 51
"""Columns before the reason."""
_FOOTNOTE = (
    "Rules follow the kernel's source (K). How the frames fall into polls is the model's own (M): so many to a poll,"
    " whatever their times, and what is held leaves at the end of each. Frames and skbs are counted from 0."
)


def width() -> int:
    """Return the columns to fill: 80, or more on a wide terminal."""
    wide = sys.stdout is not None and sys.stdout.isatty()
    return max(NARROW, min(WIDE, get_terminal_size().columns)) if wide else NARROW


def ranges(numbers: Iterable[int]) -> str:
    """Return numbers as a list of ranges: 1-10, 12."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


@dataclass(slots=True)
class _Row:
    """An skb, or several of one frame each that follow one another and ended for the same reason.

    `payload` and `truesize` are the least and the most of them, in bytes.
    """

    poll: int
    skb: int
    frames: list[int]
    segs: int
    payload: tuple[int, int]
    truesize: tuple[int, int]
    left: str
    count: int = 1

    def takes(self, other: _Row) -> bool:
        """Add another row to this one where both are of the same kind."""
        singles = len(other.frames) == 1 and len(self.frames) == self.count
        follows = other.frames[0] == self.frames[-1] + 1 and other.poll == self.poll
        if not (singles and follows and self.left == other.left):
            return False
        self.frames += other.frames
        self.payload = _span(self.payload, other.payload)
        self.truesize = _span(self.truesize, other.truesize)
        self.count += 1
        return True

    def numbers(self) -> str:
        """Return the columns of segments, payload and truesize."""
        segs = f"{self.count}x1" if self.count > 1 else str(self.segs)
        return f"{segs:>5} {_shown(self.payload):>9} {_shown(self.truesize):>9}"


def _row(poll: int, skb: int, entry: PacketEntry) -> _Row:
    packet = entry.as_json()
    payload, truesize, left = packet["payload"], packet["truesize"], packet["left"]
    if entry.changed:
        left = f"{left}; sent on changed: {', '.join(_fields(entry.changed))}"
    return _Row(poll, skb, packet["frames"], packet["segs"], (payload, payload), (truesize, truesize), left)


def _fields(changed: Iterable[Resent]) -> list[str]:
    return list(dict.fromkeys(field for resent in changed for field in resent.fields))


def _span(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])


def _shown(span: tuple[int, int]) -> str:
    least, most = span
    return f"{least:,}" if least == most else f"{least}-{most}"


def table(
    title: str, replay: GroReplay, frames: Iterable[ArrivingFrame], beside: GroReplay | None = None
) -> Iterator[str]:
    """Yield the lines: what it is, a row an skb as it leaves, and the sums; beside them those of another replay."""
    sums, columns = Sums(), width()
    others = Sums() if beside is not None else None
    entries = replay.entries(frames if beside is None or others is None else _both(frames, beside, others))
    yield title
    yield from wrap(_settings(replay), columns)
    yield ""
    yield f"{'poll':>4} {'skb':>5}  {'frames':<11} {'segs':>5} {'payload':>9} {'truesize':>9}  why it ended"
    poll_before = 0
    for row in _rows(replay, entries, sums):
        yield from _lines(row, row.poll != poll_before, columns)
        poll_before = row.poll
    yield ""
    if beside is not None and others is not None:
        _count(others, beside.finish())
    yield from sums.lines(replay.polls, others)
    yield from sums.hints()
    if replay.options.forward:
        yield from sums.forwarded(lro=replay.options.lro)


def _both(frames: Iterable[ArrivingFrame], beside: GroReplay, sums: Sums) -> Iterator[ArrivingFrame]:
    """Pass the frames on, and send each through the other replay too."""
    for frame in frames:
        _count(sums, beside.step(frame))
        yield frame


def _count(sums: Sums, entries: Iterable[Entry]) -> None:
    for entry in entries:
        if isinstance(entry, FrameEntry):
            sums.frame(entry)
        else:
            sums.packet(entry)


def footnote() -> Iterator[str]:
    """Yield what the numbers rest on."""
    yield ""
    yield from wrap(_FOOTNOTE, NARROW)


def _settings(replay: GroReplay) -> str:
    options, config = replay.options, replay.options.config
    said = [f"{options.poll} frame{'s' if options.poll > 1 else ''} to a poll", f"checksums {options.checksums}"]
    if options.lro:
        return ", ".join(["inet_lro as mv643xx_eth had it in Linux 3.9", *said])
    said[:0] = [f"Linux {options.kernel}"]
    said[2:2] = [f"layout {options.layout}", f"hash {options.hash}"]
    said += _asked_for(options, config)
    return ", ".join(said)


def _asked_for(options: GroOptions, config: GroConfig) -> Iterator[str]:
    """Yield what is not as it is by itself."""
    if not options.strip_vlan:
        yield "tags left in the frame"
    for port in config.vxlan_ports:
        yield f"a VXLAN tunnel ends at port {port}"
    for port in sorted(config.udp_gro_ports):
        yield f"a socket with UDP_GRO at port {port}"
    if config.udp_forwarding:
        yield "rx-udp-gro-forwarding on"
    if config.fraglist:
        yield "rx-gro-list on"
    if config.max_size != GroConfig().max_size:
        yield f"gro_max_size {config.max_size:,}"
    for name in sorted(options.off):
        yield f"without {name}"


def _rows(replay: GroReplay, entries: Iterable[Entry], sums: Sums) -> Iterator[_Row]:
    """Count everything, and yield the rows, like ones in one."""
    waiting: _Row | None = None
    skb = 0
    for entry in entries:
        if isinstance(entry, FrameEntry):
            sums.frame(entry)
            continue
        sums.packet(entry)
        row = _row(replay.polls, skb, entry)
        skb += 1
        if waiting is not None and waiting.takes(row):
            continue
        if waiting is not None:
            yield waiting
        waiting = row
    if waiting is not None:
        yield waiting


def _lines(row: _Row, new_poll: bool, columns: int) -> Iterator[str]:
    frames = wrap(ranges(row.frames), 11) or [""]
    why = wrap(row.left, columns - _LEFT) or [""]
    poll = str(row.poll) if new_poll else ""
    yield f"{poll:>4} {row.skb:>5}  {frames[0]:<11} {row.numbers()}  {why[0]}"
    for number in range(1, max(len(frames), len(why))):
        frame = frames[number] if number < len(frames) else ""
        more = why[number] if number < len(why) else ""
        yield f"{'':12}{frame:<{_LEFT - 12}}{more}".rstrip()
