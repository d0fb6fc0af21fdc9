"""What a frame has cost at any moment of a run, however one came there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.ledger import COUNTS
from rxviz.run.bills import Bills
from rxviz.run.engine import make_machine
from rxviz.run.frame_bill import FrameBill
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.timeline import NOTHING, Timeline
from tests.run.strategies import scenarios

Known = tuple[int, list[int], int]
"""A frame, the amounts that it has paid, and the time."""


def watched(scenario: Scenario) -> tuple[list[Known | None], list[tuple[int, ...]]]:
    """For each position the bill of the frame in question, and what the step put on any bill; seen from the start."""
    m = make_machine(scenario)
    bills = Bills(m)
    found: list[Known | None] = [None]
    paid, before = [NOTHING], m.ledger.values()
    last = -1

    def watch(*told: object) -> None:
        nonlocal before, last
        bills.watch(*told)  # type: ignore[arg-type]
        last = told[1].id if told[1] is not None else last  # type: ignore[attr-defined]
        bill = bills.frames.get(last)
        found.append(None if bill is None else (last, [*bill.amounts], bill.ns))
        now = m.ledger.values()
        paid.append(tuple(new - old for new, old in zip(now, before, strict=True)))
        before = now

    m.watch = watch
    m.run()
    return found, paid


def plain(bill: FrameBill | None) -> Known | None:
    return None if bill is None else (bill.frame, bill.bill.amounts, bill.bill.ns)


@settings(max_examples=40, deadline=None)
@given(scenarios(12), st.data())
def test_the_bill_of_a_frame_is_the_same_however_one_came_there(scenario: Scenario, data: st.DataObject) -> None:
    found, paid = watched(scenario)
    timeline = Timeline(scenario)
    for position in data.draw(st.lists(st.integers(0, len(found) - 1), min_size=1, max_size=6)):
        moment = timeline.at(position)
        assert plain(moment.frame_bill()) == found[position]
        if position < len(found) - 1:
            assert moment.paid == paid[position]


def test_nothing_is_paid_before_the_first_step() -> None:
    moment = Timeline(parse_line("ixgbe ring=8 traffic=tcp:1514x3")).at(0)
    assert moment.frame_bill() is None
    assert moment.paid == NOTHING


def test_a_frame_that_the_driver_has_not_come_to_has_paid_nothing() -> None:
    timeline = Timeline(parse_line("ixgbe ring=8 traffic=tcp:1514x3 rate=line"))
    bill = timeline.at(1).frame_bill()
    assert bill is not None
    assert (bill.frame, bill.bill.amounts) == (0, [0] * len(COUNTS))


def test_a_frame_of_long_ago_is_not_played_again() -> None:
    """The socket is full, and the reader so slow that the first frame is read behind ten thousand drops."""
    line = "ixgbe ring=8 traffic=udp:64x4000@50kpps rcvbuf=1152 reader={}"
    slow = Timeline(parse_line(line.format(70_000_000)))
    slow.extend()
    position = slow.next_of(0, "reader.read")
    assert position is not None
    assert position > 30_000
    assert slow.at(position).frame_bill() is None
    soon = Timeline(parse_line(line.format(1_000_000)))
    position = soon.next_of(0, "reader.read")
    assert position is not None
    bill = soon.at(position + 1).frame_bill()
    assert bill is not None
    assert (bill.frame, bill.bill["sk_buffs"], bill.bill["refs_atomic"]) == (0, 1, 1)


@pytest.mark.parametrize("position", [20_000, 30_001])
def test_a_change_in_the_midst_of_a_run_is_made_again(position: int) -> None:
    timeline = Timeline(parse_line("ixgbe ring=8 traffic=udp:64x3000@50kpps"))
    forked = timeline.fork(position - 40, reader="off")
    moment = forked.at(position)
    bill = moment.frame_bill()
    assert bill is not None
    assert bill.bill["truesize_total"] in (0, 2304)
    assert bill.bill["refs_atomic"] <= 1
