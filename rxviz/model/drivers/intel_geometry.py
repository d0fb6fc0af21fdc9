"""What the layouts of ixgbe and igb share: the headroom in front of a frame that build_skb is put round."""

from __future__ import annotations

from rxviz.model.kernel import CoreRules, IntelRules


def skb_pad(rules: IntelRules, core: CoreRules, large: bool) -> int:
    """Return the headroom, in bytes (IXGBE_SKB_PAD, ixgbe_skb_pad; IGB_SKB_PAD, igb_skb_pad)."""
    if rules.pad == "net_skb_pad" or large:
        return core.net_skb_pad + core.net_ip_align
    # Whatever a 2K half has left once 1536 bytes and the shared info are taken out.
    return rules.rxbuffer_2k - core.shinfo_size - (rules.rxbuffer_1536 - core.net_ip_align)
