"""Byte-exact captures for the tests, made without the code under test."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

REAL = Path(__file__).resolve().parents[3] / "shared" / "captures"
needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the real captures are not on this machine")

MAC = bytes.fromhex("0200000000020200000000010800")


def pcap_head(order: str = "<", *, ns: bool = False, link: int = 1, snaplen: int = 262144, minor: int = 4) -> bytes:
    magic = 0xA1B23C4D if ns else 0xA1B2C3D4
    return struct.pack(order + "IHHiIII", magic, 2, minor, 0, 0, snaplen, link)


def pcap_record(
    data: bytes,
    order: str = "<",
    *,
    sec: int = 0,
    tick: int = 0,
    wire: int | None = None,
    captured: int | None = None,
) -> bytes:
    wire = len(data) if wire is None else wire
    captured = len(data) if captured is None else captured
    return struct.pack(order + "IIII", sec, tick, captured, wire) + data


def block(kind: int, body: bytes, order: str = "<", *, length: int | None = None, end: int | None = None) -> bytes:
    body += bytes(-len(body) % 4)
    length = len(body) + 12 if length is None else length
    end = length if end is None else end
    return struct.pack(order + "II", kind, length) + body + struct.pack(order + "I", end)


def section(order: str = "<", *, major: int = 1, body: bytes = b"") -> bytes:
    head = struct.pack(order + "IHHq", 0x1A2B3C4D, major, 0, -1)
    return block(0x0A0D0D0A, head + body, order)


def option(code: int, value: bytes, order: str = "<") -> bytes:
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def interface(order: str = "<", *, link: int = 1, snaplen: int = 0, options: bytes = b"") -> bytes:
    return block(1, struct.pack(order + "HHI", link, 0, snaplen) + options, order)


def enhanced(
    data: bytes,
    order: str = "<",
    *,
    ticks: int = 0,
    number: int = 0,
    wire: int | None = None,
    captured: int | None = None,
    options: bytes = b"",
) -> bytes:
    wire = len(data) if wire is None else wire
    captured = len(data) if captured is None else captured
    head = struct.pack(order + "IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, captured, wire)
    return block(6, head + data + bytes(-len(data) % 4) + options, order)


def obsolete(data: bytes, order: str = "<", *, ticks: int = 0, number: int = 0, drops: int = 7) -> bytes:
    head = struct.pack(order + "HHIIII", number, drops, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data))
    return block(2, head + data, order)


def simple(data: bytes, order: str = "<", *, wire: int | None = None) -> bytes:
    return block(3, struct.pack(order + "I", len(data) if wire is None else wire) + data, order)


def ones_sum(data: bytes) -> int:
    data += bytes(len(data) % 2)
    total: int = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def tcp_frame(
    payload: int,
    *,
    flags: int = 0x10,
    mss: int = 0,
    partial: bool = False,
    tags: int = 0,
    back: bool = False,
    v6: bool = False,
    port: int = 4000,
    total_length: int | None = None,
) -> bytes:
    """An Ethernet frame with TCP; `partial` leaves the checksum as a sender with offload does."""
    options = struct.pack(">BBH", 2, 4, mss) if mss else b""
    ports = (80, port) if back else (port, 80)
    size = 20 + len(options) + payload
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2")
    if v6:
        ends = (b"\x20\x01" + bytes(13) + b"\1", b"\x20\x01" + bytes(13) + b"\2")
    source, target = ends[::-1] if back else ends
    check = ones_sum(source + target + struct.pack(">HH", 6, size & 0xFFFF)) if partial else 0x1234
    head = struct.pack(">HHIIBBHHH", *ports, 1, 1, (20 + len(options)) // 4 << 4, flags, 500, check, 0)
    segment = head + options + b"p" * payload
    if v6:
        packet = struct.pack(">IHBB", 6 << 28, size & 0xFFFF, 6, 64) + source + target + segment
        ethertype = b"\x86\xdd"
    else:
        total = 20 + size if total_length is None else total_length
        packet = struct.pack(">BBHHHBBH", 0x45, 0, total, 1, 0x4000, 64, 6, 0) + source + target + segment
        ethertype = b"\x08\x00"
    return MAC[:12] + b"\x81\x00\x00\x2a" * tags + ethertype + packet


def in_vxlan(inner: bytes) -> bytes:
    udp = struct.pack(">HHHHII", 40000, 4789, 16 + len(inner), 0, 0x08000000, 42 << 8) + inner
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(udp), 1, 0, 64, 17, 0) + b"\x0a\1\0\1\x0a\1\0\2"
    return MAC + ip + udp
