"""Buckets, limits, polls, kernels, rules switched off."""

from __future__ import annotations

import copy
import pickle
from dataclasses import replace

import pytest

from rxviz.cli.gro_sums import label
from rxviz.errors import ScenarioError
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.lro_check import RULES as LRO_RULES
from rxviz.model.gro.packet import Checksum
from rxviz.model.gro.rules import RULES, Kind
from rxviz.run.gro_kernels import gro_kernels, gro_rules
from tests.gro.flow import ACK, PSH, SIZE, frame, packet, play, run_of, sport

BIG = GroConfig(max_size=200_000, ipv4_max_size=200_000)


def test_gro_off_takes_nothing() -> None:
    played = play(run_of(2), config=GroConfig(gro=False))
    assert (played.letters, played.why(0)) == ("NN", "gro_on")


@pytest.mark.parametrize("ethertype", [0x0806, 0x88CC, 0x8864, 0x0040])
def test_what_gro_does_not_know_goes_up(ethertype: int) -> None:
    data = frame(0)[:12] + ethertype.to_bytes(2, "big") + bytes(46)
    assert (play([data]).letters, play([data]).why(0)) == ("N", "gro_handler")


def test_before_4_19_there_is_one_list_for_all_hashes() -> None:
    flows = [packet(n, frame(0, ports=sport(2000 + n)), hash=n) for n in range(9)]
    played = play(flows, kernel="4.18")
    assert [len(bucket) for bucket in Gro(gro_rules("4.18")).buckets] == [0]
    assert (played.frames[0], played.left[0]) == ([0], "gro_evicted")
    spread = [packet(n, frame(0, ports=sport(2000 + n)), hash=n) for n in range(9)]
    assert play(spread, kernel="4.19").left == ["gro_poll_end"] * 9


def test_before_batches_each_packet_went_up_at_once() -> None:
    gro = Gro(gro_rules("4.19"))
    gro.receive(packet(0, frame(0, flags=ACK | PSH)))
    assert len(gro.take()) == 1


def test_big_tcp_v4_has_no_length_and_v6_a_jumbo_option() -> None:
    v4 = play(run_of(63, size=1448), config=BIG).packets
    assert ([p.segs for p in v4], v4[0].head[16:18]) == ([63], b"\0\0")
    v6 = play(run_of(63, size=1448, kind="tcp6"), config=BIG).packets
    assert (len(v6[0].head), v6[0].head[18:20], v6[0].head[20]) == (14 + 40 + 8 + 20, b"\0\0", 0)
    assert v6[0].head[54:62] == bytes((6, 0, 194, 4)) + (8 + 20 + 63 * 1448).to_bytes(4, "big")
    assert v6[0].csum_start == 62


@pytest.mark.parametrize(
    ("kernel", "kind", "segs"),
    [("6.1", "tcp4", [45, 18]), ("6.1", "tcp6", [63]), ("5.10", "tcp6", [45, 18]), ("6.18", "ipip", [45, 18])],
)
def test_who_may_pass_64_kb(kernel: str, kind: str, segs: list[int]) -> None:
    assert play(run_of(63, size=1448, kind=kind), config=BIG, kernel=kernel).segs == segs


def test_the_device_may_ask_for_less() -> None:
    played = play(run_of(50, size=1448), config=GroConfig(ipv4_max_size=30_000))
    assert played.segs == [20, 20, 10]


def test_a_head_page_pool_does_not_mix_with_others() -> None:
    played = play([packet(0, frame(0), pp_recycle=True), frame(1)])
    assert (played.letters, played.why(1)) == ("HH", "gro_page_pool")
    assert play([packet(0, frame(0), pp_recycle=True), frame(1)], kernel="4.19").letters == "HF"


def test_before_3_13_the_fragment_slots_ended_a_packet() -> None:
    assert play(run_of(30), kernel="3.9").segs == [18, 12]
    assert play(run_of(30), kernel="4.9").segs == [30]


def test_3_9_knows_no_tunnels_and_no_fixed_ids() -> None:
    assert play(run_of(2, kind="ipip"), kernel="3.9").letters == "NN"
    assert play([frame(n, ip={"ip_id": 7}) for n in range(2)], kernel="3.9").letters == "HH"
    assert play(run_of(3), kernel="3.9").segs == [3]


