"""Who has CPU 0: interrupts before softirqs, softirqs before tasks, and tasks in turns."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rxviz.model.cpu import Who
from rxviz.model.machine import Machine
from rxviz.model.steps import IRQ_ENABLE, NIC_WAIT, READER_READ, READER_RUN, SOFTIRQ_PASS
from rxviz.run import words
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.trace import as_json, record
from tests.model.harness import at_once, dark, frame, kinds, machine, played, sized


def spans(m: Machine) -> list[tuple[Who, int, int]]:
    """Play to the end; return who had CPU 0 from when to when."""
    found: list[tuple[Who, int, int]] = []
    while True:
        start = m.now
        who = m.tick()
        if not who:
            return found
        found.append((who, start, m.now))


# --------------------------------------------------------------------------------------------------------- the reader
def test_a_reader_on_cpu_0_is_interrupted_and_goes_on_afterwards() -> None:
    m, steps = played("ixgbe cpus=1 reader=50000", [frame(0, 1_000, 60), frame(1, 20_000, 60)])
    switched, first = kinds(steps, "reader.run")[0], kinds(steps, "reader.read")[0]
    taken, enabled = kinds(steps, "irq.enter")[1], kinds(steps, "irq.enable")[1]
    assert switched.t_ns < taken.t_ns < first.t_ns
    away = enabled.t_ns + m.costs[IRQ_ENABLE] - taken.t_ns
    assert first.t_ns == switched.t_ns + m.costs[READER_RUN] + 50_000 + away
    # The second skb waits for the first: the program never sleeps between them.
    assert kinds(steps, "reader.read")[1].t_ns == first.t_ns + 50_000
    assert len(kinds(steps, "reader.run")) == 1
    assert m.socket.reader_ns == 100_000
    assert dark(m)


def test_a_reader_on_another_cpu_is_not_held_up() -> None:
    _, steps = played("ixgbe cpus=2 reader=50000@1", [frame(0, 1_000, 60), frame(1, 20_000, 60)])
    first = kinds(steps, "reader.read")[0]
    assert first.t_ns == kinds(steps, "socket.queue")[0].t_ns + 50_000
    assert not kinds(steps, "reader.run")


@pytest.mark.parametrize("kernel", ["4.9", "4.19", "6.18"])
def test_a_program_on_the_softirqs_cpu_reads_only_while_that_is_idle(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} reader=700@0 hz=1000 rcvbuf=8000000", sized([60] * 400, apart=900))
    reads = []

    def watch(kind: int, *_: object) -> None:
        if kind in (READER_RUN, READER_READ):
            reads.append(m.softirq.running or m.napi.irq_pending)

    m.watch = watch
    found = spans(m)
    assert not any(reads)
    assert m.socket.read == 400 == m.socket.delivered
    # One CPU: what its tasks and interrupts took adds up to no more than the time that passed.
    busy = sum(end - start for who, start, end in found if who is not Who.IDLE)
    assert m.socket.reader_ns == 400 * 700
    assert busy <= m.now
    assert all(a[2] <= b[1] for a, b in pairwise(found))
    assert dark(m)


def test_a_program_that_wakes_up_ends_the_softirq_after_its_pass() -> None:
    """The CPU was idle, so waking the program asks for the CPU at once (`need_resched`)."""
    _, steps = played("ixgbe cpus=1", at_once([60] * 200))
    assert kinds(steps, "ksoftirqd.wake")[0].field("limit") == "resched"
    names = [step.name for step in steps if step.name in ("softirq.pass", "reader.run", "ksoftirqd.run")]
    # While ksoftirqd polls, the program is awake but empty-handed; each pass it has something to read again.
    assert names[:5] == ["softirq.pass", "reader.run", "ksoftirqd.run", "softirq.pass", "reader.run"]


def test_ksoftirqd_and_the_program_take_turns_at_ticks() -> None:
    m = machine("ixgbe ring=4096 cpus=1 reader=20000 rcvbuf=16000000 hz=1000", at_once([60] * 4_000))
    found = spans(m)
    turns = [(who, start, end) for who, start, end in found if who in (Who.KSOFTIRQD, Who.READER)]
    switches = [b[1] for a, b in pairwise(turns) if a[0] is Who.READER is not b[0]]
    # The program loses the CPU at a tick, to the ns, for as long as ksoftirqd has frames to poll.
    assert switches == [1_000_000, 3_000_000, 5_000_000]
    assert m.socket.read == m.socket.delivered == 4_000


def test_which_cpu_takes_a_step_is_in_the_trace() -> None:
    for line, reader in (("ixgbe ring=8", 1), ("ixgbe ring=8 cpus=1", 0), ("ixgbe ring=8 cpus=4 reader=fast@3", 3)):
        m = machine(line, sized([1514] * 12, apart=3_000))
        for step in record(m):
            cpu = as_json(step, m.config)["cpu"]
            if step.name.startswith(("nic.", "wire.")) or step.name == "irq.raise":
                assert cpu is None
            elif step.name in ("reader.read", "skb.free", "reader.run"):
                assert cpu == reader
            else:
                assert cpu == 0


def test_an_skb_that_the_socket_drops_is_freed_by_the_softirq() -> None:
    m = machine("ixgbe ring=64 reader=off rcvbuf=2000", at_once([1514] * 5))
    freed = [step.cpu for step in record(m) if step.name == "skb.free"]
    assert freed == [0] * m.socket.rcvbuf_errors
    assert freed


# ------------------------------------------------------------------------------------------------------------- stalls
def test_a_stalled_cpu_takes_no_interrupt_while_the_nic_goes_on() -> None:
    m = machine("ixgbe ring=64 itr=0", sized([60] * 30, apart=1_000))
    steps = []
    for step in record(m):
        steps.append(step)
        if step.name == "wire.arrive" and step.frame == 3:
            m.stall_cpu(15_000)
    (stall,) = kinds(steps, "cpu.stall")
    assert words.text(stall, m.config) == "CPU 0 does nothing for 15,000 ns: not even interrupts are taken."
    meanwhile = [step for step in steps if stall.t_ns < step.t_ns < stall.t_ns + 15_000]
    assert {step.name for step in meanwhile} <= {"wire.arrive", "nic.dma", "nic.writeback", "irq.raise", "reader.read",
                                                "skb.free"}  # fmt: skip
    assert len(kinds(meanwhile, "nic.writeback")) == 15
    assert max(step.field("work") for step in kinds(steps, "poll.end")) >= 15
    assert m.socket.delivered == 30
    assert dark(m)


def test_a_stall_long_enough_runs_the_ring_dry() -> None:
    m = machine("ixgbe ring=8 itr=0", sized([1514] * 40, apart=2_000))
    m.stall_cpu(60_000)
    m.run()
    assert m.counts[NIC_WAIT] > 0
    assert m.nic.received == 40 == m.socket.delivered
    assert dark(m)


@pytest.mark.parametrize("reader", ["2000@0", "2000@1"])
def test_a_stalled_reader_reads_nothing_and_then_all(reader: str) -> None:
    m = machine(f"ixgbe ring=64 reader={reader}", sized([60] * 20, apart=5_000))
    steps = []
    for step in record(m):
        steps.append(step)
        if step.name == "reader.read" and m.socket.read == 4:
            m.stall_reader(50_000)
    stalls = kinds(steps, "reader.stall")
    assert [step.field("ns") for step in stalls] == [50_000]
    reads = [step.t_ns for step in kinds(steps, "reader.read")]
    # The read in which it was comes to its end.
    assert len([t for t in reads if stalls[0].t_ns < t < stalls[0].t_ns + 10_000]) <= 1
    assert not [t for t in reads if stalls[0].t_ns + 10_000 < t < stalls[0].t_ns + 50_000]
    assert m.socket.read == 20
    assert dark(m)


def test_stalls_add_up() -> None:
    m = machine("ixgbe", [frame(0, 1_000)])
    m.stall_cpu(100)
    m.stall_cpu(200)
    m.stall_reader(5_000)
    m.stall_reader(5_000)
    steps = list(record(m))
    assert kinds(steps, "cpu.stall")[0].field("ns") == 300
    assert kinds(steps, "reader.read")[0].t_ns == 10_000 + 500


# --------------------------------------------------------------------------------------------------------- the account
@pytest.mark.parametrize("line", ["cpus=1", "cpus=2", "reader=slow@0", "reader=9000@0 busy=2", "cpus=3 reader=off"])
def test_the_result_says_where_time_went(line: str) -> None:
    scenario = parse_line(f"ixgbe ring=64 traffic=udp:300x200 {line}")
    m = machine(scenario.line(), sized([300] * 200, apart=700))
    m.run()
    r = result(scenario, m)
    cpu = r["cpu_ns"]
    reads = m.socket.read * (scenario.reader_ns or 0)
    assert cpu["reader"] == reads
    assert cpu["irq"] == m.napi.interrupts * 700
    spent = cpu["irq"] + cpu["softirq"] + (0 if scenario.reader_cpu else cpu["reader"])
    assert spent <= r["time_ns"]
    assert r["napi"]["softirqs"] >= r["napi"]["ksoftirqd"]
    assert r["napi"]["passes"] == m.counts[SOFTIRQ_PASS] >= r["napi"]["softirqs"]
