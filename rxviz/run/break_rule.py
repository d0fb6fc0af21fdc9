"""Switch a rule of a scene off, run it again, and find where that shows: at a lamp, or in the bill."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING

from rxviz import paths
from rxviz.model.names import page_words
from rxviz.model.rules import RULES
from rxviz.run.result import merged
from rxviz.run.smallest import Found, lamp_of, played

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.run.scenario import Scenario

MOST_STEPS = 400_000
"""Steps of a long scene that are played in search of a lamp."""
LEDGER = (
    "bytes_copied", "skb_heads", "sk_buffs", "header_parses", "refs_atomic", "dma_maps", "dma_unmaps", "tail_writes",
    "sync_cpu_bytes", "sync_device_bytes", "csum_bytes",
)  # fmt: skip
"""What of the ledger a rule may change without any harm, the plainest first."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A scene with a rule off: the lamp that goes on first and where, or else what of the bill changed.

    `step` is the position in the world's run; `lamp` is "" where all stay dark; `bill` has (what, with the rule,
    without it).
    """

    rule: str
    world: Scenario
    lamp: str
    step: int
    bill: list[tuple[str, int, int]]


def without(scenario: Scenario, rule: str) -> Scenario:
    """Return the scenario with one more rule off."""
    off = [name for name in scenario.off_rules if name != rule]
    return replace(scenario, off=",".join([*off, rule]))


class RuleScene:
    """A scene whose rules are switched off one at a time; what it costs with all of them is found out once."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._tried: dict[str, Broken] = {}

    def tried(self, rule: str) -> Broken | None:
        """Return what came of switching a rule off, None where nobody has tried."""
        return self._tried.get(rule)

    def without(self, rule: str) -> Broken:
        """Run the scene with a rule off; raise CaptureError when its capture cannot be read any more."""
        if rule not in self._tried:
            self._tried[rule] = self._broken(rule)
        return self._tried[rule]

    def _broken(self, rule: str) -> Broken:
        world = without(self.scenario, rule)
        m = played(world, MOST_STEPS)
        found = lamp_of(m)
        if found is not None:
            return Broken(rule, world, *found, [])
        pairs = zip(self._honest.items(), amounts(m).values(), strict=True)
        return Broken(rule, world, "", 0, [(name, one, other) for (name, one), other in pairs if one != other])

    @cached_property
    def _honest(self) -> dict[str, int]:
        return amounts(played(self.scenario, MOST_STEPS, to_a_lamp=False))


def amounts(m: Machine) -> dict[str, int]:
    """Return what a run has come to so far, by plain names: what a rule may change without any harm."""
    ledger = m.ledger
    return {name.replace("_", " "): getattr(ledger, name) for name in LEDGER} | {
        page_words(m.config.geometry.segment)[1]: ledger.pages_given_up,
        "flips": ledger.flips,
        "delivered": m.socket.delivered,
        "merged": merged(m),
        "truesize total": ledger.truesize_total,
        "interrupts": m.napi.interrupts,
        "polls": m.napi.polls,
    }


@cache
def smallest_scenes(driver: str) -> dict[str, Found]:
    """Return, for each rule that lights a lamp in a driver, the smallest scene, the lamp and its step."""
    with (paths.assets() / "rules.toml").open("rb") as file:
        table = tomllib.load(file).get(driver, {})
    return {rule: Found(entry["scenario"], entry["lamp"], entry["step"]) for rule, entry in table.items()}


@cache
def _gro_lamps() -> dict[str, list[str]]:
    """Return, for each rule of GRO that lights lamps in the frames that show it, these lamps."""
    with (paths.assets() / "gro_lamps.toml").open("rb") as file:
        found: dict[str, list[str]] = tomllib.load(file)["lamps"]
    return found


def known_lamps(rule: str, driver: str) -> tuple[str, ...] | None:
    """Return the lamps that are known to go on without a rule, before anybody runs a scene without it.

    None of them where it was searched for and none was found; None itself where nobody has searched: for a driver that
    assets/rules.toml does not have.
    """
    if RULES[rule].gro:
        return tuple(_gro_lamps().get(rule, ()))
    scenes = smallest_scenes(driver)
    if not scenes:
        return None
    return (scenes[rule].lamp,) if rule in scenes else ()
