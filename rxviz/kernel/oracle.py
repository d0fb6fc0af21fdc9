"""Ask this machine's kernel what its GRO makes of some frames.

A tap device in a network namespace of its own takes frames as a driver's NAPI poll would hand them over. Its polls run
in a kernel thread pinned to the CPU of the writer, so that all frames written before the writer sleeps are one poll;
that they were is certified for each session (no task switch between the first and the last write, one poll of the right
size in the trace) and not taken on trust. Where a thread cannot be pinned, frames are held over the polls of one tick
instead, and there are no verdicts. Both need root: a user namespace may make the device, but the kernel lets only the
machine's administrator set `gro_flush_timeout` or place its threads.
"""

from __future__ import annotations

import json
import os
import platform
import struct
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from rxviz.kernel.errors import KernelError
from rxviz.kernel.tracing import Layout
from rxviz.model.gro.trace import Verdict

MAX_SESSION = 63
"""Frames of one session: a poll that uses its whole budget of 64 flushes early."""
LAYOUTS = ("build_skb", "copied")
_ENDED = "the helper in the network namespace ended without an answer; try again, and report it if it ends again"


@dataclass(frozen=True, slots=True)
class Setup:
    """How the device and its host are set up; the same words as `rxviz.model.gro.kernel.GroConfig` has.

    `feed` is how frames get to the device: "tap" writes them to its own queue; "veth" sends them through a pair of
    devices, so that they have a hash (a flow whose hash picks the second queue goes round GRO); "bridge" leads from a
    tap through a bridge to such a pair, so that a VLAN tag arrives beside the frame as from a card. `vxlan` is the
    network id of a tunnel that ends here, 0 for none; of frames with that id the tunnel may change ECN bits behind GRO.
    """

    layout: str = "build_skb"
    feed: str = "tap"
    max_size: int = 65536
    ipv4_max_size: int = 65536
    address: str = ""
    vxlan: int = 0
    udp_gro_ports: tuple[int, ...] = ()
    udp_forwarding: bool = False
    fraglist: bool = False
    gro: bool = True

    def features(self) -> dict[str, bool]:
        """Return the device features to switch, by their ethtool names."""
        wanted = {"rx-udp-gro-forwarding": self.udp_forwarding, "rx-gro-list": self.fraglist, "rx-gro": not self.gro}
        return {name: name != "rx-gro" for name, differs in wanted.items() if differs}


@dataclass(frozen=True, slots=True)
class KernelPacket:
    """A packet as the kernel's stack got it: its bytes from the MAC header on, and what a packet socket tells of it.

    `checksum` is 1 for PARTIAL, 2 for UNNECESSARY, 0 for all else (virtio's flags); `gso_type` is virtio's number.
    """

    frame: bytes
    checksum: int
    gso_type: int
    linear: int
    gso_size: int
    csum_start: int
    csum_offset: int
    truesize: int
    tag: int


@dataclass(frozen=True, slots=True)
class KernelResult:
    """What one session came to. `layouts` and `verdicts` are None where there were no tracepoints."""

    certified: bool
    attempts: int
    delivered: list[KernelPacket]
    layouts: list[Layout] | None
    verdicts: list[Verdict] | None


def needs_checksum(start: int, offset: int) -> bytes:
    """Return the header that makes a frame's checksum PARTIAL; both numbers count from the MAC header."""
    return bytes((1, 0)) + bytes(4) + start.to_bytes(2, "little") + offset.to_bytes(2, "little")


def already_merged(gso_type: int, headers: int, gso_size: int, start: int, offset: int) -> bytes:
    """Return the header of a frame that is many segments in one; GRO does not trust a program to say so."""
    return struct.pack("<BBHHHH", 1, gso_type, headers, gso_size, start, offset)


def header_in_head(length: int) -> bytes:
    """Return the header that leaves `length` bytes in the head and puts the rest of a long frame in fragments."""
    return bytes(2) + length.to_bytes(2, "little") + bytes(6)


class KernelGro:
    """A device with GRO, as a context manager. Raises KernelError, with what is missing, where there can be none."""

    def __init__(self, setup: Setup | None = None, *, mode: str = "") -> None:
        self.setup = setup or Setup()
        self.mode = mode
        """"threaded" or "jiffy"; which one it is, once the kernel was asked, where neither was wished for."""
        self.release = platform.release()
        self.problem = ""
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> KernelGro:
        if sys.platform != "linux":
            raise KernelError("only a Linux kernel can be asked what its GRO does; this is " + sys.platform)
        if not os.path.exists("/dev/net/tun"):
            raise KernelError("there is no /dev/net/tun, and without a tap device no frames can be fed (modprobe tun)")
        place = str(Path(__file__).resolve().parents[2])
        path = os.pathsep.join(filter(None, (place, os.environ.get("PYTHONPATH", ""))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rxviz.kernel.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        try:
            answer = self._ask(self._options())
        except BaseException:
            # An interrupt too: who has not come in does not go out either, so nobody else would end the helper.
            self._stop()
            raise
        self.problem, self.mode = str(answer["problem"]), str(answer["mode"])
        return self

    @property
    def tells_layouts(self) -> bool:
        """Whether the kernel says how each frame lay in memory as it came to GRO, with its hash and tag."""
        return not self.problem

    def _options(self) -> dict[str, Any]:
        setup = self.setup
        return {
            "mode": self.mode,
            "layout": setup.layout,
            "feed": setup.feed,
            "max_size": setup.max_size,
            "ipv4_max_size": setup.ipv4_max_size,
            "address": setup.address,
            "vxlan": setup.vxlan,
            "udp_gro_ports": list(setup.udp_gro_ports),
            "features": setup.features(),
        }

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise KernelError("the kernel can only be asked inside a with statement")
        try:
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise KernelError(_ENDED) from None
        line = process.stdout.readline()
        if not line.endswith("\n"):
            raise KernelError(_ENDED)
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise KernelError(answer["error"])
        return answer

    def run(self, frames: list[bytes], headers: list[bytes] | None = None) -> KernelResult:
        """Feed frames, at most 63, as one poll; `headers` are virtio headers, empty for none."""
        if not 0 < len(frames) <= MAX_SESSION:
            raise ValueError(f"a session has 1 to {MAX_SESSION} frames, not {len(frames)}")
        hexed = [header.hex() for header in headers] if headers else [""] * len(frames)
        answer = self._ask({"frames": [frame.hex() for frame in frames], "headers": hexed})
        layouts, verdicts = answer.get("layouts"), answer.get("verdicts")
        return KernelResult(
            certified=answer["certified"],
            attempts=answer["attempts"],
            delivered=[_packet(*entry) for entry in answer["delivered"]],
            layouts=None if layouts is None else [Layout(*entry) for entry in layouts],
            verdicts=None if verdicts is None else [Verdict(number) for number in verdicts],
        )

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stop()


def _packet(header: str, frame: str, truesize: int, tag: int) -> KernelPacket:
    head = bytes.fromhex(header)
    linear, gso_size, start, offset = struct.unpack_from("<4H", head, 2)
    return KernelPacket(bytes.fromhex(frame), head[0], head[1], linear, gso_size, start, offset, truesize, tag)
