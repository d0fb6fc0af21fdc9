"""Frames put together from plain bytes, so that not only what the builders make is tested."""

from __future__ import annotations

import struct

MACS = bytes.fromhex("020000000009") + bytes.fromhex("020000000002")
ARP = MACS + bytes.fromhex("0806 0001 0800 06 04 0001 020000000002 0a000002 000000000000 0a000009") + bytes(18)
LLDP = MACS + bytes.fromhex("88cc") + bytes(range(46))


def eth(ethertype: int, body: bytes) -> bytes:
    return MACS + ethertype.to_bytes(2, "big") + body


def ipv4(proto: int, body: bytes, *, options: bytes = b"", fragment: int = 0, total: int | None = None) -> bytes:
    header = 20 + len(options)
    length = header + len(body) if total is None else total
    first = struct.pack(
        "!BBHHHBBH4s4s",
        *(0x40 | header // 4, 0, length, 7, fragment, 64, proto, 0),
        *(bytes((10, 0, 0, 2)), bytes((10, 0, 0, 9))),
    )
    return first + options + body


def ipv6(proto: int, body: bytes, *, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    source, target = bytes.fromhex("fd00" + "00" * 13 + "02"), bytes.fromhex("fd00" + "00" * 13 + "09")
    return struct.pack("!IHBB16s16s", 6 << 28, size, proto, 64, source, target) + body


def tcp(body: bytes = b"", *, words: int = 5, flags: int = 0x18) -> bytes:
    fixed = struct.pack("!HHIIBBHHH", 5001, 40112, 2897, 1, words << 4, flags, 229, 0, 0)
    return fixed + b"\1" * max(0, words * 4 - 20) + body


def udp(body: bytes = b"", *, dport: int = 53, length: int | None = None) -> bytes:
    return struct.pack("!HHHH", 4000, dport, 8 + len(body) if length is None else length, 0) + body


def vxlan(inner: bytes, vni: int = 42, *, flags: int = 8) -> bytes:
    return bytes((flags, 0, 0, 0)) + (vni << 8).to_bytes(4, "big") + inner


def gre(carried: int, body: bytes, *, flags: int = 0, extra: bytes = b"") -> bytes:
    return struct.pack("!HH", flags, carried) + extra + body
