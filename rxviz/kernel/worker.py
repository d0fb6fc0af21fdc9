"""The process that lives in the namespace: it feeds one poll at a time and says what came out.

Started by `rxviz.kernel.oracle` as `python -m rxviz.kernel.worker`; one JSON object a line each way. It ends when its
standard input does, so that nothing is left behind whatever becomes of its parent.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from typing import Any

from rxviz.kernel import links, syscalls
from rxviz.kernel.errors import reason, refusal
from rxviz.kernel.tracing import Events, Tracing

DEVICE = "rxviz0"
_PEER, _TAP, _BRIDGE = "rxvizp0", "rxvizt0", "rxvizb0"
_ETHTOOL_STSO, _ETHTOOL_SGRO = 0x1F, 0x2C
MAC = bytes.fromhex("aa0000000001")
_MTU = 65521
_NO_HEADER = bytes(10)
_SENTINEL = bytes(10) + MAC + bytes.fromhex("aa00000000ff88b5") + bytes(46)
"""A frame of the ethertype for local experiments: once it is out, all before it is."""
_SENTINEL_TYPE = _SENTINEL[22:24]
_SOL_PACKET, _PACKET_AUXDATA, _PACKET_VNET_HDR, _PACKET_IGNORE_OUTGOING = 263, 8, 15, 23
_SO_RCVBUFFORCE, _SO_MEMINFO, _ETH_P_ALL, _UDP_GRO = 33, 55, 3, 104
_CLOCK_COARSE = 6
"""CLOCK_MONOTONIC_COARSE, which moves with the tick, as jiffies do."""
_TRIES = 20
_UNSEEN = "so no verdicts, no tags beside frames and no frames longer than a page are compared"
_ETH_HLEN, _TAG = 14, 4
_VLAN_VALID, _VLAN_TPID_VALID = 1 << 4, 1 << 6


class Worker:
    """A tap device with GRO, and the sockets around it."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.tracing: Tracing | None = None
        self.sockets: list[socket.socket] = []
        syscalls.new_namespaces()
        _set_quietly("ipv6/conf/default/disable_ipv6", "1")
        self.cpu = max(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {self.cpu})
        self.links = links.Links()
        self.tap = -1
        self.sender: socket.socket | None = None
        self.put = self._open_feed()
        self._set_up_device()
        self.thread = self._start_thread() if options["mode"] != "jiffy" else 0
        self.threaded = self.thread > 0
        if not self.threaded:
            self._hold_over_polls()
        self.receiver = self._open_receiver()
        self._open_sockets()
        self.problem = "" if self.threaded else f"no poll thread of its own can be placed on one CPU, {_UNSEEN}"
        if self.threaded:
            try:
                self.tracing = Tracing(DEVICE, self.thread)
            except OSError as error:
                self.problem = f"the kernel's tracepoints cannot be read ({reason(error)}), {_UNSEEN}"

    # --------------------------------------------------------------------------------------------------------- set up
    def _open_feed(self) -> Callable[[bytes], int]:
        """Make the devices that lead to GRO; return how a frame is written."""
        feed, blocking = self.options["feed"], self.options["layout"] != "build_skb"
        if feed == "tap":
            self.tap = links.open_tap(DEVICE, blocking)
            return self._write_tap
        mtu = links.attribute(links.IFLA_MTU, struct.pack("I", _MTU))
        self.links.add_veth(_PEER, DEVICE)
        self.links.set(_PEER, mtu)
        # Only what a peer without segmentation offload sends goes through the other end's GRO.
        self.links.switch(_PEER, _ETHTOOL_STSO, False)
        self.links.switch(DEVICE, _ETHTOOL_SGRO, True)
        if feed == "bridge":
            self.tap = links.open_tap(_TAP, blocking, napi=False)
            self.links.set(_TAP, mtu)
            self.links.add_bridge(_BRIDGE, _TAP, _PEER)
            # Netfilter's part of a bridge would trim and drop what is malformed.
            for name in ("bridge-nf-call-iptables", "bridge-nf-call-ip6tables"):
                _set_quietly(f"bridge/{name}", "0")
            return self._write_tap
        self.links.set(_PEER, up=True)
        self.sender = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self.sender.setsockopt(_SOL_PACKET, _PACKET_VNET_HDR, 1)
        self.sender.bind((_PEER, 0))
        return self.sender.send

    def _write_tap(self, blob: bytes) -> int:
        return os.write(self.tap, blob)

    def _set_up_device(self) -> None:
        options = self.options
        attributes = links.attribute(links.IFLA_ADDRESS, MAC) + links.attribute(links.IFLA_MTU, struct.pack("I", _MTU))
        for name, kind in (("max_size", links.IFLA_GRO_MAX_SIZE), ("ipv4_max_size", links.IFLA_GRO_IPV4_MAX_SIZE)):
            if options[name] != 65536:
                attributes += links.attribute(kind, struct.pack("I", options[name]))
        self.links.set(DEVICE, attributes)
        for feature, on in options["features"].items():
            self.links.feature(DEVICE, feature, on)
        if options["address"]:
            self.links.address(DEVICE, options["address"])
        self.links.set(DEVICE, up=True)

    @staticmethod
    def _sysfs(name: str, value: int) -> None:
        with open(f"/sys/class/net/{DEVICE}/{name}", "w") as file:
            file.write(str(value))

    def _start_thread(self) -> int:
        """Let the polls run in a thread on this process's CPU, so that it cannot run while this process does.

        Returns the thread, or 0 where it may not be placed and no mode was wished for.
        """
        self._sysfs("threaded", 1)
        thread = _find_thread(f"napi/{DEVICE}-")
        try:
            os.sched_setaffinity(thread, {self.cpu})
            if not _try_real_time():
                os.sched_setscheduler(thread, os.SCHED_IDLE, os.sched_param(0))
            else:
                _real_time(False)
        except PermissionError:
            if self.options["mode"]:
                raise
            self._sysfs("threaded", 0)
            return 0
        return thread

    def _hold_over_polls(self) -> None:
        """Let packets outlive polls until the tick changes."""
        self._sysfs("gro_flush_timeout", 20_000_000)
        self._sysfs("napi_defer_hard_irqs", 100)

    def _open_receiver(self) -> socket.socket:
        receiver = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        for option in (_PACKET_VNET_HDR, _PACKET_AUXDATA, _PACKET_IGNORE_OUTGOING):
            receiver.setsockopt(_SOL_PACKET, option, 1)
        try:
            receiver.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, 64 << 20)
        except PermissionError:
            receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 << 20)
        receiver.bind((DEVICE, _ETH_P_ALL))
        receiver.setblocking(False)
        return receiver

    def _open_sockets(self) -> None:
        options = self.options
        if options["vxlan"]:
            self.links.add_vxlan("rxvizvx0", options["vxlan"], options["address"], 4789)
        for port in options["udp_gro_ports"]:
            listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            listener.setsockopt(socket.IPPROTO_UDP, _UDP_GRO, 1)
            listener.bind((options["address"], port))
            self.sockets.append(listener)

    def close(self) -> None:
        """Remove what outlives the namespace; all else goes with it."""
        if self.tracing is not None:
            self.tracing.close()

    # -------------------------------------------------------------------------------------------------------- sessions
    def run(self, frames: list[bytes], headers: list[bytes]) -> dict[str, Any]:
        """Feed all frames to one poll, again until it is certain that it was one, and return what came out."""
        blobs = [header + frame for header, frame in zip(headers, frames, strict=True)]
        sources = {frame[6:12] for frame in frames}
        answer: dict[str, Any] = {}
        for attempt in range(1, _TRIES + 1):
            self._drain([], sources)
            if self.tracing is not None:
                self.tracing.read()
            undisturbed = self._write(blobs)
            packets = self._collect(sources)
            events = self.tracing.read() if self.tracing is not None else None
            one_poll = events is None or _is_one_poll(events, frames)
            answer = {"attempts": attempt, "certified": undisturbed and one_poll, "delivered": packets}
            _add_events(answer, events, len(frames))
            if answer["certified"]:
                break
        return answer

    def _write(self, blobs: list[bytes]) -> bool:
        """Write every frame; say whether nothing came between them: no other task, or no tick."""
        put = self.put
        if not self.threaded:
            tick = time.clock_gettime_ns(_CLOCK_COARSE)
            while time.clock_gettime_ns(_CLOCK_COARSE) == tick:
                pass
        real_time = self.threaded and _try_real_time()
        try:
            tick = time.clock_gettime_ns(_CLOCK_COARSE)
            before = resource.getrusage(resource.RUSAGE_THREAD)
            for blob in blobs:
                put(blob)
            after = resource.getrusage(resource.RUSAGE_THREAD)
            same_tick = tick == time.clock_gettime_ns(_CLOCK_COARSE)
        finally:
            if real_time:
                _real_time(False)
        if not self.threaded:
            time.sleep(0.06)  # the flush timer's 20 ms, three times
            return same_tick
        return (before.ru_nvcsw, before.ru_nivcsw) == (after.ru_nvcsw, after.ru_nivcsw)

    def _collect(self, sources: set[bytes]) -> list[list[Any]]:
        packets: list[list[Any]] = []
        waiter = select.poll()
        waiter.register(self.receiver, select.POLLIN)
        waiter.poll(1000)  # sleeping is what lets the poll thread run
        seen = self._drain(packets, sources)
        self.put(_SENTINEL)
        deadline = time.monotonic() + 2
        while not seen and time.monotonic() < deadline:
            waiter.poll(100)
            seen = self._drain(packets, sources)
        return packets

    def _charged(self) -> int:
        return int(struct.unpack_from("I", self.receiver.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, 4))[0])

    def _drain(self, packets: list[list[Any]], sources: set[bytes]) -> bool:
        """Take all that is queued; say whether the sentinel was there. A packet's truesize is what it was charged."""
        sentinel = False
        while True:
            before = self._charged()
            try:
                data, ancillary, _, _ = self.receiver.recvmsg(1 << 20, 256)
            except BlockingIOError:
                return sentinel
            truesize = before - self._charged()
            if data[22:24] == _SENTINEL_TYPE:
                sentinel = True
            elif data[16:22] in sources:
                packets.append([data[:10].hex(), data[10:].hex(), truesize, _tag(ancillary)])


