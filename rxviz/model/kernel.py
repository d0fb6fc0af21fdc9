"""The rules in which kernels differ, as values. They are read from data (rxviz.run.kernels); the model obeys them."""

from __future__ import annotations

from dataclasses import dataclass, field

from rxviz.model import descriptor

SIZEOF_FRAG = 16
"""`sizeof(skb_frag_t)`."""


def align(size: int, to: int) -> int:
    """Round `size` up to a multiple of `to` (a power of two)."""
    return (size + to - 1) & ~(to - 1)


@dataclass(frozen=True, slots=True)
class CoreRules:
    """What the driver takes from the rest of the kernel; see assets/kernels/core.toml for each source."""

    cache_line: int
    net_skb_pad: int
    net_ip_align: int
    sizeof_sk_buff: int
    sizeof_shinfo: int
    shinfo_zeroed: int
    max_skb_frags: int
    frag_chunk: int
    frag_direction: str
    frag_refs: str
    skb_head: str
    napi_weight: int
    rmem_default: int
    eth_zlen: int
    udp_admission: str
    udp_release: str
    napi_missed: bool
    rx_repoll: str
    rx_time_limit: str
    rx_same_pass: bool
    ksoftirqd_first: bool
    gro_flush_timeout: bool
    napi_defer_hard_irqs: bool
    netdev_budget: int
    max_softirq_restart: int
    max_softirq_ms: int
    frag_refs_fixed: int = 32769
    shinfo_size: int = field(init=False)
    """`SKB_DATA_ALIGN(sizeof(struct skb_shared_info))`."""
    sk_buff_size: int = field(init=False)
    """`SKB_DATA_ALIGN(sizeof(struct sk_buff))`."""
    zeroes: bytes = field(init=False, repr=False)
    """What is written over the part of the shared info that is cleared for a new skb."""
    skb_lines: int = field(init=False)
    """Cache lines of an sk_buff and of the part of the shared info that is cleared, both from aligned addresses."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "shinfo_size", align(self.sizeof_shinfo, self.cache_line))
        object.__setattr__(self, "sk_buff_size", align(self.sizeof_sk_buff, self.cache_line))
        object.__setattr__(self, "zeroes", bytes(self.shinfo_zeroed))
        object.__setattr__(self, "skb_lines", self.lines(0, self.sizeof_sk_buff) + self.lines(0, self.shinfo_zeroed))

    def lines(self, offset: int, size: int) -> int:
        """How many cache lines `size` bytes lie in; `offset` counts from where a line begins."""
        return (offset + size - 1) // self.cache_line - offset // self.cache_line + 1

    def frag_line(self, number: int) -> int:
        """How many lines of the shared info the entry of a fragment is the first to touch: 0 or 1."""
        offset = self.sizeof_shinfo - (self.max_skb_frags - number) * SIZEOF_FRAG
        return int(offset % self.cache_line < SIZEOF_FRAG)

    def truesize(self, data: int) -> int:
        """`SKB_TRUESIZE(data)`: what an skb with `data` usable bytes in its head is charged, in bytes."""
        return data + self.sk_buff_size + self.shinfo_size

    def napi_head(self, length: int) -> int:
        """How many bytes `napi_alloc_skb(length)` takes for a head, headroom and shared info included."""
        exact = align(length + self.net_skb_pad + self.net_ip_align, self.cache_line) + self.shinfo_size
        return max(exact, 1024) if self.skb_head == "quarter_page" else exact


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverRules:
    """What the machine, the words and the pictures must know of any driver, in one of its kernels.

    `done_test` names the field of a descriptor that tells the driver that it is done. `bias_start` is 0 where the
    driver keeps no references in advance. `page_management` is "" where halves are not recycled. `default_itr` is in
    µs. `functions` gives the kernel's function behind a step, by the step's name. `partial` says where the skb of a
    frame that goes on waits: at the next "slot", or with the "ring". `large_page_ring` is the default ring on large
    pages, 0 where it is the same.
    """

    kernel: str
    build_skb: bool
    done_test: str
    default_ring: int
    min_ring: int
    max_ring: int
    ring_multiple: int
    max_mtu: int
    rx_buffer_write: int
    rx_hdr_size: int
    packet_buffer: int
    line_bits: int
    functions: dict[str, str]
    checks_skb: bool = True
    """Whether the driver looks if there was memory for an skb, everywhere that it asks for one."""
    service_ns: int = 0
    """How often the service task has the ring looked at, come what may; 0 where nothing does."""
    cpu_sync: str = "length"
    page_management: str = ""
    bias_start: int = 0
    default_itr: int = 10
    default_budget: int = 64
    partial: str = "slot"
    refills_on_exit: bool = False
    large_page_ring: int = 0
    irq_enable: str = "when complete"
    """When the driver lets interrupts in again: always after `napi_complete_done`, or only when that said so."""
    poll_returns: str = "work"
    """What a poll that found its queue empty reports to `net_rx_action`: the work done, or nothing."""
    refill_rule: str = "batches"
    """What `rx_buffer_write` counts: free slots that make the driver refill ("batches"), or posted buffers above which
    it puts an allocation off to the end of the poll ("lazy")."""
    hw_gro_switch: str = ""
    """What switches the card's GRO on, where there is such a card: the kernel's GRO ("gro"), or its own ("own")."""
    itr_algorithm: str = ""
    """How the driver adapts the delay of interrupts by itself; "" where that is not modelled."""

    @property
    def status_bits(self) -> descriptor.StatusBits:
        """The error bits of its descriptors' status."""
        return descriptor.IXGBE_BITS

    @property
    def paths(self) -> tuple[str, ...]:
        """The ways that this kernel's driver can make an skb; the last is its own choice."""
        return ("legacy", "build_skb") if self.build_skb else ("legacy",)


