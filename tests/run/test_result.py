"""The result of a run, as the contract has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings

from rxviz.model.lamps import LAMPS
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
from tests.model.harness import PATHS
from tests.run.strategies import scenarios


def of(scenario: Scenario) -> dict[str, Any]:
    m = make_machine(scenario)
    m.run()
    return result(scenario, m)


CONTRACT: dict[str, set[str]] = {
    "model": {"driver", "kernel", "path"},
    "frames": {"offered", "received", "delivered", "in_flight", "in_flight_at", "dropped", "dropped_by"},
    "skbs": {"built", "delivered", "merged", "truesize_total", "truesize_max"},
    "pages": {"allocated", "reused", "given_up", "freed", "flips"},
    "ledger": {
        *("bytes_copied", "header_parses", "skb_heads", "sk_buffs", "refs_atomic", "dma_maps", "dma_unmaps"),
        *("sync_cpu_bytes", "sync_device_bytes", "descriptor_reads", "tail_writes", "csum_bytes"),
    },
    "cpu_ns": {"irq", "softirq", "reader", "by_operation"},
    "napi": {"interrupts", "polls", "time_squeeze", "passes", "softirqs", "ksoftirqd", "missed", "itr"},
    "counters": {
        *("rx_missed_errors", "rx_no_dma_resources", "alloc_rx_page_failed", "alloc_rx_buff_failed", "RcvbufErrors"),
    },
}


def test_every_key_of_the_contract() -> None:
    r = of(parse_line("ixgbe ring=8"))
    assert {"scenario", "digest", "steps", "time_ns", "lamps", *CONTRACT} <= r.keys()
    for part, keys in CONTRACT.items():
        assert keys <= r[part].keys(), part
    assert set(r["frames"]["dropped"]) == {"ring", "error", "socket"}
    assert set(r["lamps"]) == set(LAMPS)
    assert json.loads(json.dumps(r)) == r
    assert len(r["digest"]) == 16
    assert set(r["digest"]) <= set("0123456789abcdef")
    assert r["scenario"] == "ixgbe kernel=6.18 path=build_skb ring=8 mtu=1500 traffic=tcp:1514x12"
    assert r["model"] == {"driver": "ixgbe", "kernel": "6.18", "path": "build_skb"}


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_short_run_by_hand(kernel: str, path: str) -> None:
    r = of(parse_line(f"ixgbe kernel={kernel} path={path} ring=64 traffic=tcp:1514x12 rate=1kpps"))
    frames = r["frames"]
    assert (frames["offered"], frames["received"], frames["delivered"], frames["in_flight"]) == (12, 12, 12, 0)
    assert frames["dropped"] == {"ring": 0, "error": 0, "socket": 0}
    assert not any(frames["dropped_by"].values())
    assert not any(frames["in_flight_at"].values())
    assert (r["pages"]["allocated"], r["pages"]["reused"], r["pages"]["given_up"]) == (63, 12, 0)
    assert r["pages"]["flips"] == 12
    assert r["napi"] == {
        "interrupts": 12,
        "polls": 12,
        "passes": 12,
        "softirqs": 12,
        "time_squeeze": 0,
        "ksoftirqd": 0,
        "missed": 0,
        "itr": 10,
    }
    assert r["skbs"]["truesize_max"] == (2944 if path == "legacy" else 2304)
    assert r["skbs"]["truesize_total"] == 12 * r["skbs"]["truesize_max"]
    assert r["ledger"]["bytes_copied"] == (12 * 72 if path == "legacy" else 0)
    assert r["ledger"]["header_parses"] == r["ledger"]["skb_heads"] == (12 if path == "legacy" else 0)
    assert (r["ledger"]["sk_buffs"], r["ledger"]["dma_maps"], r["ledger"]["dma_unmaps"]) == (12, 63, 0)
    assert r["ledger"]["tail_writes"] == 1
    # Each poll looks at one done descriptor and at one that is not.
    assert r["ledger"]["descriptor_reads"] == 24
    assert r["cpu_ns"]["irq"] == 12 * 700


def test_drops_stand_where_they_happened() -> None:
    r = of(parse_line("ixgbe ring=8 traffic=tcp:2000x5"))
    assert r["frames"]["dropped"] == {"ring": 0, "error": 5, "socket": 0}
    assert r["counters"]["rx_long_length_errors"] == 5
    r = of(parse_line("ixgbe ring=8 traffic=tcp:1514x20 rcvbuf=4000 reader=off"))
    assert r["frames"]["dropped"]["socket"] == r["counters"]["RcvbufErrors"] == 17
    assert r["frames"]["delivered"] == 3


def test_pages_are_counted_alike_when_they_come_and_when_they_go() -> None:
    scenario = parse_line("ixgbe kernel=4.19 path=legacy ring=8 traffic=udp:60x300 reader=slow rcvbuf=1000000")
    m = make_machine(scenario)
    m.run()
    pages = result(scenario, m)["pages"]
    alive = sum(page.kind == "rx" for page in m.memory.pages.values())
    assert pages["allocated"] - pages["freed"] == alive


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_a_run_gives_the_same_result_each_time(scenario: Scenario) -> None:
    assert of(scenario) == of(scenario)


def test_the_digest_tells_runs_apart() -> None:
    lines = [
        "ring=8",
        "ring=9",
        "ring=8 reader=slow",
        "ring=8 traffic=tcp:1513x12",
        "ring=8 path=legacy",
        "ring=8 kernel=4.19",
    ]
    assert len({of(parse_line("ixgbe " + line))["digest"] for line in lines}) == len(lines)
