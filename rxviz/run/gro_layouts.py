"""How a driver lays a frame of a capture in memory: what GRO may take over, and what a socket is charged for it."""

from __future__ import annotations

from enum import StrEnum

from rxviz.model.drivers.table import DRIVERS
from rxviz.model.geometry import Geometry
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.kernel import align
from rxviz.run.kernels import core_rules, driver_kernels, driver_rules
from rxviz.wire.headlen import header_length

_SMALL_HEAD = 576
"""Bytes of a head from the cache of small heads (kernel 6.3 and later, measured on 6.18: 832 with the sk_buff)."""
_FIRST_SLAB = 1024
_PAGE = 4096


class Layout(StrEnum):
    """The skb that the driver makes: its own buffer as the head, headers copied and the rest in pages, one copy, or a
    head that waited in the ring for the NIC to fill it.
    """

    BUILD_SKB = "build_skb"
    LEGACY = "legacy"
    COPIED = "copied"
    HEADS = "heads"


def layout_of(geometry: Geometry) -> Layout:
    """Return the skbs that a driver makes whose buffers lie so."""
    if geometry.head:
        return Layout.HEADS
    return Layout.BUILD_SKB if geometry.build_skb else Layout.LEGACY


def copied_truesize(room: int, kernel: str = "6.18") -> int:
    """Return what an skb with a kmalloc'ed head of `room` bytes (headroom included) is charged, in bytes."""
    core = core_rules(kernel)
    whole = align(room, core.cache_line) + core.shinfo_size
    slab = _SMALL_HEAD
    if whole > slab:
        slab = max(_FIRST_SLAB, 1 << (whole - 1).bit_length())
    return slab + core.sk_buff_size


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def driver_kernel(kernel: str, driver: str = "ixgbe") -> str:
    """Return the state of a driver that a kernel has: the newest one modelled that is not newer, else the oldest."""
    modelled = driver_kernels(driver)
    known = [name for name in modelled if _version(name) <= _version(kernel)]
    return known[-1] if known else modelled[0]


class LayoutMaker:
    """Makes packets for GRO out of frames, as ixgbe with pages of 4096 bytes would at an MTU; heads that waited are
    those of mv643xx_eth.
    """

    def __init__(self, layout: Layout, kernel: str, mtu: int = 1500) -> None:
        driver = "mv643xx_eth" if layout is Layout.HEADS else "ixgbe"
        state = driver_kernel(kernel, driver)
        rules = driver_rules(driver, state)
        self.layout = layout
        self.core = core_rules(state)
        path = "build_skb" if layout is Layout.BUILD_SKB else "legacy"
        self.geometry = DRIVERS[driver].geometry(rules, self.core, _PAGE, mtu, path)
        self.hdr_size = rules.rx_hdr_size
        self.head_frag = layout is not Layout.COPIED and self.geometry.head < _PAGE
        """Heads are parts of pages."""

    def packet(
        self, number: int, frame: bytes, length: int, *, hash: int = 0, tag: int = 0, checked: bool = False
    ) -> GroPacket:
        """Return a frame of `length` bytes, of which `frame` are known, as GRO gets it."""
        truesize, headlen, head_size, frags = self._memory(frame, length)
        return GroPacket(
            number,
            frame,
            length,
            truesize=truesize,
            headlen=headlen - ETH_HLEN,
            head_frag=self.head_frag,
            head_size=head_size,
            nr_frags=frags,
            ip_summed=Checksum.UNNECESSARY if checked else Checksum.NONE,
            hash=hash,
            tag=tag,
        )

    def _memory(self, frame: bytes, length: int) -> tuple[int, int, int, int]:
        """Return truesize, bytes of the frame in the head, the head's own bytes, and fragments."""
        core, geometry = self.core, self.geometry
        if self.layout is Layout.COPIED:
            truesize = copied_truesize(length + core.net_skb_pad)
            return truesize, length, truesize - core.sk_buff_size - core.shinfo_size, 0
        if self.layout is Layout.HEADS:
            return geometry.head + core.sk_buff_size, length, geometry.head - core.shinfo_size, 0
        buffers = -(-length // geometry.dma_size)
        if self.layout is Layout.BUILD_SKB:
            truesize = geometry.half * buffers + core.sk_buff_size
            return truesize, min(length, geometry.dma_size), geometry.half - core.shinfo_size, buffers - 1
        head = core.napi_head(self.hdr_size)
        head_size, truesize = head - core.shinfo_size, head + core.sk_buff_size
        if length <= self.hdr_size:
            return truesize, length, head_size, 0
        return truesize + geometry.half * buffers, header_length(frame, self.hdr_size), head_size, buffers
