"""The layout that igb chooses for a ring, and the frames that it lets in.

Source: `igb_set_rx_buffer_len`, `igb_rx_bufsz`, `igb_rx_pg_order`, `igb_change_mtu`, `igb_set_rx_mode`.
"""

from __future__ import annotations

from rxviz.model.drivers.intel_geometry import skb_pad
from rxviz.model.geometry import ETH_FCS_LEN, ETH_FRAME_LEN, LARGE_PAGE, Geometry
from rxviz.model.kernel import CoreRules, IgbRules


def igb_geometry(rules: IgbRules, core: CoreRules, page_size: int, mtu: int, path: str) -> Geometry:
    """Return the layout that the driver chooses for a ring."""
    padded = rules.is_padded(path)
    large = page_size >= LARGE_PAGE
    max_frame = max(mtu + rules.frame_overhead, ETH_FRAME_LEN + ETH_FCS_LEN)
    fitting = _max_frame_build_skb(rules, core)
    wide = padded and rules.order_1 == "any" and not large and max_frame > fitting
    page = page_size * 2 if wide else page_size
    return Geometry(
        page=page,
        half=0 if large else page // 2,
        bufsz=_bufsz(rules, fitting, wide, padded and not large),
        dma_size=rules.rxbuffer_3k if wide else rules.rxbuffer_2k,
        pad=skb_pad(rules, core, large) if padded else 0,
        build_skb=path == "build_skb",
        last_offset=_last_offset(rules, core, page_size),
        max_frame=fitting if rules.tight_limit and not large and max_frame <= fitting else rules.max_jumbo_frame,
    )


def _max_frame_build_skb(rules: IgbRules, core: CoreRules) -> int:
    """IGB_MAX_FRAME_BUILD_SKB: the longest frame, FCS included, that fits a 2K half (in 4.12 behind a time stamp)."""
    if rules.pad == "rest_of_half":
        return rules.rxbuffer_1536 - core.net_ip_align
    return rules.rxbuffer_2k - core.shinfo_size - core.net_skb_pad - core.net_ip_align - rules.ts_hdr_len


def _bufsz(rules: IgbRules, fitting: int, wide: bool, padded: bool) -> int:
    if wide:
        return rules.rxbuffer_3k
    if not padded:
        return rules.rxbuffer_2k
    return fitting if rules.pad == "rest_of_half" else fitting + rules.ts_hdr_len


def _last_offset(rules: IgbRules, core: CoreRules, page_size: int) -> int:
    """IGB_LAST_OFFSET; before there was one, any offset would do that still leaves room for a buffer."""
    room = page_size if rules.last_offset == "buffer" else page_size - core.shinfo_size
    return room - rules.rxbuffer_2k
