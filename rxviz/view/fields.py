"""The fields of a descriptor in lines: offset, name, and as much of the value as there is room for."""

from __future__ import annotations

from rxviz.view.cell import Canvas, Role

Row = tuple[int, str, tuple[str, ...]]
"""Offset in bytes, name, and the value in words from long to short."""
NAME = 13


def put_field(
    canvas: Canvas, x: int, y: int, row: Row, width: int, *, live: bool = True, name_width: int = NAME
) -> None:
    """Write a field with the longest of its values that fits whole, and a dash in a format that is not in force."""
    offset, name, values = row
    at = canvas.put(x, y, f"{offset:>2} ", Role.REST)
    at = canvas.put(at, y, f"{name} ".ljust(name_width), Role.PLAIN if live else Role.REST)
    room = width - (at - x)
    value = next((value for value in values if len(value) <= room), values[-1]) if live else "–"
    canvas.write(at, y, value, Role.STRONG if live else Role.REST, room)
