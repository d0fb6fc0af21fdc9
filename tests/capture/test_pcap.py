from __future__ import annotations

import struct
from pathlib import Path

import dpkt
import pytest

from rxviz.capture.reader import MAX_CAPTURED, open_capture
from rxviz.errors import CaptureError
from tests.capture.build import pcap_head, pcap_record


def write(folder: Path, content: bytes) -> Path:
    path = folder / "a.pcap"
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("ns", [False, True])
def test_byte_orders_and_ticks(tmp_path: Path, order: str, ns: bool) -> None:
    head = pcap_head(order, ns=ns, link=127)
    path = write(tmp_path, head + pcap_record(b"abc", order, sec=7, tick=5, wire=60) + pcap_record(b"", order))
    capture = open_capture(path)
    first, second = capture
    assert first == (0, 7_000_000_005 if ns else 7_000_005_000, b"abc", 60, 127, 24, "", 40)
    assert second == (1, 0, b"", 0, 127, 43, "", 59)
    assert capture.format == f"pcap, {'little' if order == '<' else 'big'} endian, {'ns' if ns else 'µs'}"
    assert capture.problem is None


def test_each_pass_is_fresh(tmp_path: Path) -> None:
    capture = open_capture(write(tmp_path, pcap_head() + pcap_record(b"a") + pcap_record(b"b") + b"123"))
    assert [r.data for r in capture] == [b"a", b"b"]
    assert capture.problem is not None
    walk = iter(capture)
    assert next(walk).data == b"a"
    assert capture.problem is None
    assert [r.index for r in capture] == [0, 1]
    assert next(walk).data == b"b"


@pytest.mark.parametrize("magic", ["a1b2cd34", "34cdb2a1"])
def test_modified_pcap_is_refused_by_name(tmp_path: Path, magic: str) -> None:
    path = write(tmp_path, bytes.fromhex(magic) + pcap_head()[4:])
    with pytest.raises(CaptureError, match=r"a\.pcap: byte 0: this is modified pcap \(magic a1b2cd34\)"):
        open_capture(path)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the file is empty (0 bytes)"),
        (b"\xd4", "byte 0: not a capture, only 1 of a magic number's 4 bytes long"),
        (b"hello world", "byte 0: not a capture (starts with 68 65 6c 6c)"),
        (pcap_head()[:7], "byte 0: file ends inside its header (7 of 24 bytes)"),
        (pcap_head(minor=2), "byte 4: pcap version 2.2 is not known"),
        (b"\x28\xb5\x2f\xfd" + bytes(40), "byte 0: this is zstd data"),
    ],
)
def test_no_capture(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(CaptureError) as caught:
        open_capture(path)
    assert str(caught.value).startswith(f"{path}: {sentence}")


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    for path, sentence in [
        (tmp_path / "none.pcap", "no such file"),
        (tmp_path, "is a folder, not a capture"),
        (tmp_path / ("x" * 400), "cannot be opened"),
        (Path("a\0b"), "cannot be opened"),
    ]:
        with pytest.raises(CaptureError, match=sentence):
            open_capture(path)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such device on this system")
def test_devices_are_not_read() -> None:
    with pytest.raises(CaptureError, match="is a pipe or a device"):
        open_capture(Path("/dev/zero"))


def test_a_name_cannot_send_escapes(tmp_path: Path) -> None:
    with pytest.raises(CaptureError) as caught:
        open_capture(tmp_path / "a\x1b[2J\u202e.pcap")
    assert "a\\x1b[2J\\u202e.pcap" in str(caught.value)


@pytest.mark.parametrize(
    ("tail", "offset", "sentence"),
    [
        (b"x" * 7, 50, "file ends inside a record header at byte 50 (7 of 16 bytes)"),
        (pcap_record(b"12345678", captured=19200), 50, "record at byte 50 wants 19,200 bytes, 8 left"),
        (
            pcap_record(b"", captured=0xFFFFFFFF),
            50,
            "claims 4,294,967,295 bytes, more than the limit of 262,144",
        ),
        (pcap_record(b"x" * 300_000), 50, "claims 300,000 bytes, more than the limit of 262,144"),
    ],
)
def test_where_it_breaks(tmp_path: Path, tail: bytes, offset: int, sentence: str) -> None:
    capture = open_capture(write(tmp_path, pcap_head() + pcap_record(b"0123456789") + tail))
    assert [r.data for r in capture] == [b"0123456789"]
    assert capture.problem is not None
    assert capture.problem.offset == offset
    assert sentence in capture.problem.sentence


def test_the_longest_record_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, pcap_head() + 3 * pcap_record(b"x" * MAX_CAPTURED))
    assert [len(r.data) for r in open_capture(path)] == [MAX_CAPTURED] * 3


def test_more_captured_than_on_the_wire_is_remarked(tmp_path: Path) -> None:
    (record,) = open_capture(write(tmp_path, pcap_head() + pcap_record(b"x" * 84, wire=68)))
    assert record.remark == "says 84 bytes were captured of a packet 68 long; 68 are used"
    assert (len(record.data), record.wire_len) == (84, 68)


def test_declared_check_sequence_is_left_out(tmp_path: Path) -> None:
    link = 2 << 28 | 1 << 26 | 1  # two 16-bit words
    content = pcap_head(link=link) + pcap_record(b"frameFCS!") + pcap_record(b"fra", wire=9) + pcap_record(b"xy")
    content += pcap_record(b"overlong", wire=7)
    whole, cut, tiny, overlong = open_capture(write(tmp_path, content))
    assert (whole.data, whole.wire_len, whole.link_type) == (b"frame", 5, 1)
    assert (cut.data, cut.wire_len) == (b"fra", 5)
    assert (tiny.data, tiny.wire_len) == (b"", 0)
    assert (overlong.data, overlong.wire_len) == (b"overlong", 3)
    assert overlong.remark == "says 8 bytes were captured of a packet 3 long; 3 are used"


def test_agrees_with_dpkt(tmp_path: Path) -> None:
    for order in "<>":
        head = pcap_head(order, ns=True)
        records = [pcap_record(bytes([n]) * (n * 37), order, sec=n, tick=n * 1000) for n in range(200)]
        path = write(tmp_path, head + b"".join(records))
        with path.open("rb") as file:
            theirs = [(round(float(stamp) * 1e9), data) for stamp, data in dpkt.pcap.Reader(file)]
        assert [(r.t_ns, r.data) for r in open_capture(path)] == theirs


def test_where_dpkt_would_mislead(tmp_path: Path) -> None:
    """The reason for an own reader: a cut-off last record is handed out as if it were whole."""
    path = write(tmp_path, pcap_head() + pcap_record(b"whole") + pcap_record(b"half", captured=1000))
    with path.open("rb") as file:
        assert [data for _, data in dpkt.pcap.Reader(file)] == [b"whole", b"half"]
    capture = open_capture(path)
    assert [r.data for r in capture] == [b"whole"]
    assert capture.problem is not None


def test_records_across_the_chunk_border(tmp_path: Path) -> None:
    data = [struct.pack(">I", n) * (n % 700) for n in range(2000)]
    path = write(tmp_path, pcap_head() + b"".join(pcap_record(d) for d in data))
    content = path.read_bytes()
    assert len(content) > 2 * 262_144
    records = list(open_capture(path))
    assert [r.data for r in records] == data
    assert all(content[r.data_offset : r.data_offset + len(r.data)] == r.data for r in records)
