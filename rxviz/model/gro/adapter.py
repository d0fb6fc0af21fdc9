"""The machine's skbs as GRO gets them: what napi_gro_receive is handed at the end of the driver's routine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.gro.packet import Checksum, GroPacket
from rxviz.wire.numbers import IPV4_LENGTH, IPV6_LENGTH

if TYPE_CHECKING:
    from rxviz.model.skb import SkBuff


def gro_packet(skb: SkBuff, *, checked: bool = True, head_frag: bool = True) -> GroPacket:
    """Return an skb, its Ethernet header stepped over, as GRO sees it, with the bytes that really lie in its memory.

    `checked` says that the card has verified the transport checksum. `head_frag` says that its head is a part of a page
    (the NIC's buffer, or a page fragment) and not from kmalloc. The packet's id is the frame's. Of a frame that a
    capture cut only the known bytes are handed on.
    """
    if skb.gso_size:
        return _merged_packet(skb)
    frame, data = skb.frame, skb.payload()
    return GroPacket(
        frame.id,
        data if frame.known >= frame.wire_len else data[: frame.known],
        skb.len + skb.pulled,
        truesize=skb.truesize,
        headlen=skb.head_len,
        head_frag=head_frag,
        head_size=skb.end - skb.head,
        nr_frags=len(skb.frags),
        ip_summed=Checksum.UNNECESSARY if checked else Checksum.NONE,
        hash=frame.hash,
        tag=skb.vlan_tag,
    )


def _merged_packet(skb: SkBuff) -> GroPacket:
    """An skb that the card has merged: its gso fields are set, its checksum is to be computed when it is cut."""
    head = skb.headers
    ip = head[14] >> 4
    packet = GroPacket(
        skb.frame.id,
        skb.payload(),
        skb.len + skb.pulled,
        truesize=skb.truesize,
        headlen=skb.head_len,
        head_frag=True,
        head_size=skb.end - skb.head,
        nr_frags=len(skb.frags),
        ip_summed=Checksum.PARTIAL,
        csum_start=IPV4_LENGTH if ip == 4 else IPV6_LENGTH,
        hash=skb.frame.hash,
        tag=skb.vlan_tag,
        gso_size=skb.gso_size,
        gso_segs=skb.segs,
        gso_type=("TCPV4" if ip == 4 else "TCPV6",),
    )
    packet.segments = [frame.id for frame in skb.frames]
    return packet
