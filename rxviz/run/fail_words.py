"""The word `fail`: what fails, and when. `alloc_page@5`, `remote_page@0-3`, `stall_cpu@20000+500000`, with commas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rxviz.errors import ScenarioError, shown
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failures import ALLOC_SKB, ATTEMPTS, STALLS, Spot, Stall
from rxviz.run import kernels
from rxviz.run.spots import parse_spots

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario

MAX_STALL = 10_000_000_000
"""The longest stall, and the latest moment for one to begin, in ns."""
_STALL = re.compile(rf"({'|'.join(STALLS)})@(\d{{1,11}})\+(\d{{1,11}})", re.ASCII)


class Fails(NamedTuple):
    """What a scenario has fail."""

    spots: tuple[Spot, ...]
    stalls: tuple[Stall, ...]


def parse_fail(text: str, driver: str) -> Fails:
    """Take the word apart; raise ScenarioError with one sentence."""
    parts = text.split(",")
    stalls = [part for part in parts if part.partition("@")[0] in STALLS]
    others = ",".join(part for part in parts if part not in stalls)
    spots = parse_spots(
        "fail", others or "none", (*DRIVERS[driver].fails, *STALLS), "alloc_page@5 or stall_cpu@T+NS", f" in {driver}"
    )
    if any(spot.kind in ATTEMPTS and not spot.first for spot in spots):
        raise ScenarioError("fail= counts attempts from 1: the first one after the ring is filled is @1")
    return Fails(spots, tuple(map(_stall, stalls)))


def check_fails(s: Scenario) -> None:
    """Refuse what the driver's kernel cannot meet, or what is not modelled; raise ScenarioError with one sentence."""
    spots, known = s.fails.spots, kernels.driver_kernels(s.driver)
    if not s.rules.checks_skb and any(spot.kind == ALLOC_SKB for spot in spots):
        raise ScenarioError(
            f"{s.driver} {s.kernel} does not look whether build_skb gave it an skb: it follows a NULL pointer, and the"
            f" kernel stops; others look: kernel={known[-1]}"
        )
    if spots and s.hw_gro == "on" and s.rules.build_skb:
        raise ScenarioError(
            f"{s.driver} {s.kernel} loses the page of an aggregation that finds no memory at its start: it posts a BD"
            f" whose page it has forgotten, and stops the kernel there; fail= with hw_gro=on: kernel={known[0]}"
        )


def _stall(part: str) -> Stall:
    found = _STALL.fullmatch(part)
    if found is None or not 0 < int(found[3]) <= MAX_STALL or int(found[2]) > MAX_STALL:
        kind = part.partition("@")[0]
        raise ScenarioError(
            f"fail={shown(part, 40)} is not {kind}@T+NS, when it begins and how long it lasts, in ns up to"
            f" {MAX_STALL:,}; e.g. {kind}@20000+500000"
        )
    return Stall(found[1], int(found[2]), int(found[3]))
