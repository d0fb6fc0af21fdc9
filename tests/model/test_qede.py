"""qede before and after its build_skb commit: segments that are walked, copies, counts and counters."""

from __future__ import annotations

import pytest

from rxviz.model import cqe, descriptor
from rxviz.model.drivers.qede import Qede
from rxviz.model.drivers.qede_geometry import qede_geometry
from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.model.drivers.qede_rules import QedeRules
from rxviz.model.frame import Frame
from rxviz.model.geometry import Geometry
from rxviz.model.machine import Machine
from rxviz.run import kernels
from rxviz.wire import build
from tests.model.harness import APART, at_once, dark, frame, kinds, look, machine, played, settle, sized

BOTH = [("4.12", "legacy"), ("4.19", "build_skb"), ("6.18", "build_skb")]


def layout(kernel: str, mtu: int, page_size: int = 4096) -> Geometry:
    rules = kernels.driver_rules("qede", kernel)
    assert isinstance(rules, QedeRules)
    return qede_geometry(rules, kernels.core_rules(kernel), page_size, mtu, rules.paths[0])


def ring_of(m: Machine) -> QedeRing:
    assert isinstance(m.ring, QedeRing)
    return m.ring


def driver_of(m: Machine) -> Qede:
    assert isinstance(m.driver, Qede)
    return m.driver


@pytest.mark.parametrize(
    ("kernel", "mtu", "bufsz", "pad", "segment"),
    [
        ("4.12", 1500, 1530, 0, 2048),
        ("4.19", 1500, 1530, 64, 2048),  # 64 + 320 + 1530 = 1914
        ("4.12", 2018, 2048, 0, 2048),
        ("4.12", 2019, 2049, 0, 4096),
        ("4.19", 1634, 1664, 64, 2048),
        ("4.19", 1635, 1665, 64, 4096),
        ("4.12", 9000, 4096, 0, 4096),
        ("4.19", 9000, 3712, 64, 4096),  # what headroom and shared info leave of a page
        ("4.19", 68, 98, 64, 512),
    ],
)
def test_a_segment_is_the_next_power_of_two(kernel: str, mtu: int, bufsz: int, pad: int, segment: int) -> None:
    found = layout(kernel, mtu)
    assert (found.bufsz, found.pad, found.segment) == (bufsz, pad, segment)
    assert found.half == 0


def test_each_kernel_has_one_way_to_make_an_skb() -> None:
    assert {kernel: kernels.driver_rules("qede", kernel).paths for kernel in kernels.driver_kernels("qede")} == {
        "4.12": ("legacy",),
        "4.19": ("build_skb",),
        "6.18": ("build_skb",),
    }


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_segments_are_used_one_after_the_other_and_a_page_twice_at_most(kernel: str, path: str) -> None:
    m, steps = played(f"qede kernel={kernel} ring=8 reader=off", sized([1514] * 30))
    name = "skb.build" if path == "build_skb" else "skb.frag"
    attached: dict[int, list[int]] = {}
    for step in kinds(steps, name):
        assert step.page is not None
        attached.setdefault(step.page, []).append(step.field("offset") - m.config.geometry.pad)
    assert all(offsets in ([0], [0, 2048]) for offsets in attached.values())
    assert sum(len(offsets) == 2 for offsets in attached.values()) >= 10
    done = {step.page for step in kinds(steps, "page.done")}
    assert done == {page for page, offsets in attached.items() if len(offsets) == 2}
    assert m.ledger.dma_unmaps == len(done)
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_a_segment_is_not_used_again_though_its_skb_is_long_gone(kernel: str, path: str) -> None:
    m, steps = played(f"qede kernel={kernel} ring=8 reader=fast", sized([1514] * 40))
    starts = [(step.page, step.field("offset")) for step in kinds(steps, "nic.dma")]
    assert len(set(starts)) == len(starts)
    assert len(kinds(steps, "skb.free")) == 40
    assert len(kinds(steps, "seg.next")) + len(kinds(steps, "page.done")) == 40
    assert len(m.skbs) == 0


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_a_copied_frame_leaves_its_segment_where_it_is(kernel: str, path: str) -> None:
    m, steps = played(f"qede kernel={kernel} ring=4 reader=off", sized([100] * 12))
    written = [(step.page, step.field("offset")) for step in kinds(steps, "nic.dma")]
    pad = m.config.geometry.pad
    assert written == [(n % 3, pad) for n in range(12)]
    assert (m.ledger.dma_maps, m.ledger.dma_unmaps) == (3, 0)
    assert [step.field("again") for step in kinds(steps, "seg.repost")] == [1] * 12
    assert dark(m)