def test_hardware_gro_may_merge_again_when_its_segment_size_fits() -> None:
    big = packet(0, frame(0, payload=b"x" * 300), gso_size=SIZE, gso_segs=3, ip_summed=Checksum.UNNECESSARY)
    more = packet(1, frame(3, payload=b"y" * 200), gso_size=SIZE, gso_segs=2, ip_summed=Checksum.UNNECESSARY)
    more_of_other_size = packet(2, frame(5, payload=b"z" * 200), gso_size=50, gso_segs=4)
    played = play([big, more, more_of_other_size])
    assert (played.letters, played.segs) == ("HFH", [5, 4])
    assert (played.packets[0].gso_size, played.why(2)) == (SIZE, "gro_same_gso_size")
    user = packet(0, frame(0, payload=b"x" * 300), gso_size=SIZE, gso_segs=3, gso_trusted=False)
    assert (play([user]).letters, play([user]).why(0)) == ("N", "gro_trusted_gso")


def test_deferred_interrupts_keep_packets_for_as_many_polls() -> None:
    config = GroConfig(flush_timeout=20_000, defer_hard_irqs=2)
    gro = Gro(gro_rules("6.18"), config)
    gro.receive(packet(0, frame(0)))
    assert gro.complete_done(1) == (False, 20_000)
    assert gro.held == 1
    gro.jiffies += 1
    assert gro.complete_done(0) == (False, 20_000)
    assert gro.held == 0, "of an earlier tick"
    assert gro.complete_done(0) == (True, 0)


def test_with_a_timeout_the_walk_stops_at_the_first_packet_of_this_tick() -> None:
    gro = Gro(gro_rules("6.18"), GroConfig(flush_timeout=1))
    gro.receive(packet(0, frame(0, ports=sport(1))))
    gro.jiffies += 1
    gro.receive(packet(1, frame(0, ports=sport(2))))
    gro.complete_done(1)
    assert [p.frames for p in gro.take()] == [[0]]
    assert gro.held == 1


@pytest.mark.parametrize(("kernel", "left"), [("4.9", []), ("4.19", []), ("4.20", [[0]]), ("6.18", [[0]])])
def test_up_to_4_19_nothing_at_all_leaves_where_a_timer_is_set(kernel: str, left: list[list[int]]) -> None:
    gro = Gro(gro_rules(kernel), GroConfig(flush_timeout=20_000))
    gro.receive(packet(0, frame(0, ports=sport(1))))
    gro.jiffies += 1
    gro.receive(packet(1, frame(0, ports=sport(2))))
    assert gro.complete_done(2) == (True, 20_000)
    assert [p.frames for p in gro.take()] == left
    # The timer's poll finds no work, and lets all of it go.
    assert gro.complete_done(0) == (True, 0)
    assert gro.held == 0


def test_any_rule_can_be_switched_off() -> None:
    assert play([frame(0), frame(1, window=1)], off=("gro_same_window",)).letters == "HF"
    assert play([frame(0, flags=ACK | PSH), frame(1)], off=("gro_flush_on_psh",)).segs == [2]
    reordered = play([frame(1), frame(0)], off=("gro_in_sequence", "gro_ip_id"))
    assert reordered.packets[0].body() == frame(1)[54:] + frame(0)[54:], "the wrong world delivers what never was sent"


def test_a_checkpoint_of_gro_goes_on_as_the_original_would() -> None:
    gro = Gro(gro_rules("6.18"), off=frozenset({RULES["gro_same_window"]}))
    for n, data in enumerate(run_of(3)):
        gro.receive(packet(n, data))
    for copied in (pickle.loads(pickle.dumps(gro)), copy.deepcopy(gro)):
        decision = copied.receive(packet(3, frame(3, window=1)))
        assert (decision.into, decision.why.rule) == (0, RULES["gro_merges"])
        copied.complete_done(4)
        assert [p.frames for p in copied.take()] == [[0, 1, 2, 3]]
    assert gro.buckets[0][0].segments == [0, 1, 2]


def test_every_rule_has_a_name_a_kind_and_sentences() -> None:
    assert all(name == rule.name and name.startswith("gro_") for name, rule in RULES.items())
    for rule in RULES.values():
        assert rule.asks
        assert rule.where
        assert rule.fails.format(new="1", old="2")
    assert {rule.kind for rule in RULES.values()} == set(Kind)


def test_kernels_are_read_from_data() -> None:
    assert [gro_rules(kernel).buckets for kernel in gro_kernels()] == [1, 1, 1, 8, 8, 8, 8, 8]
    assert gro_rules("5.15") == replace(gro_rules("5.15"), udp_forwarding=True, big_tcp="no")
    with pytest.raises(ScenarioError, match=r"from kernel 3\.9 on"):
        gro_rules("2.6")
    with pytest.raises(ScenarioError, match="not a kernel version"):
        gro_rules("new")


def test_every_reason_to_leave_has_a_label_without_the_values_of_one_case() -> None:
    labels = {label(rule.name) for rule in (*RULES.values(), *LRO_RULES.values())}
    assert not [text for text in labels if "{" in text or len(text) < 6]
    assert {"no fragment slot is left", "the size limit is reached", "no GRO for ethertype"} < labels
