"""The layout that qede chooses for a ring (`qede_alloc_mem_rxq`): pages cut into segments of a power of two."""

from __future__ import annotations

from rxviz.model.drivers.qede_rules import QedeRules
from rxviz.model.geometry import ETH_FCS_LEN, ETH_HLEN, Geometry
from rxviz.model.kernel import CoreRules


def qede_geometry(rules: QedeRules, core: CoreRules, page_size: int, mtu: int, path: str) -> Geometry:
    """Return the layout: before build_skb a segment has room for a frame alone, after it for headroom and shared info.

    Segments are used one after the other until the page's end. What does not fit into one goes on in the next buffer.
    """
    build_skb = path == "build_skb"
    headroom = core.net_skb_pad if build_skb else 0
    beside = headroom + (core.shinfo_size if build_skb else 0)
    rx_buf_size = min(core.net_ip_align + rules.eth_overhead + mtu, page_size - beside)
    segment = 1 << (rx_buf_size + beside - 1).bit_length()
    return Geometry(
        page=page_size,
        half=0,
        bufsz=rx_buf_size,
        dma_size=rx_buf_size - rules.placement_offset,
        pad=headroom,
        build_skb=build_skb,
        last_offset=page_size - segment,
        max_frame=mtu + ETH_HLEN + ETH_FCS_LEN,
        segment=segment,
    )
