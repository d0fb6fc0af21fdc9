"""What GRO makes of the frames of a capture: no ring, no clock, N frames to a poll.

A stream: one entry for each frame with its verdict, one for each packet that the stack gets, in the order in which
things happen; memory does not grow with the capture. `write_json` puts it as the contract's JSON object.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Protocol, TextIO
from zlib import crc32

from rxviz.errors import ScenarioError, quoted
from rxviz.model.gro import rules, words
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.packet import GroPacket
from rxviz.model.gro.rules import RULES, Rule
from rxviz.model.gro.trace import Decision
from rxviz.run.gro_forward import Resent, sent_on
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.gro_layouts import Layout, LayoutMaker
from rxviz.run.gro_lro import LroInstead
from rxviz.wire.flags import FLAGS_TEXT
from rxviz.wire.flow import checksum_verdicts, flow_key
from rxviz.wire.numbers import PROTO_TCP, PROTO_UDP
from rxviz.wire.summary import summarise

DEFAULT_POLL = 63
HASHES = ("zero", "flow")
CHECKSUMS = ("trusted", "verified", "software")
_TAG_TYPE = b"\x81\x00"
_TAGGED = 18
_NAMES = {PROTO_TCP: "tcp", PROTO_UDP: "udp"}


class ArrivingFrame(Protocol):
    """A frame of a capture: the bytes that are known and how many there were on the wire."""

    @property
    def data(self) -> bytes:
        """Bytes from the MAC header on, as far as they were kept."""
        ...

    @property
    def wire_len(self) -> int:
        """Length on the wire without FCS."""
        ...


@dataclass(frozen=True, slots=True)
class GroOptions:
    """How a capture goes through GRO.

    `checksums` says what the card does: "trusted" takes every TCP and UDP checksum as verified (in captures they are
    often wrong only because the sender's card fills them in later), "verified" vouches for those that are right, and
    "software" leaves all of them to GRO. `strip_vlan` takes an 802.1Q tag out of the frame as cards do by default. With
    `lro` inet_lro stands in GRO's place. `forward` cuts each packet again, to see what a bridge would send on.
    """

    kernel: str = "6.18"
    poll: int = DEFAULT_POLL
    layout: Layout = Layout.BUILD_SKB
    hash: str = "zero"
    checksums: str = "trusted"
    strip_vlan: bool = True
    mtu: int = 1500
    off: frozenset[str] = frozenset()
    lro: bool = False
    forward: bool = False
    config: GroConfig = field(default_factory=GroConfig)

    def rules_off(self) -> frozenset[Rule]:
        """Return the rules that are switched off; ScenarioError names one that does not exist or cannot be."""
        for name in self.off:
            if name not in RULES:
                nearest = get_close_matches(name, RULES, 1)
                raise ScenarioError(f"no GRO rule is called {quoted(name)}" + "".join(f"; {it} is" for it in nearest))
            if RULES[name].needed:
                raise ScenarioError(f"{name} cannot be switched off: without it there is nothing to go on with")
        return frozenset(RULES[name] for name in self.off)


@dataclass(frozen=True, slots=True)
class FrameEntry:
    """A frame of the capture, counted from 0, and what GRO decided. `partial`: the file holds only a part of it."""

    n: int
    decision: Decision
    partial: bool

    def as_json(self) -> dict[str, Any]:
        """Return the entry of the contract's `frames`."""
        decision = self.decision
        entry: dict[str, Any] = {"n": self.n, "verdict": decision.verdict.name}
        if decision.into is not None:
            entry["into"] = decision.into
        if decision.flushed is not None:
            entry["flushed"] = decision.flushed
        entry |= {"why": words.why(decision), "rule": decision.why.rule.name}
        if self.partial:
            entry["partial"] = True
        return entry


@dataclass(frozen=True, slots=True)
class PacketEntry:
    """A packet as the stack gets it. `changed`: the frames that a bridge would send on changed, None if not known."""

    packet: Delivered
    forwarded: bool = False
    changed: list[Resent] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the entry of the contract's `delivered`."""
        packet = self.packet
        l3, l4, payload, ip_id, flags = _described(packet)
        entry: dict[str, Any] = {
            "frames": packet.frames,
            "l3": l3,
            "l4": l4,
            "payload": payload,
            "segs": packet.segs,
            "gso_size": packet.gso_size,
            "gso_type": list(packet.gso_type),
            "ip_id": ip_id,
            "flags": flags,
            "checksum": packet.ip_summed.name.lower(),
            "truesize": packet.truesize,
            "frags": [packet.nr_frags, *packet.list_frags],
            "vlan": packet.tag & 0xFFF if packet.tag else None,
            "left": words.failure(packet.left),
            "rule": packet.left.rule.name,
        }
        if self.forwarded:
            resent = self.changed
            entry["sent_on"] = None if resent is None else [{"frame": r.frame, "changed": [*r.fields]} for r in resent]
        return entry


Entry = FrameEntry | PacketEntry


def _described(packet: Delivered) -> tuple[str, str, int, int | None, str]:
    """Return l3, l4, payload bytes, IPv4 ID and TCP flags: of the innermost headers that GRO read."""
    head, at = packet.head, packet.transport
    if packet.proto not in _NAMES or len(head) <= at:
        summary = summarise(packet.packet.mac + packet.packet.data)
        return summary.l3, summary.l4, _outer_payload(packet), _ip_id(packet), summary.flags
    network = packet.network
    v4 = head[network] >> 4 == 4
    ip_id = int.from_bytes(head[network + 4 : network + 6], "big") if v4 else None
    flags = FLAGS_TEXT[head[at + 13]] if packet.proto == PROTO_TCP else ""
    payload = packet.payload
    if packet.segs == 1:
        field_at, base = (network + 2, network) if v4 else (network + 4, network + 40)
        stated = base + int.from_bytes(head[field_at : field_at + 2], "big")
        payload = max(0, min(payload, stated - len(head)))
    return "ipv4" if v4 else "ipv6", _NAMES[packet.proto], payload, ip_id, flags


def _outer_payload(packet: Delivered) -> int:
    """Return the payload of a packet that GRO did not read to the end, by its wire length where the capture is cut."""
    own = packet.packet
    frame = own.mac + own.data
    summary = summarise(frame)
    cut = own.len - len(own.data)
    return summary.payload_length + max(0, cut)


def _ip_id(packet: Delivered) -> int | None:
    data = packet.packet.data
    return int.from_bytes(data[4:6], "big") if len(data) >= 20 and data[0] >> 4 == 4 else None


class GroReplay:
    """Feeds frames to GRO, poll after poll. `polls` counts them as the stream is read."""

    def __init__(self, options: GroOptions | None = None, *, keep_passed: bool = False) -> None:
        self.options = options = options or GroOptions()
        for given, allowed, what in ((options.hash, HASHES, "hash"), (options.checksums, CHECKSUMS, "checksums")):
            if given not in allowed:
                raise ScenarioError(f"{what} is one of {', '.join(allowed)}, not {given!r}")
        if options.poll < 1:
            raise ScenarioError(f"a poll takes at least 1 frame, not {options.poll}")
        kernel, off = gro_rules(options.kernel), options.rules_off()
        self.gro = Gro(kernel, options.config, off=off, keep_passed=keep_passed)
        self._engine: Gro | LroInstead = LroInstead(options.mtu) if options.lro else self.gro
        self.maker = LayoutMaker(options.layout, options.kernel, options.mtu)
        self.polls = 0
        self._number = self._in_poll = 0

    def packet(self, number: int, frame: ArrivingFrame) -> GroPacket:
        """Return a frame as GRO gets it from the driver."""
        options, data, length, tag = self.options, frame.data, frame.wire_len, 0
        hash = _flow_hash(data) if options.hash == "flow" else 0
        checked = options.checksums == "trusted"
        if options.checksums == "verified":
            checked = checksum_verdicts(data)[1] is not False
        if options.strip_vlan and data[12:14] == _TAG_TYPE and len(data) >= _TAGGED:
            tag = int.from_bytes(data[12:16], "big")
            data, length = data[:12] + data[16:], length - 4
        return self.maker.packet(number, data, length, hash=hash, tag=tag, checked=checked)

    def entries(self, frames: Iterable[ArrivingFrame]) -> Iterator[Entry]:
        """Yield what happens, in order."""
        for frame in frames:
            yield from self.step(frame)
        yield from self.finish()

    def step(self, frame: ArrivingFrame) -> list[Entry]:
        """Take the next frame; return what happens."""
        gro, number = self._engine, self._number
        self._number += 1
        if not self._in_poll:
            self.polls += 1
        decision = gro.receive(self.packet(number, frame))
        self._in_poll += 1
        if self._in_poll % self.options.config.weight == 0:
            gro.budget_used()
        if self._in_poll == self.options.poll:
            self._end_of_poll()
        return [FrameEntry(number, decision, len(frame.data) < frame.wire_len), *self._taken()]

    def finish(self) -> list[Entry]:
        """No frame is left; return what still happens."""
        self._end_of_poll()
        return self._taken()

    def _end_of_poll(self) -> None:
        """All that is held leaves, whatever timers the device has: times of a capture say nothing of polls."""
        self._in_poll = 0
        self._engine.flush(left=rules.POLL_END)
        self._engine.normal_list()

    def _taken(self) -> list[Entry]:
        if not self.options.forward:
            return [PacketEntry(packet) for packet in self._engine.take()]
        return [PacketEntry(packet, True, sent_on(packet)) for packet in self._engine.take()]


def _flow_hash(data: bytes) -> int:
    """Stand in for the card's receive hash: equal for equal addresses and ports, 0 without IP (badge M)."""
    _, _, addresses, proto, ports = flow_key(data)
    return crc32(addresses + ports) if proto >= 0 else 0


def _engine(options: GroOptions) -> dict[str, Any]:
    """Return the first keys of the object: whose rules, and which of them were switched off."""
    said: dict[str, Any] = {"kernel": options.kernel}
    if options.lro:
        said["lro"] = True
    if options.off:
        said["off"] = sorted(options.off)
    return said


def gro_result(frames: Iterable[ArrivingFrame], options: GroOptions | None = None) -> dict[str, Any]:
    """Return the whole of a small capture as the contract's JSON object; `write_json` streams a large one."""
    replay = GroReplay(options)
    result: dict[str, Any] = {**_engine(replay.options), "polls": 0, "frames": [], "delivered": []}
    for entry in replay.entries(frames):
        result["frames" if isinstance(entry, FrameEntry) else "delivered"].append(entry.as_json())
    result["polls"] = replay.polls
    return result


def write_json(frames: Iterable[ArrivingFrame], options: GroOptions | None, out: TextIO, spool: TextIO) -> None:
    """Write the contract's JSON object to `out` as the frames are read; `spool` is a file to keep packets in meanwhile.

    `spool` must be open for writing and reading, and empty.
    """
    replay = GroReplay(options)
    out.write(f'{json.dumps(_engine(replay.options))[:-1]}, "frames": [')
    first_frame = first_packet = True
    for entry in replay.entries(frames):
        text = json.dumps(entry.as_json())
        if isinstance(entry, FrameEntry):
            out.write(("" if first_frame else ", ") + text)
            first_frame = False
        else:
            spool.write(("" if first_packet else ", ") + text)
            first_packet = False
    out.write('], "delivered": [')
    spool.seek(0)
    while chunk := spool.read(1 << 16):
        out.write(chunk)
    out.write(f'], "polls": {replay.polls}}}\n')
