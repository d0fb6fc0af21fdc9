"""The words that say what arrives: traffic, rate, flows, burst, gap, order, loss."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.errors import ScenarioError, quoted, shown
from rxviz.model.frame import TAG_LEN
from rxviz.run.capture_word import locate
from rxviz.run.segment_words import MAX_SEGMENTS, SHAPE, Segment, parse_segments

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario

WIRE_OVERHEAD = 24
"""Preamble, start of frame, FCS and the gap between frames, in bytes."""
MAX_FRAMES = 10_000_000
MAX_VLAN = 4094
HEADERS = {"tcp": 66, "udp": 42, "vxlan": 116, "tcp6": 86, "udp6": 62}
"""Bytes in front of the payload: TCP with timestamps; VXLAN with a TCP frame inside."""
_TRAFFIC = re.compile(r"(tcp|udp|vxlan|tcp6|udp6):(\d{1,6})(p?)x(\d{1,9})", re.ASCII)
_RATE = re.compile(r"(\d{1,12})(pps|kpps|mbit|gbit)", re.ASCII)
_PER_SECOND = {"pps": 1, "kpps": 1_000, "mbit": 1_000_000, "gbit": 1_000_000_000}


@dataclass(frozen=True, slots=True)
class TrafficSpec:
    """Frames of `size` bytes (without FCS), `count` of them; or the frames of a capture.

    `gap_ns` is the time from the start of one frame to that of the next within a burst; `burst` frames come back to
    back and then the wire is idle for `pause_ns` (burst 0: no pauses). `swap`, `shuffle` and `order` (the numbers of
    the frames) change the order; `loss_percent` and `lost` leave frames out. `segments` are made one by one. `vlan` is
    the id in the tag of every frame, 0 where there is none; the tag makes a frame 4 bytes longer than `size`.
    """

    kind: str
    size: int = 0
    count: int = 0
    capture: str = ""
    gap_ns: int = 0
    burst: int = 0
    pause_ns: int = 0
    flows: int = 1
    swap: int = 0
    shuffle: int = 0
    loss_percent: int = 0
    lost: frozenset[int] = frozenset()
    order: tuple[int, ...] = ()
    segments: tuple[Segment, ...] = ()
    vlan: int = 0


def parse_traffic(s: Scenario) -> TrafficSpec:
    """Take the words apart; raise ScenarioError with one sentence."""
    if s.traffic.startswith("capture:"):
        _refuse_generator_words(s)
        return TrafficSpec("capture", capture=locate(s.traffic.removeprefix("capture:")))
    kind, size, count, segments = _frames(s.traffic)
    if segments and s.flows != 1:
        raise ScenarioError("flows= and traffic=segs:… are both given; segments name their connections themselves")
    if not 1 <= s.flows <= 1024:
        raise ScenarioError(f"flows={s.flows} is out of range: 1 to 1,024")
    if s.burst > MAX_FRAMES or s.gap > 10**12:
        raise ScenarioError("burst= or gap= is too large: at most 10,000,000 frames, and 10^12 ns")
    if bool(s.burst) != bool(s.gap):
        raise ScenarioError("burst= and gap= go together: so many frames back to back, then so many ns of idle wire")
    swap, shuffle, order = _order(s.order, count)
    percent, lost = _loss(s.loss)
    if not 0 <= s.vlan <= MAX_VLAN:
        raise ScenarioError(f"vlan={s.vlan} is out of range: 1 to {MAX_VLAN:,}, or 0 for frames without a tag")
    gap_ns = frame_ns(s.rate, size + (TAG_LEN if s.vlan else 0), s.rules.line_bits)
    return TrafficSpec(
        kind, size, count, gap_ns=gap_ns, burst=s.burst, pause_ns=s.gap, flows=s.flows, swap=swap,
        shuffle=shuffle, loss_percent=percent, lost=lost, order=order, segments=segments, vlan=s.vlan,
    )  # fmt: skip


def _frames(traffic: str) -> tuple[str, int, int, tuple[Segment, ...]]:
    """Return the kind, the frames' size and number, and the segments that are made one by one."""
    if (one_by_one := SHAPE.fullmatch(traffic)) is not None:
        size = _size("tcp", int(one_by_one[1]), bool(one_by_one[2]))
        segments = parse_segments(one_by_one[3])
        return "segs", size, len(segments), segments
    found = _TRAFFIC.fullmatch(traffic)
    if found is None:
        kinds = ", ".join(HEADERS)
        raise ScenarioError(
            f"traffic={quoted(traffic, 40)} is not KIND:SIZExCOUNT, e.g. tcp:1514x12 or udp:64px1000; kinds: {kinds};"
            " segs:SIZE:1,1,2p makes segments one by one"
        )
    kind, count = found[1], int(found[4])
    size = _size(kind, int(found[2]), bool(found[3]))
    if not 1 <= count <= MAX_FRAMES:
        raise ScenarioError(f"{count:,} frames are out of range: 1 to {MAX_FRAMES:,}")
    return kind, size, count, ()


