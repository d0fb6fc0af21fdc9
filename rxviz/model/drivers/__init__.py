"""Receive routines, one driver a file, each in the order and with the names of the driver it models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.drivers.ixgbe import Ixgbe
from rxviz.model.drivers.ixgbe_4_9 import Ixgbe49

if TYPE_CHECKING:
    from rxviz.model.machine import Machine


def make_driver(m: Machine) -> Ixgbe:
    """Return the receive routine of the configured driver and kernel."""
    return Ixgbe49(m) if m.config.rules.bias_start == 0 else Ixgbe(m)
