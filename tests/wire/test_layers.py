from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.wire import build
from rxviz.wire.layers import Layer, layers
from rxviz.wire.locate import locate
from tests.wire.frames import ARP, LLDP, MACS, eth, gre, ipv4, ipv6, tcp, udp, vxlan

HOP = bytes.fromhex("0600010400000000")
INNER = eth(0x0800, ipv4(6, tcp(b"abc")))
PPP = bytes.fromhex("1100 0001 002d 0021")

FRAMES = {
    "tcp": (build.tcp4(b"xy", tsval=1), "eth 14 ipv4 20 tcp 32 payload 2"),
    "no payload": (build.tcp4(), "eth 14 ipv4 20 tcp 20"),
    "padding is no layer": (build.pad60(build.udp4(b"x")), "eth 14 ipv4 20 udp 8 payload 1"),
    "qinq": (
        build.vlan(build.vlan(build.udp4(b"x"), 5), 6, tpid=0x88A8),
        "eth 14 vlan 4 vlan 4 ipv4 20 udp 8 payload 1",
    ),
    "ip options": (build.udp4(b"x", ip_options=b"\x94\4\0\0"), "eth 14 ipv4 24 udp 8 payload 1"),
    "ipv6": (build.udp6(b"x"), "eth 14 ipv6 40 udp 8 payload 1"),
    "extensions": (
        build.tcp6(b"x", extensions=((0, HOP), (51, b"\0\2" + bytes(14)), (60, HOP))),
        "eth 14 ipv6 40 ext 8 ext 16 ext 8 tcp 20 payload 1",
    ),
    "atomic fragment": (
        build.udp6(b"x", extensions=((44, bytes(8)),)),
        "eth 14 ipv6 40 ext 8 udp 8 payload 1",
    ),
    "later ipv6 fragment": (
        build.udp6(b"x", extensions=((44, bytes.fromhex("0000000800000001")),)),
        "eth 14 ipv6 40 ext 8 payload 9",
    ),
    "first fragment": (
        eth(0x0800, ipv4(17, udp(b"x"), fragment=0x2000)),
        "eth 14 ipv4 20 udp 8 payload 1",
    ),
    "later fragment": (eth(0x0800, ipv4(17, bytes(16), fragment=1)), "eth 14 ipv4 20 payload 16"),
    "icmp": (eth(0x0800, ipv4(1, bytes(64))), "eth 14 ipv4 20 icmp 8 payload 56"),
    "icmpv6": (eth(0x86DD, ipv6(58, bytes(24))), "eth 14 ipv6 40 icmp6 8 payload 16"),
    "arp": (ARP, "eth 14 arp 28"),
    "lldp": (LLDP, "eth 14 payload 46"),
    "802.3": (eth(3, bytes(46)), "eth 14 payload 3"),
    "pppoe": (
        eth(0x8864, PPP + ipv4(6, tcp(b"abc")) + bytes(9)),
        "eth 14 pppoe 8 ipv4 20 tcp 20 payload 3",
    ),
    "pppoe discovery": (eth(0x8863, bytes.fromhex("11090000 0004") + bytes(40)), "eth 14 pppoe 6 payload 4"),
    "vxlan": (
        build.vxlan(INNER, 5),
        "eth 14 ipv4 20 udp 8 vxlan 8 eth 14 ipv4 20 tcp 20 payload 3",
    ),
    "vxlan without a valid id": (
        eth(0x0800, ipv4(17, udp(vxlan(INNER, flags=0), dport=4789))),
        "eth 14 ipv4 20 udp 8 payload 65",
    ),
    "gre": (
        eth(0x0800, ipv4(47, gre(0x86DD, ipv6(17, udp(b"x")), flags=0x2000, extra=bytes(4)))),
        "eth 14 ipv4 20 gre 8 ipv6 40 udp 8 payload 1",
    ),
    "gre with ethernet": (
        eth(0x0800, ipv4(47, gre(0x6558, INNER))),
        "eth 14 ipv4 20 gre 4 eth 14 ipv4 20 tcp 20 payload 3",
    ),
    "gre with routing": (eth(0x0800, ipv4(47, gre(0x0800, bytes(9), flags=0x4000))), "eth 14 ipv4 20 gre 4"),
    "ipip": (eth(0x0800, ipv4(4, ipv4(17, udp()))), "eth 14 ipv4 20 ipv4 20 udp 8"),
    "6in4": (eth(0x0800, ipv4(41, ipv6(17, udp()))), "eth 14 ipv4 20 ipv6 40 udp 8"),
    "length 0 means to the end": (
        eth(0x0800, ipv4(6, tcp(b"abc"), total=0)),
        "eth 14 ipv4 20 tcp 20 payload 3",
    ),
    "ipv6 length 0 means to the end": (
        eth(0x86DD, ipv6(6, tcp(b"abc"), length=0)),
        "eth 14 ipv6 40 tcp 20 payload 3",
    ),
    "total length below the header": (eth(0x0800, ipv4(6, tcp(), total=19)), "eth 14 ipv4 20"),
    "total length ends inside tcp": (eth(0x0800, ipv4(6, tcp(), total=30)), "eth 14 ipv4 20"),
    "wrong version": (eth(0x0800, ipv6(6, tcp())), "eth 14"),
    "tcp header length too small": (eth(0x0800, ipv4(6, tcp(b"abc", words=4))), "eth 14 ipv4 20 tcp 20"),
    "tcp options cut": (eth(0x0800, ipv4(6, tcp(words=8)[:26])), "eth 14 ipv4 20 tcp 26"),
    "ip options cut": (eth(0x0800, ipv4(6, b"", options=bytes(40))[:30]), "eth 14 ipv4 30"),
    "udp length too small": (eth(0x0800, ipv4(17, udp(b"abc", length=7))), "eth 14 ipv4 20 udp 8"),
    "udp length ends before ip": (
        eth(0x0800, ipv4(17, udp(b"abc", length=9))),
        "eth 14 ipv4 20 udp 8 payload 1",
    ),
    "extension cut": (eth(0x86DD, ipv6(60, b"\x06\7" + bytes(10))), "eth 14 ipv6 40 ext 12"),
    "unknown protocol": (eth(0x0800, ipv4(200, bytes(5))), "eth 14 ipv4 20 payload 5"),
    "thirteen bytes": (MACS + b"\x08", ""),
}


