"""`rxviz gro` through the real entry point."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from rxviz.model.gro.rules import RULES, Kind
from rxviz.run import shipped
from tests.cli.command import REAL, ROOT, assert_clean, assert_one_sentence, rxviz
from tests.cli.test_captures import BROKEN_OFF, FILES, REFUSED, needs_real
from tests.gro.flow import frame, run_of

GOLDEN = Path(__file__).parent / "golden"
FRAME = {"n": int, "verdict": str, "why": str}
PACKET = {
    "frames": list, "l3": str, "l4": str, "payload": int, "segs": int, "gso_size": int, "flags": str, "truesize": int,
    "left": str,
}  # fmt: skip
VERDICTS = {"MERGED", "MERGED_FREE", "HELD", "NORMAL"}


def write(path: Path, frames: list[bytes], kept: int = 65_535) -> str:
    """Write a capture that keeps `kept` bytes of each frame; return its path."""
    records = [struct.pack("<IIII", 1, n, min(len(f), kept), len(f)) + f[:kept] for n, f in enumerate(frames)]
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65_535, 1) + b"".join(records))
    return str(path)


def outcome(*words: str) -> dict[str, Any]:
    ended = rxviz("gro", *words, "--json")
    assert ended.status == 0, ended.err
    assert ended.out.count("\n") == 1
    found: dict[str, Any] = json.loads(ended.out)
    return found


def rows(out: str) -> list[str]:
    """The rows of the table, without poll numbers and second lines."""
    lines = out.split("why it ended\n", 1)[1].split("\n\n", 1)[0].splitlines()
    return [line[5:] for line in lines if line[5:10].strip()]


def check(value: dict[str, Any], shape: dict[str, type]) -> None:
    for key, kind in shape.items():
        assert type(value[key]) is kind, (key, value)


def test_help_is_as_it_was_agreed() -> None:
    assert rxviz("gro", "--help").out == (GOLDEN / "gro.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", shipped.captures())
def test_json_has_every_key_of_the_contract_and_no_frame_is_lost(name: str) -> None:
    found = outcome(name)
    assert type(found["kernel"]) is str
    frames, delivered = found["frames"], found["delivered"]
    assert found["polls"] == -(-len(frames) // 63)
    assert [entry["n"] for entry in frames] == list(range(len(frames)))
    for entry in frames:
        check(entry, FRAME)
        assert entry["verdict"] in VERDICTS
        assert ("into" in entry) == entry["verdict"].startswith("MERGED")
    for packet in delivered:
        check(packet, PACKET)
        assert packet["vlan"] is None or type(packet["vlan"]) is int
        assert packet["ip_id"] is None or type(packet["ip_id"]) is int
        assert packet["segs"] == len(packet["frames"])
    assert sorted(n for packet in delivered for n in packet["frames"]) == list(range(len(frames)))


def test_the_table_says_what_the_json_says() -> None:
    found, ended = outcome("tcp-bulk"), rxviz("gro", "tcp-bulk")
    assert (ended.status, ended.err) == (0, "")
    assert_clean(ended.out)
    listed = [row.split() for row in rows(ended.out)]
    merged = [packet for packet in found["delivered"] if packet["segs"] > 1]
    shown = [row for row in listed if row[2].isdigit() and int(row[2]) > 1]
    assert [(row[1], row[2], row[3].replace(",", ""), row[4].replace(",", "")) for row in shown] == [
        (f"{p['frames'][0]}-{p['frames'][-1]}", str(p["segs"]), str(p["payload"]), str(p["truesize"])) for p in merged
    ]
    verdicts = [entry["verdict"] for entry in found["frames"]]
    factor = len(verdicts) / len(found["delivered"])
    assert f"{len(verdicts):>9,}   in {found['polls']} polls" in ended.out
    assert f"merge factor {factor:.2f}" in ended.out
    for verdict in set(verdicts):
        assert f"{verdicts.count(verdict):>9,}   {verdict} " in ended.out


def test_frames_that_stay_alone_for_the_same_reason_share_a_row() -> None:
    ended = rxviz("gro", "udp-64", "--poll", "40")
    listed = rows(ended.out)
    assert len(listed) == 50
    assert all("40x1" in row for row in listed)


@pytest.mark.parametrize("words", [(), ("--layout", "copied"), ("--kernel", "4.9", "--poll", "7"), ("--why", "7,40")])
@pytest.mark.parametrize("name", ["mixed", "reorder-loss", "vlan", "jumbo", "ipv6-tcp"])
def test_no_line_is_wider_than_a_terminal(name: str, words: tuple[str, ...]) -> None:
    ended = rxviz("gro", name, *words)
    assert ended.status == 0
    assert not [line for line in ended.out.splitlines() if len(line) > 80]


def test_options_reach_the_engine() -> None:
    def delivered(*words: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = outcome(*words)["delivered"]
        return found

    plain = delivered("tcp-bulk")
    assert len(delivered("tcp-bulk", "--poll", "1")) == 1200
    assert {p["truesize"] for p in delivered("tcp-bulk", "--layout", "copied")} != {p["truesize"] for p in plain}
    assert len(delivered("vxlan", "--vxlan", "4789")) < len(delivered("vxlan"))
    assert len(delivered("udp-64", "--udp-forwarding")) < 2000
    assert outcome("mixed", "--kernel", "4.9")["kernel"] == "4.9"
    young, old = (len(delivered("tcp-bulk", "--poll", "4096", "--hz", hz)) for hz in ("1000", "250"))
    assert young < old
    assert {p["truesize"] for p in delivered("jumbo")} != {p["truesize"] for p in delivered("jumbo", "--mtu", "1500")}


def test_checksums_that_are_wrong_keep_frames_apart(tmp_path: Path) -> None:
    path = write(tmp_path / "wrong.pcap", [f[:-1] + b"\xff" for f in run_of(4)])
    assert len(outcome(path)["delivered"]) == 1
    for way in ("verified", "software"):
        found = outcome(path, "--checksums", way)
        assert [entry["why"] for entry in found["frames"]] == ["TCP checksum is wrong"] * 4


def test_a_hash_spreads_flows_over_buckets(tmp_path: Path) -> None:
    frames = [frame(n, ports=struct.pack("!HH", port, 80)) for n in range(4) for port in range(2000, 2012)]
    path = write(tmp_path / "flows.pcap", frames)
    assert len(outcome(path, "--hash", "flow")["delivered"]) < len(outcome(path)["delivered"]) == 48


def test_partial_frames_merge_by_their_wire_length(tmp_path: Path) -> None:
    path = write(tmp_path / "cut.pcap", run_of(4, size=1000), kept=96)
    ended = rxviz("gro", path, "--json")
    found = json.loads(ended.out)
    assert all(entry["partial"] for entry in found["frames"])
    assert [packet["payload"] for packet in found["delivered"]] == [4000]
    assert "4 of 4 frames are only partly in the file" in ended.err
    assert "only partly in the file" in rxviz("gro", path).out


# ------------------------------------------------------------------------------------ other worlds: rules off, LRO, UDP
def test_a_rule_that_is_switched_off_merges_more_and_sends_on_other_frames() -> None:
    off = ("--off", "gro_in_sequence,gro_ip_id")
    found, honest = outcome("reorder-loss", *off), outcome("reorder-loss", "--forward")
    assert found["off"] == ["gro_in_sequence", "gro_ip_id"]
    assert len(found["delivered"]) < len(honest["delivered"])
    assert all(packet["sent_on"] == [] for packet in honest["delivered"])
    changed = [resent for packet in found["delivered"] for resent in packet["sent_on"]]
    assert {field for resent in changed for field in resent["changed"]} == {"sequence number", "IPv4 ID"}
    out = rxviz("gro", "reorder-loss", "--off", "gro_in_sequence", "--off", "gro_ip_id").out
    assert "without gro_in_sequence, without gro_ip_id" in " ".join(out.split())
    assert f"{len(honest['delivered']):>9,}   with every rule kept: merge factor" in out
    assert f"{len(changed):>9,}   as other frames than came in" in out
    assert not [line for line in out.splitlines() if len(line) > 80]


def test_why_with_a_rule_off_does_not_ask_it(tmp_path: Path) -> None:
    path = write(tmp_path / "w.pcap", [frame(0), frame(1, window=228)])
    found = why(path, "--why", "0,1", "--off", "gro_same_window")
    assert found["merges"] is True
    states = {rule["rule"]: rule["state"] for rule in found["rules"]}
    assert (states["gro_same_window"], states["gro_same_ack"]) == ("switched off", "passed")
    out = rxviz("gro", path, "--why", "0,1", "--off", "gro_same_window").out
    assert any(line[5:].startswith("off ") and line.endswith("228 / 229") for line in out.splitlines())


def test_the_list_of_rules_has_every_name() -> None:
    ended = rxviz("gro", "--rules")
    assert (ended.status, ended.err) == (0, "")
    assert_clean(ended.out)
    assert not [line for line in ended.out.splitlines() if len(line) > 80]
    for rule in RULES.values():
        name = f"({rule.name})" if rule.needed else rule.name
        assert (f"  {name} " in ended.out) == (rule.kind is not Kind.OUTCOME)


def test_lro_keeps_the_last_ack_and_window_and_a_bridge_sends_something_else(tmp_path: Path) -> None:
    path = write(tmp_path / "l.pcap", [frame(n, ack=10 + n, window=100 + n) for n in range(3)])
    found = outcome(path, "--lro")
    assert (found["lro"], found["kernel"]) == (True, "3.9")
    assert outcome(path, "--lro", "--kernel", "3.9") == found
    assert [entry["verdict"] for entry in found["frames"]] == ["HELD", "MERGED", "MERGED"]
    (packet,) = found["delivered"]
    assert (packet["segs"], packet["gso_type"], packet["rule"]) == (3, [], "lro_poll_end")
    assert packet["sent_on"] == [{"frame": n, "changed": ["ACK number", "window"]} for n in (0, 1)]
    assert all(packet["sent_on"] == [] for packet in outcome(path, "--forward")["delivered"]), "GRO merged none"
    out = rxviz("gro", path, "--lro").out
    assert "inet_lro as mv643xx_eth had it" in out
    assert "poll end; sent on changed: ACK number, window" in " ".join(out.split())
    assert "skb_warn_if_lro" in out
    unverified = outcome(path, "--lro", "--checksums", "software")
    assert {entry["rule"] for entry in unverified["frames"]} == {"lro_verified"}


def test_what_is_not_plain_tcp_is_not_cut_again(tmp_path: Path) -> None:
    path = write(tmp_path / "v.pcap", run_of(4, kind="vxlan"))
    (packet,) = outcome(path, "--vxlan", "4789", "--forward")["delivered"]
    assert packet["sent_on"] is None
    assert "4   not known: no plain TCP" in rxviz("gro", path, "--vxlan", "4789", "--forward").out
    cut = write(tmp_path / "cut.pcap", run_of(4), kept=80)
    assert [packet["sent_on"] for packet in outcome(cut, "--forward")["delivered"]] == [None]


def test_udp_is_merged_for_who_asks(tmp_path: Path) -> None:
    path = write(tmp_path / "u.pcap", run_of(6, kind="udp4"))
    assert [packet["segs"] for packet in outcome(path)["delivered"]] == [1] * 6
    (packet,) = outcome(path, "--udp-gro", "8000")["delivered"]
    assert (packet["segs"], packet["gso_type"], packet["checksum"]) == (6, ["UDP_L4"], "partial")
    assert len(outcome(path, "--udp-gro", "9", "--udp-gro", "8000")["delivered"]) == 1
    (packet,) = outcome(path, "--gro-list")["delivered"]
    assert (packet["segs"], packet["gso_type"], packet["checksum"]) == (6, ["FRAGLIST", "UDP_L4"], "unnecessary")
    assert [entry["verdict"] for entry in outcome(path, "--gro-list")["frames"]] == ["HELD"] + ["MERGED"] * 5
    assert "--udp-gro PORT" in rxviz("gro", path).out
    assert "--vxlan 4789 lets GRO look inside" in rxviz("gro", "vxlan").out
    assert "--vxlan 4789 lets" not in rxviz("gro", "vxlan", "--vxlan", "4789").out


def test_tags_are_stripped_or_stay_in_the_frame(tmp_path: Path) -> None:
    path = write(tmp_path / "t.pcap", run_of(3, kind="vlan"))
    stripped, kept = outcome(path)["delivered"], outcome(path, "--vlan", "keep")["delivered"]
    assert (stripped[0]["segs"], stripped[0]["vlan"]) == (3, 5)
    assert (kept[0]["segs"], kept[0]["vlan"]) == (3, None)
    assert [packet["segs"] for packet in outcome(path, "--vlan", "keep", "--kernel", "3.9")["delivered"]] == [1] * 3
    assert "tags left in the frame" in " ".join(rxviz("gro", path, "--vlan", "keep").out.split())


def test_big_tcp(tmp_path: Path) -> None:
    path = write(tmp_path / "b.pcap", run_of(60, size=1448))
    assert [packet["segs"] for packet in outcome(path)["delivered"]] == [45, 15]
    assert [packet["segs"] for packet in outcome(path, "--max-size", "200000")["delivered"]] == [60]
    assert "gro_max_size 200,000" in " ".join(rxviz("gro", path, "--max-size", "200000").out.split())


# ------------------------------------------------------------------------------------------------------------------ why
def why(*words: str) -> dict[str, Any]:
    ended = rxviz("gro", *words, "--json")
    assert (ended.status, ended.err) == (0, "")
    found: dict[str, Any] = json.loads(ended.out)
    return found


def test_why_lists_rules_in_order_and_the_smallest_change(tmp_path: Path) -> None:
    path = write(tmp_path / "w.pcap", [frame(0), frame(1), frame(2, window=228)])
    found = why(path, "--why", "0,2")
    assert (found["first"], found["second"], found["met"], found["merges"]) == (0, 2, True, False)
    assert found["smallest"] == [{"field": "TCP window", "was": "228", "becomes": "229"}]
    states = {rule["rule"]: (rule["state"], rule["new"], rule["old"]) for rule in found["rules"]}
    assert states["gro_same_window"] == ("failed", "228", "229")
    assert states["gro_in_sequence"][0] == "passed"
    assert states["gro_max_size"][0] == "not reached"
    order = list(states)
    assert order.index("gro_same_mac") < order.index("gro_same_source") < order.index("gro_same_window")
    out = rxviz("gro", path, "--why", "0,2").out
    assert_clean(out)
    listed = [line for line in out.splitlines() if line[:3].strip().isdigit()]
    assert [int(line[:3]) for line in listed] == list(range(1, len(order) + 1))
    assert "FAILED      window differs: 228, held 229 (gro_same_window)" in out
    assert "No: frame 2 is HELD" in out
    assert "The smallest change with which it would join: TCP window 229 instead of 228." in out


def test_why_of_frames_that_merge(tmp_path: Path) -> None:
    path = write(tmp_path / "m.pcap", run_of(5))
    found = why(path, "--why", "0,3")
    assert (found["merges"], found["verdict"], found["smallest"]) == (True, "MERGED_FREE", [])
    assert "Yes: frame 3 is MERGED_FREE" in rxviz("gro", path, "--why", "0,3").out


def test_why_of_frames_that_never_met_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "n.pcap", [*run_of(4), frame(4, kind="udp4")])
    apart = rxviz("gro", path, "--why", "1,2", "--poll", "2").out
    assert "All that was held left between frames 1 and 2" in apart
    assert why(path, "--why", "1,2", "--poll", "2")["met"] is False
    assert why(path, "--why", "1,2", "--poll", "2")["merges"] is True
    assert "Frame 2 arrived before frame 3" in rxviz("gro", path, "--why", "3,2").out
    assert "Frame 4 is not even held: UDP" in " ".join(rxviz("gro", path, "--why", "4,3").out.split())


def test_why_knows_that_the_budget_ends_what_is_held(tmp_path: Path) -> None:
    path = write(tmp_path / "long.pcap", [frame(n, size=10) for n in range(70)])
    assert why(path, "--why", "63,64", "--poll", "100")["met"] is False
    assert why(path, "--why", "63,64", "--poll", "100", "--hz", "1000")["met"] is True
    merged = {tuple(packet["frames"][:1]) for packet in outcome(path, "--poll", "100")["delivered"]}
    assert merged == {(0,), (64,)}


# --------------------------------------------------------------------------------------------------------------- wrong
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "Missing argument 'CAPTURE'"),
        (("tcp-bluk",), 'did you mean "tcp-bulk"?'),
        (("\x1b[31m.pcap",), "is no file"),
        (("./none.pcap",), "no such file"),
        (("first-flip",), "is a scenario"),
        ((".",), "is a folder"),
        (("README.md",), "byte 0: not a capture"),
        (("/dev/null",), "a pipe or a device"),
        (("mixed", "--poll", "0"), "--poll"),
        (("mixed", "--layout", "lro"), "--layout"),
        (("mixed", "--kernel", "x"), "is not a kernel version"),
        (("mixed", "--kernel", "2.6"), "modelled from kernel 3.9 on"),
        (("mixed", "--kernel", "9" * 5000), "is not a kernel version"),
        (("mixed", "--hash", "rss"), "--hash"),
        (("mixed", "--hz", "0"), "--hz"),
        (("mixed", "--mtu", "60"), "--mtu"),
        (("mixed", "--off", "gro_same_windw"), 'no GRO rule is called "gro_same_windw"; gro_same_window is'),
        (("mixed", "--off", "gro_handler"), "cannot be switched off"),
        (("mixed", "--lro", "--off", "gro_same_window"), "--lro has no rules that --off knows"),
        (("mixed", "--lro", "--why", "1,2"), "--lro has no rules that --why knows"),
        (("mixed", "--lro", "--kernel", "6.18"), "--lro is that of Linux 3.9; leave --kernel out"),
        (("mixed", "--lro", "--max-size", "2000"), "--max-size is for GRO"),
        (("mixed", "--lro", "--gro-list"), "--gro-list is for GRO"),
        (("mixed", "--why", "1,2", "--forward"), "give one of them"),
        (("mixed", "--rules"), "--rules lists the rules, and does nothing with CAPTURE"),
        (("--rules", "--why", "1,2"), "--rules lists the rules, and does nothing with --why"),
        (("mixed", "--max-size", "１６００"), "it takes a whole number"),
        (("mixed", "--poll", "1_0"), "it takes a whole number"),
        (("mixed", "--hz", "9" * 5000), "it takes a whole number"),
        (("mixed", "--udp-gro", "0"), "--udp-gro"),
        (("mixed", "--max-size", "9"), "--max-size"),
        (("mixed", "--vlan", "drop"), "--vlan"),
        (("mixed", "--why", "3"), "--why takes two frames"),
        (("mixed", "--why", "3,3"), "two different frames"),
        (("mixed", "--why", "a,\x1b"), "--why takes two frames"),
        (("mixed", "--why", "1,43"), "there is no frame 43: the capture has 43 frames, 0 to 42"),
    ],
)
def test_what_is_wrong_is_one_sentence(words: tuple[str, ...], said: str) -> None:
    ended = rxviz("gro", *words)
    assert said in assert_one_sentence(ended)
    assert ended.out == ""


def test_a_kernel_newer_than_all_known_is_said() -> None:
    ended = rxviz("gro", "mixed", "--kernel", "99.1", "--json")
    assert ended.status == 0
    assert "the newest known" in ended.err


@needs_real
@pytest.mark.parametrize("name", FILES)
def test_each_real_capture_gives_a_result_or_one_sentence(name: str) -> None:
    ended = rxviz("gro", str(REAL / name))
    assert_clean(ended.out)
    if name in REFUSED:
        assert REFUSED[name] in assert_one_sentence(ended)
        assert ended.out == ""
        return
    assert not [line for line in ended.out.splitlines() if len(line) > 80 and name not in line]
    if name in BROKEN_OFF:
        place, before = BROKEN_OFF[name]
        assert place in assert_one_sentence(ended)
        assert f"frames      {before:>9,}" in ended.out
        return
    assert (ended.status, ended.err) == (0, "")


@needs_real
@pytest.mark.parametrize("name", BROKEN_OFF)
def test_json_of_a_capture_that_breaks_off_is_whole(name: str) -> None:
    place, before = BROKEN_OFF[name]
    ended = rxviz("gro", str(REAL / name), "--json")
    assert ended.status == 2
    assert place in ended.err.splitlines()[-1]
    assert len(json.loads(ended.out)["frames"]) == before


def test_a_capture_without_packets_is_no_error(tmp_path: Path) -> None:
    path = write(tmp_path / "empty.pcap", [])
    assert outcome(path) == {"kernel": "6.18", "polls": 0, "frames": [], "delivered": []}
    assert "this capture holds no packets" in rxviz("gro", path).out
    assert "there is no frame 1: the capture has 0 frames" in assert_one_sentence(rxviz("gro", path, "--why", "0,1"))


def test_nothing_of_a_frame_is_kept_once_it_went_by(tmp_path: Path) -> None:
    """Five times the frames need no more memory: nothing but counters grows."""
    import tracemalloc

    from rxviz.cli.passing import passing

    peaks = []
    for count in (8_000, 40_000):
        path = write(tmp_path / f"{count}.pcap", [frame(0)] * count)
        with passing(path) as source:
            tracemalloc.start()
            assert sum(1 for _ in source.frames) == source.reader.seen == count
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert peaks[1] < peaks[0] + 200_000


def test_the_real_entry_point_writes_nothing_where_nobody_reads() -> None:
    import subprocess
    import sys

    line = f"{sys.executable} -m rxviz gro tcp-bulk --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
