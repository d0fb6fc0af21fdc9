"""GRO's view of IPv6 and its extension headers (net/ipv6/ip6_offload.c)."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model.gro import csum, rules
from rxviz.model.gro.inet import enter_tunnel
from rxviz.model.gro.packet import GroPacket
from rxviz.wire.numbers import (
    IPV6_LENGTH,
    PROTO_DEST_OPTIONS,
    PROTO_HOP_OPTIONS,
    PROTO_ROUTING,
    extension_length,
)

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro

_header = Struct("!IHB").unpack_from
_IDENTITY_BITS = 0xF00FFFFF
"""Version and flow label; between them lies the traffic class."""
WALKED = frozenset((PROTO_HOP_OPTIONS, PROTO_ROUTING, PROTO_DEST_OPTIONS))
"""Extension headers that GRO steps over (INET6_PROTO_GSO_EXTHDR); a fragment header is not among them."""


def ipv6_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look at an IPv6 header, narrow the flow by all but length, traffic class and hop limit, and go on."""
    if not g.whole(skb, IPV6_LENGTH):
        return None
    off, data, ask = skb.data_offset, skb.data, g.ask
    skb.network[skb.encap_mark] = off
    word, length, next_header = _header(data, off)
    there = skb.len - off - IPV6_LENGTH
    end, proto = off + IPV6_LENGTH, next_header
    if proto not in g.inet6:
        end, proto = _walk(skb, end, proto)
    handler = g.inet6.get(proto)
    skb.data_offset = end
    if not ask.holds(rules.IP6_HANDLER, handler is not None, proto) or handler is None:
        skb.flush = True
        return None
    if not ask.holds(rules.IP6_LENGTH, length == there, there, length):
        skb.flush = True
    if flow:
        flow = [p for p in flow if _same_flow(g, p, off, end, data, word, next_header)]
    skb.transport = end
    skb.proto = proto
    csum.pulled(skb, off, end - off)
    return g.call(handler, flow, skb)


def _walk(skb: GroPacket, at: int, proto: int) -> tuple[int, int]:
    """Step over the extension headers that GRO knows, as long as they are whole; return where, and what is next."""
    known = min(skb.len, len(skb.data))
    while proto in WALKED and at + 8 <= known:
        size = extension_length(proto, skb.data[at + 1])
        if at + size > known:
            break
        proto = skb.data[at]
        at += size
    return at, proto


def _same_flow(g: Gro, p: GroPacket, off: int, end: int, data: bytes, word: int, next_header: int) -> bool:
    same, old = g.ask.same, p.data
    word2, _, next_header2 = _header(old, off)
    start = off + IPV6_LENGTH
    return (
        same(rules.SAME_LABEL, word & _IDENTITY_BITS, word2 & _IDENTITY_BITS, p.id)
        and same(rules.SAME_SOURCE6, data[off + 8 : off + 24], old[off + 8 : off + 24], p.id)
        and same(rules.SAME_TARGET6, data[off + 24 : start], old[off + 24 : start], p.id)
        and same(rules.SAME_NEXT, next_header, next_header2, p.id)
        and (g.kernel.hop_limit != "identity" or same(rules.FLOW_HOPS, data[off + 7], old[off + 7], p.id))
        and (start == end or same(rules.SAME_EXTENSIONS, data[start:end], old[start:end], p.id))
    )


def sit_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """IPv6 inside IP: a tunnel, of which a packet may have one."""
    if not enter_tunnel(g, skb):
        return None
    return ipv6_gro_receive(g, flow, skb)


def pseudo_header(skb: GroPacket, proto: int) -> int:
    """Return the sum of the pseudo header for all bytes from here on, by the innermost IP header."""
    off = skb.network[skb.encap_mark]
    addresses = skb.data[off + 8 : off + 40] if skb.data[off] >> 4 == 6 else skb.data[off + 12 : off + 20]
    length = skb.gro_len
    return int.from_bytes(addresses, "big") + proto + (length >> 16) + (length & 0xFFFF)
