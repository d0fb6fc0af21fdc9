"""Tells a jumbo frame from a record that never was one frame on the wire.

A capture taken on a sender shows what goes into the card's segmentation (TSO/GSO), one taken on a receiver
what comes out of merging (GRO/LRO). Two signs give them away: more TCP payload than the MSS of the
connection's SYNs (RFC 9293, 3.7.1), and an L4 checksum field that holds only the pseudo header's sum, as
Linux leaves it in packets it has merged or not yet cut.
"""

from __future__ import annotations

from typing import NamedTuple

# Connections whose MSS is remembered; the oldest goes first.
MAX_FLOWS = 4_096
ETHERNET_HEADER = 14
TAG = 4
_TAGS = frozenset((b"\x81\x00", b"\x88\xa8", b"\x91\x00"))
_MAX_TAGS = 8
_TCP, _UDP = 6, 17
_VXLAN_PORT = 4789
_VXLAN = 8
_MAX_TUNNELS = 2
_MAX_EXTENSIONS = 8
_EXTENSIONS = frozenset((0, 43, 60))
# Kind and length of the MSS option. Looking for it is one call into C, so few frames need taking apart.
MSS_OPTION = b"\x02\x04"
_SYN = 0x02
Flow = tuple[bytes, bytes]


class Datagram(NamedTuple):
    """An IP packet; `l4` and `end` are bytes from the frame's start, `length_fits`: its length agrees."""

    protocol: int
    addresses: bytes
    l4: int
    end: int
    length_fits: bool


def count_tags(data: bytes) -> int:
    """Return how many VLAN tags follow the MAC addresses."""
    tags = 0
    while tags < _MAX_TAGS and data[12 + TAG * tags : 14 + TAG * tags] in _TAGS:
        tags += 1
    return tags


def datagram(data: bytes, wire_len: int, start: int = 0) -> Datagram | None:
    """Return the IP packet of the Ethernet frame that begins at `start`, or None where none is seen.

    A length field of 0 (BIG TCP) stands for all of the frame.
    """
    ip = start + ETHERNET_HEADER + TAG * count_tags(data[start : start + 64])
    ethertype = data[ip - 2 : ip]
    if ethertype == b"\x08\x00" and len(data) >= ip + 20 and data[ip] >> 4 == 4:
        return _ipv4(data, wire_len, ip)
    if ethertype == b"\x86\xdd" and len(data) >= ip + 40 and data[ip] >> 4 == 6:
        return _ipv6(data, wire_len, ip)
    return None


def _ipv4(data: bytes, wire_len: int, ip: int) -> Datagram | None:
    if int.from_bytes(data[ip + 6 : ip + 8], "big") & 0x3FFF:
        return None  # a fragment has no L4 header, or not all of its payload
    total = int.from_bytes(data[ip + 2 : ip + 4], "big")
    end = ip + total if total else wire_len
    l4 = ip + 4 * (data[ip] & 0x0F)
    fits = end <= wire_len and (total != 0 or data[ip + 9] == _TCP)
    return Datagram(data[ip + 9], data[ip + 12 : ip + 20], l4, min(end, wire_len), fits)


def _ipv6(data: bytes, wire_len: int, ip: int) -> Datagram | None:
    payload = int.from_bytes(data[ip + 4 : ip + 6], "big")
    end = ip + 40 + payload if payload else wire_len
    protocol, l4 = data[ip + 6], ip + 40
    for _ in range(_MAX_EXTENSIONS):
        if protocol not in _EXTENSIONS or len(data) < l4 + 2:
            break
        protocol, l4 = data[l4], l4 + 8 + 8 * data[l4 + 1]
    return Datagram(protocol, data[ip + 8 : ip + 40], l4, min(end, wire_len), end <= wire_len)


def innermost(data: bytes, wire_len: int) -> Datagram | None:
    """Return the IP packet of a frame, looking into VXLAN."""
    found = datagram(data, wire_len)
    for _ in range(_MAX_TUNNELS):
        if found is None or found.protocol != _UDP:
            break
        if int.from_bytes(data[found.l4 + 2 : found.l4 + 4], "big") != _VXLAN_PORT:
            break
        inner = datagram(data, wire_len, found.l4 + 8 + _VXLAN)
        if inner is None:
            break
        found = inner
    return found


def _flow(data: bytes, packet: Datagram) -> Flow:
    half = len(packet.addresses) // 2
    source = packet.addresses[:half] + data[packet.l4 : packet.l4 + 2]
    target = packet.addresses[half:] + data[packet.l4 + 2 : packet.l4 + 4]
    return (source, target) if source < target else (target, source)


def _mss_option(options: bytes) -> int:
    at = 0
    while at + 1 < len(options) and options[at]:
        if options[at] == 1:
            at += 1
            continue
        if options[at : at + 2] == MSS_OPTION and at + 4 <= len(options):
            return int.from_bytes(options[at + 2 : at + 4], "big")
        at += max(options[at + 1], 2)
    return 0


def checksum_is_partial(data: bytes, packet: Datagram) -> bool:
    """Tell whether the L4 checksum holds just the pseudo header's sum, with the length in it or without."""
    at = packet.l4 + (16 if packet.protocol == _TCP else 6)
    if len(data) < at + 2:
        return False
    found = int.from_bytes(data[at : at + 2], "big")
    words = packet.addresses
    plain = packet.protocol + sum(int.from_bytes(words[i : i + 2], "big") for i in range(0, len(words), 2))
    return found in (_fold(plain), _fold(plain + packet.end - packet.l4))


def _fold(total: int) -> int:
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


class SegmentSizes:
    """The MSS of each TCP connection as its SYNs announced it, the smaller of the two directions."""

    def __init__(self, limit: int = MAX_FLOWS) -> None:
        self._limit = limit
        self._mss: dict[Flow, int] = {}

    def note(self, data: bytes) -> None:
        """Look for a SYN with an MSS; call it, in order, for every frame with MSS_OPTION near its headers."""
        packet = innermost(data, len(data))
        if packet is None or packet.protocol != _TCP or len(data) < packet.l4 + 20:
            return
        if not data[packet.l4 + 13] & _SYN:
            return
        header = 4 * (data[packet.l4 + 12] >> 4)
        mss = _mss_option(data[packet.l4 + 20 : packet.l4 + header])
        if mss:
            self._remember(_flow(data, packet), mss)

    def _remember(self, flow: Flow, mss: int) -> None:
        known = self._mss.pop(flow, mss)
        if len(self._mss) >= self._limit:
            del self._mss[next(iter(self._mss))]
        self._mss[flow] = min(known, mss)

    def never_one_frame(self, data: bytes, wire_len: int) -> bool:
        """Tell whether a frame longer than the MTU allows shows a sign of not having been one on the wire.

        Without a SYN of its connection only the checksum can tell, so a jumbo frame captured on its own
        sender, before the card filled in the checksum, is taken for a super-packet too.
        """
        packet = innermost(data, wire_len)
        if packet is None or packet.protocol not in (_TCP, _UDP):
            return False
        if packet.protocol == _TCP and len(data) >= packet.l4 + 13:
            mss = self._mss.get(_flow(data, packet), 0)
            if mss:
                return packet.end - packet.l4 - 4 * (data[packet.l4 + 12] >> 4) > mss
        return checksum_is_partial(data, packet)
