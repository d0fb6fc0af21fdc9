"""What LRO asks of a packet: the rules of inet_lro and of mv643xx_eth in front of it, in their order.

Sources: net/ipv4/inet_lro.c (`lro_tcp_ip_check`, `__lro_proc_skb`), drivers/net/ethernet/marvell/mv643xx_eth.c
(`mv643xx_get_skb_header`, `rxq_process`), both as in Linux 3.9.
"""

from __future__ import annotations

from struct import Struct

from rxviz.model.gro.packet import Checksum, GroPacket
from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Check
from rxviz.wire.checksum import ones_sum
from rxviz.wire.numbers import ETHERTYPE_IPV4, IP_FRAGMENT_MASK, IPV4_LENGTH, PROTO_TCP, TCP_LENGTH

_header = Struct("!BBHHHBBH4s4s").unpack_from
tcp_header = Struct("!4sIIHHHH").unpack_from
"""Both ports, sequence number, ACK number, header length with the flags, window, checksum, urgent pointer."""
_u32 = Struct("!I").unpack_from
_ACK, _REJECTED = 0x10, 0x80 | 0x40 | 0x20 | 0x04 | 0x02 | 0x01
_CE = 3
_PLAIN = 0x45
_GOOD_SUM = 0xFFFF
_STAMPS = 0x0101080A
WITH_STAMPS = 32
"""Bytes of a TCP header with two NOPs and timestamps."""
_HALF = 1 << 31

RULES: dict[str, Rule] = {}
"""Every rule by its name, in the order in which they are asked."""


def _rule(name: str, kind: Kind, where: str, asks: str, fails: str, shape: str = "number") -> Rule:
    rule = Rule(name, kind, asks, fails, where, shape)
    RULES[name] = rule
    return rule


_DRIVER, _CHECK, _MANAGER = "mv643xx_get_skb_header", "lro_tcp_ip_check", "__lro_proc_skb"
VERIFIED = _rule(
    "lro_verified", Kind.EXIT, "rxq_process", "the card has verified the checksum", "the card vouches for no checksum"
)
TCP4 = _rule("lro_tcp4", Kind.EXIT, _DRIVER, "untagged TCP over IPv4", "not untagged TCP over IPv4")
HEADER = _rule("lro_ip_checksum", Kind.EXIT, _DRIVER, "IPv4 header checksum right", "IPv4 header checksum is wrong")
FREE = _rule(
    "lro_descriptor", Kind.EXIT, "lro_get_desc", "a descriptor is free", "no descriptor is free: all {old} are in use"
)
SEQUENCE = _rule(
    "lro_in_sequence", Kind.EXIT, _MANAGER, "next in sequence", "not next in sequence: {new}, expected {old}"
)
LENGTH = _rule(
    "lro_length",
    Kind.EXIT,
    _CHECK,
    "IPv4 length is what arrived",
    "IPv4 length is not what arrived: {old} bytes, {new} are there",
)
PAYLOAD = _rule("lro_payload", Kind.EXIT, _CHECK, "has payload", "it carries no payload")
OPTIONS = _rule("lro_no_ip_options", Kind.EXIT, _CHECK, "IPv4 without options", "IPv4 header with options")
FLAGS = _rule(
    "lro_flags",
    Kind.EXIT,
    _CHECK,
    "ACK, and no CWR, ECE, URG, RST, SYN, FIN",
    "flags that are not merged: {new}",
    "flags",
)
MARK = _rule("lro_not_ce", Kind.EXIT, _CHECK, "not marked as congested", "marked as congested (CE)")
STAMPS = _rule("lro_stamps", Kind.EXIT, _CHECK, "no options, or only timestamps", "other TCP options than timestamps")
OLDER = _rule(
    "lro_not_older", Kind.EXIT, _CHECK, "timestamp does not go back", "timestamp goes back: {new}, held {old}"
)
ECHO = _rule("lro_echo", Kind.EXIT, _CHECK, "an echoed timestamp", "no echoed timestamp")
FULL = _rule(
    "lro_full", Kind.CLOSE, _MANAGER, "room for more", "the packet is full: {new} segments of {old}, or 64 KB are near"
)
JOINS = _rule("lro_joins", Kind.OUTCOME, "lro_add_packet", "joins the held packet", "joins the held packet")
FIRST = _rule("lro_first", Kind.OUTCOME, "lro_init_desc", "first of its connection", "first of its connection")
POLL_END = _rule("lro_poll_end", Kind.OUTCOME, "lro_flush_all", "the poll ends", "poll end")


