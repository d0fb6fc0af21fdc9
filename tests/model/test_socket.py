"""What a UDP socket admits and when it stops charging, rule by rule."""

from __future__ import annotations

import pytest

from rxviz.model.machine import Machine
from tests.model.harness import PATHS, at_once, frame, free_first, kinds, machine, played, settle

RCVBUF = 32_768
"""As given to SO_RCVBUF; the kernel doubles it to 65536."""
LIMIT = 65_536
BATCH = LIMIT // 4


def filled(kernel: str, path: str, count: int, mtu: int = 1500, size: int = 106) -> Machine:
    m = machine(
        f"ixgbe kernel={kernel} path={path} mtu={mtu} rcvbuf={RCVBUF} reader=off budget=300", at_once([size] * count)
    )
    m.run()
    assert m.socket.limit == LIMIT
    assert m.socket.delivered + m.socket.rcvbuf_errors == count
    return m


@pytest.mark.parametrize(
    ("kernel", "path", "mtu", "capacity"),
    [
        ("4.9", "legacy", 1500, 74),
        *((kernel, "legacy", 1500, 74) for kernel in ("4.11", "4.12", "4.19")),
        *((kernel, "build_skb", 1500, 29) for kernel in ("4.11", "4.12", "4.19")),
        *((kernel, "build_skb", 9000, 16) for kernel in ("4.11", "4.12", "4.19")),
        ("6.18", "legacy", 1500, 73),
        ("6.18", "build_skb", 1500, 28),
        ("6.18", "build_skb", 9000, 15),
    ],
)
def test_how_many_64_byte_messages_fit(kernel: str, path: str, mtu: int, capacity: int) -> None:
    m = filled(kernel, path, 120, mtu)
    truesize = m.socket.queue[0].truesize
    assert m.socket.delivered == len(m.socket.queue) == capacity
    assert m.counters()["RcvbufErrors"] == 120 - capacity
    assert m.socket.charged == capacity * truesize
    rest = LIMIT // truesize
    assert capacity == (rest if kernel == "6.18" else rest + 1)


@pytest.mark.parametrize(
    ("kernel", "truesize", "charged", "full"),
    [
        ("4.9", 896, LIMIT - 1, False),
        ("4.9", 896, LIMIT, True),
        ("4.11", 896, LIMIT, False),
        ("4.11", 896, LIMIT + 1, True),
        ("4.12", 2304, LIMIT, False),
        ("4.19", 2304, LIMIT, False),
        ("4.19", 2304, LIMIT + 1, True),
        ("6.18", 2304, LIMIT - 2304, False),
        ("6.18", 2304, LIMIT - 2303, True),
        ("6.18", 2304, LIMIT, True),
    ],
)
def test_the_admission_rule_at_its_edge(kernel: str, truesize: int, charged: int, full: bool) -> None:
    m = machine(
        f"ixgbe kernel={kernel} path={'build_skb' if truesize == 2304 else 'legacy'} rcvbuf={RCVBUF} reader=off",
        at_once([106]),
    )
    m.socket.charged = charged
    m.run()
    assert m.socket.rcvbuf_errors == full
    assert m.socket.charged == charged + (0 if full else truesize)


def test_6_18_takes_anything_into_an_empty_socket() -> None:
    m = machine("ixgbe kernel=6.18 rcvbuf=1152 reader=off", at_once([106, 106]))
    m.socket.limit = 1_000
    m.run()
    assert (m.socket.delivered, m.socket.rcvbuf_errors, m.socket.charged) == (1, 1, 2304)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_dropped_skb_is_freed_and_costs_the_driver_all_its_work(kernel: str, path: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path={path} rcvbuf=1152 reader=off", at_once([1514] * 10))
    drops = kinds(steps, "socket.drop")
    assert 0 < len(drops) == m.socket.rcvbuf_errors
    assert len(kinds(steps, "skb.deliver")) == 10
    assert len(kinds(steps, "skb.free")) == len(drops)
    assert len(m.skbs) == m.socket.delivered == 10 - len(drops)
    assert m.nic.rx_missed_errors == 0


# ------------------------------------------------------------------------------------------------------ release
def still_charged(m: Machine) -> int:
    """Bytes that are charged although they were read."""
    return m.socket.charged - sum(skb.truesize for skb in m.socket.queue)


@pytest.mark.parametrize(("kernel", "path"), PATHS[1:])
@pytest.mark.parametrize(("mtu", "worst"), [(1500, 16_128), (9000, 13_056)])
def test_what_was_read_stays_charged_up_to_a_quarter(kernel: str, path: str, mtu: int, worst: int) -> None:
    if path == "legacy" and mtu == 9000:
        worst = 16_128
    m = filled(kernel, path, 60, mtu)
    truesize = m.socket.queue[0].truesize
    most, reads = 0, 0
    while len(m.socket.queue) > 1:
        free_first(m)
        reads += 1
        most = max(most, still_charged(m))
        assert still_charged(m) == reads % (worst // truesize + 1) * truesize
    assert most == worst
    assert worst + truesize >= BATCH > worst


def test_4_9_releases_each_at_once() -> None:
    m = filled("4.9", "legacy", 60)
    while m.socket.queue:
        free_first(m)
        assert still_charged(m) == 0
    assert m.socket.charged == 0


@pytest.mark.parametrize(("kernel", "early"), [("4.11", True), ("4.12", True), ("4.19", False), ("6.18", True)])
def test_what_is_deferred_when_the_last_one_is_read(kernel: str, early: bool) -> None:
    m = filled(kernel, "build_skb", 3)
    assert free_first(m)
    assert free_first(m)
    assert still_charged(m) == 2 * 2304
    assert free_first(m)
    assert m.socket.charged == (0 if early else 3 * 2304)


@pytest.mark.parametrize(("path", "capacity"), [("legacy", 56), ("build_skb", 22)])
def test_capacity_with_the_worst_deferred_release(path: str, capacity: int) -> None:
    m = machine(f"ixgbe kernel=4.19 path={path} rcvbuf={RCVBUF} reader=off budget=300", at_once([106] * 120))
    m.socket.charged = m.socket.deferred = 16_128
    m.run()
    assert m.socket.delivered == capacity


@pytest.mark.parametrize(("rcvbuf", "capacity"), [(84_095, 73), (84_096, 74)])
def test_how_large_a_buffer_restores_74_messages(rcvbuf: int, capacity: int) -> None:
    m = machine(f"ixgbe kernel=4.19 rcvbuf={rcvbuf} reader=off budget=300", at_once([106] * 120))
    m.run()
    assert m.socket.delivered == capacity


def test_6_18_releases_when_the_readers_own_batch_is_used_up() -> None:
    """The program takes over the whole intake at once; what comes in while it works through that is another batch."""
    m = machine("ixgbe kernel=6.18 rcvbuf=32768 reader=off", [*at_once([106] * 3), frame(3, 1_000_000, 106)])
    settle(m, 3)
    free_first(m)
    settle(m, 4)
    free_first(m)
    assert still_charged(m) == 2 * 2304
    free_first(m)
    assert len(m.socket.queue) == 1
    assert still_charged(m) == 0
