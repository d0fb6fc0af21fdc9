"""The headers of a frame as a person reads them, into VXLAN, GRE and IP in IP."""

from __future__ import annotations

from collections.abc import Callable
from struct import Struct
from typing import NamedTuple

from rxviz.wire.numbers import (
    ETH_LENGTH,
    ETHERTYPE_ARP,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_PPPOE,
    ETHERTYPE_PPPOE_DISCOVERY,
    ETHERTYPE_QINQ,
    ETHERTYPE_TEB,
    ETHERTYPE_VLAN,
    EXTENSIONS,
    FIRST_ETHERTYPE,
    GRE_ROUTING,
    GRE_VERSION,
    ICMP_LENGTH,
    IP6_OFFSET_MASK,
    IP_OFFSET_MASK,
    IPV4_LENGTH,
    IPV6_LENGTH,
    PPP_TO_ETHERTYPE,
    PPPOE_LENGTH,
    PROTO_FRAGMENT,
    PROTO_GRE,
    PROTO_ICMP,
    PROTO_ICMP6,
    PROTO_IPIP,
    PROTO_IPV6,
    PROTO_TCP,
    PROTO_UDP,
    TCP_LENGTH,
    UDP_LENGTH,
    VLAN_LENGTH,
    VXLAN_LENGTH,
    VXLAN_PORT,
    VXLAN_VNI_VALID,
    Bytes,
    extension_length,
    gre_length,
)

_MAX_LAYERS = 64
_ARP_FIXED = 8

_u16 = Struct("!H").unpack_from


class Layer(NamedTuple):
    """One header, or what it carries: `offset` and `length` in bytes, always inside the frame.

    Names: eth, vlan, pppoe, ipv4, ipv6, ext (an IPv6 extension header), tcp, udp, icmp, icmp6, arp, vxlan,
    gre, payload.
    """

    name: str
    offset: int
    length: int


# A step reads one header at data[at:end] and gives its name, its length, the step that reads what follows,
# and where that ends. No name: not even the fixed part is there.
_Follow = Callable[[Bytes, int, int], "_Found"]
_Found = tuple[str, int, _Follow | None, int]


def layers(data: Bytes, *, vxlan_port: int = VXLAN_PORT) -> list[Layer]:
    """List the layers of an Ethernet frame, contiguous from offset 0.

    Stops, keeping what was understood, where the bytes end or contradict themselves; a header whose fixed
    part is there but whose options are cut is given as far as it goes. Bytes behind the end that a length
    field states (padding) belong to no layer. After 63 layers the rest is payload. Never raises on any bytes.
    """
    found: list[Layer] = []
    at, end = 0, len(data)
    step: _Follow | None = _eth
    while step is not None and at < end:
        if len(found) == _MAX_LAYERS - 1:
            step = _payload
        name, length, step, end = step(data, at, end)
        if not name:
            break
        if name == "udp" and step is not None and _u16(data, at + 2)[0] == vxlan_port:
            step = _vxlan
        found.append(Layer(name, at, length))
        at += length
    return found


def _payload(_data: Bytes, at: int, end: int) -> _Found:
    return "payload", end - at, None, end


def _stop(end: int) -> _Found:
    return "", 0, None, end


def _link(ethertype: int, at: int, end: int) -> tuple[_Follow, int]:
    if ethertype < FIRST_ETHERTYPE:
        return _payload, min(end, at + ethertype)
    return _LINKS.get(ethertype, _payload), end


def _eth(data: Bytes, at: int, end: int) -> _Found:
    if end - at < ETH_LENGTH:
        return _stop(end)
    return "eth", ETH_LENGTH, *_link(_u16(data, at + 12)[0], at + ETH_LENGTH, end)


def _vlan(data: Bytes, at: int, end: int) -> _Found:
    if end - at < VLAN_LENGTH:
        return _stop(end)
    return "vlan", VLAN_LENGTH, *_link(_u16(data, at + 2)[0], at + VLAN_LENGTH, end)


def _pppoe_discovery(data: Bytes, at: int, end: int) -> _Found:
    if end - at < 6:
        return _stop(end)
    return "pppoe", 6, _payload, min(end, at + 6 + _u16(data, at + 4)[0])


def _pppoe(data: Bytes, at: int, end: int) -> _Found:
    if end - at < PPPOE_LENGTH:
        return _stop(end)
    follow = _LINKS.get(PPP_TO_ETHERTYPE.get(_u16(data, at + 6)[0], 0), _payload)
    return "pppoe", PPPOE_LENGTH, follow, min(end, at + max(PPPOE_LENGTH, 6 + _u16(data, at + 4)[0]))


def _arp(data: Bytes, at: int, end: int) -> _Found:
    if end - at < _ARP_FIXED:
        return _stop(end)
    length = _ARP_FIXED + 2 * (data[at + 4] + data[at + 5])
    return "arp", min(length, end - at), None, end


