"""GRO's view of TCP (net/ipv4/tcp_offload.c, net/ipv6/tcpv6_offload.c)."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model.gro import csum, rules
from rxviz.model.gro.attach import gro_receive, gro_receive_list
from rxviz.model.gro.inet import network_matches
from rxviz.model.gro.ipv6 import pseudo_header
from rxviz.model.gro.packet import GroPacket
from rxviz.wire.numbers import PROTO_TCP, TCP_LENGTH

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro
    from rxviz.model.gro.trace import Inquiry

_header = Struct("!IIIHH").unpack_from
"""Both ports, sequence number, ACK number, header length with the flags, window."""
FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))
_COMPARED = 0xFFF & ~(FIN | PSH | CWR)
"""Every flag down to the reserved ones (AccECN's AE is among them), but those with rules of their own."""
_WORD = 0xFFFF & ~(FIN | PSH | CWR)
"""Those and the header's length."""
_CLOSING = URG | PSH | RST | SYN | FIN
_LIST_MAX = 64


def tcp4_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
    """Verify the checksum, unless the packet is condemned anyway, and go on; IPv6 does the same."""
    if not g.whole(skb, TCP_LENGTH):
        return None
    off = skb.data_offset
    if not skb.flush and not g.ask.holds(rules.TCP_SUM, csum.validate(g, skb, pseudo_header(skb, PROTO_TCP))):
        skb.flush = True
        return None
    words = skb.data[off + 12] >> 4
    if not g.ask.holds(rules.TCP_OFFSET, words * 4 >= TCP_LENGTH, words, 5):
        skb.flush = True
        return None
    if not g.whole(skb, words * 4):
        return None
    skb.data_offset = off + words * 4
    return _tcp_gro_receive(g, flow, skb, off)


tcp6_gro_receive = tcp4_gro_receive


def _lookup(g: Gro, flow: list[GroPacket], skb: GroPacket, off: int) -> GroPacket | None:
    """Find the one held packet of this connection (`tcp_gro_lookup`)."""
    ports = skb.data[off : off + 4]
    for p in flow:
        if g.ask.same(rules.TCP_PORTS, ports, p.data[p.transport : p.transport + 4], p.id):
            return p
    return None


def _tcp_gro_receive(g: Gro, flow: list[GroPacket], skb: GroPacket, off: int) -> GroPacket | None:
    p = _lookup(g, flow, skb, off)
    if g.config.fraglist and g.kernel.tcp_fraglist:
        skb.is_flist = p.is_flist if p is not None else True
    flags = _header(skb.data, off)[3] & 0xFFF
    mss = 1
    if p is not None and _may_join(g, skb, p, off) and _attach(g, skb, p, flags):
        mss = p.gso_size
    merged = skb.same_flow
    close = _closes(g, skb, flags, mss, merged)
    if close:
        skb.flush = True
    return p if p is not None and (not merged or close) else None


def _may_join(g: Gro, skb: GroPacket, p: GroPacket, off: int) -> bool:
    """Ask all that a segment may be refused for; the kernel asks on after a refusal, and so does this."""
    ask, held = g.ask, p.id
    _, seq, ack, bits, window = _header(skb.data, off)
    _, seq2, ack2, bits2, window2 = _header(p.data, p.transport)
    good = _cwr_fits(g, bits, bits2, held)
    if not ask.quiet or (ack, bits & _WORD, window) != (ack2, bits2 & _WORD, window2):
        good &= _words_match(g, skb, p, off)
    size = skb.data_offset - off
    if size > TCP_LENGTH:
        options = skb.data[off + TCP_LENGTH : off + size]
        good &= ask.same(rules.SAME_TCP_OPTIONS, options, p.data[p.transport + TCP_LENGTH : p.transport + size], held)
    good &= network_matches(g, skb, p)
    length = skb.gro_len
    if skb.gso_size:
        good &= ask.same(rules.SAME_GSO_SIZE, skb.gso_size, p.gso_size, held)
    else:
        good &= ask.holds(rules.HAS_PAYLOAD, length > 0, length, 1, held)
        good &= ask.holds(rules.NOT_LONGER, length <= p.gso_size, length, p.gso_size, held)
    expected = (seq2 + p.gro_len) & 0xFFFFFFFF
    return good & ask.holds(rules.IN_SEQUENCE, seq == expected, seq, expected, held)


def _words_match(g: Gro, skb: GroPacket, p: GroPacket, off: int) -> bool:
    ask, held = g.ask, p.id
    _, _, ack, bits, window = _header(skb.data, off)
    _, _, ack2, bits2, window2 = _header(p.data, p.transport)
    good = ask.same(rules.SAME_DOFF, bits >> 12, bits2 >> 12, held)
    good &= ask.same(rules.SAME_FLAGS, bits & _COMPARED, bits2 & _COMPARED, held)
    good &= ask.same(rules.SAME_WINDOW, window, window2, held)
    return good & ask.same(rules.SAME_ACK, ack, ack2, held)


def _cwr_fits(g: Gro, bits: int, bits2: int, held: int) -> bool:
    if not (bits | bits2) & CWR and g.ask.quiet:
        return True
    good = True
    if g.kernel.cwr != "equal":
        good = g.ask.holds(rules.NO_CWR, not bits & CWR, 1, 0, held)
    if g.kernel.cwr != "refused":
        good &= g.ask.same(rules.SAME_CWR, bits >> 7 & 1, bits2 >> 7 & 1, held)
    return good


def _attach(g: Gro, skb: GroPacket, p: GroPacket, flags: int) -> bool:
    if not p.is_flist:
        if not gro_receive(g, p, skb):
            return False
        p.more_flags |= flags & (FIN | PSH)
        return True
    ask, held = g.ask, p.id
    flags2 = _header(p.data, p.transport)[3] & 0xFFF
    good = ask.same(rules.LIST_FLAGS, flags, flags2, held)
    good &= ask.same(rules.LIST_SUM, skb.ip_summed * 4 + skb.csum_level, p.ip_summed * 4 + p.csum_level, held)
    good &= ask.holds(rules.LIST_COUNT, p.count < _LIST_MAX, p.count, _LIST_MAX, held)
    return good and gro_receive_list(g, p, skb)


def _closes(g: Gro, skb: GroPacket, flags: int, mss: int, merged: bool) -> bool:
    """Say whether this segment ends its packet."""
    ask, length = g.ask, skb.gro_len
    if skb.gso_size:
        whole = length == skb.count * skb.gso_size
        close = not ask.holds(rules.FLUSH_ON_SHORT, whole, length, skb.count * skb.gso_size)
    else:
        rule = rules.FLUSH_ON_SHORT if merged else rules.FLUSH_ON_EMPTY
        close = not ask.holds(rule, length >= mss, length, mss)
    if not flags & _CLOSING and ask.quiet:
        return close
    return _flag_closes(ask, flags) or close


def _flag_closes(ask: Inquiry, flags: int) -> bool:
    close = False
    for rule, bit in _CLOSE_BITS:
        close |= not ask.holds(rule, not flags & bit)
    return close


_CLOSE_BITS = (
    (rules.FLUSH_ON_URG, URG),
    (rules.FLUSH_ON_PSH, PSH),
    (rules.FLUSH_ON_RST, RST),
    (rules.FLUSH_ON_SYN, SYN),
    (rules.FLUSH_ON_FIN, FIN),
)
