"""The words of a scenario about polls, interrupts, CPUs and the reader: what they mean, and what they may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rxviz.errors import ScenarioError, quoted, shown
from rxviz.run import kernels
from rxviz.run.ranges import within

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario

READERS = {"fast": 500, "slow": 20_000}
"""ns for each skb."""
NEVER = "off"
ADAPTIVE = "adaptive"
MAX_ITR, MAX_TIMEOUT, MAX_DEFER = 1_000_000, 1_000_000_000, 1_000
MAX_BUDGET, MAX_NETDEV_BUDGET = 65_536, 1_000_000
MAX_CPUS, MAX_BUSY = 4, 1_000
MOST_DIGITS = 12


# ------------------------------------------------------------------------------------------------------ what they mean
def usual_cpu(cpus: int) -> int:
    """Return the CPU on which the program runs where nobody says: beside the softirq's, if there is another."""
    return min(1, cpus - 1)


def reader_ns(reader: str) -> int | None:
    """Return what the program takes for each skb, in ns; None when it never reads."""
    pace = reader.partition("@")[0]
    if pace == NEVER:
        return None
    return READERS[pace] if pace in READERS else int(pace)


def reader_cpu(reader: str, cpus: int) -> int:
    """Return the CPU that the program runs on."""
    cpu = reader.partition("@")[2]
    return int(cpu) if cpu else usual_cpu(cpus)


def itr_ns(itr: str) -> int | None:
    """Return the least time between two interrupts, in ns; None where the driver adapts it."""
    return None if itr == ADAPTIVE else int(itr) * 1000


def remarks(s: Scenario) -> Iterator[str]:
    """Yield what a person should know: timers that cannot do anything."""
    if s.gro_flush_timeout and s.gro == "off" and not s.napi_defer_hard_irqs:
        yield "gro_flush_timeout does nothing here: GRO is off, and napi_defer_hard_irqs is 0."
    if s.napi_defer_hard_irqs and not s.gro_flush_timeout:
        yield "napi_defer_hard_irqs does nothing here: without gro_flush_timeout no timer could poll."


# ------------------------------------------------------------------------------------------------------------ checking
def check(s: Scenario) -> Scenario:
    """Return the scenario with these words written in the one way; raise ScenarioError."""
    within(s, "budget", 1, MAX_BUDGET)
    within(s, "netdev_budget", 1, MAX_NETDEV_BUDGET)
    within(s, "busy", 0, MAX_BUSY)
    within(s, "cpus", 1, MAX_CPUS)
    _check_itr(s)
    _check_timers(s)
    return _check_reader(s)


def _is_number(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS


def _check_reader(s: Scenario) -> Scenario:
    pace, at, cpu = s.reader.partition("@")
    told = shown(s.reader, 40)
    if pace not in (*READERS, NEVER) and not _is_number(pace):
        raise ScenarioError(f"reader={told} is not known: off, slow, fast, or ns for each skb")
    if not at:
        return s
    if not _is_number(cpu) or int(cpu) >= s.cpus:
        last = f"0 to {s.cpus - 1}" if s.cpus > 1 else "0 only"
        raise ScenarioError(f"reader={told} names no CPU that there is; with cpus={s.cpus} it is {last}")
    return replace(s, reader=pace) if int(cpu) == usual_cpu(s.cpus) else s


def _check_itr(s: Scenario) -> None:
    if s.itr == ADAPTIVE:
        if not s.rules.itr_algorithm:
            raise ScenarioError(f"itr=adaptive is not modelled for {s.driver}; give a delay in µs, e.g. itr=10")
    elif not _is_number(s.itr):
        raise ScenarioError(f'itr= takes a whole number of µs, or "adaptive", not {quoted(s.itr, 40)}')
    elif int(s.itr) > MAX_ITR:
        raise ScenarioError(f"itr={s.itr} is out of range: 0 to {MAX_ITR:,}")


def _check_timers(s: Scenario) -> None:
    """The flush timer and the deferral of interrupts, which only newer kernels have."""
    core = kernels.core_rules(s.kernel)
    for key, there, high in (
        ("gro_flush_timeout", core.gro_flush_timeout, MAX_TIMEOUT),
        ("napi_defer_hard_irqs", core.napi_defer_hard_irqs, MAX_DEFER),
    ):
        within(s, key, 0, high)
        if getattr(s, key) and not there:
            since = kernels.first_with("core", key)
            raise ScenarioError(f"{key}= came with kernel {since}; leave it out in {s.kernel}")
