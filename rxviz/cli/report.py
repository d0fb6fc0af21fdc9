"""The result of a run as a table that a person reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from textwrap import wrap
from typing import Any

from rxviz.model.names import page_words
from rxviz.run.scenario import parse_line

WIDTH = 80
_TOP_OPERATIONS = 6
LEDGER = {
    "bytes_copied": "bytes copied",
    "header_parses": "headers parsed",
    "skb_heads": "skb heads allocated",
    "sk_buffs": "sk_buffs allocated",
    "refs_atomic": "atomic reference changes",
    "dma_maps": "DMA maps",
    "dma_unmaps": "DMA unmaps",
    "sync_cpu_bytes": "bytes synced for the CPU",
    "sync_device_bytes": "bytes synced for the device",
    "descriptor_reads": "descriptors read",
    "descriptor_reads_before_fetch": "fields read before a fetch",
    "descriptor_writes": "descriptors written",
    "tail_writes": "tail writes",
    "csum_bytes": "bytes checksummed",
    "cache_lines": "cache lines touched",
}
_MODELS_OWN = ("cache_lines",)
"""Lines of the ledger that follow a rule of the model's own."""
_DROPS = {"ring": "by the NIC", "error": "by MAC or driver", "socket": "by the socket", "bridge": "by the bridge"}


def report(outcome: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines, none with a control character, most at most 80 columns wide."""
    yield outcome["scenario"]
    yield f"digest {outcome['digest']}"
    for remark in [*outcome["remarks"], *_capture_remarks(outcome)]:
        yield ""
        yield from wrap(remark, WIDTH, initial_indent="  ", subsequent_indent="  ")
    yield ""
    yield f"{'':10}{'':32}{'whole run':>14}{'each frame':>14}"
    table = _Table(outcome["frames"]["received"])
    yield from _frames(table, outcome["frames"])
    yield from _skbs(table, outcome["skbs"])
    reused, given_up = page_words(parse_line(outcome["scenario"]).geometry.segment)
    words = {"allocated": "allocated", "reused": reused, "given_up": given_up, "freed": "freed", "flips": "flips"}
    yield from table.rows("pages", outcome["pages"], words)
    yield from table.rows("ledger", outcome["ledger"], LEDGER)
    yield from _cpu(table, outcome["cpu_ns"])
    yield from _clock(table, outcome)
    yield from _lists(outcome)
    yield ""
    yield from wrap(_FOOTNOTE, WIDTH)


_FOOTNOTE = (
    "Counts follow the kernel's source (K). M is the model's own: times come from round figures chosen for teaching;"
    " they compare two runs, but measure nothing. Cache lines are those of descriptors, sk_buffs, shared info and bytes"
    " that the driver reads or writes. Each frame: of those that the NIC received."
)


class _Table:
    """Rows under a heading; `frames` is what the last column divides by."""

    def __init__(self, frames: int) -> None:
        self._frames = frames

    def rows(self, heading: str, values: Mapping[str, int], labels: Mapping[str, str]) -> Iterator[str]:
        yield ""
        for key, label in labels.items():
            yield self.row(heading, label, values[key], badge="M" if key in _MODELS_OWN else "")
            heading = ""

    def row(self, heading: str, label: str, value: int, each: bool = True, badge: str = "") -> str:
        share = f"{value / self._frames:,.2f}" if each and self._frames else ""
        return f"{heading:10}{label:32}{value:>14,}{share:>14}{'   ' + badge if badge else ''}".rstrip()


def _capture_remarks(outcome: Mapping[str, Any]) -> list[str]:
    capture = outcome.get("capture")
    return [] if capture is None else [f"Capture: {note}." for note in capture["notes"]]


def _frames(table: _Table, frames: Mapping[str, Any]) -> Iterator[str]:
    yield table.row("frames", "offered", frames["offered"], each=False)
    yield table.row("", "received", frames["received"], each=False)
    yield table.row("", "delivered", frames["delivered"], each=False)
    yield table.row("", "in flight at the end", frames["in_flight"], each=False)
    dropped = frames["dropped"]
    if not any(dropped.values()):
        yield table.row("", "dropped", 0, each=False)
    for key, who in _DROPS.items():
        if dropped.get(key):
            yield table.row("", f"dropped {who}", dropped[key], each=False)


def _skbs(table: _Table, skbs: Mapping[str, int]) -> Iterator[str]:
    yield ""
    yield table.row("skbs", "built", skbs["built"])
    yield table.row("", "delivered", skbs["delivered"])
    if skbs["merged"]:
        yield table.row("", "merged into another", skbs["merged"])
    yield table.row("", "truesize, bytes", skbs["truesize_total"])
    yield table.row("", "largest truesize, bytes", skbs["truesize_max"], each=False)


def _cpu(table: _Table, cpu: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    yield table.row("CPU, ns", "interrupt", cpu["irq"], badge="M")
    yield table.row("", "softirq", cpu["softirq"], badge="M")
    yield table.row("", "reader", cpu["reader"], badge="M")
    dearest = sorted(cpu["by_operation"].items(), key=lambda item: (-item[1], item[0]))
    heading = "of which"
    for name, ns in dearest[:_TOP_OPERATIONS]:
        yield table.row(heading, name, ns, badge="M")
        heading = ""
    if rest := sum(ns for _, ns in dearest[_TOP_OPERATIONS:]):
        yield table.row("", f"{len(dearest) - _TOP_OPERATIONS} more", rest, badge="M")


def _clock(table: _Table, outcome: Mapping[str, Any]) -> Iterator[str]:
    napi = outcome["napi"]
    yield ""
    yield table.row("time", "ns from start to end", outcome["time_ns"], badge="M")
    yield table.row("", "steps", outcome["steps"])
    yield ""
    yield table.row("NAPI", "interrupts", napi["interrupts"], badge="M")
    yield table.row("", "polls", napi["polls"], badge="M")
    yield table.row("", "passes of the softirq", napi["passes"], badge="M")
    yield table.row("", "softirqs", napi["softirqs"], badge="M")
    yield table.row("", "of them in ksoftirqd", napi["ksoftirqd"], each=False, badge="M")
    yield table.row("", "time_squeeze", napi["time_squeeze"], each=False, badge="M")
    if napi["missed"]:
        yield table.row("", "interrupts while scheduled", napi["missed"], each=False, badge="M")
    yield table.row("", "delay of interrupts, ns", round(napi["itr"] * 1000), each=False, badge="M")


def _lists(outcome: Mapping[str, Any]) -> Iterator[str]:
    yield ""
    counters = [f"{name} {value:,}" for name, value in outcome["counters"].items() if value]
    yield f"counters  {', '.join(counters) or 'all zero'}"
    lit = [f"{name} {count:,}" for name, count in outcome["lamps"].items() if count]
    dark = f"all {len(outcome['lamps'])} dark"
    yield f"lamps     {'LIT: ' + ', '.join(lit) if lit else dark}"
