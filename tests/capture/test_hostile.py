"""Files from strangers: nothing but records, a problem or a CaptureError may come of any bytes."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rxviz.capture.frames import Frames, require_some
from rxviz.capture.reader import MAX_CAPTURED, open_capture
from rxviz.capture.writer import write_pcap
from rxviz.errors import CaptureError
from tests.capture.build import (
    MAC,
    block,
    enhanced,
    in_vxlan,
    interface,
    obsolete,
    option,
    pcap_head,
    pcap_record,
    section,
    simple,
    tcp_frame,
)

SYN = tcp_frame(0, flags=2, mss=1460)
GIANT = tcp_frame(2000, partial=True)
PACKETS = [SYN, tcp_frame(30, tags=2), tcp_frame(9, v6=True), in_vxlan(SYN), GIANT]
PCAP = pcap_head() + b"".join(pcap_record(p, sec=n) for n, p in enumerate(PACKETS))
BIG = pcap_head(">", ns=True) + b"".join(pcap_record(p, ">", sec=n) for n, p in enumerate(PACKETS))
NG = section() + interface(options=option(9, b"\x09") + option(14, bytes(8)) + option(2, b"eth0"))
NG += b"".join(enhanced(p, ticks=n, options=option(1, b"hi")) for n, p in enumerate(PACKETS))
NG += block(0xBAD, bytes(30)) + section(">") + interface(">", snaplen=90) + simple(SYN, ">") + obsolete(GIANT, ">")
BASES = {"pcap": PCAP, "big": BIG, "pcapng": NG, "gzip": gzip.compress(PCAP), "gzip ng": gzip.compress(NG)}

FUZZ = settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.function_scoped_fixture])
FLIPS = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), max_size=6)


def drain(path: Path) -> None:
    """Use every public way through a file, and hold what comes against the file."""
    plain = path.read_bytes()
    try:
        capture = open_capture(path)
        ends = 0
        for count, record in enumerate(capture):
            assert record.index == count
            assert record.offset >= ends
            assert record.offset < record.data_offset
            assert len(record.data) <= MAX_CAPTURED
            ends = record.data_offset + len(record.data)
            assert capture.is_gzip or plain[record.data_offset : ends] == record.data
        if capture.problem is not None:
            assert capture.problem.offset >= 0
            assert capture.problem.sentence.isprintable()
    except CaptureError:
        return
    with Frames(path) as frames:
        arrivals = list(frames)
        assert [frames.get(n) for n in range(len(arrivals))] == arrivals
        assert [a.t_ns for a in arrivals] == sorted(a.t_ns for a in arrivals)
        assert all(len(a.data) <= a.wire_len for a in arrivals)
        assert all(note.isprintable() for note in frames.notes())
        assert frames.problem == capture.problem
        if not arrivals:
            with pytest.raises(CaptureError):
                require_some(frames)


@pytest.mark.parametrize("kind", BASES)
@FUZZ
@given(flips=FLIPS, cut=st.integers(0, 1 << 20))
def test_flips_and_cuts(tmp_path: Path, kind: str, flips: list[tuple[int, int]], cut: int) -> None:
    content = bytearray(BASES[kind])
    for at, value in flips:
        content[at % len(content)] = value
    path = tmp_path / "a"
    path.write_bytes(content[: cut % (len(content) + 1)] if cut % 3 == 0 else content)
    drain(path)


@pytest.mark.parametrize("kind", BASES)
def test_every_cut(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a"
    whole = BASES[kind]
    for size in range(0, len(whole), 7):
        path.write_bytes(whole[:size])
        drain(path)


@FUZZ
@given(
    content=st.binary(max_size=300),
    kind=st.sampled_from([b"", pcap_head(), section(), section() + interface()]),
)
def test_any_bytes(tmp_path: Path, content: bytes, kind: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(kind + content)
    drain(path)


def peak_of(work: Callable[[], int]) -> tuple[int, int]:
    tracemalloc.start()
    try:
        result = work()
        return result, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def drained(path: Path) -> int:
    return sum(1 for _ in open_capture(path))


def framed(path: Path) -> int:
    with Frames(path) as frames:
        return sum(1 for _ in frames)


@pytest.mark.parametrize("use", [drained, framed])
@pytest.mark.parametrize("packed", [False, True])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, use: Callable[[Path], int], packed: bool) -> None:
    path = tmp_path / "long.pcap"
    count = 14_000
    write_pcap(path, ((n, MAC + bytes(1486)) for n in range(count)))
    assert path.stat().st_size > 20_000_000
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes(), 1))
    found, peak = peak_of(lambda: use(path))
    assert found == count
    assert peak < 2_500_000


@pytest.mark.parametrize(
    "content",
    [
        pcap_head() + pcap_record(b"", captured=0x7FFFFFFF),
        section() + block(6, b"", length=0x7FFFFFFC),
        section() + block(99, b"", length=0xFFFFFFFC),
        section()[:4] + b"\xfc\xff\xff\xff" + section()[8:],
        section() + interface(options=b"\x09\x00\xff\xff" * 200),
    ],
)
def test_lengths_are_not_believed(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)

    def read() -> int:
        try:
            return drained(path)
        except CaptureError:
            return 0

    assert peak_of(read)[1] < 1_000_000


def test_a_gzip_bomb_only_streams(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", 9) as file:
        file.write(section() + block(99, b"", length=100_000_012)[:8])
        for _ in range(100):
            file.write(bytes(1_000_000))
    assert path.stat().st_size < 200_000
    capture = open_capture(path)
    assert peak_of(lambda: len(list(capture)))[1] < 2_500_000
    assert capture.problem is not None
    assert "wants 100,000,012 bytes, 100,000,008 left" in capture.problem.sentence
