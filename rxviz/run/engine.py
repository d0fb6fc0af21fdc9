"""From the words of a scenario to a machine that is ready to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.config import Config, FrameSource
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.machine import Machine
from rxviz.run import cost, kernels
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.segments import SegmentFrames
from rxviz.run.traffic import CapturedFrames, MadeFrames

if TYPE_CHECKING:
    from rxviz.capture.frames import Frames
    from rxviz.run.scenario import Scenario


def make_config(scenario: Scenario) -> Config:
    """Return what the model needs to know of a scenario."""
    rules, core = scenario.rules, kernels.core_rules(scenario.kernel)
    layout = DRIVERS[scenario.driver].geometry
    geometry = layout(rules, core, scenario.page_size, scenario.mtu, scenario.path)
    return Config(
        driver=scenario.driver,
        path=scenario.path,
        ring=scenario.ring,
        refill=scenario.refill_at,
        geometry=geometry,
        rules=rules,
        core=core,
        gro=gro_rules(scenario.kernel) if scenario.calls_gro else None,
        hz=scenario.hz,
        cost=cost.profile(scenario.cost),
        rcvbuf=scenario.rcvbuf * 2,
        reader_ns=scenario.reader_ns,
        itr_ns=scenario.itr * 1000,
        budget=scenario.budget,
        off=scenario.off_rules,
        rxcsum=scenario.rxcsum == "on",
        lro=scenario.lro == "on",
        deliver=scenario.deliver_as,
        forward=scenario.forward,
        mtu=scenario.mtu,
        udp_gro=scenario.udp_gro == "on",
        vxlan=scenario.vxlan,
    )


def make_source(scenario: Scenario) -> FrameSource:
    """Return where the frames come from; raise CaptureError when a capture cannot be used."""
    spec = scenario.spec
    if spec.kind != "capture":
        kind = SegmentFrames if spec.segments else MadeFrames
        return kind(spec, scenario.seed, scenario.rxcsum == "on")
    from rxviz.capture.frames import Frames, require_some

    frames = Frames(spec.capture, mtu=scenario.mtu)
    require_some(frames)
    return captured(scenario, frames)


def captured(scenario: Scenario, frames: Frames) -> CapturedFrames:
    """Return the frames of a capture that is open, as the scenario's NIC hands them on."""
    return CapturedFrames(frames, scenario.rxcsum == "on", scenario.rxvlan == "on")


def make_machine(scenario: Scenario, source: FrameSource | None = None) -> Machine:
    """Return a machine with its ring filled and its first frame on the way."""
    return Machine(make_config(scenario), source or make_source(scenario))
