"""Checksums inside GRO: believed, kept in step while headers are pulled, or added up in software.

Sums are plain numbers modulo 65535, in which 0 stands for "right". Sources: include/net/gro.h
(`__skb_gro_checksum_validate`, `skb_gro_checksum_try_convert`, `skb_gro_postpull_rcsum`), net/core/gro.c
(`__skb_gro_checksum_complete`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.gro.packet import Checksum, GroPacket
from rxviz.wire.checksum import word_sum

if TYPE_CHECKING:
    from rxviz.model.gro.engine import Gro

_MODULUS = 0xFFFF
_MAX_LEVEL = 3


def set_up(skb: GroPacket) -> None:
    """Take over what the driver said of the checksums."""
    if skb.ip_summed is Checksum.COMPLETE:
        skb.csum_valid = True
    elif skb.ip_summed is Checksum.UNNECESSARY:
        skb.csum_cnt = skb.csum_level + 1


def is_needed(skb: GroPacket) -> bool:
    """Say whether somebody still has to verify the checksum at hand (`__skb_gro_checksum_validate_needed`)."""
    trusted = skb.ip_summed is Checksum.PARTIAL and skb.csum_start >= skb.data_offset
    return not trusted and not skb.csum_cnt


def validate(g: Gro, skb: GroPacket, pseudo: int, zero: bool = False) -> bool:
    """Verify the checksum that covers everything from here on; `zero` says that the sender computed none."""
    if not zero and is_needed(skb) and not _complete(g, skb, pseudo):
        return False
    if skb.csum_cnt:
        skb.csum_cnt -= 1
    elif skb.ip_summed is Checksum.UNNECESSARY:
        skb.csum_level = min(skb.csum_level + 1, _MAX_LEVEL)
    elif skb.ip_summed is Checksum.NONE:
        skb.ip_summed, skb.csum_level = Checksum.UNNECESSARY, 0
    return True


def _complete(g: Gro, skb: GroPacket, pseudo: int) -> bool:
    if skb.csum_valid and (pseudo + skb.csum) % _MODULUS == 0:
        return True
    if len(skb.data) < skb.len:
        return True  # the capture has not all of it (badge M): nobody can say that it is wrong
    g.csum_bytes += skb.gro_len
    skb.csum = word_sum(skb.data[skb.data_offset : skb.len]) % _MODULUS
    skb.csum_valid = True
    return (pseudo + skb.csum) % _MODULUS == 0


def try_convert(skb: GroPacket, pseudo: int) -> None:
    """A verified outer checksum tells the sum of all that it covers: use it for the inner ones."""
    if not skb.csum_cnt and not skb.csum_valid:
        skb.csum = -pseudo % _MODULUS
        skb.csum_valid = True


def pulled(skb: GroPacket, start: int, size: int) -> None:
    """Take a header that was pulled out of the running sum."""
    if skb.csum_valid:
        skb.csum = (skb.csum - word_sum(skb.data[start : start + size])) % _MODULUS
