from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rxviz.wire import build
from rxviz.wire.headlen import header_length
from tests.wire.frames import ARP, LLDP, MACS, eth, gre, ipv4, ipv6, tcp, udp, vxlan

BODY = bytes(400)
PPP_IPV4 = bytes.fromhex("1100 0001 0300 0021")
HOP = bytes.fromhex("06 00 0104 00000000")
INNER = eth(0x0800, ipv4(6, tcp(BODY)))

PLAIN = {
    "tcp": (eth(0x0800, ipv4(6, tcp(BODY))), 54),
    "tcp with timestamps": (build.tcp4(BODY, tsval=1, tsecr=2), 66),
    "tcp with 40 bytes of options": (eth(0x0800, ipv4(6, tcp(BODY, words=15))), 94),
    "tcp whose doff is too small counts 20": (eth(0x0800, ipv4(6, tcp(BODY, words=1))), 54),
    "udp": (build.udp4(BODY), 42),
    "icmp": (eth(0x0800, ipv4(1, BODY)), 42),
    "igmp": (eth(0x0800, ipv4(2, BODY)), 42),
    "sctp": (eth(0x0800, ipv4(132, BODY)), 46),
    "dccp": (eth(0x0800, ipv4(33, BODY)), 46),
    "udp-lite": (eth(0x0800, ipv4(136, BODY)), 42),
    "unknown protocol": (eth(0x0800, ipv4(200, BODY)), 34),
    "ipv4 options": (build.udp4(BODY, ip_options=b"\x94\x04\0\0"), 46),
    "ipv4 version is not looked at": (eth(0x0800, b"\x05" + ipv4(6, tcp(BODY))[1:]), 54),
    "ipv4 header length too small": (eth(0x0800, b"\x44" + ipv4(6, tcp(BODY))[1:]), 14),
    "a protocol number that only ipv6 reads as an extension": (eth(0x0800, ipv4(60, BODY)), 34),
    "vlan udp": (build.vlan(build.udp4(BODY), 5), 46),
    "vlan tcp with timestamps": (build.vlan(build.tcp4(BODY, tsval=1), 5), 70),
    "qinq": (build.vlan(build.vlan(build.udp4(BODY), 5), 6, tpid=0x88A8), 50),
    "three tags": (build.vlan(build.vlan(build.vlan(build.udp4(BODY), 5), 6), 7), 54),
    "pppoe": (eth(0x8864, PPP_IPV4 + ipv4(6, tcp(BODY))), 62),
    "pppoe of a wrong version": (eth(0x8864, b"\x21" + PPP_IPV4[1:] + ipv4(6, tcp(BODY))), 14),
    "pppoe control": (eth(0x8864, PPP_IPV4[:6] + b"\xc0\x21" + BODY), 22),
    "ipv6 tcp": (build.tcp6(BODY), 74),
    "ipv6 tcp with timestamps": (build.tcp6(BODY, tsval=1), 86),
    "ipv6 udp": (build.udp6(BODY), 62),
    "icmpv6": (eth(0x86DD, ipv6(58, BODY)), 62),
    "ipv6 hop options": (build.tcp6(BODY, extensions=((0, HOP),)), 82),
    "ipv6 two extensions": (build.udp6(BODY, extensions=((0, HOP), (60, b"\0\1" + bytes(14)))), 62 + 8 + 16),
    "ipv6 first fragment": (build.udp6(BODY, extensions=((44, bytes.fromhex("0000000100000007")),)), 70),
    "ipv6 later fragment": (build.udp6(BODY, extensions=((44, bytes.fromhex("0000000900000007")),)), 62),
    "ipv6 authentication is not followed": (build.udp6(BODY, extensions=((51, bytes(16)),)), 54),
    "first fragment": (eth(0x0800, ipv4(17, udp(BODY), fragment=0x2000)), 42),
    "later fragment": (eth(0x0800, ipv4(17, udp(BODY), fragment=0x0010)), 34),
    "vxlan ends at the outer udp": (build.vxlan(INNER, 42), 42),
    "ipip": (eth(0x0800, ipv4(4, ipv4(6, tcp(BODY)))), 74),
    "6in4": (eth(0x0800, ipv4(41, ipv6(17, udp(BODY)))), 82),
    "4in6": (eth(0x86DD, ipv6(4, ipv4(17, udp(BODY)))), 82),
    "gre": (eth(0x0800, ipv4(47, gre(0x0800, ipv4(6, tcp(BODY))))), 78),
    "gre with checksum, key and sequence": (
        eth(0x0800, ipv4(47, gre(0x0800, ipv4(6, tcp(BODY)), flags=0xB000, extra=bytes(12)))),
        90,
    ),
    "gre with ethernet": (eth(0x0800, ipv4(47, gre(0x6558, INNER))), 92),
    "gre with routing": (eth(0x0800, ipv4(47, gre(0x0800, BODY, flags=0x4000))), 34),
    "gre version 2": (eth(0x0800, ipv4(47, gre(0x0800, BODY, flags=2))), 34),
    "gre with something unknown": (eth(0x0800, ipv4(47, gre(0x88CC, BODY))), 38),
    "pptp": (
        eth(
            0x0800,
            ipv4(47, gre(0x880B, ipv4(6, tcp(BODY)), flags=0x3081, extra=bytes(12) + b"\xff\x03\0\x21")),
        ),
        34 + 16 + 4 + 40,
    ),
    "mpls": (eth(0x8847, BODY), 18),
    "ptp": (eth(0x88F7, BODY), 48),
    "fcoe": (eth(0x8906, BODY), 52),
    "hsr": (eth(0x892F, bytes(4) + b"\x08\0" + ipv4(17, udp(BODY))), 48),
    "arp": (ARP, 14),
    "lldp": (LLDP, 14),
    "802.3 length": (eth(60, bytes(60)), 14),
    "a first fragment is remembered inside a tunnel": (
        eth(0x0800, ipv4(4, ipv4(17, udp(BODY), fragment=0x0010), fragment=0x2000)),
        62,
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_vectors(name: str) -> None:
    frame, expected = PLAIN[name]
    assert header_length(frame, 256) == expected
    assert header_length(memoryview(frame), 2048) == expected
    assert header_length(bytearray(frame), expected) == expected


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (0, 0),
        (5, 5),
        (13, 13),
        (14, 14),
        (33, 14),
        (34, 34),
        (46, 34),
        (47, 47),
        (54, 54),
        (60, 60),
        (66, 66),
    ],
)
def test_cut_short(seen: int, expected: int) -> None:
    # Below 34 the IP header is not there; up to 46 its TCP data offset, byte 46, is not.
    frame = build.tcp4(BODY, tsval=1)
    assert header_length(frame, seen) == expected
    assert header_length(frame[:seen], 256) == expected


