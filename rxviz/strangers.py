"""TOML from strangers: a parser that takes long for some small files is kept from them."""

from __future__ import annotations

import tomllib
from typing import Any

BITS = 63
TOO_LARGE = "a number of more than 64 bits"
MAX_DOTS = 64
"""Dots in a line at most: a key of thousands of parts takes the parser minutes and gigabytes."""


def parse_toml(text: str) -> dict[str, Any]:
    """Return the tables of a TOML text; raise ValueError (TOMLDecodeError among them) or RecursionError.

    TOML's numbers have 64 bits. Python reads longer ones too, some of which it then refuses to write.
    """
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MAX_DOTS:
            raise ValueError(f"a line of more than {MAX_DOTS} dots (at line {number}, column 1)")
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:  # what Python says of its own limit on digits would help nobody
        raise ValueError(TOO_LARGE) from None
    _refuse_large(table)
    return table


def _refuse_large(table: dict[str, Any]) -> None:
    """Raise ValueError for a number of more than 64 bits, wherever it stands."""
    waiting: list[Any] = [table]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, int) and value.bit_length() > BITS:
            raise ValueError(TOO_LARGE)
