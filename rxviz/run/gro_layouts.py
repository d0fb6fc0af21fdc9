"""How a driver lays a frame of a capture in memory: what GRO may take over, and what a socket is charged for it."""

from __future__ import annotations

from rxviz.model.kernel import align
from rxviz.run.kernels import core_rules

_SMALL_HEAD = 576
"""Bytes of a head from the cache of small heads (kernel 6.3 and later, measured on 6.18: 832 with the sk_buff)."""
_FIRST_SLAB = 1024


def copied_truesize(room: int, kernel: str = "6.18") -> int:
    """Return what an skb with a kmalloc'ed head of `room` bytes (headroom included) is charged, in bytes."""
    core = core_rules(kernel)
    whole = align(room, core.cache_line) + core.shinfo_size
    slab = _SMALL_HEAD
    if whole > slab:
        slab = max(_FIRST_SLAB, 1 << (whole - 1).bit_length())
    return slab + core.sk_buff_size
