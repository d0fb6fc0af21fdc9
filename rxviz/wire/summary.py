"""One frame in named fields and in one sentence."""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from rxviz.wire.addresses import ipv4_text, ipv6_text, mac_text
from rxviz.wire.flags import FLAGS_TEXT
from rxviz.wire.locate import Place, locate, locate_network
from rxviz.wire.numbers import (
    ETHERTYPE_ARP,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_TEB,
    GRE_ROUTING,
    GRE_VERSION,
    ICMP_LENGTH,
    PROTO_GRE,
    PROTO_ICMP,
    PROTO_ICMP6,
    PROTO_IPIP,
    PROTO_IPV6,
    PROTO_TCP,
    PROTO_UDP,
    TCP_LENGTH,
    UDP_LENGTH,
    VXLAN_LENGTH,
    VXLAN_PORT,
    VXLAN_VNI_VALID,
    Bytes,
    gre_length,
)

_MAX_TUNNELS = 4
_ARP_ETHERNET_IPV4 = bytes.fromhex("000108000604")
_ARP_LENGTH = 28
_L4_NAMES = {PROTO_TCP: "tcp", PROTO_UDP: "udp", PROTO_ICMP: "icmp", PROTO_ICMP6: "icmp"}

_tcp_words = Struct("!HHIIBBH").unpack_from
_two_words = Struct("!HH").unpack_from
_u32 = Struct("!I").unpack_from


class Summary(NamedTuple):
    """What a frame says of itself; None (flags: "") where it has no such field or the bytes are cut.

    `l3` is ipv4, ipv6, arp or other; `l4` is tcp, udp, icmp (also ICMPv6) or other. `src` and `dst` are text:
    IP addresses, for ARP those of its sender and target, else MAC addresses ("" inside a tunnel without).
    `seq`, `ack`, `window` and `flags` are raw TCP fields, flags as letters in the order FSRPAUEC.
    `payload_offset` is where the L4 payload starts in the data, `payload_length` how many bytes of it the IP
    length says there are, clipped to the data. `vlan` is the id of the outermost tag. `tunnel` is
    "vxlan VNI", "gre" or "ipip", and then `inner` is what the tunnel carries. `fragment` is the byte offset
    of an IP fragment, None for a whole datagram.
    """

    l3: str
    l4: str
    src: str
    dst: str
    sport: int | None = None
    dport: int | None = None
    seq: int | None = None
    ack: int | None = None
    window: int | None = None
    flags: str = ""
    payload_offset: int = 0
    payload_length: int = 0
    vlan: int | None = None
    tunnel: str | None = None
    inner: Summary | None = None
    fragment: int | None = None

    def line(self) -> str:
        """Give one short sentence: "10.0.0.2:5001 > 10.0.0.9:40112 tcp seq 1 ack 1 win 229 [A] 1448 B".

        Of a tunnel it is the sentence of what is carried, and then by what.
        """
        if self.inner is not None:
            return f"{self.inner.line()} in {self.tunnel} {self.src} > {self.dst}{self._tag()}"
        words = self.l3 if self.l4 == "other" else self.l4
        if self.src:
            words = f"{self._end(self.src, self.sport)} > {self._end(self.dst, self.dport)} {words}"
        if self.seq is not None:
            answer = f" ack {self.ack}" if "A" in self.flags else ""
            words += f" seq {self.seq}{answer} win {self.window} [{self.flags}]"
        if self.fragment is not None:
            words += f" fragment at {self.fragment}"
        if self.l3 != "arp":
            words += f" {self.payload_length} B"
        return words + self._tag()

    def _tag(self) -> str:
        return "" if self.vlan is None else f" vlan {self.vlan}"

    def _end(self, address: str, port: int | None) -> str:
        if port is None:
            return address
        return f"[{address}]:{port}" if self.l3 == "ipv6" else f"{address}:{port}"


def summarise(data: Bytes) -> Summary:
    """Read an Ethernet frame into a Summary, at most four tunnels deep; never raises on any bytes."""
    return _frame(data, 0, len(data), 0)


def _frame(data: Bytes, at: int, end: int, depth: int) -> Summary:
    place = locate(data, at, end)
    if place is None:
        return Summary("other", "other", "", "", payload_offset=at, payload_length=end - at)
    if place.proto >= 0:
        return _datagram(data, place, depth)
    src, dst = mac_text(bytes(data[at + 6 : at + 12])), mac_text(bytes(data[at : at + 6]))
    return _not_ip(data, place, src, dst)


