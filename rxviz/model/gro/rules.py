"""Every test that GRO makes, with its name, what failing it means, and the sentence for it.

This table is the only place where a test is put into words. `fails` is formatted with the arriving packet's value
({new}) and the held one's or the limit ({old}), shown in the rule's `shape`; see `rxviz.model.gro.words`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

_BY_NAME: dict[str, Rule] = {}


class Kind(StrEnum):
    """What failing a rule does to the arriving packet and to the held one."""

    IDENTITY = "identity"
    """The held packet is of another flow: it is left alone, and the arriving one is looked up elsewhere."""
    REFUSAL = "refusal"
    """Same flow, but no merge: the held packet leaves now and the arriving one takes its place."""
    EXIT = "early exit"
    """The arriving packet goes to the stack at once; nothing held is even looked at, so it may overtake."""
    CONDEMN = "flushed, then normal"
    """The arriving packet cannot stay, but its flow's held packet leaves before it."""
    CLOSE = "close"
    """The packet ends here: merged or not, nothing more may be added to it."""
    OUTCOME = "outcome"
    """No test: what came of all of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One test. `asks` names it in a list, `fails` says in a sentence that it failed, `where` is the function.

    A rule that is `needed` cannot be switched off: without it there is nothing that could be read on.
    """

    name: str
    kind: Kind
    asks: str
    fails: str
    where: str
    shape: str = "number"
    needed: bool = False

    def __post_init__(self) -> None:
        _BY_NAME[self.name] = self

    def __reduce__(self) -> tuple[Callable[[str], Rule], tuple[str]]:
        """A rule is told from others by identity, so a copy of a checkpoint gets the same one again."""
        return named, (self.name,)


def named(name: str) -> Rule:
    """Return the rule of that name, of whatever may merge: GRO, LRO, a card."""
    return _BY_NAME[name]


RULES: dict[str, Rule] = {}


def _rule(
    name: str, kind: Kind, where: str, asks: str, fails: str, shape: str = "number", needed: bool = False
) -> Rule:
    rule = Rule(name, kind, asks, fails, where, shape, needed)
    RULES[name] = rule
    return rule


def _differs(what: str, many: bool) -> str:
    return f"{what} {'differ' if many else 'differs'}: {{new}}, held {{old}}"


def _identity(name: str, where: str, asks: str, shape: str = "number", many: bool = False) -> Rule:
    return _rule(name, Kind.IDENTITY, where, f"same {asks}", _differs(asks, many), shape)


def _equal(name: str, where: str, asks: str, shape: str = "number", many: bool = False) -> Rule:
    return _rule(name, Kind.REFUSAL, where, f"same {asks}", _differs(asks, many), shape)


def _exit(name: str, where: str, asks: str, fails: str, shape: str = "number", needed: bool = False) -> Rule:
    return _rule(name, Kind.EXIT, where, asks, fails, shape, needed)


# ------------------------------------------------------------------------------------------------ device and Ethernet
GRO_ON = _exit("gro_on", "netif_elide_gro", "GRO is on", "GRO is off on this device")
HANDLER = _exit(
    "gro_handler", "dev_gro_receive", "GRO knows the ethertype", "no GRO for ethertype {new}", "hex", needed=True
)
SAME_HASH = _identity("gro_same_hash", "gro_list_prepare", "receive hash", "hex")
SAME_DEVICE = _identity("gro_same_device", "gro_list_prepare", "device")
SAME_TAG = _identity("gro_same_tag", "gro_list_prepare", "VLAN tag", "tag")
SAME_MAC = _identity("gro_same_mac", "gro_list_prepare", "Ethernet header", "mac")
TRUSTED_GSO = _rule(
    "gro_trusted_gso",
    Kind.CONDEMN,
    "dev_gro_receive",
    "not an already merged packet of unknown origin",
    "already one big packet, and not from a source that GRO trusts",
)
ONE_FRAME = _exit(
    "gro_one_frame",
    "dev_gro_receive",
    "a frame of its own, not a merged packet",
    "already one big packet, which this kernel passes on",
)
NOT_BIG = _rule(
    "gro_not_big",
    Kind.CONDEMN,
    "dev_gro_receive",
    "not an already merged packet",
    "already one big packet, to which this kernel adds nothing",
)
ROOM = _rule(
    "gro_room",
    Kind.CONDEMN,
    "dev_gro_receive",
    "room for one more held packet",
    "no room: {old} packets are held, and this kernel lets none of them go for it",
)
RECURSION = _exit(
    "gro_recursion", "gro_recursion_inc_test", "fewer than 15 headers deep", "headers nested too deep", needed=True
)
HEADER_KNOWN = _exit(
    "gro_header_whole",
    "skb_gro_header",
    "the header is whole",
    "the frame ends inside a header: {new} bytes of {old}",
    needed=True,
)
SAME_VLAN = _identity("gro_same_vlan", "vlan_gro_receive", "VLAN header", "bytes")
INNER_HANDLER = _exit(
    "gro_inner_handler",
    "gro_find_receive_by_type",
    "GRO knows the inner ethertype",
    "no GRO for ethertype {new}",
    "hex",
    needed=True,
)
SAME_INNER_MAC = _identity("gro_same_inner_mac", "eth_gro_receive", "inner Ethernet header", "mac")

