"""Which driver, NIC, ring and GRO a machine gets: by driver, kernel, and the rules that are switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rxviz.model.drivers.driver import Driver
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.napi_gro import NapiGro
from rxviz.model.nic import Nic
from rxviz.model.ring import Ring
from rxviz.model.rules import with_rules_off

if TYPE_CHECKING:
    from rxviz.model.machine import Machine


def make_driver(m: Machine) -> Driver:
    """Return the receive routine of the configured driver and kernel."""
    base = DRIVERS[m.config.driver].driver(m.config.rules)
    return cast(Driver, with_rules_off(base, "driver", m.config.off)(m))


def make_nic(m: Machine) -> Nic:
    """Return the NIC's side of the queue."""
    return cast(Nic, with_rules_off(DRIVERS[m.config.driver].nic, "nic", m.config.off)(m))


def make_ring(m: Machine) -> Ring:
    """Return the descriptors, and the driver's shadow of them."""
    config = m.config
    return DRIVERS[config.driver].ring(config.ring, config.geometry)


def make_gro(m: Machine) -> NapiGro | None:
    """Return the GRO of the machine's NAPI instance; None where it is off and nobody calls it."""
    if m.config.gro is None:
        return None
    return cast(NapiGro, with_rules_off(NapiGro, "gro", m.config.off)(m, m.config.gro))
