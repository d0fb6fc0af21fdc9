"""The scenarios and captures that come with the program, by name."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rxviz import paths


@dataclass(frozen=True, slots=True)
class Shipped:
    """One of them. `about` is a sentence or two; `words` are a capture's own key=value words, without the capture."""

    name: str
    title: str
    about: str
    path: Path
    words: tuple[str, ...] = ()


@cache
def scenarios() -> dict[str, Shipped]:
    """Return the scenario files of assets/scenarios, the simplest first (`place` in the file says so)."""
    found = [(_table(path), path) for path in sorted((paths.assets() / "scenarios").glob("*.toml"))]
    found.sort(key=lambda pair: pair[0].get("place", len(found)))
    return {path.stem: Shipped(path.stem, table["title"], table["about"], path) for table, path in found}


@cache
def captures() -> dict[str, Shipped]:
    """Return the captures of assets/captures/manifest.toml, in its order."""
    folder = paths.assets() / "captures"
    entries = _table(folder / "manifest.toml").get("capture", [])
    return {
        entry["name"]: Shipped(
            entry["name"], entry["title"], entry["sentence"], folder / entry["file"], tuple(entry["scenario"].split())
        )
        for entry in entries
    }


def names() -> list[str]:
    """Return every name that stands for a scenario or a capture."""
    return [*scenarios(), *captures()]


def _table(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    with path.open("rb") as file:
        return tomllib.load(file)
