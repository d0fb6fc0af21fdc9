"""Where every frame of a run is: delivered, lost, by the name of the counter that tells of it, or still on its way."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rxviz.model.machine import Machine


def drops(m: Machine) -> dict[str, int]:
    """Return the frames that are lost, each once, by the counter that tells of it."""
    lost: dict[str, int] = {}
    for where in (m.nic.drops(), m.driver.drops(), m.socket.drops()):
        for counter, frames in where.items():
            lost[counter] = lost.get(counter, 0) + frames
    return lost


def in_flight(m: Machine) -> dict[str, int]:
    """Return the frames that are neither delivered nor lost, counted where they are, between two events.

    "nic" is the packet buffer, "ring" what the NIC has written whole and the driver not come to, "gro" what GRO holds.
    """
    return {
        "nic": len(m.nic.fifo),
        "ring": m.nic.whole_frames(),
        "gro": m.gro.frames_inside if m.gro is not None else 0,
    }
