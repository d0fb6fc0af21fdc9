"""Which driver, NIC, ring, GRO, LRO and stack a machine gets: by driver, kernel, and the rules switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rxviz.model.bridge import Bridge
from rxviz.model.drivers.driver import Driver
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.memory import PageFragCache, RingFragCache
from rxviz.model.napi_gro import NapiGro
from rxviz.model.napi_lro import NapiLro
from rxviz.model.nic import Nic
from rxviz.model.ring import Ring
from rxviz.model.rules import with_rules_off
from rxviz.model.socket import Socket

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


def make_frags(m: Machine) -> PageFragCache:
    """Return what cuts heads from chunks; where buffers are heads of skbs, its chunks are the ring's pages."""
    kind = RingFragCache if m.config.geometry.head else PageFragCache
    return kind(m.memory, m.config.core)


def make_gro(m: Machine) -> NapiGro | None:
    """Return the GRO of the machine's NAPI instance; None where it is off and nobody calls it."""
    if m.config.gro is None:
        return None
    return cast(NapiGro, with_rules_off(NapiGro, "gro", m.config.off)(m, m.config.gro))


def make_lro(m: Machine) -> NapiLro | None:
    """Return the queue's LRO; None where it is off, or where the kernel switched it off (`dev_disable_lro`)."""
    kind = with_rules_off(NapiLro, "lro", m.config.off)
    if not m.config.lro or (m.config.forward != "off" and not kind.stays_on_in_bridge):
        return None
    return cast(NapiLro, kind(m))


def make_socket(m: Machine) -> Socket:
    """Return the end that every skb comes to: a socket, or a bridge."""
    if m.config.forward == "off":
        return cast(Socket, with_rules_off(Socket, "socket", m.config.off)(m))
    return cast(Bridge, with_rules_off(Bridge, "bridge", m.config.off)(m))
