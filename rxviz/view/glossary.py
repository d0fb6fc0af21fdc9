"""The words on the screen and what they mean, read from assets/glossary.toml."""

from __future__ import annotations

import tomllib
from functools import cache

from rxviz import paths


@cache
def glossary() -> dict[str, str]:
    """Return each word with its one line, in the order of a frame's trip."""
    with (paths.assets() / "glossary.toml").open("rb") as file:
        words: dict[str, str] = tomllib.load(file)["words"]
    return words
