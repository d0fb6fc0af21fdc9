"""Twenty patches, twenty switches: the series that brought build_skb to igb and ixgbe, read from assets/patches.toml.

A patch is the names of the rules that it changes. What a rule is without it and with it are the values of the kernels
before and after the series, so that no rule is written down twice.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from rxviz import paths
from rxviz.errors import ScenarioError, quoted, shown
from rxviz.model.kernel import DriverRules, IgbRules, IntelRules
from rxviz.run import kernels

KERNEL = "kernel"
"""The value of `patches=` where the kernel alone says which of the series it has."""
NONE, ALL = "none", "all"
_LETTERS = 80


@dataclass(frozen=True, slots=True)
class Patch:
    """One of the series; see assets/patches.toml for what the fields mean."""

    number: int
    driver: str
    title: str
    does: str
    kernel: str
    commit: str = ""
    rules: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    between: dict[str, str] = field(default_factory=dict)
    needs: tuple[int, ...] = ()
    seen: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """The kernels before and after a driver's part of the series."""

    before: str
    after: str


@cache
def _table() -> dict[str, Any]:
    with (paths.assets() / "patches.toml").open("rb") as file:
        return tomllib.load(file)


@cache
def patches() -> dict[int, Patch]:
    """Return the twenty by number."""
    found = [_patch(row) for row in _table()["patch"]]
    return {patch.number: patch for patch in found}


def _patch(row: dict[str, Any]) -> Patch:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
    return Patch(**values)


@cache
def series(driver: str) -> Series | None:
    """Return the kernels that stand before and after a driver's part; None for drivers that have no part in it."""
    row = _table()["series"].get(driver)
    return Series(row["before"], row["after"]) if row is not None else None


# ------------------------------------------------------------------------------------------------------ sets in words
def numbers(word: str) -> tuple[int, ...]:
    """Return the numbers that a word such as `1-3,12` names, in order; raise ScenarioError."""
    if word in (NONE, ALL):
        return tuple(patches()) if word == ALL else ()
    found: set[int] = set()
    for part in word.split(",") if len(word) <= _LETTERS else [word]:
        first, dash, last = part.partition("-")
        ends = [int(end) if end.isascii() and end.isdigit() and len(end) < 4 else 0 for end in (first, last or first)]
        if not all(end in patches() for end in ends) or ends[0] > ends[1] or (dash and not last):
            raise ScenarioError(
                f"patches={shown(word, 40)}: {quoted(part, 20)} is none of the series; give numbers from 1 to "
                f"{len(patches())} such as 1-3,12, or none, or all"
            )
        found |= set(range(ends[0], ends[1] + 1))
    return tuple(sorted(found))


def word(applied: Iterable[int]) -> str:
    """Return how a set of patches is written: none, all, or numbers and ranges in order."""
    wanted = sorted(set(applied))
    if not wanted or len(wanted) == len(patches()):
        return ALL if wanted else NONE
    runs: list[list[int]] = []
    for number in wanted:
        if runs and runs[-1][1] == number - 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)


def canonical(text: str) -> str:
    """Return the one way to write what a word names; raise ScenarioError for none, and for a set that cannot stand."""
    if text == KERNEL:
        return text
    found = numbers(text)
    require(found)
    return word(found)


# --------------------------------------------------------------------------------------------------- what needs what
def closure(number: int) -> set[int]:
    """Return all that a patch needs, and what that needs in turn."""
    found: set[int] = set()
    waiting = list(patches()[number].needs)
    while waiting:
        needed = waiting.pop()
        if needed not in found:
            found.add(needed)
            waiting += patches()[needed].needs
    return found


def missing(number: int, applied: Iterable[int]) -> list[int]:
    """Return what a patch needs and a set does not have."""
    return sorted(closure(number) - set(applied))


def needing(number: int, applied: Iterable[int]) -> list[int]:
    """Return the patches of a set that need this one."""
    return [other for other in sorted(applied) if number in closure(other)]


def require(applied: Sequence[int]) -> None:
    """Raise ScenarioError unless a set of patches has all that its patches need."""
    for number in sorted(applied, reverse=True):
        lacks = missing(number, applied)
        if lacks:
            raise ScenarioError(
                f"patches={word(applied)}: patch {number} needs {listed(lacks)}, too;"
                f" add {'it' if len(lacks) == 1 else 'them'}, or leave {number} out"
            )


def listed(found: Sequence[int]) -> str:
    """Return numbers as a person reads them: 2, 11 and 14."""
    names = [str(number) for number in found]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# -------------------------------------------------------------------------------------------------------- their rules
@cache
def rules(driver: str, kernel: str, text: str) -> DriverRules:
    """Return a driver's rules: the kernel's, or (`text` is not "kernel") those before the series, patches applied."""
    base, part = kernels.driver_rules(driver, kernel), series(driver)
    if text == KERNEL or part is None:
        return base
    applied = [patch for number, patch in patches().items() if number in numbers(text) and patch.driver == driver]
    merged = kernels.driver_rules(driver, part.after)
    functions = dict(base.functions)
    for patch in applied:
        functions |= {step: merged.functions[step] for step in patch.functions}
        functions |= patch.between
    values = {name: getattr(merged, name) for patch in applied for name in patch.rules}
    return replace(base, functions=functions, **values)


@cache
def in_kernel(kernel: str) -> tuple[int, ...]:
    """Return the patches that a kernel has: those that were merged for it or for an older one."""
    have = kernels.version(kernel)
    return tuple(number for number, patch in patches().items() if kernels.version(patch.kernel) <= have)


def in_words(text: str) -> str:
    """Return a state of the series in two or three words, "" where the kernel decides."""
    several = "patch" if text.isdigit() else "patches"
    return {KERNEL: "", NONE: "no patch", ALL: "all patches"}.get(text, f"{several} {text}")


def remarks(driver: str, kernel: str, text: str) -> list[str]:
    """Return what a person should know of a state of the series."""
    if text == KERNEL:
        return []
    state = {NONE: "None of the series is", ALL: "The whole series is"}.get(text, f"Of the series, patches {text} are")
    said = [f"{state} applied to {driver} as it was in kernel {kernel}; all else is that kernel's."]
    found = rules(driver, kernel, text)
    if isinstance(found, IntelRules) and found.pad != "none" and not found.build_skb:
        said.append("Buffers have room round the frame, but skbs are still made the old way: build_skb is not there.")
    if isinstance(found, IgbRules) and found.pad != "none" and not found.tight_limit:
        said.append("Patch 6 is not there: a frame longer than the MTU allows is written over the room behind it.")
    return said
