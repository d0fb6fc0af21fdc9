"""GRO's view of GRE (net/ipv4/gre_offload.c): version 0, with key and checksum at most."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model.gro import csum, rules
from rxviz.model.gro.inet import enter_tunnel
from rxviz.model.gro.packet import GroPacket
from rxviz.wire.numbers import GRE_CHECKSUM, GRE_KEY, gre_length

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro

_base = Struct("!HH").unpack_from
_SECTION = 4


def gre_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Look at a GRE header and go on to what it carries: IP, or a whole Ethernet frame (TEB)."""
    if not enter_tunnel(g, skb) or not g.whole(skb, _SECTION):
        return None
    off, ask = skb.data_offset, g.ask
    flags, ethertype = _base(skb.data, off)
    handler = g.ethertypes.get(ethertype)
    size = gre_length(flags)
    known = ask.holds(rules.GRE_PLAIN, not flags & ~(GRE_KEY | GRE_CHECKSUM), flags) and ask.holds(
        rules.INNER_HANDLER, handler is not None, ethertype
    )
    if not known or handler is None:
        skb.flush = True
        return None
    if not g.whole(skb, size):
        return None
    if flags & GRE_CHECKSUM and not skb.flush:
        if not ask.holds(rules.GRE_SUM, csum.validate(g, skb, 0)):
            skb.flush = True
            return None
        csum.try_convert(skb, 0)
    flow = [p for p in flow if _same_tunnel(g, skb, p, off, flags, size)]
    skb.data_offset = off + size
    csum.pulled(skb, off, size)
    return g.call(handler, flow, skb)


def _same_tunnel(g: Gro, skb: GroPacket, p: GroPacket, off: int, flags: int, size: int) -> bool:
    if not g.ask.same(rules.SAME_GRE, skb.data[off : off + _SECTION], p.data[off : off + _SECTION], p.id):
        return False
    if not flags & GRE_KEY:
        return True
    # The kernel compares the four bytes behind the base header, which are the checksum where there is one.
    key, held = skb.data[off + _SECTION : off + 2 * _SECTION], p.data[off + _SECTION : off + 2 * _SECTION]
    return g.ask.same(rules.SAME_GRE_KEY, int.from_bytes(key, "big"), int.from_bytes(held, "big"), p.id)
