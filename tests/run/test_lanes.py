from __future__ import annotations

import pytest

from rxviz.errors import ScenarioError
from rxviz.run.engine import make_machine
from rxviz.run.lanes import Lane, Lanes
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import FRAME_ENDS
from rxviz.run.trace import record

LEGACY = "ixgbe kernel=4.19 path=legacy ring=8 traffic=tcp:1514x24 reader=3000"
BUILD = "ixgbe kernel=4.19 path=build_skb ring=8 traffic=tcp:1514x24 reader=3000"


def lane(line: str) -> Lane:
    return Lane(parse_line(line))


def both(left: str = LEGACY, right: str = BUILD) -> Lanes:
    return Lanes(lane(left), lane(right))


def test_a_lane_has_the_trace_and_the_result_of_its_run() -> None:
    scenario = parse_line(BUILD)
    machine = make_machine(scenario)
    steps = list(record(machine))
    mine = Lane(scenario)
    assert [(s.n, s.kind, s.frame, s.slot, s.page, s.skb, s.fields, s.t_ns) for s in mine.trace] == [
        (s.n, s.kind, s.frame, s.slot, s.page, s.skb, s.fields, s.t_ns) for s in steps
    ]
    assert mine.result == result(scenario, machine)


def test_a_position_of_a_lane_is_one_of_its_timeline() -> None:
    mine = lane(BUILD)
    for position in (0, 1, 50, len(mine.trace)):
        moment = mine.timeline.at(position)
        assert moment.position == position
        if moment.step is not None:
            assert moment.step.n == mine.trace[position - 1].n
            assert moment.step.kind == mine.trace[position - 1].kind


def test_a_lane_that_is_too_long_is_refused() -> None:
    with pytest.raises(ScenarioError, match="more than 100 steps"):
        _ = Lane(parse_line(BUILD), limit=100).trace


def test_the_lanes_stop_where_each_is_done_with_a_frame() -> None:
    lanes = both()
    assert [pair.frame for pair in lanes.pairs] == list(range(24))
    for pair in lanes.pairs:
        for side, position in ((lanes.left, pair.left), (lanes.right, pair.right)):
            step = side.trace[position - 1]
            assert step.frame == pair.frame
            assert step.kind in FRAME_ENDS
        assert pair.differs


def test_two_lanes_of_one_scenario_never_part() -> None:
    lanes = both(BUILD, BUILD)
    assert lanes.parting() is None
    assert not any(pair.differs for pair in lanes.pairs)
    assert all(left == right for _, left, right in lanes.bills())


def test_a_clock_is_no_difference() -> None:
    """The same acts at other times are the same acts."""
    lanes = both("ixgbe ring=8 traffic=tcp:1514x1 reader=500", "ixgbe ring=8 traffic=tcp:1514x1 reader=700")
    assert lanes.parting() is None


def test_lanes_part_at_the_first_act_that_is_not_the_same() -> None:
    lanes = both()
    parting = lanes.parting()
    assert parting is not None
    left, right = parting
    assert left == right
    # build_skb leaves headroom, so the first frame already lies elsewhere in its half.
    for lane_, offset in ((lanes.left, 0), (lanes.right, 192)):
        assert lane_.trace[left - 1].name == "nic.dma"
        assert lane_.trace[left - 1].field("offset") == offset
    for before in range(left - 1):
        one, other = lanes.left.trace[before], lanes.right.trace[before]
        assert (one.kind, one.frame, one.slot, one.page) == (other.kind, other.frame, other.slot, other.page)


def test_a_lane_that_ends_sooner_parts_at_its_end() -> None:
    lanes = both("ixgbe ring=8 traffic=tcp:1514x1", "ixgbe ring=8 traffic=tcp:1514x2@300kpps")
    parting = lanes.parting()
    assert parting is not None
    assert parting[0] <= len(lanes.left.trace)
    assert parting[1] <= len(lanes.right.trace)


def test_a_frame_that_only_one_lane_knows_is_no_stop() -> None:
    lanes = both("ixgbe ring=8 traffic=tcp:1514x6", "ixgbe ring=8 traffic=tcp:1514x4")
    assert [pair.frame for pair in lanes.pairs] == [0, 1, 2, 3]


def test_the_bills_say_what_each_lane_did() -> None:
    bills = {name: (left, right) for name, left, right in both().bills()}
    assert bills["bytes_copied"] == (24 * 72, 0)
    assert bills["header_parses"] == (24, 0)
    assert bills["skb_heads"] == (24, 0)
    assert bills["sk_buffs"] == (24, 24)
    assert bills["skbs.truesize_total"] == (24 * 2944, 24 * 2304)
    # The legacy path offers 2,048 bytes of a half and build_skb 1,536, so the syncs for the device differ, too.
    assert bills["sync_device_bytes"][0] > bills["sync_device_bytes"][1]
    assert bills["sync_cpu_bytes"][0] == bills["sync_cpu_bytes"][1]
    assert bills["softirq ns"][0] > bills["softirq ns"][1]


@pytest.mark.parametrize(("line", "lamp"), [
    (BUILD + " off=flip", "half_one_owner"),
    (BUILD + " off=dma_target", "bytes_intact"),
    ("ixgbe ring=8 traffic=tcp:1514x4 off=clean_by_driver", "delivered_as_arrived"),
])  # fmt: skip
def test_the_first_lamp_goes_on_in_the_step_that_is_named(line: str, lamp: str) -> None:
    mine = lane(line)
    assert mine.first_lamp is not None
    position, name = mine.first_lamp
    assert name == lamp
    assert mine.lamp_on(lamp) == (position, lamp)
    assert mine.lamp_on("ring_polled") is None
    if position < len(mine.trace):
        assert mine.look(position)[f"lamps.{lamp}"] == 1
        assert mine.look(position - 1)[f"lamps.{lamp}"] == 0


def test_all_lamps_are_dark_in_an_honest_lane() -> None:
    assert lane(BUILD).first_lamp is None
    assert lane(LEGACY).lamp_on("bytes_intact") is None
