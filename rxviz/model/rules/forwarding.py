"""What a machine that forwards would do if the rules did not hold that keep LRO out of it."""

from __future__ import annotations

from rxviz.model.bridge import Bridge
from rxviz.model.napi_lro import NapiLro
from rxviz.model.skb import SkBuff


class LroStaysOn(NapiLro):
    """Merging is merging: a bridge may have it too."""

    stays_on_in_bridge = True


class LroSentOn(Bridge):
    """The bridge sends on whatever it gets."""

    __slots__ = ()

    def skb_warn_if_lro(self, skb: SkBuff) -> bool:
        """Look at nothing."""
        return False
