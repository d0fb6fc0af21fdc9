"""Adaptive interrupt moderation against sequences worked out by hand from the driver's source."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rxviz.model.moderation import Igb, Moderation
from rxviz.model.steps import ITR_UPDATE
from tests.model.harness import frame, kinds, machine, played

JIFFY_250 = 4_000_000


def fed(itr: Moderation, packets: int, size: int) -> int:
    """Let so many frames and bytes come, update, and return the delay in quarters of a µs."""
    itr.packets += packets
    itr.m.driver.rx_bytes += size
    itr.update()
    return itr.itr


@pytest.mark.parametrize("kernel", ["4.9", "4.11", "4.12"])
def test_three_classes_by_bytes_per_us_one_step_at_a_time_and_smoothed(kernel: str) -> None:
    itr = machine(f"ixgbe kernel={kernel} itr=adaptive", []).itr
    assert (itr.itr, itr.ns) == (200, 50_000)
    # 600 B in 50 us are 12 B/us, more than 10: lowest -> low, whose delay is what it is already.
    assert fed(itr, 10, 600) == 200
    # 22 B/us: low -> bulk; 10 * 336 * 200 / (9 * 336 + 200) = 208.4.
    assert fed(itr, 20, 1_100) == 208
    # 1000 / 52 = 19, not more than 20: bulk -> low; 10 * 200 * 208 / 2008 = 207.2.
    assert fed(itr, 20, 1_000) == 207
    # 500 / 51 = 9: low -> lowest; 10 * 40 * 207 / 567 = 146.03.
    assert fed(itr, 5, 500) == 146
    assert fed(itr, 1, 100) == 115
    # 100 times too much for the lowest class: it is left for the next one only, and bulk comes after that.
    assert fed(itr, 60, 90_000) == 10 * 200 * 115 // (9 * 200 + 115)
    assert fed(itr, 60, 90_000) == 10 * 336 * 120 // (9 * 336 + 120)


def test_three_classes_without_a_packet_change_nothing_but_the_smoothing() -> None:
    itr = machine("ixgbe kernel=4.9 itr=adaptive", []).itr
    assert fed(itr, 0, 0) == 10 * 40 * 200 // (9 * 40 + 200) == 142


@pytest.mark.parametrize("kernel", ["4.19", "6.18"])
def test_packets_per_interrupt(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} itr=adaptive", [])
    itr = m.itr
    assert itr.ns == 50_000
    # The first update is late: both sides begin at 10 us.
    assert fed(itr, 300, 18_000) == 10 * 4
    assert fed(itr, 10, 600) == 12 * 4
    assert fed(itr, 47, 2_820) == 14 * 4
    assert fed(itr, 48, 2_880) == fed(itr, 95, 5_700) == 14 * 4
    # Half of 14 is 7; 10 is the least.
    assert fed(itr, 96, 5_760) == 10 * 4
    # Bulk: 5 * 1514 + 22420 = 29990; / 512 is 58.6, so 59 steps of 2 us.
    assert fed(itr, 300, 300 * 1514) == 118 * 4
    assert fed(itr, 255, 255 * 60) == 59 * 4
    # Latency: frames of 60 B have 5120, half of it is 2560 = 5 steps.
    assert fed(itr, 2, 120) == 10 * 4
    # Frames of 1514 B would have 60 us, but the idle transmit side lets it grow by 2 us only.
    assert fed(itr, 3, 3 * 1514) == 12 * 4
    # No packet at all: 2 us more.
    assert fed(itr, 0, 0) == 14 * 4
    m.now += 2 * JIFFY_250
    assert fed(itr, 60, 3_600) == 10 * 4


@pytest.mark.parametrize(
    ("size", "us"),
    [(60, 20), (61, 22), (316, 60), (317, 64), (1084, 110), (1085, 110), (1514, 118), (1967, 126), (9014, 126)],
)
def test_the_delay_by_size_of_bulk_traffic(size: int, us: int) -> None:
    itr = machine("ixgbe itr=adaptive mtu=9000", []).itr
    fed(itr, 0, 0)
    assert fed(itr, 256, 256 * size) == us * 4


def test_4_19_lets_the_delay_of_1975_bytes_run_over() -> None:
    """5 * 1975 + 22420 = 32295 gives 128 us: the bit of the latency flag, which is then cleared."""
    old, new = (machine(f"ixgbe kernel={kernel} itr=adaptive mtu=4000", []).itr for kernel in ("4.19", "6.18"))
    for itr in (old, new):
        fed(itr, 0, 0)
    assert fed(old, 256, 256 * 1975) == 0
    assert fed(new, 256, 256 * 1975) == 126 * 4


def test_the_delay_never_leaves_10_to_126_us() -> None:
    itr = machine("ixgbe itr=adaptive", []).itr
    fed(itr, 0, 0)
    grown = [fed(itr, 20, 1_200) // 4 for _ in range(70)]
    assert grown == [min(12 + 2 * n, 126) for n in range(70)]
    assert [fed(itr, 100, 6_000) // 4 for _ in range(5)] == [63, 31, 15, 10, 10]


@pytest.mark.parametrize("kernel", ["4.9", "6.18"])
def test_igb_chooses_between_two_delays_and_writes_at_the_next_interrupt(kernel: str) -> None:
    itr = machine(f"igb kernel={kernel} itr=adaptive", []).itr
    assert isinstance(itr, Igb)
    assert itr.itr == 648
    # Few frames that are not tiny: lowest -> low.
    assert fed(itr, 3, 600) == 196
    assert itr.ns == 648 * 250
    itr.at_interrupt()
    assert itr.ns == 196 * 250
    # Full frames: low -> bulk; few bytes: bulk -> low.
    assert fed(itr, 50, 75_700) == 980
    assert fed(itr, 50, 75_700) == 196
    assert fed(itr, 8, 12_112) == 980
    assert fed(itr, 12, 1_000) == 196
    # Tiny and few: the lowest class, for which the cautious setting takes low.
    assert fed(itr, 2, 120) == 196
    assert itr.latency == 0
    assert fed(itr, 2, 2 * 8_001) == 980


def test_moderation_is_at_work_in_a_run_and_says_when_it_changes_the_delay() -> None:
    m, steps = played("ixgbe itr=adaptive", [frame(i, 1_000 + 1_700 * i, 60) for i in range(800)])
    told = kinds(steps, "itr.update")
    assert len(told) == m.counts[ITR_UPDATE] > 5
    assert [step.field("old") for step in told[1:]] == [step.field("new") for step in told[:-1]]
    assert told[-1].field("new") == m.itr.itr
    assert [(step.field("packets"), step.field("reason")) for step in told[:2]] == [(1, "late"), (10, "few")]
    # 590 frames a ms: the delay grows until 48 frames come with each interrupt, after some 80 us.
    work = [step.field("work") for step in kinds(steps, "poll.end")]
    assert max(work) == work[-2] >= 40
    fired = [step.t_ns + step.field("itr") for step in kinds(steps, "irq.raise")]
    assert all(b - a >= 10_000 for a, b in pairwise(fired))
    assert m.socket.delivered == 800


def test_a_fixed_delay_says_nothing_and_changes_nothing() -> None:
    m, steps = played("ixgbe itr=20", [frame(i, 1_000 + 1_700 * i, 60) for i in range(100)])
    assert not kinds(steps, "itr.update")
    assert m.itr.itr == 200