@dataclass(frozen=True, slots=True, kw_only=True)
class IntelRules(DriverRules):
    """What differs between kernels in ixgbe and igb; see assets/kernels/{ixgbe,igb}.toml for each source.

    A ring that is `padded` leaves headroom in front of each frame and room for the shared info behind it.
    """

    device_sync: str
    map_syncs_page: bool
    last_offset: str
    order_1: str
    legacy_flag: bool
    bias_low: int
    count_snapshot: bool
    pad: str
    napi_build_skb: bool
    rxbuffer_1536: int
    rxbuffer_2k: int
    rxbuffer_3k: int
    bias_max: int
    itr_start: int
    itr_lowest: int
    itr_low: int
    itr_bulk: int

    @property
    def paths(self) -> tuple[str, ...]:
        """Without the legacy-rx flag there is nothing to choose between."""
        if self.build_skb:
            return ("legacy", "build_skb") if self.legacy_flag else ("build_skb",)
        return ("legacy",)

    def is_padded(self, path: str) -> bool:
        """Whether a ring on a path has padded buffers: all but those whose legacy-rx flag is set."""
        return self.pad != "none" and (path == "build_skb" or not self.build_skb)


@dataclass(frozen=True, slots=True, kw_only=True)
class IxgbeRules(IntelRules):
    """What differs between kernels in ixgbe alone."""

    late_sync: str
    late_unmap: str
    itr_min_us: int
    itr_max_us: int
    itr_step_us: int
    itr_plateau: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IgbRules(IntelRules):
    """What differs between kernels in igb alone.

    `syncs_first`: a frame's first buffer is synced before its skb is allocated. `frame_overhead` is what the driver
    adds to the MTU to get its longest frame, in bytes. `tight_limit`: the NIC's limit follows what build_skb has room
    for.
    """

    syncs_first: bool
    frame_overhead: int
    tight_limit: bool
    ts_hdr_len: int
    max_jumbo_frame: int

    @property
    def status_bits(self) -> descriptor.StatusBits:
        """The error bits of its descriptors' status."""
        return descriptor.IGB_BITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Mv643xxRules(DriverRules):
    """What mv643xx_eth alone has; see assets/kernels/mv643xx_eth.toml for each source."""

    skb_extra: int
    max_rx_packet: int
