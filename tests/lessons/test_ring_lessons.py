"""The lessons on the ring, on polls and on what runs out: what they claim, against the model."""

from __future__ import annotations

from itertools import product

import pytest

from rxviz.lessons.session import Opening, Outcome, Question, Task
from rxviz.model.descriptor import SIZE, STATUS_OFFSET, unpack_status_length
from rxviz.run.lanes import Lane
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Timeline
from rxviz.view import lesson_cpu, who_runs
from tests.lessons.course import lesson

DONE, POLLS, DRY = 2, 3, 4


def question(number: int, index: int, seed: int = 1) -> Question:
    return Question(lesson(number), lesson(number).lesson.predict[index], seed)


def outcome(number: int, index: int, given: str, seed: int = 1) -> Outcome:
    return question(number, index, seed).give(given)


def napi(found: Outcome) -> tuple[dict[str, int], dict[str, int]]:
    """What the polls of the real world and of the learner's came to."""
    assert found.lanes is not None
    return found.lanes.left.result["napi"], found.lanes.right.result["napi"]


# ------------------------------------------------------------------------------------------------- done means a length
def length_in(lane: Lane, slot: int, position: int) -> int:
    """The length that stands in a descriptor at a position."""
    m = lane.timeline.at(position).machine
    length: int = unpack_status_length(m.ring.desc, slot * SIZE + STATUS_OFFSET)[1]
    return length


def test_the_example_of_the_length_shows_what_its_words_say() -> None:
    opening = Opening(lesson(DONE))
    names, lane = opening.names, opening.lane
    assert (names["frames"], names["reads"], names["wrong"], names["bytes"]) == (24, 33, 9, 1514)
    at = [position for position, _ in opening.stops]
    assert [length_in(lane, 0, position) for position in at[:4]] == [0, 0, 1514, 1514]
    address = [lane.timeline.at(position).machine.ring.desc[:8] for position in at[:3]]
    assert address[0] == address[1] != address[2]
    assert [lane.trace[position - 1].name for position in at[3:6]] == ["desc.done", "buf.sync", "buf.take"]
    empty, s, cleared = names["empty"], names["s"], names["cleared"]
    assert length_in(lane, empty, at[6]) == 0
    assert lane.trace[at[7] - 1].slot == s
    # The next one was used a lap ago; this write has cleared it.
    assert (length_in(lane, cleared, at[7] - 1), length_in(lane, cleared, at[7])) == (1514, 0)
    assert lane.look(at[8])["nic.RDT"] == cleared


@pytest.mark.parametrize("seed", range(1, 9))
def test_the_questions_on_the_length_are_about_slots_as_they_say(seed: int) -> None:
    zero = question(DONE, 0, seed)
    s = zero.names["s"]
    assert zero.answer == "ends"
    assert length_in(zero.lane, s, zero.position) == 0
    look = zero.lane.look(zero.position)
    assert look["ring.next_to_clean"] == s == look["nic.RDH"] != look["nic.RDT"]
    again = question(DONE, 1, seed)
    assert again.answer == "address"
    slot, before = again.names["s"], again.lane.trace[: again.position]
    assert any(step.name == "nic.writeback" and step.slot == slot for step in before)
    assert again.lane.trace[again.until - 1].name == "ring.tail"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_it_costs_to_look_further_or_to_ask(seed: int) -> None:
    for given, part, key in (("others", "ledger", "descriptor_reads"), ("asks", "cpu_ns", "softirq")):
        found = outcome(DONE, 0, given, seed)
        assert found.lanes is not None
        assert found.damage is None
        real, yours = found.lanes.left.result, found.lanes.right.result
        assert yours[part][key] > real[part][key]
        assert yours["frames"]["delivered"] == real["frames"]["delivered"] == 24
    empty = outcome(DONE, 0, "empty", seed)
    assert empty.lanes is not None
    assert empty.lanes.right.result["frames"]["delivered"] < 24


