"""How a ring's buffers lie in its pages."""

from __future__ import annotations

from dataclasses import dataclass

ETH_HLEN, ETH_FCS_LEN, ETH_FRAME_LEN = 14, 4, 1514
LARGE_PAGE = 8192
"""From this page size on, buffers walk through a page and never come back to a half."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Sizes in bytes.

    page: what one allocation takes (order included) · half: the part one buffer is charged for, 0 where pages are
    walked · bufsz: what the driver says may be written (`ixgbe_rx_bufsz`) · dma_size: what the NIC was told (SRRCTL
    knows whole KB only) · pad: headroom in front of the frame · last_offset: on walked pages the last offset that may
    be posted · max_frame: the longest frame that the MAC lets in, FCS included · head: what the head of one skb takes,
    shared info included, where the NIC writes into heads of skbs that wait for it; 0 elsewhere.
    """

    page: int
    half: int
    bufsz: int
    dma_size: int
    pad: int
    build_skb: bool
    last_offset: int
    max_frame: int
    head: int = 0
