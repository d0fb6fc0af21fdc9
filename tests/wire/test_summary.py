from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.wire import build
from rxviz.wire.summary import Summary, summarise
from tests.wire.frames import ARP, LLDP, MACS, eth, gre, ipv4, ipv6, tcp, udp
from tests.wire.test_layers import FRAMES

INNER = build.tcp4(b"abcd", src="10.1.0.2", seq=9)

LINES = {
    "tcp": (
        build.tcp4(bytes(1448), seq=2897, flags="AP", tsval=1),
        "10.0.0.2:5001 > 10.0.0.9:40112 tcp seq 2897 ack 1 win 229 [PA] 1448 B",
    ),
    "syn": (
        build.tcp4(seq=7, ack=0, flags="S"),
        "10.0.0.2:5001 > 10.0.0.9:40112 tcp seq 7 win 229 [S] 0 B",
    ),
    "udp in a vlan": (
        build.pad60(build.vlan(build.udp4(b"x"), 5)),
        "10.0.0.2:5001 > 10.0.0.9:40112 udp 1 B vlan 5",
    ),
    "ipv6": (build.udp6(b"x"), "[fd00::2]:5001 > [fd00::9]:40112 udp 1 B"),
    "icmp": (eth(0x0800, ipv4(1, bytes(64))), "10.0.0.2 > 10.0.0.9 icmp 56 B"),
    "other protocol": (eth(0x0800, ipv4(132, bytes(64))), "10.0.0.2 > 10.0.0.9 ipv4 64 B"),
    "arp": (ARP, "10.0.0.2 > 10.0.0.9 arp"),
    "lldp": (LLDP, "02:00:00:00:00:02 > 02:00:00:00:00:09 other 46 B"),
    "later fragment": (
        eth(0x0800, ipv4(17, bytes(80), fragment=185)),
        "10.0.0.2 > 10.0.0.9 udp fragment at 1480 80 B",
    ),
    "first fragment": (
        eth(0x0800, ipv4(17, udp(bytes(8)), fragment=0x2000)),
        "10.0.0.2:4000 > 10.0.0.9:53 udp fragment at 0 8 B",
    ),
    "vxlan": (
        build.vxlan(INNER, 42),
        "10.1.0.2:5001 > 10.0.0.9:40112 tcp seq 9 ack 1 win 229 [A] 4 B in vxlan 42 192.0.2.2 > 192.0.2.9",
    ),
    "gre": (
        eth(0x0800, ipv4(47, gre(0x6558, INNER))),
        "10.1.0.2:5001 > 10.0.0.9:40112 tcp seq 9 ack 1 win 229 [A] 4 B in gre 10.0.0.2 > 10.0.0.9",
    ),
    "ipip": (
        eth(0x86DD, ipv6(4, ipv4(17, udp(b"xy")))),
        "10.0.0.2:4000 > 10.0.0.9:53 udp 2 B in ipip fd00::2 > fd00::9",
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_line(name: str) -> None:
    frame, expected = LINES[name]
    assert summarise(frame).line() == expected
    assert summarise(memoryview(bytearray(frame))) == summarise(frame)


def test_every_field_of_tcp() -> None:
    frame = build.vlan(build.tcp4(b"abc", sport=1, dport=2, seq=3, ack=4, window=5, flags="FSRPAUEC"), 9, 3)
    assert summarise(frame) == Summary(
        *("ipv4", "tcp", "10.0.0.2", "10.0.0.9", 1, 2, 3, 4, 5, "FSRPAUEC", 58, 3, 9, None, None, None)
    )


def test_inner_offsets_are_those_of_the_whole_frame() -> None:
    frame = build.vxlan(INNER, 42)
    inner = summarise(frame).inner
    assert inner is not None
    assert frame[inner.payload_offset : inner.payload_offset + inner.payload_length] == b"abcd"


def test_a_length_of_zero_is_the_rest_of_the_frame() -> None:
    assert summarise(eth(0x0800, ipv4(6, tcp(bytes(70000)), total=0))).payload_length == 70000


def test_cut_headers_leave_fields_out() -> None:
    frame = build.tcp4(bytes(100), tsval=1)
    options_cut = summarise(frame[:60])
    assert (options_cut.sport, options_cut.payload_offset, options_cut.payload_length) == (5001, 60, 0)
    tcp_cut = summarise(frame[:53])
    assert (tcp_cut.l4, tcp_cut.sport, tcp_cut.payload_length) == ("tcp", None, 0)
    ip_cut = summarise(frame[:33])
    assert (ip_cut.l3, ip_cut.src) == ("other", "02:00:00:00:00:02")
    assert summarise(b"").line() == "other 0 B"


def test_nesting_is_bounded() -> None:
    frame = INNER
    for _ in range(300):
        frame = build.vxlan(frame, 1)
    depth, found = 0, summarise(frame)
    while found.inner is not None:
        depth, found = depth + 1, found.inner
    assert depth == 4


def test_many_tags_are_bounded() -> None:
    assert summarise(MACS + b"\x81\0\0\1" * 16000).vlan == 1


@given(st.binary(max_size=160))
def test_any_bytes(data: bytes) -> None:
    check(data)


@given(st.sampled_from(sorted(FRAMES)), st.data())
def test_damaged_frames(name: str, data: st.DataObject) -> None:
    frame = bytearray(FRAMES[name][0])
    for _ in range(data.draw(st.integers(0, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    check(bytes(frame[: data.draw(st.integers(0, len(frame)))]))


def check(data: bytes) -> None:
    found: Summary | None = summarise(data)
    while found is not None:
        assert found.line().isprintable()
        assert 0 <= found.payload_offset <= found.payload_offset + found.payload_length <= len(data)
        found = found.inner
