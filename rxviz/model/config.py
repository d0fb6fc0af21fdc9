"""What a machine is made of: the part of a scenario that the model obeys, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rxviz.model.failures import Spot, Stall
from rxviz.model.frame import Frame
from rxviz.model.geometry import Geometry
from rxviz.model.gro.kernel import GroRules
from rxviz.model.kernel import CoreRules, DriverRules


class FrameSource(Protocol):
    """Where frames come from. `frame(i)` must give the same frame each time, so that a run can be taken up anywhere."""

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last one. Arrival times never go back."""
        ...


@dataclass(frozen=True, slots=True)
class CostProfile:
    """How long acts take on the model's clock: ns for each step kind (by its number) each byte copied or added up."""

    name: str
    steps: tuple[int, ...]
    copy_byte: float
    csum_byte: float = 0


@dataclass(slots=True)
class Config:
    """Sizes in bytes, times in ns.

    `reader_ns` is what the program takes for each skb, None when it never reads; it runs on CPU `reader_cpu`, and the
    queue is CPU 0's. `refill` is how many free slots make the driver refill. `gro` is None where GRO is off, or where
    the driver never calls it; `deliver` says how it hands skbs up, `lro` that LRO is asked for. `forward` is "off", or
    "bridge" for a machine that sends on what comes up. `itr_ns` is None where the driver adapts it. `rxcsum`: the NIC
    verifies checksums. `udp_gro`: the program asked for whole trains of datagrams (UDP_GRO). `vxlan` is the UDP port at
    which a tunnel ends, 0 for none. `fifo` is the NIC's packet buffer, 0 for its own size. `budget` is the weight of a
    poll, `netdev_budget` that of a pass; `busy` is how many other queues CPU 0 polls. `reader_ns`, `reader_cpu`,
    `itr_ns` and `budget` may be changed while a run goes on.
    """

    driver: str
    path: str
    ring: int
    refill: int
    geometry: Geometry
    rules: DriverRules
    core: CoreRules
    gro: GroRules | None
    hz: int
    cost: CostProfile
    rcvbuf: int
    reader_ns: int | None
    itr_ns: int | None
    budget: int
    hw_gro: bool = False
    cpus: int = 2
    reader_cpu: int = 1
    netdev_budget: int = 300
    busy: int = 0
    gro_flush_timeout: int = 0
    napi_defer_hard_irqs: int = 0
    fifo: int = 0
    drop_en: bool = False
    stores_bad: bool = False
    fail: tuple[Spot, ...] = ()
    stalls: tuple[Stall, ...] = ()
    off: tuple[str, ...] = ()
    rxcsum: bool = True
    lro: bool = False
    deliver: str = "napi_gro_receive"
    forward: str = "off"
    mtu: int = 1500
    rxvlan: bool = False
    udp_gro: bool = False
    vxlan: int = 0
