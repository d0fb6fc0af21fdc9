"""What a merged packet has lost: the touchstone of GRO is that GSO can cut it into the very frames that came in.

The kernel's rules are there so that nothing is ever lost. Whether they were kept is looked at here in another way: the
frames themselves are compared, header by header, whatever GRO asked or overlooked. Honest GRO loses nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from rxviz.model.gro.tcp import CWR, FIN, PSH, URG
from rxviz.wire.dissect import Layer, checksum_verdicts, flow_key, layers
from rxviz.wire.locate import locate

_DF = 0x40
_FREE = {
    "ipv4": ((2, 6), (10, 12)),
    "ipv6": ((4, 6),),
    "udp": ((4, 8),),
    "tcp": ((4, 8), (13, 14), (16, 18)),
}
"""Bytes of each header that the cutting works out anew, or that are compared by a rule of their own."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What merging has lost.

    `bytes_moved`: a byte would be read at another place of its stream, or in a stream that is not its own. `headers`:
    the frames that would be cut from the packet are not those that came in.
    """

    bytes_moved: bool
    headers: bool


def loss(frames: Sequence[bytes], skipped: Sequence[int]) -> Loss:
    """Look at the frames of one packet, in order; `skipped` are the bytes in front of what was taken of each.

    TCP and UDP over any headers that GRO knows. Frames must be whole.
    """
    parts = [_Part(data, skip) for data, skip in zip(frames, skipped, strict=True)]
    first = parts[0]
    moved = any(part.taken != part.payload or part.flow != first.flow for part in parts) or not _contiguous(parts)
    return Loss(moved, moved or not (_cut_evenly(parts) and all(_same(first, part) for part in parts)
                                     and _flags_stand(parts) and _ids_follow(parts)
                                     and all(False not in checksum_verdicts(part.data) for part in parts)))  # fmt: skip


class _Part:
    """One frame: its headers, where its payload lies, and what GRO took for its payload."""

    def __init__(self, data: bytes, skipped: int) -> None:
        self.data = data
        found = layers(data)
        # Behind what GRO has read there may be more headers, of a tunnel that does not end here: payload to it.
        self.headers = [layer for layer in found if layer.name != "payload" and layer.offset + layer.length <= skipped]
        last = self.headers[-1]
        end = self._end(found)
        self.payload = (last.offset + last.length, end)
        self.taken = (skipped, len(data))
        self.length = end - self.payload[0]
        self.flow = flow_key(data)
        self.tcp = last if last.name == "tcp" else None

    def _end(self, found: Sequence[Layer]) -> int:
        """Return where the payload ends by the IP header that is in charge of it: the only one, or that in a tunnel."""
        place = locate(self.data)
        if place is not None and sum(layer.name in ("ipv4", "ipv6") for layer in self.headers) == 1:
            return place.end
        return found[-1].offset + found[-1].length

    def number(self, layer: Layer, at: int, width: int) -> int:
        """Return a field of a header."""
        start = layer.offset + at
        return int.from_bytes(self.data[start : start + width], "big")

    @property
    def flags(self) -> int:
        """The TCP flags, 0 without TCP."""
        return self.number(self.tcp, 13, 1) if self.tcp is not None else 0


def _contiguous(parts: Sequence[_Part]) -> bool:
    """Whether each TCP payload follows on the one before."""
    for before, part in pairwise(parts):
        if before.tcp is not None and part.tcp is not None:
            expected = before.number(before.tcp, 4, 4) + before.length & 0xFFFF_FFFF
            if part.number(part.tcp, 4, 4) != expected:
                return False
    return True


def _cut_evenly(parts: Sequence[_Part]) -> bool:
    """Whether pieces as long as the first give these frames: only the last may be shorter, and none is empty."""
    size = parts[0].length
    return all(part.length == size for part in parts[:-1]) and 0 < parts[-1].length <= size


def _same(first: _Part, part: _Part) -> bool:
    """Whether all bytes are equal that the cutting takes from the first frame's headers."""
    if [(layer.name, layer.length) for layer in first.headers] != [(each.name, each.length) for each in part.headers]:
        return False
    return all(_compared(first, layer) == _compared(part, layer) for layer in first.headers)


def _compared(part: _Part, layer: Layer) -> bytes:
    header = bytearray(part.data[layer.offset : layer.offset + layer.length])
    free = _FREE.get(layer.name, ())
    if layer.name == "tcp" and not part.flags & URG:
        free = (*free, (18, 20))
    for start, end in free:
        header[start:end] = bytes(end - start)
    if layer.name == "udp" and part.number(layer, 6, 2):
        header[6] = 1  # Only whether there is a checksum at all: 0 says that there is none.
    return bytes(header)


def _flags_stand(parts: Sequence[_Part]) -> bool:
    """Whether FIN and PSH stand on the last frame only, CWR on the first only or on all, all others on each alike."""
    alike = len({part.flags & ~(FIN | PSH | CWR) for part in parts}) == 1
    inside = any(part.flags & (FIN | PSH) for part in parts[:-1])
    reduced = {part.flags & CWR for part in parts}
    return alike and not inside and (len(reduced) == 1 or not any(part.flags & CWR for part in parts[1:]))


def _ids_follow(parts: Sequence[_Part]) -> bool:
    """Whether IPv4 IDs count up or stay; in front of a tunnel those with DF mean nothing (RFC 6864)."""
    layered = [[layer for layer in part.headers if layer.name == "ipv4"] for part in parts]
    for depth, first in enumerate(layered[0]):
        inner = depth == len(layered[0]) - 1 and not any(
            layer.name == "ipv6" and layer.offset > first.offset for layer in parts[0].headers
        )
        if not inner and parts[0].data[first.offset + 6] & _DF:
            continue
        ids = [part.number(found[depth], 4, 2) for part, found in zip(parts, layered, strict=True)]
        steps = {(b - a) & 0xFFFF for a, b in pairwise(ids)}
        if not (steps <= {0} or steps <= {1}):
            return False
    return True
