"""Who pays: the bills of the frames, of the run and of the set-up add up, and each is what the driver does."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from rxviz.model.ledger import COUNTS
from rxviz.model.machine import Machine
from rxviz.run.bills import Bill, Bills
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
from tests.run.strategies import scenarios
from tests.run.test_patches import states

ALONE = "rate=20kpps reader=fast"
"""Frames that come one by one: each finds the driver at rest, and the page before free again."""


def billed(scenario: Scenario) -> tuple[Machine, Bills]:
    m = make_machine(scenario)
    bills = Bills(m)
    m.watch = bills.watch
    m.run()
    bills.finish()
    return m, bills


def paid(bill: Bill) -> dict[str, int]:
    """What is on a bill, without what is not."""
    return {name: amount for name, amount in bill.as_dict().items() if amount}


def adds_up(scenario: Scenario) -> None:
    m, bills = billed(scenario)
    parts = [bills.set_up, bills.run, *bills.frames.values()]
    for i, name in enumerate(COUNTS):
        assert sum(bill.amounts[i] for bill in parts) == getattr(m.ledger, name), name
    spent = result(scenario, m)["cpu_ns"]
    assert sum(bill.ns for bill in parts) == spent["irq"] + spent["softirq"]
    assert all(amount >= 0 for bill in parts for amount in bill.amounts)
    assert set(bills.frames) <= set(range(m.offered))


@settings(max_examples=150, deadline=None)
@given(scenarios())
def test_the_bills_add_up_to_the_ledger(scenario: Scenario) -> None:
    adds_up(scenario)


@settings(max_examples=50, deadline=None)
@given(states())
def test_the_bills_add_up_in_every_state_of_the_series(scenario: Scenario) -> None:
    adds_up(scenario)


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_what_is_counted_for_each_frame_is_on_that_frames_bill(scenario: Scenario) -> None:
    """Copies, heads, headers and skbs are always for a frame; a posted buffer and the tail for none."""
    m, bills = billed(scenario)
    # mv643xx_eth allocates skbs before their frames come.
    made = ("skb_heads", "sk_buffs") if not m.config.geometry.head else ()
    for name in ("bytes_copied", *made, "header_parses", "flips", "pages_reused", "csum_bytes",
                 "descriptor_reads_before_fetch", "truesize_total"):  # fmt: skip
        assert bills.run[name] == bills.set_up[name] == 0, name
    # qede posts again for the frame at once, and puts an allocation off only where it may.
    posted = ("dma_maps", "descriptor_writes") if m.config.driver != "qede" else ()
    for name in (*posted, "tail_writes"):
        assert not any(bill[name] for bill in bills.frames.values()), name


FRAME = {"descriptor_reads": 1, "descriptor_reads_before_fetch": 1, "sk_buffs": 1}
BY_HAND = {
    # kernel and path, frame -> what it pays. Lines: the descriptor, 4 of the sk_buff, 1 of the shared info, and …
    # … the Ethernet header where it lies.
    ("kernel=6.18 path=build_skb", "tcp:1514"): FRAME | {
        "sync_cpu_bytes": 1514, "refs_atomic": 1, "pages_reused": 1, "flips": 1, "truesize_total": 2304,
        "cache_lines": 1 + 4 + 1 + 1,
    },
    ("kernel=6.18 path=build_skb", "udp:64"): FRAME | {
        "sync_cpu_bytes": 64, "refs_atomic": 1, "pages_reused": 1, "flips": 1, "truesize_total": 2304,
        "cache_lines": 1 + 4 + 1 + 1,
    },
    # … 66 bytes of headers, 72 copied: two lines read and two written. Two holders: a head's chunk and a half.
    ("kernel=6.18 path=legacy", "tcp:1514"): FRAME | {
        "sync_cpu_bytes": 1514, "refs_atomic": 2, "pages_reused": 1, "flips": 1, "truesize_total": 2944,
        "skb_heads": 1, "header_parses": 1, "bytes_copied": 72, "cache_lines": 1 + 4 + 1 + 2 + 2,
    },
    # … one line read and one written.
    ("kernel=6.18 path=legacy", "udp:64"): FRAME | {
        "sync_cpu_bytes": 64, "refs_atomic": 1, "pages_reused": 1, "truesize_total": 896,
        "skb_heads": 1, "bytes_copied": 64, "cache_lines": 1 + 4 + 1 + 1 + 1,
    },
    # 4.9 syncs whole buffers, for the CPU and, as the page is kept, for the device; it raises the count for each frame.
    ("kernel=4.9 path=legacy", "tcp:1514"): FRAME | {
        "descriptor_reads_before_fetch": 2, "sync_cpu_bytes": 2048, "sync_device_bytes": 2048, "refs_atomic": 1 + 2,
        "pages_reused": 1, "flips": 1, "truesize_total": 2944, "skb_heads": 1, "header_parses": 1, "bytes_copied": 72,
        "cache_lines": 1 + 4 + 1 + 2 + 2,
    },
    ("kernel=4.9 path=legacy", "udp:106"): FRAME | {
        "descriptor_reads_before_fetch": 2, "sync_cpu_bytes": 2048, "sync_device_bytes": 2048, "refs_atomic": 1,
        "pages_reused": 1, "truesize_total": 896, "skb_heads": 1, "bytes_copied": 112, "cache_lines": 1 + 4 + 1 + 2 + 2,
    },
    # Three buffers of 3K; the second fragment's entry lies in another line of the shared info.
    ("kernel=6.18 path=build_skb mtu=9000", "tcp:9014"): FRAME | {
        "descriptor_reads": 3, "descriptor_reads_before_fetch": 3, "sync_cpu_bytes": 9014, "refs_atomic": 3,
        "pages_reused": 3, "flips": 3, "truesize_total": 4352 + 2 * 4096, "cache_lines": 3 + 4 + 1 + 1 + 1,
    },
    # Five buffers of 2K, and a head beside them.
    ("kernel=6.18 path=legacy mtu=9000", "tcp:9014"): FRAME | {
        "descriptor_reads": 5, "descriptor_reads_before_fetch": 5, "sync_cpu_bytes": 9014, "refs_atomic": 6,
        "pages_reused": 5, "flips": 5, "truesize_total": 896 + 5 * 2048, "skb_heads": 1, "header_parses": 1,
        "bytes_copied": 72, "cache_lines": 5 + 4 + 1 + 1 + 2 + 2,
    },
    # igb syncs the frame's length in 4.9 already; it copies headers as it makes the skb.
    ("igb kernel=4.9 path=legacy", "tcp:1514"): FRAME | {
        "descriptor_reads_before_fetch": 2, "sync_cpu_bytes": 1514, "sync_device_bytes": 2048, "refs_atomic": 1 + 2,
        "pages_reused": 1, "flips": 1, "truesize_total": 2944, "skb_heads": 1, "header_parses": 1, "bytes_copied": 72,
        "cache_lines": 1 + 4 + 1 + 2 + 2,
    },
    ("igb kernel=6.18 path=build_skb", "tcp:1514"): FRAME | {
        "sync_cpu_bytes": 1514, "refs_atomic": 1, "pages_reused": 1, "flips": 1, "truesize_total": 2304,
        "cache_lines": 1 + 4 + 1 + 1,
    },
}  # fmt: skip


@pytest.mark.parametrize(("state", "kind"), BY_HAND)
def test_each_frame_pays_what_was_counted_by_hand(state: str, kind: str) -> None:
    driver = "" if state.startswith("igb") else "ixgbe "
    _, bills = billed(parse_line(f"{driver}{state} ring=16 traffic={kind}x30 {ALONE}"))
    expected = BY_HAND[state, kind]
    assert list(bills.frames) == list(range(30))
    for frame, bill in bills.frames.items():
        assert paid(bill) == expected, frame


@pytest.mark.parametrize(
    ("state", "synced"), [("kernel=6.18 path=build_skb", 1536), ("kernel=6.18 path=legacy", 2048), ("kernel=4.9", 0)]
)
def test_the_run_pays_for_posting_and_for_looking_in_vain(state: str, synced: int) -> None:
    """Forty frames one by one in a ring of 16 with batches of 4: ten refills, each at the top of the next turn."""
    _, bills = billed(parse_line(f"ixgbe {state} ring=16 traffic=tcp:1514x40 {ALONE}"))
    # A post touches the line of its descriptor, and every fourth the one behind, whose field it clears.
    assert paid(bills.run) == {
        "descriptor_reads": 40, "descriptor_writes": 40, "tail_writes": 10, "cache_lines": 40 + 40 + 10,
    } | ({"sync_device_bytes": 40 * synced} if synced else {})  # fmt: skip


def test_the_set_up_is_apart() -> None:
    _, bills = billed(parse_line("ixgbe kernel=6.18 ring=16 traffic=tcp:1514x1"))
    assert paid(bills.set_up) == {
        "dma_maps": 15, "refs_atomic": 15, "descriptor_writes": 15, "tail_writes": 1, "sync_device_bytes": 15 * 1536,
        "cache_lines": 15 + 3,
    }  # fmt: skip


def test_a_page_that_is_given_up_is_on_the_bill_of_the_frame_that_loses_it() -> None:
    _, bills = billed(parse_line("ixgbe kernel=6.18 ring=4 traffic=tcp:1514x9 reader=off rcvbuf=1000000"))
    # Three pages: the frames 3 to 5 find the halves of the frames 0 to 2 still held. All is drained at once.
    for frame in range(3):
        assert (bills.frames[frame]["pages_given_up"], bills.frames[frame]["dma_unmaps"]) == (0, 0)
    for frame in range(3, 6):
        bill = bills.frames[frame]
        assert (bill["pages_given_up"], bill["dma_unmaps"], bill["refs_atomic"]) == (1, 1, 1)


def test_what_gro_does_is_for_the_frame_that_came() -> None:
    line = "ixgbe ring=64 traffic=tcp:566x4 gro=on rxcsum=off path={}"
    _, bills = billed(parse_line(line.format("build_skb")))
    # Every frame's checksum is added up as it comes: 20 bytes of header with 12 of options, and 500 of payload.
    assert [bill["csum_bytes"] for bill in bills.frames.values()] == [532] * 4
    _, bills = billed(parse_line(line.format("legacy")))
    # A merged frame's head is dropped as it merges; the first one's skb dies with its head and four halves.
    assert [bill["refs_atomic"] for bill in bills.frames.values()] == [5, 1, 1, 1]


def test_a_bill_by_name() -> None:
    _, bills = billed(parse_line("ixgbe ring=16 traffic=tcp:1514x1"))
    bill = bills.frames[0]
    assert bill["sync_cpu_bytes"] == bill.as_dict()["sync_cpu_bytes"] == 1514
    assert list(bill.as_dict()) == list(COUNTS)
