"""Segments made one by one, frames in a given order, and a NIC that verifies no checksum."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from rxviz.errors import ScenarioError
from rxviz.model.frame import Frame
from rxviz.run.engine import make_machine, make_source
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.traffic import CapturedFrames
from rxviz.wire.dissect import checksum_verdicts
from rxviz.wire.summary import summarise


def frames(words: str) -> list[Frame]:
    source = make_source(parse_line("ixgbe " + words))
    found: list[Frame] = []
    while (frame := source.frame(len(found))) is not None:
        found.append(frame)
    if isinstance(source, CapturedFrames):
        source.frames.close()
    return found


def fields(frame: Frame) -> tuple[int, int, int, int, str]:
    """Source port, sequence number, ACK number, payload, flags."""
    data, said = frame.data, summarise(frame.data)
    port, seq, ack = (int.from_bytes(data[at:end], "big") for at, end in ((34, 36), (38, 42), (42, 46)))
    return port, seq, ack, said.payload_length, said.flags


def skbs(words: str) -> list[list[int]]:
    """Which frames each skb at the socket is made of."""
    m = make_machine(parse_line(f"ixgbe ring=64 gro=on reader=off {words}"))
    m.run()
    assert m.napi.polls == 1, "all in one poll"
    return [[frame.id for frame in skb.frames] for skb in m.socket.queue]


def test_each_letter_does_what_it_says() -> None:
    sent = frames("traffic=segs:300p:1,1a,2,1e,1p,1h,1g,1r,2f")
    assert [fields(frame) for frame in sent] == [
        (40_000, 1, 1, 300, "A"),
        (40_000, 301, 101, 300, "A"),
        (40_008, 1, 1, 300, "A"),
        (40_000, 601, 101, 0, "A"),
        (40_000, 601, 101, 300, "PA"),
        (40_000, 901, 101, 150, "A"),
        (40_000, 1351, 101, 300, "A"),
        (40_000, 1351, 101, 300, "A"),
        (40_008, 301, 1, 300, "FA"),
    ]
    windows = [int.from_bytes(frame.data[48:50], "big") for frame in frames("traffic=segs:300p:1,1w,1,1w")]
    assert windows == [229, 230, 230, 229]
    assert all(False not in checksum_verdicts(frame.data) for frame in sent)
    assert all(frame.wire_len == len(frame.data) for frame in sent)
    assert len({frame.hash % 8 for frame in sent}) == 1
    assert len({frame.hash for frame in sent}) == 2


@pytest.mark.parametrize(
    ("segments", "up"),
    [
        ("1,1,2,1,1p,1", [[0, 1, 3, 4], [2], [5]]),
        ("1,1,1a,1", [[0, 1], [2, 3]]),
        ("1,1w,1", [[0], [1, 2]]),
        ("1,1h,1", [[0, 1], [2]]),
        ("1,1e,1", [[0], [1], [2]]),
        ("1,1g,1", [[0], [1, 2]]),
        ("1,1r,1", [[0], [1, 2]]),
        ("1p,1,1", [[0], [1, 2]]),
        ("1,2,3,1,2,3", [[0, 3], [1, 4], [2, 5]]),
    ],
)
def test_what_gro_makes_of_them(segments: str, up: list[list[int]]) -> None:
    assert skbs(f"traffic=segs:300p:{segments}") == up


def test_frames_in_a_given_order() -> None:
    plain = [frame.data for frame in frames("traffic=segs:300p:1,1,2,1p")]
    for order in permutations(range(4)):
        words = ",".join(map(str, order))
        assert [frame.data for frame in frames(f"traffic=segs:300p:1,1,2,1p order={words}")] == [
            plain[number] for number in order
        ]
    again = frames("traffic=tcp:1514x3 order=2,0,1")
    assert [frame.data for frame in again] == [frames("traffic=tcp:1514x3")[number].data for number in (2, 0, 1)]
    assert [frame.t_ns for frame in again] == [frame.t_ns for frame in frames("traffic=tcp:1514x3")]
    assert skbs("traffic=segs:300p:1,1,1 order=2,1,0") == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("traffic=segs:300p:1,x", '"x" is not a segment'),
        ("traffic=segs:300p:1,1pp", '"1pp" is not a segment'),
        ("traffic=segs:300p:1,10", '"10" is not a segment'),
        ("traffic=segs:300p:" + ",".join("1" * 65), "65 segments are too many"),
        ("traffic=segs:20:1", "out of range"),
        ("traffic=segs:300p:1,2 flows=2", "segments name their connections"),
        ("traffic=segs:300p", "is not KIND"),
        ("traffic=tcp:1514x3 order=0,1", "must name each frame once"),
        ("traffic=tcp:1514x3 order=0,1,1", "must name each frame once"),
        ("traffic=tcp:1514x3 order=0,1,x", "is not known"),
        ("traffic=tcp:1514x99 order=" + ",".join(map(str, range(99))), "up to 64"),
        ("rxcsum=maybe", "rxcsum=maybe is not known"),
    ],
)
def test_what_cannot_be_made_is_said(words: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        parse_line("ixgbe " + words)


def test_a_line_with_segments_is_itself_again() -> None:
    line = "ixgbe kernel=6.18 path=build_skb ring=8 mtu=1500 traffic=segs:300p:1,1,2p order=2,0,1 gro=on rxcsum=off"
    assert parse_line(line).line() == line


# ------------------------------------------------------------------------------------------------------------ checksums
def played(words: str) -> dict[str, Any]:
    scenario = parse_line(f"ixgbe ring=64 {words}")
    m = make_machine(scenario)
    m.run()
    return result(scenario, m)


@pytest.mark.parametrize("path", ["legacy", "build_skb"])
@pytest.mark.parametrize("gro", ["on", "off"])
@pytest.mark.parametrize(
    ("traffic", "each", "in_softirq"),
    [("tcp:1514x24", 1480, True), ("udp:64px24", 72, False), ("tcp:66x24", 32, True), ("tcp6:1514x24", 1460, True)],
)
def test_a_checksum_is_added_up_once_by_gro_or_behind_it(
    traffic: str, each: int, in_softirq: bool, gro: str, path: str
) -> None:
    """TCP and UDP header and payload, whoever does it; of UDP without GRO the reader does it as he copies."""
    said = played(f"traffic={traffic} gro={gro} path={path} rxcsum=off")
    assert said["ledger"]["csum_bytes"] == 24 * each
    assert ("csum" in said["cpu_ns"]["by_operation"]) is (in_softirq or gro == "on")
    assert not any(said["lamps"].values())
    honest = played(f"traffic={traffic} gro={gro} path={path}")
    assert honest["ledger"]["csum_bytes"] == 0
    assert honest["skbs"]["delivered"] == said["skbs"]["delivered"] or gro == "on"


def test_the_descriptor_says_that_nobody_looked() -> None:
    assert {frame.status for frame in frames("traffic=tcp:1514x3 rxcsum=off")} == {0}
    assert {frame.status for frame in frames("capture=mixed rxcsum=off")} == {0}
    assert {frame.status for frame in frames("traffic=segs:300p:1,1 rxcsum=off")} == {0}
