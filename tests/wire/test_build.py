from __future__ import annotations

from collections.abc import Callable

import dpkt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.wire import build
from rxviz.wire.dissect import checksum_verdicts, layers, summarise

PORT = st.integers(0, 0xFFFF)
WORD = st.integers(0, 0xFFFFFFFF)
IPV4 = st.ip_addresses(v=4).map(str)
IPV6 = st.ip_addresses(v=6).map(str)
FLAGS = st.sets(st.sampled_from("FSRPAUEC")).map(lambda letters: "".join(sorted(letters, key="FSRPAUEC".index)))
BODY = st.one_of(st.binary(max_size=80), st.builds(build.payload, st.integers(0, 300), st.integers(0, 999)))
VLAN = st.one_of(st.none(), st.integers(0, 4095))
STAMP = st.one_of(st.none(), WORD)
HOP = (0, bytes.fromhex("0000010400000000"))


def test_a_tcp_frame_byte_by_byte() -> None:
    frame = build.tcp4(b"hi", sport=80, dport=1025, seq=1, ack=2, flags="PA", window=512, ip_id=0x1234)
    # Both checksums are added up by hand (the TCP one over 0a000002 0a000009 0006 0016 as well).
    assert frame == bytes.fromhex(
        "020000000009 020000000002 0800"
        "4500002a 12344000 40061490 0a000002 0a000009"
        "00500401 00000001 00000002 50180200 2d030000"
        "6869"
    )


@given(
    *(BODY, IPV4, IPV4, PORT, PORT, WORD, WORD, FLAGS, PORT, STAMP, STAMP),
    *(st.integers(0, 255), PORT, st.integers(0, 255), st.booleans(), st.integers(0, 10), VLAN),
)
def test_tcp4_reads_back(
    body: bytes,
    src: str,
    dst: str,
    sport: int,
    dport: int,
    seq: int,
    ack: int,
    flags: str,
    window: int,
    tsval: int | None,
    tsecr: int | None,
    ttl: int,
    ip_id: int,
    tos: int,
    df: bool,
    words: int,
    vid: int | None,
) -> None:
    plain = build.tcp4(
        body,
        src=src,
        dst=dst,
        sport=sport,
        dport=dport,
        seq=seq,
        ack=ack,
        flags=flags,
        window=window,
        tsval=tsval,
        tsecr=tsecr,
        ttl=ttl,
        ip_id=ip_id,
        tos=tos,
        df=df,
        ip_options=b"\1" * (words * 4),
    )
    header = dpkt.ethernet.Ethernet(plain).data
    assert (header.ttl, header.id, header.tos, bool(header.df)) == (ttl, ip_id, tos, df)
    frame = plain if vid is None else build.vlan(plain, vid)
    found = summarise(frame)
    assert found[:10] == ("ipv4", "tcp", src, dst, sport, dport, seq, ack, window, flags)
    assert found.vlan == vid
    assert frame[found.payload_offset :] == body
    assert found.payload_length == len(body)
    stamps = 0 if tsval is None and tsecr is None else 12
    assert found.payload_offset == 54 + stamps + words * 4 + (0 if vid is None else 4)
    assert checksum_verdicts(frame) == (True, True)


@given(BODY, IPV4, IPV4, PORT, PORT, st.booleans())
def test_udp4_reads_back(body: bytes, src: str, dst: str, sport: int, dport: int, checksum: bool) -> None:
    frame = build.udp4(body, src=src, dst=dst, sport=sport, dport=dport, checksum=checksum)
    found = summarise(frame)
    assert found[:6] == ("ipv4", "udp", src, dst, sport, dport)
    assert frame[42:] == body
    assert checksum_verdicts(frame) == (True, True if checksum else None)


@given(BODY, IPV6, IPV6, PORT, PORT, WORD, FLAGS, STAMP, st.booleans(), VLAN)
def test_tcp6_reads_back(
    body: bytes,
    src: str,
    dst: str,
    sport: int,
    dport: int,
    seq: int,
    flags: str,
    tsval: int | None,
    hop: bool,
    vid: int | None,
) -> None:
    frame = build.tcp6(
        body,
        src=src,
        dst=dst,
        sport=sport,
        dport=dport,
        seq=seq,
        flags=flags,
        tsval=tsval,
        extensions=(HOP,) if hop else (),
    )
    if vid is not None:
        frame = build.vlan(frame, vid)
    found = summarise(frame)
    assert found[:7] == ("ipv6", "tcp", src, dst, sport, dport, seq)
    assert (found.flags, found.vlan) == (flags, vid)
    assert frame[found.payload_offset : found.payload_offset + found.payload_length] == body
    assert checksum_verdicts(frame) == (None, True)


@given(BODY, IPV6, IPV6, PORT, PORT, st.integers(0, 255), st.integers(0, (1 << 20) - 1))
def test_udp6_reads_back(body: bytes, src: str, dst: str, sport: int, dport: int, tos: int, flow_label: int) -> None:
    frame = build.udp6(body, src=src, dst=dst, sport=sport, dport=dport, tos=tos, flow_label=flow_label)
    found = summarise(frame)
    assert found[:6] == ("ipv6", "udp", src, dst, sport, dport)
    header = dpkt.ethernet.Ethernet(frame).data
    assert (header.fc, header.flow) == (tos, flow_label)
    assert frame[62:] == body
    assert checksum_verdicts(frame) == (None, True)


