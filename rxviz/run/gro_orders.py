"""How few and how many skbs the frames of a scenario can leave GRO as, whatever their order: found by trying all.

The frames come in one poll. GRO alone is asked, without the machine around it, so that some hundred orders take no
time; in one poll the machine's own GRO decides the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from rxviz.errors import ScenarioError
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.frame import Frame
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig
from rxviz.run.engine import make_source
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.gro_layouts import LayoutMaker, layout_of
from rxviz.run.scenario import Scenario, parse_line

MOST_FRAMES = 6
"""Frames whose orders are all tried: 720."""


def skbs_by_order(scenario: Scenario) -> tuple[int, int]:
    """Return the fewest and the most skbs; raise ScenarioError where there are too many frames to try all orders."""
    return _tried(scenario.with_words(["order=sent", "seed=1"]).line())


@lru_cache(32)
def _tried(line: str) -> tuple[int, int]:
    scenario = parse_line(line)
    if scenario.spec.kind == "capture" or not 0 < scenario.spec.count <= MOST_FRAMES:
        raise ScenarioError(f"the orders of 1 to {MOST_FRAMES} made frames can be tried, not those of {line}")
    source = make_source(scenario)
    frames = [frame for frame in map(source.frame, range(scenario.spec.count)) if frame is not None]
    maker = LayoutMaker(layout_of(scenario.geometry), scenario.kernel, scenario.mtu)
    vouches_for = DRIVERS[scenario.driver].driver(scenario.rules).vouches_for
    gro = Gro(gro_rules(scenario.kernel), GroConfig(hz=scenario.hz), keep_passed=False)
    checked = [vouches_for(frame) for frame in frames]
    arrivals = [*zip(frames, checked, strict=True)]
    counts = [_skbs(gro, maker, order) for order in permutations(arrivals)]
    return min(counts), max(counts)


def _skbs(gro: Gro, maker: LayoutMaker, frames: Sequence[tuple[Frame, bool]]) -> int:
    """Return how many skbs leave an empty GRO in one poll, from frames and whether the NIC vouches for each; it is
    empty again then.
    """
    for number, (frame, checked) in enumerate(frames):
        gro.receive(maker.packet(number, frame.data, frame.wire_len, hash=frame.hash, checked=checked))
    gro.complete_done(len(frames))
    return len(gro.take())
