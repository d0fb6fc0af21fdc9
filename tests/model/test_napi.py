"""Interrupt, poll, complete."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rxviz.model import steps as kinds_table
from rxviz.model.machine import Machine
from rxviz.run.trace import Step
from tests.model.harness import PATHS, at_once, dark, frame, kinds, machine, played, polls, sized


def work(steps: list[Step]) -> list[int]:
    return [kinds(poll, "poll.end")[0].field("work") for poll in polls(steps)]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_frames_far_apart_cost_an_interrupt_and_a_poll_each(kernel: str, path: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path={path} ring=64", sized([1514] * 20))
    assert (m.napi.interrupts, m.napi.polls) == (20, 20)
    assert work(steps) == [1] * 20
    assert len(kinds(steps, "irq.raise")) == len(kinds(steps, "irq.enter")) == len(kinds(steps, "irq.enable")) == 20


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize(
    ("count", "budget", "expected"),
    [(10, 64, [10]), (63, 64, [63]), (64, 64, [64, 0]), (65, 64, [64, 1]), (10, 5, [5, 5, 0]), (3, 1, [1, 1, 1, 0])],
)
def test_a_poll_that_used_its_budget_is_polled_again_without_an_interrupt(
    kernel: str, path: str, count: int, budget: int, expected: list[int]
) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path={path} budget={budget}", at_once([60] * count))
    assert work(steps) == expected
    assert m.napi.polls == len(expected)
    assert m.napi.interrupts == len(kinds(steps, "irq.enter")) == 1
    assert len(kinds(steps, "napi.complete")) == len(kinds(steps, "irq.enable")) == 1


def test_the_vector_stays_masked_from_the_interrupt_to_the_unmask() -> None:
    m = machine("ixgbe ring=64 budget=4", at_once([60] * 10) + [frame(10 + i, 5_000 + 700 * i, 60) for i in range(30)])
    shut = False

    def watch(kind: int, *_: object) -> None:
        nonlocal shut
        if kind == kinds_table.IRQ_ENTER:
            assert not shut
            shut = True
        if kind == kinds_table.IRQ_ENABLE:
            assert not m.nic.irq_masked
            shut = False
        if kind == kinds_table.IRQ_RAISE:
            assert not shut
        if shut:
            assert m.nic.irq_masked
            assert not m.nic.irq_armed
        if kind in (kinds_table.POLL_START, kinds_table.POLL_END):
            assert m.napi.scheduled
        if kind == kinds_table.NAPI_COMPLETE:
            assert not m.napi.scheduled

    m.watch = watch
    m.run()
    assert m.socket.delivered == 40
    assert not m.nic.irq_masked


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_no_frame_is_lost_between_the_last_look_and_the_unmask(kernel: str, path: str) -> None:
    """A second frame arrives at many instants around the end of the first one's poll."""
    _, alone = played(f"ixgbe kernel={kernel} path={path} ring=64 itr=0", [frame(0, 1_000, 60)])
    empty = kinds(alone, "desc.empty")[0].t_ns
    enabled = kinds(alone, "irq.enable")[0].t_ns
    races = 0
    for t in range(empty - 50, enabled + 300, 11):
        m, steps = played(f"ixgbe kernel={kernel} path={path} ring=64 itr=0", [frame(0, 1_000, 60), frame(1, t, 60)])
        assert m.socket.delivered == m.socket.read == 2
        assert dark(m)
        names = [step.name for step in steps]
        written = max(i for i, name in enumerate(names) if name == "nic.writeback")
        races += "desc.empty" in names[:written] and "irq.enable" in names[written:]
    assert races > 10