# --------------------------------------------------------------------------------------------------------------- IPv4
IP_HANDLER = _exit(
    "gro_ip_handler", "inet_gro_receive", "GRO knows the IP protocol", "no GRO for IP protocol {new}", needed=True
)
NO_OPTIONS = _exit(
    "gro_no_ip_options", "inet_gro_receive", "IPv4 without options", "IPv4 header with options: first byte {new}", "hex"
)
NOT_FRAGMENT = _exit("gro_not_fragment", "inet_gro_receive", "not a fragment", "an IPv4 fragment", "hex")
IP_CHECKSUM = _exit(
    "gro_ip_checksum", "inet_gro_receive", "IPv4 header checksum right", "IPv4 header checksum is wrong: {new}", "hex"
)
IP_LENGTH = _rule(
    "gro_ip_length",
    Kind.CONDEMN,
    "inet_gro_receive",
    "IPv4 length is what arrived",
    "IPv4 length is not what arrived: {old} bytes, {new} are there (padding or a cut)",
)
IP_RESERVED = _rule(
    "gro_ip_reserved", Kind.CONDEMN, "inet_gro_receive", "reserved IPv4 flag clear", "the reserved IPv4 flag is set"
)
NEEDS_DF = _rule("gro_needs_df", Kind.CONDEMN, "inet_gro_receive", "DF flag set", "DF is not set")
WHOLE_DATAGRAM = _rule("gro_whole_datagram", Kind.CONDEMN, "inet_gro_receive", "not a fragment", "an IPv4 fragment")
SAME_PROTOCOL = _identity("gro_same_protocol", "inet_gro_receive", "IP protocol")
SAME_SOURCE = _identity("gro_same_source", "inet_gro_receive", "source address", "ip")
SAME_TARGET = _identity("gro_same_target", "inet_gro_receive", "destination address", "ip")
SAME_TTL = _equal("gro_same_ttl", "inet_gro_flush", "TTL")
SAME_TOS = _equal("gro_same_tos", "inet_gro_flush", "TOS (DSCP and ECN)", "hex")
SAME_DF = _equal("gro_same_df", "inet_gro_flush", "DF flag")
IP_ID = _rule(
    "gro_ip_id",
    Kind.REFUSAL,
    "inet_gro_flush",
    "IPv4 ID fits the series",
    "IPv4 ID does not fit the series: {new}, expected {old}",
)
SAME_OUTER_TTL = _equal("gro_same_outer_ttl", "inet_gro_flush", "outer TTL or hop limit")
SAME_OUTER_TOS = _equal("gro_same_outer_tos", "inet_gro_flush", "outer TOS or traffic class", "hex")
SAME_OUTER_DF = _equal("gro_same_outer_df", "inet_gro_flush", "outer DF flag")
OUTER_IP_ID = _rule(
    "gro_outer_ip_id",
    Kind.REFUSAL,
    "inet_gro_flush",
    "outer IPv4 ID fits the series",
    "outer IPv4 ID does not fit the series: {new}, expected {old}",
)

# --------------------------------------------------------------------------------------------------------------- IPv6
IP6_HANDLER = _exit(
    "gro_ip6_handler", "ipv6_gro_receive", "GRO knows the next header", "no GRO for IPv6 next header {new}", needed=True
)
IP6_LENGTH = _rule(
    "gro_ip6_length",
    Kind.CONDEMN,
    "ipv6_gro_receive",
    "IPv6 length is what arrived",
    "IPv6 length is not what arrived: {old} bytes, {new} are there (padding or a cut)",
)
SAME_LABEL = _identity("gro_same_label", "ipv6_gro_receive", "IPv6 flow label", "hex")
SAME_SOURCE6 = _identity("gro_same_source6", "ipv6_gro_receive", "IPv6 source address", "ip")
SAME_TARGET6 = _identity("gro_same_target6", "ipv6_gro_receive", "IPv6 destination address", "ip")
SAME_NEXT = _identity("gro_same_next_header", "ipv6_gro_receive", "IPv6 next header")
SAME_EXTENSIONS = _identity("gro_same_extensions", "ipv6_gro_receive", "IPv6 extension headers", "bytes", many=True)
FLOW_HOPS = _identity("gro_flow_hop_limit", "ipv6_gro_receive", "hop limit")
SAME_CLASS = _equal("gro_same_class", "ipv6_gro_flush", "traffic class (DSCP and ECN)", "hex")
SAME_HOPS = _equal("gro_same_hop_limit", "ipv6_gro_flush", "hop limit")

