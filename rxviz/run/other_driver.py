"""The same scene with another driver: the words that it has too are kept, the others fall away and are named."""

from __future__ import annotations

from dataclasses import dataclass, fields

from rxviz.errors import ScenarioError
from rxviz.model.drivers.table import DRIVERS
from rxviz.run.kernels import driver_kernels, driver_rules, rules_table
from rxviz.run.scenario import Scenario, parse_line

_OWN = ("driver", "kernel", "patches", "path")


@dataclass(frozen=True, slots=True)
class Other:
    """A driver in one of its kernels, and one of the ways in which it makes skbs there."""

    driver: str
    kernel: str
    path: str


def others() -> list[Other]:
    """Return every driver with its kernels and paths: the newest kernel first, its own choice of path first."""
    return [
        Other(driver, kernel, path)
        for driver in DRIVERS
        for kernel in reversed(driver_kernels(driver))
        for path in reversed(driver_rules(driver, kernel).paths)
    ]


def about(driver: str) -> str:
    """Return what a driver is for and what is its own, in a sentence (assets/kernels/<driver>.toml)."""
    words: str = rules_table(driver)["about"]
    return words


def with_driver(scenario: Scenario, other: Other) -> tuple[Scenario, list[str]]:
    """Return the scene as another driver has it, and the words that it cannot have; raise ScenarioError.

    What a person left at its default stays a default, which may be another one there.
    """
    words = {key.name: getattr(scenario, key.name) for key in fields(Scenario) if key.name not in _OWN}
    default = parse_line([scenario.driver, f"kernel={scenario.kernel}", f"path={scenario.path}"])
    kept = {name: value for name, value in words.items() if value != getattr(default, name)}
    head = [other.driver, f"kernel={other.kernel}", f"path={other.path}"]
    lost: list[str] = []
    for name in ("", *(name for name in reversed(list(kept)) if name != "traffic")):
        if name:
            lost.append(f"{name}={kept.pop(name)}")
        try:
            found = parse_line([*head, *(f"{key}={value}" for key, value in kept.items())])
        except ScenarioError:
            continue
        return _with_more(found, lost)
    return parse_line([*head, f"traffic={scenario.traffic}"]), lost


def _with_more(found: Scenario, lost: list[str]) -> tuple[Scenario, list[str]]:
    """Take back the words that fell away only because another one was in their way."""
    for word in list(lost):
        try:
            found = found.with_words([word])
        except ScenarioError:
            continue
        lost.remove(word)
    return found, lost
