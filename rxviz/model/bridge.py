"""A bridge instead of a socket: what comes up goes out of another port, cut into frames again where it is many in one.

Sources: net/bridge/br_input.c, br_forward.c (`__br_forward`), include/linux/skbuff.h (`skb_warn_if_lro`),
net/ipv4/tcp_offload.c (`tcp_gso_segment`). The other port is never busy, and has all the segmentation done for it in
software (badge M). Every frame that goes out is held against the one that came in.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.gro.kernel import BOTH_IDS
from rxviz.model.gro.resegment import cut
from rxviz.model.socket import Socket
from rxviz.wire.layers import layers
from rxviz.wire.locate import Place, locate
from rxviz.wire.numbers import PROTO_TCP, TCP_LENGTH, VXLAN_PORT

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.skb import SkBuff

Change = tuple[str, int, int]
"""What is not as it came: its name, what came, what is sent."""
_TCP_FIELDS = (
    ("sequence number", 4, 4), ("ACK number", 8, 4), ("flags", 13, 1), ("window", 14, 2), ("checksum", 16, 2),
)  # fmt: skip
_STAMPS = 0x0101_080A
_URG, _URGENT = 0x20, slice(18, 20)
_u32 = Struct("!I").unpack_from


class Bridge(Socket):
    """The stack of a machine that forwards. Nothing waits in it; what it counts as read has been sent."""

    __slots__ = ("frames_changed", "frames_sent", "last", "outer_ids", "skbs_refused")

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        gro = m.config.gro
        self.outer_ids = gro is None or gro.ip_id == BOTH_IDS
        """Whether GRO looks at the IPv4 IDs of outer headers, so that they can be put back."""
        self.frames_sent = 0
        self.frames_changed = 0
        """Frames that went out otherwise than they had come in."""
        self.last: list[tuple[int, tuple[Change, ...]]] = []
        """The frames of the skb that was sent last, each with what of it was not sent as it came."""
        self.skbs_refused = 0
        """Skbs that LRO had merged: the bridge warns and drops them."""

    def drops(self) -> dict[str, int]:
        """Return the frames that were refused; no counter tells of them, but a warning of that name."""
        return {"skb_warn_if_lro": self.frames_dropped}

    def enqueue(self, skb: SkBuff) -> None:
        """Send an skb out of the other port, unless it is one that must not be sent on."""
        m = self.m
        if self.skb_warn_if_lro(skb):
            self.skbs_refused += 1
            self.frames_dropped += skb.segs
            m.step(steps.BRIDGE_REFUSE, skb.frame, -1, skb.head_page, skb, (skb.segs, skb.gso_size))
            m.driver.free_skb(skb)
            return
        self.last = []
        m.step(steps.BRIDGE_FORWARD, skb.frame, -1, skb.head_page, skb, (skb.segs, skb.len))
        self.delivered += 1
        self.read += 1
        self.frames_delivered += skb.segs
        self.send(skb)
        m.lamps.read(skb)
        m.driver.free_skb(skb)

    def skb_warn_if_lro(self, skb: SkBuff) -> bool:
        """Whether an skb shows the mark of LRO: many in one, and nothing says how to cut it."""
        return bool(skb.data_len and skb.gso_size and not skb.gso_type)

    def send(self, skb: SkBuff) -> None:
        """Cut the skb where it is many in one, send the frames, and look at each."""
        m = self.m
        out = [skb.payload()]
        if skb.merged:
            port = m.config.vxlan or VXLAN_PORT
            headers, size = len(skb.headers), skb.gso_size
            out = cut(out[0], headers, size, skb.gso_type, outer_ids=self.outer_ids, vxlan_port=port)
        if len(out) > 1:
            m.step(steps.BRIDGE_CUT, skb.frame, -1, skb.head_page, skb, (len(out), skb.gso_size))
        came: list[Frame | None] = [*skb.frames]
        came += [None] * (len(out) - len(came))
        # Only for TCP is it noted that the IDs of what was merged were all the same: those of datagrams count up.
        counted = len(out) > 1 and "UDP_L4" in skb.gso_type
        for frame, data in zip(came, out, strict=False):
            self.send_one(skb, frame, data, ids=not counted)
        if len(out) < skb.segs:
            self.lose(skb.segs - len(out))

    def send_one(self, skb: SkBuff, frame: Frame | None, data: bytes, *, ids: bool = True) -> None:
        """Send a frame; light the lamp where it is not the one that came in, without `ids` but for its IPv4 IDs."""
        changes: tuple[Change, ...] = (("frame", 0, 1),)
        if frame is not None:
            changes = changes_of(frame.data, data, outer_ids=self.outer_ids, ids=ids)
        self.frames_sent += 1
        self.last.append(((frame or skb.frame).id, changes))
        if changes:
            self.lose(1)
        self.m.step(steps.BRIDGE_SEND, frame or skb.frame, -1, None, None, (len(data), changes))

    def lose(self, frames: int) -> None:
        """Count frames that did not go out as they came in."""
        self.frames_changed += frames
        self.m.lamps.light("sent_as_arrived")


def changes_of(came: bytes, sent: bytes, *, outer_ids: bool = True, ids: bool = True) -> tuple[Change, ...]:
    """Return what of a frame is sent otherwise than it came, by the names of TCP's fields where it is TCP.

    An urgent pointer that nothing points to is not looked at: GRO does not compare it, and nobody reads it. Nor is the
    IPv4 ID of a tunnel's outer header without `outer_ids`: before 6.18 GRO did not look at it, and nobody promised it.
    Without `ids` none is: GRO merges datagrams that all have one ID, and UDP's GSO counts (udp_gro_complete notes
    nothing like SKB_GSO_TCP_FIXEDID).
    """
    if came == sent:
        return ()
    if len(came) != len(sent):
        return (("length", len(came), len(sent)),)
    if not (outer_ids and ids):
        sent = _with_ids(sent, came, inner=not ids)
        if came == sent:
            return ()
    place = locate(came)
    if place is not None and place.proto == PROTO_TCP and len(came) >= place.transport + TCP_LENGTH:
        return _of_tcp(came, sent, place)
    return (_first_byte(came, sent),)


def _of_tcp(came: bytes, sent: bytes, place: Place) -> tuple[Change, ...]:
    at = place.transport
    found = [(name, *_pair(came, sent, at + offset, size)) for name, offset, size in _TCP_FIELDS]
    if came[at + 12] >> 4 == 8 and _u32(came, at + TCP_LENGTH)[0] == _STAMPS:
        found.append(("timestamp", *_pair(came, sent, at + 24, 4)))
        found.append(("echoed timestamp", *_pair(came, sent, at + 28, 4)))
    if place.ethertype == 0x0800:
        found.append(("IPv4 ID", *_pair(came, sent, place.network + 4, 2)))
    changed = tuple(each for each in found if each[1] != each[2])
    others = _without_urgent(came, at) != _without_urgent(sent, at)
    return changed or ((_first_byte(came, sent),) if others else ())


def _with_ids(sent: bytes, came: bytes, *, inner: bool) -> bytes:
    """Return a frame with the IPv4 IDs of another one's outer headers, with `inner` of the innermost one besides, and
    the checksums that go with them.
    """
    networks = [layer for layer in layers(came) if layer.name in ("ipv4", "ipv6")]
    changed = bytearray(sent)
    for layer in networks if inner else networks[:-1][:1]:
        if layer.name == "ipv4":
            for part in (slice(layer.offset + 4, layer.offset + 6), slice(layer.offset + 10, layer.offset + 12)):
                changed[part] = came[part]
    return bytes(changed)


def _pair(came: bytes, sent: bytes, at: int, size: int) -> tuple[int, int]:
    return int.from_bytes(came[at : at + size], "big"), int.from_bytes(sent[at : at + size], "big")


def _without_urgent(data: bytes, at: int) -> bytes:
    if data[at + 13] & _URG:
        return data
    return data[: at + _URGENT.start] + b"\0\0" + data[at + _URGENT.stop :]


def _first_byte(came: bytes, sent: bytes) -> Change:
    n = next(n for n, (one, other) in enumerate(zip(came, sent, strict=False)) if one != other)
    return f"byte {n:,}", came[n], sent[n]
