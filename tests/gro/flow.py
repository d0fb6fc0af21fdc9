"""Frames of one flow and what GRO makes of them, in few words."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from rxviz.kernel.fields import Ip, Segment, build
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.packet import Checksum, GroPacket
from rxviz.model.gro.rules import RULES
from rxviz.model.gro.trace import Decision
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.gro_layouts import copied_truesize

SIZE = 100
ACK, PSH, FIN, SYN, RST, URG, ECE, CWR, AE = 0x10, 0x08, 0x01, 0x02, 0x04, 0x20, 0x40, 0x80, 0x100


def stamps(value: int = 1, echo: int = 1, order: int = 0) -> bytes:
    """The timestamps option with its two NOPs in one of three places."""
    option = struct.pack("!BBII", 8, 10, value, echo)
    return (b"\1\1" + option, b"\1" + option + b"\1", option + b"\1\1")[order]


def frame(
    n: int = 0, *, kind: str = "tcp4", size: int = SIZE, ip: Mapping[str, Any] | None = None, **fields: Any
) -> bytes:
    """Segment `n` of a flow of `size` bytes each; any field can be set, and those of the (outer) IP header in `ip`."""
    v6 = kind in ("tcp6", "udp6", "ip4ip6", "ip6ip6")
    outer = Ip(v6=v6, addresses=("fdaa::2", "fdaa::1") if v6 else ("192.168.1.200", "192.168.1.100"), ip_id=n)
    inner = Ip(v6=kind in ("sit", "ip6ip6"), ip_id=n)
    inner.addresses = ("fd00::1", "fd00::2") if inner.v6 else ("10.0.0.1", "10.0.0.2")
    for name, value in (ip or {}).items():
        setattr(outer, name, value)
    spec = Segment(kind, outer=outer, inner=inner, seq=1 + n * size, payload=bytes((97 + n % 26,)) * size)
    for name, value in fields.items():
        if name.startswith("inner_"):
            setattr(inner, name.removeprefix("inner_"), value)
        else:
            setattr(spec, name, value)
    return build(spec)


def run_of(count: int, start: int = 0, **fields: Any) -> list[bytes]:
    """`count` segments in order."""
    return [frame(n, **fields) for n in range(start, start + count)]


def sport(number: int) -> bytes:
    """Source port `number`, the usual destination port."""
    return struct.pack("!HH", number, 8000)


@dataclass(frozen=True)
class Played:
    """What came of some frames: a letter for each verdict, and the packets."""

    gro: Gro
    decisions: list[Decision]
    packets: list[Delivered]

    @property
    def letters(self) -> str:
        """H held, F merged (pages moved), M merged (chained), N normal."""
        return "".join("MFHNC"[decision.verdict] for decision in self.decisions)

    @property
    def frames(self) -> list[list[int]]:
        """Which frames each packet is made of, in the order of delivery."""
        return [packet.frames for packet in self.packets]

    @property
    def segs(self) -> list[int]:
        """How many segments each packet has."""
        return [packet.segs for packet in self.packets]

    def why(self, n: int) -> str:
        """The rule behind a frame's verdict."""
        return self.decisions[n].why.rule.name

    @property
    def left(self) -> list[str]:
        """The rule because of which each packet left."""
        return [packet.left.rule.name for packet in self.packets]


def packet(number: int, data: bytes, *, layout: str = "build_skb", **fields: Any) -> GroPacket:
    """A frame from the driver: all in a page (build_skb), in a kmalloc'ed head (copied), payload in a page (legacy)."""
    if layout == "copied":
        fields.setdefault("truesize", copied_truesize(len(data) + 64))
        return GroPacket(number, data, head_frag=False, **fields)
    if layout == "legacy":
        return GroPacket(number, data, truesize=896 + 2048, headlen=40, head_size=320, nr_frags=1, **fields)
    fields.setdefault("truesize", (len(data) + 127) // 64 * 64 + 320 + 256)
    return GroPacket(number, data, **fields)


def play(
    frames: Iterable[bytes | GroPacket],
    *,
    kernel: str = "6.18",
    config: GroConfig | None = None,
    off: tuple[str, ...] = (),
    layout: str = "build_skb",
    keep_passed: bool = True,
    **fields: Any,
) -> Played:
    """Send frames through one poll, and end it."""
    gro = Gro(gro_rules(kernel), config, off=frozenset(RULES[name] for name in off), keep_passed=keep_passed)
    decisions = []
    for number, data in enumerate(frames):
        arriving = data if isinstance(data, GroPacket) else packet(number, data, layout=layout, **fields)
        decisions.append(gro.receive(arriving))
    gro.complete_done(len(decisions))
    return Played(gro, decisions, gro.take())


def verified(data: bytes, number: int = 0) -> GroPacket:
    """A frame whose checksum the card has verified."""
    return packet(number, data, ip_summed=Checksum.UNNECESSARY)
