"""igb against the kernel's facts: layouts by MTU and kernel, what a frame costs, and where it parts from ixgbe."""

from __future__ import annotations

import pytest

from rxviz.model.descriptor import CE, IGB_BITS, IPCS, IPE, L4CS, LE, TCPE, status_error
from rxviz.model.drivers.igb import Igb
from rxviz.model.drivers.igb_fetch import IgbFetch
from rxviz.model.frame import Frame
from rxviz.model.ring import IgbRing
from rxviz.model.steps import RING_REFILL
from rxviz.run import words
from rxviz.run.observe import everything
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step
from tests.model.harness import (
    APART,
    ROUTINES,
    at_once,
    dark,
    frame,
    frame_bytes,
    free_first,
    geometry,
    kinds,
    machine,
    played,
    rx_ring,
    settle,
    sized,
)

PATHS = [(kernel, path) for driver, kernel, path in ROUTINES if driver == "igb"]
BUILT = [kernel for kernel, path in PATHS if path == "build_skb"]
LINE = "igb kernel={} path={} ring={} traffic=tcp:1514x1"


def names(steps: list[Step]) -> list[str]:
    return [step.name for step in steps]


# ------------------------------------------------------------------------------------------------------------- layout
def test_the_kernels_and_their_paths() -> None:
    assert PATHS == [
        ("4.9", "legacy"), ("4.11", "legacy"), ("4.12", "legacy"), ("4.12", "build_skb"), ("4.19", "legacy"),
        ("4.19", "build_skb"), ("6.18", "legacy"), ("6.18", "build_skb"),
    ]  # fmt: skip
    drivers = {kernel: type(machine(LINE.format(kernel, path, 8), []).driver) for kernel, path in PATHS}
    assert drivers == {"4.9": IgbFetch, "4.11": IgbFetch, "4.12": Igb, "4.19": Igb, "6.18": Igb}


@pytest.mark.parametrize(("kernel", "path", "mtu", "page", "half", "bufsz", "dma", "pad", "limit"), [
    ("4.9", "legacy", 1500, 4096, 2048, 2048, 2048, 0, 9728),
    ("4.9", "legacy", 9000, 4096, 2048, 2048, 2048, 0, 9728),
    ("4.11", "legacy", 1500, 4096, 2048, 2048, 2048, 0, 9728),
    ("4.12", "legacy", 1500, 4096, 2048, 2048, 2048, 0, 1648),
    ("4.12", "build_skb", 68, 4096, 2048, 1664, 2048, 64, 1648),
    ("4.12", "build_skb", 1500, 4096, 2048, 1664, 2048, 64, 1648),
    ("4.12", "build_skb", 1626, 4096, 2048, 1664, 2048, 64, 1648),
    ("4.12", "build_skb", 1627, 8192, 4096, 3072, 3072, 64, 9728),
    ("4.19", "build_skb", 9000, 8192, 4096, 3072, 3072, 64, 9728),
    ("6.18", "build_skb", 1500, 4096, 2048, 1536, 2048, 192, 1536),
    ("6.18", "build_skb", 1510, 4096, 2048, 1536, 2048, 192, 1536),
    ("6.18", "build_skb", 1511, 8192, 4096, 3072, 3072, 192, 9728),
    ("6.18", "legacy", 1510, 4096, 2048, 2048, 2048, 0, 1536),
    ("6.18", "legacy", 9216, 4096, 2048, 2048, 2048, 0, 9728),
])  # fmt: skip
def test_the_layout_of_a_ring(
    kernel: str, path: str, mtu: int, page: int, half: int, bufsz: int, dma: int, pad: int, limit: int
) -> None:
    layout = geometry(kernel, path, mtu=mtu, driver="igb")
    assert (layout.page, layout.half, layout.bufsz, layout.dma_size) == (page, half, bufsz, dma)
    assert (layout.pad, layout.max_frame) == (pad, limit)


@pytest.mark.parametrize(("kernel", "path", "pad", "last"), [
    ("4.9", "legacy", 0, 6144), ("4.11", "legacy", 0, 6144), ("4.12", "legacy", 0, 5824),
    ("4.12", "build_skb", 64, 5824), ("6.18", "build_skb", 64, 5824),
])  # fmt: skip
def test_large_pages_are_walked_up_to_the_last_offset_that_leaves_2k(
    kernel: str, path: str, pad: int, last: int
) -> None:
    layout = geometry(kernel, path, 8192, driver="igb")
    assert (layout.half, layout.pad, layout.bufsz, layout.last_offset) == (0, pad, 2048, last)
    assert layout.max_frame == 9728


