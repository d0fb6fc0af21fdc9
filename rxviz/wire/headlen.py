"""How many bytes of a frame Linux takes for headers when it copies them into an skb's linear area.

The rule is that of `eth_get_headlen()` (net/ethernet/eth.c): `__skb_flow_dissect()` with the basic keys and
FLOW_DISSECTOR_F_PARSE_1ST_FRAG finds the transport header, `__skb_get_poff()` adds its length (both
net/core/flow_dissector.c). It is not what a person sees in the frame: the dissector

- trusts the ethertype and does not look at the IP version, nor at whether IPv4 options are inside the limit;
- follows VLAN tags, PPPoE sessions, HSR/PRP tags, IPv4/IPv6 in IP, GRE and PPTP, at most 15 times
  (`skb_flow_dissect_allowed()`), but never looks behind UDP: a VXLAN frame ends at its outer UDP header;
- stops an ARP frame at 14 bytes, as the basic keys ask for nothing of ARP;
- reads no L4 header in a fragment, unless it is the first; and remembers "first" into a tunnel.

Left out: batman-adv frames (14 bytes here), a BPF flow dissector, and the cap that GRE with an inner Ethernet
header has on machines whose NET_IP_ALIGN is not 0 (it is 0 on x86).
"""

from __future__ import annotations

from struct import Struct

from rxviz.wire.numbers import (
    ETH_LENGTH,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_PPPOE,
    ETHERTYPE_TEB,
    GRE_ACK,
    GRE_KEY,
    GRE_PPP,
    GRE_ROUTING,
    GRE_SEQUENCE,
    GRE_VERSION,
    IP6_OFFSET_MASK,
    IP_FRAGMENT_MASK,
    IP_OFFSET_MASK,
    IPV4_LENGTH,
    IPV6_LENGTH,
    PPP_TO_ETHERTYPE,
    PPPOE_LENGTH,
    PROTO_DEST_OPTIONS,
    PROTO_FRAGMENT,
    PROTO_GRE,
    PROTO_HOP_OPTIONS,
    PROTO_IPIP,
    PROTO_IPV6,
    PROTO_ROUTING,
    PROTO_TCP,
    PROTO_UDP,
    TCP_LENGTH,
    UDP_LENGTH,
    VLAN_LENGTH,
    VLAN_TYPES,
    Bytes,
    gre_length,
)

_MAX_AGAIN = 15
_ETHERTYPE_MPLS = (0x8847, 0x8848)
_PROTO_MPLS = 137
_PPP_MPLS = (0x0281, 0x0283)
_MPLS_LENGTH = 4
_HSR_TYPES = (0x88FB, 0x892F)
_HSR_LENGTH = 6
_PPP_LENGTH = 4
_FIXED = {0x8906: 38, 0x88F7: 34}
"""FCoE and PTP: a header of known length, and nothing is followed behind it."""
_L4_FIXED = {PROTO_UDP: UDP_LENGTH, 136: UDP_LENGTH, 1: 8, 58: 8, 2: 8, 33: 12, 132: 12}
"""UDP, UDP-Lite, ICMP, ICMPv6, IGMP, DCCP, SCTP."""

_u16 = Struct("!H").unpack_from
_plain = Struct("!12xHB5xHxB").unpack_from
"""Ethertype, IPv4 version and header length, fragment word, protocol of an untagged frame."""


def header_length(data: Bytes, limit: int) -> int:
    """Give the length of the headers in bytes, at most min(limit, len(data)), as `eth_get_headlen()` does.

    `data` starts at the Ethernet header. What cannot be parsed ends the headers; fewer than 14 bytes are all
    header. Never raises on any bytes.
    """
    seen = len(data)
    if limit < seen:
        seen = limit
    if seen >= 54:
        ethertype, version_words, fragment, proto = _plain(data)
        if ethertype == ETHERTYPE_IPV4 and version_words & 15 == 5 and not fragment & IP_FRAGMENT_MASK:
            if proto == PROTO_TCP:
                return min(34 + max(TCP_LENGTH, data[46] >> 4 << 2), seen)
            if proto == PROTO_UDP:
                return 42
    if seen < ETH_LENGTH:
        return max(seen, 0)
    return _Dissector(data, seen).run()


# What a step of the dissector leads to. The two that stop come first.
_BAD = 0
"""Stop; the kernel's dissector fails here, and no L4 length is added."""
_GOOD = 1
_LINK = 2
"""Read on by ethertype."""
_PROTO = 3
"""Read on by IP protocol."""
_ENTER = 4
"""The same straight from the IP header, which does not count against the limit of 15."""