# ------------------------------------------------------------------------------------------------------------ tunnels
ONE_TUNNEL = _rule(
    "gro_one_tunnel",
    Kind.EXIT,
    "ipip_gro_receive, udp_gro_receive, gre_gro_receive",
    "the first tunnel in the packet",
    "a tunnel in a tunnel",
)
OUTER_CHECKSUM = _exit(
    "gro_outer_checksum", "udp_gro_receive", "outer UDP checksum zero or verified", "outer UDP checksum not verified"
)
SAME_OUTER_PORTS = _identity("gro_same_outer_ports", "udp_gro_receive", "outer UDP ports", "ports", many=True)
SAME_CHECKSUM_USE = _identity("gro_same_checksum_use", "udp_gro_receive", "use of the outer UDP checksum")
SAME_VXLAN = _identity("gro_same_vxlan", "vxlan_gro_receive", "VXLAN flags and network id", "bytes", many=True)
GRE_PLAIN = _exit("gro_gre_plain", "gre_gro_receive", "GRE with key or checksum at most", "GRE flags {new}", "hex")
GRE_SUM = _exit("gro_gre_checksum", "gre_gro_receive", "GRE checksum right", "GRE checksum is wrong")
SAME_GRE = _identity("gro_same_gre", "gre_gro_receive", "GRE flags and protocol", "bytes", many=True)
SAME_GRE_KEY = _identity("gro_same_gre_key", "gre_gro_receive", "GRE key", "hex")

# ---------------------------------------------------------------------------------------------------------------- UDP
UDP_ASKED = _exit(
    "gro_udp_asked",
    "udp_gro_receive",
    "a socket or a feature asked for UDP GRO",
    "UDP, and nobody asked for UDP to be merged",
)
UDP_SUM = _exit("gro_udp_checksum", "udp4_gro_receive", "UDP checksum right", "UDP checksum is wrong")
UDP_HAS_SUM = _exit(
    "gro_udp_has_checksum", "udp_gro_receive_segment", "UDP checksum in use", "UDP without a checksum is never merged"
)
UDP_LENGTH = _exit(
    "gro_udp_length",
    "udp_gro_receive_segment",
    "UDP length is what arrived, and more than a header",
    "UDP length is not what arrived: {old} bytes, {new} are there",
)
UDP_PORTS = _identity("gro_same_udp_ports", "udp_gro_receive_segment", "UDP ports", "ports", many=True)
UDP_SAME_WAY = _rule(
    "gro_udp_same_way",
    Kind.CONDEMN,
    "udp_gro_receive_segment",
    "merged in the same way",
    "the held packet is merged in another way (fragment list)",
)
UDP_LIST_SUM = _exit(
    "gro_udp_list_checksum",
    "udp_gro_receive_segment",
    "same checksum state (fragment list)",
    "checksum state differs in a fragment list",
)
UDP_NOT_LONGER = _rule(
    "gro_udp_not_longer",
    Kind.REFUSAL,
    "udp_gro_receive_segment",
    "not longer than the first datagram",
    "longer than the first datagram: {new} bytes, the first has {old}",
)
UDP_SHORT = _rule(
    "gro_udp_short",
    Kind.CLOSE,
    "udp_gro_receive_segment",
    "as long as the first datagram",
    "a datagram of another length ends the packet: {new} bytes, the first has {old}",
)
UDP_COUNT = _rule(
    "gro_udp_count",
    Kind.CLOSE,
    "udp_gro_receive_segment",
    "fewer than 64 datagrams",
    "the packet is full: {new} datagrams",
)

