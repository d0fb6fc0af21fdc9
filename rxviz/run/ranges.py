"""Numbers in a scenario that must lie between two others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.errors import ScenarioError

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario


def within(s: Scenario, key: str, low: int, high: int) -> None:
    """Raise ScenarioError where the value of a key is out of range."""
    value = getattr(s, key)
    if not low <= value <= high:
        raise ScenarioError(f"{key}={value} is out of range: {low:,} to {high:,}")