def test_the_ring_of_igb() -> None:
    s = parse_line("igb")
    assert (s.kernel, s.path, s.ring, s.refill_at) == ("6.18", "build_skb", 256, 16)
    assert parse_line("igb page_size=65536").ring == 256
    assert [parse_line(f"igb kernel={kernel}").rules.min_ring for kernel in ("4.9", "4.12", "6.18")] == [80, 80, 64]
    assert (s.rules.max_ring, s.rules.max_mtu, s.rules.line_bits) == (4096, 9216, 1_000_000_000)


@pytest.mark.parametrize(("path", "size", "truesize"), [
    ("legacy", 60, 896), ("legacy", 256, 896), ("legacy", 257, 2944), ("legacy", 1514, 2944),
    ("build_skb", 60, 2304), ("build_skb", 1514, 2304),
])  # fmt: skip
@pytest.mark.parametrize("kernel", BUILT)
def test_what_an_skb_is_charged(kernel: str, path: str, size: int, truesize: int) -> None:
    m, _ = played(LINE.format(kernel, path, 8) + " reader=off", sized([size]))
    assert m.socket.queue[0].truesize == truesize


# ------------------------------------------------------------------------------------------------------- the routine
OLD = [
    *("desc.done", "skb.alloc", "buf.sync", "skb.headers", "skb.frag", "page.flip", "page.reuse", "ring.clean"),
    *("skb.fields", "skb.deliver"),
]
ORDER = {
    ("4.9", "legacy"): OLD,
    ("4.11", "legacy"): [
        *("desc.done", "buf.sync", "skb.alloc", "skb.headers", "skb.frag", "buf.take", "page.flip", "page.topup"),
        *("page.reuse", "ring.clean", "skb.fields", "skb.deliver"),
    ],
    ("4.12", "legacy"): [
        *("desc.done", "buf.sync", "buf.take", "skb.alloc", "skb.headers", "skb.frag", "page.flip", "page.topup"),
        *("page.reuse", "ring.clean", "skb.fields", "skb.deliver"),
    ],
    ("6.18", "build_skb"): [
        *("desc.done", "buf.sync", "buf.take", "skb.build", "page.flip", "page.reuse", "ring.clean", "skb.fields"),
        "skb.deliver",
    ],
}


@pytest.mark.parametrize(("kernel", "path"), ORDER)
def test_the_order_of_the_routine(kernel: str, path: str) -> None:
    """One long frame through a fresh page, from its descriptor to the stack (4.19's bias is still 1 at first)."""
    _, steps = played(LINE.format(kernel, path, 8), sized([1514]))
    told = [step for step in steps if step.frame == 0]
    start = names(told).index("desc.done")
    assert names(told)[start : start + len(ORDER[kernel, path])] == ORDER[kernel, path]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_whatever_is_left_is_refilled_on_the_way_out(kernel: str, path: str) -> None:
    """Three frames in one poll, far fewer than a batch of 16: ixgbe would leave their slots empty."""
    m, steps = played(LINE.format(kernel, path, 128) + " itr=100", at_once([1514] * 3))
    refills = kinds(steps, "ring.refill")
    assert [refill.fields for refill in refills][-1] == (3, True)
    assert rx_ring(m).desc_unused() == 0
    where = steps.index(refills[-1])
    assert "poll.end" in names(steps[where:])
    assert "desc.done" not in names(steps[where:])
    assert words.text(refills[-1], m.config) == "3 slots wait for a buffer: the driver refills them now."
    assert "refills what is left" in words.why(refills[-1], m.config)
    (end,) = kinds(steps, "poll.end")
    assert words.why(end, m.config) == "No done descriptor is left, and igb has refilled every free slot."


