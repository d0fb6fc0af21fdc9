"""Tunnels, tags and UDP."""

from __future__ import annotations

from typing import Any

import pytest

from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.packet import Checksum
from rxviz.wire.checksum import ones_sum
from tests.gro.flow import SIZE, frame, packet, play, run_of

VXLAN = GroConfig(vxlan_ports=frozenset({4789}))
FORWARDING = GroConfig(udp_forwarding=True)
SOCKET = GroConfig(udp_gro_ports=frozenset({8000}))
LIST = GroConfig(fraglist=True)


@pytest.mark.parametrize(
    ("kind", "gso", "headers"),
    [
        ("ipip", ("IPXIP4", "TCPV4"), 14 + 20 + 20 + 20),
        ("sit", ("IPXIP4", "TCPV6"), 14 + 20 + 40 + 20),
        ("ip4ip6", ("IPXIP6", "TCPV4"), 14 + 40 + 20 + 20),
        ("ip6ip6", ("IPXIP6", "TCPV6"), 14 + 40 + 40 + 20),
        ("gre", ("GRE", "TCPV4"), 14 + 20 + 4 + 20 + 20),
        ("greteb", ("GRE", "TCPV4"), 14 + 20 + 4 + 14 + 20 + 20),
        ("vxlan", ("UDP_TUNNEL", "TCPV4"), 14 + 20 + 8 + 8 + 14 + 20 + 20),
        ("vxlan_sum", ("UDP_TUNNEL_CSUM", "TCPV4"), 14 + 20 + 8 + 8 + 14 + 20 + 20),
        ("vlan", ("TCPV4",), 14 + 4 + 20 + 20),
    ],
)
def test_the_inner_tcp_merges_and_every_header_is_completed(kind: str, gso: tuple[str, ...], headers: int) -> None:
    played = play(run_of(3, kind=kind), config=VXLAN)
    assert played.letters == "HFF"
    merged = played.packets[0]
    assert merged.gso_type == gso
    assert (len(merged.head), merged.payload) == (headers, 3 * SIZE)
    again = play([merged.head + merged.body()], config=VXLAN).decisions[0]
    failed = [check.rule.name for check in again.checks if not check.passed]
    sums = ["gro_udp_checksum"] if kind == "vxlan_sum" else ["gro_tcp_checksum"]
    assert failed == sums, "lengths and IP checksums hold; that of the transport is a pseudo header sum"


def test_a_packet_may_be_in_one_tunnel_only() -> None:
    inner = frame(0, kind="ipip")[14:]
    outer = frame(0, kind="ipip")[:14] + _ip_around(inner)
    played = play([outer])
    assert (played.letters, played.why(0)) == ("N", "gro_one_tunnel")


def _ip_around(packet_bytes: bytes) -> bytes:
    header = bytearray(packet_bytes[:20])
    header[2:4] = (20 + len(packet_bytes)).to_bytes(2, "big")
    header[9] = 4
    header[10:12] = b"\0\0"
    header[10:12] = (0xFFFF - ones_sum(header)).to_bytes(2, "big")
    return bytes(header) + packet_bytes


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"vni": 43}, "gro_same_vxlan"),
        ({"outer_sport": 50001}, "gro_same_outer_ports"),
        ({"inner_addresses": ("10.0.0.3", "10.0.0.2")}, "gro_same_source"),
    ],
)
def test_another_tunnel_is_another_flow(change: dict[str, Any], rule: str) -> None:
    played = play([frame(0, kind="vxlan"), frame(1, kind="vxlan", **change)], config=VXLAN)
    assert played.letters == "HH"
    assert rule in [check.rule.name for check in played.decisions[1].checks if not check.passed]


def test_a_tunnel_is_looked_into_only_where_its_socket_is() -> None:
    frames = run_of(3, kind="vxlan")
    assert play(frames).letters == "NNN"
    elsewhere = GroConfig(vxlan_ports=frozenset({4789}), local=frozenset({bytes((1, 2, 3, 4))}))
    assert play(frames, config=elsewhere).letters == "NNN"


@pytest.mark.parametrize(("key", "letters"), [((0, 0), "HF"), ((1, 1), "HF"), ((1, 2), "HH")])
def test_gre_keys_are_identity(key: tuple[int, int], letters: str) -> None:
    frames = [frame(n, kind="gre", gre_flags=0x2000, gre_key=value) for n, value in enumerate(key)]
    assert play(frames).letters == letters


@pytest.mark.parametrize(("flags", "letters"), [(0x8000, "HF"), (0x1000, "NN"), (0xA000, "HF")])
def test_gre_flags(flags: int, letters: str) -> None:
    """The checksum does not tell segments apart: with right ones inside, the sum over a packet is always the same."""
    assert play(run_of(2, kind="gre", gre_flags=flags)).letters == letters


def test_a_tag_in_the_frame_needs_8021q() -> None:
    frames = run_of(2, kind="vlan")
    assert play(frames).letters == "HF"
    assert play(frames, config=GroConfig(vlan_8021q=False)).letters == "NN"
    assert play([frame(0, kind="vlan", tci=5), frame(1, kind="vlan", tci=6)]).letters == "HH"


@pytest.mark.parametrize(
    ("outer", "inner", "segs"),
    [((1, 2, 3), (5, 5, 5), [3]), ((5, 5, 5), (1, 2, 3), [3]), ((5, 77, 3), (1, 2, 3), [1, 1, 1])],
)
def test_outer_ids_follow_the_same_rule_since_6_18(
    outer: tuple[int, ...], inner: tuple[int, ...], segs: list[int]
) -> None:
    frames = [
        frame(n, kind="ipip", ip={"ip_id": one}, inner_ip_id=two)
        for n, (one, two) in enumerate(zip(outer, inner, strict=True))
    ]
    assert play(frames).segs == segs
    assert play(frames, kernel="6.12").segs == [3], "outer IDs with DF were ignored"