def _not_ip(data: Bytes, place: Place, src: str, dst: str) -> Summary:
    at, end = place.network, place.end
    vlan = place.tags[0] if place.tags else None
    if place.ethertype != ETHERTYPE_ARP:
        return Summary("other", "other", src, dst, payload_offset=at, payload_length=end - at, vlan=vlan)
    if end - at >= _ARP_LENGTH and bytes(data[at : at + 6]) == _ARP_ETHERNET_IPV4:
        src, dst = ipv4_text(bytes(data[at + 14 : at + 18])), ipv4_text(bytes(data[at + 24 : at + 28]))
    return Summary("arp", "other", src, dst, payload_offset=min(at + _ARP_LENGTH, end), vlan=vlan)


def _datagram(data: Bytes, place: Place, depth: int) -> Summary:
    tags, ethertype, network, proto, at, end, _, offset = place
    if ethertype == ETHERTYPE_IPV4:
        l3, text, first, size = "ipv4", ipv4_text, network + 12, 4
    else:
        l3, text, first, size = "ipv6", ipv6_text, network + 8, 16
    middle = first + size
    src, dst = text(bytes(data[first:middle])), text(bytes(data[middle : middle + size]))
    vlan = tags[0] if tags else None
    l4 = _L4_NAMES.get(proto, "other")
    if offset > 0:
        return Summary(l3, l4, src, dst, payload_offset=at, payload_length=end - at, vlan=vlan, fragment=offset)
    sport, dport, seq, ack, window, flags, header = _transport(data, proto, at, end - at)
    tunnel, inner = _carried(data, proto, at, end, dport, depth + 1)
    start = at + header
    fragment = None if offset < 0 else offset
    return Summary(
        *(l3, l4, src, dst, sport, dport, seq, ack, window, flags),
        *(start, end - start, vlan, tunnel, inner, fragment),
    )


_Transport = tuple[int | None, int | None, int | None, int | None, int | None, str, int]


def _transport(data: Bytes, proto: int, at: int, room: int) -> _Transport:
    """Read ports and TCP fields, and the length of the L4 header, clipped to the `room` there is."""
    if proto == PROTO_TCP:
        if room >= TCP_LENGTH:
            sport, dport, seq, ack, words, bits, window = _tcp_words(data, at)
            length = min(room, max(TCP_LENGTH, words >> 4 << 2))
            return sport, dport, seq, ack, window, FLAGS_TEXT[bits], length
        return None, None, None, None, None, "", room
    if proto == PROTO_UDP:
        sport, dport = _two_words(data, at) if room >= UDP_LENGTH else (None, None)
        return sport, dport, None, None, None, "", min(UDP_LENGTH, room)
    header = min(ICMP_LENGTH, room) if proto in (PROTO_ICMP, PROTO_ICMP6) else 0
    return None, None, None, None, None, "", header


_Carried = tuple[str | None, Summary | None]


def _carried(data: Bytes, proto: int, at: int, end: int, dport: int | None, depth: int) -> _Carried:
    """Read what a tunnel carries, or (None, None)."""
    if proto == PROTO_TCP or depth > _MAX_TUNNELS:
        return None, None
    if proto == PROTO_UDP:
        at += UDP_LENGTH
        if dport != VXLAN_PORT or end - at < VXLAN_LENGTH or not data[at] & VXLAN_VNI_VALID:
            return None, None
        vni = _u32(data, at + 4)[0] >> 8
        return f"vxlan {vni}", _frame(data, at + VXLAN_LENGTH, end, depth)
    if proto == PROTO_GRE:
        return _gre(data, at, end, depth)
    if proto in (PROTO_IPIP, PROTO_IPV6):
        ethertype = ETHERTYPE_IPV4 if proto == PROTO_IPIP else ETHERTYPE_IPV6
        return "ipip", _network(data, ethertype, at, end, depth)
    return None, None


def _gre(data: Bytes, at: int, end: int, depth: int) -> _Carried:
    if end - at < 4:
        return None, None
    flags, carried = _two_words(data, at)
    at += gre_length(flags)
    if flags & (GRE_ROUTING | GRE_VERSION) or at > end:
        return None, None
    if carried == ETHERTYPE_TEB:
        return "gre", _frame(data, at, end, depth)
    return "gre", _network(data, carried, at, end, depth)


def _network(data: Bytes, ethertype: int, at: int, end: int, depth: int) -> Summary:
    place = locate_network(data, ethertype, at, end)
    if place.proto >= 0:
        return _datagram(data, place, depth)
    return _not_ip(data, place, "", "")
