"""Time travel: any position of any run, reached from anywhere, is one and the same state."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rxviz.errors import ScenarioError
from rxviz.model.machine import Machine
from rxviz.model.steps import BY_NAME, KINDS
from rxviz.run import timeline
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.observe import everything
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.timeline import Timeline
from rxviz.run.trace import Step, record
from tests.run.strategies import scenarios

SPACINGS = st.sampled_from([1, 5, 30, 512])
"""Steps between checkpoints: from one at every event to none in a short run."""
CHANGES = st.sampled_from(
    [{"reader": "off"}, {"reader": "fast"}, {"reader": "0"}, {"reader": "9000"}, {"itr": "0"}, {"itr": "300"},
     {"budget": "1"}, {"budget": "3"}, {"budget": "64", "reader": "slow"}, {"reader": "9000@0"}, {"itr": "adaptive"}]
)  # fmt: skip
END_OF_FRAME = (
    *("socket.queue", "socket.drop", "socket.pfmemalloc", "frame.discard", "frame.no_memory", "rxq.drop"),
    *("nic.missed", "nic.oversize", "nic.bad_frame", "nic.no_descriptor", "nic.no_bd", "nic.discard"),
    *("gro.held", "gro.merge", "gro.normal", "tpa.frag", "bridge.send", "bridge.refuse"),
)
FEW = 14
"""Frames at most."""


@contextmanager
def spacing(steps: int) -> Iterator[None]:
    with patch.object(timeline, "FIRST_SPACING", steps):
        yield


def whole(scenario: Scenario) -> Timeline:
    run = Timeline(scenario)
    run.extend()
    assert run.complete
    return run


def digest(run: Timeline, position: int) -> str:
    moment = run.at(position)
    assert moment.position == position
    return state_digest(moment.machine)


def recorded(scenario: Scenario) -> list[Step]:
    return list(record(make_machine(scenario)))


# ------------------------------------------------------------------------------------------------------------- seeking
@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), SPACINGS, st.data())
def test_back_after_forward_is_the_same_state(scenario: Scenario, every: int, data: st.DataObject) -> None:
    with spacing(every):
        run = whole(scenario)
        for _ in range(4):
            p = data.draw(st.integers(0, run.length))
            q = data.draw(st.integers(p, run.length))
            here = digest(run, p)
            look = everything(run.at(p).machine)
            for at in range(p, min(p + 4, q)):
                run.at(at)
            run.at(q)
            for at in range(min(p + 3, q), p, -1):
                run.at(at)
            assert digest(run, p) == here
            assert everything(run.at(p).machine) == look


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), SPACINGS, SPACINGS, st.data())
def test_a_position_is_the_same_however_it_is_reached(
    scenario: Scenario, one: int, other: int, data: st.DataObject
) -> None:
    with spacing(one):
        run = whole(scenario)
    p = data.draw(st.integers(0, run.length))
    for far in data.draw(st.lists(st.integers(0, run.length), max_size=4)):
        run.at(far)
    from_anywhere = digest(run, p)
    with spacing(other):
        fresh = Timeline(scenario)
        assert digest(fresh, p) == from_anywhere
        assert fresh.length >= p
        assert fresh.at(p).step == run.at(p).step


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), SPACINGS, st.lists(st.integers(1, 300), min_size=1, max_size=6))
def test_a_position_is_what_the_machine_was_when_it_took_the_step(
    scenario: Scenario, every: int, wanted: list[int]
) -> None:
    m = make_machine(scenario)
    states = {}

    def watch(*_: object) -> None:
        if m.n in wanted:
            states[m.n] = everything(m), state_digest(m)

    m.watch = watch
    m.run()
    states.pop(m.n, None)  # the end: see below
    with spacing(every):
        run = Timeline(scenario)
        for p in wanted:
            if p in states:
                assert (everything(run.at(p).machine), digest(run, p)) == states[p]


@pytest.mark.parametrize("reader", ["fast", "off"])
def test_stepping_to_the_end_is_running_to_the_end(reader: str) -> None:
    scenario = parse_line(f"ixgbe ring=8 reader={reader}")
    m = make_machine(scenario)
    m.run()
    run = whole(scenario)
    assert run.length == m.n
    assert digest(run, run.length) == state_digest(m)


@settings(max_examples=40, deadline=None)
@given(scenarios(FEW))
def test_what_can_be_seen_at_the_end_is_what_a_run_ends_with(scenario: Scenario) -> None:
    m = make_machine(scenario)
    m.run()
    run = Timeline(scenario)
    assert run.extend() is True
    assert run.length == m.n
    last = everything(run.at(run.length).machine)
    assert last == everything(m)
    assert everything(run.at(run.length + 1_000).machine) == last
    assert run.at(run.length + 1_000).position == run.length


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), SPACINGS, st.data())
def test_steps_are_those_of_the_recording(scenario: Scenario, every: int, data: st.DataObject) -> None:
    steps = recorded(scenario)
    with spacing(every):
        run = Timeline(scenario)
        for n in data.draw(st.lists(st.integers(0, len(steps) - 1), max_size=8)) if steps else []:
            assert run.at(n + 1).step == steps[n]
        run.extend()
        assert [KINDS[kind].name for kind in run.kinds] == [step.name for step in steps]
        assert list(run.frames) == [-1 if step.frame is None else step.frame for step in steps]


def test_every_step_of_a_run_with_a_checkpoint_at_every_event() -> None:
    scenario = parse_line("ixgbe ring=4 itr=5 rcvbuf=4000 budget=2 reader=3000 traffic=tcp:1514x8")
    steps = recorded(scenario)
    with spacing(1):
        run = Timeline(scenario)
        assert [run.at(n + 1).step for n in range(len(steps))] == steps
        assert [run.at(n + 1).step for n in reversed(range(len(steps)))] == steps[::-1]


def test_position_0_is_the_machine_before_anything_has_happened() -> None:
    run = Timeline(parse_line("ixgbe ring=8"))
    start = run.at(0)
    assert (start.position, start.step) == (0, None)
    assert state_digest(start.machine) == state_digest(make_machine(run.scenario))
    assert run.at(-5).position == 0
    run.at(50)
    assert state_digest(run.at(0).machine) == state_digest(make_machine(run.scenario))


def test_a_timeline_plays_no_further_than_it_is_asked() -> None:
    run = Timeline(parse_line("ixgbe traffic=tcp:1514x2000"))
    assert run.length == 0
    run.at(10)
    assert 10 <= run.length < 2_000
    assert not run.complete
    run.extend(until=5_000)
    assert 5_000 <= run.length < 8_000
    assert run.extend(seconds=0.0) is False
    assert run.extend() is True
    assert run.extend() is True


def test_when_checkpoints_take_too_much_room_every_second_one_goes() -> None:
    scenario = parse_line("ixgbe ring=8 traffic=tcp:1514x60 reader=slow")
    states = {}
    run = whole(scenario)
    for p in range(0, run.length, 37):
        states[p] = digest(run, p)
    with spacing(16), patch.object(timeline, "STORE_LIMIT", 20_000):
        small = whole(scenario)
        assert {p: digest(small, p) for p in states} == states
        assert {p: digest(small, p) for p in reversed(states)} == states


# -------------------------------------------------------------------------------------------------------------- moving
def ends(steps: list[Step], names: tuple[str, ...] | None) -> list[int]:
    """The positions just after the steps of some kinds."""
    return [step.n + 1 for step in steps if names is None or step.name in names]


ZOOMS: dict[str, tuple[str, ...] | None] = {"step": None, "frame": END_OF_FRAME, "poll": ("poll.end",)}


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), st.data())
def test_stops_are_those_of_a_plain_search(scenario: Scenario, data: st.DataObject) -> None:
    steps = recorded(scenario)
    run = Timeline(scenario)
    for _ in range(6):
        p = data.draw(st.integers(0, len(steps)))
        run.at(p)
        zoom = data.draw(st.sampled_from(sorted(ZOOMS)))
        stops = ends(steps, ZOOMS[zoom])
        assert run.stop_after(p, zoom) == min((at for at in stops if at > p), default=len(steps))
        assert run.stop_before(p, zoom) == max((at for at in stops if at < p), default=0)


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), st.data())
def test_the_next_and_the_previous_of_a_kind(scenario: Scenario, data: st.DataObject) -> None:
    steps = recorded(scenario)
    run = Timeline(scenario)
    for _ in range(6):
        p = data.draw(st.integers(0, len(steps)))
        run.at(p)
        kind = data.draw(st.sampled_from(sorted(BY_NAME)))
        stops = ends(steps, (kind,))
        assert run.next_of(p, kind) == min((at for at in stops if at > p), default=None)
        assert run.previous_of(p, kind) == max((at for at in stops if at < p), default=None)


@pytest.mark.parametrize("p", [100, 150, 200])
def test_a_search_from_where_the_front_has_not_been_yet(p: int) -> None:
    scenario = parse_line("ixgbe ring=8")
    known = whole(scenario)
    assert Timeline(scenario).stop_after(p, "frame") == known.stop_after(p, "frame")
    assert Timeline(scenario).next_of(p, "poll.end") == known.next_of(p, "poll.end")


@pytest.mark.parametrize("p", [15, 100, 219])
def test_a_search_back_from_where_the_front_has_not_been_yet(p: int) -> None:
    scenario = parse_line("ixgbe ring=8")
    known = whole(scenario)
    assert Timeline(scenario).stop_before(p, "frame") == known.stop_before(p, "frame")
    assert Timeline(scenario).previous_of(p, "irq.enter") == known.previous_of(p, "irq.enter")


# ------------------------------------------------------------------------------------------------------------- forking
def test_a_fork_at_the_start_goes_otherwise() -> None:
    run = whole(parse_line("ixgbe ring=8 reader=fast"))
    other = run.fork(0, reader="off")
    other.extend()
    assert other.at(other.length).machine.socket.read == 0
    assert "reader.read" not in {KINDS[kind].name for kind in other.kinds}


@settings(max_examples=60, deadline=None)
@given(scenarios(FEW), CHANGES, st.data())
def test_a_fork_shares_what_was_before_and_leaves_its_parent_alone(
    scenario: Scenario, changes: dict[str, str], data: st.DataObject
) -> None:
    run = whole(scenario)
    assume(run.length)
    kinds, frames = run.kinds[:], run.frames[:]
    p = data.draw(st.integers(1, run.length))
    probes = data.draw(st.lists(st.integers(0, run.length), max_size=3))
    before = [digest(run, at) for at in probes]
    if changes == {"itr": "adaptive"} and not scenario.rules.itr_algorithm:
        with pytest.raises(ScenarioError, match="itr=adaptive is not modelled for"):
            run.fork(p, **changes)
        return
    other = run.fork(p, **changes)
    other.extend()
    assert other.kinds[:p] == kinds[:p]
    assert other.frames[:p] == frames[:p]
    for at in probes:
        if at < p:
            assert digest(other, at) == digest(run, at)
            assert other.at(at).step == run.at(at).step
    assert [digest(run, at) for at in probes] == before
    assert (run.kinds, run.frames, run.edits) == (kinds, frames, ())


def steps_of(run: Timeline) -> list[tuple[str, int]]:
    run.extend()
    return [(KINDS[kind].name, frame) for kind, frame in zip(run.kinds, run.frames, strict=True)]


@settings(max_examples=40, deadline=None)
@given(scenarios(8), CHANGES, SPACINGS, st.data())
def test_every_position_of_a_fork_tells_the_forks_own_story(
    scenario: Scenario, changes: dict[str, str], every: int, data: st.DataObject
) -> None:
    """What is at a position of a fork is what its front played, and does not depend on checkpoints."""
    with spacing(512):
        plain = whole(scenario)
        assume(plain.length)
        assume("adaptive" not in changes.values() or plain.scenario.rules.itr_algorithm)
        p = data.draw(st.integers(1, plain.length))
        one = plain.fork(p, **changes)
    with spacing(every):
        parent = whole(scenario)
        two = parent.fork(p, **changes)
    story = steps_of(one)
    assert steps_of(two) == story
    for at in data.draw(st.lists(st.integers(1, len(story)), max_size=5)):
        step = two.at(at).step
        assert step is not None
        assert (step.name, -1 if step.frame is None else step.frame) == story[at - 1]
        assert one.at(at).step == step
        assert digest(one, at) == digest(two, at)


@pytest.mark.parametrize("p", range(0, 60, 7))
def test_a_fork_where_a_checkpoint_may_lie(p: int) -> None:
    """With a checkpoint at every event, some of these are at the very position of one."""
    with spacing(1):
        run = whole(parse_line("ixgbe ring=8 reader=off"))
        other = run.fork(p, reader="fast")
        story = steps_of(other)
        told = [other.at(at).step for at in range(1, len(story) + 1)]
    assert [step.name for step in told if step] == [name for name, _ in story]
    assert other.at(other.length).machine.socket.read == 12


def test_a_fork_of_a_fork() -> None:
    run = whole(parse_line("ixgbe ring=8 reader=fast traffic=tcp:1514x30"))
    first = run.fork(200, reader="off")
    first.extend()
    second = first.fork(300, reader="fast")
    second.extend()
    assert [(edit.position, edit.key, edit.value) for edit in second.edits] == [
        (200, "reader", "off"),
        (300, "reader", "fast"),
    ]
    assert first.kinds[:300] == second.kinds[:300]
    assert run.kinds[:200] == first.kinds[:200]
    assert first.at(first.length).machine.socket.read < 30
    assert second.at(second.length).machine.socket.read == 30
    # An edit before the first fork's own leaves that one out.
    third = second.fork(100, budget="1")
    assert [(edit.position, edit.key) for edit in third.edits] == [(100, "budget")]
    third.extend()
    assert third.at(third.length).machine.socket.read == 30
    assert run.edits == ()


def at_the_end(run: Timeline) -> Machine:
    run.extend()
    return run.at(run.length).machine


def test_an_edit_of_the_budget() -> None:
    run = whole(parse_line("ixgbe ring=64 traffic=udp:60x60 reader=off rcvbuf=1000000"))
    assert at_the_end(run.fork(30, budget="2")).napi.polls > at_the_end(run).napi.polls
    assert at_the_end(run.fork(30, budget="2")).socket.delivered == 60


def test_an_edit_of_itr() -> None:
    run = whole(parse_line("ixgbe ring=64 traffic=udp:60x60 rate=100kpps reader=off rcvbuf=1000000 itr=0"))
    assert at_the_end(run).napi.interrupts == 60
    assert at_the_end(run.fork(300, itr="200")).napi.interrupts < 40
    assert at_the_end(run.fork(300, itr="200")).socket.delivered == 60


def test_an_edit_of_the_readers_cpu() -> None:
    run = whole(parse_line("ixgbe ring=64 traffic=udp:60x60 rate=100kpps reader=2000"))
    other = at_the_end(run.fork(300, reader="2000@0"))
    assert other.counts[BY_NAME["reader.run"]] > 0 == at_the_end(run).counts[BY_NAME["reader.run"]]
    assert other.socket.read == 60


@pytest.mark.parametrize(
    "changes",
    [{"ring": "8"}, {"kernel": "4.9"}, {"reader": "sometimes"}, {"budget": "0"}, {"itr": "x"}, {"nonsense": "1"}],
)
def test_what_cannot_change_in_the_middle_is_refused(changes: dict[str, str]) -> None:
    run = Timeline(parse_line("ixgbe ring=8"))
    with pytest.raises(ScenarioError):
        run.fork(10, **changes)


def test_a_fork_at_the_end() -> None:
    run = whole(parse_line("ixgbe ring=8 reader=off"))
    other = run.fork(run.length, reader="fast")
    other.extend()
    assert other.kinds[: run.length] == run.kinds
    assert other.at(other.length).machine.socket.read == 12


def test_a_fork_past_the_end_is_at_the_end() -> None:
    run = whole(parse_line("ixgbe ring=8 reader=off"))
    other = run.fork(run.length + 50, reader="fast")
    assert at_the_end(other).socket.read == 12


def test_a_fork_without_changes_is_the_same_run() -> None:
    run = whole(parse_line("ixgbe ring=8"))
    assert steps_of(run.fork(10)) == steps_of(run)


def test_a_what_if_in_a_run_in_which_nothing_happens() -> None:
    run = Timeline(parse_line("ixgbe ring=8 loss=100%"))
    other = run.fork(0, reader="off")
    assert other.at(0).position == 0
    assert other.extend()
    assert other.length == 0
