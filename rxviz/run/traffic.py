"""Sources of frames: made ones and captured ones. Each gives the i-th frame again and again, always the same."""

from __future__ import annotations

from array import array
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING
from zlib import crc32

from rxviz.model import descriptor
from rxviz.model.frame import TAG_AT, TAG_LEN, TPID_8021Q, Frame, tag_of
from rxviz.run.template import FlowTemplate
from rxviz.run.traffic_spec import TrafficSpec
from rxviz.wire.dissect import checksum_verdicts, flow_key, layers

if TYPE_CHECKING:
    from rxviz.capture.frames import Frames
    from rxviz.model.config import FrameSource

ETH_ZLEN = 60


class MadeFrames:
    """Frames made by the words of a scenario; frame(i) is a function of the words, the seed and i alone."""

    def __init__(self, spec: TrafficSpec, seed: int, checked: bool = True) -> None:
        """`checked`: the NIC looks at checksums, which are all right."""
        self.spec = spec
        self.seed = seed
        self._sent_order = lru_cache(maxsize=64)(self._shuffled)
        self._loses = bool(spec.loss_percent or spec.lost)
        self._survivors = array("I")
        """Which places of the sequence arrive, as far as has been asked; the rest are lost."""
        self._looked_at = 0
        self._templates: dict[int, FlowTemplate] = {}
        found = descriptor.L4CS | (0 if spec.kind.endswith("6") else descriptor.IPCS)
        self._status = found if checked else 0
        self._in_order = not (spec.swap or spec.shuffle or spec.order)
        self._tag = (TPID_8021Q << 16 | spec.vlan).to_bytes(TAG_LEN, "big") if spec.vlan else b""
        first = self._tagged(self._first())
        self._pkt_info, self._frame_tag = packet_info(first), tag_of(first)

    def _first(self) -> bytes:
        """Return a frame that shows what kind of frames they are."""
        return self._template(0).frame(0, 0)

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last."""
        spec = self.spec
        place = self._survivor(i) if self._loses else i
        if place >= spec.count:
            return None
        sent = place if self._in_order else self._sent(place)
        turn, flow = divmod(sent, spec.flows)
        template = self._templates.get(flow) or self._template(flow)
        data = template.frame(turn, sent)
        t_ns = self._time(place) if spec.burst else (place + 1) * spec.gap_ns
        if self._tag:
            data = self._tagged(data)
            return Frame(
                i, t_ns, data, len(data), flow, self._pkt_info, template.hash, self._status, tag=self._frame_tag
            )
        return Frame(i, t_ns, data, spec.size, flow, self._pkt_info, template.hash, self._status)

    def _tagged(self, data: bytes) -> bytes:
        return data[:TAG_AT] + self._tag + data[TAG_AT:]

    def _time(self, place: int) -> int:
        spec = self.spec
        pauses = place // spec.burst if spec.burst else 0
        return (place + 1) * spec.gap_ns + pauses * spec.pause_ns

    def _sent(self, place: int) -> int:
        """Return which of the frames sent comes at a place of the sequence."""
        spec = self.spec
        if self._in_order:
            return place
        if spec.order:
            return spec.order[place]
        if spec.swap:
            group, within = divmod(place, spec.swap)
            first = group * spec.swap
            if within < 2 and first + 1 < spec.count:
                return first + 1 - within
            return place
        group, within = divmod(place, spec.shuffle)
        return group * spec.shuffle + self._sent_order(group)[within]

    def _shuffled(self, group: int) -> list[int]:
        spec = self.spec
        order = list(range(min(spec.shuffle, spec.count - group * spec.shuffle)))
        Random(f"{self.seed}/{group}").shuffle(order)
        return order

    def _survivor(self, i: int) -> int:
        """Return the place of the i-th frame that is not lost; past the last, the end of the sequence."""
        if self.spec.loss_percent == 100:
            return self.spec.count
        while len(self._survivors) <= i and self._looked_at < self.spec.count:
            if not self._is_lost(self._looked_at):
                self._survivors.append(self._looked_at)
            self._looked_at += 1
        return self._survivors[i] if i < len(self._survivors) else self.spec.count

    def _is_lost(self, place: int) -> bool:
        if place in self.spec.lost:
            return True
        return crc32(b"%d/loss/%d" % (self.seed, place)) % 100 < self.spec.loss_percent

    def _template(self, flow: int) -> FlowTemplate:
        made = self._templates[flow] = FlowTemplate(self.spec.kind, self.spec.size, flow, flow_hash(flow))
        return made


class CapturedFrames:
    """The frames of a capture, in the file's order."""

    def __init__(self, frames: Frames, checked: bool = True) -> None:
        self.frames = frames
        self.checked = checked
        """Whether the NIC looks at checksums."""

    def frame(self, i: int) -> Frame | None:
        """Return the i-th frame to arrive, or None past the last."""
        arrival = self.frames.get(i)
        if arrival is None:
            return None
        data, wire_len, remark = arrival.data, arrival.wire_len, arrival.remark
        if wire_len < ETH_ZLEN:
            # On the wire no frame is shorter: this one was captured before the sender padded it.
            data, wire_len = data.ljust(ETH_ZLEN, b"\0") if len(data) == wire_len else data, ETH_ZLEN
        flow = self._flow(data)
        status = checksum_status(data) if self.checked and len(data) == wire_len else 0
        info, tag = packet_info(data), tag_of(data)
        return Frame(i, arrival.t_ns, data, wire_len, flow, info, flow_hash(flow), status, remark, tag)

    def _flow(self, data: bytes) -> int:
        # A number of its own for each flow would grow with the file; the key's own bytes give one that does not.
        return crc32(repr(flow_key(data)).encode())


def flow_hash(flow: int) -> int:
    """Return the 32-bit hash that the write-back reports; the model's own, not the Toeplitz hash of hardware."""
    return (flow * 0x9E37_79B1 + 0x7F4A_7C15) & 0xFFFF_FFFF


def packet_info(data: bytes) -> int:
    """Return RSS type and packet type as `pkt_info` has them, from the outermost headers that the NIC parses."""
    names = {layer.name for layer in layers(data)[:4]}
    info = 0
    for name, bit in (("ipv4", descriptor.PKT_IPV4), ("ipv6", descriptor.PKT_IPV6)):
        info |= bit if name in names else 0
    if not info:
        return 0
    v6 = bool(info & descriptor.PKT_IPV6)
    if "tcp" in names:
        return info | descriptor.PKT_TCP | (descriptor.RSS_IPV6_TCP if v6 else descriptor.RSS_IPV4_TCP)
    if "udp" in names:
        return info | descriptor.PKT_UDP | (descriptor.RSS_IPV6 if v6 else descriptor.RSS_IPV4)
    return info | (descriptor.RSS_IPV6 if v6 else descriptor.RSS_IPV4)


def checksum_status(data: bytes) -> int:
    """Return the status and error bits for what the NIC finds when it checks IP and L4 checksums."""
    ip_good, l4_good = checksum_verdicts(data)
    status = 0
    if ip_good is not None:
        status |= descriptor.IPCS | (0 if ip_good else descriptor.IPE)
    if l4_good is not None:
        status |= descriptor.L4CS | (0 if l4_good else descriptor.TCPE)
    return status


def close_source(source: FrameSource) -> None:
    """Close the capture that frames come from, if it is one."""
    if isinstance(source, CapturedFrames):
        source.frames.close()
