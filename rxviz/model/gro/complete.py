"""What the stack gets: a merged packet with its headers put right, or a packet as it came.

Sources: net/core/gro.c (`gro_complete`), net/ipv4/af_inet.c (`inet_gro_complete`), net/ipv6/ip6_offload.c,
net/ipv4/tcp_offload.c (`tcp4_gro_complete`, `tcp_gro_complete`), net/ipv4/udp_offload.c (`udp_gro_complete`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct

from rxviz.model.gro.ipv6 import WALKED
from rxviz.model.gro.kernel import BOTH_IDS, GroRules
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.trace import Check
from rxviz.wire.checksum import fold
from rxviz.wire.numbers import (
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    ETHERTYPE_TEB,
    IPV4_LENGTH,
    IPV6_LENGTH,
    PROTO_GRE,
    PROTO_HOP_OPTIONS,
    PROTO_IPIP,
    PROTO_IPV6,
    PROTO_TCP,
    PROTO_UDP,
    UDP_LENGTH,
    VLAN_LENGTH,
    VLAN_TYPES,
    VXLAN_LENGTH,
    extension_length,
    gre_length,
)

_u16 = Struct("!H")
_TCP_CHECK, _UDP_CHECK = 16, 6
_MAX16 = 0xFFFF
_JUMBO = Struct("!BBBBI")
_JUMBO_OPTION = 194
_CWR = 0x80


@dataclass(slots=True)
class Delivered:
    """A packet as the stack gets it. Lengths in bytes, offsets from the MAC header.

    `head` are the headers up to the payload, as far as GRO read them; `payload` what follows. `proto` is the
    transport protocol, -1 where GRO did not get that far. `network` and `transport` say where the innermost IP header
    and the transport header start. `list_frags` are the fragment counts of the skbs on the fragment list. `left` says
    why it left.
    """

    frames: list[int]
    head: bytes
    payload: int
    segs: int
    gso_size: int
    gso_type: tuple[str, ...]
    ip_summed: Checksum
    csum_start: int
    csum_offset: int
    truesize: int
    tag: int
    nr_frags: int
    list_frags: tuple[int, ...]
    proto: int
    network: int
    transport: int
    left: Check
    packet: GroPacket = field(repr=False)

    def body(self) -> bytes:
        """Return the payload's bytes, as far as they are known, in order."""
        own = self.packet
        rest = [skb.data[skb.data_offset : skb.len] for skb in own.merged]
        first = own.data[own.data_offset : own.len - sum(skb.gro_len for skb in own.merged)]
        return first + b"".join(rest)


def unmerged(p: GroPacket, left: Check) -> Delivered:
    """A packet that nothing was added to: not a byte of it has changed."""
    partial = p.ip_summed is Checksum.PARTIAL
    gso = p.gso_type if p.gso_size else ()
    return _delivered(p, left, p.mac + p.data[: p.data_offset], gso, p.csum_start + ETH_HLEN if partial else 0)


def complete(kernel: GroRules, p: GroPacket, left: Check) -> Delivered:
    """A merged packet: lengths and checksums of its headers rewritten, and its gso fields set."""
    return _Completion(kernel, p).run(left)


def pseudo_sum(head: bytes | bytearray, network: int, proto: int, length: int) -> int:
    """Return the sum over the pseudo header: addresses of the IP header at `network`, protocol, bytes behind it.

    It is what stands in the checksum field of a packet that is to be cut again: the rest is summed for each piece.
    """
    addresses = head[network + 8 : network + 40] if head[network] >> 4 == 6 else head[network + 12 : network + 20]
    return fold(int.from_bytes(addresses, "big") + proto + (length >> 16) + (length & _MAX16))


def _delivered(p: GroPacket, left: Check, head: bytes, gso: tuple[str, ...], csum_start: int) -> Delivered:
    return Delivered(
        frames=p.segments,
        head=head,
        payload=p.gro_len,
        segs=p.count if p.count > 1 else max(p.gso_segs, 1),
        gso_size=p.gso_size,
        gso_type=gso,
        ip_summed=p.ip_summed,
        csum_start=csum_start,
        csum_offset=p.csum_offset if csum_start else 0,
        truesize=p.truesize,
        tag=p.tag,
        nr_frags=p.nr_frags,
        list_frags=tuple(member.nr_frags for member in p.frag_list),
        proto=p.proto,
        network=ETH_HLEN + p.network[p.encap_mark],
        transport=ETH_HLEN + p.transport,
        left=left,
        packet=p,
    )


