"""Lessons 6 and 7: pages that stay or leave, and whose bytes they are meanwhile."""

from __future__ import annotations

import pytest

from rxviz.lessons.session import Opening, Question, Task
from tests.lessons.course import lesson


def test_the_driver_subtracts_what_the_facts_say_of_linux_4_12() -> None:
    """A page starts with a bias of 1, is topped up by 65,535, and a held sibling makes the difference 2."""
    names = Opening(lesson(6)).names
    assert (names["refs_one"], names["bias"], names["paid"]) == (1, 0, 65535)
    assert (names["refs"], names["left"], names["users"], names["given"]) == (65536, 65534, 2, 65534)
    assert names["to_slot"] != names["from_slot"]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_page_in_question_is_the_first_that_leaves_and_its_frames_are_no_halves(seed: int) -> None:
    loaded = lesson(6)
    question = Question(loaded, loaded.lesson.predict[0], seed)
    assert question.answer == "leaves"
    assert question.names["users"] == 2
    assert not {question.names["F"], question.names["G"]} & {"A", "B"}
    assert question.give("stays").parting == (question.position + 1, question.position + 1)


def test_a_driver_that_waits_lets_the_ring_run_dry() -> None:
    loaded = lesson(6)
    outcome = Question(loaded, loaded.lesson.predict[0], 1).give("waits")
    assert outcome.lanes is not None
    world = outcome.lanes.right
    assert world.result["pages"]["given_up"] == 0
    assert world.result["frames"]["in_flight_at"]["nic"] > 0
    assert outcome.damage is not None
    assert outcome.damage[1] == "ring_polled"


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_a_page_that_stays_goes_to_the_cursor_and_not_where_it_was(seed: int) -> None:
    loaded = lesson(6)
    question = Question(loaded, loaded.lesson.predict[1], seed)
    names = question.names
    assert question.answer == names["alloc"]
    assert len({names["alloc"], names["own"], names["use"]}) == 3
    outcome = question.give(names["own"])
    assert outcome.lanes is not None
    left, right = outcome.lanes.left.result, outcome.lanes.right.result
    assert right["pages"]["allocated"] == left["pages"]["allocated"] + 1


@pytest.mark.parametrize(("reader", "traffic", "fail", "found"), [
    ("fast", "tcp:1514x48", "none", set()),
    ("fast", "udp:64px48", "none", set()),
    ("slow", "tcp:1514x48", "none", {"held"}),
    ("off", "tcp:1514x48", "none", {"held"}),
    ("off", "udp:64px48", "none", {"copied"}),
    ("fast", "udp:64px48", "remote_page@0-99", {"remote"}),
    ("off", "udp:64px48", "remote_page@0-99", set()),
    ("fast", "tcp:1514x48", "pfmemalloc@0-99", set()),
])  # fmt: skip
def test_each_setting_of_the_reuse_task_is_found_for_its_own_reason(
    reader: str, traffic: str, fail: str, found: set[str]
) -> None:
    task = Task(lesson(6), 1)
    for key, value in (("reader", reader), ("traffic", traffic), ("fail", fail)):
        task.turn(key, value)
    task.position = len(task.lane().trace)
    task.goals()
    assert task.found == found


# ------------------------------------------------------------------------------------------------------------ lesson 7
def test_the_synced_bytes_are_those_of_the_facts() -> None:
    """The frame's length for the CPU, the whole buffer for the NIC, and a page mapped once for its life on the ring."""
    names = Opening(lesson(7)).names
    assert (names["n"], names["half"], names["posted"], names["filled"]) == (106, 2048, 1536, 7)
    assert names["cpu"] == names["frames"] * names["n"]
    assert names["maps"] - names["unmaps"] == 7


@pytest.mark.parametrize(("given", "synced"), [("half", 2048), ("page", 4096)])
def test_a_wrong_length_is_synced_in_its_world_for_every_frame(given: str, synced: int) -> None:
    loaded = lesson(7)
    question = Question(loaded, loaded.lesson.predict[0], 1)
    outcome = question.give(question.names[given])
    assert outcome.lanes is not None
    assert outcome.lanes.right.result["ledger"]["sync_cpu_bytes"] == 24 * synced
    assert outcome.lanes.left.result["ledger"]["sync_cpu_bytes"] == 24 * question.names["n"]


def test_unsynced_bytes_are_not_those_of_the_frame() -> None:
    loaded = lesson(7)
    outcome = Question(loaded, loaded.lesson.predict[0], 1).give(0)
    assert outcome.lanes is not None
    assert outcome.damage is not None
    assert outcome.damage[1] == "bytes_intact"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_first_of_two_buffers_is_synced_last_thing(seed: int) -> None:
    loaded = lesson(7)
    question = Question(loaded, loaded.lesson.predict[1], seed)
    assert question.answer == 0
    frame, trace = question.names["f"], question.lane.trace
    syncs = [step for step in trace if step.name == "buf.sync" and step.frame == frame]
    done = [step.n for step in trace if step.name == "desc.done" and step.frame == frame]
    assert [step.field("size") for step in syncs] == [question.names["part"], question.names["rest"]]
    assert syncs[0].n > done[1]


@pytest.mark.parametrize(("kernel", "traffic", "reader", "found"), [
    ("4.9", "tcp:1514x48", "slow", set()),
    ("4.9", "tcp:1514x48", "fast", {"mapped"}),
    ("4.9", "udp:64px48", "fast", set()),
    ("6.18", "tcp:1514x48", "slow", set()),
    ("6.18", "tcp:1514x48", "fast", {"mapped"}),
    ("4.12", "udp:64px48", "slow", {"less"}),
])  # fmt: skip
def test_each_setting_of_the_sync_task_is_found_for_its_own_reason(
    kernel: str, traffic: str, reader: str, found: set[str]
) -> None:
    task = Task(lesson(7), 1)
    for key, value in (("kernel", kernel), ("traffic", traffic), ("reader", reader)):
        task.turn(key, value)
    task.position = len(task.lane().trace)
    task.goals()
    assert task.found == found
    task.answer = "2,048"
    assert task.goals()[2][1] is (kernel != "4.9")
