"""TOML from strangers: a parser that takes long for some small files is kept from them."""

from __future__ import annotations

import tomllib
from typing import Any

MAX_DOTS = 64
"""Dots in a line at most: a key of thousands of parts takes the parser minutes and gigabytes."""


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raise ValueError (TOMLDecodeError among them) or RecursionError."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"a line of more than {MAX_DOTS} dots (at line {number}, column 1)")
    return tomllib.loads(text)
