"""Find the fewest frames, and the plainest words, with which a rule that is switched off lights a lamp.

The search plays honest and broken runs of the same model, shortest first: nothing is known beforehand of what a rule
does. What it found for each rule is kept in assets/rules.toml, and tests find it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

from rxviz.errors import ScenarioError
from rxviz.run.engine import make_machine
from rxviz.run.kernels import driver_kernels, driver_rules
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.traffic import close_source

if TYPE_CHECKING:
    from rxviz.model.machine import Machine

MOST_BUFFERS = 24
"""Buffers that a scene may fill; a small frame fills one."""
MOST_STEPS = 20_000
_READERS = ("fast", "3000", "off")
_TRAFFIC = (
    ("traffic=tcp:1514", 1), ("traffic=udp:64p", 1), ("traffic=tcp:1700", 1), ("mtu=9000 traffic=tcp:4000", 2),
    ("page_size=8192 traffic=tcp:1514", 1), ("gro=on traffic=tcp:1514", 1), ("rate=50kpps traffic=tcp:1514", 1),
    ("rate=590kpps traffic=tcp:1514", 1), ("budget=1 traffic=tcp:1514", 1),
    ("fail=alloc_page@5-9 traffic=tcp:1514", 1), ("fail=alloc_skb@2 traffic=tcp:1514", 1),
    ("lro=on forward=bridge traffic=segs:1448p:1", 1),
    ("gro=on hw_gro=on traffic=tcp:1514", 1), ("gro=on hw_gro=on rate=590kpps traffic=tcp:1514", 1),
)  # fmt: skip
"""What arrives, the plainest first, and how many buffers each frame fills."""
_RARE = (
    ("budget=1 itr=250 traffic=tcp:1514", 1), ("mtu=9000 fail=alloc_page@2-5 traffic=tcp:7000", 3),
    ("traffic=capture:mixed", MOST_BUFFERS),
)  # fmt: skip
"""Tried last: a budget smaller than what one interrupt tells of, a poll that ends in the midst of a frame, and a
capture (once) with short frames among long ones."""
_ALSO = {"qede": (("fail=alloc_page@1-9 traffic=tcp:1514", 1),)}
"""What shows something of a driver alone: qede finds out what becomes of a ring that is never filled up again."""
_MORE = ",1a"
"""A further segment of a flow whose sender goes on acknowledging."""


@dataclass(frozen=True, slots=True)
class Found:
    """A scenario line with the rule off, the lamp that goes on first in it, and the step at which it does."""

    line: str
    lamp: str
    step: int


def smallest(rule: str, driver: str) -> Found | None:
    """Return the smallest scene in which `rule`, switched off, lights a lamp; None where none was found."""
    for traffic in ((*_TRAFFIC, *_ALSO.get(driver, ())), _RARE):
        scenes = list(_scenes(driver, rule, traffic))
        for buffers in range(1, MOST_BUFFERS + 1):
            for words, parts in scenes:
                if buffers % parts == 0 and (found := _lights(counted(words, buffers // parts), rule)):
                    return found
    return None


def counted(words: str, frames: int) -> str:
    """Return words that end with what arrives, with so many frames of it; a capture has as many as it has."""
    if "traffic=capture:" in words:
        return words
    return f"{words}{_MORE * (frames - 1)}" if "traffic=segs:" in words else f"{words}x{frames}"


def fewer(scenario: Scenario) -> Scenario | None:
    """Return a scene with one frame fewer; None where it has but one, or plays a capture."""
    traffic = scenario.traffic
    if traffic.startswith("capture:"):
        return None
    if traffic.startswith("segs:"):
        return replace(scenario, traffic=traffic.removesuffix(_MORE)) if traffic.endswith(_MORE) else None
    kind, _, count = traffic.rpartition("x")
    return replace(scenario, traffic=f"{kind}x{int(count) - 1}") if int(count) > 1 else None


def _scenes(driver: str, rule: str, traffic: tuple[tuple[str, int], ...]) -> Iterator[tuple[str, int]]:
    """Return scenes without their number of frames, the newest kernel and the plainest words first."""
    for kernel in reversed(driver_kernels(driver)):
        paths = reversed(driver_rules(driver, kernel).paths)
        for path, (what, parts), reader in product(paths, traffic, _READERS):
            line = f"{driver} kernel={kernel} path={path} ring=4 reader={reader} {what}"
            try:
                if rule in parse_line(counted(line, 1)).rule_names:
                    yield line, parts
            except ScenarioError:
                continue


def _lights(line: str, rule: str) -> Found | None:
    world = parse_line(f"{line} off={rule}")
    found = first_lamp(world)
    if found is None or first_lamp(parse_line(line)) is not None:
        return None
    return Found(world.line(), *found)


def first_lamp(scenario: Scenario) -> tuple[str, int] | None:
    """Return the lamp that goes on first in a run, and the step that lights it; None when all stay dark."""
    return lamp_of(played(scenario, MOST_STEPS))


def played(scenario: Scenario, most_steps: int, *, to_a_lamp: bool = True) -> Machine:
    """Play a run to its end, for so many steps at most; `to_a_lamp`: only until a lamp goes on.

    At a run that goes on behind that the lamps do not look as at one that has ended.
    """
    m = make_machine(scenario)
    going = True
    while going and m.n < most_steps and not (to_a_lamp and m.lamps.first):
        going = bool(m.tick())
    if not going:
        m.lamps.at_end()
    close_source(m.source)
    return m


def lamp_of(m: Machine) -> tuple[str, int] | None:
    """Return the lamp that went on first in a machine, and the step that lit it; None when all are dark."""
    lit = m.lamps.first
    if not lit:
        return None
    name = min(lit, key=lambda each: (lit[each], each))
    return name, min(lit[name] + 1, m.n)
