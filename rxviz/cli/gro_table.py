"""What GRO made of a capture as a table that a person reads, written as the frames go by."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from shutil import get_terminal_size
from textwrap import wrap
from typing import Any

from rxviz.model.gro.rules import RULES
from rxviz.model.gro.trace import Verdict
from rxviz.run.gro import Entry, FrameEntry, GroReplay

NARROW, WIDE = 80, 120
_LEFT = 51
"""Columns before the reason."""
_VERDICTS = {
    Verdict.MERGED_FREE: "joined a held packet, its sk_buff was freed",
    Verdict.MERGED: "joined a held packet, sk_buff and all",
    Verdict.HELD: "waits for frames that continue it",
    Verdict.NORMAL: "goes to the stack as it came",
}
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


def label(rule_name: str) -> str:
    """Return a rule's sentence without the values of one case."""
    rule = RULES[rule_name]
    start, brace, rest = rule.fails.partition("{")
    if not brace:
        return rule.fails
    if ": " in start:
        return start.partition(": ")[0]
    return start.rstrip() if rest == "new}" else f"not so: {rule.asks}"


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


def _row(poll: int, skb: int, packet: dict[str, Any]) -> _Row:
    payload, truesize = packet["payload"], packet["truesize"]
    return _Row(poll, skb, packet["frames"], packet["segs"], (payload, payload), (truesize, truesize), packet["left"])


def _span(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return min(one[0], other[0]), max(one[1], other[1])


def _shown(span: tuple[int, int]) -> str:
    least, most = span
    return f"{least:,}" if least == most else f"{least}-{most}"


class Sums:
    """What all frames and skbs came to."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.ends: Counter[str] = Counter()
        self.frames_ended: Counter[str] = Counter()

    def frame(self, entry: FrameEntry) -> None:
        """Count a frame's verdict."""
        self.verdicts[entry.decision.verdict] += 1

    def packet(self, packet: dict[str, Any]) -> None:
        """Count why an skb left."""
        self.ends[packet["rule"]] += 1
        self.frames_ended[packet["rule"]] += len(packet["frames"])

    def lines(self, polls: int) -> Iterator[str]:
        """Yield the sums as lines."""
        frames, skbs = self.verdicts.total(), self.ends.total()
        yield f"{'frames':<12}{frames:>9,}   in {polls:,} poll{'' if polls == 1 else 's'}"
        yield f"{'skbs':<12}{skbs:>9,}" + (f"   merge factor {frames / skbs:.2f} (frames to an skb)" if skbs else "")
        heading = "verdicts"
        for verdict, meaning in _VERDICTS.items():
            if self.verdicts[verdict]:
                yield f"{heading:<12}{self.verdicts[verdict]:>9,}   {verdict.name:<12} {meaning}"
                heading = ""
        if skbs:
            yield ""
            yield f"{'':12}{'skbs':>9}{'frames':>9}   why they ended"
        for rule, count in sorted(self.ends.items(), key=lambda item: (-item[1], item[0])):
            yield f"{'':12}{count:>9,}{self.frames_ended[rule]:>9,}   {label(rule)}"


def table(title: str, replay: GroReplay, entries: Iterable[Entry]) -> Iterator[str]:
    """Yield the lines: what it is, a row an skb as it leaves, and the sums."""
    sums, columns = Sums(), width()
    yield title
    yield from wrap(_settings(replay), columns)
    yield ""
    yield f"{'poll':>4} {'skb':>5}  {'frames':<11} {'segs':>5} {'payload':>9} {'truesize':>9}  why it ended"
    poll_before = 0
    for row in _rows(replay, entries, sums):
        yield from _lines(row, row.poll != poll_before, columns)
        poll_before = row.poll
    yield ""
    yield from sums.lines(replay.polls)


def footnote() -> Iterator[str]:
    """Yield what the numbers rest on."""
    yield ""
    yield from wrap(_FOOTNOTE, NARROW)


def _settings(replay: GroReplay) -> str:
    options = replay.options
    return (
        f"Linux {options.kernel}, {options.poll} frame{'s' if options.poll > 1 else ''} to a poll, layout"
        f" {options.layout}, hash {options.hash}, checksums {options.checksums}"
    )


def _rows(replay: GroReplay, entries: Iterable[Entry], sums: Sums) -> Iterator[_Row]:
    """Count everything, and yield the rows, like ones in one."""
    waiting: _Row | None = None
    skb = 0
    for entry in entries:
        if isinstance(entry, FrameEntry):
            sums.frame(entry)
            continue
        packet = entry.as_json()
        sums.packet(packet)
        row = _row(replay.polls, skb, packet)
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
