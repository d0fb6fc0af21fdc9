from __future__ import annotations

import struct
from pathlib import Path

import pytest

from rxviz.capture import pcapng
from rxviz.capture.interfaces import MAX_INTERFACES
from rxviz.capture.reader import Capture, Record, open_capture
from rxviz.errors import CaptureError
from tests.capture.build import block, enhanced, interface, obsolete, option, section, simple


def read(folder: Path, content: bytes) -> tuple[list[Record], Capture]:
    path = folder / "a.pcapng"
    path.write_bytes(content)
    capture = open_capture(path)
    return list(capture), capture


@pytest.mark.parametrize("order", ["<", ">"])
def test_all_packet_blocks(tmp_path: Path, order: str) -> None:
    content = section(order) + interface(order, link=1) + interface(order, link=113)
    places = [len(content)]
    for packet in (
        enhanced(b"abcde", order, ticks=5 << 32, number=1, wire=99),
        obsolete(b"fgh", order, ticks=(2 << 32) + 3),
        simple(b"ijkl", order),
    ):
        content += packet
        places.append(len(content))
    records, capture = read(tmp_path, content)
    assert records == [
        (0, (5 << 32) * 1000, b"abcde", 99, 113, places[0], "", places[0] + 28),
        (1, ((2 << 32) + 3) * 1000, b"fgh", 3, 1, places[1], "", places[1] + 28),
        (2, None, b"ijkl", 4, 1, places[2], "", places[2] + 12),
    ]
    assert capture.format == "pcapng"
    assert capture.problem is None


def test_sections_have_their_own_order_and_interfaces(tmp_path: Path) -> None:
    content = section("<") + interface("<", link=1, snaplen=4) + simple(b"abcdefgh")
    content += section(">") + interface(">", link=101, snaplen=6) + simple(b"abcdefgh", ">")
    content += section("<") + interface("<", link=1) + simple(b"abcdefgh", wire=8) + enhanced(b"z", ticks=1)
    records, capture = read(tmp_path, content)
    assert [(r.data, r.wire_len, r.link_type) for r in records] == [
        (b"abcd", 8, 1),
        (b"abcdef", 8, 101),
        (b"abcdefgh", 8, 1),
        (b"z", 1, 1),
    ]
    assert capture.problem is None


