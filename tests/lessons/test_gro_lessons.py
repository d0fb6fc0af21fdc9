"""The lessons on GRO: what they claim, against the model and against all orders that there are."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from rxviz.lessons.format import Knob
from rxviz.lessons.session import Opening, Question, Task
from rxviz.run.engine import make_machine
from rxviz.run.expression import ExpressionError
from rxviz.run.gro_orders import MOST_FRAMES, skbs_by_order
from rxviz.run.lanes import Lane
from rxviz.run.scenario import parse_line
from tests.lessons.course import copy, lesson, sentences

MERGING, NO_HELP = 12, 15


def skbs(line: str) -> int:
    m = make_machine(parse_line(line))
    m.run()
    assert m.napi.polls == 1
    return m.socket.delivered


def test_the_machine_and_gro_alone_decide_the_same_of_every_order() -> None:
    """The orders of the task are tried with GRO alone; here each of them goes through the whole machine."""
    scenario = Task(lesson(MERGING), 1).scenario
    counts = set()
    for order in permutations(range(scenario.spec.count)):
        counts.add(skbs(scenario.with_words([f"order={','.join(map(str, order))}"]).line()))
    assert skbs_by_order(scenario) == (min(counts), max(counts)) == (3, 6)


def test_too_many_orders_are_not_tried() -> None:
    lane = Lane(parse_line(f"ixgbe ring=16 gro=on traffic=tcp:1514x{MOST_FRAMES + 1}"))
    from rxviz.lessons.ask import ask

    with pytest.raises(ExpressionError, match="orders of 1 to"):
        ask("fewest()", lane, 0, {}, 1)
    small = Lane(parse_line("ixgbe ring=16 gro=on traffic=tcp:366x3"))
    assert ask("fewest() * 10 + most()", small, 0, {}, 1) == 13


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_options_of_how_many_are_counted_in_their_own_worlds(seed: int) -> None:
    question = Question(lesson(MERGING), lesson(MERGING).lesson.predict[0], seed)
    assert question.names["polls"] == 1
    for option in question.options:
        if not option.misconception:
            continue
        outcome = question.give(str(option.value))
        assert outcome.lanes is not None
        assert str(outcome.lanes.right.result["skbs"]["delivered"]) == option.value


def test_only_a_header_that_agrees_joins() -> None:
    question = Question(lesson(MERGING), lesson(MERGING).lesson.predict[1], 1)
    assert question.answer == "held"
    for given in ("joins", "passes"):
        outcome = question.give(given)
        assert outcome.damage is not None
        assert outcome.damage[1] == "delivered_as_arrived"


def test_the_task_remembers_what_was_found_but_only_of_runs_that_were_played() -> None:
    task = Task(lesson(MERGING), 1)
    assert task.goals()[0][1] is False
    task.turn("order", "3,2,1,0,5,4")
    assert [reached for _, reached in task.goals()] == [False, False], "nothing has come yet"
    task.position = len(task.lane().trace)
    assert [reached for _, reached in task.goals()] == [True, False]
    task.turn("order", "0,1,2,3,4,5")
    assert [reached for _, reached in task.goals()] == [True, False]
    task.position = len(task.lane().trace)
    assert task.done()
    assert task.found == {"most", "fewest"}


@pytest.mark.parametrize(
    ("knobs", "reason"),
    [
        ({"traffic": "udp:64px96"}, "gro_udp_asked"),
        ({"traffic": "tcp:66x96"}, "gro_flush_on_empty"),
        ({"rate": "20kpps"}, "gro_poll_end"),
        ({"traffic": "tcp:300x96", "flows": "96"}, "gro_poll_end"),
        ({"flows": "96"}, "gro_poll_end"),
        ({}, ""),
        ({"flows": "8", "traffic": "tcp:300x96"}, ""),
    ],
)
def test_why_nothing_merges(knobs: dict[str, str], reason: str) -> None:
    task = Task(lesson(NO_HELP), 1)
    for key, value in knobs.items():
        task.turn(key, value)
    task.goals()
    assert task.found == set()
    task.position = len(task.lane().trace)
    task.goals()
    assert task.found == ({reason} if reason else set())


@pytest.mark.parametrize("off", ["on", "off"])
@pytest.mark.parametrize("traffic", ["udp:64px96", "tcp:66x96", "tcp:1514x96 flows=96", "tcp:300x96 rate=20kpps"])
def test_gro_costs_time_where_nothing_merges_and_saves_it_where_it_does(traffic: str, off: str) -> None:
    def softirq(words: str, gro: str) -> int:
        lane = Lane(parse_line(f"ixgbe ring=128 reader=off rcvbuf=1000000 gro={gro} rxcsum={off} traffic={words}"))
        return int(lane.result["cpu_ns"]["softirq"])

    assert softirq(traffic, "on") > softirq(traffic, "off")
    assert softirq("tcp:1514x96", "on") < softirq("tcp:1514x96", "off")


def test_what_the_texts_of_the_gro_lessons_show_is_what_the_model_says() -> None:
    merging = Opening(lesson(MERGING)).names
    assert (merging["frames"], merging["up"], merging["merged"], merging["length"]) == (6, 3, 4, 1252)
    no_help = Opening(lesson(NO_HELP)).names
    assert (no_help["frames"], no_help["up"], no_help["apart"], no_help["each"]) == (6, 6, 50, 110)


def test_the_rule_by_which_skbs_ended_can_be_asked_for() -> None:
    def asked(words: str, text: str) -> object:
        from rxviz.lessons.ask import ask

        return ask(text, Lane(parse_line(f"ixgbe ring=64 reader=off {words}")), 0, {}, 1)

    assert asked("gro=on traffic=segs:300p:1,1,2,1,1p,1", "ended()") == "gro_poll_end"
    assert asked("gro=on traffic=segs:300p:1,1,2,1,1p,1", "ended('gro_flush_on_psh')") == 1
    assert asked("gro=on traffic=segs:300p:1,1,2,1,1p,1", "ended('gro_evicted')") == 0
    assert asked("traffic=tcp:300x9", "ended()") == ""


# ---------------------------------------------------------------------------------------------------------- the checker
def test_what_the_checker_says_of_orders_and_of_what_is_collected(tmp_path: Path) -> None:
    name = "12-merging-rules"
    cases = [
        (
            'through = [{ order = "3,2,1,0,5,4" }]',
            'through = [{ order = "3,2,1" }]',
            "order=3,2,1 is not one of the values",
        ),
        ('knobs = { order = "0,1,2,3,4,5" }', 'knobs = { order = "0,1,2,3,4,4" }', "order=0,1,2,3,4,4 is not one"),
        ('values = ["0", "1", "2", "3", "4", "5"]', 'values = ["0", "1", "2"]', "must name each frame once"),
        ("found('most')", "found_it('most')", '"found_it" is not known here'),
        ('when = "position == end"', 'when = "position == ends"', '"ends" is not known here'),
        ("## found.most\nthe most\n", "## found.maximum\nthe most\n", 'there is no text "found.most"'),
        ("== most() else", "== most() + 1 else", "the solution does not reach it"),
    ]
    for number, (old, new, said) in enumerate(cases):
        found = sentences(copy(tmp_path / str(number), (old, new), name=name))
        assert any(said in sentence for sentence in found), (said, found)


def test_settings_of_a_knob() -> None:
    plain = Knob(key="reader", values=["off", "fast"], text="t")
    assert plain.settings() == ["off", "fast"]
    assert plain.takes("fast")
    assert not plain.takes("fast,off")
    order = Knob(key="order", values=["1", "0"], text="t", arrange=True)
    assert order.settings() == ["1,0"]
    assert order.takes("0,1")
    assert not order.takes("0")
