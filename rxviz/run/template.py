"""Frames of one flow from a template: built once by rxviz.wire.build, then only what differs is put in.

From one frame of a flow to the next differ the IPv4 id, the sequence number, the payload, and the checksums over them.
Checksums are sums (RFC 1071), so that each follows from the one of the built frame.
"""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.run.traffic_spec import HEADERS
from rxviz.wire import build
from rxviz.wire.checksum import word_sum

FIRST_SEQ, FIRST_PORT, PORT = 1, 40_000, 5001
_CELL = 16
"""What a built payload says over and over, in bytes."""
_LETTERS = [bytes((65 + i,)) for i in range(26)]


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the fields that differ lie, in bytes from the start of the frame; -1 where there is no such field."""

    ip_id: int
    ip_checksum: int
    seq: int
    l4_checksum: int


_TCP4 = _Layout(18, 24, 38, 50)
# The outer UDP checksum of VXLAN stays as it is: it covers headers and a segment that each add up to a constant
# with their own checksums (local checksum offload).
_VXLAN = _Layout(*(50 + offset for offset in (18, 24, 38, 50)))
_LAYOUTS = {
    "tcp": _TCP4,
    "vxlan": _VXLAN,
    "udp": _Layout(18, 24, -1, 40),
    "tcp6": _Layout(-1, -1, 58, 70),
    "udp6": _Layout(-1, -1, -1, 60),
}


def built(kind: str, body: bytes, flow: int, seq: int, ip_id: int) -> bytes:
    """Return a whole frame of a flow as rxviz.wire.build makes it."""
    port = FIRST_PORT + flow
    if kind == "udp":
        return build.udp4(body, sport=port, dport=PORT, ip_id=ip_id)
    if kind == "udp6":
        return build.udp6(body, sport=port, dport=PORT)
    if kind == "tcp6":
        return build.tcp6(body, sport=port, dport=PORT, seq=seq, tsval=1000, tsecr=500)
    inner = build.tcp4(body, sport=port, dport=PORT, seq=seq, tsval=1000, tsecr=500, ip_id=ip_id)
    return build.vxlan(inner, vni=42) if kind == "vxlan" else inner


class FlowTemplate:
    """The frames of one flow, `size` bytes each; `hash` is what the NIC reports of the flow."""

    def __init__(self, kind: str, size: int, flow: int, hash: int = 0) -> None:
        self.hash = hash
        self.is_udp = kind.startswith("udp")
        self.header = HEADERS[kind]
        self.length = size - self.header
        self.cells, self.rest = divmod(self.length, _CELL)
        self.cut_bits = 8 * (_CELL - self.rest)
        self.high_byte = 1 << 8 * (self.rest & 1)
        """Moves the number of an odd rest up by a byte, for its last byte is the high one of a word."""
        layout = _LAYOUTS[kind]
        frame = bytearray(built(kind, bytes(self.length), flow, 0, 0)[: self.header])
        self.ip_sum, self.ip_checksum = self._take_out(frame, layout.ip_checksum)
        self.l4_sum, self.l4_checksum = self._take_out(frame, layout.l4_checksum)
        self.ip_id = self._unit(layout.ip_id, 2)
        self.seq = self._unit(layout.seq, 4)
        self.number = int.from_bytes(frame, "big")

    def _take_out(self, frame: bytearray, at: int) -> tuple[int, int]:
        """Clear a checksum field; return the sum behind it, and the field's unit."""
        if at < 0:
            return 0, 0
        checksum = int.from_bytes(frame[at : at + 2], "big")
        frame[at : at + 2] = b"\0\0"
        return 0xFFFF - checksum, self._unit(at, 2)

    def _unit(self, at: int, width: int) -> int:
        """Return what a 1 in a field adds to the header read as one big number."""
        return 0 if at < 0 else 1 << 8 * (self.header - at - width)

    def frame(self, turn: int, mark: int) -> bytes:
        """Return the `turn`-th frame of the flow, its payload marked with `mark`."""
        # As build.payload has it; but that would be called with a new mark each time.
        cell = (b"#%d " % mark).ljust(_CELL, _LETTERS[mark % 26])[:_CELL]
        words = word_sum(cell)
        seq = (FIRST_SEQ + turn * self.length) & 0xFFFF_FFFF if self.seq else 0
        ip_id = turn & 0xFFFF
        found = -(self.l4_sum + seq + words * self.cells + (words >> self.cut_bits) * self.high_byte) % 0xFFFF
        if self.is_udp:
            # 0 would say "not computed".
            found = found or 0xFFFF
        number = self.number + seq * self.seq + ip_id * self.ip_id + found * self.l4_checksum
        number += (-(self.ip_sum + ip_id) % 0xFFFF) * self.ip_checksum
        return b"".join((number.to_bytes(self.header, "big"), cell * self.cells, cell[: self.rest]))
