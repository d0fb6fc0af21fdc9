"""How a packet's payload joins the held one: no byte is copied, memory changes its owner.

Source: net/core/gro.c (`skb_gro_receive`, `skb_gro_receive_list`). Three ways: the fragments move over; the head's own
page becomes a fragment (build_skb drivers); or the whole skb is chained to the fragment list.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.gro import rules
from rxviz.model.gro.packet import GroPacket
from rxviz.wire.numbers import ETHERTYPE_IPV4, ETHERTYPE_IPV6, PROTO_TCP

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro

FREE, FREE_STOLEN_HEAD = 1, 2
"""`napi_gro_cb.free`: all of the skb goes, or only its sk_buff while its head lives on as a fragment."""


def gro_receive(g: Gro, p: GroPacket, skb: GroPacket) -> bool:
    """Move `skb`'s payload to `p`; False when a limit forbids it, and then nothing has changed."""
    if not _within_limits(g, p, skb):
        return False
    kernel, last = g.kernel, p.last or p
    strict = kernel.frag_limit == "ends the packet"
    if strict and not p.frag_list and not _fits(g, p, skb):
        return False
    chained = strict and bool(p.frag_list)
    if not chained and skb.headlen <= skb.data_offset and last.nr_frags + skb.nr_frags <= kernel.max_skb_frags:
        last.nr_frags += skb.nr_frags
        charged = skb.truesize - (skb.head_size + kernel.sk_buff_size + kernel.shinfo_size)
        skb.free = FREE
    elif not chained and skb.head_frag and skb.headlen > skb.data_offset and _has_slot(g, last, skb):
        last.nr_frags += 1 + skb.nr_frags
        charged = skb.truesize - kernel.sk_buff_size
        skb.free = FREE_STOLEN_HEAD
    else:
        charged = skb.truesize
        p.frag_list.append(skb)
        p.last = skb
    _account(p, skb, skb.gro_len, charged)
    return True


def gro_receive_list(g: Gro, p: GroPacket, skb: GroPacket) -> bool:
    """Chain the whole skb, for a device that passes packets on and wants them apart again (rx-gro-list)."""
    limit = g.kernel.legacy_max_size
    fits = g.ask.holds(rules.MAX_SIZE, p.len + skb.len < limit, p.len + skb.len, limit, p.id)
    if not g.ask.holds(rules.NOT_CONDEMNED, not skb.flush, 1, 0, p.id) or not fits:
        return False
    p.frag_list.append(skb)
    p.last = skb
    _account(p, skb, skb.gro_len, skb.truesize)
    return True


def _within_limits(g: Gro, p: GroPacket, skb: GroPacket) -> bool:
    ask, kernel = g.ask, g.kernel
    if kernel.page_pool_checked and not ask.same(rules.PAGE_POOL, skb.pp_recycle, p.pp_recycle, p.id):
        return False
    size = p.len + skb.gro_len
    limit = g.config.max_size if p.protocol == ETHERTYPE_IPV6 else g.config.ipv4_max_size
    fits = ask.holds(rules.MAX_SIZE, size < limit, size, limit, p.id)
    if not ask.holds(rules.NOT_CONDEMNED, not skb.flush, 1, 0, p.id) or not fits:
        return False
    if size < kernel.legacy_max_size:
        return True
    return ask.holds(rules.BIG_TCP, may_be_big(g, p, skb), size, kernel.legacy_max_size - 1, p.id)


def may_be_big(g: Gro, p: GroPacket, skb: GroPacket) -> bool:
    """Say whether this kernel can pass on such a packet with more bytes than an IP header can say."""
    if skb.proto != PROTO_TCP or skb.encap_mark or g.kernel.big_tcp == "no":
        return False
    if p.protocol == ETHERTYPE_IPV6:
        return g.config.jumbo_room
    return p.protocol == ETHERTYPE_IPV4 and g.kernel.big_tcp == "both"


def _fits(g: Gro, p: GroPacket, skb: GroPacket) -> bool:
    """Ask whether the slots that are left take `skb`'s payload, where nothing else could."""
    slots, most = _slots(p, skb), g.kernel.max_skb_frags
    return slots <= most or g.ask.holds(rules.FRAG_SLOTS, False, slots, most, p.id)


def _has_slot(g: Gro, last: GroPacket, skb: GroPacket) -> bool:
    return last.nr_frags + 1 + skb.nr_frags <= g.kernel.max_skb_frags


def _slots(last: GroPacket, skb: GroPacket) -> int:
    """Fragment slots that `last` would use with `skb`'s payload; 0 where the head cannot become one."""
    if skb.headlen <= skb.data_offset:
        return last.nr_frags + skb.nr_frags
    return last.nr_frags + 1 + skb.nr_frags if skb.head_frag else 0


def _account(p: GroPacket, skb: GroPacket, size: int, charged: int) -> None:
    p.count += skb.count
    p.len += size
    p.truesize += charged
    p.merged.append(skb)
    p.segments += skb.segments
    skb.segments = p.segments
    skb.same_flow = True
