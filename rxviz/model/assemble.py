"""Which driver and which NIC a machine gets: by driver, kernel, and the rules that are switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rxviz.model.drivers.ixgbe import Ixgbe
from rxviz.model.drivers.ixgbe_4_9 import Ixgbe49
from rxviz.model.nic import Nic
from rxviz.model.rules import with_rules_off

if TYPE_CHECKING:
    from rxviz.model.machine import Machine


def make_driver(m: Machine) -> Ixgbe:
    """Return the receive routine of the configured driver and kernel."""
    base = Ixgbe49 if m.config.rules.bias_start == 0 else Ixgbe
    return cast(Ixgbe, with_rules_off(base, "driver", m.config.off)(m))


def make_nic(m: Machine) -> Nic:
    """Return the NIC's side of the queue."""
    return cast(Nic, with_rules_off(Nic, "nic", m.config.off)(m))
