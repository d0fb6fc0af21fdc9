"""A merged packet cut into frames again, as GSO does when it is forwarded (net/ipv4/tcp_offload.c, `tcp_gso_segment`).

What GRO merged comes out as it went in (but for an urgent pointer without URG, which is not compared). What LRO merged
does not: the ACK numbers, windows and timestamps of all but the last segment are gone.
"""

from __future__ import annotations

from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.packet import ETH_HLEN
from rxviz.wire.checksum import internet_checksum
from rxviz.wire.numbers import PROTO_TCP

_FIN_PSH, _CWR = 0x09, 0x80


def resegment(packet: Delivered) -> list[bytes]:
    """Return the frames of at most `gso_size` bytes of payload each that plain TCP would be sent on as.

    A packet without gso_size comes back as it is. ValueError for anything but TCP right behind one IP header.
    """
    head, body = packet.head, packet.body()
    if not packet.gso_size:
        return [head + body]
    if packet.proto != PROTO_TCP or packet.network != ETH_HLEN:
        raise ValueError("only TCP in one IP header is cut again")
    fixed = "TCP_FIXEDID" in packet.gso_type
    pieces = [body[at : at + packet.gso_size] for at in range(0, len(body), packet.gso_size)]
    last = len(pieces) - 1
    return [_frame(bytearray(head), packet, piece, n, n == last, 0 if fixed else n) for n, piece in enumerate(pieces)]


def _frame(head: bytearray, packet: Delivered, piece: bytes, n: int, last: bool, id_step: int) -> bytes:
    network, tcp = packet.network, packet.transport
    sequence = int.from_bytes(head[tcp + 4 : tcp + 8], "big") + n * packet.gso_size
    head[tcp + 4 : tcp + 8] = (sequence & 0xFFFFFFFF).to_bytes(4, "big")
    if not last:
        head[tcp + 13] &= ~_FIN_PSH
    if n:
        head[tcp + 13] &= ~_CWR
    length = len(head) - network + len(piece)
    if head[network] >> 4 == 4:
        ip_id = int.from_bytes(head[network + 4 : network + 6], "big") + id_step
        head[network + 2 : network + 6] = length.to_bytes(2, "big") + (ip_id & 0xFFFF).to_bytes(2, "big")
        head[network + 10 : network + 12] = b"\0\0"
        head[network + 10 : network + 12] = internet_checksum(head[network:tcp]).to_bytes(2, "big")
        addresses = head[network + 12 : network + 20]
    else:
        head[network + 4 : network + 6] = (length - 40).to_bytes(2, "big")
        addresses = head[network + 8 : network + 40]
    head[tcp + 16 : tcp + 18] = b"\0\0"
    segment = bytes(head[tcp:]) + piece
    check = internet_checksum(segment, int.from_bytes(addresses, "big") + PROTO_TCP + len(segment))
    head[tcp + 16 : tcp + 18] = check.to_bytes(2, "big")
    return bytes(head) + piece
