"""How a ring's buffers lie in its pages."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.model.names import LETTERS

ETH_HLEN, ETH_FCS_LEN, ETH_FRAME_LEN = 14, 4, 1514
LARGE_PAGE = 8192
"""From this page size on, buffers walk through a page and never come back to a half."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Sizes in bytes.

    page: what one allocation takes (order included) · half: the part one buffer is charged for, 0 where pages are
    walked · bufsz: what the driver says may be written (`ixgbe_rx_bufsz`) · dma_size: what the NIC was told (SRRCTL
    knows whole KB only) · pad: headroom in front of the frame · last_offset: on walked pages the last offset that may
    be posted · max_frame: the longest frame that the MAC lets in, FCS included · segment: the parts of a fixed size
    that a walked page is used in, 0 where each buffer takes what it needs · head: what the
    head of one skb takes, shared info included, where the NIC writes into heads of skbs that wait for it; 0 elsewhere.
    """

    page: int
    half: int
    bufsz: int
    dma_size: int
    pad: int
    build_skb: bool
    last_offset: int
    max_frame: int
    segment: int = 0
    head: int = 0

    @property
    def part(self) -> int:
        """The size of the parts that have names: halves, or the segments of a page that has no more than letters."""
        return self.half or (self.segment if self.page <= self.segment * LETTERS else 0)

    @property
    def parts(self) -> int:
        """How many such parts a page has; 0 where they have no names."""
        return self.page // self.part if self.part else 0

    @property
    def named(self) -> int:
        """The size of a part where its name tells more than that of its page, 0 where a page has one or none."""
        return self.part if self.parts > 1 else 0

    @property
    def part_word(self) -> str:
        """What such a part is called; "" where pages have none with a name."""
        return "half" if self.half else "segment" if self.part else ""
