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