@pytest.mark.parametrize(("kernel", "copied", "attached"), [("4.12", 256, 257), ("4.19", 192, 193), ("6.18", 192, 193)])
def test_the_headroom_counts_against_the_copybreak(kernel: str, copied: int, attached: int) -> None:
    m, steps = played(f"qede kernel={kernel} ring=8 reader=off", sized([copied, attached]))
    first, second = m.socket.queue
    assert [step.frame for step in kinds(steps, "skb.copy")] == [0]
    assert first.truesize == 896
    assert second.truesize == (896 + 2048 if kernel == "4.12" else 2048 + 256)
    assert first.payload() == first.frame.data
    assert second.payload() == second.frame.data
    assert first.head_page.kind == "frag"


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_where_the_firmware_puts_a_frame_counts_too(kernel: str, path: str) -> None:
    m = machine(f"qede kernel={kernel} ring=8 reader=off", sized([190, 191, 254, 255]))
    object.__setattr__(m.config.rules, "placement_offset", 2)
    m = Machine(m.config, m.source)
    try:
        m.run()
        limit = 254 if path == "legacy" else 190
        whole = [skb for skb in m.socket.queue if skb.head_page.kind == "frag" and not skb.frags]
        assert max(skb.frame.wire_len for skb in whole) == limit
        assert all(skb.payload() == skb.frame.data for skb in m.socket.queue)
        assert dark(m)
    finally:
        object.__setattr__(m.config.rules, "placement_offset", 0)


def test_headers_are_pulled_before_the_commit_and_nothing_is_after_it() -> None:
    before, steps = played("qede kernel=4.12 ring=8 reader=off", sized([1514]))
    (pulled,) = kinds(steps, "skb.headers")
    assert (pulled.field("size"), pulled.field("copied")) == (66, 72)
    (skb,) = before.socket.queue
    assert (skb.head_len, skb.frags[0].offset, skb.frags[0].size) == (52, 66, 1448)
    assert before.ledger.bytes_copied == 72
    after, _ = played("qede kernel=4.19 ring=8 reader=off", sized([1514]))
    (skb,) = after.socket.queue
    assert (skb.is_built, skb.head_len, skb.frags, skb.mac_header - skb.head) == (True, 1500, [], 64)
    assert after.ledger.bytes_copied == 0


def test_what_was_put_off_is_made_up_for_at_the_end_of_the_poll() -> None:
    both = [frame(i, 1_000 if i < 31 else 2_000_000, 1514) for i in range(62)]
    m, steps = played("qede ring=32 refill=12 reader=off itr=1000 budget=64", both)
    second = [step for step in steps if step.poll == 2]
    names = [step.name for step in second]
    # 31 pages come to their end in the second poll: 19 allocations are put off (31 − 12), the others are not.
    assert (names.count("page.done"), names.count("page.later")) == (31, 19)
    refill = names.index("bd.refill")
    assert names[:refill].count("page.alloc") == 12
    assert names[refill:].count("page.alloc") == 19
    assert kinds(second, "page.later")[-1].field("filled") == 12
    assert ring_of(m).filled_buffers == 31
    assert names[refill:].count("ring.prod") == 1
    assert dark(m)


def test_a_real_ring_counts_a_buffer_too_many_for_each_page_that_it_replaces_at_once() -> None:
    both = [frame(i, 1_000 if i < 127 else 2_000_000, 1514) for i in range(254)]
    m = machine("qede ring=128 reader=off itr=1000 budget=256", both)
    m.run()
    ring = ring_of(m)
    posted = sum(entry.data is not None for entry in ring.sw_rx_ring)
    # 127 pages end in the second poll: at 12 posted, every second one is replaced at once, which counts one up where
    # nothing has become more, and so lets the next one be put off.
    assert (ring.filled_buffers, posted) == (127, 127 - 6)
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_the_card_is_told_once_a_poll(kernel: str, path: str) -> None:
    m = machine(f"qede kernel={kernel} ring=16 reader=off itr=1000", [*at_once([1514] * 5)])
    assert look(m, "nic.bd_cons", "nic.bd_prod", "ring.sw_rx_prod") == (0, 15, 15)
    settle(m, 5)
    assert look(m, "nic.bd_cons", "nic.bd_prod", "ring.sw_rx_cons", "ring.sw_rx_prod") == (5, 4, 5, 4)
    assert look(m, "ring.sw_comp_cons", "ring.hw_comp_cons") == (5, 5)
    assert m.ledger.tail_writes == 2


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_frames_that_find_no_bd_are_dropped_by_the_card_at_once(kernel: str, path: str) -> None:
    m, steps = played(f"qede kernel={kernel} ring=4 reader=off itr=1000", at_once([1514] * 5))
    assert [step.frame for step in kinds(steps, "nic.no_bd")] == [3, 4]
    assert m.counters()["no_buff_discards"] == 2
    assert m.nic.dropped_ring == 2
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_a_frame_that_needs_more_bds_than_are_posted_takes_none(kernel: str, path: str) -> None:
    m, steps = played(f"qede kernel={kernel} mtu=9000 ring=6 reader=off itr=1000", at_once([9014, 9014, 200]))
    (dropped,) = kinds(steps, "nic.no_bd")
    assert (dropped.frame, dropped.field("needed"), dropped.field("posted")) == (1, 3, 2)
    assert [step.frame for step in kinds(steps, "skb.deliver")] == [0, 2]
    assert dark(m)