def test_damage_shows_only_where_a_rule_is_needed() -> None:
    found: dict[str, set[tuple[str, ...]]] = {}
    task = Task(lesson(DONE), 1)
    for values in product(*(knob.values for knob in task.do.knob)):
        task.found.clear()
        for knob, value in zip(task.do.knob, values, strict=True):
            task.turn(knob.key, value)
        task.position = len(task.lane().trace)
        task.goals()
        for name in task.found:
            found.setdefault(name, set()).add(values)
    assert found.keys() == {"bytes", "address", "null"}
    assert {(off, reader) for off, _, reader, _ in found["bytes"]} == {("length_before_payload", "fast")}
    assert {(off, traffic) for off, traffic, _, _ in found["address"]} == {("rewrite_address", "tcp:1514x40")}
    assert found["null"] == {("clear_next", "tcp:1514x40", "off", "alloc_page@1-7")}


# --------------------------------------------------------------------------------------------------- polls and budget
def test_the_example_of_the_polls_shows_what_its_words_say() -> None:
    opening = Opening(lesson(POLLS))
    names = opening.names
    assert (names["frames"], names["calls"], names["polls"], names["weight"]) == (120, 2, 3, 64)
    assert (names["early"], names["waiting"], names["rest"]) == (40, 40, 16)
    at = [position for position, _ in opening.stops]
    looks = [opening.lane.look(position) for position in at]
    assert [look["nic.irq"] == "masked" for look in looks] == [True] * 3 + [False] * 3 + [True] * 3 + [False]
    assert opening.lane.trace[at[4] - 1].name == "irq.raise"
    assert all(step.name != "irq.enter" for step in opening.lane.trace[at[4] : at[5]])
    # All of the second burst is in the ring before its interrupt, and none of it before the delay has begun but one.
    assert sum(step.name == "nic.writeback" for step in opening.lane.trace[at[4] : at[5]]) == 39


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_more_interrupts_one_long_poll_and_frames_left_behind(seed: int) -> None:
    frames = question(POLLS, 0, seed).names["frames"]
    real, each = napi(outcome(POLLS, 0, "each", seed))
    assert (real["interrupts"], real["polls"]) == (1, 2)
    assert each["interrupts"] > 10
    _, drain = napi(outcome(POLLS, 0, "drain", seed))
    assert (drain["interrupts"], drain["polls"]) == (1, 1)
    lost = outcome(POLLS, 0, "lost", seed)
    assert lost.lanes is not None
    assert lost.lanes.right.result["frames"]["in_flight_at"]["ring"] == frames - 64
    assert napi(lost)[1]["polls"] == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_delay_holds_back_the_interrupt_and_not_the_frame(seed: int) -> None:
    asked = question(POLLS, 1, seed)
    f, called = asked.names["f"], asked.names["called"]
    assert asked.lane.trace[asked.position - 1].name == "wire.arrive"
    real, kept = asked.lane, outcome(POLLS, 1, "nic", seed).lanes
    assert kept is not None

    def written(lane: Lane) -> int:
        return next(step.t_ns for step in lane.trace if step.name == "nic.writeback" and step.frame == f)

    assert written(real) == real.trace[asked.position - 1].t_ns
    assert written(kept.right) >= real.trace[called].t_ns > written(real) + 20_000
    before, now = napi(outcome(POLLS, 1, "now", seed))
    assert now["interrupts"] > before["interrupts"]


def test_a_squeeze_and_ksoftirqd_lose_no_frame_by_any_route() -> None:
    """Whatever the knobs are set to, every frame gets up; three goals can be had in more ways than one."""
    task, routes = Task(lesson(POLLS), 1), 0
    for values in product(*(knob.values for knob in task.do.knob)):
        for knob, value in zip(task.do.knob, values, strict=True):
            task.turn(knob.key, value)
        task.position = len(task.lane().trace)
        frames = task.lane().result["frames"]
        assert frames["delivered"] == frames["offered"] == 240
        routes += task.done()
    assert routes == 3


