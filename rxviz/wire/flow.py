"""What makes frames one flow, and whether a frame's checksums are right."""

from __future__ import annotations

from struct import Struct

from rxviz.wire.checksum import fold, ones_sum, payload_sum, word_sum
from rxviz.wire.locate import Place, locate
from rxviz.wire.numbers import (
    ETHERTYPE_IPV4,
    EXTENSIONS,
    IP_FRAGMENT_MASK,
    IPV6_LENGTH,
    PROTO_ROUTING,
    PROTO_TCP,
    PROTO_UDP,
    TCP_LENGTH,
    UDP_LENGTH,
    Bytes,
    extension_length,
)

Flow = tuple[tuple[int, ...], int, bytes, int, bytes]
"""VLAN ids outermost first, ethertype, addresses, protocol, ports; see `flow_key`."""

_WITH_PORTS = (PROTO_TCP, PROTO_UDP)
_PORTS_LENGTH = 4
_PLAIN_LENGTH = 38
_VERSION4_NO_OPTIONS = 0x45
_NO_TAGS: tuple[int, ...] = ()

_plain = Struct("!12xHB5xHxB2x8s4s").unpack_from
"""Ethertype, IPv4 first byte, fragment word, protocol, addresses and ports of an untagged frame."""
_u16 = Struct("!H").unpack_from


def flow_key(data: Bytes) -> Flow:
    """Give a hashable identity of the flow a frame belongs to: frames with equal keys must stay in order.

    Addresses are source then destination, 8 or 32 bytes of IP, or the 12 bytes of MAC (protocol -1) where
    there is no IP. Ports are the 4 bytes of TCP and UDP, and empty for every other protocol and for every
    fragment, the first one too, as its later parts have none. Of a tunnel it is the outer flow. Never raises
    on any bytes.
    """
    if len(data) >= _PLAIN_LENGTH:
        ethertype, version, fragment, proto, addresses, ports = _plain(data)
        if (
            ethertype == ETHERTYPE_IPV4
            and version == _VERSION4_NO_OPTIONS
            and not fragment & IP_FRAGMENT_MASK
            and proto in _WITH_PORTS
            and _u16(data, 16)[0] >= 24
        ):
            return _NO_TAGS, ethertype, addresses, proto, ports
    place = locate(data)
    if place is None:
        return _NO_TAGS, 0, bytes(data), -1, b""
    return _general_key(data, place)


def _general_key(data: Bytes, place: Place) -> Flow:
    tags, ethertype, network, proto, transport, end, _, fragment = place
    if proto < 0:
        return tags, ethertype, bytes(data[:12]), -1, b""
    first, size = (network + 12, 8) if ethertype == ETHERTYPE_IPV4 else (network + 8, 32)
    ports = b""
    if proto in _WITH_PORTS and fragment < 0 and end - transport >= _PORTS_LENGTH:
        ports = bytes(data[transport : transport + _PORTS_LENGTH])
    return tags, ethertype, bytes(data[first : first + size]), proto, ports


def checksum_verdicts(data: Bytes) -> tuple[bool | None, bool | None]:
    """Say whether the outermost IPv4 header checksum and TCP or UDP checksum are right.

    None where there is none (IPv6 header, UDP checksum 0, other protocols) or it cannot be checked:
    fragments, datagrams that are cut or whose length field is 0, malformed lengths, and IPv6 behind a routing
    header that is not used up, as the checksum is about the final address (RFC 8200, 8.1). Never raises on
    any bytes.
    """
    place = locate(data)
    if place is None or place.proto < 0:
        return None, None
    if place.ethertype != ETHERTYPE_IPV4:
        return None, None if _on_its_way(data, place) else _l4_verdict(data, place, place.network + 8, 32)
    header = (data[place.network] & 15) << 2
    if place.transport - place.network < header:
        return None, None
    good = ones_sum(data[place.network : place.transport]) == 0xFFFF
    return good, _l4_verdict(data, place, place.network + 12, 8)


def _l4_verdict(data: Bytes, place: Place, addresses: int, size: int) -> bool | None:
    """Check TCP or UDP; `addresses` is where the source and destination of the pseudo header stand."""
    proto, transport, end = place.proto, place.transport, place.end
    if place.fragment >= 0 or end != place.stated:
        return None
    length, header = end - transport, UDP_LENGTH
    if proto == PROTO_UDP:
        if length < UDP_LENGTH or not _u16(data, transport + 6)[0]:
            return None
        stated = _u16(data, transport + 4)[0]
        if not UDP_LENGTH <= stated <= length:
            return None
        length = stated
    elif proto != PROTO_TCP or length < TCP_LENGTH:
        return None
    else:
        header = min(length, max(TCP_LENGTH, data[transport + 12] >> 4 << 2))
    split, total = transport + header, proto + length
    if addresses + size == transport:
        total += word_sum(data[addresses:split])
    else:
        total += word_sum(data[addresses : addresses + size]) + word_sum(data[transport:split])
    return fold(total + payload_sum(bytes(data[split : transport + length]))) == 0xFFFF


def _on_its_way(data: Bytes, place: Place) -> bool:
    """Say whether an IPv6 routing header still has segments left."""
    kind, at = data[place.network + 6], place.network + IPV6_LENGTH
    while kind in EXTENSIONS and at + 8 <= place.transport:
        if kind == PROTO_ROUTING and data[at + 3]:
            return True
        kind, at = data[at], at + extension_length(kind, data[at + 1])
    return False