def from_card(skb: GroPacket) -> Check | None:
    """Ask what the card says of a packet's checksum; one that it does not vouch for never comes to LRO."""
    return Check(VERIFIED, False, 0, 1, -1) if skb.ip_summed is Checksum.NONE else None


def from_driver(skb: GroPacket) -> Check | None:
    """Ask what the driver's callback asks before LRO looks at a packet; return what failed.

    Where it passes, `skb` knows where its transport header and its payload start. What the card makes of fragments is
    not documented; here it does not call them TCP (badge H).
    """
    data = skb.data
    if skb.protocol != ETHERTYPE_IPV4 or skb.tag or len(data) < IPV4_LENGTH + TCP_LENGTH or data[0] >> 4 != 4:
        return Check(TCP4, False, skb.protocol, ETHERTYPE_IPV4, -1)
    at = transport(skb)
    fragment = int.from_bytes(data[6:8], "big") & IP_FRAGMENT_MASK
    if data[9] != PROTO_TCP or fragment or at < IPV4_LENGTH or len(data) < at + TCP_LENGTH:
        return Check(TCP4, False, skb.protocol, ETHERTYPE_IPV4, -1)
    if ones_sum(data[:at]) != _GOOD_SUM:
        return Check(HEADER, False, int.from_bytes(data[10:12], "big"), 0, -1)
    end = at + (data[at + 12] >> 4) * 4
    if not at + TCP_LENGTH <= end <= len(data):
        return Check(TCP4, False, skb.protocol, ETHERTYPE_IPV4, -1)
    skb.transport, skb.proto, skb.data_offset = at, PROTO_TCP, end
    return None


def transport(skb: GroPacket) -> int:
    """Return where the TCP header of an IPv4 packet starts."""
    return (skb.data[0] & 15) * 4


def from_library(skb: GroPacket, held: int, expected: int | None, oldest: int | None) -> Check | None:
    """Ask what the library asks, in its order; return what failed first.

    `held` is the first frame of the connection's packet, -1 without one; `expected` its next sequence number, and
    `oldest` the timestamp that the next one may not fall behind, None where there is none.
    """
    _, sequence, _, words, _, _, _ = tcp_header(skb.data, transport(skb))
    if expected is not None and sequence != expected:
        return Check(SEQUENCE, False, sequence, expected, held)
    _, tos, total, _, _, _, _, _, _, _ = _header(skb.data, 0)
    flags = words & 0xFF
    for rule, good, new, old in (
        (LENGTH, total == skb.len, skb.len, total),
        (PAYLOAD, skb.len > skb.data_offset, 0, 1),
        (OPTIONS, transport(skb) == IPV4_LENGTH, skb.data[0], _PLAIN),
        (FLAGS, flags & _ACK and not flags & _REJECTED, flags, _ACK),
        (MARK, tos & 3 != _CE, tos, _CE),
    ):
        if not good:
            return Check(rule, False, new, old, held)
    return _check_stamps(skb, words >> 12, held, oldest)


def _check_stamps(skb: GroPacket, words: int, held: int, oldest: int | None) -> Check | None:
    if words * 4 == TCP_LENGTH:
        return None
    if words * 4 != WITH_STAMPS or _u32(skb.data, IPV4_LENGTH + TCP_LENGTH)[0] != _STAMPS:
        return Check(STAMPS, False, words, 8, held)
    value, echo = stamps(skb)
    if oldest is not None and 0 < (oldest - value) % (1 << 32) < _HALF:
        return Check(OLDER, False, value, oldest, held)
    return None if echo else Check(ECHO, False, echo, 1, held)


def stamps(skb: GroPacket) -> tuple[int, int]:
    """Return the timestamp and its echo, from where they stand in a header that has nothing else."""
    at = IPV4_LENGTH + TCP_LENGTH + 4
    return _u32(skb.data, at)[0], _u32(skb.data, at + 4)[0]
