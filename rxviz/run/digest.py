"""A hash of everything that a machine is, the bytes of its memory included.

The walk depends on nothing but the values themselves, so that it gives the same on every machine and version of
Python; two states with the same digest are the same state.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

_SKIPPED = {"watch", "source", "core", "rules", "geometry", "costs", "config", "ledger_names"} | {
    "kernel", "ethertypes", "inet", "inet6", "met",
}  # fmt: skip
"""What does not change in a run (the rules) or is not state (who watches, where frames come from, what was noted)."""


def state_digest(root: Any) -> str:
    """Return 16 hexadecimal digits for the whole state reachable from `root`."""
    walker = _Walker()
    walker.visit(root)
    return walker.hash.hexdigest()[:16]


class _Walker:
    def __init__(self) -> None:
        self.hash = sha256()
        self.seen: dict[int, int] = {}

    def visit(self, value: Any) -> None:
        if value is None or isinstance(value, int | str):
            self.hash.update(repr(value).encode())
            self.hash.update(b";")
        elif isinstance(value, bytes | bytearray):
            self.hash.update(b"b%d:" % len(value))
            self.hash.update(value)
        elif isinstance(value, list | tuple | deque):
            self._many(value, len(value))
        elif isinstance(value, dict):
            self.hash.update(b"d%d:" % len(value))
            for key, item in value.items():
                self.visit(key)
                self.visit(item)
        else:
            self._object(value)

    def _many(self, values: Iterable[Any], count: int) -> None:
        self.hash.update(b"l%d:" % count)
        for item in values:
            self.visit(item)

    def _object(self, value: Any) -> None:
        known = self.seen.get(id(value))
        if known is not None:
            self.hash.update(b"#%d;" % known)
            return
        self.seen[id(value)] = len(self.seen)
        function = getattr(value, "__func__", None)
        if function is not None:
            self.visit(function.__name__)
            self.visit(value.__self__)
            return
        self.hash.update(type(value).__name__.encode())
        for name in _attributes(type(value), value):
            if name not in _SKIPPED and hasattr(value, name):
                self.hash.update(name.encode())
                self.visit(getattr(value, name))


def _attributes(cls: type, value: Any) -> list[str]:
    slots = [name for base in cls.__mro__ for name in getattr(base, "__slots__", ())]
    return sorted({*slots, *getattr(value, "__dict__", ())})