def test_batches_of_16_while_the_loop_runs_and_the_rest_after_it() -> None:
    m = machine("igb kernel=4.12 path=build_skb ring=128 traffic=tcp:1514x1 itr=100 reader=off", at_once([60] * 40))
    seen: list[tuple[int, bool]] = []
    m.watch = lambda kind, frame, slot, page, skb, fields: seen.append(fields) if kind == RING_REFILL else None
    m.run()
    assert seen == [(16, False), (16, False), (8, True)]
    assert m.ledger.tail_writes == 4  # with the one that filled the ring


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_frame_that_goes_on_is_kept_with_the_ring_from_poll_to_poll(kernel: str, path: str) -> None:
    """The poll ends between the parts of a frame; its skb is neither lost nor parked at a slot."""
    m = machine(LINE.format(kernel, path, 8) + " mtu=9000 reader=off", [])
    size = m.config.geometry.dma_size
    m.nic.rdt = 1  # the NIC knows of one descriptor only
    m.nic.receive(frame(0, 0, 2 * size + 100))
    m.driver.clean_rx_irq(64)
    ring = m.ring
    assert isinstance(ring, IgbRing)
    held = ring.skb
    assert held is not None
    assert (held.len, held.state) == (size, "driver")
    assert everything(m)["ring.kept"] == held.id
    assert all(buffer.skb is None for buffer in ring.rx_buffer_info)
    m.nic.drain()
    m.driver.clean_rx_irq(64)
    assert ring.skb is None
    assert everything(m)["ring.kept"] is None
    (skb,) = m.socket.queue
    assert (skb, len(skb.frags)) == (held, 2 if path == "build_skb" else 3)
    assert skb.payload() == skb.frame.data


def test_the_sentence_of_a_frame_that_goes_on() -> None:
    m, steps = played("igb ring=8 mtu=9000", sized([7000]))
    step = kinds(steps, "ring.non_eop")[0]
    assert words.text(step, m.config) == "Frame A goes on in the next descriptor: its skb stays at hand."
    assert words.why(step, m.config).endswith("the ring keeps the skb; nothing is lost.")


def test_ixgbe_has_no_skb_with_the_ring() -> None:
    m = machine("ixgbe ring=8", [])
    assert "ring.kept" not in everything(m)


# ------------------------------------------------------------------------------------------------------------ headers
@pytest.mark.parametrize("kernel", ["4.9", "4.11", "4.12", "6.18"])
def test_headers_are_copied_as_the_skb_is_made(kernel: str) -> None:
    m, steps = played(LINE.format(kernel, "legacy", 8) + " reader=off", sized([1514]))
    (skb,) = m.socket.queue
    (headers,), (frag,) = kinds(steps, "skb.headers"), kinds(steps, "skb.frag")
    assert headers.fields == (66, 72)
    assert frag.fields[:2] == (66, 1448)
    assert (skb.head_len + skb.pulled, skb.data_len) == (66, 1448)
    assert skb.frags[0][1:3] == (66, 1448)
    assert m.ledger.bytes_copied == 72
    assert m.ledger.header_parses == 1


@pytest.mark.parametrize("kernel", ["4.9", "4.11", "4.12", "6.18"])
@pytest.mark.parametrize(("size", "flips"), [(256, 0), (257, 1)])
def test_copybreak_is_256(kernel: str, size: int, flips: int) -> None:
    m, _ = played(LINE.format(kernel, "legacy", 8), sized([size]))
    assert (m.ledger.flips, m.ledger.bytes_copied > 200) == (flips, not flips)


def test_no_sync_and_no_unmap_is_put_off() -> None:
    """Each buffer of a long frame is synced as it is taken, its length only, also in 4.9."""
    for kernel, path in PATHS:
        m, steps = played(LINE.format(kernel, path, 80) + " mtu=9000", sized([5000]))
        sizes = [step.field("size") for step in kinds(steps, "buf.sync")]
        assert sizes == ([3072, 1928] if path == "build_skb" else [2048, 2048, 904])
        assert m.ledger.sync_cpu_bytes == 5000
        assert not kinds(steps, "page.unmap")


# ------------------------------------------------------------------------------------------------------- page counts
TRACES = {
    ("4.9", "legacy"): [(2, 0), (1, 0), (2, 0), (2, None)],
    ("4.11", "legacy"): [(65536, 65535), (65535, 65535), (65535, 65534), (2, None)],
    ("4.12", "build_skb"): [(65536, 65535), (65535, 65535), (65535, 65534), (2, None)],
    ("4.19", "build_skb"): [(65536, 65535), (65535, 65535), (65535, 65534), (2, None)],
    ("6.18", "legacy"): [(65535, 65534), (65534, 65534), (65534, 65533), (2, None)],
    ("6.18", "build_skb"): [(65535, 65534), (65534, 65534), (65534, 65533), (2, None)],
}
"""(count, bias) of the first page after: a frame, its skb freed, the page's next frame, and one more that finds both
halves in use; None where the page has left the ring."""


