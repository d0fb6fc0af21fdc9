"""A merged packet cut into frames again, as GSO does when it is sent on.

Sources: net/ipv4/tcp_offload.c (`tcp_gso_segment`), net/ipv4/af_inet.c (`inet_gso_segment`).

What GRO merged comes out as it went in (but for an urgent pointer without URG, which is not compared). What LRO merged
does not: the ACK numbers, windows and timestamps of all but the last segment are gone.
"""

from __future__ import annotations

from rxviz.model.gro.complete import Delivered
from rxviz.wire.checksum import internet_checksum
from rxviz.wire.layers import Layer, layers
from rxviz.wire.numbers import IPV6_LENGTH, PROTO_TCP, PROTO_UDP, UDP_LENGTH, VXLAN_PORT

_FIN_PSH, _CWR = 0x09, 0x80
_FIXED, _INNER = "TCP_FIXEDID", "TCP_FIXEDID_INNER"
_NETWORKS = ("ipv4", "ipv6")


def resegment(packet: Delivered) -> list[bytes]:
    """Return the frames of at most `gso_size` bytes of payload each that a TCP packet would be sent on as.

    A packet without gso_size comes back as it is. ValueError for anything but TCP.
    """
    if packet.gso_size and packet.proto != PROTO_TCP:
        raise ValueError("only TCP is cut again")
    return cut(packet.head + packet.body(), len(packet.head), packet.gso_size, packet.gso_type)


def cut(
    data: bytes,
    header: int,
    gso_size: int,
    gso_type: tuple[str, ...],
    *,
    outer_ids: bool = True,
    vxlan_port: int = VXLAN_PORT,
) -> list[bytes]:
    """Cut a packet, in whatever tunnel, behind its `header` bytes of headers; in one piece where that is enough.

    `outer_ids` says that the kernel knows of fixed IPv4 IDs in a tunnel's outer header, too (6.18); before, they count.
    """
    body = data[header:]
    if not gso_size or len(body) <= gso_size:
        return [data]
    found = [layer for layer in layers(data, vxlan_port=vxlan_port) if layer.offset + layer.length <= header]
    pieces = [body[at : at + gso_size] for at in range(0, len(body), gso_size)]
    last = len(pieces) - 1
    fixed = _fixed(gso_type, tunnelled=sum(layer.name in _NETWORKS for layer in found) > 1, outer_ids=outer_ids)
    return [_Segment(data[:header], piece, found, fixed).made(n, n * gso_size, n == last)
            for n, piece in enumerate(pieces)]  # fmt: skip


def _fixed(gso_type: tuple[str, ...], *, tunnelled: bool, outer_ids: bool) -> tuple[bool, bool]:
    """Return whether IPv4 IDs stay the same in the first IP header, and in those behind it."""
    first, behind = _FIXED in gso_type, (_INNER if outer_ids else _FIXED) in gso_type
    return first and (outer_ids or not tunnelled), behind


class _Segment:
    """One piece with headers of its own, put right from the inside out."""

    def __init__(self, head: bytes, piece: bytes, found: list[Layer], fixed: tuple[bool, bool]) -> None:
        self.data = bytearray(head + piece)
        self.layers = found
        self.fixed = fixed
        self.networks = [layer for layer in found if layer.name in _NETWORKS]

    def made(self, n: int, sent: int, last: bool) -> bytes:
        for layer in reversed(self.layers):
            if layer.name == "tcp":
                self._tcp(layer.offset, n, sent, last)
            elif layer.name == "udp":
                self._udp(layer.offset)
            elif layer.name == "ipv4":
                self._ipv4(layer, n)
            elif layer.name == "ipv6":
                length = len(self.data) - layer.offset - IPV6_LENGTH
                self.data[layer.offset + 4 : layer.offset + 6] = length.to_bytes(2, "big")
        return bytes(self.data)

    def _tcp(self, at: int, n: int, sent: int, last: bool) -> None:
        data = self.data
        sequence = int.from_bytes(data[at + 4 : at + 8], "big") + sent
        data[at + 4 : at + 8] = (sequence & 0xFFFFFFFF).to_bytes(4, "big")
        if not last:
            data[at + 13] &= ~_FIN_PSH
        if n:
            data[at + 13] &= ~_CWR
        self._checksum(at, at + 16, PROTO_TCP)

    def _udp(self, at: int) -> None:
        """A tunnel's UDP header; a checksum of 0 stays: the sender computed none."""
        self.data[at + 4 : at + 6] = (len(self.data) - at).to_bytes(2, "big")
        if any(self.data[at + 6 : at + UDP_LENGTH]):
            self._checksum(at, at + 6, PROTO_UDP)

    def _checksum(self, at: int, field: int, proto: int) -> None:
        data = self.data
        network = max(layer.offset for layer in self.networks if layer.offset < at)
        start, end = (12, 20) if data[network] >> 4 == 4 else (8, 40)
        addresses = int.from_bytes(data[network + start : network + end], "big")
        data[field : field + 2] = b"\0\0"
        check = internet_checksum(bytes(data[at:]), addresses + proto + len(data) - at)
        data[field : field + 2] = check.to_bytes(2, "big")

    def _ipv4(self, layer: Layer, n: int) -> None:
        data, at = self.data, layer.offset
        fixed = self.fixed[layer is not self.networks[0]]
        ip_id = int.from_bytes(data[at + 4 : at + 6], "big") + (0 if fixed else n)
        data[at + 2 : at + 6] = (len(data) - at).to_bytes(2, "big") + (ip_id & 0xFFFF).to_bytes(2, "big")
        data[at + 10 : at + 12] = b"\0\0"
        data[at + 10 : at + 12] = internet_checksum(data[at : at + layer.length]).to_bytes(2, "big")
