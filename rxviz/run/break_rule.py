"""Switch a rule of a scene off, run it again, and find where that shows: at a lamp, or in the bill."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import cache

from rxviz import paths
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario
from rxviz.run.smallest import Found, first_lamp

MOST_STEPS = 400_000
"""Steps of a long scene that are played in search of a lamp."""
BILL = (
    ("ledger", "bytes_copied"), ("ledger", "skb_heads"), ("ledger", "sk_buffs"), ("ledger", "header_parses"),
    ("ledger", "refs_atomic"), ("ledger", "dma_maps"), ("ledger", "dma_unmaps"), ("ledger", "tail_writes"),
    ("ledger", "sync_cpu_bytes"), ("ledger", "sync_device_bytes"), ("ledger", "csum_bytes"), ("pages", "given_up"),
    ("pages", "flips"), ("skbs", "delivered"), ("skbs", "merged"), ("skbs", "truesize_total"), ("napi", "interrupts"),
    ("napi", "polls"),
)  # fmt: skip
"""What of a run's result a rule may change without any harm, the plainest first."""


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


def break_rule(scenario: Scenario, rule: str) -> Broken:
    """Run a scene with a rule off; raise CaptureError when its capture cannot be read any more."""
    world = without(scenario, rule)
    found = first_lamp(world, most_steps=MOST_STEPS)
    if found is not None:
        return Broken(rule, world, *found, [])
    return Broken(rule, world, "", 0, _bill(scenario, world))


def _bill(scenario: Scenario, world: Scenario) -> list[tuple[str, int, int]]:
    """Return what differs in the bills of two runs."""
    bills = []
    for each in (scenario, world):
        m = make_machine(each)
        while m.n < MOST_STEPS and m.tick():
            pass
        bills.append(result(each, m))
    pairs = [(name, bills[0][part][name], bills[1][part][name]) for part, name in BILL]
    return [(name.replace("_", " "), one, other) for name, one, other in pairs if one != other]


@cache
def smallest_scenes(driver: str) -> dict[str, Found]:
    """Return, for each rule that lights a lamp in a driver, the smallest scene, the lamp and its step."""
    with (paths.assets() / "rules.toml").open("rb") as file:
        table = tomllib.load(file).get(driver, {})
    return {rule: Found(entry["scenario"], entry["lamp"], entry["step"]) for rule, entry in table.items()}
