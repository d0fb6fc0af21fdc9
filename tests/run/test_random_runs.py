"""Random runs of every driver, kernel and path: nothing is lost or leaks, lamps are dark, and it is always the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from hypothesis import given, settings

from rxviz.model.halves import State, halves
from rxviz.model.heads import heads
from rxviz.model.machine import Machine
from rxviz.model.steps import PAGE_FREE, RING_NON_EOP
from rxviz.run.engine import make_machine, make_source
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
from tests.model.harness import HEADS, INTEL, SHARING, rx_ring
from tests.run.strategies import lines, scenarios

ON_THE_RING = {State.WAITING, State.POSTED, State.FILLED}


def play(scenario: Scenario) -> Machine:
    m = make_machine(scenario)
    m.run()
    return m


def play_looking(scenario: Scenario, look: Callable[[Machine], None]) -> None:
    """Play to the end, with a look at the machine at each seventh step."""
    m = make_machine(scenario)
    looks = 0

    def watch(*_: object) -> None:
        nonlocal looks
        looks += 1
        if not looks % 7:
            look(m)

    m.watch = watch
    m.run()


def not_yet_delivered(m: Machine) -> int:
    """Frames in the NIC, done on the ring, or in hand, counted one by one."""
    return len(m.nic.fifo) + sum(skb.state == "driver" for skb in m.skbs.values())


@settings(max_examples=400, deadline=None)
@given(scenarios())
def test_an_honest_run_lights_no_lamp_and_loses_no_frame(scenario: Scenario) -> None:
    m = play(scenario)
    assert {name: count for name, count in m.lamps.lit.items() if count} == {}
    frames = result(scenario, m)["frames"]
    source = make_source(scenario)
    offered = 0
    while source.frame(offered) is not None:
        offered += 1
    dropped = frames["dropped"]
    assert frames["offered"] == offered
    assert frames["in_flight"] == not_yet_delivered(m) == 0
    assert frames["offered"] == frames["delivered"] + sum(dropped.values())
    discarded = sum(m.driver.drops().values())
    assert frames["received"] == frames["delivered"] + dropped["socket"] + discarded
    skbs = result(scenario, m)["skbs"]
    assert skbs["delivered"] == m.socket.read + len(m.socket.queue)
    assert frames["received"] - discarded - skbs["merged"] == skbs["delivered"] + m.socket.rcvbuf_errors
    if scenario.reader_ns is not None:
        assert m.socket.read == skbs["delivered"]
    assert len(m.skbs) == sum(1 + len(skb.frag_list) for skb in m.socket.queue)
    for skb in m.socket.queue:
        assert skb.payload() == skb.expected()
        assert skb.segs == len(skb.frames)
    if scenario.gro == "off":
        assert skbs["merged"] == 0
        assert all(skb.payload() == skb.frame.data for skb in m.socket.queue)


@settings(max_examples=200, deadline=None)
@given(scenarios(drivers=INTEL))
def test_at_the_end_every_page_is_accounted_for(scenario: Scenario) -> None:
    m = play(scenario)
    ring = {buffer.page.id for buffer in rx_ring(m).rx_buffer_info if buffer.page is not None}
    stack: dict[int, int] = {}
    for whole in m.socket.queue:
        for skb in (whole, *whole.frag_list):
            for page in (skb.head_page, *(frag.page for frag in skb.frags)):
                stack[page.id] = stack.get(page.id, 0) + 1
    chunk = {m.napi_frags.page.id} if m.napi_frags.page is not None else set()
    assert set(m.memory.pages) == ring | set(stack) | chunk
    # Each page that is gone was freed once.
    assert m.memory.next_id - m.counts[PAGE_FREE] == len(m.memory.pages)
    bill = m.ledger
    assert bill.dma_maps - bill.dma_unmaps == len(ring)
    assert bill.dma_unmaps == bill.pages_given_up
    for buffer in rx_ring(m).rx_buffer_info:
        if (held := buffer.page) is not None:
            assert rx_ring(m).rx_buffer_info[held.slot] is buffer
            prepaid = buffer.pagecnt_bias if m.config.rules.bias_start else 1
            assert held.refcount - prepaid == stack.get(held.id, 0) == len(held.users)
    for id, count in stack.items():
        if id not in ring and id not in chunk:
            assert m.memory.pages[id].refcount == count
    # One slot is always empty; the refill test stood at the top of the loop, or what was left was refilled after it.
    assert len(ring) <= m.ring.count - 1
    assert rx_ring(m).desc_unused() < (1 if m.config.rules.refills_on_exit else m.config.refill)
    assert m.nic.rdt == rx_ring(m).next_to_use
    assert m.nic.rdh == rx_ring(m).next_to_clean


@settings(max_examples=80, deadline=None)
@given(lines())
def test_the_canonical_line_gives_the_same_run(line: str) -> None:
    first = parse_line(line)
    again = parse_line(first.line())
    assert again == first
    assert again.line() == first.line()
    assert parse_line(first.line().split()) == first
    one, two = play(first), play(again)
    assert result(first, one) == result(again, two)


@settings(max_examples=80, deadline=None)
@given(scenarios(drivers=SHARING))
def test_at_most_one_half_of_a_page_is_on_the_ring(scenario: Scenario) -> None:
    def look(m: Machine) -> None:
        for page in m.memory.pages.values():
            if page.kind != "rx":
                continue
            shown = halves(m, page)
            assert sum(half.state in ON_THE_RING for half in shown) <= 1
            assert sum(half.size for half in shown) <= page.size
            assert {half.start for half in shown if half.skb is not None} == set(page.users)
            if page.slot >= 0:
                assert m.ring.page_at(page.slot) is page

    play_looking(scenario, look)


@settings(max_examples=80, deadline=None)
@given(scenarios(drivers=HEADS))
def test_each_head_of_a_chunk_is_in_one_slot_or_has_left_it(scenario: Scenario) -> None:
    def look(m: Machine) -> None:
        slots = []
        for page in m.memory.pages.values():
            shown = heads(m, page) if page.kind == "rx" else []
            assert [half.start for half in shown] == sorted(page.users)
            assert all(this.start + this.size <= that.start for this, that in pairwise(shown))
            assert all((half.slot >= 0) == (half.state in ON_THE_RING) for half in shown)
            assert all((half.skb is None) == (half.slot >= 0) for half in shown)
            slots += [half.slot for half in shown if half.slot >= 0]
        assert sorted(slots) == [slot for slot in range(m.ring.count) if m.ring.skb_at(slot) is not None]

    play_looking(scenario, look)


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_watching_changes_nothing(scenario: Scenario) -> None:
    m = make_machine(scenario)
    seen = 0

    def watch(*_: object) -> None:
        nonlocal seen
        seen += 1

    m.watch = watch
    m.run()
    assert result(scenario, m) == result(scenario, play(scenario))
    assert seen == m.n


@settings(max_examples=60, deadline=None)
@given(scenarios(drivers=INTEL))
def test_the_bill_adds_up(scenario: Scenario) -> None:
    m = play(scenario)
    r = result(scenario, m)
    bill, pages, skbs = r["ledger"], r["pages"], r["skbs"]
    buffers = m.nic.received + m.counts[RING_NON_EOP]
    assert skbs["built"] == m.nic.received
    assert pages["reused"] + pages["given_up"] == buffers
    assert bill["descriptor_writes"] - (m.ring.count - 1) == buffers - rx_ring(m).desc_unused()
    assert bill["skb_heads"] == (skbs["built"] if scenario.path == "legacy" else 0)
    assert bill["tail_writes"] >= 1
    if scenario.path == "build_skb":
        assert (bill["bytes_copied"], bill["header_parses"]) == (0, 0)
        if scenario.page_size == 4096:
            assert pages["flips"] == buffers
    if scenario.page_size > 4096:
        assert pages["flips"] == 0
    spent = r["cpu_ns"]
    assert spent["irq"] + spent["softirq"] == sum(spent["by_operation"].values())
    assert r["steps"] == m.n == sum(m.counts)
    assert skbs["truesize_max"] * skbs["built"] >= skbs["truesize_total"]
