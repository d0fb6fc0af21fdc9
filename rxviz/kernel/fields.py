"""A frame described by its fields, any of which may be wrong, and turned into bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from rxviz.wire.addresses import ipv4_number, ipv6_number
from rxviz.wire.checksum import internet_checksum, pseudo_sum
from rxviz.wire.numbers import (
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_TEB,
    ETHERTYPE_VLAN,
    PROTO_GRE,
    PROTO_IPIP,
    PROTO_IPV6,
    PROTO_TCP,
    PROTO_UDP,
    VXLAN_PORT,
)

ADDRESS = "192.168.1.100"
MACS = (bytes.fromhex("aa0000000001aa0000000002"), bytes.fromhex("aa0000000001aa0000000003"))
V4 = (("192.168.1.200", ADDRESS), ("192.168.1.201", ADDRESS))
V6 = (("fdaa::2", "fdaa::1"), ("fdaa::3", "fdaa::1"))
ACK, PSH, FIN = 0x10, 0x08, 0x01


@dataclass(slots=True)
class Ip:
    """The fields of one IP header, of either version."""

    v6: bool = False
    addresses: tuple[str, str] = V4[0]
    tos: int = 0
    ttl: int = 64
    ip_id: int = 0
    flags: int = 0x4000
    label: int = 0
    options: bytes = b""
    extensions: tuple[tuple[int, bytes], ...] = ()
    wrong_sum: bool = False
    length_delta: int = 0


@dataclass(slots=True)
class Segment:
    """All of one frame, outermost header first where there are two."""

    kind: str
    macs: bytes = MACS[0]
    outer: Ip = field(default_factory=Ip)
    inner: Ip = field(default_factory=Ip)
    ports: bytes = b"\x05\xdc\x1f\x40"
    seq: int = 1
    ack: int = 1
    flags: int = ACK
    window: int = 229
    urgent: int = 0
    options: bytes = b""
    payload: bytes = b""
    sum_delta: int = 0
    partial: bool = False
    zero_sum: bool = False
    udp_delta: int = 0
    outer_sport: int = 50000
    vni: int = 42
    gre_key: int = 0
    gre_flags: int = 0
    tci: int = 5
    trailer: bytes = b""


def _ip(header: Ip, proto: int, body: bytes) -> bytes:
    source, target = header.addresses
    if header.v6:
        kinds = [kind for kind, _ in header.extensions] + [proto]
        behind = b"".join(
            bytes((kinds[i + 1], (len(data) + 2) // 8 - 1)) + data for i, (_, data) in enumerate(header.extensions)
        )
        word = 6 << 28 | header.tos << 20 | header.label
        length = len(behind) + len(body) + header.length_delta
        addresses = ipv6_number(source).to_bytes(16, "big") + ipv6_number(target).to_bytes(16, "big")
        return struct.pack("!IHBB", word, length & 0xFFFF, kinds[0], header.ttl) + addresses + behind + body
    addresses = ipv4_number(source).to_bytes(4, "big") + ipv4_number(target).to_bytes(4, "big")
    words = 5 + len(header.options) // 4
    total = words * 4 + len(body) + header.length_delta
    first = struct.pack(
        "!BBHHHBBH", 0x40 | words, header.tos, total & 0xFFFF, header.ip_id, header.flags, header.ttl, proto, 0
    )
    whole = first + addresses + header.options
    check = internet_checksum(whole) ^ header.wrong_sum
    return whole[:10] + check.to_bytes(2, "big") + whole[12:] + body


def _summed(header: Ip, proto: int, segment: bytes, at: int, spec: Segment) -> bytes:
    pack = (lambda text: ipv6_number(text).to_bytes(16, "big")) if header.v6 else _packed4
    source, target = map(pack, header.addresses)
    pseudo = pseudo_sum(source, target, proto, len(segment))
    check = 0xFFFF - internet_checksum(b"", pseudo) if spec.partial else internet_checksum(segment, pseudo)
    check = (check + spec.sum_delta) & 0xFFFF
    if spec.zero_sum:
        check = 0
    return segment[:at] + check.to_bytes(2, "big") + segment[at + 2 :]


def _packed4(text: str) -> bytes:
    return ipv4_number(text).to_bytes(4, "big")


def _tcp(spec: Segment, header: Ip) -> bytes:
    bits = (5 + len(spec.options) // 4) << 12 | spec.flags
    first = spec.ports + struct.pack(
        "!IIHHHH", spec.seq & 0xFFFFFFFF, spec.ack & 0xFFFFFFFF, bits, spec.window, 0, spec.urgent
    )
    return _summed(header, PROTO_TCP, first + spec.options + spec.payload, 16, spec)


def _udp(spec: Segment, header: Ip, ports: bytes, body: bytes, zero: bool) -> bytes:
    datagram = ports + struct.pack("!HH", (8 + len(body) + spec.udp_delta) & 0xFFFF, 0) + body
    if zero:
        return datagram
    return _summed(header, PROTO_UDP, datagram, 6, spec)


def _ethertype(header: Ip) -> bytes:
    return (ETHERTYPE_IPV6 if header.v6 else ETHERTYPE_IPV4).to_bytes(2, "big")


def _inner_frame(spec: Segment, body: bytes) -> bytes:
    return bytes.fromhex("0200000000010200000000") + bytes((2,)) + _ethertype(spec.inner) + body


def build(spec: Segment) -> bytes:
    """Turn a description into a frame."""
    kind, outer, inner = spec.kind, spec.outer, spec.inner
    if kind in ("udp4", "udp6"):
        packet = _ip(outer, PROTO_UDP, _udp(spec, outer, spec.ports, spec.payload, spec.zero_sum))
    elif kind in ("ipip", "sit", "ip4ip6", "ip6ip6"):
        packet = _ip(outer, PROTO_IPV6 if inner.v6 else PROTO_IPIP, _ip(inner, PROTO_TCP, _tcp(spec, inner)))
    elif kind in ("gre", "greteb"):
        packet = _ip(outer, PROTO_GRE, _gre(spec))
    elif kind.startswith("vxlan"):
        packet = _ip(outer, PROTO_UDP, _vxlan(spec))
    else:
        packet = _ip(outer, PROTO_TCP, _tcp(spec, outer))
    tag = struct.pack("!HH", ETHERTYPE_VLAN, spec.tci) if kind == "vlan" else b""
    return spec.macs + tag + _ethertype(outer) + packet + spec.trailer


def _gre(spec: Segment) -> bytes:
    body = _ip(spec.inner, PROTO_TCP, _tcp(spec, spec.inner))
    carried = int.from_bytes(_ethertype(spec.inner), "big")
    if spec.kind == "greteb":
        body, carried = _inner_frame(spec, body), ETHERTYPE_TEB
    flags = spec.gre_flags
    head = struct.pack("!HH", flags, carried)
    key = struct.pack("!I", spec.gre_key) if flags & 0x2000 else b""
    if not flags & 0x8000:
        return head + key + body
    check = internet_checksum(head + bytes(4) + key + body)
    return head + struct.pack("!HH", check, 0) + key + body


def _vxlan(spec: Segment) -> bytes:
    if spec.kind == "vxlan_udp":
        inner = _udp(spec, spec.inner, spec.ports, spec.payload, False)
        body = _ip(spec.inner, PROTO_UDP, inner)
    else:
        body = _ip(spec.inner, PROTO_TCP, _tcp(spec, spec.inner))
    carried = struct.pack("!II", 0x08000000, spec.vni << 8) + _inner_frame(spec, body)
    ports = struct.pack("!HH", spec.outer_sport, VXLAN_PORT)
    plain = Segment(spec.kind)
    return _udp(plain, spec.outer, ports, carried, spec.kind != "vxlan_sum")
