"""Which handler takes over at which ethertype and IP protocol (`packet_offload`, `inet_offloads`, `inet6_offloads`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.gro.gre import gre_gro_receive
from rxviz.model.gro.inet import inet_gro_receive, ipip_gro_receive
from rxviz.model.gro.ipv6 import ipv6_gro_receive, sit_gro_receive
from rxviz.model.gro.kernel import GroConfig, GroRules
from rxviz.model.gro.tcp import tcp4_gro_receive, tcp6_gro_receive
from rxviz.model.gro.udp import udp4_gro_receive, udp6_gro_receive
from rxviz.model.gro.vlan import eth_gro_receive, vlan_gro_receive
from rxviz.wire.numbers import (
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_QINQ,
    ETHERTYPE_TEB,
    ETHERTYPE_VLAN,
    PROTO_GRE,
    PROTO_IPIP,
    PROTO_IPV6,
    PROTO_TCP,
    PROTO_UDP,
)

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Handler


def ethertypes(kernel: GroRules, config: GroConfig) -> dict[int, Handler]:
    """Return the handlers by ethertype."""
    table: dict[int, Handler] = {ETHERTYPE_IPV4: inet_gro_receive, ETHERTYPE_IPV6: ipv6_gro_receive}
    if config.vlan_8021q and kernel.vlan_in_frame:
        table |= {ETHERTYPE_VLAN: vlan_gro_receive, ETHERTYPE_QINQ: vlan_gro_receive}
    if kernel.tunnels:
        table[ETHERTYPE_TEB] = eth_gro_receive
    return table


def _ip(kernel: GroRules, config: GroConfig) -> dict[int, Handler]:
    table: dict[int, Handler] = {}
    if kernel.tunnels:
        table |= {PROTO_IPIP: ipip_gro_receive, PROTO_IPV6: sit_gro_receive}
        if config.gre:
            table[PROTO_GRE] = gre_gro_receive
    return table


def inet(kernel: GroRules, config: GroConfig) -> dict[int, Handler]:
    """Return the handlers by the protocol of an IPv4 header."""
    table = _ip(kernel, config)
    table[PROTO_TCP] = tcp4_gro_receive
    if kernel.tunnels:
        table[PROTO_UDP] = udp4_gro_receive
    return table


def inet6(kernel: GroRules, config: GroConfig) -> dict[int, Handler]:
    """Return the handlers by the last next-header number of an IPv6 header."""
    table = _ip(kernel, config)
    table[PROTO_TCP] = tcp6_gro_receive
    if kernel.tunnels:
        table[PROTO_UDP] = udp6_gro_receive
    return table
