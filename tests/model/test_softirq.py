"""Passes, budgets and limits: `net_rx_action` and `__do_softirq` as numbers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rxviz.model.cpu import Who
from rxviz.model.machine import Machine
from rxviz.model.softirq import REST_NS, jiffies_of
from rxviz.run.engine import make_config
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step, record
from tests.model.harness import FrameList, at_once, dark, frame, kinds, machine, played, sized

QUIET = "reader=off rcvbuf=8000000"


def passes(steps: list[Step]) -> list[list[Step]]:
    """The steps of each pass, its first included."""
    found: list[list[Step]] = []
    for step in steps:
        if step.name == "softirq.pass":
            found.append([])
        if found:
            found[-1].append(step)
    return found


def work(steps: list[Step]) -> list[int]:
    return [step.field("work") for step in kinds(steps, "poll.end")]


# ---------------------------------------------------------------------------------------------------------- one queue
@pytest.mark.parametrize("kernel", ["4.9", "4.11", "4.12", "4.19", "6.18"])
def test_one_busy_queue_is_polled_once_a_pass_and_never_squeezed(kernel: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} {QUIET}", at_once([60] * 300))
    assert work(steps) == [64, 64, 64, 64, 44]
    assert m.softirq.passes == len(passes(steps)) == 5
    assert [len(kinds(each, "poll.start")) for each in passes(steps)] == [1] * 5
    assert [each[0].field("again") for each in passes(steps)] == [0, 1, 2, 3, 4]
    assert {each[0].field("budget") for each in passes(steps)} == {300}
    assert m.softirq.runs == m.napi.interrupts == 1
    assert m.softirq.time_squeeze == m.cpu.ksoftirqd == 0


def test_a_poll_of_64_refills_three_times_and_leaves_16_slots_to_the_next() -> None:
    """The example of the facts: no leftovers, 64 frames of one descriptor each, a budget of 64."""
    m, steps = played(f"ixgbe kernel=6.18 {QUIET}", at_once([60] * 70))
    first, second = passes(steps)
    assert [step.field("count") for step in kinds(first, "ring.refill")] == [16, 16, 16]
    order = [step.name for step in first if step.name in ("ring.refill", "skb.deliver")]
    assert [order[: n + 1].count("skb.deliver") for n, name in enumerate(order) if name == "ring.refill"] == [
        16,
        32,
        48,
    ]
    assert order.count("skb.deliver") == 64
    # The fourth batch is given back at the top of the next poll, before any frame.
    assert next(step.name for step in second if step.name in ("ring.refill", "skb.deliver")) == "ring.refill"
    assert kinds(second, "ring.refill")[0].field("count") == 16
    assert m.softirq.passes == 2


def test_softirqs_restart_10_passes_in_all_and_then_ksoftirqd_takes_over() -> None:
    m, steps = played(f"ixgbe ring=1024 {QUIET} hz=100", at_once([60] * 800))
    assert [each[0].field("again") for each in passes(steps)] == [*range(10), 0, 1, 2]
    woken = kinds(steps, "ksoftirqd.wake")
    assert [step.field("limit") for step in woken] == ["restarts"]
    assert [each[0].field("ksoftirqd") for each in passes(steps)] == [False] * 10 + [True] * 3
    assert (m.softirq.runs, m.cpu.ksoftirqd, m.softirq.time_squeeze) == (2, 1, 0)
    assert m.napi.interrupts == 1
    # The vector stayed masked all the while.
    assert len(kinds(steps, "irq.raise")) == 1
    assert dark(m)


def test_softirqs_end_at_a_jiffy_boundary_2_ms_away_at_most() -> None:
    """At HZ 1000 two milliseconds are two ticks; from the middle of one they last to the second boundary."""
    frames = [frame(i, 900_000, 60) for i in range(64 * 9)]
    m, steps = played(f"ixgbe ring=1024 {QUIET} hz=1000 busy=3", frames)
    woken = kinds(steps, "ksoftirqd.wake")[0]
    assert woken.field("limit") == "time"
    assert 2_000_000 <= woken.t_ns < 2_000_000 + 200_000
    assert m.softirq.time_squeeze == 0


@pytest.mark.parametrize(("hz", "usecs", "two_ms"), [(100, 1, 1), (250, 1, 1), (300, 1, 1), (1000, 2, 2)])
def test_times_are_rounded_up_to_jiffies(hz: int, usecs: int, two_ms: int) -> None:
    assert jiffies_of(2000, 1_000_000, hz) == usecs
    assert jiffies_of(2, 1000, hz) == two_ms


@pytest.mark.parametrize(
    ("kernel", "hz", "limit"),
    [("4.9", 250, 2), ("4.11", 1000, 2), ("4.12", 250, 1), ("4.12", 1000, 2), ("4.19", 100, 1), ("6.18", 250, 2),
     ("6.18", 1000, 2), ("6.18", 100, 2)],
)  # fmt: skip
def test_how_long_a_pass_may_last(kernel: str, hz: int, limit: int) -> None:
    m = machine(f"ixgbe kernel={kernel} hz={hz}", [])
    assert m.softirq.rx_limit == limit


# -------------------------------------------------------------------------------------------------------- more queues
def test_five_busy_queues_use_up_300_and_squeeze_every_pass() -> None:
    """5 x 64 = 320: the budget is looked at after each poll, so the fifth is still made."""
    m, steps = played(f"ixgbe {QUIET} busy=4", at_once([60] * 64 * 5))
    full = passes(steps)[:5]
    for each in full:
        assert len(kinds(each, "poll.start")) == 1
        assert [step.field("other") for step in kinds(each, "other.poll")] == [1, 2, 3, 4]
        (squeeze,) = kinds(each, "softirq.squeeze")
        assert squeeze.field("budget") == 300 - 5 * 64
        assert squeeze.field("left") == 5
        assert each[0].field("instances") == 5
    # In the sixth the modelled queue is empty: 256 frames of 300.
    assert not kinds(passes(steps)[5], "softirq.squeeze")
    assert m.softirq.time_squeeze == 5
    assert m.socket.delivered == 320


def test_four_busy_queues_never_squeeze() -> None:
    m, _ = played(f"ixgbe {QUIET} busy=3", at_once([60] * 64 * 5))
    assert m.softirq.time_squeeze == 0
    assert m.softirq.passes == 6


def test_who_was_not_reached_is_polled_first_in_the_next_pass() -> None:
    _, steps = played(f"ixgbe {QUIET} busy=6", at_once([60] * 64 * 3))
    turns = [
        [0 if step.name == "poll.start" else step.field("other") for step in kinds(each, "poll.start", "other.poll")]
        for each in passes(steps)[:3]
    ]
    assert turns == [[0, 1, 2, 3, 4], [5, 6, 0, 1, 2], [3, 4, 5, 6, 0]]


def test_netdev_budget_says_when_a_pass_ends() -> None:
    m, steps = played(f"ixgbe {QUIET} busy=4 netdev_budget=65", at_once([60] * 64))
    assert [len(kinds(each, "poll.start", "other.poll")) for each in passes(steps)[:2]] == [2, 2]
    assert m.softirq.time_squeeze >= 2


def test_the_time_limit_bites_where_the_budget_does_not() -> None:
    m, steps = played(f"ixgbe {QUIET} hz=1000 busy=100 netdev_budget=1000000", at_once([60] * 64))
    squeeze = kinds(steps, "softirq.squeeze")[0]
    assert squeeze.field("budget") > 0
    assert squeeze.field("left") == 101
    # Two jiffies from the first millisecond's: at the first poll that ends in the third.
    assert 2_000_000 <= squeeze.t_ns < 2_000_000 + 48_000
    assert m.softirq.time_squeeze >= 1


def test_other_queues_go_quiet_with_the_modelled_one() -> None:
    m, steps = played("ixgbe busy=4", sized([60] * 3, apart=200_000))
    assert not m.softirq.poll_list
    assert not m.softirq.running
    last = kinds(steps, "napi.complete")[-1].n
    assert len([step for step in kinds(steps, "other.poll") if step.n > last]) <= 4
    assert dark(m)


# ---------------------------------------------------------------------------------------------- kernels that differ
def test_before_3_19_a_busy_queue_is_polled_again_in_the_same_pass() -> None:
    """`list_move_tail` in net_rx_action: one queue alone uses up the 300, and is squeezed."""
    config = make_config(parse_line(f"ixgbe {QUIET}"))
    config.core = replace(config.core, rx_repoll="same pass")
    m = Machine(config, FrameList(at_once([60] * 400)))
    while m.softirq.passes < 1 or m.softirq.in_pass:
        assert m.tick()
    assert (m.napi.polls, m.socket.delivered, m.softirq.time_squeeze) == (5, 320, 1)


@pytest.mark.parametrize(("kernel", "leaves"), [("4.9", True), ("4.19", True), ("6.18", False)])
def test_the_end_of_an_interrupt_leaves_softirqs_to_a_runnable_ksoftirqd(kernel: str, leaves: bool) -> None:
    m = machine(f"ixgbe kernel={kernel}", [])
    m.cpu.queue.append(Who.KSOFTIRQD)
    m.softirq.pending = True
    m.softirq.irq_exit()
    assert m.softirq.running is not leaves


@pytest.mark.parametrize(("kernel", "same_pass"), [("4.12", False), ("6.18", True)])
def test_an_interrupt_at_the_end_of_a_poll_is_answered_in_the_same_pass_or_by_a_restart(
    kernel: str, same_pass: bool
) -> None:
    """A frame that comes between the last look and the unmask interrupts the softirq itself."""
    _, alone = played(f"ixgbe kernel={kernel} itr=0", [frame(0, 1_000, 60)])
    between = kinds(alone, "desc.empty")[0].t_ns + 100
    m, steps = played(f"ixgbe kernel={kernel} itr=0", [frame(0, 1_000, 60), frame(1, between, 60)])
    assert (m.napi.interrupts, m.napi.polls, m.softirq.runs) == (2, 2, 1)
    assert m.softirq.passes == (1 if same_pass else 2)
    assert work(steps) == [1, 1]


def test_ksoftirqd_counts_and_cpu_are_in_the_trace() -> None:
    m = machine(f"ixgbe ring=1024 {QUIET} hz=100", at_once([60] * 800))
    told = list(record(m))
    assert {step.cpu for step in told if step.name.startswith("nic.")} == {None}
    assert {step.cpu for step in told if step.name in ("softirq.pass", "ksoftirqd.run", "skb.deliver")} == {0}


@pytest.mark.parametrize("line", ["busy=2", "busy=2 reader=900000000000@0", "busy=1000", "busy=2 itr=1000000"])
def test_other_queues_rest_where_nothing_comes_for_long(line: str) -> None:
    """A thousand seconds between two frames: polls all the while would be 20 million for each."""
    m, steps = played(f"ixgbe {line}", sized([60] * 3, apart=1_000_000_000_000))
    assert m.socket.delivered == 3
    assert len(steps) < 20_000
    assert dark(m)


@pytest.mark.parametrize(("apart", "goes_on"), [(REST_NS - 2_000_000, True), (REST_NS + 2_000_000, False)])
def test_other_queues_go_on_over_what_limits_can_see(apart: int, goes_on: bool) -> None:
    _, steps = played("ixgbe busy=1", sized([60] * 2, apart=apart))
    second = next(step.n for step in kinds(steps, "nic.dma") if step.frame == 1)
    before = [step for step in kinds(steps, "other.poll") if step.n < second]
    assert (len(before) > 300) == goes_on
