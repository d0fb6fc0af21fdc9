from __future__ import annotations

import os
from pathlib import Path

import pytest

from rxviz.capture.frames import Frames, Verdict, require_some
from rxviz.capture.writer import write_pcap
from rxviz.errors import CaptureError
from tests.capture.build import MAC, enhanced, interface, pcap_head, pcap_record, section, simple, tcp_frame

SECOND = 1_000_000_000


def capture(folder: Path, *records: bytes, tail: bytes = b"", head: bytes | None = None) -> Path:
    path = folder / "a.pcap"
    path.write_bytes((pcap_head(ns=True) if head is None else head) + b"".join(records) + tail)
    return path


def frame(length: int = 60) -> bytes:
    return MAC + bytes(length - len(MAC))


def times(path: Path) -> list[int]:
    with Frames(path) as frames:
        return [arrival.t_ns for arrival in frames]


def stamped(folder: Path, *stamps: int) -> Path:
    return capture(folder, *(pcap_record(frame(), sec=s // SECOND, tick=s % SECOND) for s in stamps))


@pytest.mark.parametrize(
    ("stamps", "arrivals"),
    [
        ([5 * SECOND], [0]),
        ([100, 150, 150, 175], [0, 50, 50, 75]),
        ([100, 90, 130], [0, 0, 30]),
        ([0, 500, 400, 450, 600], [0, 500, 500, 500, 600]),
        # A clock that was set back by more than a second: time goes on from there.
        ([9 * SECOND, 9 * SECOND + 7, 2 * SECOND, 2 * SECOND + 5], [0, 7, 7, 12]),
        ([0, 3600 * SECOND, 10, 20], [0, 3600 * SECOND, 3600 * SECOND, 3600 * SECOND + 10]),
        ([SECOND, 0, 5], [0, 0, 0]),
    ],
)
def test_arrival_times(tmp_path: Path, stamps: list[int], arrivals: list[int]) -> None:
    assert times(stamped(tmp_path, *stamps)) == arrivals


def test_missing_stamps_get_the_time_before(tmp_path: Path) -> None:
    ahead = section() + interface()
    path = capture(
        tmp_path,
        simple(frame()),
        enhanced(frame(), ticks=50),
        simple(frame()),
        enhanced(frame(), ticks=52),
        head=ahead,
    )
    assert times(path) == [0, 0, 0, 2000]


def test_all_stamps_missing(tmp_path: Path) -> None:
    path = capture(tmp_path, *[simple(frame())] * 3, head=section() + interface())
    with Frames(path) as frames:
        assert [arrival.t_ns for arrival in frames] == [0, 0, 0]
        assert frames.notes() == ["3 frames without a time: taken to arrive right behind the one before"]


def test_absurd_stamps_stay_in_64_bits(tmp_path: Path) -> None:
    ahead = section() + interface(options=b"\x09\x00\x01\x00\x00\x00\x00\x00")  # a tick is a second
    path = capture(tmp_path, enhanced(frame(), ticks=0), enhanced(frame(), ticks=(1 << 64) - 1), head=ahead)
    assert times(path) == [0, (1 << 63) - 1]


def test_reads_only_as_far_as_asked(tmp_path: Path) -> None:
    path = capture(
        tmp_path, *(pcap_record(frame(60 + n)) for n in range(9)), pcap_record(frame(3000)[:90], wire=20_000)
    )
    with Frames(path) as frames:
        assert (frames.seen, frames.at_end) == (0, False)
        arrival = frames.get(3)
        assert arrival is not None
        assert arrival.wire_len == 63
        assert (frames.seen, frames.at_end, frames.skipped) == (4, False, {})
        assert frames.get(9) is None
        assert (frames.seen, frames.at_end, frames.skipped) == (9, True, {Verdict.IMPOSSIBLE: 1})
        assert frames.get(1 << 70) is None
        with pytest.raises(IndexError):
            frames.get(-1)


def test_verdicts_skip_but_keep_the_record_numbers(tmp_path: Path) -> None:
    ahead = section() + interface() + interface(link=105)
    path = capture(
        tmp_path,
        enhanced(b"short"),
        enhanced(frame(61)),
        enhanced(frame(), number=1),
        enhanced(frame(), wire=1 << 31),
        enhanced(frame(62)),
        head=ahead,
    )
    with Frames(path) as frames:
        assert [(a.index, a.wire_len) for a in frames] == [(1, 61), (4, 62)]
        assert frames.skipped == {Verdict.IMPOSSIBLE: 2, Verdict.NOT_ETHERNET: 1}
        notes = frames.notes()
    assert notes[0].startswith("1 record left out: link type 105 (IEEE 802.11)")
    assert notes[1].startswith("1 record claimed 2,147,483,648 bytes on the wire")
    assert notes[2] == "1 record was shorter than an Ethernet header (14 bytes); left out"


def test_many_link_types_get_few_sentences(tmp_path: Path) -> None:
    links = b"".join(interface(link=1000 + n) for n in range(50))
    path = capture(tmp_path, *(enhanced(b"", number=n) for n in range(50)), head=section() + links)
    with Frames(path) as frames:
        assert list(frames) == []
        assert len(frames.notes()) == 9
        assert frames.notes()[-1] == "42 records of 42 more link types left out"


def test_lengths_are_clipped_to_the_wire(tmp_path: Path) -> None:
    path = capture(
        tmp_path, pcap_record(frame(84), wire=68), pcap_record(frame(40), wire=900), pcap_record(b"", wire=60)
    )
    remark = "says 84 bytes were captured of a packet 68 long; 68 are used"
    with Frames(path) as frames:
        for _ in range(2):
            assert [frames.get(n) for n in range(3)] == [
                (0, 0, frame(68), 68, remark),
                (1, 0, frame(40), 900, ""),
                (2, 0, b"", 60, ""),
            ]
        assert frames.notes() == [
            "2 of 3 frames read so far are only partly in the file",
            "1 frame with more bytes captured than were on the wire; the length on the wire is used",
            "every stamp read so far is the same: all frames arrive back to back",
        ]
        assert frames.get(3) is None
        assert frames.notes()[0] == "2 of 3 frames are only partly in the file"


def test_tags_may_lengthen_a_frame_but_no_more(tmp_path: Path) -> None:
    exact = [tcp_frame(1460, tags=tags, partial=True) for tags in range(4)]
    longer = [tcp_frame(1461, tags=tags, partial=True) for tags in range(4)]
    path = capture(tmp_path, *map(pcap_record, exact + longer))
    with Frames(path) as frames:
        assert [a.wire_len for a in frames] == [1514, 1518, 1522, 1526]
        assert frames.skipped == {Verdict.SUPER_PACKET: 4}


def test_max_wire(tmp_path: Path) -> None:
    path = capture(tmp_path, pcap_record(frame(9000)), pcap_record(frame(16_384)), pcap_record(frame(16_385)))
    with Frames(path) as frames:
        assert [a.wire_len for a in frames] == [9000, 16_384]
        assert frames.skipped == {Verdict.IMPOSSIBLE: 1}
    with Frames(path, max_wire=9000) as frames:
        assert [a.wire_len for a in frames] == [9000]


def test_too_many_frames(tmp_path: Path) -> None:
    path = capture(tmp_path, *[pcap_record(frame())] * 6)
    with Frames(path, max_frames=5) as frames:
        assert frames.get(4) is not None
        for _ in range(2):
            with pytest.raises(CaptureError, match=r"a\.pcap: more than 5 frames, the limit"):
                frames.get(5)
        assert frames.get(0) is not None


def test_a_file_cut_underneath(tmp_path: Path) -> None:
    path = capture(tmp_path, *[pcap_record(frame())] * 6)
    with Frames(path) as frames:
        assert len(list(frames)) == 6
        os.truncate(path, 100)
        with pytest.raises(CaptureError, match=r"byte 420: the file has become shorter"):
            frames.get(5)


def test_a_file_gone_underneath(tmp_path: Path) -> None:
    path = capture(tmp_path, *[pcap_record(frame())] * 6)
    with Frames(path) as frames:
        assert len(list(frames)) == 6
        path.unlink()
        with pytest.raises(CaptureError, match="cannot be read again"):
            frames.get(5)


def test_require_some(tmp_path: Path) -> None:
    with Frames(capture(tmp_path, pcap_record(frame()))) as frames:
        require_some(frames)
        assert frames.get(0) is not None
    with Frames(capture(tmp_path, tail=b"123")) as frames, pytest.raises(CaptureError) as caught:
        require_some(frames)
    broken = "file ends inside a record header at byte 24 (3 of 16 bytes)"
    assert str(caught.value) == f"{tmp_path / 'a.pcap'}: holds no frame to replay; {broken}"


def test_sparse_access_to_a_long_file(tmp_path: Path) -> None:
    path = tmp_path / "long.pcap"
    sent = [(n * 1000, MAC + n.to_bytes(4, "big") * (20 + n % 300)) for n in range(5000)]
    assert write_pcap(path, sent) == 5000
    with Frames(path) as frames:
        for n in (4999, 0, 2500, 2501, 2499, 4998, 1, 4999):
            assert frames.get(n) == (n, n * 1000, sent[n][1], len(sent[n][1]), "")


def test_a_file_of_nothing_but_empty_records_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few kilobytes of gzip can hold millions of records without a frame among them."""
    from rxviz.capture import frames

    monkeypatch.setattr(frames, "MOST_SKIPPED", 50)
    path = tmp_path / "empty-records.pcap"
    write_pcap(path, ((i, b"") for i in range(60)))
    with pytest.raises(CaptureError, match="more than 50 records that are no frames"):
        Frames(path).get(0)