def words(found: list[Layer]) -> str:
    return " ".join(f"{layer.name} {layer.length}" for layer in found)


def check_shape(data: bytes | bytearray, found: list[Layer]) -> None:
    at = 0
    for layer in found:
        assert layer.offset == at
        assert layer.length > 0
        at += layer.length
    assert at <= len(data)
    assert all(layer.name != "payload" for layer in found[:-1])


@pytest.mark.parametrize("name", FRAMES)
def test_vectors(name: str) -> None:
    frame, expected = FRAMES[name]
    for form in (frame, bytearray(frame), memoryview(frame)):
        found = layers(form)
        assert words(found) == expected
        check_shape(frame, found)


def test_another_vxlan_port() -> None:
    frame = build.vxlan(INNER, 5, dport=8472)
    assert words(layers(frame)) == "eth 14 ipv4 20 udp 8 payload 65"
    assert words(layers(frame, vxlan_port=8472)).startswith("eth 14 ipv4 20 udp 8 vxlan 8 eth 14")


def test_many_tags_end_in_payload() -> None:
    frame = MACS + b"\x81\0\0\1" * 4000
    found = layers(frame)
    assert len(found) == 64
    assert found[-1].name == "payload"
    assert sum(layer.length for layer in found) == len(frame)


@given(st.binary(max_size=160))
def test_any_bytes(data: bytes) -> None:
    check_shape(data, layers(data))


@given(st.sampled_from(sorted(FRAMES)), st.data())
def test_damaged_frames(name: str, data: st.DataObject) -> None:
    frame = bytearray(FRAMES[name][0])
    for _ in range(data.draw(st.integers(0, 3))):
        frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    frame = frame[: data.draw(st.integers(0, len(frame)))]
    found = layers(frame)
    check_shape(frame, found)
    place = locate(frame)
    assert (place is None) == (not found)
    if place is None:
        return
    # Two readings of the same rules: the lean one finds the IP header where the full one does.
    ip = next((layer for layer in found if layer.name in ("ipv4", "ipv6")), None)
    transport = next((layer for layer in found if layer.name in ("tcp", "udp", "icmp", "icmp6")), None)
    outer = [layer.name for layer in found]
    if ip is not None and place.proto >= 0:
        assert place.network == ip.offset
        if (
            transport is not None
            and not {"gre", "vxlan"} & set(outer)
            and outer.count("ipv4") + outer.count("ipv6") == 1
        ):
            assert place.transport == transport.offset
    assert place.network <= place.transport <= place.end <= len(frame) or place.proto < 0
