"""Memory that is not to be had, or not good enough: what the driver does, which counter moves, and what is not lost."""

from __future__ import annotations

import pickle

import pytest

from rxviz.errors import ScenarioError
from rxviz.model.account import drops, in_flight
from rxviz.model.failing import FailingMachine
from rxviz.model.machine import Machine
from rxviz.model.memory import Page
from rxviz.model.ring import RxRing
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step, record
from tests.model.harness import KERNELS, PATHS, at_once, dark, kinds, machine, settle, sized

SECOND = 1_000_000_000


def run(line: str) -> tuple[Machine, list[Step]]:
    m = make_machine(parse_line(line))
    return m, list(record(m))


def lost(m: Machine) -> dict[str, int]:
    return {counter: frames for counter, frames in drops(m).items() if frames}


def line_of(kernel: str, path: str, words: str) -> str:
    return f"ixgbe kernel={kernel} path={path} ring=8 reader=off {words}"


# -------------------------------------------------------------------------------------------------- no page to be had
@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_the_refill_ends_at_the_first_page_that_is_not_to_be_had(kernel: str, path: str) -> None:
    """What was filled before it is handed over, and nothing is told to the NIC where that is nothing."""
    m, steps = run(line_of(kernel, path, "traffic=tcp:1514x30 rate=100kpps fail=alloc_page@1-7"))
    told = set()
    for at, step in enumerate(steps):
        if step.name != "page.alloc_failed":
            continue
        began = max(n for n in range(at) if steps[n].name == "ring.refill")
        filled = kinds(steps[began:at], "desc.post")
        following = steps[at + 1]
        if filled:
            assert (following.name, following.field("tail")) == ("ring.tail", step.slot)
            assert (filled[-1].slot + 1) % 8 == step.slot
        else:
            assert following.name in ("desc.done", "desc.empty")
        told.add(bool(filled))
        assert [change for change in step.changes if change[0].startswith("counters.")] == [
            ("counters.alloc_rx_page_failed", at_failure(steps, at), at_failure(steps, at) + 1)
        ]
    assert told == {True, False}
    assert m.driver.counters()["alloc_rx_page_failed"] == 7
    assert m.socket.delivered == 30
    assert lost(m) == {}
    assert dark(m)


