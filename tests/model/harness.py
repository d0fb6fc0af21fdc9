"""Drive a real machine by hand: frames that are chosen one by one, and skbs that are freed when a test says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rxviz.model.descriptor import IPCS, L4CS
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failing import make_machine
from rxviz.model.frame import Frame
from rxviz.model.geometry import Geometry
from rxviz.model.machine import Machine
from rxviz.model.memory import Page
from rxviz.model.ring import RxRing
from rxviz.model.skb import SkBuff
from rxviz.run import kernels
from rxviz.run.engine import make_config
from rxviz.run.observe import Look, everything
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step, record
from rxviz.wire import build

KERNELS = ("4.9", "4.11", "4.12", "4.19", "6.18")
NEWER = KERNELS[1:]
PATHS = [("4.9", "legacy"), *((kernel, path) for kernel in NEWER for path in ("legacy", "build_skb"))]
"""Every kernel with every path that it has, of ixgbe."""
ROUTINES = [
    (driver, kernel, path)
    for driver in DRIVERS
    for kernel in kernels.driver_kernels(driver)
    for path in kernels.driver_rules(driver, kernel).paths
]
"""Every driver that is modelled, with every kernel and path: a new one joins by being in the table."""

INTEL = tuple(name for name, kind in DRIVERS.items() if issubclass(kind.ring, RxRing))
"""Drivers with Intel's ring: three cursors, and references paid in advance."""


def geometry(kernel: str, path: str, page_size: int = 4096, mtu: int = 1500, driver: str = "ixgbe") -> Geometry:
    rules = kernels.driver_rules(driver, kernel)
    return DRIVERS[driver].geometry(rules, kernels.core_rules(kernel), page_size, mtu, path)


HEADS = tuple(driver for driver, kernel, path in ROUTINES if geometry(kernel, path, driver=driver).head)
"""Drivers whose buffers are heads of skbs that wait in the ring."""
SHARING = tuple(driver for driver in DRIVERS if driver not in HEADS)
"""Drivers whose buffers are parts of pages."""

APART = 1_000_000
"""ns between frames that must each find the machine at rest."""


def frame_bytes(size: int, mark: int = 0) -> bytes:
    """A frame of exactly `size` bytes: TCP with timestamps, or UDP where that is too short."""
    if size >= 66:
        body = build.payload(size - 66, mark)
        data = build.tcp4(body, sport=40_000, dport=5001, seq=1 + mark, tsval=1000, tsecr=500)
    else:
        data = build.udp4(build.payload(size - 42, mark), sport=40_000, dport=5001)
    assert len(data) == size
    return data


def frame(i: int, t_ns: int, size: int = 1514, error: str = "") -> Frame:
    return Frame(i, t_ns, frame_bytes(size, i), size, status=L4CS | IPCS, error=error)


class FrameList:
    """A source that gives the frames of a list."""

    def __init__(self, frames: Iterable[Frame]) -> None:
        self.frames = list(frames)

    def frame(self, i: int) -> Frame | None:
        return self.frames[i] if i < len(self.frames) else None


def machine(line: str, frames: Iterable[Frame]) -> Machine:
    """A machine as a scenario line says, but with these frames."""
    return make_machine(make_config(parse_line(line)), FrameList(frames))


def sized(sizes: Iterable[int], apart: int = APART) -> list[Frame]:
    """Frames of these sizes, so far apart that each finds the machine at rest (or closer, if asked for)."""
    return [frame(i, (i + 1) * apart, size) for i, size in enumerate(sizes)]


def at_once(sizes: Iterable[int]) -> list[Frame]:
    """Frames that all arrive in one instant: the NIC has written them before the first poll looks."""
    return [frame(i, 1_000, size) for i, size in enumerate(sizes)]


def settle(m: Machine, offered: int) -> None:
    """Play until so many frames have arrived and the driver is at rest again."""
    while m.offered < offered or m.napi.scheduled or m.napi.irq_pending or m.nic.irq_armed:
        assert m.tick()


def free_first(m: Machine) -> SkBuff:
    """Let the program read the oldest skb of the socket's queue, and nothing else happen."""
    skb = m.socket.queue[0]
    m.config.reader_ns = 0
    m.socket.wake()
    m.config.reader_ns = None
    assert m.tick()
    assert skb.id not in m.skbs
    return skb


def played(line: str, frames: Iterable[Frame]) -> tuple[Machine, list[Step]]:
    """Play to the end; return the machine and every step."""
    m = machine(line, frames)
    return m, list(record(m))


def kinds(steps: Iterable[Step], *names: str) -> list[Step]:
    """The steps of some kinds."""
    return [step for step in steps if step.name in names]


def page_of(m: Machine, page_id: int) -> Page:
    return m.memory.pages[page_id]


def look(m: Machine, *names: str) -> tuple[int | str | None, ...]:
    """Some of what can be seen of a machine; None for what is not there."""
    seen: Look = everything(m)
    return tuple(seen.get(name) for name in names)


def dark(m: Machine) -> bool:
    return not any(m.lamps.lit.values())


def polls(steps: Iterable[Step]) -> Iterator[list[Step]]:
    """The steps of each poll, from its start to its end."""
    current: list[Step] | None = None
    for step in steps:
        if step.name == "poll.start":
            current = []
        if current is not None:
            current.append(step)
        if step.name == "poll.end" and current is not None:
            yield current
            current = None


def rx_ring(m: Machine) -> RxRing:
    """The ring of a machine whose driver is one of Intel's."""
    assert isinstance(m.ring, RxRing)
    return m.ring