# ---------------------------------------------------------------------------------------------------------------- TCP
TCP_SUM = _exit("gro_tcp_checksum", "tcp4_gro_receive", "TCP checksum right", "TCP checksum is wrong")
TCP_OFFSET = _exit(
    "gro_tcp_offset", "tcp_gro_pull_header", "TCP header of 5 words or more", "TCP header too short: {new} words"
)
TCP_PORTS = _identity("gro_same_ports", "tcp_gro_lookup", "TCP ports", "ports", many=True)
NO_CWR = _rule("gro_no_cwr", Kind.REFUSAL, "tcp_gro_receive", "CWR clear", "CWR is set")
SAME_CWR = _equal("gro_same_cwr", "tcp_gro_receive", "CWR flag")
SAME_DOFF = _equal("gro_same_header_length", "tcp_gro_receive", "TCP header length in words")
SAME_FLAGS = _equal("gro_same_flags", "tcp_gro_receive", "flags but FIN, PSH and CWR", "flags", many=True)
SAME_WINDOW = _equal("gro_same_window", "tcp_gro_receive", "window")
SAME_ACK = _equal("gro_same_ack", "tcp_gro_receive", "ACK number")
SAME_TCP_OPTIONS = _equal("gro_same_options", "tcp_gro_receive", "option bytes", "bytes", many=True)
HAS_PAYLOAD = _rule("gro_has_payload", Kind.REFUSAL, "tcp_gro_receive", "has payload", "it carries no payload")
NOT_LONGER = _rule(
    "gro_not_longer",
    Kind.REFUSAL,
    "tcp_gro_receive",
    "not longer than the first segment",
    "longer than the first segment: {new}, the first has {old}",
)
SAME_GSO_SIZE = _equal("gro_same_gso_size", "tcp_gro_receive", "gso_size")
IN_SEQUENCE = _rule(
    "gro_in_sequence",
    Kind.REFUSAL,
    "tcp_gro_receive",
    "next in sequence",
    "not next in sequence: {new}, expected {old}",
)
LIST_FLAGS = _equal("gro_list_flags", "tcp_gro_receive", "flags, FIN and PSH too (fragment list)", "flags", many=True)
LIST_SUM = _equal("gro_list_checksum", "tcp_gro_receive", "checksum state (fragment list)")
LIST_COUNT = _rule(
    "gro_list_count",
    Kind.REFUSAL,
    "tcp_gro_receive",
    "fewer than 64 in the fragment list",
    "the fragment list is full: {new} are in it",
)
FLUSH_ON_SHORT = _rule(
    "gro_flush_on_short",
    Kind.CLOSE,
    "tcp_gro_receive",
    "as long as the first segment",
    "a short segment ends the packet: {new} bytes, the first has {old}",
)
FLUSH_ON_EMPTY = _rule(
    "gro_flush_on_empty", Kind.CLOSE, "tcp_gro_receive", "worth holding: it has payload", "nothing in it to hold"
)
FLUSH_ON_URG = _rule("gro_flush_on_urg", Kind.CLOSE, "tcp_gro_receive", "URG clear", "URG ends the packet")
FLUSH_ON_PSH = _rule("gro_flush_on_psh", Kind.CLOSE, "tcp_gro_receive", "PSH clear", "PSH ends the packet")
FLUSH_ON_RST = _rule("gro_flush_on_rst", Kind.CLOSE, "tcp_gro_receive", "RST clear", "RST ends the packet")
FLUSH_ON_SYN = _rule("gro_flush_on_syn", Kind.CLOSE, "tcp_gro_receive", "SYN clear", "SYN ends the packet")
FLUSH_ON_FIN = _rule("gro_flush_on_fin", Kind.CLOSE, "tcp_gro_receive", "FIN clear", "FIN ends the packet")

# ---------------------------------------------------------------------------------------------------------- attaching
PAGE_POOL = _equal("gro_page_pool", "skb_gro_receive", "use of a page pool")
MAX_SIZE = _rule(
    "gro_max_size",
    Kind.REFUSAL,
    "skb_gro_receive",
    "the packet stays below its size limit",
    "the size limit is reached: {new} bytes, the limit is {old}",
)
NOT_CONDEMNED = _rule(
    "gro_not_condemned", Kind.REFUSAL, "skb_gro_receive", "not condemned before", "it was condemned by an outer header"
)
BIG_TCP = _rule(
    "gro_big_tcp",
    Kind.REFUSAL,
    "skb_gro_receive",
    "below 65,536 bytes, or plain TCP with room for it",
    "only plain TCP may pass 65,535 bytes: {new}",
)
FRAG_SLOTS = _rule(
    "gro_frag_slots",
    Kind.REFUSAL,
    "skb_gro_receive",
    "a fragment slot is free",
    "no fragment slot is left: {new} are needed, {old} are there",
)

# ----------------------------------------------------------------------------------------------------------- outcomes
FIRST_OF_FLOW = _rule("gro_first", Kind.OUTCOME, "dev_gro_receive", "first of its flow", "first of its flow")
MERGES = _rule("gro_merges", Kind.OUTCOME, "skb_gro_receive", "continues the held packet", "continues the held packet")
EVICTED = _rule(
    "gro_evicted",
    Kind.OUTCOME,
    "gro_flush_oldest",
    "the oldest of a full bucket",
    "a packet of another flow needed its place: {old} are held",
)
POLL_END = _rule("gro_poll_end", Kind.OUTCOME, "napi_complete_done", "the poll ends", "poll end")
BUDGET_USED = _rule("gro_budget_used", Kind.OUTCOME, "__napi_poll", "the budget is used up", "budget used up")
TOO_OLD = _rule(
    "gro_too_old", Kind.OUTCOME, "napi_gro_flush", "held since an earlier tick", "held since an earlier tick"
)
