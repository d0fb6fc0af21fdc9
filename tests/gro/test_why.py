"""Why two frames do not merge, and the smallest change that would let them."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.kernel.oracle import Setup
from rxviz.kernel.traffic import PLAIN_KINDS, VXLAN_KINDS, random_session
from rxviz.model.gro.kernel import GroConfig
from rxviz.run.gro import ArrivingFrame, GroOptions
from rxviz.run.gro_edits import Change
from rxviz.run.gro_why import State, Why, why, why_in_poll
from tests.gro.flow import ACK, PSH, SYN, frame, sport, stamps


def _arrival(data: bytes) -> ArrivingFrame:
    return SimpleNamespace(data=data, wire_len=len(data))


def _why(first: bytes, second: bytes, options: GroOptions | None = None) -> Why:
    return why(_arrival(first), _arrival(second), options)


def test_two_frames_that_merge() -> None:
    answer = _why(frame(0), frame(1))
    assert answer.merges
    assert answer.smallest == ()
    assert {asked.state for asked in answer.asked} == {State.PASSED}
    names = [asked.rule.name for asked in answer.asked]
    order = [
        "gro_same_mac",
        "gro_no_ip_options",
        "gro_same_source",
        "gro_same_ports",
        "gro_same_window",
        "gro_same_ttl",
    ]
    order += ["gro_ip_id", "gro_in_sequence", "gro_max_size", "gro_flush_on_psh"]
    assert [name for name in names if name in order] == order


def test_psh_that_closes_does_not_stand_in_the_way() -> None:
    answer = _why(frame(0), frame(1, flags=ACK | PSH))
    assert answer.merges
    assert answer.in_the_way == []


@pytest.mark.parametrize(
    ("second", "smallest"),
    [
        ({"window": 1}, (Change("TCP window", "1", "229"),)),
        ({"ack": 7}, (Change("TCP ACK number", "7", "1"),)),
        ({"seq": 5}, (Change("TCP sequence number", "5", "101"),)),
        ({"ip": {"ip_id": 9}}, (Change("IPv4 ID", "9", "1"),)),
        ({"ip": {"ip_id": 1, "ttl": 3}}, (Change("IPv4 TTL", "3", "64"),)),
        ({"ip": {"ip_id": 1, "wrong_sum": True}}, (Change("IPv4 header checksum", "wrong", "right"),)),
        ({"ip": {"ip_id": 1, "options": b"\1\1\1\0"}}, (Change("IPv4 options", "present", "none"),)),
        ({"trailer": bytes(6)}, (Change("bytes behind the packet", "6", "0"),)),
        ({"options": stamps(2)}, (Change("TCP options", stamps(2).hex(), stamps(1).hex()),)),
        ({"payload": b"x" * 101}, (Change("payload length", "101", "100"),)),
        ({"payload": b""}, (Change("payload length", "0", "100"),)),
        ({"flags": ACK | 0x40}, (Change("TCP flag ECE", "set", "clear"),)),
        ({"ports": sport(7)}, (Change("TCP ports", "7 to 8000", "1500 to 8000"),)),
        ({"window": 1, "ack": 7}, (Change("TCP ACK number", "7", "1"), Change("TCP window", "1", "229"))),
        ({"flags": SYN, "seq": 1}, (Change("TCP sequence number", "1", "101"), Change("TCP flags", "S", "A"))),
    ],
)
def test_the_smallest_change_is_found_by_trying(second: dict[str, Any], smallest: tuple[Change, ...]) -> None:
    options = {"options": stamps(1)} if "options" not in second else {}
    answer = _why(frame(0, options=stamps(1)), frame(1, **{**options, **second}))
    assert not answer.merges
    assert answer.in_the_way
    assert answer.smallest == smallest


def test_what_no_small_change_can_do() -> None:
    answer = _why(frame(0), frame(1, kind="udp4"))
    assert answer.smallest is None
    assert not answer.merges


def test_rules_behind_a_difference_of_flow_are_not_reached() -> None:
    answer = _why(frame(0), frame(1, ports=sport(7)))
    states = {asked.rule.name: asked.state for asked in answer.asked}
    assert states["gro_same_source"] is State.PASSED
    assert states["gro_same_ports"] is State.FAILED
    assert states["gro_same_window"] is State.NOT_REACHED
    early = _why(frame(0), frame(1, ip={"ip_id": 1, "options": b"\1\1\1\0"}))
    states = {asked.rule.name: asked.state for asked in early.asked}
    assert states["gro_ip_checksum"] is State.NOT_REACHED


def test_a_wrong_checksum_is_in_the_way_where_the_card_looks() -> None:
    answer = _why(frame(0), frame(1, sum_delta=1), GroOptions(checksums="verified"))
    assert [asked.sentence() for asked in answer.in_the_way] == ["TCP checksum is wrong"]
    assert answer.smallest == (Change("TCP or UDP checksum", "not verified", "right"),)


def test_inside_a_tunnel_both_headers_can_be_in_the_way() -> None:
    options = GroOptions(config=GroConfig(vxlan_ports=frozenset({4789})))
    first = frame(0, kind="vxlan")
    outer = _why(first, frame(1, kind="vxlan", ip={"ip_id": 1, "ttl": 9}), options)
    assert outer.smallest == (Change("outer IPv4 TTL", "9", "64"),)
    inner = _why(first, frame(1, kind="vxlan", inner_ttl=9), options)
    assert inner.smallest == (Change("IPv4 TTL", "9", "64"),)


def test_a_first_frame_that_is_not_held_cannot_be_joined() -> None:
    answer = _why(frame(0, flags=ACK | PSH), frame(1))
    assert (answer.first.verdict.name, answer.merges, answer.smallest) == ("NORMAL", False, None)


def test_a_frame_against_what_its_poll_holds() -> None:
    poll = [frame(0), frame(0, ports=sport(9)), frame(1), frame(2), frame(4), frame(3, ports=sport(9))]
    arriving = [_arrival(data) for data in poll]
    answer = why_in_poll(arriving, 4)
    assert answer is not None
    assert [asked.rule.name for asked in answer.in_the_way] == ["gro_ip_id", "gro_in_sequence"]
    assert answer.smallest == (Change("IPv4 ID", "4", "3"), Change("TCP sequence number", "401", "301"))
    other = why_in_poll(arriving, 4, against=1)
    assert other is not None
    assert [asked.rule.name for asked in other.in_the_way] == ["gro_same_ports"]
    assert why_in_poll(arriving, 4, against=5) is None
    assert why_in_poll(arriving, 0) is None


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from((PLAIN_KINDS, VXLAN_KINDS)))
def test_any_two_frames_can_be_asked_about(seed: int, kinds: tuple[str, ...]) -> None:
    frames = random_session(Random(seed), Setup(), kinds, 2).frames
    options = GroOptions(config=GroConfig(vxlan_ports=frozenset({4789})))
    answer = _why(frames[0], frames[1], options)
    assert answer.merges == (answer.smallest == ())
    assert all(asked.sentence() for asked in answer.asked)
    if answer.merges:
        assert not answer.in_the_way
