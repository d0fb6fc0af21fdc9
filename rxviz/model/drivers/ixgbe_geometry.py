"""The layout that ixgbe chooses for a ring (`ixgbe_set_rx_buffer_len`, `ixgbe_rx_bufsz`, `ixgbe_rx_pg_order`)."""

from __future__ import annotations

from rxviz.model.drivers.intel_geometry import skb_pad
from rxviz.model.geometry import ETH_FCS_LEN, ETH_FRAME_LEN, ETH_HLEN, LARGE_PAGE, Geometry
from rxviz.model.kernel import CoreRules, IntelRules


def ixgbe_geometry(
    rules: IntelRules, core: CoreRules, page_size: int, mtu: int, path: str, *, rsc: bool = False
) -> Geometry:
    """Return the layout that the driver chooses for a ring; with RSC (LRO in the NIC) build_skb gets 3K buffers."""
    padded = rules.is_padded(path)
    max_frame = max(mtu + ETH_HLEN + ETH_FCS_LEN, ETH_FRAME_LEN + ETH_FCS_LEN)
    large = page_size >= LARGE_PAGE
    wide = padded and rules.order_1 == "any" and not large and (rsc or _needs_3k(rules, core, max_frame))
    pad = skb_pad(rules, core, large) if padded else 0
    page = page_size * 2 if wide else page_size
    dma_size = rules.rxbuffer_3k if wide else rules.rxbuffer_2k
    bufsz = dma_size if wide or large or not padded else _max_2k_frame(rules, core, pad)
    return Geometry(
        page=page,
        half=0 if large else page // 2,
        bufsz=bufsz,
        dma_size=dma_size,
        pad=pad,
        build_skb=path == "build_skb",
        last_offset=_last_offset(rules, core, page_size, bufsz),
        max_frame=max_frame,
    )


def _max_2k_frame(rules: IntelRules, core: CoreRules, pad: int) -> int:
    """What fits between headroom and shared info: IXGBE_MAX_FRAME_BUILD_SKB (4.11), IXGBE_MAX_2K_FRAME_BUILD_SKB."""
    if rules.pad == "net_skb_pad":
        return rules.rxbuffer_2k - core.shinfo_size - pad
    return rules.rxbuffer_1536 - core.net_ip_align


def _needs_3k(rules: IntelRules, core: CoreRules, max_frame: int) -> bool:
    if rules.pad == "net_skb_pad" and max_frame > _max_2k_frame(rules, core, core.net_skb_pad + core.net_ip_align):
        return True
    return max_frame > ETH_FRAME_LEN + ETH_FCS_LEN


def _last_offset(rules: IntelRules, core: CoreRules, page_size: int, bufsz: int) -> int:
    """IXGBE_LAST_OFFSET; before there was one, any offset would do that still leaves room for a buffer."""
    if rules.last_offset == "buffer":
        return page_size - bufsz
    return page_size - core.shinfo_size - rules.rxbuffer_3k
