"""qede's card merges: what each aggregation takes, what its skb is, and what software GRO makes of it."""

from __future__ import annotations

import pytest

from rxviz.errors import ScenarioError
from rxviz.model import cqe
from rxviz.model.cqe import Type
from rxviz.model.descriptor import IPCS, L4CS
from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step
from rxviz.wire.flow import checksum_verdicts
from tests.gro import flow
from tests.gro.flow import ACK, PSH, sport
from tests.model.harness import dark, kinds, machine, played
from tests.model.test_qede import ring_of

BOTH = ["4.12", "4.19", "6.18"]
SIZE, HEADERS = 1446, 54
GOOD = L4CS | IPCS
LINE = "qede ring=64 gro=on hw_gro=on reader=off itr=1000"


def wire(segments: list[bytes], apart: int = 300) -> list[Frame]:
    """Segments as frames on the wire, verified by the card, with the flow of their ports."""
    return [
        Frame(
            n, 1_000 + n * apart, data, len(data), flow=data[35], hash=data[35] * 7, pkt_info=0x11, status=L4CS | IPCS
        )
        for n, data in enumerate(segments)
    ]


def run(kernel: str, segments: list[bytes], extra: str = "", apart: int = 300) -> tuple[Machine, list[Step]]:
    return played(f"{LINE} kernel={kernel} {extra}".strip(), wire(segments, apart))


def in_a_row(count: int, size: int = SIZE) -> list[bytes]:
    return flow.run_of(count, size=size)


@pytest.mark.parametrize("kernel", BOTH)
def test_sixteen_frames_fill_an_aggregation(kernel: str) -> None:
    m, steps = run(kernel, in_a_row(40))
    ends = kinds(steps, "tpa.end")
    assert [step.field("segs") for step in ends] == [16, 16, 8]
    assert all(step.field("gso_size") == SIZE for step in ends)
    assert m.counters()["coalesced_pkts"] == 40
    assert m.counters()["coalesced_events"] == 3
    assert m.socket.frames_delivered == 40
    assert dark(m)


@pytest.mark.parametrize(("kernel", "truesize", "head"), [("4.12", 1, 1), ("4.19", 2304 + 15 * 2048, 0)])
def test_what_an_aggregation_is_charged(kernel: str, truesize: int, head: int) -> None:
    m, _ = run(kernel, in_a_row(16))
    (skb,) = m.socket.queue
    assert skb.segs == 16
    assert len(skb.frags) == 15
    first = HEADERS + SIZE
    if head:
        size = m.config.core.napi_head(first)
        truesize = size + 256 + 15 * 2048
        assert m.ledger.bytes_copied == first
    else:
        assert m.ledger.bytes_copied == 0
    assert skb.truesize == truesize
    assert skb.payload() == skb.expected()
    assert dark(m)


def test_the_headers_of_the_result_stand_for_the_whole() -> None:
    m, _ = run("6.18", in_a_row(5))
    (skb,) = m.socket.queue
    whole = skb.payload()
    total = 5 * SIZE + HEADERS
    assert len(whole) == total
    assert int.from_bytes(whole[16:18], "big") == total - 14
    assert checksum_verdicts(whole)[0] is True
    # The TCP checksum is the sum of the pseudo header alone, as GRO leaves it.
    length = total - 34
    words = [int.from_bytes(whole[26 + i : 28 + i], "big") for i in range(0, 8, 2)] + [6, length]
    folded = sum(words)
    while folded >> 16:
        folded = (folded & 0xFFFF) + (folded >> 16)
    assert int.from_bytes(whole[50:52], "big") == folded


@pytest.mark.parametrize("kernel", BOTH)
def test_psh_ends_an_aggregation_with_its_frame_inside(kernel: str) -> None:
    segments = in_a_row(3)
    segments.append(flow.frame(3, size=SIZE, flags=ACK | PSH))
    m, steps = run(kernel, segments)
    (end,) = kinds(steps, "tpa.end")
    assert end.field("segs") == 4
    assert m.socket.queue[0].payload()[47] == ACK | PSH
    assert dark(m)


@pytest.mark.parametrize("kernel", BOTH)
def test_frames_with_less_than_half_the_mtu_pass(kernel: str) -> None:
    short, long_ = in_a_row(4, 749), in_a_row(4, 750)
    m, steps = run(kernel, short)
    assert not kinds(steps, "tpa.start")
    assert m.counters()["non_coalesced_pkts"] == 4
    _, steps = run(kernel, long_)
    assert [step.field("segs") for step in kinds(steps, "tpa.end")] == [4]


