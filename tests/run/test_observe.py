"""The changes that a step declares are all that changed: neither one too few nor one too many."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from rxviz.model.machine import Machine
from rxviz.run.engine import make_machine
from rxviz.run.observe import Change, Look, Observer, everything
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.trace import record
from tests.run.strategies import scenarios


def difference(before: Look, after: Look) -> set[Change]:
    return {
        (name, before.get(name), after.get(name))
        for name in before.keys() | after.keys()
        if before.get(name) != after.get(name)
    }


def compare(scenario: Scenario) -> int:
    """Play a run, hold each step's changes against the difference of two whole looks; return the number of steps."""
    m = make_machine(scenario)
    observer = Observer(m)
    before = everything(m)
    compared = 0

    def watch(kind: int, frame: Any, slot: int, page: Any, skb: Any, fields: tuple[Any, ...]) -> None:
        nonlocal before, compared
        declared = observer.changes(slot, page, skb)
        after = everything(m)
        assert len(declared) == len(set(declared))
        assert set(declared) == difference(before, after), (m.n, kind)
        before = after
        compared += 1

    m.watch = watch
    m.run()
    return compared


@settings(max_examples=120, deadline=None)
@given(scenarios(16))
def test_declared_changes_are_the_whole_difference(scenario: Scenario) -> None:
    m = make_machine(scenario)
    m.run()
    assert compare(scenario) == m.n


@pytest.mark.parametrize("kernel", ["4.9", "4.11", "6.18"])
def test_a_new_chunk_of_heads_is_a_change_of_the_old_one_too(kernel: str) -> None:
    compare(parse_line(f"ixgbe kernel={kernel} path=legacy ring=8 reader=off traffic=udp:60x60"))


@settings(max_examples=40, deadline=None)
@given(scenarios(12))
def test_changes_add_up_from_the_first_look_to_the_last(scenario: Scenario) -> None:
    m: Machine = make_machine(scenario)
    look = everything(m)
    for step in record(m):
        for name, old, new in step.changes:
            assert look.get(name) == old
            if new is None:
                look.pop(name, None)
            else:
                look[name] = new
    m = make_machine(scenario)
    m.run()
    assert {name: value for name, value in look.items() if value is not None} == {
        name: value for name, value in everything(m).items() if value is not None
    }


def test_what_can_be_seen_of_a_fresh_machine() -> None:
    look = everything(make_machine(parse_line("ixgbe ring=4")))
    assert look["ring.next_to_clean"] == 0
    assert look["ring.next_to_use"] == look["ring.next_to_alloc"] == look["nic.RDT"] == 3
    assert look["nic.RDH"] == look["nic.waiting"] == 0
    assert look["nic.irq"] == "on"
    assert [look[f"slots.{slot}.page"] for slot in range(4)] == [0, 1, 2, None]
    assert look["slots.0.descriptor"] == "c000000001000000" + "0" * 16
    assert look["slots.3.descriptor"] == "0" * 32
    assert [look[f"pages.0.{name}"] for name in ("page_count", "pagecnt_bias", "page_offset", "users")] == [
        *(65535, 65535, 192, "")
    ]


def test_the_change_of_a_flip() -> None:
    steps = list(record(make_machine(parse_line("ixgbe ring=8 reader=off traffic=tcp:1514x1"))))
    (flip,) = [step for step in steps if step.name == "page.flip"]
    assert flip.changes == (("pages.0.page_offset", 192, 2240),)
    (taken,) = [step for step in steps if step.name == "buf.take"]
    assert taken.changes == (("pages.0.pagecnt_bias", 65535, 65534),)
