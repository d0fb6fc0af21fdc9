"""The layout that mv643xx_eth chooses: a head for each skb, as long as its MTU asks (`mv643xx_eth_recalc_skb_size`)."""

from __future__ import annotations

from rxviz.model.geometry import Geometry
from rxviz.model.kernel import CoreRules, Mv643xxRules, align
from rxviz.model.mv643xx_desc import ETH_HW_IP_ALIGN

EIGHT = 8
"""The NIC ignores the low three bits of a buffer's size."""


def mv643xx_geometry(rules: Mv643xxRules, core: CoreRules, page_size: int, mtu: int, path: str) -> Geometry:
    """Return the layout: heads from a chunk of page fragments, or from kmalloc where one is longer than a page.

    `netdev_alloc_skb` (net/core/skbuff.c of 3.9) takes a fragment as long as head and shared info fit one page.
    """
    skb_size = align(mtu + rules.skb_extra, EIGHT)
    head = align(skb_size + core.net_skb_pad, core.cache_line) + core.shinfo_size
    page = core.frag_chunk
    if head > page_size:
        head = page = 1 << (head - 1).bit_length()
    bufsz = head - core.shinfo_size - core.net_skb_pad
    return Geometry(
        page=page,
        half=0,
        bufsz=bufsz,
        dma_size=bufsz,
        pad=core.net_skb_pad + ETH_HW_IP_ALIGN,
        build_skb=False,
        last_offset=0,
        max_frame=rules.max_rx_packet,
        head=head,
    )
