from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from rxviz.capture.frames import Frames
from rxviz.capture.reader import Capture, open_capture
from rxviz.errors import CaptureError
from tests.capture.build import MAC, enhanced, interface, pcap_head, pcap_record, section

NOISE = random.Random(1)
DATA = [MAC + NOISE.randbytes(60 + n % 900) for n in range(600)]
PLAIN = pcap_head() + b"".join(pcap_record(d, sec=n) for n, d in enumerate(DATA))


def packed(folder: Path, content: bytes) -> Path:
    path = folder / "a.pcap.gz"
    path.write_bytes(content)
    return path


def data_of(capture: Capture) -> list[bytes]:
    return [record.data for record in capture]


def test_gzip_of_either(tmp_path: Path) -> None:
    capture = open_capture(packed(tmp_path, gzip.compress(PLAIN)))
    assert capture.format == "gzip of pcap, little endian, µs"
    assert data_of(capture) == DATA
    capture = open_capture(packed(tmp_path, gzip.compress(section() + interface() + enhanced(b"x"))))
    assert capture.format == "gzip of pcapng"
    assert data_of(capture) == [b"x"]


@pytest.mark.parametrize("padding", [b"", bytes(512), b"\x1f"])
def test_members_and_padding(tmp_path: Path, padding: bytes) -> None:
    members = b"".join(gzip.compress(PLAIN[at : at + 10_000]) for at in range(0, len(PLAIN), 10_000))
    capture = open_capture(packed(tmp_path, members + padding))
    assert data_of(capture) == DATA
    assert capture.problem is None
    assert data_of(capture) == DATA


@pytest.mark.parametrize("size", [16_382, 16_383, 16_384, 16_385])
def test_a_member_may_end_where_a_piece_does(tmp_path: Path, size: int) -> None:
    half = len(PLAIN) // 40
    first = gzip.compress(PLAIN[:half])
    name = b"n" * (size - len(first) - 1) + b"\0"
    first = first[:3] + b"\x08" + first[4:10] + name + first[10:]
    assert len(first) == size
    capture = open_capture(packed(tmp_path, first + gzip.compress(PLAIN[half:])))
    assert data_of(capture) == DATA
    assert capture.problem is None


def test_cut_gzip_gives_all_before_the_cut(tmp_path: Path) -> None:
    whole = gzip.compress(PLAIN)
    capture = open_capture(packed(tmp_path, whole[: len(whole) // 2]))
    data = data_of(capture)
    assert len(data) > 200
    assert data == DATA[: len(data)]
    assert capture.problem is not None
    assert "file ends inside its gzip data" in capture.problem.sentence
    capture = open_capture(packed(tmp_path, whole[:-3]))
    assert data_of(capture) == DATA
    assert capture.problem is not None


def test_damaged_gzip_gives_all_before_the_damage(tmp_path: Path) -> None:
    # The member behind the first begins with a bad block type: everything of the first is sound.
    bad = bytearray(gzip.compress(b"never seen"))
    bad[10] |= 0x06
    capture = open_capture(packed(tmp_path, gzip.compress(PLAIN) + bytes(bad)))
    assert data_of(capture) == DATA
    assert capture.problem is not None
    assert capture.problem.offset == len(PLAIN)
    assert "gzip data is damaged" in capture.problem.sentence


def test_wrong_checksum_loses_nothing(tmp_path: Path) -> None:
    bad = bytearray(gzip.compress(PLAIN))
    bad[-8] ^= 0xFF
    capture = open_capture(packed(tmp_path, bytes(bad)))
    assert data_of(capture) == DATA
    assert capture.problem is not None


def test_bad_heads(tmp_path: Path) -> None:
    for content, sentence in [
        (gzip.compress(gzip.compress(PLAIN)), "gzip inside gzip"),
        (gzip.compress(b"text that is no capture"), r"not a capture \(starts with 74 65 78 74\)"),
        (gzip.compress(b""), "only 0 of a magic number's 4 bytes"),
        (b"\x1f\x8b", "file ends inside its gzip data, 0 bytes unpacked"),
        (b"\x1f\x8bnonsense", "gzip data is damaged, 0 bytes unpacked"),
    ]:
        with pytest.raises(CaptureError, match=sentence):
            open_capture(packed(tmp_path, content))


def test_frames_go_back_in_a_gzipped_file(tmp_path: Path) -> None:
    path = packed(tmp_path, gzip.compress(PLAIN))
    with Frames(path) as frames:
        last = frames.get(len(DATA) - 1)
        assert last is not None
        assert last.data == DATA[-1]
        for position in (0, 599, 3, 300, 299, 301):
            again = frames.get(position)
            assert again is not None
            assert again.data == DATA[position]


def test_spool_limit(tmp_path: Path) -> None:
    path = packed(tmp_path, gzip.compress(pcap_head() + pcap_record(MAC + bytes(1000)) * 5000))
    with Frames(path, max_spool=2_000_000) as frames:
        with pytest.raises(CaptureError, match=r"unpacks to more than 2,000,000 bytes"):
            frames.get(4999)
        assert 0 < frames.seen < 5000
        assert frames.get(0) is not None
        with pytest.raises(CaptureError, match="unpacks to more"):
            frames.get(4999)
