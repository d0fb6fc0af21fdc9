"""GRO's view of IPv4, and what both IP versions are compared on at the transport layer.

Sources: net/ipv4/af_inet.c (`inet_gro_receive`, `ipip_gro_receive`), include/net/gro.h (`inet_gro_flush`,
`ipv6_gro_flush`, `gro_receive_network_flush`).
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model.gro import rules
from rxviz.model.gro.kernel import BOTH_IDS
from rxviz.model.gro.packet import GroPacket
from rxviz.wire.checksum import ones_sum
from rxviz.wire.numbers import IP_FRAGMENT_MASK, IPV4_LENGTH

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro

_header = Struct("!BBHHHBBH").unpack_from
_u32 = Struct("!I").unpack_from
_PLAIN = 0x45
_RESERVED, _DF = 0x8000, 0x4000
_GOOD_SUM = 0xFFFF
_VERSION6 = 6


def inet_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look at an IPv4 header, narrow the flow by protocol and addresses, and go on to the transport layer."""
    if not g.whole(skb, IPV4_LENGTH):
        return None
    off, data, ask = skb.data_offset, skb.data, g.ask
    first, _, total, _, fragment, _, proto, check = _header(data, off)
    handler, kernel = g.inet.get(proto), g.kernel
    walks_on = kernel.fragments == "condemned"
    plain = (
        ask.holds(rules.IP_HANDLER, handler is not None, proto)
        and ask.holds(rules.NO_OPTIONS, first == _PLAIN, first, _PLAIN)
        and (walks_on or ask.holds(rules.NOT_FRAGMENT, not fragment & IP_FRAGMENT_MASK, fragment))
        and ask.holds(rules.IP_CHECKSUM, ones_sum(data[off : off + IPV4_LENGTH]) == _GOOD_SUM, check)
    )
    if not plain or handler is None:
        skb.flush = True
        return None
    there = skb.gro_len
    fits = ask.holds(rules.IP_LENGTH, total == there & 0xFFFF, there, total)
    if not ask.holds(rules.IP_RESERVED, not fragment & _RESERVED, fragment) or not fits:
        skb.flush = True
    if walks_on and not ask.holds(rules.WHOLE_DATAGRAM, not fragment & IP_FRAGMENT_MASK, fragment):
        skb.flush = True
    if kernel.no_df == "condemned" and not ask.holds(rules.NEEDS_DF, bool(fragment & _DF), fragment):
        skb.flush = True

    if flow:
        same, source, target = ask.same, data[off + 12 : off + 16], data[off + 16 : off + 20]
        quiet, both = ask.quiet, data[off + 12 : off + 20]
        flow = [
            p
            for p in flow
            if (quiet and both == p.data[off + 12 : off + 20] and proto == p.data[off + 9])
            or (
                same(rules.SAME_PROTOCOL, proto, p.data[off + 9], p.id)
                and same(rules.SAME_SOURCE, source, p.data[off + 12 : off + 16], p.id)
                and same(rules.SAME_TARGET, target, p.data[off + 16 : off + 20], p.id)
            )
        ]
    skb.network[skb.encap_mark] = off
    skb.data_offset = skb.transport = off + IPV4_LENGTH
    skb.proto = proto
    return g.call(handler, flow, skb)


def ipip_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """IPv4 inside IP: a tunnel, of which a packet may have one."""
    if not enter_tunnel(g, skb):
        return None
    return inet_gro_receive(g, flow, skb)


def enter_tunnel(g: Gro, skb: GroPacket) -> bool:
    """Mark that the packet is in a tunnel; condemn it when it was in one already."""
    if not g.ask.holds(rules.ONE_TUNNEL, not skb.encap_mark):
        skb.flush = True
        return False
    skb.encap_mark = 1
    return True


def network_matches(g: Gro, skb: GroPacket, p: GroPacket) -> bool:
    """Compare what IP headers of one flow may differ in (`gro_receive_network_flush`)."""
    if not p.encap_mark or not skb.encap_mark:  # one alone in a tunnel: only where identity is not asked
        return _matches(g, skb, p, p.network[0], False)
    outer = _matches(g, skb, p, p.network[0], True)
    return _matches(g, skb, p, p.network[1], False) and outer


def _matches(g: Gro, skb: GroPacket, p: GroPacket, off: int, outer: bool) -> bool:
    if skb.data[off] >> 4 == _VERSION6:
        return _ipv6_matches(g, skb, p, off, outer)
    return _ipv4_matches(g, skb, p, off, outer)


def _ipv6_matches(g: Gro, skb: GroPacket, p: GroPacket, off: int, outer: bool) -> bool:
    same, new, old = g.ask.same, skb.data, p.data
    traffic, held = _u32(new, off)[0] >> 20 & 0xFF, _u32(old, off)[0] >> 20 & 0xFF
    hops = g.kernel.hop_limit == "identity" or same(
        rules.SAME_OUTER_TTL if outer else rules.SAME_HOPS, new[off + 7], old[off + 7], p.id
    )
    return same(rules.SAME_OUTER_TOS if outer else rules.SAME_CLASS, traffic, held, p.id) and hops


def _ipv4_matches(g: Gro, skb: GroPacket, p: GroPacket, off: int, outer: bool) -> bool:
    same = g.ask.same
    _, tos, _, ip_id, fragment, ttl, _, _ = _header(skb.data, off)
    _, tos2, _, ip_id2, fragment2, ttl2, _, _ = _header(p.data, off)
    df, df2 = fragment >> 14 & 1, fragment2 >> 14 & 1
    if g.ask.quiet and ttl == ttl2 and tos == tos2 and df == df2:
        return _id_fits(g, p, ip_id, ip_id2, df, outer)
    good = same(rules.SAME_OUTER_TTL if outer else rules.SAME_TTL, ttl, ttl2, p.id)
    good &= same(rules.SAME_OUTER_TOS if outer else rules.SAME_TOS, tos, tos2, p.id)
    good &= same(rules.SAME_OUTER_DF if outer else rules.SAME_DF, df, df2, p.id)
    return good and _id_fits(g, p, ip_id, ip_id2, df, outer)


def _id_fits(g: Gro, p: GroPacket, ip_id: int, first: int, df: int, outer: bool) -> bool:
    """The ID counts up by one a segment from the first, or stays; the second packet decides which, once for all."""
    rule = g.kernel.ip_id
    if outer and df and rule != BOTH_IDS:
        return True
    bit = 2 if outer else 1
    may_be_fixed = rule == BOTH_IDS or (rule == "fixed with DF" and df)
    if p.count == 1 and may_be_fixed and ip_id == first:
        p.fixed_id |= bit
    expected = first if p.fixed_id & bit else (first + p.count) & 0xFFFF
    return g.ask.holds(rules.OUTER_IP_ID if outer else rules.IP_ID, ip_id == expected, ip_id, expected, p.id)
