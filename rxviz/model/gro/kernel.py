"""The rules of GRO in which kernels differ, and what a device and its host are set to."""

from __future__ import annotations

from dataclasses import dataclass

BOTH_IDS = "fixed or counting"
"""The rule `ip_id` of kernels that tell which IPv4 IDs stay the same, for outer and inner headers apart."""


@dataclass(frozen=True, slots=True)
class GroRules:
    """What differs between kernels, and constants; see assets/kernels/gro.toml for each meaning and source."""

    buckets: int
    max_held: int
    full_bucket: str
    hash_compared: bool
    merged_input: str
    no_df: str
    fragments: str
    hop_limit: str
    normal_batch: int
    flush_with_timeout: str
    cwr: str
    ip_id: str
    big_tcp: str
    page_pool_checked: bool
    frag_limit: str
    tunnels: bool
    vlan_in_frame: bool
    udp_gro: bool
    udp_forwarding: bool
    tcp_fraglist: bool
    cwr_gso_type: str
    max_skb_frags: int
    sk_buff_size: int
    shinfo_size: int
    legacy_max_size: int
    udp_count_max: int
    recursion_limit: int
    jumbo_header: int


@dataclass(frozen=True, slots=True)
class GroConfig:
    """A device's and its host's settings, at the kernel's defaults. Sizes in bytes, times in ns.

    `udp_gro_ports`, `udp_ports` and `vxlan_ports` are local sockets: with UDP_GRO, without, and of a VXLAN tunnel;
    `local` are the addresses at which they listen, None for any. With `udp_gro` every port has a socket with UDP_GRO.
    """

    gro: bool = True
    hz: int = 250
    weight: int = 64
    max_size: int = 65536
    ipv4_max_size: int = 65536
    flush_timeout: int = 0
    defer_hard_irqs: int = 0
    vlan_8021q: bool = True
    gre: bool = True
    udp_forwarding: bool = False
    fraglist: bool = False
    udp_ports: frozenset[int] = frozenset()
    udp_gro_ports: frozenset[int] = frozenset()
    udp_gro: bool = False
    vxlan_ports: frozenset[int] = frozenset()
    local: frozenset[bytes] | None = None
    jumbo_room: bool = True
    """Whether the head has room in front for the 8 bytes that BIG TCP adds to IPv6."""
