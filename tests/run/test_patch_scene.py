"""A scene with patches applied and reverted: the bills, what cannot be switched, and the same place in both runs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.errors import ScenarioError
from rxviz.run import patches
from rxviz.run.engine import make_machine
from rxviz.run.patch_scene import PatchScene, ledger_after, same_place
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.timeline import FRAME_ENDS, Timeline
from tests.run.test_patches import states

LINE = "ixgbe ring=8 traffic=tcp:1514x10@20kpps"


def test_a_scene_begins_with_the_patches_of_its_kernel() -> None:
    assert PatchScene(parse_line(LINE)).scenario == parse_line(f"{LINE} patches=all")
    assert PatchScene(parse_line(f"{LINE} kernel=4.9")).applied == ()
    assert PatchScene(parse_line(f"{LINE} kernel=4.11")).applied == (1, 2, 3, *range(11, 21))
    assert PatchScene(parse_line(f"{LINE} patches=12")).applied == (12,)
    assert not PatchScene(parse_line(LINE)).moved


def test_a_switch_and_its_way_back() -> None:
    scene = PatchScene(parse_line(LINE))
    scene.scenario = scene.toggled(12)
    assert scene.moved
    assert scene.scenario.patches == "1-11,13-20"
    scene.scenario = scene.toggled(12)
    assert not scene.moved


@pytest.mark.parametrize(
    ("state", "number", "sentence"),
    [
        ("all", 14, "17 and 20 need patch 14; revert those first"),
        ("1-19", 14, "17 needs patch 14; revert that first"),
        ("all", 2, "14, 17 and 20 need patch 2; revert those first"),
        ("none", 20, "patch 20 needs 2, 11, 14, 15, 17 and 18; apply those first"),
        ("2", 14, "patch 14 needs 11; apply that first"),
    ],
)
def test_what_cannot_be_switched_says_why(state: str, number: int, sentence: str) -> None:
    scene = PatchScene(parse_line(f"{LINE} patches={state}"))
    with pytest.raises(ScenarioError) as caught:
        scene.toggled(number)
    assert str(caught.value) == sentence


@settings(max_examples=60, deadline=None)
@given(st.sets(st.integers(1, 20)), st.integers(1, 20))
def test_every_switch_leads_to_a_state_that_stands_or_is_refused(wanted: set[int], number: int) -> None:
    closed = wanted.union(*(patches.closure(each) for each in wanted))
    scene = PatchScene(parse_line(f"{LINE} patches={patches.word(closed)}"))
    other = closed ^ {number}
    stands = all(not patches.missing(each, other) for each in other)
    if stands:
        assert {*patches.numbers(scene.toggled(number).patches)} == other
    else:
        with pytest.raises(ScenarioError):
            scene.toggled(number)


def test_the_bill_is_that_at_the_end_of_the_frame() -> None:
    """By hand: frames of 1,514 bytes, the third one done; the set-up is apart, and two skbs are freed by then."""
    none, everything = (ledger_after(parse_line(f"{LINE} patches={state}"), 2) for state in ("none", "all"))
    assert (none["sync_cpu_bytes"], everything["sync_cpu_bytes"]) == (3 * 2048, 3 * 1514)
    assert (none["refs_atomic"], everything["refs_atomic"]) == (3 + 2 * 2, 3 + 2)
    assert (none["bytes_copied"], everything["bytes_copied"]) == (3 * 72, 0)
    assert (none["descriptor_reads_before_fetch"], everything["descriptor_reads_before_fetch"]) == (6, 3)
    assert (none["truesize_total"], everything["truesize_total"]) == (3 * 2944, 3 * 2304)


def test_the_bill_of_the_whole_run_is_the_ledger_without_the_set_up() -> None:
    scenario = parse_line(f"{LINE} patches=none")
    m = make_machine(scenario)
    set_up = m.ledger.sync_device_bytes
    m.run()
    bill = ledger_after(scenario)
    assert bill["sync_device_bytes"] == m.ledger.sync_device_bytes - set_up == 10 * 2048
    assert bill["sk_buffs"] == result(scenario, m)["ledger"]["sk_buffs"] == 10
    assert ledger_after(scenario, 99) == bill


def test_changes_are_told_from_the_present_state() -> None:
    scene = PatchScene(parse_line(f"{LINE} patches=none"), 0)
    assert scene.changes(scene.toggled(12)) == [("sync_cpu_bytes", 2048, 1514)]
    assert scene.changes(scene.toggled(16)) == [("descriptor_reads_before_fetch", 2, 1)]
    assert scene.changes(scene.toggled(11)) == scene.changes(scene.toggled(3)) == []


@settings(max_examples=40, deadline=None)
@given(states(), states(), st.data())
def test_the_same_place_is_behind_a_step_of_the_same_frame(one: Scenario, other: Scenario, data: st.DataObject) -> None:
    other = one.with_words([f"patches={other.patches}"])
    old, new = Timeline(one), Timeline(other)
    old.extend()
    position = data.draw(st.integers(0, old.length))
    place = same_place(old, position, new)
    assert 0 <= place <= new.length
    named = [frame for frame in old.frames[:position] if frame >= 0]
    if not named:
        assert place == 0
    else:
        assert new.frames[place - 1] == named[-1]
        last = max(at for at in range(position) if old.frames[at] >= 0)
        assert new.kinds[place - 1] == old.kinds[last] or new.kinds[place - 1] in FRAME_ENDS


def test_a_step_that_the_other_run_does_not_take_leads_to_the_end_of_the_frame() -> None:
    old, new = (Timeline(parse_line(f"{LINE} patches={state}")) for state in ("none", "all"))
    position = old.next_of(0, "skb.headers")
    assert position is not None
    step = new.at(same_place(old, position, new)).step
    assert step is not None
    assert (step.frame, step.name) == (0, "socket.queue")
