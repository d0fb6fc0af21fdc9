"""Where the outermost IP header, its transport header and its end lie: one lean pass for the hot paths."""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from rxviz.wire.numbers import (
    ETH_LENGTH,
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_PPPOE,
    EXTENSIONS,
    FIRST_ETHERTYPE,
    IP6_OFFSET_MASK,
    IP_FRAGMENT_MASK,
    IP_OFFSET_MASK,
    IPV4_LENGTH,
    IPV6_LENGTH,
    PPP_TO_ETHERTYPE,
    PPPOE_LENGTH,
    PROTO_FRAGMENT,
    VLAN_LENGTH,
    VLAN_TYPES,
    Bytes,
    extension_length,
)

_MAX_TAGS = 8
_MAX_EXTENSIONS = 16

_u16 = Struct("!H").unpack_from
_tag = Struct("!HH").unpack_from
_ipv4_words = Struct("!BxHxxHxB").unpack_from
_ipv6_words = Struct("!4xHB").unpack_from


class Place(NamedTuple):
    """Offsets into a frame, in bytes from the start of the data; all of them are inside the data.

    `tags` are the VLAN ids, outermost first. `network` is where the header of `ethertype` starts. `proto`
    is -1 where there is no IP header that can be read, else `transport` is where its payload starts.
    `end` is where the datagram ends as its length says, clipped to the data; `stated` is the same unclipped,
    or -1 where the length field is 0 (TSO and BIG TCP frames as a capture on the sending machine sees them).
    `fragment` is the byte offset of a fragment, 0 for the first one, and -1 for a whole datagram.
    """

    tags: tuple[int, ...]
    ethertype: int
    network: int
    proto: int
    transport: int
    end: int
    stated: int
    fragment: int


def locate(data: Bytes, at: int = 0, end: int | None = None) -> Place | None:
    """Find the outermost IP datagram of the Ethernet frame in data[at:end]; None below 14 bytes."""
    if end is None:
        end = len(data)
    if end - at < ETH_LENGTH:
        return None
    ethertype: int = _u16(data, at + 12)[0]
    at += ETH_LENGTH
    tags: tuple[int, ...] = ()
    while ethertype in VLAN_TYPES and end - at >= VLAN_LENGTH and len(tags) < _MAX_TAGS:
        tci, ethertype = _tag(data, at)
        tags += (tci & 0xFFF,)
        at += VLAN_LENGTH
    if ethertype == ETHERTYPE_PPPOE and end - at >= PPPOE_LENGTH:
        length, carried = _tag(data, at + 4)
        if carried in PPP_TO_ETHERTYPE:
            ethertype = PPP_TO_ETHERTYPE[carried]
            end = min(end, at + max(PPPOE_LENGTH, 6 + length))
            at += PPPOE_LENGTH
    if ethertype < FIRST_ETHERTYPE:
        end = min(end, at + ethertype)
    return locate_network(data, ethertype, at, end, tags)


def locate_network(data: Bytes, ethertype: int, at: int, end: int, tags: tuple[int, ...] = ()) -> Place:
    """Find the same from a network header at data[at:end]."""
    if ethertype == ETHERTYPE_IPV4 and end - at >= IPV4_LENGTH:
        first, length, fragment, proto = _ipv4_words(data, at)
        header = (first & 15) << 2
        if first >> 4 == 4 and header >= IPV4_LENGTH and (length >= header or not length):
            stated = at + length if length else -1
            if length and stated < end:
                end = stated
            offset = (fragment & IP_OFFSET_MASK) << 3 if fragment & IP_FRAGMENT_MASK else -1
            return Place(tags, ethertype, at, proto, min(at + header, end), end, stated, offset)
    elif ethertype == ETHERTYPE_IPV6 and end - at >= IPV6_LENGTH and data[at] >> 4 == 6:
        return _locate_ipv6(data, at, end, tags)
    return Place(tags, ethertype, at, -1, at, end, -1, -1)


def _locate_ipv6(data: Bytes, at: int, end: int, tags: tuple[int, ...]) -> Place:
    length, proto = _ipv6_words(data, at)
    transport = at + IPV6_LENGTH
    stated = transport + length if length else -1
    if length and stated < end:
        end = stated
    fragment = -1
    for _ in range(_MAX_EXTENSIONS):
        if proto not in EXTENSIONS or end - transport < 8 or fragment > 0:
            break
        kind, proto = proto, data[transport]
        if kind == PROTO_FRAGMENT:
            word = _u16(data, transport + 2)[0]
            # A fragment that is first and last is a whole datagram (an atomic fragment, RFC 6946).
            fragment = word & IP6_OFFSET_MASK if word & (IP6_OFFSET_MASK | 1) else fragment
        transport += extension_length(kind, data[transport + 1])
    return Place(tags, ETHERTYPE_IPV6, at, proto, min(transport, end), end, stated, fragment)