class _Completion:
    """One walk down the headers of a merged packet; offsets are from the network header."""

    def __init__(self, kernel: GroRules, p: GroPacket) -> None:
        self.kernel = kernel
        self.p = p
        self.head = bytearray(p.data[: p.data_offset])
        self.len = p.len
        self.gso: list[str] = []
        self.grown = 0
        """Bytes that BIG TCP put in behind the IPv6 header."""

    def run(self, left: Check) -> Delivered:
        p = self.p
        self._ethertype(p.protocol, 0)
        start = p.csum_start + ETH_HLEN if p.ip_summed is Checksum.PARTIAL else 0
        if not p.is_flist:
            p.ip_summed = Checksum.PARTIAL
            p.csum_offset = _UDP_CHECK if p.proto == PROTO_UDP else _TCP_CHECK
            start = ETH_HLEN + p.transport + self.grown
        delivered = _delivered(p, left, p.mac + bytes(self.head), tuple(self.gso), start)
        delivered.transport += self.grown
        return delivered

    def _ethertype(self, ethertype: int, at: int) -> None:
        if ethertype in VLAN_TYPES:
            self._ethertype(_u16.unpack_from(self.head, at + 2)[0], at + VLAN_LENGTH)
        elif ethertype == ETHERTYPE_TEB:
            self._ethertype(_u16.unpack_from(self.head, at + 12)[0], at + ETH_HLEN)
        elif ethertype == ETHERTYPE_IPV4:
            self._ipv4(at)
        elif ethertype == ETHERTYPE_IPV6:
            self._ipv6(at)

    def _ipv4(self, at: int) -> None:
        head, total = self.head, self.len - at
        old = _u16.unpack_from(head, at + 2)[0]
        new = total if total <= _MAX16 else 0
        _u16.pack_into(head, at + 2, new)
        # The sum is patched by what the length changed (RFC 1624), not added up anew.
        check = _u16.unpack_from(head, at + 10)[0]
        _u16.pack_into(head, at + 10, _MAX16 - fold((_MAX16 - check) + (_MAX16 - old) + new))
        self._protocol(head[at + 9], at + IPV4_LENGTH, at, "IPXIP4")

    def _ipv6(self, at: int) -> None:
        length = self.len - at - IPV6_LENGTH
        if length > _MAX16:
            self._jumbo(at, length)
        head = self.head
        _u16.pack_into(head, at + 4, length if length <= _MAX16 else 0)
        proto, behind = head[at + 6], at + IPV6_LENGTH
        while proto in WALKED:
            proto, behind = head[behind], behind + extension_length(proto, head[behind + 1])
        self._protocol(proto, behind, at, "IPXIP6")

    def _jumbo(self, at: int, length: int) -> None:
        """Put a jumbo option behind the IPv6 header, as its own length field is too small."""
        behind, size = at + IPV6_LENGTH, self.kernel.jumbo_header
        option = _JUMBO.pack(self.head[at + 6], 0, _JUMBO_OPTION, 4, length + size)
        self.head[behind:behind] = option
        self.head[at + 6] = PROTO_HOP_OPTIONS
        self.len += size
        self.grown = size

    def _protocol(self, proto: int, at: int, network: int, tunnel: str) -> None:
        if proto == PROTO_TCP:
            self._tcp(at, network)
        elif proto == PROTO_UDP:
            self._udp(at, network)
        elif proto == PROTO_IPIP:
            self.gso.append(tunnel)
            self._ipv4(at)
        elif proto == PROTO_IPV6:
            self.gso.append(tunnel)
            self._ipv6(at)
        elif proto == PROTO_GRE:
            flags, ethertype = _u16.unpack_from(self.head, at)[0], _u16.unpack_from(self.head, at + 2)[0]
            self.gso.append("GRE")
            self._ethertype(ethertype, at + gre_length(flags))

    def _one_more_verified(self) -> None:
        """A fragment list keeps its checksums; the stack need not verify them again."""
        if self.p.ip_summed is Checksum.NONE:
            self.p.ip_summed = Checksum.UNNECESSARY

    def _tcp(self, at: int, network: int) -> None:
        head, p = self.head, self.p
        version = "TCPV6" if head[network] >> 4 == 6 else "TCPV4"
        if p.is_flist:
            self.gso += ["FRAGLIST", version]
            self._one_more_verified()
            return
        head[at + 13] |= p.more_flags
        _u16.pack_into(head, at + _TCP_CHECK, pseudo_sum(head, network, PROTO_TCP, self.len - at))
        self.gso.append(version)
        if p.fixed_id & 1:
            inner = p.encap_mark and self.kernel.ip_id == BOTH_IDS
            self.gso.append("TCP_FIXEDID_INNER" if inner else "TCP_FIXEDID")
        if p.fixed_id & 2:
            self.gso.append("TCP_FIXEDID")
        if head[at + 13] & _CWR:
            self.gso.append(self.kernel.cwr_gso_type)

    def _udp(self, at: int, network: int) -> None:
        head, p = self.head, self.p
        length = self.len - at
        check = _u16.unpack_from(head, at + _UDP_CHECK)[0]
        last = at == p.transport
        if last and p.is_flist:
            _u16.pack_into(head, at + 4, length & _MAX16)
            self.gso += ["FRAGLIST", "UDP_L4"]
            self._one_more_verified()
            return
        if check:
            _u16.pack_into(head, at + _UDP_CHECK, pseudo_sum(head, network, PROTO_UDP, length))
        _u16.pack_into(head, at + 4, length & _MAX16)
        if last:
            self.gso.append("UDP_L4")
            return
        self.gso.append("UDP_TUNNEL_CSUM" if check else "UDP_TUNNEL")
        self._ethertype(ETHERTYPE_TEB, at + UDP_LENGTH + VXLAN_LENGTH)
