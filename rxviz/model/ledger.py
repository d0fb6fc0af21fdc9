"""The bill of a run: every act that costs, counted where it happens. Bytes are bytes, the rest are numbers of acts."""

from __future__ import annotations


class Ledger:
    """Counts since the interface came up, the first fill of the ring included."""

    __slots__ = (
        "bytes_copied",
        "csum_bytes",
        "descriptor_reads",
        "descriptor_writes",
        "dma_maps",
        "dma_unmaps",
        "flips",
        "header_parses",
        "pages_given_up",
        "pages_reused",
        "refs_atomic",
        "sk_buffs",
        "skb_heads",
        "sync_cpu_bytes",
        "sync_device_bytes",
        "tail_writes",
        "truesize_max",
        "truesize_total",
    )

    def __init__(self) -> None:
        self.bytes_copied = 0
        self.header_parses = 0
        self.skb_heads = 0
        self.sk_buffs = 0
        self.refs_atomic = 0
        """Atomic changes of a page's count: additions by the driver, drops by whoever frees."""
        self.dma_maps = 0
        self.dma_unmaps = 0
        self.sync_cpu_bytes = 0
        self.sync_device_bytes = 0
        self.descriptor_reads = 0
        self.descriptor_writes = 0
        self.tail_writes = 0
        self.csum_bytes = 0
        self.pages_reused = 0
        self.pages_given_up = 0
        self.flips = 0
        self.truesize_total = 0
        self.truesize_max = 0
