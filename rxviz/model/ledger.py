"""The bill of a run: every act that costs, counted where it happens. Bytes are bytes, the rest are numbers of acts."""

from __future__ import annotations

from operator import attrgetter


class Ledger:
    """Counts since the interface came up, the first fill of the ring included."""

    __slots__ = (
        "bytes_copied",
        "cache_lines",
        "csum_bytes",
        "descriptor_reads",
        "descriptor_reads_before_fetch",
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
        """Looks at a descriptor, those that found it not done included."""
        self.descriptor_reads_before_fetch = 0
        """Fields of done descriptors that must be read before their buffers can be fetched: the length, and the status
        first where that tells what is done."""
        self.descriptor_writes = 0
        self.tail_writes = 0
        self.csum_bytes = 0
        self.cache_lines = 0
        """Cache lines that the CPU touches for frames up to where the driver hands them up, and for posting: of
        descriptors at each look and each post, of an sk_buff and its shared info as they are made, of bytes as they
        are copied (read and written), and of an Ethernet header that lies where the NIC wrote it. Addresses are the
        real ones. What GRO compares, the stack and the reader are left out (badge M)."""
        self.pages_reused = 0
        self.pages_given_up = 0
        self.flips = 0
        self.truesize_total = 0
        self.truesize_max = 0

    def values(self) -> tuple[int, ...]:
        """Return what there is so far, in the order of `COUNTS`."""
        values: tuple[int, ...] = _VALUES(self)
        return values


COUNTS = tuple(name for name in Ledger.__slots__ if name != "truesize_max")
"""What adds up: all but the largest."""
_VALUES = attrgetter(*COUNTS)