def test_moderation_holds_back_the_interrupt_and_not_the_dma() -> None:
    frames = [frame(i, 1_000 + 2_000 * i, 60) for i in range(100)]
    m, steps = played("ixgbe itr=50 reader=off rcvbuf=1000000", frames)
    entered = [step.t_ns for step in kinds(steps, "irq.enter")]
    raised = kinds(steps, "irq.raise")
    assert len(entered) == len(raised)
    # 100 frames in 200 µs, and at least 50 µs between two interrupts.
    assert 4 <= len(entered) <= 5
    fired = [step.t_ns + step.field("itr") for step in raised]
    assert all(b - a >= 50_000 for a, b in pairwise(fired))
    assert raised[0].field("itr") == 0
    # Each frame is in memory at the very time of its arrival all the same.
    written = [step.t_ns for step in kinds(steps, "nic.writeback")]
    assert written == [f.t_ns for f in frames]
    assert m.socket.delivered == 100


@pytest.mark.parametrize("itr", [0, 5, 20, 100, 1000])
def test_moderation_bounds_the_number_of_interrupts(itr: int) -> None:
    frames = [frame(i, 1_000 + 4_000 * i, 60) for i in range(100)]
    m, _ = played(f"ixgbe itr={itr} reader=off rcvbuf=1000000", frames)
    assert m.socket.delivered == 100
    if itr:
        # One at once, then one in each interval; the last may come after the last frame.
        assert m.napi.interrupts <= 2 + 400 // itr
        assert m.napi.interrupts >= min(2, 400 // itr)
    else:
        # A poll of one frame is over before the next one comes.
        assert m.napi.interrupts == 100


@pytest.mark.parametrize("budget", [1, 2, 64, 65536])
def test_the_budget_is_never_exceeded(budget: int) -> None:
    m, steps = played(f"ixgbe ring=96 budget={budget}", sized([60] * 200, apart=300))
    assert max(work(steps)) <= budget
    assert sum(work(steps)) == 200 == m.socket.delivered
    for poll in polls(steps):
        assert [step.field("budget") for step in kinds(poll, "poll.start", "poll.end")] == [budget, budget]


def test_steps_of_a_poll_come_in_the_drivers_order() -> None:
    _, steps = played("ixgbe ring=64 reader=off", at_once([1514]))
    names = [step.name for step in steps if step.name not in ("wire.arrive", "nic.dma", "nic.writeback", "irq.raise")]
    assert names == [
        *("irq.enter", "softirq.pass", "poll.start", "desc.done", "buf.sync", "buf.take", "skb.build", "page.flip"),
        "page.reuse",
        *("ring.clean", "skb.fields", "skb.deliver", "socket.queue", "desc.empty", "poll.end"),
        *("napi.complete", "irq.enable"),
    ]


def test_steps_of_a_poll_in_4_9() -> None:
    _, steps = played("ixgbe kernel=4.9 ring=64 reader=off", at_once([1514]))
    names = [step.name for step in steps if step.name not in ("wire.arrive", "nic.dma", "nic.writeback", "irq.raise")]
    assert names == [
        *("irq.enter", "softirq.pass", "poll.start", "desc.done", "skb.alloc", "buf.sync", "skb.frag"),
        *("page.flip", "page.reuse"),
        *("ring.clean", "skb.headers", "skb.fields", "skb.deliver", "socket.queue", "desc.empty", "poll.end"),
        *("napi.complete", "irq.enable"),
    ]


# -------------------------------------------------------------------------------------------------------- MISSED, timer
TIMER = "gro=on gro_flush_timeout=20000"


def story(steps: list[Step]) -> list[str]:
    told = ("irq.enter", "napi", "irq.enable", "gro.held", "gro.flush", "poll.start")
    return [step.name for step in steps if step.name.startswith(told)]


def test_what_is_held_waits_for_the_flush_timer_with_interrupts_let_in() -> None:
    m, steps = played(f"ixgbe ring=64 {TIMER}", [frame(0, 1_000)])
    assert story(steps) == [
        *("irq.enter", "poll.start", "gro.held", "napi.complete", "napi.timer_start", "irq.enable"),
        *("napi.timer", "poll.start", "gro.flush", "napi.complete", "irq.enable"),
    ]
    started, expired = kinds(steps, "napi.timer_start")[0], kinds(steps, "napi.timer")[0]
    assert (started.field("timeout"), started.field("deferred")) == (20_000, False)
    assert expired.t_ns >= started.t_ns + 20_000 - m.costs[started.kind]
    assert (m.napi.interrupts, m.napi.polls, m.socket.delivered) == (1, 2, 1)
    assert dark(m)


@pytest.mark.parametrize("gro", ["on", "off"])
def test_deferred_interrupts_stay_masked_for_so_many_polls_by_timer(gro: str) -> None:
    line = f"ixgbe ring=64 gro={gro} gro_flush_timeout=20000 napi_defer_hard_irqs=2"
    m, steps = played(line, [frame(0, 1_000)])
    names = [name for name in story(steps) if not name.startswith("gro")]
    assert names == [
        *("irq.enter", "poll.start", "napi.complete", "napi.timer_start"),
        *("napi.timer", "poll.start", "napi.complete", "napi.timer_start"),
        *("napi.timer", "poll.start", "napi.complete", "irq.enable"),
    ]
    assert [step.field("deferred") for step in kinds(steps, "napi.timer_start")] == [True, True]
    # Frames that come meanwhile need no interrupt; the count begins anew with each poll that finds work.
    m, steps = played(line, sized([60] * 10, apart=15_000))
    assert m.napi.interrupts == 1
    assert m.socket.delivered == 10
    assert kinds(steps, "irq.enable")[-1].t_ns > 150_000 + 20_000
    assert dark(m)


def missed(kernel: str) -> tuple[Machine, list[Step]]:
    """The timer polls with interrupts let in; a frame comes in the midst of that poll, and interrupts it."""
    line = f"ixgbe kernel={kernel} ring=64 itr=0 {TIMER}"
    alone = played(line, [frame(0, 1_000)])[1]
    during = kinds(alone, "poll.start")[1].t_ns + 50
    return played(line, [frame(0, 1_000), frame(1, during)])


@pytest.mark.parametrize("kernel", ["4.11", "4.12", "4.19", "6.18"])
def test_an_interrupt_while_scheduled_leaves_a_mark_and_is_polled_for_once_more(kernel: str) -> None:
    m, steps = missed(kernel)
    mark = kinds(steps, "napi.missed")[0]
    assert mark.field("marked") is True
    assert m.napi.times_missed == 1
    assert [step.field("found") for step in kinds(steps, "irq.enter")] == [False, True]
    again = kinds(steps, "napi.again")[0]
    after = [step.name for step in steps if step.n > again.n and step.name in ("irq.enable", "poll.start")]
    # Up to 4.15 the driver lets interrupts in though NAPI goes on.
    assert after[:2] == (["poll.start", "irq.enable"] if kernel in ("4.19", "6.18") else ["irq.enable", "poll.start"])
    assert m.socket.frames_delivered == 2
    assert dark(m)


def test_4_9_has_no_mark_and_loses_nothing() -> None:
    m, steps = missed("4.9")
    assert kinds(steps, "napi.missed")[0].field("marked") is False
    assert not kinds(steps, "napi.again")
    assert m.socket.frames_delivered == 2
    assert dark(m)


@pytest.mark.parametrize(("kernel", "charged"), [("4.19", 0), ("6.18", 60)])
def test_a_poll_of_igb_that_found_its_ring_empty_reports_nothing_up_to_4_19(kernel: str, charged: int) -> None:
    m = machine(f"igb kernel={kernel} reader=off", at_once([60] * 60))
    while m.napi.polls < 1:
        assert m.tick()
    assert m.softirq.budget == 300 - charged
    assert m.socket.delivered == 60


@pytest.mark.parametrize(("kernel", "enabled"), [("4.19", True), ("6.18", False)])
def test_igb_lets_interrupts_in_whatever_napi_says_up_to_4_19(kernel: str, enabled: bool) -> None:
    m = machine(f"igb kernel={kernel}", at_once([60]))
    m.run()
    m.napi.schedule()
    m.napi.missed = True
    m.nic.irq_masked = True
    m.driver.poll(64)
    assert m.nic.irq_masked is not enabled
