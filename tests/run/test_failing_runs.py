"""Random runs in which memory fails: every lamp stays dark, every frame and page is accounted for, and it ends."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failures import ALLOC_SKB, ATTEMPTS, STALLS
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.scenario_remarks import remarks_at_end
from rxviz.run.timeline import Timeline
from tests.run.strategies import lines
from tests.soak.check import faults

NIC_KEYS = {"fifo": "3000", "drop_en": "on"}


@st.composite
def spots(draw: st.DrawFn, kinds: list[str], *, ends: bool) -> str:
    """One kind of failure, at one place or along a range, which may have no end."""
    kind = draw(st.sampled_from(kinds))
    first = draw(st.integers(kind in ATTEMPTS, 12))
    last = draw(st.sampled_from(["", *(f"-{first + more}" for more in (1, 3, 30))] + ([] if ends else ["-"])))
    return f"{kind}@{first}{last}"


@st.composite
def failing(draw: st.DrawFn, *, ends: bool = False) -> Scenario:
    """A scenario in which up to three kinds of things fail."""
    line = draw(lines())
    whole = parse_line(line)
    if whole.rules.build_skb:
        # There the kernel does not outlive it.
        line = line.replace(" hw_gro=on", "")
    kinds = [kind for kind in DRIVERS[whole.driver].fails if kind != ALLOC_SKB or whole.rules.checks_skb]
    stall = st.builds("{}@{}+{}".format, st.sampled_from(STALLS), st.integers(0, 90_000), st.integers(1, 900_000))
    words = draw(st.lists(spots(kinds, ends=ends) | stall, min_size=1, max_size=3))
    more = [f" {key}={word}" for key, word in NIC_KEYS.items() if key in DRIVERS[whole.driver].offers]
    return parse_line(f"{line} fail={','.join(words)}{draw(st.sampled_from(['', '', *more]))}")


@settings(max_examples=250, deadline=None)
@given(failing())
def test_lamps_stay_dark_and_nothing_gets_lost_without_a_name(scenario: Scenario) -> None:
    assert faults(scenario)[1] == []


@settings(max_examples=150, deadline=None)
@given(failing(ends=True))
def test_what_fails_for_a_while_leaves_nothing_behind(scenario: Scenario) -> None:
    """However long it takes, the ring is full again at the end, and every frame that waited has gone up."""
    m = make_machine(scenario)
    m.run()
    assert not m.waits_for_memory
    assert not m.driver.falls_short()
    assert not m.driver.pending()
    assert result(scenario, m)["frames"]["in_flight"] == 0


@settings(max_examples=40, deadline=None)
@given(failing(), st.data())
def test_any_step_of_a_failing_run_is_the_same_however_one_comes_there(scenario: Scenario, data: st.DataObject) -> None:
    one, other = Timeline(scenario), Timeline(scenario)
    one.extend()
    other.extend()
    position = data.draw(st.integers(0, one.length))
    there = one.at(position)
    step, digest = there.step, state_digest(there.machine)
    other.at(other.length)
    back = other.at(position)
    assert (back.step, state_digest(back.machine)) == (step, digest)


def steps_of(line: str) -> tuple[list[tuple[int, int]], list[str]]:
    """Return kind and time of every step, and what the end of the run says."""
    machine = make_machine(parse_line(line))
    found: list[tuple[int, int]] = []
    machine.watch = lambda kind, *_: found.append((kind, machine.now))
    machine.run()
    return found, remarks_at_end(machine)


@pytest.mark.parametrize(
    ("line", "came", "never", "why"),
    [
        ("ixgbe ring=8 reader=slow", "alloc_page@1", "alloc_page@77", "alloc_page was tried 5 times"),
        ("ixgbe ring=8", "remote_page@3", "remote_page@90-", "no frame came to such a page"),
        # On the ring, but no frame comes to its slot.
        ("ixgbe ring=64", "pfmemalloc@3", "pfmemalloc@50", "no frame came to such a page"),
        ("igb path=legacy ring=8", "alloc_skb@12", "alloc_skb@13", "alloc_skb was tried 12 times"),
        ("qede", "alloc_skb@2", "map@1", "map was never tried"),
        ("mv643xx_eth", "alloc_page@1", "alloc_page@2", "alloc_page was tried once"),
    ],
)
def test_the_end_says_what_was_to_fail_and_never_did(line: str, came: str, never: str, why: str) -> None:
    honest, said = steps_of(line)
    assert said == []
    idle, said = steps_of(f"{line} fail={never}")
    assert idle == honest
    assert said == [f"fail={never} never took effect: {why}."]
    harmed, said = steps_of(f"{line} fail={came}")
    assert harmed != honest
    assert said == []