def _set_quietly(name: str, value: str) -> None:
    """Set a network setting of this namespace where the kernel has it."""
    try:
        with open(f"/proc/sys/net/{name}", "w") as file:
            file.write(value)
    except OSError:
        return


def _tag(ancillary: list[tuple[int, int, bytes]]) -> int:
    for level, kind, value in ancillary:
        if (level, kind) == (_SOL_PACKET, _PACKET_AUXDATA):
            status, _, _, _, _, tci, tpid = struct.unpack_from("IIIHHHH", value)
            if status & _VLAN_VALID:
                return int((tpid if status & _VLAN_TPID_VALID else 0x8100) << 16 | tci)
    return 0


def _is_one_poll(events: Events, frames: list[bytes]) -> bool:
    """Say whether one poll took all these frames and nothing else; a tag may have been taken out of each."""
    lengths = [layout.len + (_TAG if layout.tag else 0) for layout in events.layouts[: len(frames)]]
    return events.polls[:1] == [len(frames)] and lengths == [len(frame) - _ETH_HLEN for frame in frames]


def _add_events(answer: dict[str, Any], events: Events | None, count: int) -> None:
    if events is not None:
        answer["polls"] = events.polls
        answer["layouts"] = events.layouts[:count]
        answer["verdicts"] = events.verdicts[:count]


