from __future__ import annotations

import json
from typing import Any

import pytest

from rxviz.model.steps import KINDS
from tests.cli.command import assert_clean, assert_one_sentence, rxviz

KEYS = {
    "n", "t_ns", "kind", "cpu", "frame", "slot", "page", "half", "skb", "changes", "text", "why", "where", "badge",
}  # fmt: skip


def steps(*words: str) -> list[dict[str, Any]]:
    ended = rxviz("trace", *words, "--jsonl")
    assert (ended.status, ended.err) == (0, "")
    return [json.loads(line) for line in ended.out.splitlines()]


def test_jsonl_is_one_object_a_step_with_the_contract_s_keys() -> None:
    traced = steps("slow-reader")
    assert [step["n"] for step in traced] == list(range(1, len(traced) + 1))
    for step in traced:
        assert set(step) >= KEYS
        assert type(step["t_ns"]) is int
        assert step["text"].endswith(".")
        assert step["badge"] in "SKMH"
        assert all(len(change) == 3 for change in step["changes"])
    outcome = json.loads(rxviz("run", "slow-reader", "--json").out)
    assert outcome["steps"] == len(traced)
    given_up = [step for step in traced if step["kind"] == "page.give_up"]
    assert len(given_up) == outcome["pages"]["given_up"] > 0


def test_lines_say_number_time_sentence_and_place() -> None:
    ended = rxviz("trace", "first-flip")
    assert_clean(ended.out)
    traced = steps("first-flip")
    lines = ended.out.splitlines()
    assert len(lines) == len(traced)
    for line, step in zip(lines, traced, strict=True):
        number, time = line.split()[:2]
        assert (int(number), int(time.replace(",", ""))) == (step["n"], step["t_ns"])
        assert step["text"] in line
        assert line.endswith(f"({step['where']}, {step['badge']})")


def test_why_stands_under_each_step() -> None:
    lines = rxviz("trace", "first-flip", "-v").out.splitlines()
    traced = steps("first-flip")
    assert [line.strip() for line in lines[1::2]] == [step["why"] for step in traced]


def test_filters_pick_and_do_not_change() -> None:
    traced = steps("legacy")
    flips = steps("legacy", "--kinds", "page.flip,skb.alloc")
    assert flips == [step for step in traced if step["kind"] in ("page.flip", "skb.alloc")]
    assert steps("legacy", "--kinds", "skb") == [step for step in traced if step["kind"].startswith("skb.")]
    assert steps("legacy", "--frame", "2") == [step for step in traced if step["frame"] == 2]
    assert steps("legacy", "--frame", "c") == steps("legacy", "--frame", "2")
    assert steps("legacy", "--from", "5", "--to", "9") == traced[4:9]
    both = steps("legacy", "--frame", "2", "--kinds", "page.flip", "--from", "20")
    assert [step["kind"] for step in both] == ["page.flip"]


def test_frame_names_with_a_lap_are_read() -> None:
    from rxviz.cli.transcript import frame_id
    from rxviz.model.names import frame_name

    assert all(frame_id(frame_name(number)) == number for number in range(80))


def test_to_stops_the_run_there() -> None:
    ended = rxviz("trace", "ixgbe traffic=udp:64px10000000", "--to", "2")
    assert ended.status == 0
    assert ended.out.count("\n") == 2


def test_nothing_found_is_said() -> None:
    ended = rxviz("trace", "first-flip", "--frame", "99")
    assert (ended.status, ended.out) == (0, "")
    assert "none of the 250 steps" in ended.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--kinds", "page.flp"), 'did you mean "page.flip"?'),
        (("--frame", "\x1b[31m"), "--frame takes a number"),
        (("--frame", "-1"), "--frame takes a number"),
        (("--from", "9", "--to", "3"), "--to 3 lies before --from 9"),
        (("--from", "x"), "--from"),
        (("--to", "-4"), "--to"),
    ],
)
def test_wrong_filters_are_one_sentence(words: tuple[str, ...], said: str) -> None:
    assert said in assert_one_sentence(rxviz("trace", "first-flip", *words))


def test_every_kind_can_be_asked_for() -> None:
    from rxviz.cli.transcript import kind_numbers

    assert kind_numbers(",".join(kind.name for kind in KINDS)) == {kind.number for kind in KINDS}
    assert kind_numbers(",".join({kind.name.split(".")[0] for kind in KINDS})) == {kind.number for kind in KINDS}
