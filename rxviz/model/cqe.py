"""What qede's card reads and writes in memory: buffer descriptors of 8 bytes, and completions of 32.

A BD is an address and stays as it is; all that the card has to say stands in a completion (CQE) of a queue of its own.
Source: include/linux/qed/eth_common.h (`struct eth_rx_bd`, `union eth_rx_cqe`), common_hsi.h
(`struct parsing_and_err_flags`, `enum rss_hash_type`). All fields are little-endian.
"""

from __future__ import annotations

import struct
from enum import IntEnum
from typing import NamedTuple

from rxviz.model import descriptor

BD_SIZE, SIZE = 8, 32
BD = struct.Struct("<Q")
"""addr.lo, addr.hi."""
COMMON = struct.Struct("<BBHHHIHBB")
"""How a regular completion and a TPA start begin: type, bitfields, pkt_len (of a start: seg_len), pars_flags, vlan_tag,
rss_hash, len_on_first_bd, placement_offset, tunnel_pars_flags."""
REGULAR = struct.Struct(COMMON.format + "B")
"""bd_num behind them."""
TPA_START = struct.Struct(COMMON.format + "BB5HI")
"""tpa_agg_index, header_len, ext_bd_len_list and fw_debug behind them."""
TPA_CONT = struct.Struct("<BB6H")
"""type, tpa_agg_index, len_list."""
TPA_END = struct.Struct("<BBHBBHI4H")
"""type, tpa_agg_index, total_packet_len, num_of_bds, end_reason, num_of_coalesced_segs, ts_delta, len_list."""


class Type(IntEnum):
    """`enum eth_rx_cqe_type`."""

    UNUSED = 0
    REGULAR = 1
    SLOW_PATH = 2
    TPA_START = 3
    TPA_CONT = 4
    TPA_END = 5


TYPE_NAMES = {
    Type.UNUSED: "unused",
    Type.REGULAR: "regular",
    Type.SLOW_PATH: "slow path",
    Type.TPA_START: "TPA start",
    Type.TPA_CONT: "TPA continue",
    Type.TPA_END: "TPA end",
}

L3_IPV4, L3_IPV6, L3_MASK = 1, 2, 3
L4_TCP, L4_UDP, L4_MASK = 1 << 2, 2 << 2, 3 << 2
IPV4FRAG, TAG8021QEXIST, L4CHKSMWASCALCULATED = 1 << 4, 1 << 5, 1 << 6
IPHDRERROR, L4CHKSMERROR = 1 << 9, 1 << 10
"""Bits of pars_flags."""
HASH_IPV4, HASH_TCP_IPV4, HASH_IPV6, HASH_TCP_IPV6, HASH_UDP_IPV4, HASH_UDP_IPV6 = range(1, 7)
_ERRORS = {IPHDRERROR: "IPHDRERROR", L4CHKSMERROR: "L4CHKSMERROR", IPV4FRAG: "IPV4FRAG"}


class Completion(NamedTuple):
    """A completion as far as anyone asks: lengths in bytes, None for what its type does not have."""

    type: Type
    length: int = 0
    """Bytes of the whole frame (regular), of the first segment (start), of all together (end)."""
    first: int = 0
    """Bytes in the first BD (regular, start)."""
    flags: int = 0
    hash: int = 0
    placement: int = 0
    bds: int = 0
    """BDs that this completion uses up."""
    agg: int = -1
    header: int = 0
    segments: int = 0
    """Frames that are in the aggregation (end)."""
    lens: tuple[int, ...] = ()
    """Bytes in each further BD (start, continue, end)."""


def pack_regular(
    cqes: bytearray, at: int, flags: int, hash_type: int, rss: int, length: int, first: int, placement: int, bds: int
) -> None:
    """Write a regular completion: a frame, or what is left of one that a fast card might have merged."""
    _clear(cqes, at)
    REGULAR.pack_into(cqes, at * SIZE, Type.REGULAR, hash_type, length, flags, 0, rss, first, placement, 0, bds)


def pack_start(
    cqes: bytearray, at: int, agg: int, flags: int, hash_type: int, rss: int, first: int, placement: int, header: int
) -> None:
    """Write a TPA start: an aggregation begins with a whole frame in a BD of its own."""
    _clear(cqes, at)
    none = (0, 0, 0, 0, 0)
    TPA_START.pack_into(
        cqes, at * SIZE, Type.TPA_START, hash_type, first - header, flags, 0, rss, first, placement, 0, agg, header,
        *none, 0,
    )  # fmt: skip


