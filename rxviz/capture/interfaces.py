"""Interface description blocks of pcapng: link type, snaplen, and what a tick of the time stamps is."""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct
from typing import NamedTuple

from rxviz.capture.record import BrokenError

# Interfaces that one section may name; their number, unlike packets, costs memory.
MAX_INTERFACES = 65_536
_TSRESOL, _FCSLEN, _TSOFFSET = 9, 13, 14
_OPTION_LENGTHS = {_TSRESOL: 1, _FCSLEN: 1, _TSOFFSET: 8}
_NS = 1_000_000_000


class Interface(NamedTuple):
    """One interface: n ticks are n * scale // parts + origin_ns in ns; `fcs` in bytes; snaplen 0 is none."""

    link_type: int
    snaplen: int
    scale: int
    parts: int
    origin_ns: int
    fcs: int


def read_interface(body: bytes, order: str, at: int) -> Interface:
    """Read the body (head and end of the block cut off) of the interface block at byte `at`."""
    link, snaplen = Struct(order + "HxxI").unpack_from(body)
    scale, parts, origin, fcs = 1000, 1, 0, 0
    for code, value in _options(body, order, at):
        if len(value) != _OPTION_LENGTHS.get(code, len(value)):
            lengths = f"has {len(value):,} bytes, not {_OPTION_LENGTHS[code]}"
            raise BrokenError(at, f"option {code} of the interface at byte {at:,} {lengths}")
        if code == _TSRESOL:
            scale, parts = _tick(value[0])
        elif code == _TSOFFSET:
            (origin,) = Struct(order + "q").unpack(value)
        elif code == _FCSLEN:
            # The standard first said bits, programs write bytes: 32 and 4 both mean the CRC of Ethernet.
            fcs = value[0] // 8 if value[0] >= 16 else value[0]
    return Interface(link, snaplen, scale, parts, origin * _NS, fcs)


def _tick(resolution: int) -> tuple[int, int]:
    """Return scale and parts for an if_tsresol byte: a negative power of 2 (top bit set) or of 10."""
    exponent = resolution & 0x7F
    if resolution & 0x80:
        return _NS, 1 << exponent
    return (10 ** (9 - exponent), 1) if exponent <= 9 else (1, 10 ** (exponent - 9))


def _options(body: bytes, order: str, at: int) -> Iterator[tuple[int, bytes]]:
    head = Struct(order + "HH").unpack_from
    pos = 8
    while pos + 4 <= len(body):
        code, length = head(body, pos)
        if code == 0:
            return
        pos += 4
        if pos + length > len(body):
            left = len(body) - pos
            sentence = f"option {code} of the interface at byte {at:,} wants {length:,} bytes, {left:,} left"
            raise BrokenError(at, sentence)
        yield code, body[pos : pos + length]
        pos += (length + 3) & ~3
