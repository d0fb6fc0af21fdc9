"""Where in a lesson's file a key stands, so that every complaint can name its line."""

from __future__ import annotations

import re

MAX_DEPTH = 6
"""Parts of a key that are told apart; the format has three."""
_TABLE = re.compile(r"\s*(\[\[?)\s*([A-Za-z0-9_.\-\"]+)\s*\]\]?")
_KEY = re.compile(r"\s*([A-Za-z0-9_\-\"]+)\s*=")


def line_of(text: str, path: str) -> int:
    """Return the line (from 1) of a key such as `predict[1].option[0].value`, or of the nearest one above it."""
    wanted = [
        (name, int(index) if index else None) for name, index in re.findall(r"([A-Za-z0-9_\-]+)(?:\[(\d+)\])?", path)
    ]
    best_line, best_depth = 1, 0
    for number, place in _places(text):
        depth = _agree(place, wanted)
        if depth > best_depth:
            best_line, best_depth = number, depth
    return best_line


def _places(text: str) -> list[tuple[int, list[tuple[str, int | None]]]]:
    """Return (line, path) for each table header and key of a TOML text."""
    counts: dict[str, int] = {}
    table: list[tuple[str, int | None]] = []
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        header = _TABLE.match(line)
        if header:
            table = _table_path(header[2], header[1] == "[[", counts)
            found.append((number, table))
            continue
        key = _KEY.match(line)
        if key:
            found.append((number, [*table, (key[1].strip('"'), None)]))
    return found


def _table_path(name: str, is_array: bool, counts: dict[str, int]) -> list[tuple[str, int | None]]:
    if is_array:
        counts[name] = counts.get(name, -1) + 1
        for other in [other for other in counts if other.startswith(name + ".")]:
            del counts[other]
    path: list[tuple[str, int | None]] = []
    parts = name.split(".")[:MAX_DEPTH]
    for depth in range(1, len(parts) + 1):
        prefix = ".".join(parts[:depth])
        path.append((parts[depth - 1].strip('"'), counts.get(prefix)))
    return path


def _agree(place: list[tuple[str, int | None]], wanted: list[tuple[str, int | None]]) -> int:
    """How many parts of `wanted` a place follows; 0 when it leads elsewhere."""
    depth = 0
    for (name, index), (wanted_name, wanted_index) in zip(place, wanted, strict=False):
        if name != wanted_name or (index is not None and wanted_index is not None and index != wanted_index):
            break
        depth += 1
    return depth if depth == len(place) else 0
