"""What a run came to, as the contract's JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rxviz.model import steps
from rxviz.model.account import drops, in_flight
from rxviz.model.bridge import Bridge
from rxviz.run.digest import state_digest

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.run.scenario import Scenario


def result(scenario: Scenario, m: Machine) -> dict[str, Any]:
    """Return the result of a machine that has been played to its end; keys and units as in the contract."""
    config, ledger = m.config, m.ledger
    frames = _frames(m)
    return {
        "scenario": scenario.line(),
        "digest": state_digest(m),
        "model": {"driver": config.driver, "kernel": config.rules.kernel, "path": config.path},
        "steps": m.n,
        "time_ns": m.now,
        "frames": frames,
        "skbs": {
            "built": ledger.sk_buffs,
            "delivered": m.socket.delivered,
            "merged": merged(m),
            "truesize_total": ledger.truesize_total,
            "truesize_max": ledger.truesize_max,
        },
        "pages": {
            "allocated": m.memory.allocated,
            "reused": ledger.pages_reused,
            "given_up": ledger.pages_given_up,
            "freed": m.memory.freed,
            "flips": ledger.flips,
        },
        "ledger": {
            "bytes_copied": ledger.bytes_copied,
            "header_parses": ledger.header_parses,
            "skb_heads": ledger.skb_heads,
            "sk_buffs": ledger.sk_buffs,
            "refs_atomic": ledger.refs_atomic,
            "dma_maps": ledger.dma_maps,
            "dma_unmaps": ledger.dma_unmaps,
            "sync_cpu_bytes": ledger.sync_cpu_bytes,
            "sync_device_bytes": ledger.sync_device_bytes,
            "descriptor_reads": ledger.descriptor_reads,
            "descriptor_reads_before_fetch": ledger.descriptor_reads_before_fetch,
            "descriptor_writes": ledger.descriptor_writes,
            "tail_writes": ledger.tail_writes,
            "csum_bytes": ledger.csum_bytes,
            "cache_lines": ledger.cache_lines,
        },
        "cpu_ns": _cpu_ns(m),
        "napi": _napi(m),
        **_forwarded(m),
        "counters": m.counters(),
        "lamps": dict(m.lamps.lit),
    }


def merged(m: Machine) -> int:
    """Return how many frames joined another's skb: by GRO, by LRO, or in the card."""
    return m.counts[steps.GRO_MERGE] + m.counts[steps.TPA_FRAG] + m.counts[steps.LRO_MERGE]


def _frames(m: Machine) -> dict[str, Any]:
    where = in_flight(m)
    bridge = isinstance(m.socket, Bridge)
    at_top = sum(m.socket.drops().values())
    return {
        "offered": m.offered,
        "received": m.nic.received,
        "delivered": m.socket.frames_delivered,
        "in_flight": sum(where.values()),
        "in_flight_at": where,
        "dropped": {
            "ring": m.nic.dropped_ring,
            "error": m.nic.dropped_error + sum(m.driver.drops().values()),
            "socket": 0 if bridge else at_top,
            **({"bridge": at_top} if bridge else {}),
        },
        "dropped_by": drops(m),
    }


def _forwarded(m: Machine) -> dict[str, Any]:
    """Return what a bridge has sent, and how much of it is not what came in; nothing where there is none."""
    if not isinstance(m.socket, Bridge):
        return {}
    bridge = m.socket
    return {"forwarded": {"sent": bridge.frames_sent, "changed": bridge.frames_changed, "refused": bridge.skbs_refused}}


def _napi(m: Machine) -> dict[str, Any]:
    """Return how the queue was polled. `softirqs` counts runs of `__do_softirq`, `ksoftirqd` those among them that were
    ksoftirqd's, `passes` runs of `net_rx_action`; `itr` is the delay of interrupts at the end, in µs."""
    fixed = m.config.itr_ns
    itr_ns = m.itr.ns if fixed is None else fixed
    return {
        "interrupts": m.napi.interrupts,
        "polls": m.napi.polls,
        "time_squeeze": m.softirq.time_squeeze,
        "passes": m.softirq.passes,
        "softirqs": m.softirq.runs,
        "ksoftirqd": m.cpu.ksoftirqd,
        "missed": m.napi.times_missed,
        "itr": itr_ns / 1000 if itr_ns % 1000 else itr_ns // 1000,
    }


_IRQ = ("irq.enter", "napi.timer")


def _cpu_ns(m: Machine) -> dict[str, Any]:
    """Return where the time of CPUs went. Copies cost by the byte, and stand under their own name."""
    spent = {
        kind.name: m.counts[kind.number] * m.costs[kind.number]
        for kind in steps.KINDS
        if m.costs[kind.number] and m.counts[kind.number]
    }
    if m.copy_ns:
        spent["copy"] = m.copy_ns
    if m.csum_ns:
        spent["csum"] = m.csum_ns
    irq = sum(spent.get(name, 0) for name in _IRQ)
    return {"irq": irq, "softirq": sum(spent.values()) - irq, "reader": m.socket.reader_ns, "by_operation": spent}
