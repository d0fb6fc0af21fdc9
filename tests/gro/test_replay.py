"""Captures through GRO: the contract's JSON, reference counts of real captures, streaming."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from rxviz.capture.reader import Capture
from rxviz.errors import CaptureError, ScenarioError
from rxviz.model.gro.kernel import GroConfig
from rxviz.run.gro import ArrivingFrame, GroOptions, GroReplay, PacketEntry, gro_result, write_json
from rxviz.run.gro_layouts import Layout
from tests.gro.flow import ACK, PSH, SIZE, frame, run_of, sport

_REAL = Path(__file__).resolve().parents[3] / "shared" / "captures"
_BIGGEST = 1 << 17


def arrivals(frames: list[bytes], kept: int = 1 << 20) -> Iterator[ArrivingFrame]:
    """Frames of a capture that keeps `kept` bytes of each."""
    for data in frames:
        yield SimpleNamespace(data=data[:kept], wire_len=len(data))


def test_the_object_of_the_contract() -> None:
    frames = [*run_of(2), frame(2, window=228, flags=ACK | PSH), frame(3, kind="udp4")]
    result = gro_result(arrivals(frames))
    assert list(result) == ["kernel", "polls", "frames", "delivered"]
    assert (result["kernel"], result["polls"]) == ("6.18", 1)
    first, second, third, fourth = result["frames"]
    assert first == {"n": 0, "verdict": "HELD", "why": "first of its flow", "rule": "gro_first"}
    assert (second["verdict"], second["into"]) == ("MERGED_FREE", 0)
    assert (third["verdict"], third["flushed"]) == ("NORMAL", 0)
    assert fourth["why"] == "UDP, and nobody asked for UDP to be merged"
    packet = result["delivered"][0]
    assert packet | {"truesize": 0} == {
        "frames": [0, 1],
        "l3": "ipv4",
        "l4": "tcp",
        "payload": 2 * SIZE,
        "segs": 2,
        "gso_size": SIZE,
        "gso_type": ["TCPV4"],
        "ip_id": 0,
        "flags": "A",
        "checksum": "partial",
        "truesize": 0,
        "frags": [1],
        "vlan": None,
        "left": "window differs: 228, held 229",
        "rule": "gro_same_window",
    }
    assert [p["frames"] for p in result["delivered"]] == [[0, 1], [2], [3]]
    assert result["delivered"][2]["l4"] == "udp"


def test_why_names_all_that_a_segment_was_refused_for() -> None:
    frames = [frame(0), frame(2)]
    assert gro_result(arrivals(frames))["frames"][1]["why"] == (
        "IPv4 ID does not fit the series: 2, expected 1; not next in sequence: 201, expected 101"
    )


@pytest.mark.parametrize("poll", [1, 2, 63, 64, 100])
def test_everything_held_leaves_at_the_end_of_each_poll(poll: int) -> None:
    result = gro_result(arrivals(run_of(130)), GroOptions(poll=poll))
    sizes = [packet["segs"] for packet in result["delivered"]]
    assert result["polls"] == -(-130 // poll)
    expected = {1: [1] * 130, 2: [2] * 65, 63: [63, 63, 4], 64: [64, 64, 2], 100: [64, 36, 30]}
    assert sizes == expected[poll]


def test_with_hz_1000_the_64th_frame_flushes_nothing_young() -> None:
    options = GroOptions(poll=100, config=GroConfig(hz=1000))
    assert [packet["segs"] for packet in gro_result(arrivals(run_of(130)), options)["delivered"]] == [100, 30]


@pytest.mark.parametrize(
    ("layout", "verdict", "truesize"),
    [
        (Layout.BUILD_SKB, "MERGED_FREE", 2304 + 2048),
        (Layout.LEGACY, "MERGED_FREE", 896 + 2048 + 2048),
        (Layout.COPIED, "MERGED", 2 * 2304),
    ],
)
def test_layouts(layout: Layout, verdict: str, truesize: int) -> None:
    result = gro_result(arrivals(run_of(2, size=1448)), GroOptions(layout=layout))
    assert result["frames"][1]["verdict"] == verdict
    assert result["delivered"][0]["truesize"] == truesize


def test_small_legacy_frames_are_copied_to_the_head() -> None:
    result = gro_result(arrivals(run_of(2)), GroOptions(layout=Layout.LEGACY))
    assert result["delivered"][0]["truesize"] == 896 + 896 - 256


def test_frames_of_which_only_a_part_was_kept_go_by_their_wire_length() -> None:
    result = gro_result(arrivals([*run_of(3, size=1448), frame(3, payload=b"", seq=1)], kept=96))
    assert [entry.get("partial") for entry in result["frames"]] == [True, True, True, None]
    assert result["delivered"][0]["payload"] == 3 * 1448
    whole = gro_result(arrivals(run_of(3, size=1448)))
    assert whole["delivered"][0]["truesize"] == result["delivered"][0]["truesize"]


def test_a_frame_cut_inside_its_headers_goes_up() -> None:
    result = gro_result(arrivals(run_of(2), kept=40))
    assert [entry["rule"] for entry in result["frames"]] == ["gro_header_whole"] * 2


def test_an_802_1q_tag_is_stripped_as_cards_do() -> None:
    frames = run_of(2, kind="vlan", tci=5)
    result = gro_result(arrivals(frames))
    assert (result["delivered"][0]["vlan"], result["delivered"][0]["segs"]) == (5, 2)
    kept = gro_result(arrivals(frames), GroOptions(strip_vlan=False))
    assert (kept["delivered"][0]["vlan"], kept["delivered"][0]["segs"]) == (None, 2)


def test_hash_by_flow_spreads_flows_over_buckets() -> None:
    frames = [frame(n, ports=sport(2000 + flow)) for n in range(2) for flow in range(9)]
    one = gro_result(arrivals(frames), GroOptions(hash="zero"))
    spread = gro_result(arrivals(frames), GroOptions(hash="flow"))
    assert len(one["delivered"]) == 18
    assert len(spread["delivered"]) == 9


def test_what_the_card_says_of_checksums() -> None:
    frames = [frame(0), frame(1, sum_delta=1)]
    for checksums, verdict in (("trusted", "MERGED_FREE"), ("verified", "NORMAL"), ("software", "NORMAL")):
        result = gro_result(arrivals(frames), GroOptions(checksums=checksums))
        assert result["frames"][1]["verdict"] == verdict


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (GroOptions(hash="rss"), "hash is one of zero, flow"),
        (GroOptions(checksums="good"), "checksums is one of"),
        (GroOptions(poll=0), "at least 1 frame"),
        (GroOptions(off=frozenset({"gro_flush_on_push"})), "gro_flush_on_psh is"),
        (GroOptions(off=frozenset({"gro_handler"})), "cannot be switched off"),
    ],
)
def test_wrong_words_are_errors_of_one_sentence(options: GroOptions, sentence: str) -> None:
    with pytest.raises(ScenarioError, match=sentence):
        GroReplay(options)


def test_a_stream_needs_no_more_memory_for_more_frames() -> None:
    def feed(count: int) -> int:
        frames = (SimpleNamespace(data=frame(n % 500), wire_len=54 + SIZE) for n in range(count))
        tracemalloc.start()
        delivered = sum(isinstance(entry, PacketEntry) for entry in GroReplay().entries(frames))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert delivered > count // 64
        return peak

    assert feed(3000) < feed(600) * 1.5


def test_written_json_is_the_same_object() -> None:
    frames = run_of(70)
    out, spool = io.StringIO(), io.StringIO()
    write_json(arrivals(frames), None, out, spool)
    assert json.loads(out.getvalue()) == gro_result(arrivals(frames))
    empty = io.StringIO()
    write_json(arrivals([]), None, empty, io.StringIO())
    assert json.loads(empty.getvalue()) == {"kernel": "6.18", "polls": 0, "frames": [], "delivered": []}


def _references() -> list[tuple[str, int, int]]:
    manifest = _REAL / "manifest.tsv"
    if not manifest.exists():
        return []
    with manifest.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if row["ref_skbs_poll64"] not in ("", "-")]
    return [(row["file"], int(row["ref_skbs_poll64"]), int(row["ref_merges_poll64"])) for row in rows]


@pytest.mark.parametrize(("name", "skbs", "merges"), _references())
def test_reference_counts_of_real_captures(name: str, skbs: int, merges: int) -> None:
    """Counts of an independent script: polls of 64, checksums of TCP and UDP taken as good, VXLAN looked into."""
    try:
        records = [r for r in Capture(_REAL / name).records() if r.link_type == 1 and r.wire_len < _BIGGEST]
    except CaptureError:
        pytest.skip("not a capture that can be read")
    if not records:
        pytest.skip("no frame of a credible length")
    result = gro_result(records, GroOptions(poll=64, config=GroConfig(vxlan_ports=frozenset({4789}))))
    merged = sum(entry["verdict"].startswith("MERGED") for entry in result["frames"])
    assert (len(result["delivered"]), merged) == (skbs, merges)


def test_the_kernel_decides_on_fixed_ids_in_a_real_capture() -> None:
    path = _REAL / "vxlan-overlapping-http-get.pcap"
    if not path.exists():
        pytest.skip(f"{path} is not here")
    config = GroConfig(vxlan_ports=frozenset({4789}))
    for kernel, skbs in (("6.18", 33), ("6.9", 39)):
        result = gro_result(Capture(path).records(), GroOptions(kernel=kernel, poll=64, config=config))
        assert len(result["delivered"]) == skbs
