"""Frames on which each of GRO's rules decides: without the rule they become another number of skbs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rxviz.model.descriptor import IPCS, L4CS
from rxviz.model.frame import Frame
from rxviz.wire import build
from rxviz.wire.numbers import PROTO_IPIP
from rxviz.wire.pack import over_ipv4
from tests.gro.flow import ACK, CWR, ECE, FIN, PSH, RST, SYN, URG, frame, run_of, sport, stamps

GOOD, UNCHECKED = IPCS | L4CS, 0
HEADERS, BYTES = {"delivered_as_arrived"}, {"delivered_as_arrived", "bytes_intact"}


@dataclass(frozen=True)
class Case:
    """Frames, the skbs with the rule and without it, and the lamps that go on without it.

    `more` are other rules off in both, `before` the lamps that go on by these alone, `line` further words of the
    scenario, `hashes` and `flows` those of the frames.
    """

    frames: Sequence[bytes]
    honest: int
    world: int
    lamps: frozenset[str] | set[str] = frozenset()
    more: str = ""
    before: frozenset[str] | set[str] = frozenset()
    line: str = ""
    status: int = GOOD
    hashes: Sequence[int] = ()
    tags: Sequence[int] = ()
    flows: Sequence[int] = ()

    def arriving(self) -> list[Frame]:
        """The frames, all there before the first poll looks."""
        return [
            Frame(n, 1_000, data, len(data), flow=self.flows[n] if self.flows else 0, pkt_info=0,
                  hash=self.hashes[n] if self.hashes else 0, status=self.status,
                  tag=0x8100 << 16 | self.tags[n] if self.tags else 0)
            for n, data in enumerate(self.frames)
        ]  # fmt: skip


def _three(**second: Any) -> list[bytes]:
    """Three segments in order, of which the second differs."""
    return [frame(0), frame(1, **second), frame(2)]


def _stamped(number: int, **fields: Any) -> bytes:
    """A segment with timestamps: without payload it is still no shorter than a frame may be."""
    return frame(number, options=stamps(), **fields)


def _pair(kind: str = "tcp4", **second: Any) -> list[bytes]:
    return [frame(0, kind=kind), frame(1, kind=kind, **second)]


def _tagged(*vids: int) -> list[bytes]:
    return [build.vlan(frame(n), vid) for n, vid in enumerate(vids)]


def _changed(data: bytes, at: int, by: int = 1) -> bytes:
    return data[:at] + bytes((data[at] ^ by,)) + data[at + 1 :]


def _wrapped(data: bytes, ip_id: int) -> bytes:
    """A frame of a tunnel inside another one."""
    return over_ipv4(data[14:], PROTO_IPIP, *ENDS, 64, ip_id, 0, True, b"", build.SRC_MAC, build.DST_MAC)


ENDS = ("192.0.2.2", "192.0.2.9")
FAR = ("10.9.9.9", "192.168.1.100")
NEAR = ("192.168.1.200", "10.9.9.9")
FAR6, NEAR6 = ("fdaa::7", "fdaa::1"), ("fdaa::2", "fdaa::7")
ROUTER = ((60, b"\1\4\0\0\0\0"),), ((60, b"\1\4\0\0\0\1"),)

CASES: dict[str, Case] = {
    # identity
    "gro_same_hash": Case(_pair(), 2, 1, hashes=(8, 16)),
    "gro_same_tag": Case(_tagged(5, 6), 2, 1, BYTES, line="rxvlan=on", tags=(5, 6)),
    "gro_same_mac": Case(_pair(macs=bytes.fromhex("aa0000000001aa0000000077")), 2, 1, HEADERS),
    "gro_same_vlan": Case(_tagged(5, 6), 2, 1, BYTES),
    "gro_same_source": Case(_pair(ip={"addresses": FAR}), 2, 1, BYTES),
    "gro_same_target": Case(_pair(ip={"addresses": NEAR}), 2, 1, BYTES),
    "gro_same_ports": Case(_pair(ports=sport(7)), 2, 1, BYTES),
    "gro_same_label": Case(_pair("tcp6", ip={"label": 9}), 2, 1, HEADERS),
    "gro_same_source6": Case(_pair("tcp6", ip={"addresses": FAR6}), 2, 1, BYTES),
    "gro_same_target6": Case(_pair("tcp6", ip={"addresses": NEAR6}), 2, 1, BYTES),
    "gro_same_extensions": Case([frame(n, kind="tcp6", ip={"extensions": ROUTER[n]}) for n in range(2)], 2, 1, HEADERS),
    "gro_same_inner_mac": Case([_changed(frame(n, kind="greteb"), 38, n) for n in range(2)], 2, 1, HEADERS),
    "gro_same_gre_key": Case([frame(n, kind="gre", gre_flags=0x2000, gre_key=n) for n in range(2)], 2, 1, HEADERS),
    "gro_same_outer_ports": Case(_pair("vxlan", outer_sport=50_001), 2, 1, BYTES, line="vxlan=4789"),
    "gro_same_checksum_use": Case([frame(n, kind=kind) for n, kind in enumerate(("vxlan", "vxlan_sum"))], 2, 1, HEADERS,
                                  line="vxlan=4789"),
    "gro_same_vxlan": Case(_pair("vxlan", vni=43), 2, 1, HEADERS, line="vxlan=4789"),
    "gro_same_udp_ports": Case(_pair("udp4", ports=sport(7)), 2, 1, BYTES, more="gro_udp_asked"),
    # early exits
    "gro_not_fragment": Case([frame(n, ip={"flags": 0x2000 * n}) for n in range(2)], 2, 1, BYTES),
    "gro_ip_checksum": Case(_pair(ip={"wrong_sum": True}), 2, 1, HEADERS),
    "gro_tcp_checksum": Case(_pair(sum_delta=1), 2, 1, HEADERS, status=UNCHECKED),
    "gro_udp_asked": Case(_pair("udp4"), 2, 1, HEADERS),
    "gro_udp_checksum": Case(_pair("udp4", sum_delta=1), 2, 1, HEADERS, more="gro_udp_asked", status=UNCHECKED),
    "gro_udp_has_checksum": Case(_pair("udp4", zero_sum=True), 2, 1, HEADERS, more="gro_udp_asked"),
    "gro_udp_length": Case(_pair("udp4", udp_delta=-4), 2, 1, HEADERS, more="gro_udp_asked"),
    "gro_gre_checksum": Case([_changed(frame(n, kind="gre", gre_flags=0x8000), 38, n) for n in range(2)], 2, 1,
                             HEADERS, status=UNCHECKED),
    "gro_one_tunnel": Case([_wrapped(frame(n, kind="ipip"), n) for n in range(2)], 2, 1),
    # condemned
    "gro_ip_length": Case(_pair(size=98, seq=101, trailer=b"\0\0"), 2, 1, BYTES),
    "gro_ip6_length": Case(_pair("tcp6", size=98, seq=101, trailer=b"\0\0"), 2, 1, BYTES),
    "gro_ip_reserved": Case(_pair(ip={"flags": 0xC000}), 2, 1, HEADERS),
    "gro_not_condemned": Case(_pair(size=98, seq=101, trailer=b"\0\0"), 2, 1, BYTES),
    # refusals
    "gro_same_ttl": Case(_three(ip={"ttl": 3}), 3, 1, HEADERS),
    "gro_same_tos": Case(_three(ip={"tos": 3}), 3, 1, HEADERS),
    "gro_same_df": Case(_three(ip={"flags": 0}), 3, 1, HEADERS),
    "gro_ip_id": Case(_three(ip={"ip_id": 77}), 3, 1, HEADERS),
    "gro_same_class": Case([frame(n, kind="tcp6", ip={"tos": n % 2}) for n in range(3)], 3, 1, HEADERS),
    "gro_same_hop_limit": Case([frame(n, kind="tcp6", ip={"ttl": 60 + n % 2}) for n in range(3)], 3, 1, HEADERS),
    "gro_same_outer_ttl": Case([frame(n, kind="ipip", ip={"ttl": 60 + n % 2}) for n in range(3)], 3, 1, HEADERS),
    "gro_same_outer_tos": Case([frame(n, kind="ipip", ip={"tos": n % 2}) for n in range(3)], 3, 1, HEADERS),
    "gro_same_outer_df": Case([frame(n, kind="ipip", ip={"flags": 0x4000 * (n % 2)}) for n in range(3)], 3, 1, HEADERS),
    "gro_outer_ip_id": Case([frame(n, kind="ipip", ip={"ip_id": 7 * n, "flags": 0}) for n in range(3)], 3, 1, HEADERS),
    "gro_same_cwr": Case([frame(0, flags=ACK | CWR), frame(1)], 2, 1),
    "gro_no_cwr": Case([frame(n, flags=ACK | CWR) for n in range(2)], 2, 1),
    "gro_same_header_length": Case(_three(options=stamps()), 3, 1, HEADERS, more="gro_same_options"),
    "gro_same_options": Case([frame(n, options=stamps(n)) for n in range(3)], 3, 1, HEADERS),
    "gro_same_flags": Case(_three(flags=ACK | ECE), 3, 1, HEADERS),
    "gro_same_window": Case(_three(window=7), 3, 1, HEADERS),
    "gro_same_ack": Case(_three(ack=7), 3, 1, HEADERS),
    "gro_has_payload": Case([_stamped(0), _stamped(1, size=0, seq=101), _stamped(1)], 3, 2, HEADERS),
    "gro_not_longer": Case([frame(0, size=50), frame(1, seq=51)], 2, 1, HEADERS),
    "gro_in_sequence": Case(_three(seq=900), 3, 1, BYTES),
    "gro_udp_not_longer": Case([frame(0, kind="udp4", size=50), frame(1, kind="udp4")], 2, 1, HEADERS,
                               more="gro_udp_asked"),
    "gro_max_size": Case(run_of(50, size=1448), 2, 1),
    "gro_big_tcp": Case(run_of(50, size=1448), 2, 1, HEADERS, more="gro_max_size", line="kernel=4.19"),
    # what ends a packet
    "gro_flush_on_short": Case([frame(0), frame(1, size=50, seq=101), frame(2, seq=151)], 2, 1, HEADERS),
    "gro_flush_on_empty": Case([_stamped(0, size=0), _stamped(0)], 2, 2),
    "gro_flush_on_urg": Case([frame(n, flags=ACK | URG) for n in range(2)], 2, 1),
    "gro_flush_on_psh": Case(_three(flags=ACK | PSH), 2, 1, HEADERS),
    "gro_flush_on_rst": Case([frame(n, flags=ACK | RST) for n in range(2)], 2, 1),
    "gro_flush_on_syn": Case([frame(n, flags=ACK | SYN) for n in range(2)], 2, 1),
    "gro_flush_on_fin": Case(_three(flags=ACK | FIN), 2, 1, HEADERS),
    "gro_udp_short": Case([frame(n, kind="udp4", size=size) for n, size in enumerate((100, 50, 50))], 2, 1, HEADERS,
                          more="gro_udp_asked", before=HEADERS),
    "gro_udp_count": Case(run_of(65, kind="udp4"), 2, 1, HEADERS, more="gro_udp_asked", before=HEADERS,
                          line="budget=128"),
    # beliefs of another kind
    "gro_flows_apart": Case([frame(0), frame(0, ports=sport(7)), frame(1)], 2, 3, flows=(0, 1, 0), hashes=(0, 1, 0)),
    "gro_psh_joins": Case(_pair(flags=ACK | PSH), 1, 2),
    "gro_held_first": Case([frame(0), frame(1, size=0, seq=101), frame(1)], 3, 2, HEADERS),
    "gro_evicted": Case([frame(turn, ports=sport(n)) for turn in range(2) for n in range(9)], 18, 9,
                        flows=tuple(range(9)) * 2),
    "gro_poll_end": Case(_pair(), 1, 0, HEADERS),
    "gro_budget_used": Case(run_of(4), 2, 1, line="budget=2"),
}  # fmt: skip

QUIET = {
    "gro_outer_checksum": "the UDP checksum has been asked for before, and a wrong one went no further",
    "gro_same_protocol": "of TCP alone is anything held",
    "gro_same_next_header": "of TCP alone is anything held",
    "gro_same_gre": "other flags make another length, and then nothing fits",
    "gro_gre_plain": "with other flags the header is longer than GRO reads, and what it finds there fits nothing",
    "gro_no_ip_options": "with options TCP lies elsewhere than GRO reads, and what it finds there fits nothing",
    "gro_tcp_offset": "a header that is shorter than TCP's has no options, and its length differs",
}
"""Rules without which alone no other number of skbs leaves, and why."""

OLD = {"gro_one_frame", "gro_not_big", "gro_room", "gro_needs_df", "gro_whole_datagram", "gro_flow_hop_limit"}
"""Rules of kernels older than those in which ixgbe is modelled, or about packets that no frame of it is."""
