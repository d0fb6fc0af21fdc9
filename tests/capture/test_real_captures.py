"""Every real capture against the facts collected about it."""

from __future__ import annotations

import csv
from collections import Counter

import dpkt
import pytest

from rxviz.capture.frames import Arrival, Frames, Verdict, require_some
from rxviz.capture.reader import Record, open_capture
from rxviz.errors import CaptureError
from tests.capture.build import REAL, needs_real

pytestmark = needs_real


def manifest() -> list[dict[str, str]]:
    if not REAL.is_dir():
        return []
    with (REAL / "manifest.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


ROWS = {row["file"]: row for row in manifest()}
REFUSED = "shb-option-too-long.pcapng"
READABLE = sorted(set(ROWS) - {REFUSED})


def records(name: str) -> list[Record]:
    return list(open_capture(REAL / name))


def walk(name: str, mtu: int = 1500) -> tuple[list[Arrival], dict[Verdict, int], list[str]]:
    with Frames(REAL / name, mtu=mtu) as frames:
        return list(frames), frames.skipped, frames.notes()


def test_there_are_32() -> None:
    assert len(ROWS) == 32


@pytest.mark.parametrize("name", READABLE)
def test_against_the_manifest(name: str) -> None:
    row, found = ROWS[name], records(name)
    assert len(found) == int(row["packets_own"])
    assert max((len(r.data) for r in found), default=0) == int(row["max_captured"])
    assert max((r.wire_len for r in found), default=0) == int(row["max_wire"])
    assert sum(len(r.data) < r.wire_len for r in found) == int(row["cut_packets"])
    links = set() if row["linktypes"] == "-" else {int(link) for link in row["linktypes"].split("+")}
    assert {r.link_type for r in found} == links
    words = row["format"].replace("gzip: ", "gzip of ").split(", snaplen")[0]
    assert open_capture(REAL / name).format == ("pcapng" if words.startswith("pcapng") else words)


@pytest.mark.parametrize("name", READABLE)
def test_problem_only_where_there_is_one(name: str) -> None:
    capture = open_capture(REAL / name)
    assert capture.problem is None
    list(capture)
    assert (capture.problem is not None) == (ROWS[name]["file_error"] != "-")


@pytest.mark.parametrize("name", READABLE)
def test_record_bytes_are_the_files(name: str) -> None:
    if name.endswith(".gz"):
        name = name.removesuffix(".gz")
    content = (REAL / name).read_bytes()
    for record in records(name):
        assert content[record.data_offset : record.data_offset + len(record.data)] == record.data
        assert 0 < record.offset < record.data_offset <= len(content)


@pytest.mark.parametrize(
    "name", [n for n in READABLE if n.endswith(".pcap") and "crash" not in n and "bigtcp" not in n]
)
def test_agrees_with_dpkt(name: str) -> None:
    with (REAL / name).open("rb") as file:
        reader = dpkt.pcap.Reader(file)
        theirs: list[tuple[int, bytes]] = []
        try:
            theirs.extend((round(float(stamp) * 1e6), data) for stamp, data in reader)
        except dpkt.NeedData:
            assert ROWS[name]["file_error"] != "-"
    ours = [(round((r.t_ns or 0) / 1e3), r.data) for r in records(name)]
    assert [data for _, data in ours] == [data for _, data in theirs]
    assert all(abs(a - b) <= 1 for (a, _), (b, _) in zip(ours, theirs, strict=True))


def test_refused_head() -> None:
    with pytest.raises(CaptureError) as caught:
        open_capture(REAL / REFUSED)
    sentence = "byte 0: block at byte 0 says 52 bytes at its head and 808,464,432 at its end"
    assert str(caught.value) == f"{REAL / REFUSED}: {sentence}"


@pytest.mark.parametrize(
    ("name", "offset", "sentence"),
    [
        ("truncated_dns_2.pcap", 240, "file ends inside a record header at byte 240 (7 of 16 bytes)"),
        ("pcpp-crash-81dba690.pcap", 1043, "record at byte 1,043 wants 19,200 bytes, 8,928 left"),
    ],
)
def test_broken_files(name: str, offset: int, sentence: str) -> None:
    with Frames(REAL / name) as frames:
        assert len(list(frames)) == int(ROWS[name]["packets_own"])
        assert frames.problem == (offset, sentence)
        require_some(frames)


def test_gzip_is_its_plain_neighbour() -> None:
    assert records("iso-download.pcap.gz") == records("iso-download.pcap")
    assert walk("iso-download.pcap.gz") == walk("iso-download.pcap")


@pytest.mark.parametrize("name", READABLE)
def test_random_access_equals_sequential(name: str) -> None:
    with Frames(REAL / name) as frames:
        first = list(frames)
        assert frames.get(len(first)) is None
        assert [frames.get(n) for n in reversed(range(len(first)))] == first[::-1]
    with Frames(REAL / name) as frames:
        jumps = [n * 7 % len(first) for n in range(len(first))]
        assert [frames.get(n) for n in jumps] == [first[n] for n in jumps]


@pytest.mark.parametrize("name", READABLE)
def test_arrivals_are_well_formed(name: str) -> None:
    arrivals, skipped, _ = walk(name)
    times = [a.t_ns for a in arrivals]
    assert times == sorted(times)
    assert times[:1] in ([], [0])
    assert len(arrivals) + sum(skipped.values()) == int(ROWS[name]["packets_own"])
    for arrival in arrivals:
        assert len(arrival.data) <= arrival.wire_len


@pytest.mark.parametrize(
    ("name", "link", "words"),
    [
        ("mptcp-v1.pcap", 113, "Linux cooked"),
        ("linux_dlt_sll2.pcap", 276, "Linux cooked, version 2"),
        ("bulk-loading.pcap", 0, "BSD loopback"),
        ("quic-interop-retry.pcap", 9, "PPP"),
        ("payload-syn.pcap", 101, "raw IP"),
        ("ieee802.11_exthdr.pcap", 127, "IEEE 802.11 radiotap"),
        ("bad-caplen.pcap", 113, "Linux cooked"),
    ],
)
def test_other_links_are_named_and_left_out(name: str, link: int, words: str) -> None:
    arrivals, skipped, notes = walk(name)
    count = int(ROWS[name]["packets_own"])
    assert arrivals == []
    assert skipped == {Verdict.NOT_ETHERNET: count}
    (note,) = notes
    assert note.startswith(f"{count} record{'' if count == 1 else 's'} left out: link type {link} ({words}) ")
    assert note.endswith("not an Ethernet NIC path")
    with (
        Frames(REAL / name) as frames,
        pytest.raises(CaptureError, match=f"no frame to replay; .*link type {link} "),
    ):
        require_some(frames)


GSO = "captured before segmentation (GSO) or after merging (GRO/LRO); left out"


@pytest.mark.parametrize(
    ("name", "left_out", "note"),
    [
        (
            "gso-ipv4-vxlan-ipv4.pcap",
            [0],
            f"1 record was larger than any frame on this link (7,106 bytes): {GSO}",
        ),
        ("bigtcp-ipv4.pcap", [0], f"1 record was larger than any frame on this link (80,066 bytes): {GSO}"),
        (
            "of10_p3295.pcap",
            [9, 46, 51, 53],
            f"4 records were larger than any frame on this link (1,766 to 2,962 bytes): {GSO}",
        ),
    ],
)
def test_super_packets(name: str, left_out: list[int], note: str) -> None:
    arrivals, skipped, notes = walk(name)
    assert sorted(set(range(int(ROWS[name]["packets_own"]))) - {a.index for a in arrivals}) == left_out
    assert skipped == {Verdict.SUPER_PACKET: len(left_out)}
    assert notes == [note]


def test_a_jumbo_mtu_makes_a_frame_of_it() -> None:
    assert [a.wire_len for a in walk("gso-ipv4-vxlan-ipv4.pcap", mtu=7092)[0]] == [7106]
    assert walk("gso-ipv4-vxlan-ipv4.pcap", mtu=7091)[0] == []
    assert walk("bigtcp-ipv4.pcap", mtu=100_000)[0] == []


@pytest.mark.parametrize("name", ["broadcast.pcap", "vlan-collisions.pcap", "vxlan-overlapping-http-get.pcap"])
def test_long_frames_that_are_real_stay(name: str) -> None:
    arrivals, skipped, _ = walk(name)
    assert skipped == {}
    assert max(a.wire_len for a in arrivals) == int(ROWS[name]["max_wire"])


def test_impossible_length() -> None:
    arrivals, skipped, notes = walk("heapoverflow-in_checksum.pcap")
    assert (arrivals, skipped) == ([], {Verdict.IMPOSSIBLE: 1})
    lengths = "1 record claimed 262,144 bytes on the wire"
    assert notes == [f"{lengths}, which no Ethernet frame has and no header in it backs; left out"]


def test_empty_capture() -> None:
    assert walk("empty.pcap") == ([], {}, [])
    with Frames(REAL / "empty.pcap") as frames, pytest.raises(CaptureError) as caught:
        require_some(frames)
    assert str(caught.value) == f"{REAL / 'empty.pcap'}: holds no packets"


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("timestamp.pcap", "691 of 878 frames are only partly in the file"),
        ("truncated_dns_2.pcap", "1 of 1 frame is only partly in the file"),
        ("broadcast.pcap", "every stamp is the same: all frames arrive back to back"),
        ("broadcast.pcap", "10 frames shorter than 60 bytes: captured before the sender padded them"),
        ("dns.pcap", "10 frames shorter than 60 bytes: captured before the sender padded them"),
        ("dns.pcap", "1 stamp earlier than the one before: file order is taken as the order of arrival"),
        (
            "ipv6-http-atomic-frag.pcap",
            "3 stamps earlier than the one before: file order is taken as the order of arrival",
        ),
        ("test202.pcapng", "2 frames without a time: taken to arrive right behind the one before"),
    ],
)
def test_notes(name: str, note: str) -> None:
    assert note in walk(name)[2]


def test_an_ordinary_capture_needs_no_notes() -> None:
    for name in (
        "iso-download.pcap",
        "snmpwalk-short.pcap",
        "nanosecs_big_endian.pcap",
        "ip4_fragments.pcap",
    ):
        assert walk(name)[2] == []


def test_sections_of_test202() -> None:
    found = records("test202.pcapng")
    # Simple packet blocks: no time, and cut to the snaplen of interface 0 of their own section.
    assert [(len(r.data), r.wire_len) for r in found if r.t_ns is None] == [(128, 314), (128, 314)]
    assert [len(r.data) for r in found] == [96, 96, 168, 128, 128, 128, 128, 168]
    assert Counter(r.link_type for r in found) == {1: 6, 0: 2}


def test_big_endian_ns_span() -> None:
    arrivals, _, _ = walk("nanosecs_big_endian.pcap")
    assert 800_000 < arrivals[-1].t_ns < 810_000
