from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.wire import build
from rxviz.wire.flow import checksum_verdicts, flow_key
from tests.wire.frames import ARP, LLDP, MACS, eth, gre, ipv4, tcp, udp
from tests.wire.test_layers import FRAMES

V4 = bytes((10, 0, 0, 2, 10, 0, 0, 9))
PORTS = (5001).to_bytes(2, "big") + (40112).to_bytes(2, "big")
ROUTING = bytes.fromhex("0000 04 01 00000000")


def test_the_key_of_a_plain_frame() -> None:
    frame = build.tcp4(b"x")
    for form in (frame, bytearray(frame), memoryview(frame)):
        assert flow_key(form) == ((), 0x0800, V4, 6, PORTS)
        assert hash(flow_key(form)) == hash(flow_key(frame))


def test_what_a_flow_is_made_of() -> None:
    plain = flow_key(build.tcp4(b"x", seq=1))
    assert flow_key(build.tcp4(b"longer", seq=2, ip_id=9, flags="PA", tsval=4)) == plain
    assert flow_key(build.tcp4(ip_options=bytes(4))) == plain
    others = [
        build.tcp4(sport=1),
        build.tcp4(dport=1),
        build.tcp4(src="10.0.0.3"),
        build.tcp4(dst="10.0.0.3"),
        build.udp4(),
        build.vlan(build.tcp4(), 5),
        build.vlan(build.vlan(build.tcp4(), 5), 6),
        build.tcp6(),
        build.udp6(),
        build.tcp6(src="fd00::3"),
        ARP,
        LLDP,
    ]
    assert len({plain, *map(flow_key, others)}) == len(others) + 1


def test_fragments_have_no_ports_and_one_key() -> None:
    first = eth(0x0800, ipv4(17, udp(bytes(8)), fragment=0x2000))
    later = eth(0x0800, ipv4(17, bytes(16), fragment=2))
    assert flow_key(first) == flow_key(later) == ((), 0x0800, V4, 17, b"")


def test_an_ipv6_extension_changes_no_flow() -> None:
    assert flow_key(build.udp6(extensions=((60, bytes(8)),))) == flow_key(build.udp6())


def test_no_ip() -> None:
    assert flow_key(ARP) == ((), 0x0806, MACS, -1, b"")
    assert flow_key(b"abc") == ((), 0, b"abc", -1, b"")


def test_ports_outside_the_datagram_are_not_read() -> None:
    assert flow_key(eth(0x0800, ipv4(6, tcp(), total=22)))[4] == b""


def test_the_outer_flow_of_a_tunnel() -> None:
    inner = build.tcp4(src="10.1.0.2")
    assert flow_key(eth(0x0800, ipv4(47, gre(0x6558, inner)))) == ((), 0x0800, V4, 47, b"")
    assert flow_key(build.vxlan(inner, 1))[2] == bytes((192, 0, 2, 2, 192, 0, 2, 9))


def flipped(frame: bytes, at: int) -> bytes:
    return frame[:at] + bytes((frame[at] ^ 1,)) + frame[at + 1 :]


GOOD = {
    "tcp": (build.tcp4(b"odd", tsval=1), (True, True)),
    "udp": (build.udp4(b"even"), (True, True)),
    "options": (build.tcp4(b"odd", ip_options=b"\1\1\1\0"), (True, True)),
    "vlan": (build.vlan(build.tcp4(b"odd"), 5), (True, True)),
    "padded": (build.pad60(build.tcp4(b"o")), (True, True)),
    "repeating": (build.tcp4(build.payload(1449, 7)), (True, True)),
    "tcp6": (build.tcp6(b"odd"), (None, True)),
    "udp6 with an extension": (build.udp6(b"odd", extensions=((60, bytes(8)),)), (None, True)),
}


@pytest.mark.parametrize("name", GOOD)
def test_good_and_then_one_bit_wrong(name: str) -> None:
    frame, expected = GOOD[name]
    assert checksum_verdicts(frame) == expected
    assert checksum_verdicts(memoryview(frame)) == expected
    at = frame.index(b"\x13\x89") + 2
    assert checksum_verdicts(flipped(frame, at)) == (expected[0], False)


def test_a_wrong_ip_header() -> None:
    assert checksum_verdicts(flipped(build.tcp4(b"x"), 22)) == (False, True)


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        (build.udp4(b"x", checksum=False), (True, None)),
        (build.tcp4(bytes(50))[:80], (True, None)),
        (eth(0x0800, ipv4(17, udp(), fragment=0x2000)), (False, None)),
        (eth(0x0800, ipv4(6, tcp(), total=0)), (False, None)),
        (eth(0x0800, ipv4(1, bytes(16))), (False, None)),
        (eth(0x0800, ipv4(17, b"\0\1\0\2\0\7\1\1")), (False, None)),
        (build.udp6(b"x", extensions=((43, ROUTING),)), (None, None)),
        (build.udp6(b"x", extensions=((43, bytes(8)),)), (None, True)),
        (ARP, (None, None)),
        (b"", (None, None)),
    ],
)
def test_where_there_is_nothing_to_say(frame: bytes, expected: tuple[bool | None, bool | None]) -> None:
    assert checksum_verdicts(frame) == expected


@given(st.binary(max_size=160))
def test_any_bytes(data: bytes) -> None:
    hash(flow_key(data))
    checksum_verdicts(data)


@given(st.sampled_from(sorted(FRAMES)), st.data())
def test_damaged_frames(name: str, data: st.DataObject) -> None:
    frame = bytearray(FRAMES[name][0])
    frame[data.draw(st.integers(0, len(frame) - 1))] = data.draw(st.integers(0, 255))
    frame = frame[: data.draw(st.integers(14, len(frame)))] if len(frame) > 14 else frame
    checksum_verdicts(frame)
    # A tag sends the frame past the short cut for plain frames; both ways must see the same.
    tags, *rest = flow_key(frame)
    if len(frame) >= 14:
        assert flow_key(build.vlan(bytes(frame), 5)) == ((5, *tags), *rest)