@pytest.mark.parametrize("kernel", BOTH)
def test_the_timer_ends_an_aggregation_of_one_frame(kernel: str) -> None:
    m, steps = run(kernel, in_a_row(1))
    (end,) = kinds(steps, "tpa.end")
    assert (end.field("segs"), end.field("gso_size")) == (1, 0)
    (written,) = [step for step in kinds(steps, "nic.cqe") if step.field("type") == "TPA end"]
    (started,) = [step for step in kinds(steps, "nic.cqe") if step.field("type") == "TPA start"]
    assert written.t_ns - started.t_ns == 20_000
    assert m.counters()["non_coalesced_pkts"] == 1
    assert dark(m)


@pytest.mark.parametrize("kernel", BOTH)
def test_connections_are_merged_side_by_side(kernel: str) -> None:
    segments = [flow.frame(n, size=SIZE, ports=sport(port)) for n in range(3) for port in (5, 9)]
    m, steps = run(kernel, segments)
    assert [step.field("agg") for step in kinds(steps, "tpa.start")] == [0, 1]
    assert [step.field("segs") for step in kinds(steps, "tpa.end")] == [3, 3]
    assert dark(m)


def test_before_the_commit_each_aggregation_has_a_page_in_reserve() -> None:
    m = machine(f"{LINE} kernel=4.12", [])
    assert (m.ledger.dma_maps, len(m.driver.references())) == (63 + 64, 64)
    _, steps = run("4.12", in_a_row(2))
    names = [
        step.name for step in kinds(steps, "tpa.replace", "tpa.park", "skb.alloc", "tpa.start", "tpa.copy", "tpa.end")
    ]
    assert names == ["tpa.replace", "tpa.park", "skb.alloc", "tpa.start", "tpa.copy", "tpa.end"]
    (replaced,) = kinds(steps, "tpa.replace")
    assert replaced.page == 63, "the first page of the reserve"
    (copied,) = kinds(steps, "tpa.copy")
    assert (copied.page, copied.field("copied")) == (0, HEADERS + SIZE)


def test_after_it_there_is_no_reserve_and_a_page_at_its_end_stays_mapped() -> None:
    m = machine(f"{LINE} kernel=4.19", [])
    assert (m.ledger.dma_maps, m.driver.references()) == (63, [])
    # The ring is walked once; in the second round an aggregation begins in a page's last segment.
    m, steps = played("qede ring=8 gro=on hw_gro=on reader=fast kernel=4.19", wire(in_a_row(40), 40_000))
    mapped, unmapped = kinds(steps, "tpa.mapped"), kinds(steps, "page.unmap")
    assert len(mapped) == len(unmapped) >= 10
    for held, let_go in zip(mapped, unmapped, strict=True):
        assert held.page == let_go.page
        assert held.n < let_go.n
    assert dark(m)


def test_at_the_end_the_page_is_unmapped_before_the_last_part_is_attached() -> None:
    """PSH in the second frame of each pair: the end brings it along. On three pages some begin in a last segment."""
    pairs = [flow.frame(n, size=SIZE, flags=ACK | PSH if n % 2 else ACK) for n in range(8)]
    frames = wire(pairs)
    for n, each in enumerate(frames):
        each.t_ns = 1_000 + n // 2 * 40_000 + n % 2 * 300
    _, steps = played("qede ring=4 gro=on hw_gro=on reader=fast kernel=6.18", frames)
    told = [step.name for step in kinds(steps, "cqe.take", "page.unmap", "tpa.frag", "tpa.end")]
    assert "page.unmap" in told
    for number, name in enumerate(told):
        if name == "page.unmap":
            assert told[number - 1 : number + 3] == ["cqe.take", "page.unmap", "tpa.frag", "tpa.end"]


# ----------------------------------------------------------------------------------------------------- without memory
def test_without_a_page_for_a_part_the_whole_aggregation_is_dropped_at_its_end() -> None:
    line = "qede ring=4 gro=on hw_gro=on reader=off kernel=4.12 fail=alloc_page@1-6"
    m, steps = played(line, wire(in_a_row(9), 9_000))
    (failed,) = kinds(steps, "tpa.error")
    assert failed.page is not None
    (dropped,) = kinds(steps, "tpa.drop")
    assert failed.n < dropped.n
    lost = dropped.field("segs") + len(kinds(steps, "tpa.skip"))
    assert m.driver.drops() == {"(no counter)": lost}
    assert m.socket.frames_delivered + lost == 9
    # The segment that could not be given away is offered again, and the skb's reference to it was dropped with it.
    assert any(step.page == failed.page and step.field("again") for step in kinds(steps, "seg.repost"))
    assert m.counters()["rcv_pkts"] == len(kinds(steps, "tpa.end"))
    assert dark(m)


