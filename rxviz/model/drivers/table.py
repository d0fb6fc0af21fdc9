"""Every driver that is modelled, in one table: adding one is a class, its NIC, its layout, and a row here.

What its kernels do differently, and its constants, stand in assets/kernels/<name>.toml; docs/adding-a-driver.md goes
through it step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from rxviz.model.drivers.driver import Driver
from rxviz.model.drivers.igb import Igb
from rxviz.model.drivers.igb_fetch import IgbFetch
from rxviz.model.drivers.igb_geometry import igb_geometry
from rxviz.model.drivers.ixgbe import Ixgbe
from rxviz.model.drivers.ixgbe_fetch import IxgbeFetch
from rxviz.model.drivers.ixgbe_geometry import ixgbe_geometry
from rxviz.model.drivers.mv643xx_eth import Mv643xxEth
from rxviz.model.drivers.mv643xx_geometry import mv643xx_geometry
from rxviz.model.drivers.qede_build import QedeBuild
from rxviz.model.drivers.qede_geometry import qede_geometry
from rxviz.model.drivers.qede_legacy import QedeLegacy
from rxviz.model.drivers.qede_ring import QedeRing
from rxviz.model.drivers.qede_rules import QedeRules
from rxviz.model.failures import ALLOC_PAGE, ALLOC_SKB, ATTEMPTS, PAGES
from rxviz.model.geometry import Geometry
from rxviz.model.kernel import DriverRules, IgbRules, IxgbeRules, Mv643xxRules
from rxviz.model.mv643xx_ring import RxQueue
from rxviz.model.nic import Nic
from rxviz.model.nics.igb import IgbNic
from rxviz.model.nics.intel import IntelNic
from rxviz.model.nics.marvell import MarvellNic
from rxviz.model.nics.qlogic import QlogicNic
from rxviz.model.ring import IgbRing, Ring, RxRing

GeometryOf = Callable[..., Geometry]
"""(rules, core, page_size, mtu, path) -> the layout that the driver chooses; rsc=True besides where it offers RSC."""


@dataclass(frozen=True, slots=True)
class DriverKind:
    """A driver: its rules' class, the constants that these are read from, its layout, its code, its NIC, its ring.

    `constants` names a field of the rules and the constant (in the driver's table) that it comes from. `offers` names
    the scenario keys that only some drivers have, `fails` the kinds of failures that it can meet.
    """

    name: str
    rules: type[DriverRules]
    constants: Mapping[str, str]
    geometry: GeometryOf
    driver: Callable[[Any], type[Driver]]
    nic: type[Nic]
    ring: type[Ring] = RxRing
    offers: frozenset[str] = field(default=frozenset())
    fails: tuple[str, ...] = (*ATTEMPTS, *PAGES)


_INTEL = {
    "bias_max": "PAGECNT_BIAS_MAX",
    "packet_buffer": "RX_PACKET_BUFFER",
    "line_bits": "LINE_RATE",
    "max_mtu": "MAX_MTU",
    "service_ns": "SERVICE_PERIOD",
}
_INTEL_OFFERS = frozenset({"rxvlan", "drop_en", "errors", "bad_frames", "fifo"})


def _table(*kinds: DriverKind) -> dict[str, DriverKind]:
    return {kind.name: kind for kind in kinds}


DRIVERS = _table(
    DriverKind(
        "ixgbe",
        IxgbeRules,
        _INTEL
        | {
            "rxbuffer_1536": "IXGBE_RXBUFFER_1536",
            "rxbuffer_2k": "IXGBE_RXBUFFER_2K",
            "rxbuffer_3k": "IXGBE_RXBUFFER_3K",
            "default_ring": "IXGBE_DEFAULT_RXD",
            "large_page_ring": "IXGBE_DEFAULT_RXD_LARGE",
            "min_ring": "IXGBE_MIN_RXD",
            "ring_multiple": "IXGBE_REQ_RX_DESCRIPTOR_MULTIPLE",
            "rx_buffer_write": "IXGBE_RX_BUFFER_WRITE",
            "rx_hdr_size": "IXGBE_RX_HDR_SIZE",
            "itr_start": "IXGBE_20K_ITR",
            "itr_lowest": "IXGBE_100K_ITR",
            "itr_low": "IXGBE_20K_ITR",
            "itr_bulk": "IXGBE_12K_ITR",
            "itr_min_us": "IXGBE_ITR_ADAPTIVE_MIN_USECS",
            "itr_max_us": "IXGBE_ITR_ADAPTIVE_MAX_USECS",
            "itr_step_us": "IXGBE_ITR_ADAPTIVE_MIN_INC",
        },
        ixgbe_geometry,
        lambda rules: IxgbeFetch if rules.page_management == "fetch" else Ixgbe,
        IntelNic,
        offers=frozenset({"rsc", *_INTEL_OFFERS}),
    ),
    DriverKind(
        "igb",
        IgbRules,
        _INTEL
        | {
            "rxbuffer_1536": "IGB_RXBUFFER_1536",
            "rxbuffer_2k": "IGB_RXBUFFER_2048",
            "rxbuffer_3k": "IGB_RXBUFFER_3072",
            "default_ring": "IGB_DEFAULT_RXD",
            "max_ring": "IGB_MAX_RXD",
            "ring_multiple": "REQ_RX_DESCRIPTOR_MULTIPLE",
            "rx_buffer_write": "IGB_RX_BUFFER_WRITE",
            "rx_hdr_size": "IGB_RX_HDR_LEN",
            "ts_hdr_len": "IGB_TS_HDR_LEN",
            "max_jumbo_frame": "MAX_JUMBO_FRAME_SIZE",
            "itr_start": "IGB_START_ITR",
            "itr_lowest": "IGB_70K_ITR",
            "itr_low": "IGB_20K_ITR",
            "itr_bulk": "IGB_4K_ITR",
        },
        igb_geometry,
        lambda rules: IgbFetch if rules.page_management == "fetch" else Igb,
        IgbNic,
        IgbRing,
        offers=_INTEL_OFFERS,
    ),
    DriverKind(
        "qede",
        QedeRules,
        {
            "default_ring": "RING_DEFAULT",
            "min_ring": "RING_MIN",
            "ring_multiple": "RING_MULTIPLE",
            "rx_buffer_write": "LAZY_ABOVE",
            "rx_hdr_size": "QEDE_RX_HDR_SIZE",
            "eth_overhead": "ETH_OVERHEAD",
            "placement_offset": "PLACEMENT_OFFSET",
            "max_mtu": "MAX_MTU",
            "tpa_max_aggs": "TPA_MAX_AGGS",
            "tpa_max_buffers": "TPA_MAX_BUFFERS",
            "tpa_timeout": "TPA_TIMEOUT",
            "packet_buffer": "RX_PACKET_BUFFER",
            "line_bits": "LINE_RATE",
        },
        qede_geometry,
        lambda rules: QedeBuild if rules.build_skb else QedeLegacy,
        QlogicNic,
        QedeRing,
        offers=frozenset({"hw_gro"}),
        fails=(),
    ),
    DriverKind(
        "mv643xx_eth",
        Mv643xxRules,
        {
            "packet_buffer": "RX_FIFO",
            "line_bits": "LINE_RATE",
            "default_ring": "DEFAULT_RX_QUEUE_SIZE",
            "min_ring": "MIN_RX_QUEUE_SIZE",
            "ring_multiple": "RX_QUEUE_MULTIPLE",
            "rx_buffer_write": "RX_AT_A_TIME",
            "rx_hdr_size": "RX_HDR_SIZE",
            "skb_extra": "SKB_EXTRA",
            "max_rx_packet": "MAX_RX_PACKET",
            "max_mtu": "MAX_MTU",
            "default_itr": "RX_COAL",
            "service_ns": "RX_OOM",
            "default_budget": "POLL_WEIGHT",
        },
        mv643xx_geometry,
        lambda rules: Mv643xxEth,
        MarvellNic,
        RxQueue,
        frozenset({"lro", "deliver", "errors"}),
        (ALLOC_PAGE, ALLOC_SKB),
    ),
)
