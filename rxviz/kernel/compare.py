"""The same frames through the model and through this machine's kernel, and where they differ."""

from __future__ import annotations

import gzip
import os
from dataclasses import dataclass
from functools import cache

from rxviz.kernel.oracle import KernelGro, KernelPacket, KernelResult, Setup
from rxviz.kernel.tracing import Layout
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.packet import ETH_HLEN, Checksum, GroPacket
from rxviz.model.gro.trace import Decision
from rxviz.run.gro_kernels import gro_rules
from rxviz.run.gro_layouts import copied_truesize
from rxviz.wire.addresses import ipv4_number

_VIRTIO_TYPES = {"TCPV4": 1, "TCPV6": 4, "UDP_L4": 5}
_VIRTIO_ECN = 0x80
_VIRTIO_CHECKSUM = {Checksum.PARTIAL: 1, Checksum.UNNECESSARY: 2}
_TAGS = (b"\x81\x00", b"\x88\xa8")
_TAGGED = 18
_TAP_PAD = 64
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Row:
    """A delivered packet in the terms that a packet socket knows; lengths and offsets in bytes."""

    frame: bytes
    gso_size: int
    gso_type: int
    checksum: int
    csum_start: int
    csum_offset: int
    truesize: int
    tag: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Both answers to one session. `differences` are sentences, none where they agree."""

    decisions: list[Decision]
    delivered: list[Delivered]
    kernel: KernelResult
    differences: list[str]

    @property
    def ok(self) -> bool:
        """Whether model and kernel agree in all that could be compared."""
        return not self.differences


def version_of(release: str) -> str:
    """Return the version in a kernel's release name: "6.18" of "6.18.44-generic"."""
    return ".".join(release.split("-")[0].split(".")[:2])


@cache
def _has_vlan(release: str) -> bool:
    """Whether this kernel has CONFIG_VLAN_8021Q: a tag in the frame is looked behind only then."""
    try:
        with gzip.open("/proc/config.gz", "rt") as file:
            return any(line.startswith("CONFIG_VLAN_8021Q=") for line in file)
    except OSError:
        return os.path.exists("/proc/net/vlan") or os.path.exists(f"/lib/modules/{release}/kernel/net/8021q")


def model_config(setup: Setup, release: str) -> GroConfig:
    """Return the model's settings for a device of the oracle."""
    local = ipv4_number(setup.address).to_bytes(4, "big") if setup.address else b""
    return GroConfig(
        gro=setup.gro,
        max_size=setup.max_size,
        ipv4_max_size=setup.ipv4_max_size,
        udp_forwarding=setup.udp_forwarding,
        fraglist=setup.fraglist,
        udp_gro_ports=frozenset(setup.udp_gro_ports),
        vxlan_ports=frozenset({4789} if setup.vxlan else ()),
        local=frozenset({local}),
        vlan_8021q=_has_vlan(release),
    )


def tap_packet(number: int, frame: bytes, header: bytes, setup: Setup, layout: Layout | None) -> GroPacket:
    """Return what a tap makes of a written frame; where the kernel said how it lies in memory, that is taken over."""
    partial = bool(header) and header[0] & 1
    gso_size = int.from_bytes(header[4:6], "little") if header and header[1] else 0
    core = gro_rules("6.18")
    heads = core.sk_buff_size + core.shinfo_size
    whole = (len(frame) + _TAP_PAD + 63) // 64 * 64 + core.shinfo_size
    built = setup.layout == "build_skb" and whole <= _PAGE
    truesize = whole + core.sk_buff_size if built else copied_truesize(len(frame) + _TAP_PAD)
    headlen, frags, head_size = len(frame) - ETH_HLEN, 0, truesize - heads
    if layout is not None:
        truesize, frags = layout.truesize, layout.nr_frags
        headlen = layout.len - layout.data_len
        if frags:
            head_size = copied_truesize(headlen + ETH_HLEN + _TAP_PAD) - heads
    start = int.from_bytes(header[6:8], "little") - ETH_HLEN if partial else 0
    if setup.feed == "veth":
        built = False
    if layout is not None and layout.tag:
        frame = frame[:12] + frame[16:]
    return GroPacket(
        number,
        frame,
        truesize=truesize,
        headlen=headlen,
        head_frag=built,
        head_size=head_size,
        nr_frags=frags,
        ip_summed=Checksum.PARTIAL if partial else Checksum.NONE,
        csum_start=start,
        hash=layout.hash if layout is not None else 0,
        tag=layout.tag if layout is not None else 0,
        csum_offset=int.from_bytes(header[8:10], "little") if partial else 0,
        gso_size=gso_size,
        gso_type=tuple(name for name, number in _VIRTIO_TYPES.items() if gso_size and number == header[1]),
        gso_trusted=False,
    )