def test_without_an_skb_an_aggregation_is_lost_and_its_page_is_the_next_reserve() -> None:
    m, steps = played(f"{LINE} kernel=4.12 fail=alloc_skb@1", wire(in_a_row(3)))
    (failed,) = kinds(steps, "tpa.no_skb")
    assert [step.frame for step in kinds(steps, "tpa.skip")] == [1, 2]
    assert m.driver.drops() == {"(no counter)": 3}
    assert (failed.page, len(m.driver.references())) == (0, 64)
    assert not kinds(steps, "tpa.end")
    assert m.driver.kept(m.memory.pages[0]) == (0, None)
    assert dark(m)


@pytest.mark.parametrize("words", ["kernel=4.19 fail=alloc_page@1", "kernel=6.18 fail=map@1", "fail=alloc_skb@1-"])
def test_from_build_skb_on_the_kernel_does_not_outlive_an_aggregation_without_memory(words: str) -> None:
    with pytest.raises(ScenarioError, match=r"(posts a BD whose page it has forgotten|build_skb gave it an skb)"):
        parse_line(f"qede gro=on hw_gro=on {words}")


@pytest.mark.parametrize(("kernel", "segs"), [("4.12", [2, 2]), ("4.19", [2, 2]), ("6.18", [4])])
def test_software_gro_adds_to_what_the_card_has_merged_from_6_1_on(kernel: str, segs: list[int]) -> None:
    # A gap of more than the card's timer between pairs, and one poll for all.
    first, second = wire(in_a_row(4))[:2], wire(in_a_row(4), 10_000)[2:]
    late = [*first, *second]
    m, steps = played(f"{LINE} kernel={kernel}", late)
    assert [step.field("segs") for step in kinds(steps, "tpa.end")] == [2, 2]
    assert [skb.segs for skb in m.socket.queue] == segs
    assert m.socket.frames_delivered == 4
    assert dark(m)


def test_the_bytes_of_the_completions() -> None:
    m, _ = run("6.18", in_a_row(3))
    cqes = ring_of(m).cqes
    start, cont, last, end = (cqe.read(cqes, n) for n in range(4))
    assert (start.type, start.first, start.header, start.length, start.agg) == (
        Type.TPA_START, HEADERS + SIZE, HEADERS, SIZE, 0
    )  # fmt: skip
    assert (cont.type, cont.lens) == (Type.TPA_CONT, (SIZE,))
    assert (last.type, last.lens) == (Type.TPA_CONT, (SIZE,))
    assert (end.type, end.length, end.segments, end.lens) == (Type.TPA_END, HEADERS + SIZE + 2 * SIZE, 3, ())


@pytest.mark.parametrize(("kernel", "segs"), [("4.12", [3]), ("4.19", [])])
def test_a_frame_that_does_not_fit_into_one_buffer_is_not_merged(kernel: str, segs: list[int]) -> None:
    m, steps = played(f"{LINE} mtu=4000 kernel={kernel}", wire(in_a_row(3, 3960)))
    assert m.config.geometry.dma_size == (4030 if kernel == "4.12" else 3712)
    assert [step.field("segs") for step in kinds(steps, "tpa.end")] == segs
    assert dark(m)


@pytest.mark.parametrize("kernel", BOTH)
def test_ledger_and_counts_tell_of_frames_on_the_wire(kernel: str) -> None:
    from rxviz.run.engine import make_machine
    from rxviz.run.result import result
    from rxviz.run.scenario import parse_line

    scenario = parse_line(f"qede kernel={kernel} ring=64 gro=on hw_gro=on traffic=tcp:1514x50")
    m = make_machine(scenario)
    m.run()
    told = result(scenario, m)
    frames, skbs = told["frames"], told["skbs"]
    assert (frames["offered"], frames["delivered"]) == (50, 50)
    assert skbs["delivered"] == 50 - skbs["merged"]
    assert skbs["merged"] > 40
