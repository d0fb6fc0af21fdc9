"""The Internet checksum (RFC 1071) and what TCP and UDP make of it.

A run of bytes read as one big number is, modulo 65535, the sum of its 16-bit words, because 65536 leaves
the remainder 1. So one conversion and one division do what a loop over the words would do.
"""

from __future__ import annotations

from rxviz.wire.numbers import PROTO_UDP, Bytes

_PERIOD = 16


def fold(total: int) -> int:
    """Fold any sum of 16-bit words (or of whole big-endian numbers) to 16 bits, end-around carry.

    0 comes only from a total of 0; every other multiple of 65535 folds to 0xFFFF, as in RFC 1071.
    """
    return total % 0xFFFF or (0xFFFF if total else 0)


def word_sum(data: Bytes) -> int:
    """Give a number that folds to the one's complement sum of `data`; an odd last byte is a high byte."""
    total = int.from_bytes(data, "big")
    return total << 8 if len(data) & 1 else total


def payload_sum(data: bytes) -> int:
    """Give what `word_sum` gives, modulo 65535: quicker for bytes that repeat every 16, as built payloads do.

    The repeating part is added up once, times how often; that it repeats is compared, not believed. The sum
    is right only beside others that are not 0 (a pseudo header never is), as 0xFFFF may come out as 0.
    """
    length = len(data)
    if length > _PERIOD and data[:_PERIOD] == data[_PERIOD : 2 * _PERIOD] and data[_PERIOD:] == data[:-_PERIOD]:
        return word_sum(data[:_PERIOD]) * (length // _PERIOD) + word_sum(data[: length % _PERIOD])
    return word_sum(data) % 0xFFFF


def ones_sum(data: Bytes, start: int = 0) -> int:
    """Give the folded one's complement sum of `data`, 0..0xFFFF, not complemented.

    `start` is what was summed before (folded or not). Parts can be chained when all but the last are even.
    A header or segment that carries its own right checksum sums to 0xFFFF.
    """
    return fold(word_sum(data) + start)


def internet_checksum(data: Bytes, start: int = 0) -> int:
    """Give the checksum field for `data`, 0..0xFFFF: the complement of `ones_sum(data, start)`."""
    return 0xFFFF - fold(word_sum(data) + start)


def pseudo_sum(src: Bytes, dst: Bytes, proto: int, length: int) -> int:
    """Give the sum of the pseudo header: addresses of 4 bytes (RFC 9293, RFC 768) or of 16 (RFC 8200).

    `length` is that of the L4 header and payload in bytes. Not folded: a start for `ones_sum`.
    """
    return int.from_bytes(src, "big") + int.from_bytes(dst, "big") + proto + (length >> 16) + (length & 0xFFFF)


def tcp_udp_checksum(src: Bytes, dst: Bytes, proto: int, segment: Bytes) -> int:
    """Give the checksum field of a TCP, UDP or ICMPv6 segment whose own field is zero.

    `src` and `dst` are both 4 or both 16 bytes. A UDP result of 0 becomes 0xFFFF, as 0 says "not computed".
    """
    found = internet_checksum(segment, pseudo_sum(src, dst, proto, len(segment)))
    return found or (0xFFFF if proto == PROTO_UDP else 0)
