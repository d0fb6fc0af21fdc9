"""All comparisons of `rxviz kernel` in turn; one that cannot be made does not keep the others from being made."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable
from typing import Any

from rxviz.cli import kernel, kernel_gro, kernel_report, say
from rxviz.kernel.errors import KernelError
from rxviz.kernel.rcvbuf import measure
from rxviz.kernel.sizes import compare_sizes

PARTS: dict[str, Callable[[], int]] = {
    "sizes": lambda: kernel.compare_sizes(False),
    "rcvbuf": lambda: kernel.measure_rcvbuf(kernel.RCVBUF, False),
    "gro": lambda: kernel.random_gro(kernel.SESSIONS, kernel.SEED, kernel.FRAMES, False),
}
JSON_PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "sizes": lambda: kernel_report.sizes_json(compare_sizes()),
    "rcvbuf": lambda: kernel_report.rcvbuf_json(platform.release(), measure(kernel.RCVBUF)),
    "gro": lambda: kernel_gro.random_json(*kernel_gro.random(kernel.SESSIONS, kernel.SEED, kernel.FRAMES)),
}


def in_turn() -> int:
    """Print each comparison and return the exit status."""
    statuses = []
    for name, part in PARTS.items():
        say.data([f"{name}:" if name == "sizes" else f"\n{name}:"])
        try:
            statuses.append(part())
        except KernelError as error:
            say.note(str(error))
            statuses.append(kernel.NOT_HERE)
    return _worst(statuses)


def as_json() -> int:
    """Print one object with all comparisons, null for one that could not be made, and return the exit status."""
    result: dict[str, Any] = {"ok": True, "kernel": platform.release(), "findings": [], "not_compared": []}
    statuses = []
    for name, part in JSON_PARTS.items():
        try:
            outcome = result[name] = part()
        except KernelError as error:
            say.note(str(error))
            result[name] = None
            result["not_compared"].append(f"{name}: {error}")
            statuses.append(kernel.NOT_HERE)
            continue
        found = [{**finding, "place": f"{name} {finding['place']}"} for finding in outcome["findings"]]
        result["findings"] += found
        result["not_compared"] += [f"{name}: {remark}" for remark in outcome["not_compared"]]
        statuses.append(kernel.SAME if outcome["ok"] else kernel.DIFFERS if found else kernel.NOT_HERE)
    result["ok"] = _worst(statuses) == kernel.SAME
    say.data([json.dumps(result)])
    return _worst(statuses)


def _worst(statuses: Iterable[int]) -> int:
    """A difference found is the answer, whatever else could not be done."""
    found = list(statuses)
    return kernel.DIFFERS if kernel.DIFFERS in found else max(found)
