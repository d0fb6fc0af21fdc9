"""docs/misconceptions.md: forty beliefs, each played as the model does it and as it is believed.

RXVIZ_REGENERATE_GOLDEN=1 writes the document's table anew from docs/misconceptions.toml.
"""

from __future__ import annotations

import os
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rxviz.model.lamps import LAMPS
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.smallest import lamp_of
from rxviz.run.traffic import close_source

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = DOCS / "misconceptions.md"
SHOWN: list[dict[str, Any]] = tomllib.loads((DOCS / "misconceptions.toml").read_text("utf-8"))["shown"]
HEAD = "| # | What is believed | Switched off | Scenario | What is seen then |"
WITHOUT_RULE = {37}
"""Beliefs that no rule can be: the table says why."""


@cache
def played(line: str) -> tuple[str, dict[str, Any]]:
    """The lamp that goes on first in a run ("" where all stay dark), and what the run comes to."""
    scenario = parse_line(line)
    m = make_machine(scenario)
    m.run()
    close_source(m.source)
    lit = lamp_of(m)
    return lit[0] if lit else "", result(scenario, m)


def number(outcome: dict[str, Any], name: str) -> int:
    """A number of a result, by its names with dots between."""
    value: Any = outcome
    for part in name.split("."):
        value = value[part]
    assert isinstance(value, int), name
    return value


def title(row: dict[str, Any]) -> str:
    return f"{row['number']}-{row.get('rule', 'none')}"


def as_row(row: dict[str, Any]) -> str:
    """A row of the table."""
    scenario = f"`{row['scenario']}`"
    if "against" in row:
        scenario += f" against `{row['against']}`"
    off = f"`off={row['rule']}`" if "rule" in row else "–"
    if "lamp" in row:
        seen = f"Lamp `{row['lamp']}`. {row['seen']}"
    else:
        one, other = row["values"]
        seen = f"`{row['look']}` {one:,} → {other:,}. {row['seen']}"
    if "why" in row:
        seen = f"{row['why']} {seen}"
    return f"| {row['number']} | {row['believed']} | {off} | {scenario} | {seen} |"


def test_the_document_has_the_table_of_the_data() -> None:
    table = [HEAD, "|---|---|---|---|---|", *map(as_row, SHOWN)]
    before, _, behind = DOCUMENT.read_text("utf-8").partition(HEAD)
    rows, gap, rest = behind.partition("\n\n")
    if os.environ.get("RXVIZ_REGENERATE_GOLDEN"):
        DOCUMENT.write_text(before + "\n".join(table) + gap + rest, "utf-8")
    else:
        assert (HEAD + rows).rstrip("\n").splitlines() == table


def test_each_of_the_forty_is_there_and_all_but_those_said_have_a_rule() -> None:
    rules = defaultdict(set)
    for row in SHOWN:
        rules[row["number"]].add(row.get("rule", ""))
    assert [*rules] == [*range(1, 41)]
    assert {belief for belief, found in rules.items() if found == {""}} == WITHOUT_RULE
    assert all(row.get("why") for row in SHOWN if row["number"] in WITHOUT_RULE)


@pytest.mark.parametrize("row", SHOWN, ids=title)
def test_what_the_table_says_is_seen(row: dict[str, Any]) -> None:
    """With the rule no lamp goes on; without it the one that is named, or else the number that is named is another."""
    assert ("rule" in row) != ("against" in row)
    assert ("lamp" in row) != ("look" in row)
    lamp, real = played(row["scenario"])
    other, world = played(row.get("against") or f"{row['scenario']} off={row['rule']}")
    assert lamp == ""
    if "lamp" in row:
        assert row["lamp"] in LAMPS
        assert other == row["lamp"]
        return
    assert other == ""
    one, changed = row["values"]
    assert one != changed
    assert (number(real, row["look"]), number(world, row["look"])) == (one, changed)


def test_the_sentences_are_sentences() -> None:
    for row in SHOWN:
        for key in ("believed", "seen", *(["why"] if "why" in row else [])):
            assert row[key].endswith("."), row[key]
            assert "|" not in row[key]
