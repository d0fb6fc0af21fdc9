"""GRO's view of UDP: whole datagrams merged where somebody asked for it, and tunnels looked into.

Source: net/ipv4/udp_offload.c (`udp4_gro_receive`, `udp_gro_receive`, `udp_gro_receive_segment`),
drivers/net/vxlan/vxlan_core.c (`vxlan_gro_receive`).
"""

from __future__ import annotations

from enum import IntEnum
from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model.gro import csum, rules
from rxviz.model.gro.attach import gro_receive, gro_receive_list
from rxviz.model.gro.inet import network_matches
from rxviz.model.gro.ipv6 import pseudo_header
from rxviz.model.gro.packet import Checksum, GroPacket
from rxviz.model.gro.vlan import eth_gro_receive
from rxviz.wire.numbers import PROTO_UDP, UDP_LENGTH, VXLAN_LENGTH

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro

_header = Struct("!HHHH").unpack_from


class Socket(IntEnum):
    """What a look-up of a local socket finds."""

    NONE = 0
    PLAIN = 1
    UDP_GRO = 2
    VXLAN = 3


def udp4_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look at a UDP header; IPv6 does the same."""
    if not g.whole(skb, UDP_LENGTH):
        return None
    _, dport, _, check = _header(skb.data, skb.data_offset)
    if not skb.flush:
        pseudo = pseudo_header(skb, PROTO_UDP)
        if not g.ask.holds(rules.UDP_SUM, csum.validate(g, skb, pseudo, zero=not check), check):
            skb.flush = True
            return None
        if check:
            csum.try_convert(skb, pseudo)
    return _udp_gro_receive(g, flow, skb, _lookup(g, skb, dport))


udp6_gro_receive = udp4_gro_receive


def _lookup(g: Gro, skb: GroPacket, port: int) -> Socket:
    """Find the local socket. Nobody looks before some socket of the host tunnels or has asked for UDP_GRO."""
    config = g.config
    if not config.vxlan_ports and not config.udp_gro_ports and not config.udp_gro:
        return Socket.NONE
    off = skb.network[skb.encap_mark]
    target = skb.data[off + 24 : off + 40] if skb.data[off] >> 4 == 6 else skb.data[off + 16 : off + 20]
    if config.local is not None and target not in config.local:
        return Socket.NONE
    if port in config.vxlan_ports:
        return Socket.VXLAN
    if config.udp_gro or port in config.udp_gro_ports:
        return Socket.UDP_GRO
    return Socket.PLAIN if port in config.udp_ports else Socket.NONE


def _udp_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket, socket: Socket) -> GroPacket | None:
    if socket is Socket.VXLAN:
        return _tunnel(g, flow, skb)
    config, kernel = g.config, g.kernel
    wants_list = config.fraglist and kernel.udp_gro and socket is not Socket.UDP_GRO
    forwards = socket is Socket.NONE and config.udp_forwarding and kernel.udp_forwarding
    asked = wants_list or forwards or (socket is Socket.UDP_GRO and kernel.udp_gro)
    if not g.ask.holds(rules.UDP_ASKED, asked):
        skb.flush = True
        return None
    skb.is_flist = wants_list
    return g.call(_segment, flow, skb)


def _segment(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Merge datagrams of one flow and, but for the last, of one length (`udp_gro_receive_segment`)."""
    ask, off = g.ask, skb.data_offset
    _, _, length, check = _header(skb.data, off)
    there = skb.gro_len
    sound = ask.holds(rules.UDP_HAS_SUM, check != 0) and ask.holds(
        rules.UDP_LENGTH, length > UDP_LENGTH and length == there, there, length
    )
    if not sound:
        skb.flush = True
        return None
    skb.data_offset = off + UDP_LENGTH
    ports = skb.data[off : off + 4]
    p = next((p for p in flow if ask.same(rules.UDP_PORTS, ports, p.data[p.transport : p.transport + 4], p.id)), None)
    if p is None:
        return None
    if not ask.holds(rules.UDP_SAME_WAY, skb.is_flist == p.is_flist, skb.is_flist, p.is_flist, p.id):
        skb.flush = True
        return p
    return _join(g, skb, p, length)


def _join(g: Gro, skb: GroPacket, p: GroPacket, length: int) -> GroPacket | None:
    ask = g.ask
    first = _header(p.data, p.transport)[2]
    matches = network_matches(g, skb, p)
    fits = ask.holds(rules.UDP_NOT_LONGER, length <= first, length - UDP_LENGTH, first - UDP_LENGTH, p.id)
    joined = False
    if fits and matches:
        if skb.is_flist:
            state, held = skb.ip_summed * 4 + skb.csum_level, p.ip_summed * 4 + p.csum_level
            if not ask.holds(rules.UDP_LIST_SUM, state == held, state, held, p.id):
                skb.flush = True
                return None
            joined = gro_receive_list(g, p, skb)
        else:
            joined = gro_receive(g, p, skb)
    if not joined:
        return p
    short = not ask.holds(rules.UDP_SHORT, length == first, length - UDP_LENGTH, first - UDP_LENGTH, p.id)
    full = not ask.holds(rules.UDP_COUNT, p.count < g.kernel.udp_count_max, p.count, g.kernel.udp_count_max, p.id)
    return p if short or full else None


def _tunnel(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look into a tunnel that ends at a socket of this host."""
    ask, off = g.ask, skb.data_offset
    check = _header(skb.data, off)[3]
    verified = not check or skb.ip_summed is Checksum.PARTIAL or skb.csum_cnt > 0 or skb.csum_valid
    sound = ask.holds(rules.ONE_TUNNEL, not skb.encap_mark) and ask.holds(rules.OUTER_CHECKSUM, verified, check)
    if not sound:
        skb.flush = True
        return None
    skb.encap_mark = 1
    ports = skb.data[off : off + 4]
    flow = [
        p
        for p in flow
        if ask.same(rules.SAME_OUTER_PORTS, ports, p.data[off : off + 4], p.id)
        and ask.same(rules.SAME_CHECKSUM_USE, check != 0, _header(p.data, off)[3] != 0, p.id)
    ]
    skb.data_offset = off + UDP_LENGTH
    csum.pulled(skb, off, UDP_LENGTH)
    return g.call(_vxlan_gro_receive, flow, skb)


def _vxlan_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    if not g.whole(skb, VXLAN_LENGTH):
        return None
    off = skb.data_offset
    header = skb.data[off : off + VXLAN_LENGTH]
    csum.pulled(skb, off, VXLAN_LENGTH)
    skb.data_offset = off + VXLAN_LENGTH
    flow = [p for p in flow if g.ask.same(rules.SAME_VXLAN, header, p.data[off : off + VXLAN_LENGTH], p.id)]
    return g.call(eth_gro_receive, flow, skb)
