"""From the words of a scenario to a machine that is ready to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import failing
from rxviz.model.config import Config, FrameSource
from rxviz.model.machine import Machine
from rxviz.run import cost, kernels
from rxviz.run.bad_frames import captured_frames, made_frames
from rxviz.run.gro_kernels import gro_rules

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario


def make_config(scenario: Scenario) -> Config:
    """Return what the model needs to know of a scenario."""
    rules, core = scenario.rules, kernels.core_rules(scenario.kernel)
    return Config(
        driver=scenario.driver,
        path=scenario.path,
        ring=scenario.ring,
        refill=scenario.refill_at,
        geometry=scenario.geometry,
        rules=rules,
        core=core,
        gro=gro_rules(scenario.kernel) if scenario.calls_gro else None,
        hz=scenario.hz,
        cost=cost.profile(scenario.cost),
        rcvbuf=scenario.rcvbuf * 2,
        reader_ns=scenario.reader_ns,
        itr_ns=scenario.itr_ns,
        budget=scenario.budget,
        hw_gro=scenario.hw_gro == "on",
        cpus=scenario.cpus,
        reader_cpu=scenario.reader_cpu,
        netdev_budget=scenario.netdev_budget,
        busy=scenario.busy,
        gro_flush_timeout=scenario.gro_flush_timeout,
        napi_defer_hard_irqs=scenario.napi_defer_hard_irqs,
        fifo=scenario.fifo,
        drop_en=scenario.drop_en == "on",
        stores_bad=scenario.bad_frames == "stored",
        fail=scenario.fails.spots,
        stalls=scenario.fails.stalls,
        off=scenario.off_rules,
        rxcsum=scenario.rxcsum == "on",
        lro=scenario.lro == "on",
        deliver=scenario.deliver_as,
        forward=scenario.forward,
        mtu=scenario.mtu,
        rxvlan=scenario.rxvlan == "on",
        udp_gro=scenario.udp_gro == "on",
        vxlan=scenario.vxlan,
    )


def make_source(scenario: Scenario) -> FrameSource:
    """Return where the frames come from; raise CaptureError when a capture cannot be used."""
    if scenario.spec.kind != "capture":
        return made_frames(scenario)
    from rxviz.capture.frames import Frames, require_some

    frames = Frames(scenario.spec.capture, mtu=scenario.mtu)
    require_some(frames)
    return captured_frames(scenario, frames)


def make_machine(scenario: Scenario, source: FrameSource | None = None) -> Machine:
    """Return a machine with its ring filled and its first frame on the way."""
    return failing.make_machine(make_config(scenario), source or make_source(scenario))
