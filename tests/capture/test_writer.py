from __future__ import annotations

from pathlib import Path

import dpkt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rxviz.capture.reader import open_capture
from rxviz.capture.writer import write_pcap
from rxviz.errors import CaptureError

FRAMES = st.lists(st.tuples(st.integers(0, (1 << 32) * 10**9 - 1), st.binary(max_size=200)), max_size=20)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(sent=FRAMES, snaplen=st.integers(1, 250))
def test_round_trip(tmp_path: Path, sent: list[tuple[int, bytes]], snaplen: int) -> None:
    path = tmp_path / "a.pcap"
    assert write_pcap(path, sent, snaplen=snaplen) == len(sent)
    capture = open_capture(path)
    assert [(r.t_ns, r.data, r.wire_len, r.link_type) for r in capture] == [
        (t_ns, data[:snaplen], len(data), 1) for t_ns, data in sent
    ]
    assert capture.problem is None
    assert capture.format == "pcap, little endian, ns"


def test_dpkt_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    write_pcap(path, [(1_000_000_001, b"abc"), (2_000_000_000, b"d" * 5000)], snaplen=4000)
    with path.open("rb") as file:
        reader = dpkt.pcap.Reader(file)
        assert reader.datalink() == 1
        assert reader.snaplen == 4000
        assert [data for _, data in reader] == [b"abc", b"d" * 4000]


def test_what_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(CaptureError, match="cannot be written"):
        write_pcap(tmp_path / "none" / "a.pcap", [])
    for t_ns in (-1, (1 << 32) * 10**9):
        with pytest.raises(ValueError, match="does not fit"):
            write_pcap(tmp_path / "a.pcap", [(t_ns, b"")])
    for snaplen in (0, 262_145):
        with pytest.raises(ValueError, match="snaplen"):
            write_pcap(tmp_path / "a.pcap", [], snaplen=snaplen)