def test_outer_ids_without_df_had_to_count_before_6_18() -> None:
    frames = [frame(n, kind="ipip", ip={"ip_id": 5, "flags": 0}, inner_ip_id=n) for n in range(3)]
    assert play(frames, kernel="6.12").segs == [1, 1, 1]
    assert play(frames, kernel="6.18").segs == [3]


def test_fixed_ids_are_told_to_whoever_segments_the_packet_again() -> None:
    frames = [frame(n, kind="ipip", ip={"ip_id": 5}, inner_ip_id=7) for n in range(2)]
    assert play(frames).packets[0].gso_type == ("IPXIP4", "TCPV4", "TCP_FIXEDID_INNER", "TCP_FIXEDID")
    plain = [frame(n, ip={"ip_id": 5}) for n in range(2)]
    assert play(plain).packets[0].gso_type == ("TCPV4", "TCP_FIXEDID")


@pytest.mark.parametrize("config", [FORWARDING, SOCKET])
def test_datagrams_of_one_length_merge_for_a_socket_or_for_forwarding(config: GroConfig) -> None:
    played = play(run_of(4, kind="udp4"), config=config)
    merged = played.packets[0]
    assert (played.letters, merged.gso_type, merged.gso_size) == ("HFFF", ("UDP_L4",), SIZE)
    assert (merged.ip_summed, merged.csum_offset) == (Checksum.PARTIAL, 6)
    assert merged.head[38:40] == (8 + 4 * SIZE).to_bytes(2, "big")


def test_a_shorter_datagram_merges_and_closes_a_longer_one_starts_anew() -> None:
    short = play(
        [*run_of(2, kind="udp4"), frame(2, kind="udp4", payload=b"z" * 9), frame(3, kind="udp4")], config=SOCKET
    )
    assert (short.letters, short.segs, short.left[0]) == ("HFFH", [3, 1], "gro_udp_short")
    longer = play([frame(0, kind="udp4", payload=b"z" * 9), frame(1, kind="udp4")], config=SOCKET)
    assert (longer.letters, longer.why(1)) == ("HH", "gro_udp_not_longer")


def test_padding_makes_a_datagram_overtake() -> None:
    played = play(
        [frame(0, kind="udp4"), frame(1, kind="udp4", trailer=bytes(4)), frame(1, kind="udp4")], config=SOCKET
    )
    assert (played.letters, played.frames) == ("HNF", [[1], [0, 2]])


def test_a_fragment_list_keeps_whole_skbs() -> None:
    for kind, gso in (("udp4", ("FRAGLIST", "UDP_L4")), ("tcp4", ("FRAGLIST", "TCPV4"))):
        merged = play(run_of(4, kind=kind), config=LIST)
        assert (merged.letters, merged.packets[0].gso_type) == ("HMMM", gso)
        assert merged.packets[0].ip_summed is Checksum.UNNECESSARY
        single = play([frame(0, kind=kind)], config=LIST).packets[0]
        assert merged.packets[0].truesize == 4 * single.truesize
    assert play(run_of(4, kind="tcp4"), config=LIST, kernel="6.1").packets[0].gso_type == ("TCPV4",)
    assert play(run_of(2, flags=0x18), config=LIST).letters == "NN"


def test_a_socket_with_udp_gro_gets_the_ordinary_form_even_with_a_list() -> None:
    config = GroConfig(fraglist=True, udp_gro_ports=frozenset({8000}))
    assert play(run_of(2, kind="udp4"), config=config).packets[0].gso_type == ("UDP_L4",)


def test_an_outer_checksum_that_the_card_verified_serves_the_inner_one() -> None:
    frames = [packet(n, data, ip_summed=Checksum.UNNECESSARY) for n, data in enumerate(run_of(2, kind="vxlan_sum"))]
    played = play(frames, config=VXLAN)
    assert (played.letters, played.gro.csum_bytes) == ("HF", 0)
    wrong = frame(0, kind="vxlan_sum", sum_delta=1)
    known = play([packet(0, wrong, ip_summed=Checksum.UNNECESSARY)], config=VXLAN)
    assert known.gro.csum_bytes > 0, "the outer sum tells that the inner cannot be right, so it is added up"
    assert known.why(0) == "gro_tcp_checksum"


@pytest.mark.parametrize(("level", "letters"), [(0, "HF"), (1, "HF")])
def test_two_checksums_verified_by_the_card(level: int, letters: str) -> None:
    frames = [
        packet(n, data, ip_summed=Checksum.UNNECESSARY, csum_level=level)
        for n, data in enumerate(run_of(2, kind="vxlan_sum"))
    ]
    played = play(frames, config=VXLAN)
    assert (played.letters, played.gro.csum_bytes) == (letters, 0)


def test_a_sum_over_the_whole_packet_serves_every_layer() -> None:
    for kind in ("tcp4", "tcp6", "ipip", "greteb", "vxlan_sum"):
        data = frame(0, kind=kind)
        good = play([packet(0, data, ip_summed=Checksum.COMPLETE, csum=ones_sum(data[14:]))], config=VXLAN)
        assert (good.letters, good.gro.csum_bytes) == ("H", 0), kind


def test_partial_is_taken_on_trust_and_merges_with_verified() -> None:
    local = packet(0, frame(0, partial=True), ip_summed=Checksum.PARTIAL, csum_start=20)
    played = play([local, frame(1)])
    assert (played.letters, played.gro.csum_bytes) == ("HF", 20 + SIZE)
