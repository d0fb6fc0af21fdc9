"""Packing headers once: the fields are added up as the big numbers they are (see rxviz.wire.checksum)."""

from __future__ import annotations

from functools import lru_cache
from struct import Struct

from rxviz.wire.addresses import ipv4_number, ipv6_number, mac_bytes
from rxviz.wire.checksum import fold, payload_sum
from rxviz.wire.flags import flags_bits
from rxviz.wire.numbers import (
    ETHERTYPE_IPV4,
    ETHERTYPE_IPV6,
    IP_DONT_FRAGMENT,
    IPV4_LENGTH,
    PROTO_TCP,
    PROTO_UDP,
    TCP_LENGTH,
    UDP_LENGTH,
)

Extensions = tuple[tuple[int, bytes], ...]
"""IPv6 extension headers: number and bytes, a multiple of 8; the first byte is filled in."""

_TIMESTAMPS = 0x0101080A
"""Two NOPs, then kind 8 and length 10: the layout that Linux sends (RFC 7323, appendix A)."""
_MAX_OPTIONS = 40

_ipv4 = Struct("!BBHHHBBHII").pack
_ipv6 = Struct("!IHBB16s16s").pack
_tcp = Struct("!HHIIHHHH").pack
_udp = Struct("!HHHH").pack
_three = Struct("!III").pack


def _filled(options: bytes) -> bytes:
    if len(options) > _MAX_OPTIONS:
        raise ValueError(f"a header can have {_MAX_OPTIONS} bytes of options, not {len(options)}")
    return options + bytes(-len(options) % 4)


def tcp_options(tsval: int | None, tsecr: int | None, options: bytes) -> bytes:
    """Give the ready options of a TCP header, timestamps first, a multiple of 4 bytes."""
    if tsval is None and tsecr is None:
        return _filled(options) if options else b""
    stamps = _three(_TIMESTAMPS, (tsval or 0) & 0xFFFFFFFF, (tsecr or 0) & 0xFFFFFFFF)
    return _filled(stamps + options) if options else stamps


def tcp_segment(
    payload: bytes,
    addresses: int,
    sport: int,
    dport: int,
    seq: int,
    ack: int,
    flags: str,
    window: int,
    options: bytes,
) -> bytes:
    """Pack TCP header, options and payload; `addresses` is the sum of both addresses as numbers."""
    header = TCP_LENGTH + len(options)
    seq &= 0xFFFFFFFF
    ack &= 0xFFFFFFFF
    length_and_flags = header << 10 | flags_bits(flags)
    total = addresses + PROTO_TCP + header + len(payload) + sport + dport + seq + ack + length_and_flags + window
    total += int.from_bytes(options, "big") + payload_sum(payload)
    return _tcp(sport, dport, seq, ack, length_and_flags, window, 0xFFFF - fold(total), 0) + options + payload


def udp_segment(payload: bytes, addresses: int, sport: int, dport: int, checksum: bool) -> bytes:
    """Pack UDP header and payload; `addresses` as in `tcp_segment`."""
    length = UDP_LENGTH + len(payload)
    found = 0
    if checksum:
        total = addresses + PROTO_UDP + length + sport + dport + length + payload_sum(payload)
        found = 0xFFFF - fold(total) or 0xFFFF
    return _udp(sport, dport, length, found) + payload


def over_ipv4(
    segment: bytes,
    proto: int,
    src: str,
    dst: str,
    ttl: int,
    ip_id: int,
    tos: int,
    df: bool,
    options: bytes,
    src_mac: str,
    dst_mac: str,
) -> bytes:
    """Put Ethernet and IPv4 in front of a segment."""
    options = _filled(options) if options else b""
    header = IPV4_LENGTH + len(options)
    first, length, ip_id = 0x40 | header >> 2, header + len(segment), ip_id & 0xFFFF
    fragment = IP_DONT_FRAGMENT if df else 0
    source, target = ipv4_number(src), ipv4_number(dst)
    total = (first << 8 | tos) + length + ip_id + fragment + (ttl << 8 | proto) + source + target
    found = 0xFFFF - fold(total + int.from_bytes(options, "big"))
    packed = _ipv4(first, tos, length, ip_id, fragment, ttl, proto, found, source, target)
    return b"".join((_ethernet(dst_mac, src_mac, ETHERTYPE_IPV4), packed, options, segment))


def over_ipv6(
    segment: bytes,
    proto: int,
    src: str,
    dst: str,
    ttl: int,
    tos: int,
    flow_label: int,
    extensions: Extensions,
    src_mac: str,
    dst_mac: str,
) -> bytes:
    """Put Ethernet, IPv6 and its extension headers in front of a segment."""
    if not (0 <= flow_label < 1 << 20 and 0 <= tos < 256):
        raise ValueError(
            f"a traffic class is 0 to 255 and a flow label 0 to {(1 << 20) - 1}, not {tos} and {flow_label}"
        )
    if any(len(header) % 8 or not header for _, header in extensions):
        raise ValueError("an IPv6 extension header is a multiple of 8 bytes, and not empty")
    kinds = [kind for kind, _ in extensions] + [proto]
    chain = b"".join(bytes((kinds[n + 1],)) + header[1:] for n, (_, header) in enumerate(extensions))
    first = 6 << 28 | tos << 20 | flow_label
    packed = _ipv6(first, len(chain) + len(segment), kinds[0], ttl, _ipv6_bytes(src), _ipv6_bytes(dst))
    return b"".join((_ethernet(dst_mac, src_mac, ETHERTYPE_IPV6), packed, chain, segment))


@lru_cache(1024)
def _ipv6_bytes(text: str) -> bytes:
    return ipv6_number(text).to_bytes(16, "big")


@lru_cache(1024)
def _ethernet(dst_mac: str, src_mac: str, ethertype: int) -> bytes:
    return mac_bytes(dst_mac) + mac_bytes(src_mac) + ethertype.to_bytes(2, "big")
