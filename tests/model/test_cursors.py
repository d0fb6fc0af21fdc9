"""The three cursors, the tail, and refill in batches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.model.ring import RxRing
from tests.model.harness import (
    KERNELS,
    PATHS,
    at_once,
    frame,
    geometry,
    kinds,
    machine,
    played,
    polls,
    rx_ring,
    settle,
    sized,
)


@given(st.integers(2, 4096).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1), st.integers(0, n - 1))))
def test_free_slots_are_counted_modulo_the_ring(case: tuple[int, int, int]) -> None:
    count, ntc, ntu = case
    ring = RxRing(count, geometry("6.18", "build_skb"))
    ring.next_to_clean, ring.next_to_use = ntc, ntu
    assert ring.desc_unused() == (ntc - ntu - 1) % count
    assert 0 <= ring.desc_unused() < count


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_ring_of_512_posts_511(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path}", [])
    ring = rx_ring(m)
    assert (ring.next_to_clean, ring.next_to_use, ring.next_to_alloc) == (0, 511, 511)
    assert (m.nic.rdh, m.nic.rdt) == (0, 511)
    assert ring.desc_unused() == 0
    assert sum(buffer.page is not None for buffer in ring.rx_buffer_info) == 511
    assert len(ring.desc) == 512 * 16
    assert sum(page.size for page in m.memory.pages.values()) == 2_093_056
    assert m.ledger.tail_writes == 1
    assert m.ledger.dma_maps == 511


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("ring", [4, 5, 8, 96])
def test_one_slot_is_always_empty(kernel: str, path: str, ring: int) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring={ring}", sized([1514] * (3 * ring), apart=1_300))
    fullest = 0

    def watch(*_: object) -> None:
        nonlocal fullest
        posted = (rx_ring(m).next_to_use - rx_ring(m).next_to_clean) % ring
        fullest = max(fullest, posted)
        with_page = sum(buffer.page is not None for buffer in rx_ring(m).rx_buffer_info)
        assert posted <= ring - 1
        assert with_page <= ring - 1
        assert m.nic.rdt == m.nic.rdt % ring

    m.watch = watch
    m.run()
    assert fullest == ring - 1


def test_64_frames_with_a_budget_of_64_write_the_tail_before_frames_17_33_and_49() -> None:
    m, steps = played("ixgbe budget=64 reader=off rcvbuf=1000000", at_once([1514] * 64))
    first, second = polls(steps)
    taken = 0
    tails = []
    for step in first:
        taken += step.name == "desc.done"
        if step.name == "ring.tail":
            tails.append(taken)
    assert tails == [16, 32, 48]
    assert [step.field("count") for step in kinds(first, "ring.refill")] == [16, 16, 16]
    assert [step.field("work") for step in kinds(first, "poll.end")] == [64]
    # The fourth batch is given back at the top of the next poll, before it looks at anything.
    assert [step.name for step in second[:2]] == ["poll.start", "ring.refill"]
    assert second[1].field("count") == 16
    assert len(kinds(second, "ring.tail")) == 1
    assert kinds(second, "poll.end")[0].field("work") == 0
    assert m.ledger.tail_writes == 1 + 4
    assert rx_ring(m).desc_unused() == 0


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("count", [1, 15, 16, 17, 40, 63])
def test_a_poll_that_ran_out_of_frames_leaves_at_most_15_slots_unposted(kernel: str, count: int) -> None:
    m, steps = played(f"ixgbe kernel={kernel} budget=64 reader=off", at_once([1514] * count))
    assert len(list(polls(steps))) == 1
    assert rx_ring(m).desc_unused() == count % 16


@pytest.mark.parametrize("budget", [16, 32, 48])
def test_a_poll_that_used_its_budget_leaves_16(budget: int) -> None:
    m = machine(f"ixgbe budget={budget} reader=off rcvbuf=1000000", at_once([1514] * budget))
    unposted: list[int] = []
    at_end: list[bool] = []

    def watch(kind: int, *_: object) -> None:
        from rxviz.model.steps import POLL_END

        if kind == POLL_END:
            unposted.append(rx_ring(m).desc_unused())
            at_end.append(m.napi.scheduled)

    m.watch = watch
    m.run()
    assert unposted == [16, 0]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("sizes", [[1514] * 300, [60] * 300, [60, 1514, 300] * 100])
def test_the_tail_moves_by_a_batch_or_more(kernel: str, path: str, sizes: list[int]) -> None:
    """RDT moves in steps of 16 and more, and never once for each frame."""
    m = machine(f"ixgbe kernel={kernel} path={path} ring=64 budget=7", sized(sizes, apart=700))
    moves: list[int] = []
    last = m.nic.rdt

    def watch(*_: object) -> None:
        nonlocal last
        if m.nic.rdt != last:
            moves.append((m.nic.rdt - last) % 64)
            last = m.nic.rdt

    m.watch = watch
    m.run()
    assert moves
    assert min(moves) >= 16
    assert len(moves) == m.ledger.tail_writes - 1
    assert sum(moves) + rx_ring(m).desc_unused() == 300


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_leftovers_of_earlier_polls_count(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=64 reader=off", sized([60] * 33))
    before = m.ledger.tail_writes
    for n in range(1, 17):
        settle(m, n)
        # The test stands at the top of the loop, also before the look that finds nothing.
        assert m.ledger.tail_writes - before == (1 if n == 16 else 0)
    settle(m, 31)
    assert m.ledger.tail_writes - before == 1
    settle(m, 32)
    assert m.ledger.tail_writes - before == 2


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_recycled_pages_move_to_next_to_alloc(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=64 reader=off", sized([1514] * 15))
    for n in range(15):
        page = rx_ring(m).rx_buffer_info[n].page
        assert page is not None
        settle(m, n + 1)
        assert rx_ring(m).rx_buffer_info[n].page is None
        to = (63 + n) % 64
        assert rx_ring(m).rx_buffer_info[to].page is page
        assert page.slot == to
        assert rx_ring(m).next_to_alloc == (to + 1) % 64
        assert rx_ring(m).next_to_use == 63
        assert rx_ring(m).next_to_clean == n + 1


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_after_a_refill_next_to_alloc_is_next_to_use(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=64 reader=off", sized([1514] * 80))
    for n in range(1, 81):
        settle(m, n)
        ring = rx_ring(m)
        with_page = [slot for slot, buffer in enumerate(ring.rx_buffer_info) if buffer.page is not None]
        waiting = (ring.next_to_alloc - ring.next_to_use) % 64
        if n % 16 == 0:
            assert waiting == 0
            assert len(with_page) == 63
        # Recycled pages lie densely from next_to_use on; the rest of the free slots has none.
        free = [(ring.next_to_use + i) % 64 for i in range(ring.desc_unused())]
        assert [slot in with_page for slot in free] == [i < waiting for i in range(len(free))]


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_nic_stops_short_of_the_tail_and_loses_nothing(kernel: str) -> None:
    """With no descriptor posted, frames wait on the chip until the driver gives buffers back."""
    m = machine(f"ixgbe kernel={kernel} ring=8 itr=100 reader=off", at_once([1514] * 20))
    m.nic.last_irq = 0
    while m.offered < 20:
        m.tick()
    assert m.nic.rdh == m.nic.rdt == 7
    assert m.nic.received == 7
    assert len(m.nic.fifo) == 13
    m.run()
    assert m.socket.delivered == 20
    assert m.nic.fifo_bytes == 0


def test_a_frame_past_the_packet_buffer_is_missed() -> None:
    fits = 524_288 // 1514
    m = machine("ixgbe ring=64 itr=1000 reader=off rcvbuf=16000000", at_once([1514] * (63 + fits + 5)))
    m.nic.last_irq = 0
    m.run()
    assert m.nic.rx_missed_errors == 5
    assert m.socket.delivered == 63 + fits
    assert m.counters()["rx_missed_errors"] == 5
    assert frame(0, 0).wire_len == 1514


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("size", "taken"), [(1514, True), (1515, False), (2048, False)])
def test_the_mac_refuses_frames_past_its_limit(kernel: str, size: int, taken: bool) -> None:
    m, steps = played(f"ixgbe kernel={kernel} ring=64", at_once([size]))
    assert m.socket.delivered == taken
    assert m.counters()["rx_long_length_errors"] == (not taken)
    assert bool(kinds(steps, "nic.oversize")) is not taken