@pytest.mark.parametrize(
    ("kernel", "pieces", "truesize"),
    [("4.12", [4096, 4096, 822], 896 + 3 * 4096), ("4.19", [3712, 3712, 1590], 4096 + 256 + 2 * 4096)],
)
def test_a_jumbo_takes_several_bds_and_one_completion(kernel: str, pieces: list[int], truesize: int) -> None:
    m, steps = played(f"qede kernel={kernel} mtu=9000 ring=16 reader=off", sized([9014]))
    assert [step.field("size") for step in kinds(steps, "nic.dma")] == pieces
    (written,) = kinds(steps, "nic.cqe")
    assert (written.field("length"), written.field("bds")) == (9014, 3)
    (skb,) = m.socket.queue
    assert (skb.truesize, skb.payload()) == (truesize, skb.frame.data)
    assert m.ledger.dma_unmaps == 3
    assert dark(m)


def _spoilt(fragment: bool) -> Frame:
    data = bytearray(build.udp4(build.payload(400, 1), sport=1, dport=2))
    if fragment:
        data[20:22] = b"\x20\x00"
    return Frame(0, APART, bytes(data), len(data), pkt_info=0x10, status=descriptor.L4CS | descriptor.TCPE)


def test_a_wrong_checksum_is_dropped_before_4_16_and_handed_up_later() -> None:
    before, steps = played("qede kernel=4.12 ring=8 reader=off", [_spoilt(fragment=False)])
    assert [step.name for step in kinds(steps, "frame.discard", "skb.deliver")] == ["frame.discard"]
    assert (before.counters()["rx_hw_errors"], before.driver.drops(), len(before.socket.queue)) == (
        1,
        {"rx_hw_errors": 1},
        0,
    )
    after, steps = played("qede kernel=4.19 ring=8 reader=off", [_spoilt(fragment=False)])
    assert [step.name for step in kinds(steps, "frame.discard", "skb.deliver")] == ["skb.deliver"]
    assert (after.counters()["rx_hw_errors"], after.driver.drops(), len(after.socket.queue)) == (1, {}, 1)
    assert kinds(steps, "cqe.fields")[0].field("csum") == "error"
    assert dark(before)
    assert dark(after)


def test_a_thrown_away_frame_leaves_its_segment_to_the_card() -> None:
    m, steps = played("qede kernel=4.12 ring=8 reader=off", [_spoilt(fragment=False)])
    (again,) = kinds(steps, "seg.repost")
    assert (again.field("again"), again.page, again.field("offset")) == (1, 0, 0)
    assert ring_of(m).sw_rx_ring[again.field("to_slot")].data is m.memory.pages[0]


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_fragments_are_counted_and_never_dropped(kernel: str, path: str) -> None:
    m, _ = played(f"qede kernel={kernel} ring=8 reader=off", [_spoilt(fragment=True)])
    assert (m.counters()["rx_ip_frags"], m.counters()["rx_hw_errors"], len(m.socket.queue)) == (1, 0, 1)


def test_the_bytes_of_a_bd_and_of_its_completion() -> None:
    m = machine("qede ring=8 reader=off itr=1000", at_once([1514]))
    while not m.nic.received:
        m.tick()
    ring = ring_of(m)
    page = ring.page_at(0)
    assert page is not None
    assert ring.descriptor(0) == (page.dma + 64).to_bytes(8, "little")
    raw = ring.entry(0)
    assert len(raw) == 32
    assert raw[0] == 1
    assert raw[2:4] == (1514).to_bytes(2, "little")
    assert raw[12:14] == (1514).to_bytes(2, "little")
    assert (raw[14], raw[16]) == (0, 1)
    completion = cqe.read(ring.cqes, 0)
    assert (completion.type, completion.length, completion.bds) == (cqe.Type.REGULAR, 1514, 1)
    assert completion.flags & cqe.L4CHKSMWASCALCULATED


@pytest.mark.parametrize(("kernel", "path"), BOTH)
def test_completions_left_at_the_end_make_the_poll_report_its_whole_budget(kernel: str, path: str) -> None:
    frames = [frame(0, 1_000, 1514), *(frame(i, 2_000 + 300 * i, 1514) for i in range(1, 12))]
    m, steps = played(f"qede kernel={kernel} ring=32 reader=off itr=0 cost=teaching", frames)
    more = kinds(steps, "cq.more")
    assert more
    assert all(step.field("work") == 64 for step in kinds(steps, "poll.end") if step.poll in {s.poll for s in more})
    assert m.napi.interrupts == len(kinds(steps, "irq.enter")) < m.napi.polls
    assert dark(m)


def test_driver_counters_have_the_names_of_ethtool() -> None:
    m, _ = played("qede gro=on hw_gro=on ring=16", at_once([1514] * 4))
    names = [name for name in m.counters() if name in driver_of(m).counters() or name in m.nic.counters()]
    assert set(names) == {
        "rcv_pkts", "rx_hw_errors", "rx_alloc_errors", "rx_ip_frags", "brb_discards", "no_buff_discards",
        "packet_too_big_discard",
        "coalesced_pkts", "coalesced_events", "non_coalesced_pkts", "coalesced_bytes",
    }  # fmt: skip
