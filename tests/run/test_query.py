from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from rxviz.model.steps import KINDS
from rxviz.run.expression import ExpressionError, Record, parse
from rxviz.run.lanes import Lane
from rxviz.run.scenario import parse_line

LINE = "ixgbe kernel=6.18 ring=8 traffic=tcp:1514x24 reader=3000 seed=1"


@cache
def lane(line: str = LINE) -> Lane:
    return Lane(parse_line(line))


def ask(text: str, position: int = 0, line: str = LINE) -> Any:
    return parse(text).evaluate(lane(line).questions(position).scope())


def steps(kind: str) -> list[int]:
    return [step.n for step in lane().trace if step.name == kind]


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS])
def test_count_first_and_last_of_every_kind(kind: str) -> None:
    found = steps(kind)
    assert ask(f"count('{kind}')") == len(found)
    if found:
        assert ask(f"first('{kind}').n") == found[0]
        assert ask(f"last('{kind}').n") == found[-1]
        assert ask(f"first('{kind}').kind") == kind
    else:
        assert ask(f"first('{kind}')") is None
        assert ask(f"last('{kind}')") is None


@pytest.mark.parametrize("position", [0, 1, 60, 100, 101, 400, 430])
def test_next_has_not_happened_yet_and_previous_has(position: int) -> None:
    found = steps("page.flip")
    coming = [n for n in found if n >= position]
    gone = [n for n in found if n < position]
    assert (
        ask("next('page.flip')", position) is None if not coming else ask("next('page.flip').n", position) == coming[0]
    )
    assert (
        ask("previous('page.flip')", position) is None
        if not gone
        else ask("previous('page.flip').n", position) == gone[-1]
    )


def test_words_narrow_the_search() -> None:
    flips = [step for step in lane().trace if step.name == "page.flip"]
    assert ask("count('page.flip', page=2)") == sum(step.page == 2 for step in flips)
    assert ask("count('page.flip', half='B')") == sum(step.field("offset") >= 2048 for step in flips)
    assert ask("count('page.flip', page=2, half='B')") < ask("count('page.flip', page=2)")
    assert ask("first('skb.build', frame=7).frame") == 7
    assert ask("first('page.flip', slot=3).slot") == 3
    assert ask("first('skb.build', size=1514).size") == 1514
    assert ask("first('skb.build', size=1)") is None


def test_after_and_before_are_step_numbers_and_not_included() -> None:
    first, second, *_ = steps("page.flip")
    assert ask(f"first('page.flip', after={first}).n") == second
    assert ask(f"first('page.flip', after={first - 1}).n") == first
    assert ask(f"count('page.flip', before={second})") == 1
    assert ask(f"count('page.flip', before={second + 1})") == 2
    assert ask(f"count('page.flip', after={first}, before={second})") == 0


def test_a_step_tells_its_fields_and_its_half() -> None:
    parts = ask("first('page.reuse')").parts
    assert set(parts) == {
        "n",
        "t",
        "kind",
        "frame",
        "slot",
        "page",
        "skb",
        "half",
        "offset",
        "count",
        "bias",
        "to_slot",
    }
    assert (parts["half"], parts["to_slot"], parts["count"] - parts["bias"]) == ("B", 7, 1)
    assert ask("first('nic.dma').t") == lane().trace[1].t_ns


def test_there_are_no_halves_where_pages_are_walked() -> None:
    assert ask("first('nic.dma').half", line="ixgbe ring=8 page_size=8192 traffic=tcp:1514x4") is None


def test_value_is_what_can_be_seen_at_the_position() -> None:
    assert ask("value('nic.RDH')", 0) == 0
    assert ask("value('nic.RDT')", 0) == 7
    done = ask("first('nic.writeback').n + 1")
    assert ask("value('nic.RDH')", done) == 1
    assert ask(f"value('nic.RDH', at={done})") == 1
    assert ask("value('ring.next_to_clean')", done) == 0
    assert ask("value('pages.*.page_offset', 0)") == 192
    assert ask("value('pages.*.page_offset', first('page.flip').page, at=first('page.flip').n + 1)") == 192 + 2048


def test_value_knows_how_buffers_and_skbs_are_laid_out() -> None:
    build = [ask(f"value('layout.{name}')") for name in ("ring", "page", "half", "pad", "room", "shinfo", "longest")]
    assert build == [8, 4096, 2048, 192, 1536, 320, 1514]
    line = "ixgbe kernel=4.19 path=legacy ring=8 traffic=udp:64x2"
    legacy = [ask(f"value('layout.{name}')", line=line) for name in ("half", "pad", "room", "shinfo", "copybreak")]
    assert legacy == [2048, 0, 2048, 0, 256]
    at = ask("first('skb.build').n + 1")
    assert [ask(f"value('skbs.0.{name}')", at) for name in ("head", "data", "tail", "end")] == [0, 192, 1706, 1728]


def test_sequence_is_the_order_in_which_things_first_happen() -> None:
    kinds = "'skb.deliver', 'page.flip', 'skb.headers', 'buf.sync', 'skb.build'"
    assert ask(f"sequence({kinds}, frame=3)") == "buf.sync skb.build page.flip skb.deliver"
    assert ask("sequence('skb.headers')") == ""
    assert ask("sequence()") == ""


def test_total_and_lamps_are_those_of_the_result() -> None:
    result = lane().result
    assert ask("total('frames.delivered')") == result["frames"]["delivered"] == 24
    assert ask("total('ledger.bytes_copied')") == 0
    assert ask("total('model.kernel')") == "6.18"
    assert ask("lamps()") == 0
    broken = LINE + " off=flip"
    assert ask("lamps('bytes_intact')", line=broken) == lane(broken).result["lamps"]["bytes_intact"] > 0
    assert ask("lamps()", line=broken) == sum(lane(broken).result["lamps"].values())


@pytest.mark.parametrize(("text", "says"), [
    ("count('page.flop')", "not a kind of step"), ("count(1)", "not a kind of step"),
    ("count('page.flip', paeg=1)", 'have no "paeg"'), ("first('page.flip', size=1)", 'have no "size"'),
    ("value('ring')", 'no value "ring"'), ("value('pages.*.x', 1)", "no value"), ("value('a*')", "a number for each *"),
    ("value('nic.RDH', at=0 - 1)", "not a position"), ("value('nic.RDH', at=100000)", "not a position"),
    ("total('ledger.nothing')", "no \"ledger.nothing\""), ("total('ledger')", "a whole table"),
    ("total('frames.delivered.x')", "has no"), ("lamps('moon')", 'no lamp "moon"'),
    ("first('page.flip', page=99).n", "no such step"),
])  # fmt: skip
def test_what_cannot_be_asked(text: str, says: str) -> None:
    with pytest.raises(ExpressionError, match=says.replace("*", r"\*")):
        ask(text)


def test_an_expression_may_look_at_so_many_steps_and_no_more() -> None:
    questions = lane().questions()
    questions.limit = 2 * len(lane().trace)
    scope = questions.scope()
    text = "count('nic.dma') + count('nic.dma')"
    assert parse(text).evaluate(scope) == 48
    with pytest.raises(ExpressionError, match="too many steps"):
        parse("count('nic.dma')").evaluate(scope)


def test_a_lane_can_be_asked_by_another() -> None:
    record = lane(LINE + " off=flip").questions().as_record()
    assert isinstance(record, Record)
    scope = lane().questions().scope() | {"other": record}
    assert parse("other.lamps('bytes_intact') > lamps('bytes_intact')").evaluate(scope)
    assert parse("other.count('page.flip') == 0 and count('page.flip') == 24").evaluate(scope)
