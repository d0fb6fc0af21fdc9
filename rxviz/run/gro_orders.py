"""How few and how many skbs the frames of a scenario can leave GRO as, whatever their order: found by trying all.

The frames come in one poll. GRO alone is asked, without the machine around it, so that some hundred orders take no
time; in one poll the machine's own GRO decides the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations

from rxviz.errors import ScenarioError
from rxviz.model.frame import Frame
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.napi_gro import is_verified
from rxviz.run.engine import make_source
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.gro_layouts import Layout, LayoutMaker
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
    layout = Layout.BUILD_SKB if scenario.path == "build_skb" else Layout.LEGACY
    maker = LayoutMaker(layout, scenario.kernel, scenario.mtu)
    gro = Gro(gro_rules(scenario.kernel), GroConfig(hz=scenario.hz), keep_passed=False)
    counts = [_skbs(gro, maker, order) for order in permutations(frames)]
    return min(counts), max(counts)


def _skbs(gro: Gro, maker: LayoutMaker, frames: Sequence[Frame]) -> int:
    """Return how many skbs leave an empty GRO in one poll; it is empty again then."""
    for number, frame in enumerate(frames):
        checked = is_verified(frame)
        gro.receive(maker.packet(number, frame.data, frame.wire_len, hash=frame.hash, checked=checked))
    gro.complete_done(len(frames))
    return len(gro.take())