def model_row(packet: Delivered) -> Row:
    """Return a packet of the model as a packet socket would show it."""
    types = packet.gso_type
    kind = next((number for name, number in _VIRTIO_TYPES.items() if name in types), 0)
    if "TCP_ECN" in types:
        kind |= _VIRTIO_ECN
    partial = packet.ip_summed is Checksum.PARTIAL
    frame, tag = packet.head + packet.body(), packet.tag
    if frame[12:14] in _TAGS and len(frame) >= _TAGGED and not tag:
        # A tag in the frame is taken out behind GRO, before any packet socket sees it (skb_vlan_untag).
        tag = int.from_bytes(frame[12:16], "big")
        frame = frame[:12] + frame[16:]
    return Row(
        frame=frame,
        gso_size=packet.gso_size,
        gso_type=kind,
        checksum=_VIRTIO_CHECKSUM.get(packet.ip_summed, 0),
        csum_start=packet.csum_start if partial else 0,
        csum_offset=packet.csum_offset if partial else 0,
        truesize=packet.truesize,
        tag=tag,
    )


def kernel_row(packet: KernelPacket) -> Row:
    """Return a packet of the kernel in the same terms."""
    return Row(
        packet.frame,
        packet.gso_size,
        packet.gso_type,
        packet.checksum,
        packet.csum_start,
        packet.csum_offset,
        packet.truesize,
        packet.tag,
    )


def compare(kernel: KernelGro, frames: list[bytes], headers: list[bytes] | None = None) -> Comparison:
    """Run one session of at most 63 frames through both."""
    headers = headers or [b""] * len(frames)
    result = kernel.run(frames, headers)
    gro = Gro(gro_rules(version_of(kernel.release)), model_config(kernel.setup, kernel.release))
    layouts = result.layouts if result.layouts and len(result.layouts) == len(frames) else None
    decisions = []
    for number, frame in enumerate(frames):
        layout = layouts[number] if layouts else None
        decisions.append(gro.receive(tap_packet(number, frame, headers[number], kernel.setup, layout)))
    gro.complete_done(len(frames))
    delivered = gro.take()
    return Comparison(decisions, delivered, result, _differences(decisions, delivered, result))


def _differences(decisions: list[Decision], delivered: list[Delivered], kernel: KernelResult) -> list[str]:
    if not kernel.certified:
        return ["the session was never certain to be one poll"]
    found = []
    if kernel.verdicts is not None and len(kernel.verdicts) == len(decisions):
        for decision, verdict in zip(decisions, kernel.verdicts, strict=True):
            if decision.verdict is not verdict:
                found.append(f"frame {decision.frame}: model {decision.verdict.name}, kernel {verdict.name}")
    ours, theirs = list(map(model_row, delivered)), list(map(kernel_row, kernel.delivered))
    if len(ours) != len(theirs):
        found.append(f"packets delivered: model {len(ours)}, kernel {len(theirs)}")
    for place, (mine, its) in enumerate(zip(ours, theirs, strict=False)):
        found += [f"packet {place}: {text}" for text in _row_differences(mine, its)]
    return found


def _row_differences(mine: Row, its: Row) -> list[str]:
    texts = []
    for name in ("gso_size", "gso_type", "checksum", "csum_start", "csum_offset", "truesize", "tag"):
        if getattr(mine, name) != getattr(its, name):
            texts.append(f"{name} model {getattr(mine, name)}, kernel {getattr(its, name)}")
    if mine.frame != its.frame:
        if len(mine.frame) != len(its.frame):
            texts.append(f"length model {len(mine.frame)}, kernel {len(its.frame)}")
        at = next((i for i, (a, b) in enumerate(zip(mine.frame, its.frame, strict=False)) if a != b), -1)
        texts.append(
            f"bytes differ from offset {at}: model {mine.frame[at:][:8].hex()}, kernel {its.frame[at:][:8].hex()}"
        )
    return texts