def pack_cont(cqes: bytearray, at: int, agg: int, length: int) -> None:
    """Write a TPA continue: the payload of one more frame, in a BD of its own."""
    _clear(cqes, at)
    TPA_CONT.pack_into(cqes, at * SIZE, Type.TPA_CONT, agg, length, 0, 0, 0, 0, 0)


def pack_end(cqes: bytearray, at: int, agg: int, total: int, bds: int, segments: int, length: int) -> None:
    """Write a TPA end: what the aggregation came to; `length` is the payload of a last frame, 0 where there is none."""
    _clear(cqes, at)
    TPA_END.pack_into(cqes, at * SIZE, Type.TPA_END, agg, total, bds, 0, segments, 0, length, 0, 0, 0)


def _clear(cqes: bytearray, at: int) -> None:
    cqes[at * SIZE : (at + 1) * SIZE] = bytes(SIZE)


def cqe_type(cqes: bytearray, at: int) -> int:
    """Return the first byte of a completion, which says how to read the others."""
    return cqes[at * SIZE]


def read(cqes: bytearray, at: int) -> Completion:
    """Return what a completion says."""
    offset = at * SIZE
    kind = cqes[offset]
    if kind == Type.REGULAR:
        _, _, length, flags, _, rss, first, placement, _, bds = REGULAR.unpack_from(cqes, offset)
        return Completion(Type.REGULAR, length, first, flags, rss, placement, bds)
    if kind == Type.TPA_START:
        _, _, segment, flags, _, rss, first, placement, _, agg, header, *more, _ = TPA_START.unpack_from(cqes, offset)
        lens = _up_to_zero(more)
        return Completion(
            Type.TPA_START, segment, first, flags, rss, placement, 1 + len(lens), agg, header, lens=lens
        )  # fmt: skip
    if kind == Type.TPA_CONT:
        _, agg, *more = TPA_CONT.unpack_from(cqes, offset)
        lens = _up_to_zero(more)
        return Completion(Type.TPA_CONT, sum(lens), bds=len(lens), agg=agg, lens=lens)
    if kind == Type.TPA_END:
        _, agg, total, _, _, segments, _, *more = TPA_END.unpack_from(cqes, offset)
        lens = _up_to_zero(more)
        return Completion(Type.TPA_END, total, bds=len(lens), agg=agg, segments=segments, lens=lens)
    return Completion(Type(kind) if kind in TYPE_NAMES else Type.UNUSED)


def _up_to_zero(lengths: list[int]) -> tuple[int, ...]:
    """The driver reads a list of lengths up to the first zero."""
    return tuple(lengths[: lengths.index(0)]) if 0 in lengths else tuple(lengths)


def flag_names(flags: int) -> list[str]:
    """Return the names of the error bits that are set."""
    return [name for bit, name in _ERRORS.items() if flags & bit]


def parsing_flags(pkt_info: int, status: int, data: bytes) -> int:
    """Return what the card's parser reports of a frame; `pkt_info` and `status` are what the model's NICs found."""
    flags = L3_IPV4 if pkt_info & descriptor.PKT_IPV4 else L3_IPV6 if pkt_info & descriptor.PKT_IPV6 else 0
    flags |= L4_TCP if pkt_info & descriptor.PKT_TCP else L4_UDP if pkt_info & descriptor.PKT_UDP else 0
    if flags & L3_MASK == L3_IPV4 and data[12:14] == b"\x08\x00" and int.from_bytes(data[20:22], "big") & 0x3FFF:
        flags |= IPV4FRAG
    if status & descriptor.L4CS:
        flags |= L4CHKSMWASCALCULATED | (L4CHKSMERROR if status & descriptor.TCPE else 0)
    return flags | (IPHDRERROR if status & descriptor.IPE else 0)


def hash_type(pkt_info: int) -> int:
    """Return the kind of the receive hash, 0 where the card computed none."""
    return _HASH_TYPES.get(pkt_info & 0xF, 0)


_HASH_TYPES = {
    descriptor.RSS_IPV4: HASH_IPV4,
    descriptor.RSS_IPV4_TCP: HASH_TCP_IPV4,
    descriptor.RSS_IPV6: HASH_IPV6,
    descriptor.RSS_IPV6_TCP: HASH_TCP_IPV6,
    descriptor.RSS_IPV4_UDP: HASH_UDP_IPV4,
    descriptor.RSS_IPV6_UDP: HASH_UDP_IPV6,
}
