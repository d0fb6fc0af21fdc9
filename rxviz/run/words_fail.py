"""The values that fill in the sentences on what goes wrong, and on frames that are not as they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failures import PFMEMALLOC
from rxviz.model.frame import VLAN_ID

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.run.trace import Step

BAD = {
    "crc": "its FCS does not match its bytes",
    "length": "its length field does not match its length",
    "symbol": "an error symbol came in the middle of it",
    "undersize": "it is shorter than 64 bytes, FCS included",
    "oversize": "it is longer than the MAC's limit",
    "checksum": "the card found a checksum wrong",
}
"""What is wrong with a bad frame, by its kind."""
SHORT_OF = {
    "skb": "A done descriptor is left. NAPI takes the poll for complete all the same, as it did less than it might.",
    "page": "No done descriptor is left, and slots stay empty for which there was no page.",
}
"""How a poll ends that found no memory."""
_SHORT_OF_HEADS = (
    "Slots stay without an skb, as there was no memory. The timer rx_oom is set; a poll tries again in 100 ms."
)
_SECOND = 1_000_000_000


def reserved_words(reserved: str) -> dict[str, str]:
    """Return why a page must not stay on the ring."""
    if reserved == PFMEMALLOC:
        reason = ": it comes from the emergency reserve"
        words = "The reserve is for freeing memory when there is none left, so the driver keeps none of it."
    else:
        reason = ": it lies on another memory node"
        words = "Only pages of the CPU's own node stay, also where a short frame was only copied from one."
    return {"reason_words": reason, "give_up_words": words, "free_words": "Whoever drops the last reference frees it."}


def short_of(what: str, config: Config) -> str:
    """Return how a poll ends that found no memory for a page or an skb."""
    return _SHORT_OF_HEADS if config.geometry.head else SHORT_OF[what]


def _bad_frame(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    kind = DRIVERS[config.driver]
    bad = kind.nic.ERRORS.get(v["error"])
    told = "bad_frames" in kind.offers
    return {
        "error_words": BAD[v["error"]],
        "flags": bad.flag if bad is not None else "",
        "refusal": "The driver has told the NIC not to store bad frames." if told else "The NIC stores no such frame.",
    }


def _strip(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"vid": v["tci"] & VLAN_ID}


def _no_skb(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"bias_words": ", and the prepaid reference is the driver's again" if v["bias"] else ""}


def _service(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    period = config.rules.service_ns
    shown = f"{period // _SECOND} seconds" if period >= _SECOND else f"{period // 1_000_000} ms"
    dry = "No descriptor is posted, so no frame can come in, and none will call for a poll."
    return {
        "period_words": shown,
        "dry_words": dry if v["dry"] else "Nothing else would have the ring looked at before the next frame comes.",
    }


EXTRA: dict[str, Callable[[Step, dict[str, Any], Config], dict[str, Any]]] = {
    "frame.discard": _bad_frame,
    "nic.bad_frame": _bad_frame,
    "nic.strip": _strip,
    "skb.alloc_failed": _no_skb,
    "service.task": _service,
}
"""By kind."""
