"""Run the benchmark: `python -m tests.bench [--json] [--quick] [--only NAME,NAME]`."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable
from importlib.metadata import version

from tests.bench import memory, model, screen, seek
from tests.bench.measure import Measure

PARTS: dict[str, Callable[[bool], list[Measure]]] = {
    "model": model.measure,
    "growth": model.growth,
    "seek": seek.measure,
    "first": screen.first_picture,
    "keys": screen.keys,
    "memory": memory.measure,
}


def main() -> None:
    """Measure what was asked for; print a table or one JSON object. Exit status 1: a part could not be measured."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Measure rxviz, mostly as ratios.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="shorter runs: for a look, not for a verdict")
    parser.add_argument("--only", default=",".join(PARTS), help=f"parts, with commas between: {', '.join(PARTS)}")
    asked = parser.parse_args()
    unknown = [part for part in asked.only.split(",") if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    found: list[Measure] = []
    failed = False
    for part in asked.only.split(","):
        print(f"measuring {part} …", file=sys.stderr, flush=True)
        try:
            found += PARTS[part](asked.quick)
        except RuntimeError as error:
            print(f"{part} could not be measured: {error}", file=sys.stderr)
            failed = True
    if asked.json:
        print(json.dumps({"setting": _setting(asked.quick), "measures": {each.name: each.as_json() for each in found}}))
    else:
        print(_table(found, _setting(asked.quick)))
    sys.exit(failed)


def _setting(quick: bool) -> dict[str, object]:
    return {
        "python": platform.python_version(),
        "textual": version("textual"),
        "simpy": version("simpy"),
        "cpus": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "quick": quick,
    }


def _table(found: list[Measure], setting: dict[str, object]) -> str:
    lines = ["  ".join(f"{key} {value}" for key, value in setting.items()), ""]
    for each in found:
        sign = "≥" if each.at_least else "≤"
        goal = "" if each.goal is None else f"{sign} {each.goal:g}"
        verdict = {None: "", True: "met", False: "MISSED"}[each.met]
        lines.append(
            f"{each.name:22}{_number(each.value):>12} {each.unit:9}{goal:>8} {verdict:7} {each.about}".rstrip()
        )
    return "\n".join(lines)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.1f}" if value >= 20 else f"{value:.2f}"


if __name__ == "__main__":
    main()
