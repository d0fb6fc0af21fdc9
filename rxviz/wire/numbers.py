"""Numbers of the wire that more than one module here needs: ethertypes, protocols, header lengths."""

from __future__ import annotations

Bytes = bytes | bytearray | memoryview
"""Any read-only or writable run of bytes; a memoryview must be of single bytes."""

ETH_LENGTH = 14
VLAN_LENGTH = 4
PPPOE_LENGTH = 8
"""Session header with the two bytes of the PPP protocol behind it."""
IPV4_LENGTH = 20
IPV6_LENGTH = 40
TCP_LENGTH = 20
UDP_LENGTH = 8
ICMP_LENGTH = 8
VXLAN_LENGTH = 8

ETHERTYPE_IPV4 = 0x0800
ETHERTYPE_ARP = 0x0806
ETHERTYPE_TEB = 0x6558
"""Transparent Ethernet bridging: GRE carries a whole Ethernet frame."""
ETHERTYPE_VLAN = 0x8100
ETHERTYPE_IPV6 = 0x86DD
ETHERTYPE_PPPOE_DISCOVERY = 0x8863
ETHERTYPE_PPPOE = 0x8864
ETHERTYPE_QINQ = 0x88A8
VLAN_TYPES = frozenset((ETHERTYPE_VLAN, ETHERTYPE_QINQ))
FIRST_ETHERTYPE = 0x0600
"""Below this the field is the length of an IEEE 802.3 frame."""

PPP_TO_ETHERTYPE = {0x0021: ETHERTYPE_IPV4, 0x0057: ETHERTYPE_IPV6}

PROTO_HOP_OPTIONS = 0
PROTO_ICMP = 1
PROTO_IPIP = 4
PROTO_TCP = 6
PROTO_UDP = 17
PROTO_IPV6 = 41
PROTO_ROUTING = 43
PROTO_FRAGMENT = 44
PROTO_GRE = 47
PROTO_AUTH = 51
PROTO_ICMP6 = 58
PROTO_DEST_OPTIONS = 60
PROTO_MOBILITY = 135
EXTENSIONS = frozenset(
    (PROTO_HOP_OPTIONS, PROTO_ROUTING, PROTO_FRAGMENT, PROTO_AUTH, PROTO_DEST_OPTIONS, PROTO_MOBILITY)
)
"""IPv6 extension headers whose length can be read without knowing what they mean."""

IP_MORE_FRAGMENTS = 0x2000
IP_DONT_FRAGMENT = 0x4000
IP_OFFSET_MASK = 0x1FFF
IP_FRAGMENT_MASK = IP_MORE_FRAGMENTS | IP_OFFSET_MASK
IP6_OFFSET_MASK = 0xFFF8

GRE_CHECKSUM = 0x8000
GRE_ROUTING = 0x4000
GRE_KEY = 0x2000
GRE_SEQUENCE = 0x1000
GRE_ACK = 0x0080
GRE_VERSION = 0x0007
GRE_PPP = 0x880B
"""The protocol that GRE version 1 (PPTP) carries."""

VXLAN_PORT = 4789
VXLAN_VNI_VALID = 0x08


def extension_length(kind: int, units: int) -> int:
    """Give the bytes of an IPv6 extension header from its number and its length byte (RFC 8200, RFC 4302)."""
    if kind == PROTO_FRAGMENT:
        return 8
    if kind == PROTO_AUTH:
        return (units + 2) * 4
    return (units + 1) * 8


def gre_length(flags: int) -> int:
    """Give the bytes of a GRE header from its first 16 bits (RFC 2784, RFC 2890; version 1: RFC 2637)."""
    length = 4
    for option in (GRE_CHECKSUM, GRE_KEY, GRE_SEQUENCE):
        if flags & option:
            length += 4
    if flags & GRE_VERSION == 1 and flags & GRE_ACK:
        length += 4
    return length
