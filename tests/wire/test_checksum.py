from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rxviz.wire.checksum import (
    fold,
    internet_checksum,
    ones_sum,
    payload_sum,
    pseudo_sum,
    tcp_udp_checksum,
    word_sum,
)


def by_the_book(data: bytes) -> int:
    """The loop of RFC 1071, 4.1, as slow as it is plain."""
    total = 0
    for at in range(0, len(data) - 1, 2):
        total += data[at] << 8 | data[at + 1]
    if len(data) % 2:
        total += data[-1] << 8
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def test_rfc_1071_example() -> None:
    data = bytes.fromhex("0001f203f4f5f6f7")
    assert ones_sum(data) == 0xDDF2
    assert internet_checksum(data) == 0x220D


def test_a_known_ipv4_header() -> None:
    # The header of 192.168.0.1 > 192.168.0.199 that many texts work out by hand.
    header = bytes.fromhex("450000730000400040110000c0a80001c0a800c7")
    assert internet_checksum(header) == 0xB861
    assert ones_sum(header[:10] + b"\xb8\x61" + header[12:]) == 0xFFFF


def test_zero_and_its_other_form() -> None:
    assert fold(0) == 0
    assert fold(0xFFFF) == fold(0x1FFFE) == 0xFFFF
    assert internet_checksum(b"") == internet_checksum(bytes(7)) == 0xFFFF
    assert internet_checksum(b"\xff\xff") == 0


def test_an_odd_last_byte_is_a_high_byte() -> None:
    assert ones_sum(b"\x01\x02\x03") == 0x0402


def test_udp_never_sends_zero() -> None:
    # The pseudo header adds up to 0x19 and the length field to 8, so this port makes 0xFFFF.
    segment = (0xFFFF - 0x19 - 8).to_bytes(2, "big") + bytes.fromhex("000000080000")
    assert tcp_udp_checksum(bytes(4), bytes(4), 17, segment) == 0xFFFF
    assert tcp_udp_checksum(bytes(4), bytes(4), 17 + 0, segment[:-1] + b"\1") == 0xFFFE
    assert pseudo_sum(bytes(4), bytes(4), 17, 8) == 0x19


def test_pseudo_header_splits_a_length_past_16_bits() -> None:
    assert pseudo_sum(b"\0\0\0\1", b"\0\0\0\2", 6, 0x12345) == 3 + 6 + 1 + 0x2345


@given(st.binary(max_size=200))
def test_same_as_the_loop(data: bytes) -> None:
    expected = by_the_book(data)
    for form in (data, bytearray(data), memoryview(data)):
        assert ones_sum(form) == expected
        assert internet_checksum(form) == expected ^ 0xFFFF


@given(st.binary(max_size=64).filter(lambda part: len(part) % 2 == 0), st.binary(max_size=64))
def test_parts_chain(first: bytes, second: bytes) -> None:
    assert ones_sum(second, ones_sum(first)) == by_the_book(first + second)
    assert ones_sum(second, word_sum(first)) == by_the_book(first + second)


@given(st.binary(min_size=1, max_size=17), st.integers(0, 100))
def test_repeating_payload_adds_up_the_same(cell: bytes, length: int) -> None:
    data = (cell * length)[:length]
    assert fold(payload_sum(data) + 6) == fold(word_sum(data) + 6)
    broken = data[:-1] + b"!"
    assert fold(payload_sum(broken) + 6) == fold(word_sum(broken) + 6)