@pytest.mark.parametrize(
    ("resolution", "ticks", "t_ns"),
    [
        (None, 5, 5_000),
        (6, 5, 5_000),
        (9, 5, 5),
        (0, 5, 5_000_000_000),
        (12, 5_999, 5),
        (12, (1 << 60) + 999, (1 << 60) // 1000 + 1),
        (0x80, 5, 5_000_000_000),
        (0x81, 3, 1_500_000_000),
        (0x80 | 32, 1 << 32, 1_000_000_000),
        (0x80 | 10, 1, 976_562),
        (0x7F, 5, 0),
        (0xFF, (1 << 64) - 1, 0),
    ],
)
def test_time_resolution(tmp_path: Path, resolution: int | None, ticks: int, t_ns: int) -> None:
    options = b"" if resolution is None else option(9, bytes([resolution]))
    records, _ = read(tmp_path, section() + interface(options=options) + enhanced(b"", ticks=ticks))
    assert records[0].t_ns == t_ns


@pytest.mark.parametrize("order", ["<", ">"])
def test_time_offset_may_be_negative(tmp_path: Path, order: str) -> None:
    options = option(2, b"eth0", order) + option(14, struct.pack(order + "q", -3), order) + option(0, b"", order)
    content = section(order) + interface(order, options=options) + enhanced(b"", order, ticks=1)
    records, _ = read(tmp_path, content)
    assert records[0].t_ns == -3_000_000_000 + 1000


@pytest.mark.parametrize("value", [4, 32])
def test_check_sequence_of_an_interface_is_left_out(tmp_path: Path, value: int) -> None:
    content = section() + interface(options=option(13, bytes([value]))) + enhanced(b"frameFCS!")
    records, _ = read(tmp_path, content)
    assert (records[0].data, records[0].wire_len) == (b"frame", 5)


def test_other_blocks_are_skipped_however_long(tmp_path: Path) -> None:
    content = section() + block(0xBAD, b"custom") + interface() + block(5, bytes(20)) + enhanced(b"a")
    content += block(10, bytes(3 * pcapng.MAX_BLOCK)) + block(0x80000123, b"") + enhanced(b"b", options=option(1, b"c"))
    records, capture = read(tmp_path, content)
    assert [(r.index, r.data) for r in records] == [(0, b"a"), (1, b"b")]
    assert capture.problem is None


def test_overlong_remark(tmp_path: Path) -> None:
    records, _ = read(tmp_path, section() + interface() + enhanced(b"x" * 84, wire=68))
    assert records[0].remark == "says 84 bytes were captured of a packet 68 long; 68 are used"


GOOD = section() + interface() + enhanced(b"good")
AT = len(GOOD)


@pytest.mark.parametrize(
    ("tail", "sentence"),
    [
        (b"\0" * 5, f"file ends inside a block header at byte {AT} (5 of 12 bytes)"),
        (enhanced(b"12345678")[:20], f"block at byte {AT} wants 40 bytes, 20 left"),
        (block(5, bytes(40))[:20], f"block at byte {AT} wants 52 bytes, 20 left"),
        (block(5, bytes(40))[:50], f"block at byte {AT} wants 52 bytes, 50 left"),
        (block(6, bytes(20), length=36), f"block at byte {AT} wants 36 bytes, 32 left"),
        (block(6, bytes(24), end=40), f"block at byte {AT} says 36 bytes at its head and 40 at its end"),
        (block(5, bytes(24), end=40), f"block at byte {AT} says 36 bytes at its head and 40 at its end"),
        (block(6, bytes(16)), f"block at byte {AT} says it is 28 bytes long"),
        (block(5, b"", length=8), f"block at byte {AT} says it is 8 bytes long"),
        (block(77, b"", length=0), f"block at byte {AT} says it is 0 bytes long"),
        (block(6, bytes(24), length=34), f"block at byte {AT} says it is 34 bytes long"),
        (
            block(6, bytes(20), length=0xFFFFFFFC),
            "claims 4,294,967,292 bytes, more than the limit of 1,048,576",
        ),
        (enhanced(b"", number=1), f"packet at byte {AT} names interface 1, its section has 1"),
        (enhanced(b"1234", captured=5), f"packet at byte {AT} claims 5 bytes in a block with room for 4"),
        (
            enhanced(bytes(262_148)),
            f"packet at byte {AT} claims 262,148 bytes, more than the limit of 262,144",
        ),
        (section() + enhanced(b""), f"packet at byte {AT + 28} names interface 0, its section has 0"),
        (section() + simple(b""), f"packet at byte {AT + 28} names interface 0, its section has 0"),
        (section(major=2), f"section at byte {AT} has pcapng version 2.0, only 1 is known"),
        (section()[:20], f"file ends inside a section header at byte {AT} (20 of 28 bytes)"),
        (section()[:8] + bytes(20), f"section at byte {AT} has no byte order mark"),
        (
            interface(options=b"\x01\x00\x30\x30abcd"),
            f"option 1 of the interface at byte {AT} wants 12,336 bytes, 4 left",
        ),
        (interface(options=option(9, b"ab")), f"option 9 of the interface at byte {AT} has 2 bytes, not 1"),
        (interface(options=option(14, b"ab")), f"option 14 of the interface at byte {AT} has 2 bytes, not 8"),
    ],
)
def test_where_it_breaks(tmp_path: Path, tail: bytes, sentence: str) -> None:
    records, capture = read(tmp_path, GOOD + tail)
    assert [r.data for r in records] == [b"good"]
    assert capture.problem is not None
    assert sentence in capture.problem.sentence


@pytest.mark.parametrize("content", [section()[:11], section()[:8] + bytes(20), section()[:-1], section(major=3)])
def test_a_broken_first_section_is_no_capture(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(CaptureError, match=r"a\.pcapng: byte \d+: "):
        read(tmp_path, content)


def test_interfaces_are_limited(tmp_path: Path) -> None:
    content = section() + interface() * MAX_INTERFACES + enhanced(b"a", number=MAX_INTERFACES - 1) + interface()
    records, capture = read(tmp_path, content)
    assert [r.data for r in records] == [b"a"]
    assert capture.problem is not None
    assert "one more than the limit of 65,536" in capture.problem.sentence


def test_a_wrong_end_is_seen_on_the_short_way_too(tmp_path: Path) -> None:
    bad = bytearray(enhanced(b"abcd"))
    bad[-4] ^= 1
    records, capture = read(tmp_path, GOOD + enhanced(b"b") + bytes(bad) + enhanced(b"c"))
    assert [r.data for r in records] == [b"good", b"b"]
    assert capture.problem is not None
    assert capture.problem.offset == AT + len(enhanced(b"b"))