@pytest.mark.parametrize(("kernel", "path"), TRACES)
def test_counts_and_biases(kernel: str, path: str) -> None:
    """A ring of 4 has 3 pages, and every third frame comes to the first one again."""
    m = machine(LINE.format(kernel, path, 4) + " reader=off", sized([1514] * 7))
    page = rx_ring(m).rx_buffer_info[0].page
    assert page is not None

    def seen() -> tuple[int, int | None]:
        return page.refcount, rx_ring(m).rx_buffer_info[page.slot].pagecnt_bias if page.slot >= 0 else None

    found = []
    settle(m, 1)
    found.append(seen())
    free_first(m)
    found.append(seen())
    settle(m, 4)
    found.append(seen())
    settle(m, 7)
    found.append(seen())
    assert found == TRACES[kernel, path]
    assert dark(m)


def test_4_11_compares_with_the_bias_before_the_promise() -> None:
    """A page whose other half is held: count 65,536 − bias 65,534 = 2. It leaves the ring, and nothing flips."""
    m, steps = played(LINE.format("4.11", "legacy", 4) + " reader=off", sized([1514] * 4))
    (given_up,) = kinds(steps, "page.give_up")
    assert (given_up.page, given_up.fields[:3]) == (0, (2048, 65536, 65534))
    assert [step.frame for step in kinds(steps, "page.flip") if step.page == 0] == [0]
    assert words.text(given_up, m.config) == "The driver gives page 0 up: half A is still held."
    assert "= 2: this frame, and another that holds half A" in words.why(given_up, m.config)
    assert words.where(given_up, m.config) == "igb_fetch_rx_buffer"


@pytest.mark.parametrize("kernel", ["4.9", "4.11"])
def test_a_copied_frame_asks_nothing_of_the_page_before_4_12(kernel: str) -> None:
    """The page's other half is held by a long frame; the short one is copied, and the page stays without a look."""
    m, steps = played(LINE.format(kernel, "legacy", 4) + " reader=off", sized([1514, 60, 60, 60]))
    assert m.ledger.pages_given_up == 0
    copied = [step for step in kinds(steps, "page.reuse") if step.frame == 3]
    assert words.why(copied[0], m.config).startswith(
        "The frame was copied, so half B is next again; nobody asks who has the other."
    )


def test_a_copied_frame_tells_who_holds_the_other_half() -> None:
    m, steps = played(LINE.format("6.18", "legacy", 4) + " reader=off", sized([1514, 60, 60, 60]))
    copied = [step for step in kinds(steps, "page.reuse") if step.frame == 3]
    assert "= 1, who holds half A." in words.why(copied[0], m.config)
    alone = [step for step in kinds(steps, "page.reuse") if step.frame == 1]
    assert "= 0, nobody." in words.why(alone[0], m.config)


# --------------------------------------------------------------------------------------------------------------- NIC
@pytest.mark.parametrize(("kernel", "mtu", "longest"), [
    ("4.9", 1500, 9724), ("4.11", 1500, 9724), ("4.12", 1500, 1644), ("4.12", 1627, 9724), ("6.18", 1500, 1532),
    ("6.18", 9000, 9724),
])  # fmt: skip
def test_the_limit_of_the_nic_is_no_mtu(kernel: str, mtu: int, longest: int) -> None:
    """RLPML stays at the largest jumbo frame unless build_skb's limit is enough (from 4.12 on)."""
    line = LINE.format(kernel, "legacy", 80) + f" mtu={mtu}"
    m, steps = played(line, sized([longest, longest + 1]))
    assert (m.nic.received, m.nic.refused["oversize"]) == (1, 1)
    (refused,) = kinds(steps, "nic.oversize")
    assert refused.fields == (longest + 1, longest, "rx_long_length_errors")
    assert words.where(refused, m.config) == "E1000_RLPML"
    counters = m.counters()
    assert (counters["rx_long_length_errors"], counters["rx_errors"]) == (1, 1)
    assert dark(m)


def test_a_jumbo_frame_at_mtu_1500_takes_five_descriptors_before_4_12() -> None:
    m, steps = played(LINE.format("4.9", "legacy", 80) + " reader=off", sized([9014]))
    assert len(kinds(steps, "ring.non_eop")) == 4
    assert m.socket.queue[0].truesize == 896 + 5 * 2048