def at_failure(steps: list[Step], at: int) -> int:
    return len(kinds(steps[:at], "page.alloc_failed"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_next_to_alloc_stands_at_the_slot_that_has_no_page(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} ring=8 reader=off fail=alloc_page@1-20", sized([1514] * 30))
    while not m.driver.counters()["alloc_rx_page_failed"]:
        assert m.tick()
    settle(m, 30)
    ring = m.ring
    assert isinstance(ring, RxRing)
    assert m.driver.falls_short()
    assert ring.next_to_alloc == ring.next_to_use == m.nic.rdt == m.nic.rdh == ring.next_to_clean
    assert ring.rx_buffer_info[ring.next_to_use].page is None


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_dry_ring_is_revived_by_the_service_task(kernel: str, path: str) -> None:
    """Nobody reads, so every page goes; for a while there are no others, and the ring runs dry with frames waiting."""
    words = "traffic=tcp:1514x30 rate=100kpps fail=alloc_page@1-11 rcvbuf=1000000"
    m, steps = run(line_of(kernel, path, words))
    revived = kinds(steps, "service.task")
    assert [step.t_ns for step in revived] == [2 * n * SECOND for n in range(1, len(revived) + 1)]
    assert all(step.field("dry") for step in revived)
    # Each time one more attempt fails; the last time there is memory again.
    failed = [step.t_ns for step in kinds(steps, "page.alloc_failed")]
    assert len(failed) == 11
    assert len([t for t in failed if t >= 2 * SECOND]) == len(revived) - 1
    assert m.socket.delivered == 30
    assert lost(m) == {}
    assert dark(m)


def test_what_a_full_packet_buffer_loses_meanwhile_has_its_counter() -> None:
    words = "traffic=tcp:1514x40 rate=100kpps fail=alloc_page@1-11 rcvbuf=1000000 fifo=9084"
    m, _ = run(line_of("6.18", "build_skb", words))
    assert lost(m) == {"rx_missed_errors": 40 - 14 - 6}
    assert m.socket.delivered == 20
    assert dark(m)


def test_with_drop_enable_nothing_waits() -> None:
    words = "traffic=tcp:1514x40 rate=100kpps fail=alloc_page@1-11 rcvbuf=1000000 drop_en=on"
    m, steps = run(line_of("6.18", "build_skb", words))
    assert lost(m) == {"rx_no_dma_resources": 40 - 14}
    assert kinds(steps, "service.task")
    assert m.nic.rdt != m.nic.rdh
    assert dark(m)


def test_memory_that_never_comes_back_ends_the_run_with_frames_in_flight() -> None:
    scenario = parse_line("ixgbe ring=8 reader=off traffic=tcp:1514x30 rate=100kpps fail=alloc_page@1-")
    m = make_machine(scenario)
    m.run()
    frames = result(scenario, m)["frames"]
    assert m.waits_for_memory
    assert in_flight(m) == {"nic": 16, "ring": 0, "gro": 0}
    assert (frames["delivered"], frames["in_flight"]) == (14, 16)
    assert m.now < 2 * SECOND
    assert dark(m)
    assert not m.tick()


# ------------------------------------------------------------------------------------------------- a page not mapped
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_page_that_cannot_be_mapped_goes_back(kernel: str) -> None:
    scenario = parse_line(f"ixgbe kernel={kernel} ring=8 reader=off traffic=tcp:1514x30 rate=100kpps fail=map@2")
    m = make_machine(scenario)
    steps = list(record(m))
    (failed,) = kinds(steps, "page.map_failed")
    at = steps.index(failed)
    assert (steps[at + 1].name, steps[at + 1].page) == ("page.free", failed.page)
    assert m.driver.counters()["alloc_rx_page_failed"] == 1
    assert failed.page not in m.memory.pages
    pages = result(scenario, m)["pages"]
    alive = sum(page.kind == "rx" for page in m.memory.pages.values())
    assert pages["allocated"] - pages["freed"] == alive
    assert m.ledger.dma_maps == pages["allocated"] - 1
    assert m.socket.delivered == 30
    assert dark(m)


# ------------------------------------------------------------------------------------------------------------- no skb
@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_frame_without_an_skb_stays_as_if_nobody_had_looked(kernel: str, path: str) -> None:
    m = machine(line_of(kernel, path, "fail=alloc_skb@1"), sized([1514, 1514], apart=5_000_000))
    ring = m.ring
    assert isinstance(ring, RxRing)
    buffer = ring.rx_buffer_info[0]
    page = buffer.page
    assert isinstance(page, Page)
    before = (buffer.page_offset, buffer.pagecnt_bias, page.refcount, page.slot, dict(page.users))
    settle(m, 1)
    assert m.driver.counters()["alloc_rx_buff_failed"] == 1
    assert ring.next_to_clean == 0
    assert buffer.page is page
    assert (buffer.page_offset, buffer.pagecnt_bias, page.refcount, page.slot, dict(page.users)) == before
    assert m.driver.pending()
    assert not m.skbs
    # NAPI is complete and the vector open; for this descriptor the NIC will not call again.
    assert not m.napi.scheduled
    assert not m.nic.irq_masked
    assert not m.nic.irq_armed
    settle(m, 2)
    assert [skb.frame.id for skb in m.socket.queue] == [0, 1]
    m.run()
    assert lost(m) == {}
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("size", [60, 256, 257, 1514])
def test_the_last_frame_waits_for_the_service_task(kernel: str, path: str, size: int) -> None:
    m, steps = run(line_of(kernel, path, f"traffic=udp:{size}x3 rate=1kpps fail=alloc_skb@3"))
    (failed,) = kinds(steps, "skb.alloc_failed")
    (came,) = kinds(steps, "service.task")
    assert failed.frame == 2
    assert came.t_ns == 2 * SECOND
    assert not came.field("dry")
    assert steps[-1].t_ns > 2 * SECOND
    assert [skb.frame.id for skb in m.socket.queue] == [0, 1, 2]
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_only_the_first_buffer_of_a_frame_needs_an_skb(kernel: str, path: str) -> None:
    line = f"ixgbe kernel={kernel} path={path} ring=64 mtu=9000 reader=off rcvbuf=1000000 fail=alloc_skb@2-4"
    m = machine(line, at_once([9014] * 3))
    steps = list(record(m))
    assert [step.frame for step in kinds(steps, "skb.alloc_failed")] == [1, 1, 1]
    assert [skb.payload() == skb.frame.data for skb in m.socket.queue] == [True] * 3
    assert [skb.frame.id for skb in m.socket.queue] == [0, 1, 2]
    assert dark(m)


def test_frames_behind_the_one_that_failed_come_after_it() -> None:
    m, steps = run("ixgbe ring=64 reader=off traffic=tcp:1514x40 itr=20 fail=alloc_skb@5-9,alloc_skb@20 gro=on")
    assert len(kinds(steps, "skb.alloc_failed")) == 6
    assert [frame.id for skb in m.socket.queue for frame in skb.frames] == list(range(40))
    assert dark(m)


# -------------------------------------------------------------------------------------------------- pages to be left
@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("size", [60, 1514])
def test_a_page_of_another_node_never_stays(kernel: str, path: str, size: int) -> None:
    """Also one that a short frame was only copied from; and once it is gone, the ring has pages of its own node."""
    m, steps = run(line_of(kernel, path, f"traffic=udp:{size}x20 rate=100kpps fail=remote_page@0-6 rcvbuf=1000000"))
    given_up = [step.page for step in kinds(steps, "page.give_up")]
    assert given_up[:7] == list(range(7))
    assert [step.field("reserved") for step in kinds(steps, "page.give_up")][:7] == ["remote_page"] * 7
    assert not {step.page for step in kinds(steps, "page.reuse")} & set(range(7))
    assert m.socket.delivered == 20
    if path == "legacy" and size == 60:
        # Nobody else held them: the driver dropped the last reference itself.
        assert not {page.id for page in m.memory.pages.values()} & set(range(7))
        assert {step.page for step in kinds(steps, "page.reuse")} == {step.page for step in kinds(steps, "page.alloc")}
    assert m.ledger.dma_maps - m.ledger.dma_unmaps == len(m.ring.references())
    assert dark(m)


def test_a_copied_frame_leaves_the_half_that_is_still_held() -> None:
    """The page goes though nobody asked for it; the skb that has its other half keeps it alive."""
    line = "ixgbe kernel=4.9 ring=4 refill=1 reader=off fail=remote_page@0-2"
    m = machine(line, sized([1514, 60, 60, 60]))
    m.run()
    (skb, *_) = m.socket.queue
    assert skb.frags[0].page.id == 0
    assert skb.frags[0].page.refcount == 1
    assert skb.payload() == skb.frame.data
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_the_emergency_reserve_is_not_for_every_socket(kernel: str, path: str) -> None:
    m, steps = run(line_of(kernel, path, "traffic=udp:1514x5 rate=100kpps fail=pfmemalloc@2"))
    assert [step.frame for step in kinds(steps, "socket.pfmemalloc")] == [2]
    assert lost(m) == {"PFMemallocDrop": 1}
    assert m.counters()["PFMemallocDrop"] == 1
    assert m.counters()["RcvbufErrors"] == 0
    assert [skb.frame.id for skb in m.socket.queue] == [0, 1, 3, 4]
    assert [step.page for step in kinds(steps, "page.give_up")] == [2]
    assert 2 not in m.memory.pages
    assert dark(m)


def test_a_copy_lies_in_other_memory() -> None:
    m, steps = run("ixgbe path=legacy ring=8 reader=off traffic=udp:60x5 rate=100kpps fail=pfmemalloc@2")
    assert m.socket.delivered == 5
    assert [step.page for step in kinds(steps, "page.give_up")] == [2]
    assert dark(m)


# ------------------------------------------------------------------------------------------------------------ stalls
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_cpu_that_stands_still_leaves_it_to_the_nic(kernel: str) -> None:
    """7 frames find a descriptor and 66 find room in 100,000 bytes: the rest of what comes meanwhile is lost."""
    line = f"ixgbe kernel={kernel} ring=8 traffic=tcp:1514x100 rate=100kpps fifo=100000 rcvbuf=1000000 fail="
    m, steps = run(line + "stall_cpu@105000+800000")
    (stall,) = kinds(steps, "cpu.stall")
    assert (stall.t_ns, stall.field("ns")) == (105_000, 800_000)
    assert not [step for step in steps if 105_000 < step.t_ns < 905_000 and step.name == "desc.done"]
    assert lost(m) == {"rx_missed_errors": 80 - 7 - 66}
    assert m.socket.delivered == 93
    assert dark(m)
    assert lost(run(line + "stall_cpu@105000+700000")[0]) == {}


def test_a_program_that_stands_still_leaves_it_to_the_socket() -> None:
    """`rx_missed_errors` shows nothing: all the work was done before the frame was dropped."""
    m, steps = run("ixgbe ring=64 traffic=tcp:1514x100 rate=100kpps rcvbuf=20000 fail=stall_reader@105000+500000")
    (stall,) = kinds(steps, "reader.stall")
    assert stall.t_ns == 105_000
    assert not [step for step in steps if 106_000 < step.t_ns < 605_000 and step.name == "reader.read"]
    assert set(lost(m)) == {"RcvbufErrors"}
    assert m.nic.received == 100
    assert dark(m)


# ----------------------------------------------------------------------------------------------------- the mechanism
def test_an_honest_machine_knows_nothing_of_it() -> None:
    assert type(make_machine(parse_line("ixgbe ring=8"))) is Machine
    assert type(make_machine(parse_line("ixgbe ring=8 fail=map@1"))) is FailingMachine


def test_attempts_are_counted_from_the_first_fill_on() -> None:
    m = make_machine(parse_line("ixgbe ring=64 fail=alloc_page@1-63,map@1-,alloc_skb@1"))
    assert len(m.ring.references()) == 63
    assert m.driver.counters()["alloc_rx_page_failed"] == 0


@pytest.mark.parametrize("words", ["alloc_page@1-9,map@3", "alloc_skb@4-7", "pfmemalloc@1-3,remote_page@5"])
def test_a_checkpoint_goes_on_as_the_machine_would(words: str) -> None:
    scenario = parse_line(f"ixgbe ring=8 reader=off traffic=tcp:1514x30 rate=100kpps fail={words}")
    whole = make_machine(scenario)
    whole.run()
    halfway = make_machine(scenario)
    for _ in range(25):
        halfway.tick()
    again: Machine = pickle.loads(pickle.dumps(halfway))
    again.source = halfway.source
    again.run()
    assert state_digest(again) == state_digest(whole)


def test_failures_cost_the_same_each_time() -> None:
    line = "ixgbe ring=8 reader=slow traffic=tcp:1514x60 fail=alloc_page@2-4,alloc_skb@9,remote_page@1-3"
    assert result(parse_line(line), run(line)[0]) == result(parse_line(line), run(line)[0])


# -------------------------------------------------------------------------------------------------------------- qede
QEDE = [("4.12", "legacy"), ("4.19", "build_skb"), ("6.18", "build_skb")]


@pytest.mark.parametrize(("kernel", "path"), QEDE)
def test_qede_drops_the_frame_whose_buffer_nothing_replaces(kernel: str, path: str) -> None:
    """Each page serves two frames, then a fresh one is due: while there is none, the BD is posted again as it is."""
    line = f"qede kernel={kernel} ring=8 reader=off rcvbuf=1000000 traffic=tcp:1514x60 rate=100kpps"
    m, steps = run(f"{line} fail=alloc_page@1-9")
    dropped = kinds(steps, "frame.no_memory")
    assert dropped
    assert {step.field("short_of") for step in dropped} == {"page"}
    assert lost(m) == {"rx_alloc_errors": len(dropped)}
    assert m.driver.counters()["rx_alloc_errors"] == len(dropped)
    # What was dropped was not written over: the next one through that BD is as it came.
    assert [skb.frame.id for skb in m.socket.queue] == [
        n for n in range(60) if n not in {step.frame for step in dropped}
    ]
    assert all(skb.payload() == skb.frame.data for skb in m.socket.queue)
    assert len(m.ring.references()) == 7
    assert not kinds(steps, "service.task")
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), [QEDE[0], QEDE[2]])
@pytest.mark.parametrize("size", [60, 1514])
def test_qede_without_an_skb_drops_the_frame(kernel: str, path: str, size: int) -> None:
    """Otherwise than with Intel's drivers the frame is lost; its buffer is posted again."""
    m, steps = run(f"qede kernel={kernel} ring=8 reader=off traffic=udp:{size}x9 rate=100kpps fail=alloc_skb@3-4")
    assert [(step.frame, step.field("short_of")) for step in kinds(steps, "frame.no_memory")] == [
        (2, "skb"),
        (3, "skb"),
    ]
    (first, *_) = [n for n, step in enumerate(steps) if step.name == "frame.no_memory"]
    again = next(step for step in steps[first:] if step.name == "seg.repost")
    assert again.field("again") == 1
    assert lost(m) == {"rx_alloc_errors": 2}
    assert dark(m)


@pytest.mark.parametrize("kernel", ["4.12", "6.18"])
def test_a_long_frame_that_qede_drops_half_way_is_counted_nowhere(kernel: str) -> None:
    line = f"qede kernel={kernel} ring=16 mtu=9000 reader=off rcvbuf=1000000 traffic=tcp:9014x30 rate=20kpps"
    m, _ = run(f"{line} fail=alloc_page@1-4,alloc_page@6-12")
    assert lost(m) == {"(no counter)": 2, "rx_alloc_errors": 2}
    assert sum(lost(m).values()) + m.socket.delivered == 30
    assert all(skb.payload() == skb.frame.data for skb in m.socket.queue)
    assert dark(m)


def test_qede_is_refused_what_its_kernel_cannot_meet() -> None:
    with pytest.raises(ScenarioError, match="NULL pointer"):
        parse_line("qede kernel=4.19 fail=alloc_skb@1")
    with pytest.raises(ScenarioError, match="aggregation"):
        parse_line("qede gro=on hw_gro=on fail=map@1")
