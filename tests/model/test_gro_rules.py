"""Every rule of GRO that can be switched off: what leaves without it, which lamp goes on, and that it is said."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.machine import Machine
from rxviz.model.napi_gro import NapiGro
from rxviz.model.rules import RULES, with_rules_off
from rxviz.model.rules.gro import DoubtingGro, HeldOverPolls
from rxviz.run.break_rule import known_lamps
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Timeline
from rxviz.run.trace import as_json, record
from tests.model.gro_worlds import CASES, OLD, QUIET, Case
from tests.model.harness import machine

OURS = [name for name, rule in RULES.items() if rule.gro]


def world(case: Case, *off: str, reader: str = "fast") -> Machine:
    names = ",".join(name for name in (*off, case.more) if name) or "none"
    return machine(f"ixgbe ring=128 gro=on reader={reader} {case.line} off={names}", case.arriving())


def came_of(m: Machine) -> tuple[int, set[str]]:
    m.run()
    return m.socket.delivered, {name for name, count in m.lamps.lit.items() if count}


def test_every_rule_of_gro_has_its_frames() -> None:
    assert {*CASES, *QUIET, *OLD} == set(OURS)
    assert len(CASES) + len(QUIET) + len(OLD) == len(OURS)


@pytest.mark.parametrize("name", CASES)
def test_without_the_rule_other_skbs_leave_and_harm_lights_a_lamp(name: str) -> None:
    case = CASES[name]
    assert came_of(world(case)) == (case.honest, case.before)
    assert came_of(world(case, name)) == (case.world, case.lamps)


def test_the_lamps_of_these_frames_are_known_beforehand() -> None:
    assert {name: set(known_lamps(name, "ixgbe") or ()) for name in OURS} == {
        name: set(CASES[name].lamps) - set(CASES[name].before) if name in CASES else set() for name in OURS
    }


@pytest.mark.parametrize("name", [*QUIET, *sorted(OLD)])
def test_a_rule_that_nothing_depends_on_alone(name: str) -> None:
    for case in CASES.values():
        if len(case.frames) < 10:
            assert came_of(world(case, name))[1] == case.before


@pytest.mark.parametrize("name", CASES)
def test_what_is_overlooked_is_said(name: str) -> None:
    m = world(CASES[name], name)
    said = [step.field("sentence") for step in record(m) if step.name == "world.act"]
    assert said
    assert all(sentence.endswith(".") and len(sentence) < 160 for sentence in said)
    assert all(as_json(step, m.config)["text"] for step in record(world(CASES[name], name)))


def test_a_sentence_names_what_differs() -> None:
    m = world(CASES["gro_same_ack"], "gro_same_ack")
    said = [step.field("sentence") for step in record(m) if step.name == "world.act"]
    assert said == ["GRO overlooks this: ACK number differs: 7, held 1."]


@pytest.mark.parametrize("name", ["gro_same_ack", "gro_poll_end", "gro_flows_apart", "gro_held_first"])
def test_back_and_forth_is_the_same_state(name: str) -> None:
    timeline = Timeline(parse_line(f"ixgbe ring=16 gro=on traffic=tcp:1514x20 flows=2 order=swap:3 off={name}"))
    timeline.extend()
    positions = range(0, timeline.length + 1, 7)
    forth = {position: state_digest(timeline.at(position).machine) for position in positions}
    for position in reversed(positions):
        assert state_digest(timeline.at(position).machine) == forth[position]


def test_a_machine_can_be_kept_and_goes_on() -> None:
    case = CASES["gro_in_sequence"]
    m = world(case, "gro_in_sequence", "gro_evicted", "gro_psh_joins")
    for _ in range(4):
        m.tick()
    copy = pickle.loads(pickle.dumps(m))
    copy.source = m.source
    assert type(copy.gro) is type(m.gro)
    assert came_of(copy) == came_of(m)


def test_an_honest_machine_has_the_class_itself_and_a_world_the_least_that_does_it() -> None:
    assert type(make_machine(parse_line("ixgbe gro=on ring=8")).gro) is NapiGro
    asked = with_rules_off(NapiGro, "gro", ("gro_same_ack", "gro_same_window"))
    assert asked.__mro__[1:3] == (DoubtingGro, NapiGro)
    both = with_rules_off(NapiGro, "gro", ("gro_same_ack", "gro_poll_end"))
    assert both.__mro__[1:4] == (HeldOverPolls, DoubtingGro, NapiGro)
    assert with_rules_off(NapiGro, "gro", ("flip",)) is NapiGro
    assert make_machine(parse_line("ixgbe gro=off off=gro_same_ack ring=8")).gro is None


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.sets(st.sampled_from(OURS), min_size=1, max_size=12), st.sampled_from([2, 64]))
def test_no_world_breaks_the_model_itself(seed: int, off: set[str], budget: int) -> None:
    random = Random(seed)
    frames = [data for case in random.sample(list(CASES.values()), 4) for data in case.frames[:20]]
    random.shuffle(frames)
    case = Case(frames, 0, 0, line=f"budget={budget}", flows=tuple(random.choices((0, 1), k=len(frames))),
                hashes=tuple(random.choices((0, 8, 9), k=len(frames))))  # fmt: skip
    m = world(case, *sorted(off), reader=random.choice(("off", "fast")))
    m.run()
    assert m.gro is not None
    assert m.socket.frames_delivered + m.socket.frames_dropped + m.gro.frames_inside == len(frames)