def test_options_past_the_limit_are_clipped() -> None:
    assert header_length(eth(0x0800, ipv4(6, tcp(BODY), options=bytes(40))), 50) == 50


def test_tunnels_are_followed_fifteen_times() -> None:
    body = ipv4(6, tcp(BODY))
    for _ in range(20):
        body = ipv4(4, body)
    # The first IPv4 header is free, fifteen more are allowed; the protocol of the last is 4: no L4 length.
    assert header_length(eth(0x0800, body), 2048) == 14 + 16 * 20


def test_a_negative_limit_is_nothing() -> None:
    assert header_length(INNER, -1) == 0


@given(st.binary(max_size=120), st.integers(0, 300))
@example(MACS + b"\x08\0" + b"\x4f" + bytes(60), 256)
def test_any_bytes(data: bytes, limit: int) -> None:
    length = header_length(data, limit)
    assert 0 <= length <= min(limit, len(data))
    if min(limit, len(data)) >= 14:
        assert length >= 14


@given(st.sampled_from(sorted(PLAIN)), st.data())
def test_damaged_frames(name: str, data: st.DataObject) -> None:
    frame = bytearray(PLAIN[name][0][:160])
    frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    frame = frame[: data.draw(st.integers(0, len(frame)))]
    length = header_length(frame, 128)
    assert length <= min(len(frame), 128)
    # A tag sends the frame past the short cut for plain frames; both ways must see the same.
    if len(frame) >= 14:
        assert header_length(build.vlan(bytes(frame), 5), 132) == length + 4


def test_vxlan_by_hand_is_the_same() -> None:
    assert header_length(eth(0x0800, ipv4(17, udp(vxlan(INNER), dport=4789))), 256) == 42