def test_who_runs_is_drawn_up_to_the_present_only() -> None:
    timeline = Timeline(Opening(lesson(POLLS)).scenario)
    timeline.extend()
    halfway = timeline.at(timeline.length // 2)
    drawn = lesson_cpu.draw(timeline.activity, halfway, 80, 9).text()
    rows = [line for line in drawn.splitlines() if " irq " in line or "CPU 0" in line]
    assert len(rows) == 2
    for row in rows:
        assert len(row.rstrip("│ ")) < 70
    whole = who_runs.draw(timeline.activity, halfway, 76, 3).text()
    assert whole != who_runs.draw(timeline.activity, halfway, 76, 3, past_only=True).text()
    assert "interrupts 2" in drawn
    assert "frames in the ring" in drawn


@pytest.mark.parametrize("height", range(1, 14))
def test_the_panel_of_interrupts_fits_any_height(height: int) -> None:
    timeline = Timeline(Opening(lesson(POLLS)).scenario)
    picture = lesson_cpu.draw(timeline.activity, timeline.at(500), 60, height)
    assert len(picture.lines) == height


# --------------------------------------------------------------------------------------------------------- running dry
def test_the_example_of_the_dry_ring_shows_what_its_words_say() -> None:
    opening = Opening(lesson(DRY))
    names, lane = opening.names, opening.lane
    assert (names["slots"], names["posted"], names["frames"], names["lost"], names["up"]) == (32, 31, 48, 8, 40)
    assert (names["pause"], names["fit"], names["batch"], names["left"]) == (40, 9, 16, 8)
    at = [position for position, _ in opening.stops]
    dry = lane.look(at[2])
    assert dry["nic.RDH"] == dry["nic.RDT"]
    assert dry["nic.waiting"] == 0
    assert lane.look(at[3])["nic.waiting"] > 0
    assert lane.trace[at[4] - 1].name == "nic.missed"
    # The oldest frame that was not taken before the CPU stood still comes first, and no byte of any is lost.
    assert lane.trace[at[5] - 1].frame == sum(step.name == "skb.deliver" for step in lane.trace[: at[1]])
    assert lane.trace[at[7] - 1].frame == 31
    assert not any(lane.result["lamps"].values())
    assert lane.look(at[9])["counters.RcvbufErrors"] == 0


def test_a_batch_leaves_at_most_fifteen_slots() -> None:
    """What a poll leaves that ended because the ring was empty: with every number of frames fewer than a batch."""
    for frames in range(1, 40):
        lane = Lane(parse_line(f"ixgbe ring=64 refill=16 reader=fast traffic=udp:64px{frames}"))
        end = lane.look(len(lane.trace))
        assert (end["ring.next_to_clean"] - end["ring.next_to_use"] - 1) % 64 == frames % 16


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_newest_are_lost_and_each_wrong_world_loses_others(seed: int) -> None:
    names = question(DRY, 0, seed).names
    more, fit, lost = names["more"], names["fit"], names["lost"]
    assert 0 < fit < more
    assert fit + lost == more
    real = question(DRY, 0, seed).lane
    missed = [step.frame or 0 for step in real.trace if step.name == "nic.missed"]
    assert max(step.frame or 0 for step in real.trace if step.name == "nic.wait") < min(missed)
    for given, missing in (("all", more), ("wait", 0)):
        lanes = outcome(DRY, 0, given, seed).lanes
        assert lanes is not None
        assert lanes.right.result["frames"]["dropped"]["ring"] == missing
    oldest = outcome(DRY, 0, "oldest", seed)
    assert oldest.damage is not None


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_only_the_service_task_revives_a_dry_ring(seed: int) -> None:
    asked = question(DRY, 1, seed)
    assert asked.names["period"] == 2
    assert asked.names["lost"] == 0
    between = [step.name for step in asked.lane.trace[asked.position : asked.until]]
    assert between.index("service.task") < between.index("irq.enter") < between.index("ring.tail")
    assert "page.alloc_failed" not in between, "there are pages again"
    quick, never = outcome(DRY, 1, "frame", seed).lanes, outcome(DRY, 1, "nobody", seed).lanes
    assert quick is not None
    assert never is not None
    assert quick.right.result["time_ns"] < 1_000_000 < 2_000_000_000 <= quick.left.result["time_ns"]
    assert never.right.result["frames"]["in_flight_at"]["nic"] == 40 - asked.names["f"]


def test_each_failure_can_be_outlived_and_the_hints_say_how() -> None:
    found = {}
    task = Task(lesson(DRY), 1)
    fail, ring = task.do.knob
    for values in product(fail.values, ring.values):
        task = Task(lesson(DRY), 1)
        for knob, value in zip(task.do.knob, values, strict=True):
            task.turn(knob.key, value)
        task.position = len(task.lane().trace)
        task.goals()
        found[values[0].partition("@")[0], values[1]] = task.found
    assert {pair for pair, what in found.items() if what} == {
        ("stall_cpu", "128"), ("alloc_skb", "64"), ("alloc_skb", "128"), ("alloc_page", "64"),
    }  # fmt: skip
