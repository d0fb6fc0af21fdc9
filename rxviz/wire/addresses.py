"""Addresses between text and bytes, remembered because a run has few and asks often."""

from __future__ import annotations

from functools import lru_cache
from ipaddress import AddressValueError, IPv4Address, IPv6Address

_REMEMBERED = 4096


@lru_cache(_REMEMBERED)
def mac_bytes(text: str) -> bytes:
    """Give the 6 bytes of "02:00:00:00:00:01"; ValueError for anything else."""
    parts = text.split(":")
    try:
        packed = bytes(int(part, 16) for part in parts if 0 < len(part) <= 2)
    except ValueError:
        packed = b""
    if len(parts) != 6 or len(packed) != 6:
        raise ValueError(f"{text!r} is not a MAC address; write six bytes such as 02:00:00:00:00:01")
    return packed


@lru_cache(_REMEMBERED)
def mac_text(packed: bytes) -> str:
    """Give "02:00:00:00:00:01" for 6 bytes."""
    return packed.hex(":")


@lru_cache(_REMEMBERED)
def ipv4_number(text: str) -> int:
    """Give an IPv4 address in dotted text as its 32-bit number; ValueError for anything else."""
    try:
        return int(IPv4Address(text))
    except AddressValueError:
        raise ValueError(f"{text!r} is not an IPv4 address; write four numbers such as 10.0.0.2") from None


@lru_cache(_REMEMBERED)
def ipv4_text(packed: bytes) -> str:
    """Give dotted text for 4 bytes."""
    return f"{packed[0]}.{packed[1]}.{packed[2]}.{packed[3]}"


@lru_cache(_REMEMBERED)
def ipv6_number(text: str) -> int:
    """Give an IPv6 address in text as its 128-bit number; ValueError for anything else."""
    try:
        return int(IPv6Address(text))
    except AddressValueError:
        raise ValueError(f"{text!r} is not an IPv6 address; write one such as fd00::2") from None


@lru_cache(_REMEMBERED)
def ipv6_text(packed: bytes) -> str:
    """Give the shortest text (RFC 5952) for 16 bytes."""
    return IPv6Address(packed).compressed