def _size(kind: str, number: int, is_payload: bool) -> int:
    """Return how long the frames are."""
    least = HEADERS[kind]
    size = least + number if is_payload else number
    if not max(60, least) <= size <= 16_000:
        raise ScenarioError(
            f"a {kind} frame of {size:,} bytes is out of range: {max(60, least)} to 16,000, headers are {least}"
        )
    return size


def frame_ns(rate: str, size: int, line_bits: int) -> int:
    """Return the time from the start of one frame to that of the next, in ns, on a wire of `line_bits` bit/s."""
    wire_ns = -(-(size + WIRE_OVERHEAD) * 8 * 1_000_000_000 // line_bits)
    if rate == "line":
        return wire_ns
    found = _RATE.fullmatch(rate)
    if found is None or not int(found[1]):
        raise ScenarioError(
            f"rate={shown(rate, 40)} is not known: line, or a number with pps, kpps, mbit or gbit, e.g. 590kpps"
        )
    number = int(found[1]) * _PER_SECOND[found[2]]
    per_frame = 1 if found[2].endswith("pps") else size * 8
    return max(per_frame * 1_000_000_000 // number, wire_ns)


def _order(order: str, count: int) -> tuple[int, int, tuple[int, ...]]:
    """Return how many frames swap and shuffle go over, and the order where it is given frame by frame."""
    name, colon, number = order.partition(":")
    if order == "sent":
        return 0, 0, ()
    if colon and name in ("swap", "shuffle") and 2 <= _small_number(number) <= 4096:
        return (int(number), 0, ()) if name == "swap" else (0, int(number), ())
    numbers = tuple(map(_small_number, order.split(",")))
    if -1 in numbers:
        raise ScenarioError(
            f"order={shown(order, 40)} is not known: sent, swap:N (every N-th pair), shuffle:N (within N frames),"
            " N from 2 to 4,096; or the number of each frame: 1,0,2"
        )
    if count > MAX_SEGMENTS or sorted(numbers) != list(range(count)):
        raise ScenarioError(
            f"order={shown(order, 40)} must name each frame once, from 0 on; {count:,} arrive,"
            f" and up to {MAX_SEGMENTS} can be put in order"
        )
    return 0, 0, numbers


def _loss(loss: str) -> tuple[int, frozenset[int]]:
    if loss == "none":
        return 0, frozenset()
    number = loss.removesuffix("%")
    if loss.endswith("%") and 0 <= _small_number(number) <= 100:
        return int(number), frozenset()
    parts = loss.split(",")
    if all(_small_number(part) >= 0 for part in parts):
        return 0, frozenset(int(part) for part in parts)
    raise ScenarioError(
        f"loss={shown(loss, 40)} is not known: none, a percentage such as 5%, or the numbers of the lost frames: 3,7"
    )


def _small_number(text: str) -> int:
    """Return a whole number of up to eight ASCII digits, -1 when the text is none."""
    return int(text) if len(text) < 9 and text.isascii() and text.isdigit() else -1


def _refuse_generator_words(s: Scenario) -> None:
    defaults = {"flows": 1, "burst": 0, "gap": 0, "order": "sent", "loss": "none", "vlan": 0}
    for key, default in defaults.items():
        if getattr(s, key) != default:
            raise ScenarioError(f"{key}= makes frames; with a capture the file says what arrives")