class _Dissector:
    """One pass over one frame; each step moves `at` and says what is read next."""

    __slots__ = ("at", "data", "ethertype", "first", "fragment", "proto", "seen")

    def __init__(self, data: Bytes, seen: int) -> None:
        self.data = data
        self.seen = seen
        self.at = ETH_LENGTH
        self.ethertype: int = _u16(data, 12)[0]
        self.proto = 0
        self.fragment = False
        self.first = False

    def run(self) -> int:
        outcome, again = _LINK, 0
        while outcome > _GOOD and again <= _MAX_AGAIN:
            if outcome == _LINK:
                step = _LINKS.get(self.ethertype, _Dissector._unknown_link)
            else:
                step = _PROTOS.get(self.proto, _Dissector._transport)
            outcome = step(self)
            again += outcome in (_LINK, _PROTO)
        transport = min(self.at, self.seen)
        if outcome == _BAD:
            return max(transport, ETH_LENGTH)
        return min(transport + self._l4_length(transport), self.seen)

    def _l4_length(self, transport: int) -> int:
        if self.fragment and not self.first:
            return 0
        if self.proto != PROTO_TCP:
            return _L4_FIXED.get(self.proto, 0)
        if transport + 12 >= self.seen:
            return 0
        return max(TCP_LENGTH, self.data[transport + 12] >> 4 << 2)

    def _has(self, length: int) -> bool:
        return self.seen - self.at >= length

    def _unknown_link(self) -> int:
        return _BAD

    def _transport(self) -> int:
        return _GOOD

    def _ipv4(self) -> int:
        if not self._has(IPV4_LENGTH) or self.data[self.at] & 15 < 5:
            return _BAD
        fragment = _u16(self.data, self.at + 6)[0]
        self.proto = self.data[self.at + 9]
        self.at += (self.data[self.at] & 15) * 4
        if not fragment & IP_FRAGMENT_MASK:
            return _ENTER
        self.fragment = True
        if fragment & IP_OFFSET_MASK:
            return _GOOD
        self.first = True
        return _ENTER

    def _ipv6(self) -> int:
        if not self._has(IPV6_LENGTH):
            return _BAD
        self.proto = self.data[self.at + 6]
        self.at += IPV6_LENGTH
        return _ENTER

    def _vlan(self) -> int:
        if not self._has(VLAN_LENGTH):
            return _BAD
        self.ethertype = _u16(self.data, self.at + 2)[0]
        self.at += VLAN_LENGTH
        return _LINK

    def _pppoe(self) -> int:
        if not self._has(PPPOE_LENGTH) or self.data[self.at] != 0x11 or self.data[self.at + 1]:
            return _BAD
        carried = _u16(self.data, self.at + 6)[0]
        self.at += PPPOE_LENGTH
        if carried in _PPP_MPLS:
            self.ethertype = _ETHERTYPE_MPLS[0]
            return _LINK
        self.ethertype = PPP_TO_ETHERTYPE.get(carried, 0)
        return _LINK if self.ethertype else _BAD

    def _mpls(self) -> int:
        self.at += _MPLS_LENGTH
        return _GOOD

    def _fixed(self) -> int:
        length = _FIXED[self.ethertype]
        if not self._has(length):
            return _BAD
        self.at += length
        return _GOOD

    def _redundancy_tag(self) -> int:
        if not self._has(_HSR_LENGTH):
            return _BAD
        self.ethertype = _u16(self.data, self.at + 4)[0]
        self.at += _HSR_LENGTH
        return _LINK

    def _gre(self) -> int:
        if not self._has(4):
            return _BAD
        flags = _u16(self.data, self.at)[0]
        carried = _u16(self.data, self.at + 2)[0]
        version = flags & GRE_VERSION
        pptp = version == 1 and carried == GRE_PPP and flags & GRE_KEY
        if flags & GRE_ROUTING or not (version == 0 or pptp):
            return _GOOD
        length = gre_length(flags)
        inner = _PPP_LENGTH if pptp else ETH_LENGTH if carried == ETHERTYPE_TEB else 0
        if inner and not self._has(length + inner):
            return _BAD
        if flags & GRE_KEY and not self._has(_key_end(flags)):
            return _BAD
        if inner:
            carried = _u16(self.data, self.at + length + inner - 2)[0]
            if pptp:
                carried = PPP_TO_ETHERTYPE.get(carried, GRE_PPP)
        self.ethertype = carried
        self.at += length + inner
        return _LINK

    def _option(self) -> int:
        if self.ethertype != ETHERTYPE_IPV6:
            return _GOOD
        if not self._has(2):
            return _BAD
        self.proto = self.data[self.at]
        self.at += (self.data[self.at + 1] + 1) * 8
        return _PROTO

    def _fragment(self) -> int:
        if self.ethertype != ETHERTYPE_IPV6:
            return _GOOD
        if not self._has(8):
            return _BAD
        offset = _u16(self.data, self.at + 2)[0] & IP6_OFFSET_MASK
        self.fragment = True
        self.proto = self.data[self.at]
        self.at += 8
        if offset:
            return _GOOD
        self.first = True
        return _PROTO

    def _ipv4_in_ip(self) -> int:
        self.ethertype = ETHERTYPE_IPV4
        return _LINK

    def _ipv6_in_ip(self) -> int:
        self.ethertype = ETHERTYPE_IPV6
        return _LINK

    def _mpls_in_ip(self) -> int:
        self.ethertype = _ETHERTYPE_MPLS[0]
        return _LINK


def _key_end(flags: int) -> int:
    """Give where the key of a GRE header ends, which is all of it that the kernel must see."""
    return gre_length(flags & ~(GRE_SEQUENCE | GRE_ACK))


_LINKS = {
    ETHERTYPE_IPV4: _Dissector._ipv4,
    ETHERTYPE_IPV6: _Dissector._ipv6,
    ETHERTYPE_PPPOE: _Dissector._pppoe,
    **dict.fromkeys(VLAN_TYPES, _Dissector._vlan),
    **dict.fromkeys(_ETHERTYPE_MPLS, _Dissector._mpls),
    **dict.fromkeys(_HSR_TYPES, _Dissector._redundancy_tag),
    **dict.fromkeys(_FIXED, _Dissector._fixed),
}
_PROTOS = {
    PROTO_HOP_OPTIONS: _Dissector._option,
    PROTO_ROUTING: _Dissector._option,
    PROTO_DEST_OPTIONS: _Dissector._option,
    PROTO_FRAGMENT: _Dissector._fragment,
    PROTO_IPIP: _Dissector._ipv4_in_ip,
    PROTO_IPV6: _Dissector._ipv6_in_ip,
    PROTO_GRE: _Dissector._gre,
    _PROTO_MPLS: _Dissector._mpls_in_ip,
}
