"""Headers that only carry an ethertype: VLAN tags in the frame (net/8021q/vlan_core.c), Ethernet in a tunnel
(net/ethernet/eth.c)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.gro import csum, rules
from rxviz.model.gro.packet import ETH_HLEN, GroPacket
from rxviz.wire.numbers import VLAN_LENGTH

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro


def vlan_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look at a VLAN tag that the card left in the frame."""
    if not g.whole(skb, VLAN_LENGTH):
        return None
    off = skb.data_offset
    skb.network[skb.encap_mark] = off + VLAN_LENGTH
    header = skb.data[off : off + VLAN_LENGTH]
    ethertype = int.from_bytes(header[2:], "big")
    handler = g.ethertypes.get(ethertype)
    if not g.ask.holds(rules.INNER_HANDLER, handler is not None, ethertype) or handler is None:
        skb.flush = True
        return None
    flow = [p for p in flow if g.ask.same(rules.SAME_VLAN, header, p.data[off : off + VLAN_LENGTH], p.id)]
    skb.data_offset = off + VLAN_LENGTH
    csum.pulled(skb, off, VLAN_LENGTH)
    return g.call(handler, flow, skb)


def eth_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look at the Ethernet header of a frame inside a tunnel."""
    if not g.whole(skb, ETH_HLEN):
        return None
    off = skb.data_offset
    header = skb.data[off : off + ETH_HLEN]
    flow = [p for p in flow if g.ask.same(rules.SAME_INNER_MAC, header, p.data[off : off + ETH_HLEN], p.id)]
    ethertype = int.from_bytes(header[12:], "big")
    handler = g.ethertypes.get(ethertype)
    if not g.ask.holds(rules.INNER_HANDLER, handler is not None, ethertype) or handler is None:
        skb.flush = True
        return None
    skb.data_offset = off + ETH_HLEN
    csum.pulled(skb, off, ETH_HLEN)
    return g.call(handler, flow, skb)