def _ipv4(data: Bytes, at: int, end: int) -> _Found:
    if end - at < IPV4_LENGTH or data[at] >> 4 != 4 or data[at] & 15 < 5:
        return _stop(end)
    header = (data[at] & 15) << 2
    total = _u16(data, at + 2)[0]
    if total:
        if total < header:
            return "ipv4", min(header, end - at), None, end
        end = min(end, at + total)
    if header > end - at:
        return "ipv4", end - at, None, end
    if _u16(data, at + 6)[0] & IP_OFFSET_MASK:
        return "ipv4", header, _payload, end
    return "ipv4", header, _IPV4_PROTOS.get(data[at + 9], _payload), end


def _ipv6(data: Bytes, at: int, end: int) -> _Found:
    if end - at < IPV6_LENGTH or data[at] >> 4 != 6:
        return _stop(end)
    length = _u16(data, at + 4)[0]
    if length:
        end = min(end, at + IPV6_LENGTH + length)
    return "ipv6", IPV6_LENGTH, _ipv6_follow(data[at + 6]), end


def _ipv6_follow(proto: int) -> _Follow:
    if proto in EXTENSIONS:
        return _EXTENSION_STEPS[proto]
    return _IPV6_PROTOS.get(proto, _payload)


def _extension_step(kind: int) -> _Follow:
    def step(data: Bytes, at: int, end: int) -> _Found:
        if end - at < 8:
            return _stop(end)
        length = extension_length(kind, data[at + 1])
        if length > end - at:
            return "ext", end - at, None, end
        if kind == PROTO_FRAGMENT and _u16(data, at + 2)[0] & IP6_OFFSET_MASK:
            return "ext", length, _payload, end
        return "ext", length, _ipv6_follow(data[at]), end

    return step


def _tcp(data: Bytes, at: int, end: int) -> _Found:
    if end - at < TCP_LENGTH:
        return _stop(end)
    header = data[at + 12] >> 4 << 2
    if header < TCP_LENGTH:
        return "tcp", TCP_LENGTH, None, end
    if header > end - at:
        return "tcp", end - at, None, end
    return "tcp", header, _payload, end


def _udp(data: Bytes, at: int, end: int) -> _Found:
    if end - at < UDP_LENGTH:
        return _stop(end)
    length = _u16(data, at + 4)[0]
    if length == 0:
        return "udp", UDP_LENGTH, _payload, end
    if length < UDP_LENGTH:
        return "udp", UDP_LENGTH, None, end
    return "udp", UDP_LENGTH, _payload, min(end, at + length)


def _icmp(_data: Bytes, at: int, end: int) -> _Found:
    return ("icmp", ICMP_LENGTH, _payload, end) if end - at >= ICMP_LENGTH else _stop(end)


def _icmp6(_data: Bytes, at: int, end: int) -> _Found:
    return ("icmp6", ICMP_LENGTH, _payload, end) if end - at >= ICMP_LENGTH else _stop(end)


def _vxlan(data: Bytes, at: int, end: int) -> _Found:
    if end - at < VXLAN_LENGTH or not data[at] & VXLAN_VNI_VALID:
        return _payload(data, at, end)
    return "vxlan", VXLAN_LENGTH, _eth, end


def _gre(data: Bytes, at: int, end: int) -> _Found:
    if end - at < 4:
        return _stop(end)
    flags = _u16(data, at)[0]
    if flags & GRE_ROUTING or flags & GRE_VERSION > 1:
        return "gre", 4, None, end
    length = gre_length(flags)
    if length > end - at:
        return "gre", end - at, None, end
    if flags & GRE_VERSION:
        return "gre", length, _payload, end
    carried = _u16(data, at + 2)[0]
    return "gre", length, _eth if carried == ETHERTYPE_TEB else _LINKS.get(carried, _payload), end


_LINKS: dict[int, _Follow] = {
    ETHERTYPE_IPV4: _ipv4,
    ETHERTYPE_ARP: _arp,
    ETHERTYPE_VLAN: _vlan,
    ETHERTYPE_QINQ: _vlan,
    ETHERTYPE_IPV6: _ipv6,
    ETHERTYPE_PPPOE_DISCOVERY: _pppoe_discovery,
    ETHERTYPE_PPPOE: _pppoe,
}
_EITHER: dict[int, _Follow] = {
    PROTO_IPIP: _ipv4,
    PROTO_TCP: _tcp,
    PROTO_UDP: _udp,
    PROTO_IPV6: _ipv6,
    PROTO_GRE: _gre,
}
_IPV4_PROTOS: dict[int, _Follow] = {**_EITHER, PROTO_ICMP: _icmp}
_IPV6_PROTOS: dict[int, _Follow] = {**_EITHER, PROTO_ICMP6: _icmp6}
_EXTENSION_STEPS: dict[int, _Follow] = {kind: _extension_step(kind) for kind in EXTENSIONS}
