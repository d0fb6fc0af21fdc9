"""Read a cost profile from assets/cost: how long each act takes on the model's clock."""

from __future__ import annotations

import tomllib
from functools import cache

from rxviz import paths
from rxviz.model.config import CostProfile
from rxviz.model.steps import BY_NAME, KINDS


@cache
def profiles() -> list[str]:
    """Return the names of the shipped profiles."""
    return sorted(path.stem for path in (paths.assets() / "cost").glob("*.toml"))


@cache
def profile(name: str) -> CostProfile:
    """Return the profile `name`, which must be one of `profiles()`."""
    with (paths.assets() / "cost" / f"{name}.toml").open("rb") as file:
        table = tomllib.load(file)
    costs = [0] * len(KINDS)
    for kind, ns in table["step"].items():
        costs[BY_NAME[kind]] = ns
    return CostProfile(name, tuple(costs), table["byte"]["copy"], table["byte"].get("csum", 0))
