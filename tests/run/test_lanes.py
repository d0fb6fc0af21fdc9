from __future__ import annotations

from collections.abc import Iterator

import pytest

from rxviz.errors import ScenarioError
from rxviz.model import steps
from rxviz.run.engine import make_machine
from rxviz.run.lane_words import make_lanes
from rxviz.run.lanes import Lane, Lanes
from rxviz.run.lockstep import Lockstep, looks, price
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
    recorded = list(record(machine))
    mine = Lane(scenario)
    assert [(s.n, s.kind, s.frame, s.slot, s.page, s.skb, s.fields, s.t_ns) for s in mine.trace] == [
        (s.n, s.kind, s.frame, s.slot, s.page, s.skb, s.fields, s.t_ns) for s in recorded
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


def test_a_lane_can_be_played_in_slices() -> None:
    whole, sliced = lane(LEGACY), lane(LEGACY)
    slices = 1
    while not sliced.play_on(0.0):
        slices += 1
        assert len(sliced.known) < len(whole.trace)
    assert slices > 2
    assert sliced.trace == whole.trace
    assert sliced.result == whole.result


def test_the_steps_of_a_frame_go_from_the_wire_to_where_its_trip_ends() -> None:
    mine = lane(LEGACY)
    assert sorted(mine.by_frame) == list(range(24))
    for frame, taken in mine.by_frame.items():
        assert taken[0].name == "wire.arrive"
        assert [step.kind in FRAME_ENDS for step in taken] == [False] * (len(taken) - 1) + [True]
        assert all(step.frame == frame for step in taken)


# ------------------------------------------------------------------------------------------------------------ lockstep
MIXED = "ixgbe path={} ring=8 traffic=capture:mixed"


@pytest.fixture
def mixed() -> Iterator[Lockstep]:
    """Both paths on a capture of short and long frames."""
    lanes = both(MIXED.format("legacy"), MIXED.format("build_skb"))
    yield Lockstep(lanes)
    lanes.left.close()
    lanes.right.close()


def test_rows_hold_every_step_of_both_lanes_once_and_in_order(mixed: Lockstep) -> None:
    lockstep = mixed
    for pair in lockstep.lanes.pairs:
        rows = lockstep.rows(pair.frame)
        for side, trace in (("left", lockstep.lanes.left), ("right", lockstep.lanes.right)):
            numbers = [n for row in rows if (n := getattr(row, side)) is not None]
            assert numbers == [step.n for step in trace.by_frame[pair.frame]]
        for row in rows:
            kinds = [
                trace.trace[n].kind if n is not None else None
                for trace, n in ((lockstep.lanes.left, row.left), (lockstep.lanes.right, row.right))
            ]
            assert not row.same or kinds[0] == kinds[1] is not None
        end = lockstep.positions(rows, len(rows) - 1)
        assert end == (pair.left, pair.right)


def test_frames_differ_in_as_many_ways_as_there_are(mixed: Lockstep) -> None:
    lockstep = mixed
    names = [tuple(tuple(steps.KINDS[kind].name for kind in side) for side in way) for way in lockstep.ways]
    assert names == [
        (("skb.alloc", "skb.copy"), ("skb.build", "page.flip")),
        (("skb.alloc", "skb.frag", "skb.headers"), ("skb.build",)),
    ]
    assert lockstep.differing == list(range(43))
    assert lockstep.firsts == [0, 19]
    assert lockstep.lanes.left.by_frame[lockstep.lanes.pairs[19].frame][0].field("length") == 1514


def test_lanes_of_one_scenario_differ_in_no_way() -> None:
    lockstep = Lockstep(both(BUILD, BUILD))
    assert (lockstep.frames, lockstep.differing, lockstep.firsts) == (24, [], [])
    assert all(row.same for row in lockstep.rows(3))


@pytest.mark.parametrize("line", [LEGACY, BUILD, MIXED.format("legacy"), "ixgbe mtu=9000 ring=16 traffic=tcp:5000x8"])
def test_the_prices_of_all_frames_are_the_bill(line: str) -> None:
    mine = lane(line)
    prices = [price(mine, frame) for frame in mine.by_frame]
    ledger = mine.result["ledger"]
    assert sum(each.copied for each in prices) == ledger["bytes_copied"]
    assert sum(each.heads for each in prices) == ledger["skb_heads"]
    assert sum(each.truesize for each in prices) == mine.result["skbs"]["truesize_total"]
    assert 0 < sum(each.ns for each in prices) < mine.result["cpu_ns"]["softirq"]
    mine.close()


@pytest.mark.parametrize(("line", "tells"), [
    (BUILD, "skb.build"),
    (LEGACY, "skb.headers"),
    ("ixgbe kernel=4.9 path=legacy ring=8 traffic=udp:90x4", "skb.copy"),
    ("ixgbe mtu=9000 ring=16 traffic=tcp:5000x8", "skb.build"),
])  # fmt: skip
def test_a_frame_is_looked_at_where_it_tells_most(line: str, tells: str) -> None:
    mine = lane(line)
    for frame, taken in mine.by_frame.items():
        at = looks(mine, frame)
        assert mine.trace[at.page - 1].name == tells
        assert mine.trace[at.skb - 1].name == "skb.deliver"
        assert mine.trace[at.ring - 1].slot >= 0
        assert at.ring <= at.page <= at.skb < at.end == taken[-1].n + 1


def test_a_frame_that_never_comes_to_the_driver_is_looked_at_where_it_is_lost() -> None:
    mine = lane("ixgbe ring=8 mtu=1500 traffic=udp:1900x3")
    at = looks(mine, 0)
    assert mine.trace[at.end - 1].name == "nic.oversize"
    assert (at.ring, at.page, at.skb) == (at.end,) * 3


# ------------------------------------------------------------------------------------------------- the words of lanes
def test_without_words_the_lanes_are_the_two_paths() -> None:
    lanes = make_lanes(parse_line("ixgbe ring=8 traffic=tcp:1514x3"))
    assert [each.scenario.path for each in (lanes.left, lanes.right)] == ["legacy", "build_skb"]
    assert (lanes.left.name, lanes.right.name) == ("legacy", "build_skb")


@pytest.mark.parametrize(("words", "names"), [
    (["kernel=4.9", "kernel=6.18"], ("kernel 4.9", "kernel 6.18")),
    (["ring=16", "ring=32 reader=slow"], ("ring 16 · reader fast", "ring 32 · reader slow")),
    (["off=flip"], ("all rules on", "flip off")),
    (["kernel=6.18 path=legacy", "kernel=4.9"], ("kernel 6.18", "kernel 4.9")),
    (["ring=8", "ring=8"], ("left", "right")),
    (["kernel=4.9", "kernel=6.18 path=legacy"], ("kernel 4.9", "kernel 6.18")),
    (["igb"], ("ixgbe", "igb")),
    (["igb kernel=4.9", "ixgbe kernel=4.9"], ("igb", "ixgbe")),
    (["kernel=4.12", "igb path=legacy"], ("ixgbe · kernel 4.12 · build_skb", "igb · kernel 6.18 · legacy")),
])  # fmt: skip
def test_lanes_are_named_by_what_is_not_the_same(words: list[str], names: tuple[str, str]) -> None:
    lanes = make_lanes(parse_line("ixgbe ring=8 traffic=tcp:1514x3 rate=50kpps"), words)
    assert (lanes.left.name, lanes.right.name) == names


@pytest.mark.parametrize(("line", "words", "said"), [
    ("ring=8", ["traffic=udp:64px3", "ring=8"], "traffic= would not be the same"),
    ("ring=8", ["rate=20kpps", "ring=8"], "rate= would not be the same"),
    ("ring=8 traffic=tcp:1514x9 loss=20%", ["seed=2"], "seed= would not be the same"),
    ("traffic=capture:mixed ring=8", ["mtu=1400"], "mtu= would not be the same"),
    ("ring=8", ["ring=8", "ring=8", "ring=8"], "there are two lanes"),
    ("ring=8", [" "], "--lane is empty"),
    ("ring=8", ["pth=legacy"], 'unknown key "pth", did you mean "path"'),
    ("ring=8", ["path=build_skb kernel=4.9"], "--lane"),
    ("kernel=4.9 ring=8", [], "has only the legacy path"),
    ("ring=8 traffic=tcp:1514x50000", [], "50,000 frames are too many"),
    ("ring=8", ["igb"], "the wires of ixgbe and igb are not alike; give a rate that both can take"),
    ("ring=8192 rate=50kpps", ["igb"], "igb cannot have ring=8192; leave it out"),
])  # fmt: skip
def test_what_cannot_stand_side_by_side_is_refused_in_one_sentence(line: str, words: list[str], said: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        make_lanes(parse_line("ixgbe " + line), words)
    assert said in str(refused.value)
    assert str(refused.value).isprintable()


def test_two_drivers_on_the_same_frames() -> None:
    """The same routine but for its order: igb copies headers before it attaches, and refills as it leaves."""
    lanes = make_lanes(parse_line("ixgbe path=legacy ring=8 traffic=tcp:1514x10 rate=20kpps"), ["igb"])
    bills = {name: (left, right) for name, left, right in lanes.bills()}
    assert {name for name, (left, right) in bills.items() if left != right} == {"tail_writes", "softirq ns"}
    assert bills["tail_writes"] == (6, 11)
    assert [pair.frame for pair in lanes.pairs] == [*range(10)]
    frame = [[step.name for step in lane.by_frame[0]] for lane in (lanes.left, lanes.right)]
    ends = [(names.index("skb.alloc"), names.index("ring.clean")) for names in frame]
    left, right = (names[start : end + 1] for names, (start, end) in zip(frame, ends, strict=True))
    assert left == ["skb.alloc", "skb.frag", "page.flip", "page.reuse", "ring.clean"]
    assert right == ["skb.alloc", "skb.headers", "skb.frag", "page.flip", "page.reuse", "ring.clean"]


def test_a_seed_that_decides_nothing_may_differ() -> None:
    make_lanes(parse_line("ixgbe ring=8 traffic=tcp:1514x3"), ["seed=2"])


def test_paths_that_no_kernel_has_both_of_are_laid_side_by_side_with_their_kernels() -> None:
    for kernel, right in (("4.12", "4.19"), ("4.19", "4.19"), ("6.18", "6.18")):
        path = "legacy" if kernel == "4.12" else "build_skb"
        lanes = make_lanes(parse_line(f"qede kernel={kernel} path={path} ring=8 traffic=tcp:1514x5"))
        assert (lanes.left.name, lanes.right.name) == ("legacy 4.12", f"build_skb {right}")
    one = make_lanes(parse_line("qede ring=8 traffic=tcp:1514x5"), ["path=legacy"])
    assert (one.left.name, one.right.name) == ("build_skb 6.18", "legacy 4.12")
    kernels = make_lanes(parse_line("qede kernel=4.19 ring=8 traffic=tcp:1514x5"), ["kernel=6.18"])
    assert (kernels.left.name, kernels.right.name) == ("kernel 4.19", "kernel 6.18")
