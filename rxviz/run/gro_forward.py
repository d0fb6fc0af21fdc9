"""What a machine that forwards would send on: each merged packet cut again, held against the frames that came in.

What GRO merged comes out as it went in: that is its promise. LRO, or GRO without one of its rules, cannot keep it.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import zip_longest

from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.packet import ETH_HLEN
from rxviz.model.gro.resegment import resegment

_IPV4 = (("TOS", 1, 2), ("IPv4 ID", 4, 6), ("IPv4 flags", 6, 8), ("TTL", 8, 9), ("addresses", 12, 20))
_IPV6 = (("class or flow label", 0, 4), ("hop limit", 7, 8), ("addresses", 8, 40))
_TCP = (
    ("ports", 0, 4),
    ("sequence number", 4, 8),
    ("ACK number", 8, 12),
    ("flags", 12, 14),
    ("window", 14, 16),
    ("urgent pointer", 18, 20),
)
CUT_ELSEWHERE = "cut at other places"


@dataclass(frozen=True, slots=True)
class Resent:
    """A frame that would be sent on as another one than came in, and the fields in which it differs."""

    frame: int
    fields: tuple[str, ...]


def sent_on(packet: Delivered) -> list[Resent] | None:
    """Return the frames of a packet that would be sent on changed; None where that is not known.

    It is known of TCP in one IP header of which the capture has every byte, and of what was not merged.
    """
    if packet.segs == 1:
        return []
    if packet.network != ETH_HLEN:
        return None
    own = packet.packet
    came = [own, *own.merged]
    try:
        cut = resegment(packet)
    except ValueError:
        return None
    if any(len(one.data) < one.known for one in came) or len(packet.body()) < packet.payload:
        return None
    frames = [one.mac + one.data for one in came]
    if [len(frame) for frame in frames] != [len(frame) for frame in cut]:
        return [Resent(number, (CUT_ELSEWHERE,)) for number in packet.frames]
    changed = []
    for number, before, after in zip_longest(packet.frames, frames, cut):
        if before != after:
            changed.append(Resent(number, _fields(packet, before, after)))
    return changed


def _fields(packet: Delivered, before: bytes, after: bytes) -> tuple[str, ...]:
    network, tcp = packet.network, packet.transport
    places = [("Ethernet header", 0, ETH_HLEN)]
    places += [(name, network + a, network + b) for name, a, b in (_IPV6 if after[network] >> 4 == 6 else _IPV4)]
    places += [(name, tcp + a, tcp + b) for name, a, b in _TCP]
    end = tcp + (after[tcp + 12] >> 4) * 4
    places += [("TCP options", tcp + 20, end), ("payload", end, len(after))]
    found = tuple(name for name, a, b in places if before[a:b] != after[a:b])
    return found or ("checksum",)
