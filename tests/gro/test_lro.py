"""LRO, hardware GRO, cutting packets again, and the ixgbe machine's skbs."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.kernel.oracle import Setup
from rxviz.kernel.traffic import random_session
from rxviz.model.frame import Frame
from rxviz.model.gro import lro_check
from rxviz.model.gro.adapter import gro_packet
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.lro import Lro
from rxviz.model.gro.lro_check import from_card
from rxviz.model.gro.packet import Checksum
from rxviz.model.gro.resegment import resegment
from rxviz.model.gro.tpa import Tpa
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.kernels import core_rules
from rxviz.wire.flow import checksum_verdicts
from tests.gro.flow import ACK, CWR, FIN, PSH, SIZE, frame, packet, play, run_of, sport, stamps
from tests.model.harness import APART, machine


def _lro(frames: list[bytes], **settings_of: int) -> tuple[list[bool], list[Delivered]]:
    lro = Lro(**settings_of)
    taken = [lro.receive(packet(n, data)).taken for n, data in enumerate(frames)]
    lro.flush_all()
    return taken, lro.take()


def test_lro_writes_the_newest_ack_window_and_echo_into_the_header() -> None:
    frames = [frame(n, ack=10 + n, window=100 + n, options=stamps(5 + n, 50 + n)) for n in range(3)]
    taken, packets = _lro(frames)
    assert (taken, len(packets)) == ([True] * 3, 1)
    head = packets[0].head
    assert head[42:46] == (12).to_bytes(4, "big")
    assert head[48:50] == (102).to_bytes(2, "big")
    assert head[58:66] == (5).to_bytes(4, "big") + (52).to_bytes(4, "big")
    assert checksum_verdicts(head + packets[0].body()) == (True, True)
    assert (packets[0].gso_size, packets[0].gso_type) == (SIZE, ())
    assert play(frames).letters == "HHH", "GRO merges none of them"


def test_what_lro_merged_goes_out_of_a_bridge_as_something_else() -> None:
    frames = [frame(n, ack=10 + n) for n in range(3)]
    _, packets = _lro(frames)
    assert resegment(packets[0]) != frames
    same = run_of(3)
    assert resegment(_lro(same)[1][0]) == same
    assert resegment(play(same).packets[0]) == same


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        ({"flags": ACK | CWR}, "lro_flags"),
        ({"flags": ACK | FIN}, "lro_flags"),
        ({"flags": 0}, "lro_flags"),
        ({"ip": {"tos": 3}}, "lro_not_ce"),
        ({"trailer": bytes(4)}, "lro_length"),
        ({"options": b"\1\1\1\1"}, "lro_stamps"),
        ({"options": stamps(5, 0)}, "lro_echo"),
        ({"payload": b""}, "lro_payload"),
        ({"ip": {"options": b"\1\1\1\0"}}, "lro_no_ip_options"),
        ({"kind": "tcp6"}, "lro_tcp4"),
    ],
)
def test_what_lro_sends_up_alone(change: dict[str, Any], rule: str) -> None:
    decision = Lro().receive(packet(0, frame(0, **change)))
    assert (decision.taken, decision.why.rule.name) == (False, rule)


def test_a_misfit_flushes_its_connection_and_is_not_held() -> None:
    taken, packets = _lro([*run_of(2), frame(3), frame(4)])
    assert taken == [True, True, False, True]
    assert [p.frames for p in packets] == [[0, 1], [2], [3]]


def test_psh_does_not_end_an_lro_packet_and_is_lost() -> None:
    _, packets = _lro([frame(0), frame(1, flags=ACK | PSH), frame(2)])
    assert [p.segs for p in packets] == [3]
    assert packets[0].head[47] == ACK


def test_timestamps_may_grow_but_not_go_back() -> None:
    assert [p.segs for p in _lro([frame(n, options=stamps(9 - n)) for n in range(2)])[1]] == [1, 1]


def test_limits_of_lro() -> None:
    assert [p.segs for p in _lro(run_of(40))[1]] == [32, 8]
    assert max(p.payload for p in _lro(run_of(60, size=1448), aggregated=100)[1]) == 45 * 1448
    connections = [frame(0, ports=sport(n)) for n in range(9)]
    assert _lro(connections)[0] == [True] * 8 + [False]


def test_a_lone_packet_has_a_gso_size_too_and_slots_give_the_order() -> None:
    lro = Lro()
    for n, number in enumerate((1, 2)):
        lro.receive(packet(n, frame(0, ports=sport(number))))
    lro.receive(packet(2, frame(0, ports=sport(1), flags=0)))
    lro.receive(packet(3, frame(0, ports=sport(3))))
    lro.flush_all()
    packets = lro.take()
    assert [p.frames for p in packets] == [[0], [2], [3], [1]]
    assert [p.gso_size for p in packets] == [SIZE, 0, SIZE, SIZE]


def test_timestamps_are_compared_with_the_first_and_not_missed_in_the_others() -> None:
    assert [p.segs for p in _lro([frame(n, options=stamps(5 + n % 2)) for n in range(3)])[1]] == [3]
    _, packets = _lro([frame(0, options=stamps()), frame(1)])
    assert packets[0].head[62:66] == b"bbbb", "the bytes where an echo would be: payload"


def test_hardware_gro_feeds_software_gro() -> None:
    tpa = Tpa(gro_rules("6.18"), core_rules("6.18"))
    frames = run_of(6, size=1000)
    first = [p for n, data in enumerate(frames[:4]) for p in tpa.receive(packet(n, data))] + tpa.end()
    second = [p for n, data in enumerate(frames[4:]) for p in tpa.receive(packet(4 + n, data))] + tpa.end()
    assert [(p.gso_size, p.gso_segs, p.nr_frags) for p in first + second] == [(1000, 4, 3), (1000, 2, 1)]
    played = play(first + second)
    assert (played.letters, played.segs) == ("HF", [6])
    assert played.packets[0].body() == b"".join(data[54:] for data in frames)
    assert played.packets[0].frames == list(range(6))


def test_hardware_gro_of_one_segment_is_an_ordinary_packet() -> None:
    tpa = Tpa(gro_rules("6.18"), core_rules("6.18"))
    assert [(p.gso_size, p.gso_segs) for p in tpa.receive(packet(0, frame(0))) + tpa.end()] == [(0, 0)]


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from((("tcp4",), ("tcp6",), ("tcp4", "tcp6"))))
def test_what_gro_merged_comes_out_of_a_bridge_as_it_went_in(seed: int, kinds: tuple[str, ...]) -> None:
    frames = random_session(Random(seed), Setup(), kinds, 40).frames
    for delivered in play(frames).packets:
        if delivered.segs > 1:
            sent = [frames[n] for n in delivered.frames]
            at = delivered.transport + 18
            if len({data[at : at + 2] for data in sent}) == 1:  # an urgent pointer without URG is not compared
                assert resegment(delivered) == sent


@pytest.mark.parametrize(("path", "truesize"), [("build_skb", 2304 + 2 * 2048), ("legacy", 896 + 3 * 2048)])
def test_the_ixgbe_machines_skbs_merge(path: str, truesize: int) -> None:
    sent = run_of(3, size=1448, options=stamps())
    frames = [Frame(n, n * APART, data, len(data)) for n, data in enumerate(sent)]
    m = machine(f"ixgbe kernel=6.18 path={path} ring=8 reader=off", frames)
    m.run()
    gro = Gro(gro_rules("6.18"))
    for skb in m.socket.queue:
        gro.receive(gro_packet(skb))
    gro.complete_done(3)
    (merged,) = gro.take()
    assert (merged.segs, merged.truesize, merged.payload) == (3, truesize, 3 * 1448)
    assert merged.body() == b"".join(data[66:] for data in sent)


def test_a_wrong_ip_header_and_a_fragment_are_no_tcp_to_the_card() -> None:
    wrong = Lro().receive(packet(0, frame(0, ip={"wrong_sum": True})))
    assert (wrong.taken, wrong.why.rule.name) == (False, "lro_ip_checksum")
    fragment = Lro().receive(packet(0, frame(0, ip={"flags": 0x2000})))
    assert (fragment.taken, fragment.why.rule.name) == (False, "lro_tcp4")
    assert from_card(packet(0, frame(0))) is not None
    assert from_card(packet(0, frame(0), ip_summed=Checksum.UNNECESSARY)) is None


def test_every_lro_rule_has_a_sentence_and_is_asked_in_the_sources_order() -> None:
    for name, rule in lro_check.RULES.items():
        assert name.startswith("lro_")
        assert rule.asks
        assert rule.fails.format(new="1", old="2")
    # A segment out of order that is no ACK either: the sequence is asked first.
    lro = Lro()
    lro.receive(packet(0, frame(0)))
    assert lro.receive(packet(1, frame(3, flags=ACK | FIN))).why.rule.name == "lro_in_sequence"
    assert lro.held == 0


def _tpa(frames: list[bytes], **settings_of: int) -> tuple[list[list[int]], list[tuple[str, int, int]]]:
    """Which frames each packet from the card has, and what was told: kind, slot, frame."""
    tpa = Tpa(gro_rules("6.18"), core_rules("6.18"), **settings_of)
    packets = [p for n, data in enumerate(frames) for p in tpa.receive(packet(n, data))] + tpa.end()
    return [p.segments for p in packets], [(event.kind.value, event.slot, event.frame) for event in tpa.take_events()]


def test_the_card_tells_of_every_start_continuation_and_end() -> None:
    two = [frame(0), frame(0, ports=sport(7)), frame(1), frame(2, window=1), frame(1, ports=sport(7))]
    packets, told = _tpa(two)
    assert packets == [[0, 2], [1, 4], [3]]
    assert told == [
        ("start", 0, 0), ("start", 1, 1), ("continue", 0, 2), ("end", 0, 2), ("start", 0, 3), ("continue", 1, 4),
        ("end", 1, 4), ("end", 0, 3),
    ]  # fmt: skip


def test_the_last_segment_joins_before_its_packet_ends() -> None:
    packets, told = _tpa([*run_of(2), frame(2, flags=ACK | PSH), frame(3)])
    assert packets == [[0, 1, 2], [3]]
    assert [kind for kind, _, _ in told] == ["start", "continue", "continue", "end", "start", "end"]


def test_a_packet_of_the_card_takes_as_many_buffers_as_there_are() -> None:
    assert [len(frames) for frames in _tpa(run_of(40))[0]] == [16, 16, 8]
    assert [len(frames) for frames in _tpa(run_of(40), buffers=17)[0]] == [17, 17, 6]


def test_the_card_leaves_short_frames_alone_and_keeps_the_order() -> None:
    packets, told = _tpa([*run_of(2), frame(2, payload=b"x" * 20), frame(3, seq=221)], least=100)
    assert packets == [[0, 1], [2], [3]]
    assert [kind for kind, _, frame_id in told if frame_id == 2] == []


def test_as_many_connections_as_slots_each_keeps_its_own() -> None:
    frames = [frame(n, ports=sport(2000 + flow)) for n in range(2) for flow in range(12)]
    assert [len(frames) for frames in _tpa(frames)[0]] == [2] * 12, "not eight to a bucket, as software has"
    assert [len(frames) for frames in _tpa(frames, slots=11)[0]] == [1] * 24


def test_what_the_card_cannot_verify_comes_unverified() -> None:
    tpa = Tpa(gro_rules("6.18"), core_rules("6.18"))
    (wrong,) = tpa.receive(packet(0, frame(0, sum_delta=1)))
    assert (wrong.ip_summed, tpa.take_events()) == (Checksum.NONE, [])


@pytest.mark.parametrize(("kernel", "segs"), [("3.9", [4, 2]), ("4.18", [4, 2]), ("6.1", [6]), ("6.18", [6])])
def test_older_kernels_add_nothing_to_what_the_card_merged(kernel: str, segs: list[int]) -> None:
    tpa = Tpa(gro_rules("6.18"), core_rules("6.18"))
    frames = run_of(6, size=1000)
    packets = [p for n, data in enumerate(frames[:4]) for p in tpa.receive(packet(n, data))] + tpa.end()
    packets += [p for n, data in enumerate(frames[4:]) for p in tpa.receive(packet(4 + n, data))] + tpa.end()
    assert play(packets, kernel=kernel).segs == segs