def _find_thread(prefix: str) -> int:
    for _ in range(400):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/comm") as file:
                    if file.read().startswith(prefix[:15]):
                        return int(pid)
            except OSError:
                continue
        time.sleep(0.005)
    raise OSError(f"no poll thread {prefix} appeared")


def _real_time(on: bool) -> None:
    """Under SCHED_FIFO the poll thread, once woken, cannot push this process off the CPU."""
    os.sched_setscheduler(0, os.SCHED_FIFO if on else os.SCHED_OTHER, os.sched_param(10 if on else 0))


def _try_real_time() -> bool:
    try:
        _real_time(True)
    except OSError:
        return False
    return True


def _serve(worker: Worker) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        frames = [bytes.fromhex(text) for text in request["frames"]]
        headers = [bytes.fromhex(text) if text else _NO_HEADER for text in request["headers"]]
        _say(worker.run(frames, headers))


def _say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def main() -> int:
    """Read the options, set up, then answer until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        options = sys.stdin.readline()
        return _live(json.loads(options)) if options else 0
    except BrokenPipeError:
        # Nobody is left to hear the answer. Nor may the interpreter, as it ends, try to write what it still holds.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _live(options: dict[str, Any]) -> int:
    try:
        worker = Worker(options)
    except OSError as error:
        _say({"error": refusal(error)})
        return 1
    try:
        _say({"mode": "threaded" if worker.threaded else "jiffy", "problem": worker.problem})
        _serve(worker)
    finally:
        worker.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
