"""What is noted of who ran when, held against the machine itself."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.cpu import Who
from rxviz.model.machine import Machine
from rxviz.run.activity import WATCHED, Activity, Spans, vector_of
from rxviz.run.engine import make_machine
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.timeline import Timeline
from tests.run.strategies import scenarios

FEW = 14


def whole(scenario: Scenario) -> Timeline:
    run = Timeline(scenario)
    run.extend()
    return run


def spans(found: Spans) -> list[tuple[int, int, int]]:
    return list(zip(found.starts, found.ends, found.what, strict=True))


def busy(m: Machine) -> dict[Who, int]:
    """Play to the end; return how long each had CPU 0."""
    took: dict[Who, int] = {}
    while True:
        start = m.now
        who = m.tick()
        if not who:
            return took
        took[who] = took.get(who, 0) + m.now - start


@settings(max_examples=80, deadline=None)
@given(scenarios(FEW))
def test_spans_are_apart_in_order_and_as_long_as_each_had_the_cpu(scenario: Scenario) -> None:
    activity = whole(scenario).activity
    for found in (activity.cpu, activity.reader, activity.vector):
        assert all(a[1] <= b[0] for a, b in pairwise(spans(found)))
        assert all(start < end <= activity.now for start, end, _ in spans(found))
    m = make_machine(scenario)
    took = {who: ns for who, ns in busy(m).items() if who is not Who.IDLE and ns}
    told: dict[Who, int] = dict.fromkeys(took, 0)
    for start, end, who in spans(activity.cpu):
        told[Who(who)] += end - start
    assert told == took
    beside = m.socket.reader_ns if scenario.reader_cpu else 0
    assert sum(end - start for start, end, _ in spans(activity.reader)) == beside
    assert activity.now == m.now


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW))
def test_the_vector_stands_as_the_nic_has_it(scenario: Scenario) -> None:
    m, activity = make_machine(scenario), Activity()

    def note(kind: int, *_: object) -> None:
        if WATCHED[kind]:
            activity.step(kind, m)

    m.watch = note
    while who := m.tick():
        activity.tick(who, m.now)
        assert activity.vector_is is vector_of(m)


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), st.sampled_from([{"reader": "9000@0"}, {"reader": "off"}, {"itr": "300"}]), st.data())
def test_a_fork_notes_what_it_would_have_noted_from_the_start(
    scenario: Scenario, changes: dict[str, str], data: st.DataObject
) -> None:
    run = whole(scenario.with_words(["cpus=2", "reader=fast"]))
    p = data.draw(st.integers(0, run.length))
    fork = run.fork(p, **changes)
    fork.extend()
    fresh = Timeline(fork.scenario, fork.edits)
    fresh.extend()
    if p:
        for one, other in ((fork.activity.cpu, fresh.activity.cpu), (fork.activity.reader, fresh.activity.reader),
                           (fork.activity.vector, fresh.activity.vector)):  # fmt: skip
            assert spans(one) == spans(other)
    assert fork.activity.now == fork.at(fork.length).machine.now


def test_a_window_cuts_the_spans_at_its_edges() -> None:
    found = Spans()
    for start, end, what in ((0, 10, 1), (10, 20, 2), (30, 40, 3)):
        found.add(start, end, what)
    assert list(found.between(5, 35)) == [(5, 10, 1), (10, 20, 2), (30, 35, 3)]
    assert list(found.between(20, 30)) == []
    assert list(found.between(12, 13)) == [(12, 13, 2)]
    assert spans(found.until(12)) == [(0, 10, 1), (10, 12, 2)]
    assert spans(found.until(30)) == [(0, 10, 1), (10, 20, 2)]


@pytest.mark.parametrize("now", [0, 1_000, 3_000, 7_000, 20_000])
def test_what_was_known_at_a_time_has_nothing_later(now: int) -> None:
    activity = whole(parse_line("ixgbe ring=8 reader=2000")).activity
    then = activity.until(now)
    assert isinstance(then, Activity)
    for kept, all_of in ((then.cpu, activity.cpu), (then.reader, activity.reader)):
        assert spans(kept) == [(a, min(b, now), what) for a, b, what in spans(all_of) if a < now]


def test_a_read_that_a_change_finds_under_way_began_when_it_began() -> None:
    """The reader turns slow, and moves to a CPU of its own, while it reads: what it has begun is as it was."""
    line = "ixgbe kernel=4.9 path=legacy ring=4 mtu=68 traffic=tcp:66x1 cpus=2 reader=fast@0 itr=0"
    run = whole(parse_line(line))
    for at in range(1, run.length):
        other = run.fork(at, reader="slow")
        other.extend()
        assert all(end - start == 20_000 for start, end, _ in spans(other.activity.reader))
