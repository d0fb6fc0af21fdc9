"""GRO before 4.0: the rules that Linux 3.9 had, and when each of them changed."""

from __future__ import annotations

from typing import Any

import pytest

from rxviz.model.gro.packet import Checksum
from rxviz.run.gro import GroOptions, gro_result
from tests.gro.flow import ACK, CWR, PSH, SIZE, Played, frame, packet, play, run_of, sport
from tests.gro.test_replay import arrivals


def old(frames: list[Any], kernel: str = "3.9", **settings: Any) -> Played:
    return play(frames, kernel=kernel, **settings)


def test_a_full_list_lets_nothing_go_for_a_newcomer_before_3_14() -> None:
    flows = [frame(n, ports=sport(2000 + flow)) for n in range(2) for flow in range(9)]
    played = old(flows)
    assert played.letters == "HHHHHHHHN" + "FFFFFFFFN"
    assert (played.why(8), played.segs) == ("gro_room", [1, 1] + [2] * 8)
    assert old(flows, "3.14").segs == [1] * 18
    assert old(flows, "3.14").left[0] == "gro_evicted"


def test_what_finds_no_room_still_lets_its_own_flow_go_first() -> None:
    held = [frame(0, ports=sport(2000 + flow)) for flow in range(8)]
    played = old([*held, frame(2, ports=sport(2000))])
    assert (played.letters[-1], played.decisions[8].flushed) == ("H", 0), "its flow's packet made room"


def test_hashes_were_not_compared() -> None:
    frames = [packet(0, frame(0), hash=8), packet(1, frame(1), hash=16)]
    assert old(frames).letters == "HF"
    frames = [packet(0, frame(0), hash=8), packet(1, frame(1), hash=16)]
    assert old(frames, "4.18").letters == "HH"


def test_df_was_required_before_3_11() -> None:
    frames = [frame(n, ip={"flags": 0, "ip_id": n}) for n in range(3)]
    assert (old(frames).letters, old(frames).why(0)) == ("NNN", "gro_needs_df")
    assert old(frames, "3.11").segs == [3]
    mixed = old([frame(0), frame(1, ip={"flags": 0, "ip_id": 1}), frame(2)])
    assert (mixed.letters, mixed.frames) == ("HNH", [[0], [1], [2]]), "its flow's packet leaves first"


def test_fragments_walked_on_and_did_not_overtake() -> None:
    frames = [frame(0), frame(1, ip={"flags": 0x2000, "ip_id": 1}), frame(2)]
    played = old([packet(n, data, ip_summed=Checksum.UNNECESSARY) for n, data in enumerate(frames)])
    assert (played.letters, played.frames, played.why(1)) == ("HNH", [[0], [1], [2]], "gro_whole_datagram")
    assert old(frames, "4.19").frames[0] == [1]


@pytest.mark.parametrize(("kernel", "verdict", "rule"), [
    ("3.9", "N", "gro_one_frame"), ("4.9", "N", "gro_not_big"), ("6.1", "F", "gro_merges"),
])  # fmt: skip
def test_what_was_merged_already(kernel: str, verdict: str, rule: str) -> None:
    small = packet(0, frame(0), ip_summed=Checksum.UNNECESSARY)
    big = packet(1, frame(1, payload=b"y" * 200), gso_size=SIZE, gso_segs=2, ip_summed=Checksum.UNNECESSARY)
    played = old([small, big], kernel)
    assert (played.letters, played.why(1)) == ("H" + verdict, rule)
    # 3.9 does not even look for its flow, so it overtakes; 4.9 lets its flow go first.
    assert played.frames[0] == ([1] if kernel == "3.9" else [0] if kernel == "4.9" else [0, 1])


def test_a_hop_limit_made_another_flow_before_5_5() -> None:
    frames = [frame(0, kind="tcp6"), frame(5, kind="tcp6", ip={"ttl": 9}), frame(1, kind="tcp6")]
    assert old(frames).letters == "HHF"
    assert old(frames, "5.4").letters == "HHF"
    assert old(frames, "5.5").letters == "HHH"
    traffic = [frame(0, kind="tcp6"), frame(1, kind="tcp6", ip={"tos": 2})]
    assert old(traffic).why(1) == "gro_same_class", "a refusal since ECN was heeded (3.7)"


def test_no_udp_no_tunnels_no_tags_in_the_frame() -> None:
    assert old(run_of(2, kind="udp4")).letters == "NN"
    assert old(run_of(2, kind="vxlan")).letters == "NN"
    assert old(run_of(2, kind="vlan")).letters == "NN"
    assert old(run_of(2, kind="vlan"), "4.2").letters == "HF"


def test_one_list_one_packet_at_a_time_and_no_batches() -> None:
    gro = old([]).gro
    assert [len(bucket) for bucket in gro.buckets] == [0]
    gro.receive(packet(0, frame(0, flags=ACK | PSH)))
    assert len(gro.take()) == 1


@pytest.mark.parametrize(("layout", "segs", "letters"), [
    ("build_skb", [18, 12], "H" + "F" * 17 + "H" + "F" * 11),
    ("legacy", [17, 13], "H" + "F" * 16 + "H" + "F" * 12),
    ("copied", [30], "H" + "M" * 29),
])  # fmt: skip
def test_17_slots_ended_a_packet_before_3_13(layout: str, segs: list[int], letters: str) -> None:
    played = old(run_of(30), layout=layout)
    assert (played.segs, played.letters) == (segs, letters)
    if layout != "copied":
        assert played.left[0] == "gro_frag_slots"
    assert old(run_of(30), "3.13", layout=layout).segs == [30]


def test_once_a_list_was_begun_all_was_chained() -> None:
    frames = [packet(n, data, layout="copied" if n < 2 else "build_skb") for n, data in enumerate(run_of(4))]
    assert old(frames).letters == "HMMM"
    frames = [packet(n, data, layout="copied" if n < 2 else "build_skb") for n, data in enumerate(run_of(4))]
    assert old(frames, "4.9").letters == "HMFF"


def test_what_has_not_changed_since() -> None:
    assert old(run_of(3)).segs == [3]
    assert old([frame(0), frame(1, window=228)]).why(1) == "gro_same_window"
    assert old([frame(0), frame(1, flags=ACK | CWR)]).why(1) == "gro_no_cwr"
    assert old([*run_of(2), frame(2, flags=ACK | PSH), frame(3)]).segs == [3, 1]
    assert old([frame(0), frame(1, sum_delta=1), frame(1)]).frames == [[1], [0, 2]]
    assert old([frame(0), frame(1, payload=b"")]).letters == "HN"
    assert old([frame(0), frame(1, ip={"tos": 3, "ip_id": 1})]).why(1) == "gro_same_tos"


def test_a_capture_through_3_9() -> None:
    found = gro_result(arrivals(run_of(40)), GroOptions(kernel="3.9"))
    assert [packet["segs"] for packet in found["delivered"]] == [18, 18, 4]
    assert found["delivered"][0]["rule"] == "gro_frag_slots"
