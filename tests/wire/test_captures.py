"""Real frames, read by dpkt as well; the captures are not part of the repository."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from socket import AF_INET, AF_INET6, inet_ntop
from typing import Any

import dpkt
import pytest

from rxviz.wire.dissect import checksum_verdicts, flow_key, header_length, layers, summarise

CAPTURES = Path(__file__).resolve().parents[3] / "shared" / "captures"
ETHERNET = {
    "iso-download.pcap.gz": 289,
    "timestamp.pcap": 878,
    "retransmit-fast009.pcap": 39,
    "pppoe-over-qinq.pcap": 86,
    "vlan-collisions.pcap": 42,
    "vxlan-overlapping-http-get.pcap": 42,
    "gso-ipv4-vxlan-ipv4.pcap": 1,
    "bigtcp-ipv4.pcap": 1,
    "of10_p3295.pcap": 62,
    "snmpwalk-short.pcap": 400,
    "dns.pcap": 133,
    "ipv6-http-atomic-frag.pcap": 38,
    "ip4_fragments.pcap": 53,
    "broadcast.pcap": 40,
    "tunnel-direct-bypass.pcap": 20,
    "pcpp-crash-81dba690.pcap": 11,
}

pytestmark = pytest.mark.skipif(not CAPTURES.is_dir(), reason="the captures are not here")


def frames(name: str) -> Iterator[bytes]:
    raw = (CAPTURES / name).read_bytes()
    if name.endswith(".gz"):
        raw = gzip.decompress(raw)
    order = "little" if raw[:1] in (b"\xd4", b"\x4d") else "big"
    at = 24
    while at + 16 <= len(raw):
        length = int.from_bytes(raw[at + 8 : at + 12], order)  # type: ignore[arg-type]
        at += 16
        if at + length > len(raw):
            return
        yield raw[at : at + length]
        at += length


def dpkt_ip(frame: bytes) -> Any:
    try:
        found = dpkt.ethernet.Ethernet(frame).data
    except dpkt.UnpackError:
        return None
    while not isinstance(found, dpkt.ip.IP | dpkt.ip6.IP6 | bytes):
        found = found.data
    return None if isinstance(found, bytes) else found


@pytest.mark.parametrize("name", ETHERNET)
def test_against_dpkt(name: str) -> None:
    count = compared = 0
    for frame in frames(name):
        count += 1
        end = 0
        for layer in layers(frame):
            assert layer.offset == end
            end += layer.length
        assert end <= len(frame)
        assert header_length(frame, 256) <= min(256, len(frame))
        hash(flow_key(frame))
        checksum_verdicts(frame)
        found, other = summarise(frame), dpkt_ip(frame)
        if other is None:
            continue
        compared += 1
        family = AF_INET if isinstance(other, dpkt.ip.IP) else AF_INET6
        assert (found.src, found.dst) == (inet_ntop(family, other.src), inet_ntop(family, other.dst))
        if found.sport is not None and isinstance(other.data, dpkt.tcp.TCP | dpkt.udp.UDP):
            assert (found.sport, found.dport) == (other.data.sport, other.data.dport)
        if found.seq is not None and isinstance(other.data, dpkt.tcp.TCP):
            segment = other.data
            assert (found.seq, found.ack, found.window) == (segment.seq, segment.ack, segment.win)
    assert count == ETHERNET[name]
    assert compared > 0


@pytest.mark.parametrize(
    ("name", "both_good"),
    [("iso-download.pcap.gz", 289), ("of10_p3295.pcap", 36), ("snmpwalk-short.pcap", 200)],
)
def test_checksums_are_those_of_dpkt(name: str, both_good: int) -> None:
    verdicts = []
    for frame in frames(name):
        ip = dpkt.ethernet.Ethernet(frame).data
        stated = ip.sum, ip.data.sum
        ip.sum = ip.data.sum = 0
        again = dpkt.ip.IP(bytes(ip))
        verdicts.append(checksum_verdicts(frame))
        assert verdicts[-1] == (again.sum == stated[0], again.data.sum == stated[1])
    assert verdicts.count((True, True)) == both_good


def test_vxlan_inside() -> None:
    found = [summarise(frame) for frame in frames("vxlan-overlapping-http-get.pcap")]
    assert {one.tunnel for one in found} == {None, "vxlan 4711", "vxlan 4242"}
    inner = [one.inner for one in found if one.inner is not None]
    assert (len(inner), len(found)) == (28, 42)
    assert {one.line().split()[0] for one in inner} == {"141.142.228.5:59856", "192.150.187.43:80"}


def test_pppoe_in_two_tags() -> None:
    for frame in frames("pppoe-over-qinq.pcap"):
        names = [layer.name for layer in layers(frame)]
        assert names[:4] == ["eth", "vlan", "vlan", "pppoe"]


def test_big_tcp_is_as_long_as_the_frame() -> None:
    (frame,) = frames("bigtcp-ipv4.pcap")
    found = summarise(frame)
    assert found.l4 == "tcp"
    assert found.payload_offset + found.payload_length == len(frame)
