"""What arrives: bytes, times, order and loss of made frames."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.descriptor import IPCS, L4CS
from rxviz.model.frame import Frame
from rxviz.run.engine import make_source
from rxviz.run.scenario import parse_line
from rxviz.run.traffic import MadeFrames
from rxviz.run.traffic_spec import HEADERS
from rxviz.wire import build
from rxviz.wire.dissect import checksum_verdicts

PORT = 40_000
KINDS = sorted(HEADERS)


def frames(words: str) -> list[Frame]:
    source = make_source(parse_line("ixgbe " + words))
    found: list[Frame] = []
    while (frame := source.frame(len(found))) is not None:
        found.append(frame)
    return found


def made(kind: str, size: int, sent: int, flows: int) -> bytes:
    """The frame that leaves the sender as number `sent`, put together in the plain way."""
    turn, flow = divmod(sent, flows)
    length = size - HEADERS[kind]
    body = build.payload(length, sent)
    seq, ip_id = (1 + turn * length) % (1 << 32), turn & 0xFFFF
    port = PORT + flow
    if kind == "udp":
        return build.udp4(body, sport=port, dport=5001, ip_id=ip_id)
    if kind == "udp6":
        return build.udp6(body, sport=port, dport=5001)
    if kind == "tcp6":
        return build.tcp6(body, sport=port, dport=5001, seq=seq, tsval=1000, tsecr=500)
    inner = build.tcp4(body, sport=port, dport=5001, seq=seq, tsval=1000, tsecr=500, ip_id=ip_id)
    return build.vxlan(inner, vni=42) if kind == "vxlan" else inner


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(KINDS), st.integers(60, 9100), st.integers(1, 20), st.integers(1, 7))
def test_every_byte_of_a_made_frame(kind: str, size: int, count: int, flows: int) -> None:
    size = max(size, HEADERS[kind], 60)
    found = frames(f"traffic={kind}:{size}x{count} flows={flows}")
    assert [frame.data for frame in found] == [made(kind, size, sent, flows) for sent in range(count)]
    for frame in found:
        assert frame.wire_len == frame.known == len(frame.data) == size
        ip_good, l4_good = checksum_verdicts(frame.data)
        assert ip_good is not False
        assert l4_good is True
        assert frame.status == L4CS | (0 if kind.endswith("6") else IPCS)


@pytest.mark.parametrize("kind", ["tcp", "udp", "tcp6", "vxlan"])
@pytest.mark.parametrize("sent", [0, 65_535, 65_536, 70_001, 3_000_000])
def test_numbers_wrap_where_their_fields_end(kind: str, sent: int) -> None:
    source = make_source(parse_line(f"ixgbe traffic={kind}:1514x3000001"))
    frame = source.frame(sent)
    assert frame is not None
    assert frame.data == made(kind, 1514, sent, 1)
    assert source.frame(3_000_001) is None


@settings(max_examples=50, deadline=None)
@given(
    st.sampled_from(["sent", "swap:2", "swap:3", "shuffle:2", "shuffle:9"]),
    st.sampled_from(["none", "20%", "0,5"]),
    st.integers(1, 40),
    st.integers(0, 99),
)
def test_a_frame_is_the_same_each_time_and_times_never_go_back(order: str, loss: str, count: int, seed: int) -> None:
    words = f"traffic=tcp:80x{count} flows=3 order={order} loss={loss} seed={seed} burst=3 gap=1000"
    found = frames(words)
    source = make_source(parse_line("ixgbe " + words))
    for i in reversed(range(len(found))):
        again = source.frame(i)
        assert again is not None
        assert (again.data, again.t_ns, again.flow, again.hash) == (
            *(found[i].data, found[i].t_ns, found[i].flow, found[i].hash),
        )
    assert [frame.id for frame in found] == list(range(len(found)))
    assert [frame.t_ns for frame in found] == sorted(frame.t_ns for frame in found)


def test_line_rate_and_bursts() -> None:
    assert [frame.t_ns for frame in frames("traffic=tcp:1514x4")] == [1231, 2462, 3693, 4924]
    assert [frame.t_ns for frame in frames("traffic=tcp:1514x5 burst=2 gap=10000")] == [
        *(1231, 2462, 13_693, 14_924, 26_155)
    ]
    assert [frame.t_ns for frame in frames("traffic=udp:64px3@590kpps")] == [1694, 3388, 5082]


def sent_order(words: str, count: int) -> list[int]:
    """The numbers under which the frames left the sender, in the order in which they arrive."""
    number = {made("tcp", 80, sent, 1): sent for sent in range(count)}
    return [number[frame.data] for frame in frames(f"traffic=tcp:80x{count} {words}")]


@pytest.mark.parametrize(
    ("order", "count", "arrive"),
    [
        ("sent", 5, [0, 1, 2, 3, 4]),
        ("swap:2", 6, [1, 0, 3, 2, 5, 4]),
        ("swap:2", 5, [1, 0, 3, 2, 4]),
        ("swap:4", 10, [1, 0, 2, 3, 5, 4, 6, 7, 9, 8]),
        ("swap:4", 9, [1, 0, 2, 3, 5, 4, 6, 7, 8]),
    ],
)
def test_swapped_pairs(order: str, count: int, arrive: list[int]) -> None:
    assert sent_order(f"order={order}", count) == arrive


def test_a_shuffle_stays_within_its_groups_and_depends_on_the_seed() -> None:
    one = sent_order("order=shuffle:8 seed=1", 30)
    assert sorted(one) == list(range(30))
    assert all(place // 8 == sent // 8 for place, sent in enumerate(one))
    assert one != list(range(30))
    assert one == sent_order("order=shuffle:8 seed=1", 30)
    assert one != sent_order("order=shuffle:8 seed=2", 30)


def test_lost_frames_leave_a_hole_in_time() -> None:
    found = frames("traffic=tcp:80x6 loss=1,4")
    assert [frame.t_ns // 84 for frame in found] == [1, 3, 4, 6]
    assert [frame.id for frame in found] == [0, 1, 2, 3]
    assert sent_order("loss=1,4", 6) == [0, 2, 3, 5]
    assert sent_order("loss=99", 6) == [0, 1, 2, 3, 4, 5]
    # A place on the wire is lost, whoever stands there.
    assert sent_order("loss=0 order=swap:2", 4) == [0, 3, 2]


def test_a_share_of_frames_is_lost_by_the_seed() -> None:
    kept = sent_order("loss=30% seed=5", 1_000)
    assert 600 < len(kept) < 800
    assert kept == sent_order("loss=30% seed=5", 1_000)
    assert kept != sent_order("loss=30% seed=6", 1_000)
    assert frames("traffic=tcp:80x50 loss=100%") == []
    assert len(frames("traffic=tcp:80x50 loss=0%")) == 50


def test_flows_take_turns_and_keep_their_hash() -> None:
    found = frames("traffic=udp:100x9 flows=3")
    assert [frame.flow for frame in found] == [0, 1, 2] * 3
    assert len({frame.hash for frame in found}) == 3
    assert all(frame.hash == found[frame.flow].hash for frame in found)
    assert [int.from_bytes(frame.data[34:36], "big") - PORT for frame in found] == [0, 1, 2] * 3


@pytest.mark.parametrize(
    ("kind", "info"), [("tcp", 0x111), ("udp", 0x212), ("vxlan", 0x212), ("tcp6", 0x143), ("udp6", 0x245)]
)
def test_what_the_nic_says_of_a_packet(kind: str, info: int) -> None:
    """RSS type in bits 3:0 (UDP ports are not hashed by default), packet type above."""
    assert {frame.pkt_info for frame in frames(f"traffic={kind}:200x3")} == {info}


def test_a_long_sequence_with_losses_starts_at_once() -> None:
    """Which frames are lost is found out as they are asked for, not for ten million of them beforehand."""
    source = MadeFrames(parse_line("ixgbe traffic=udp:60x10000000 loss=50%").spec, 3)
    first = [source.frame(i) for i in range(5)]
    assert all(first)
    assert source._looked_at < 100


def test_where_all_is_lost_nothing_arrives_at_once() -> None:
    source = MadeFrames(parse_line("ixgbe traffic=udp:60x10000000 loss=100%").spec, 3)
    assert source.frame(0) is None


# --------------------------------------------------------------------------------------------------- tags, bad frames
def test_a_tag_makes_a_frame_four_bytes_longer_and_later() -> None:
    plain, tagged = frames("traffic=tcp:80x3 flows=2"), frames("traffic=tcp:80x3 flows=2 vlan=291")
    for one, other in zip(plain, tagged, strict=True):
        assert other.data == one.data[:12] + b"\x81\x00\x01\x23" + one.data[12:]
        assert other.wire_len == one.wire_len + 4
        assert (other.tag, one.tag) == (0x8100_0123, 0)
        assert (other.pkt_info, other.hash, other.status) == (one.pkt_info, one.hash, one.status)
        assert other.without_tag().data == one.data
    assert plain[0].t_ns == 84
    assert tagged[0].t_ns == 87


def test_bad_frames_are_those_that_are_named() -> None:
    words = "traffic=tcp:200x9 errors=crc@1,undersize@3-4,oversize@6,length@8-"
    good, bad = frames("traffic=tcp:200x9"), frames(words)
    assert [frame.error for frame in bad] == ["", "crc", "", "undersize", "undersize", "", "", "", "length"]
    assert [frame.wire_len for frame in bad] == [200, 200, 200, 40, 40, 200, 1534, 200, 200]
    assert [frame.t_ns for frame in bad] == [frame.t_ns for frame in good]
    assert bad[1].data == good[1].data
    assert bad[3].data == good[3].data[:40]
    assert bad[6].data == good[6].data + bytes(1334)
