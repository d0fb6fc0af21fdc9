"""Random runs in which memory fails: every lamp stays dark, every frame and page is accounted for, and it ends."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failures import ALLOC_SKB, ATTEMPTS, STALLS
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
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