def test_vlan_tags_count_like_the_rest_of_a_frame() -> None:
    m = machine(LINE.format("4.12", "build_skb", 8), [])
    tagged = bytes(12) + b"\x81\x00" + bytes(1800)
    assert m.nic.longest_frame(tagged) == m.nic.longest_frame(b"") == 1644


def test_frames_that_find_no_descriptor_are_counted_and_only_some_are_lost() -> None:
    """A ring of 80 has 79 descriptors; 64 KB hold 43 frames of 1,514 bytes more."""
    m, steps = played("igb kernel=4.12 path=build_skb ring=80 traffic=tcp:1514x1 itr=1000", at_once([1514] * 130))
    counters = m.counters()
    assert counters["rx_missed_errors"] == counters["rx_fifo_errors"] == 130 - 79 - 43
    assert counters["rx_no_buffer_count"] == 130 - 79
    assert m.nic.received == 122
    missed = kinds(steps, "nic.missed")[0]
    assert "only the NIC's own counter rx_missed_errors tells of it" in words.why(missed, m.config)
    assert words.where(missed, m.config) == "E1000_MPC"


def test_with_drop_enable_a_queue_counts_its_own_drops() -> None:
    m, steps = played("igb ring=80 drop_en=on traffic=tcp:1514x1 itr=1000", at_once([1514] * 90))
    counters = m.counters()
    assert counters["rx_queue_0_drops"] == counters["rx_fifo_errors"] == 11
    assert counters["rx_missed_errors"] == 0
    assert "rx_queue_0_drops" in words.why(kinds(steps, "nic.no_descriptor")[0], m.config)


def test_the_counters_have_the_names_that_ethtool_shows() -> None:
    m = machine(LINE.format("6.18", "build_skb", 8), [])
    assert [*m.counters()] == [
        *("rx_missed_errors", "rx_no_buffer_count", "rx_fifo_errors", "rx_errors", "rx_crc_errors"),
        *("rx_short_length_errors", "rx_long_length_errors", "rx_queue_0_drops", "rx_queue_0_alloc_failed"),
        "RcvbufErrors",
    ]


def test_the_bits_of_a_status_are_those_of_these_nics() -> None:
    assert IGB_BITS.frame == 0x97000000
    assert IGB_BITS.encode(0x63 | TCPE) == 0x20000063
    assert IGB_BITS.encode(0x63 | IPE) == 0x40000063
    assert IGB_BITS.encode(CE) == CE
    assert IGB_BITS.encode(LE) == 0x80000000
    assert IGB_BITS.flag_names(0x60000063) == ["DD", "EOP", "L4CS", "IPCS", "TCPE", "IPE"]


def test_a_wrong_checksum_is_no_reason_to_drop_a_frame() -> None:
    """0x20000000 is an undersize error for ixgbe, and TCPE for igb: the bits must not be mixed up."""
    data = frame_bytes(1514)
    m, steps = played("igb ring=8 reader=off", [Frame(0, APART, data, len(data), status=L4CS | IPCS | TCPE)])
    assert status_error(m.ring.desc, 0) == 0x20000063
    assert (m.driver.discarded, len(m.socket.queue)) == ({}, 1)
    assert "the L4 checksum wrong" in words.why(kinds(steps, "skb.fields")[0], m.config)


def test_a_frame_with_errors_is_thrown_away_and_the_next_one_begins_anew() -> None:
    m, steps = played(
        "igb ring=8 reader=off bad_frames=stored",
        [frame(0, APART, 1514, "symbol"), frame(1, 2 * APART, 9014, "crc"), frame(2, 3 * APART, 1514)],
    )
    assert m.driver.discarded == {"rx_crc_errors": 2 if m.config.geometry.max_frame > 9018 else 1}
    assert [skb.frame.id for skb in m.socket.queue] == [2]
    first = kinds(steps, "frame.discard")[0]
    assert words.text(first, m.config).startswith("Frame A is bad (RXE, CE: an error symbol")
    assert words.where(first, m.config) == "igb_cleanup_headers"
    assert dark(m)


def test_a_bad_frame_of_several_parts_is_thrown_away_whole() -> None:
    m, steps = played(
        "igb kernel=4.9 ring=80 reader=off bad_frames=stored", [frame(0, APART, 5000, "crc"), frame(1, 2 * APART)]
    )
    assert len(kinds(steps, "ring.non_eop")) == 2
    assert m.driver.discarded == {"rx_crc_errors": 1}
    assert [skb.frame.id for skb in m.socket.queue] == [1]
    assert dark(m)