@given(BODY, st.integers(0, (1 << 24) - 1), PORT, st.booleans())
def test_vxlan_reads_back(body: bytes, vni: int, sport: int, checksum: bool) -> None:
    inner = build.tcp4(body, sport=sport)
    frame = build.vxlan(inner, vni, checksum=checksum)
    assert len(frame) == len(inner) + 50
    assert frame.endswith(inner)
    found = summarise(frame)
    assert found.tunnel == f"vxlan {vni}"
    assert found.inner is not None
    assert found.inner.sport == sport
    assert found.sport is not None
    assert found.sport >= 49152
    assert checksum_verdicts(frame) == (True, True if checksum else None)


def test_the_source_port_of_vxlan_is_that_of_the_inner_flow() -> None:
    def port(inner: bytes) -> int | None:
        return summarise(build.vxlan(inner, 1)).sport

    assert port(build.tcp4(b"a", seq=1)) == port(build.tcp4(b"b", seq=2)) == port(build.tcp4())
    assert port(build.tcp4(sport=1)) != port(build.tcp4(sport=2))
    # A number that holds on every machine and for every Python, or replays would differ.
    assert port(build.tcp4()) == 54997


def test_vlan_tag() -> None:
    frame = build.vlan(build.udp4(), 0x123, 5, tpid=0x88A8)
    assert frame[12:18] == bytes.fromhex("88a8 a123 0800")


def test_the_timestamps_option() -> None:
    frame = build.tcp4(b"x", tsval=0x11223344, tsecr=0x55667788)
    assert frame[54:66] == bytes.fromhex("0101080a 11223344 55667788")
    assert build.tcp4(tsecr=1)[54:66] == bytes.fromhex("0101080a 00000000 00000001")
    assert build.tcp4(options=b"\2\4\5\xb4\1")[54:] == b"\2\4\5\xb4\1\0\0\0"


def test_counters_wrap() -> None:
    found = summarise(build.tcp4(seq=(1 << 32) + 5, ack=-1, ip_id=70000))
    assert (found.seq, found.ack) == (5, 0xFFFFFFFF)


def test_pad60() -> None:
    assert build.pad60(build.udp4(b"x")) == build.udp4(b"x") + bytes(17)
    long = build.udp4(bytes(100))
    assert build.pad60(long) == long


def test_no_builder_pads() -> None:
    assert [len(frame) for frame in (build.tcp4(), build.udp4(), build.tcp6(), build.udp6())] == [
        54,
        42,
        74,
        62,
    ]
    assert len(build.tcp4(bytes(1448), tsval=1)) == 1514


def test_payload_says_whose_it_is() -> None:
    assert build.payload(40, 27) == b"#27 BBBBBBBBBBBB#27 BBBBBBBBBBBB#27 BBBB"
    assert build.payload(5, 0) == b"#0 AA"
    assert build.payload(0, 3) == b""
    assert build.payload(16, 10**20) == b"#100000000000000"


@given(st.integers(0, 5000), st.integers(0, 100_000))
def test_payload_length_and_period(length: int, mark: int) -> None:
    data = build.payload(length, mark)
    assert len(data) == length
    assert data[16:] == data[: max(0, length - 16)]


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        (lambda: build.tcp4(src="10.0.0"), "10.0.0"),
        (lambda: build.tcp6(src="10.0.0.2"), "IPv6"),
        (lambda: build.udp4(src_mac="02:00"), "MAC"),
        (lambda: build.udp4(dst_mac="02:00:00:00:00:zz"), "MAC"),
        (lambda: build.tcp4(flags="X"), "X"),
        (lambda: build.tcp4(sport=70000), "fit"),
        (lambda: build.udp4(ttl=-1), "fit"),
        (lambda: build.udp4(bytes(70000)), "fit"),
        (lambda: build.udp6(bytes(70000)), "fit"),
        (lambda: build.tcp6(window=-1), "fit"),
        (lambda: build.tcp6(tos=256), "256"),
        (lambda: build.tcp6(flow_label=1 << 20), "flow label"),
        (lambda: build.udp6(extensions=((0, b"abc"),)), "multiple of 8"),
        (lambda: build.tcp4(tsval=1, options=bytes(32)), "40"),
        (lambda: build.vxlan(b"", 1 << 24), "16777216"),
        (lambda: build.vlan(bytes(60), 4096), "4096"),
        (lambda: build.payload(-1, 0), "-1"),
    ],
)
def test_what_does_not_fit_is_said(wrong: Callable[[], bytes], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        wrong()


def test_layers_of_everything_at_once() -> None:
    frame = build.vlan(build.vxlan(build.vlan(build.tcp6(b"x", tsval=1, extensions=(HOP,)), 7), 42), 5)
    names = " ".join(layer.name for layer in layers(frame))
    assert names == "eth vlan ipv4 udp vxlan eth vlan ipv6 ext tcp payload"
