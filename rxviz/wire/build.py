"""Building frames for scenarios: every length and checksum right, no FCS, no padding unless asked for.

Sequence and acknowledgement numbers and IPv4 ids are taken modulo their width, so that a caller may just
count. Any other field that does not fit raises ValueError.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from zlib import crc32

from rxviz.wire.addresses import ipv4_number, ipv6_number
from rxviz.wire.flow import flow_key
from rxviz.wire.numbers import ETHERTYPE_VLAN, PROTO_TCP, PROTO_UDP, VXLAN_PORT, VXLAN_VNI_VALID
from rxviz.wire.pack import Extensions, over_ipv4, over_ipv6, tcp_options, tcp_segment, udp_segment

SRC_MAC = "02:00:00:00:00:02"
DST_MAC = "02:00:00:00:00:09"
SRC4, DST4 = "10.0.0.2", "10.0.0.9"
SRC6, DST6 = "fd00::2", "fd00::9"
SPORT, DPORT = 5001, 40112

_MINIMUM = 60
_CELL = 16
_FIRST_DYNAMIC_PORT = 49152
_two = struct.Struct("!II").pack
_tag = struct.Struct("!HH").pack


def tcp4(
    payload: bytes = b"",
    *,
    src: str = SRC4,
    dst: str = DST4,
    sport: int = SPORT,
    dport: int = DPORT,
    seq: int = 1,
    ack: int = 1,
    flags: str = "A",
    window: int = 229,
    tsval: int | None = None,
    tsecr: int | None = None,
    options: bytes = b"",
    ttl: int = 64,
    ip_id: int = 0,
    tos: int = 0,
    df: bool = True,
    ip_options: bytes = b"",
    src_mac: str = SRC_MAC,
    dst_mac: str = DST_MAC,
) -> bytes:
    """Build Ethernet + IPv4 + TCP.

    `flags` are letters of FSRPAUEC. Either of `tsval` and `tsecr` adds the 12 bytes of the timestamps option.
    `options` and `ip_options` are ready bytes, filled up with zeros (end of options) to a multiple of 4.
    """
    addresses = ipv4_number(src) + ipv4_number(dst)
    try:
        segment = tcp_segment(
            payload, addresses, sport, dport, seq, ack, flags, window, tcp_options(tsval, tsecr, options)
        )
        return over_ipv4(segment, PROTO_TCP, src, dst, ttl, ip_id, tos, df, ip_options, src_mac, dst_mac)
    except struct.error as error:
        raise _unfit(error) from None


def udp4(
    payload: bytes = b"",
    *,
    src: str = SRC4,
    dst: str = DST4,
    sport: int = SPORT,
    dport: int = DPORT,
    checksum: bool = True,
    ttl: int = 64,
    ip_id: int = 0,
    tos: int = 0,
    df: bool = True,
    ip_options: bytes = b"",
    src_mac: str = SRC_MAC,
    dst_mac: str = DST_MAC,
) -> bytes:
    """Build Ethernet + IPv4 + UDP; without `checksum` the field is 0, "not computed"."""
    addresses = ipv4_number(src) + ipv4_number(dst)
    try:
        segment = udp_segment(payload, addresses, sport, dport, checksum)
        return over_ipv4(segment, PROTO_UDP, src, dst, ttl, ip_id, tos, df, ip_options, src_mac, dst_mac)
    except struct.error as error:
        raise _unfit(error) from None


def tcp6(
    payload: bytes = b"",
    *,
    src: str = SRC6,
    dst: str = DST6,
    sport: int = SPORT,
    dport: int = DPORT,
    seq: int = 1,
    ack: int = 1,
    flags: str = "A",
    window: int = 229,
    tsval: int | None = None,
    tsecr: int | None = None,
    options: bytes = b"",
    ttl: int = 64,
    tos: int = 0,
    flow_label: int = 0,
    extensions: Extensions = (),
    src_mac: str = SRC_MAC,
    dst_mac: str = DST_MAC,
) -> bytes:
    """Build Ethernet + IPv6 + TCP; `ttl` is the hop limit and `tos` the traffic class."""
    addresses = ipv6_number(src) + ipv6_number(dst)
    try:
        segment = tcp_segment(
            payload, addresses, sport, dport, seq, ack, flags, window, tcp_options(tsval, tsecr, options)
        )
        return over_ipv6(segment, PROTO_TCP, src, dst, ttl, tos, flow_label, extensions, src_mac, dst_mac)
    except struct.error as error:
        raise _unfit(error) from None


def udp6(
    payload: bytes = b"",
    *,
    src: str = SRC6,
    dst: str = DST6,
    sport: int = SPORT,
    dport: int = DPORT,
    ttl: int = 64,
    tos: int = 0,
    flow_label: int = 0,
    extensions: Extensions = (),
    src_mac: str = SRC_MAC,
    dst_mac: str = DST_MAC,
) -> bytes:
    """Build Ethernet + IPv6 + UDP; `ttl` is the hop limit and `tos` the traffic class."""
    addresses = ipv6_number(src) + ipv6_number(dst)
    try:
        segment = udp_segment(payload, addresses, sport, dport, True)
        return over_ipv6(segment, PROTO_UDP, src, dst, ttl, tos, flow_label, extensions, src_mac, dst_mac)
    except struct.error as error:
        raise _unfit(error) from None


def vxlan(
    inner: bytes,
    vni: int,
    *,
    src: str = "192.0.2.2",
    dst: str = "192.0.2.9",
    sport: int | None = None,
    dport: int = VXLAN_PORT,
    checksum: bool = True,
    ttl: int = 64,
    ip_id: int = 0,
    tos: int = 0,
    df: bool = False,
    src_mac: str = SRC_MAC,
    dst_mac: str = DST_MAC,
) -> bytes:
    """Wrap a whole Ethernet frame in VXLAN (RFC 7348) over UDP and IPv4: 50 bytes in front of it.

    Without `sport` the source port is made from the inner flow, one for each flow, as section 5 advises.
    """
    if not 0 <= vni < 1 << 24:
        raise ValueError(f"a VXLAN network id is 0 to {(1 << 24) - 1}, not {vni}")
    if sport is None:
        _, _, addresses, _, ports = flow_key(inner)
        sport = _FIRST_DYNAMIC_PORT + (crc32(addresses + ports) & 0x3FFF)
    return udp4(
        _two(VXLAN_VNI_VALID << 24, vni << 8) + inner,
        src=src,
        dst=dst,
        sport=sport,
        dport=dport,
        checksum=checksum,
        ttl=ttl,
        ip_id=ip_id,
        tos=tos,
        df=df,
        src_mac=src_mac,
        dst_mac=dst_mac,
    )


def vlan(frame: bytes, vid: int, pcp: int = 0, *, tpid: int = ETHERTYPE_VLAN) -> bytes:
    """Put an 802.1Q tag behind the MAC addresses, outside any tag the frame already has."""
    if not (0 <= vid < 4096 and 0 <= pcp < 8):
        raise ValueError(f"a VLAN id is 0 to 4095 and a priority 0 to 7, not {vid} and {pcp}")
    return frame[:12] + _tag(tpid, pcp << 13 | vid) + frame[12:]


def pad60(frame: bytes) -> bytes:
    """Fill up with zeros to the 60 bytes that Ethernet asks for without FCS."""
    return frame.ljust(_MINIMUM, b"\0")


def payload(length: int, mark: int) -> bytes:
    """Give `length` bytes that say whose they are: "#27 BBBBBBBBBBBB" over and over for frame 27.

    Each 16 bytes have the frame number and the frame's letter, A to Z by mark % 26.
    """
    if length < 0:
        raise ValueError(f"a payload cannot have {length} bytes")
    cell = _cell(mark)
    return cell * (length >> 4) + cell[: length & 15]


@lru_cache(1024)
def _cell(mark: int) -> bytes:
    return f"#{mark} ".ljust(_CELL, chr(65 + mark % 26))[:_CELL].encode()


def _unfit(error: struct.error) -> ValueError:
    return ValueError(f"a header field does not fit its width: {error}")
