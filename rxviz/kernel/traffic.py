"""Random frames to hold the model against the kernel with: few flows, most segments in order, every field changed now
and then, and some frames that are broken."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from rxviz.kernel.fields import ADDRESS, FIN, MACS, PSH, V4, V6, Ip, Segment, build
from rxviz.kernel.oracle import Setup, already_merged, header_in_head, needs_checksum

PLAIN_KINDS = ("tcp4", "tcp6", "tcp6ext", "ipip", "sit", "ip4ip6", "ip6ip6", "gre", "greteb", "vlan")
UDP_KINDS = ("udp4", "udp6", "tcp4")
_GSO_SIZE = 1399
"""Partial segments of 1400 bytes and more are said to be merged already: fewer bytes make no such packet."""
VXLAN_KINDS = ("vxlan", "vxlan_sum", "vxlan_udp", "tcp4", "udp4")
_TUNNEL4 = ("192.168.1.210", ADDRESS)


# ------------------------------------------------------------------------------------------------------------ mutations
Mutation = Callable[[Random, Segment, Ip], None]


def _field(name: str, *values: int) -> Mutation:
    def change(rng: Random, spec: Segment, _: Ip) -> None:
        setattr(spec, name, rng.choice(values))

    return change


def _ip_field(name: str, *values: int) -> Mutation:
    def change(rng: Random, _: Segment, header: Ip) -> None:
        setattr(header, name, rng.choice(values))

    return change


def _flags(*bits: int) -> Mutation:
    def change(rng: Random, spec: Segment, _: Ip) -> None:
        spec.flags ^= rng.choice(bits)

    return change


def _shift_id(rng: Random, _: Segment, header: Ip) -> None:
    header.ip_id = (header.ip_id + rng.choice((-2, -1, 1, 2, 300))) & 0xFFFF


def _shift_seq(rng: Random, spec: Segment, _: Ip) -> None:
    spec.seq += rng.choice((-700, -1, 1, 700, 5000))


def _resize(rng: Random, spec: Segment, _: Ip) -> None:
    spec.payload = bytes((rng.randrange(256),)) * rng.choice((0, 1, 99, 699, 701, 1400))


def _options(rng: Random, spec: Segment, _: Ip) -> None:
    stamp = struct.pack("!BBII", 8, 10, rng.choice((1, 2)), 7)
    spec.options = rng.choice((b"", b"\1\1" + stamp, b"\1" + stamp + b"\1", stamp + b"\1\1", b"\1\1\1\1"))


def _ip_options(rng: Random, _: Segment, header: Ip) -> None:
    if not header.v6:
        header.options = rng.choice((b"\1\1\1\0", b"\x94\x04\0\0"))


def _fragment(rng: Random, _: Segment, header: Ip) -> None:
    header.flags = rng.choice((0x2000, 0x6000, 0x0010, 0x8000, 0xC000))
    if header.v6:
        header.extensions = ((44, bytes(6)),)


def _extensions(rng: Random, _: Segment, header: Ip) -> None:
    if header.v6:
        option = b"\1\4" + bytes((0, 0, 0, rng.randrange(2)))
        header.extensions = rng.choice((((60, option),), ((0, option),), ((0, option), (60, option)), ((43, option),)))


def _wrong_ip_sum(_: Random, __: Segment, header: Ip) -> None:
    header.wrong_sum = True


def _wrong_length(rng: Random, _: Segment, header: Ip) -> None:
    header.length_delta = rng.choice((-4, -1, 1, 8))


def _trailer(rng: Random, spec: Segment, _: Ip) -> None:
    spec.trailer = bytes(rng.choice((1, 6, 18)))


def _partial(_: Random, spec: Segment, __: Ip) -> None:
    spec.partial = True


MUTATIONS: tuple[Mutation, ...] = (
    _flags(PSH),
    _flags(FIN),
    _flags(0x02, 0x04, 0x20, 0x40, 0x80, 0x100, 0x200, 0x10),
    _flags(0x80),
    _field("window", 228, 230, 0),
    _field("ack", 2, 3),
    _field("urgent", 9),
    _field("sum_delta", 1, 0x0101),
    _field("zero_sum", True),
    _field("udp_delta", -1, 1, -8),
    _field("vni", 43),
    _field("gre_key", 1, 2),
    _field("gre_flags", 0x2000, 0x8000, 0xA000, 0x1000),
    _field("outer_sport", 50001),
    _field("tci", 6, 0xA005),
    _ip_field("ttl", 63, 65, 1),
    _ip_field("tos", 1, 2, 3, 0x10),
    _ip_field("label", 7, 0x10000),
    _ip_field("flags", 0, 0x4000),
    _shift_id,
    _shift_id,
    _shift_seq,
    _shift_seq,
    _resize,
    _resize,
    _options,
    _ip_options,
    _fragment,
    _extensions,
    _wrong_ip_sum,
    _wrong_length,
    _trailer,
    _partial,
)


# ------------------------------------------------------------------------------------------------------------- sessions
class _Flow:
    """One connection, or one stream of datagrams, that sends segment after segment."""

    def __init__(self, rng: Random, kind: str, number: int) -> None:
        self.kind = kind
        self.size = rng.choice((100, 700, 700, 1400))
        self.seq = rng.choice((1, 2**32 - 1500))
        self.ip_id = rng.choice((0, 5, 65533))
        self.steps = rng.choice(((1, 1), (0, 0), (1, 0), (0, 1)))
        self.flags = rng.choice((0x4000, 0x4000, 0))
        self.ports = struct.pack("!HH", 1500 + number, 8000)
        self.options = rng.choice((b"", b"\1\1\x08\x0a" + bytes(8)))
        self.pair = number & 1
        self.sent = 0

    def next(self, rng: Random) -> Segment:
        """Describe the next segment in order."""
        kind, place = self.kind, self.pair
        outer6 = kind in ("tcp6", "tcp6ext", "udp6", "ip4ip6", "ip6ip6")
        outer, inner = Ip(v6=outer6), Ip(v6=kind in ("sit", "ip6ip6"))
        outer.addresses = V6[place] if outer6 else V4[place]
        inner.addresses = ("fd00::1", "fd00::2") if inner.v6 else ("10.0.0.1", "10.0.0.2")
        if kind == "tcp6ext":
            outer.extensions = ((60, b"\1\4\0\0\0\0"),)
        if kind.startswith("vxlan"):
            outer.addresses = _TUNNEL4
        outer.ip_id = (self.ip_id + self.sent * self.steps[0]) & 0xFFFF
        inner.ip_id = (self.ip_id + self.sent * self.steps[1]) & 0xFFFF
        outer.flags = inner.flags = self.flags
        spec = Segment(kind, outer=outer, inner=inner, ports=self.ports, seq=self.seq, options=self.options)
        spec.payload = bytes((97 + rng.randrange(26),)) * self.size
        return spec

    def sent_one(self, spec: Segment) -> None:
        """Go on behind what was sent."""
        self.seq += len(spec.payload)
        self.sent += 1


@dataclass(frozen=True, slots=True)
class Session:
    """Frames for one poll, the virtio header of each (empty for none), and how the device must be set up."""

    setup: Setup
    frames: list[bytes]
    headers: list[bytes]


def setups() -> list[tuple[Setup, tuple[str, ...]]]:
    """Return the set-ups of the comparison, each with the kinds of frames that make sense there."""
    list_mode = Setup(fraglist=True)
    return [
        (Setup(), PLAIN_KINDS),
        (Setup(layout="copied"), PLAIN_KINDS),
        (Setup(feed="bridge"), ("vlan", "vlan", "tcp4", "tcp6")),
        (Setup(max_size=20000, ipv4_max_size=20000), ("tcp4", "tcp6", "ipip")),
        (Setup(max_size=200000, ipv4_max_size=200000), ("tcp4", "tcp6", "ipip")),
        (Setup(udp_forwarding=True), UDP_KINDS),
        (list_mode, UDP_KINDS),
        (Setup(address=ADDRESS, udp_gro_ports=(8000,)), UDP_KINDS),
        # A network id that no frame has: the tunnel's socket is there, but the tunnel does not touch the packets.
        (Setup(address=ADDRESS, vxlan=7), VXLAN_KINDS),
    ]


def random_session(rng: Random, setup: Setup, kinds: tuple[str, ...], length: int) -> Session:
    """Make up one session of `length` frames."""
    flows = [_Flow(rng, rng.choice(kinds), number) for number in range(rng.choice((1, 1, 2, 3, 4, 10)))]
    wild = rng.choice((0.05, 0.2, 0.4))
    # A bridge drops what ends inside a tag or right behind it.
    shortest = 14 if setup.feed == "tap" else 20
    frames, headers = [], []
    for _ in range(length):
        flow = rng.choice(flows)
        spec = flow.next(rng)
        if rng.random() < wild:
            for _ in range(rng.choice((1, 1, 2))):
                rng.choice(MUTATIONS)(rng, spec, rng.choice((spec.outer, spec.inner)))
        if rng.random() < 0.02:
            spec.macs = MACS[1]
        frame = build(spec)
        if rng.random() < 0.01:
            frame = frame[: rng.randrange(shortest, len(frame) + 1)]
        frames.append(frame)
        headers.append(_header(spec, frame, setup.feed))
        if rng.random() < 0.9:
            flow.sent_one(spec)
    return Session(setup, frames, headers)


def _header(spec: Segment, frame: bytes, feed: str) -> bytes:
    """Only where the transport header's place is plain can the checksum be left to others."""
    plain = spec.kind in ("tcp4", "tcp6", "udp4", "udp6") and not spec.outer.extensions and not spec.outer.options
    start = 54 if spec.outer.v6 else 34
    if not spec.partial or not plain or len(frame) <= start + 20:
        return b""
    if spec.kind.startswith("udp"):
        return needs_checksum(start, 6)
    headers = start + 20 + len(spec.options)
    # A device on the way to another would cut it up before.
    if feed == "tap" and len(spec.payload) > _GSO_SIZE and len(frame) > headers + _GSO_SIZE:
        return already_merged(4 if spec.outer.v6 else 1, headers, _GSO_SIZE, start, 16)
    return needs_checksum(start, 16)


def long_frames(rng: Random, count: int) -> Session:
    """Make up frames longer than a page, whose payload lies in fragments."""
    flow = _Flow(rng, rng.choice(("tcp4", "tcp6")), 0)
    flow.size, flow.options = 5000, b""
    frames, headers = [], []
    for _ in range(count):
        spec = flow.next(rng)
        if rng.random() < 0.1:
            rng.choice(MUTATIONS)(rng, spec, spec.outer)
        frames.append(build(spec))
        headers.append(header_in_head(54 if flow.kind == "tcp4" else 74))
        flow.sent_one(spec)
    return Session(Setup(layout="copied"), frames, headers)
