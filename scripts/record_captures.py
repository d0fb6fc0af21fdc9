#!/usr/bin/env python3
"""Record the captures in `assets/captures`: real Linux traffic between two network namespaces.

    sudo python3 scripts/record_captures.py --out assets/captures [NAME …]

Linux and root only; needs `ip` and `ethtool`, and nothing beyond the standard library. Each capture gets two
fresh namespaces. They are anonymous: without a name or a mount only this process holds them, so the kernel
removes them and all that is in them however the process ends, killed included.

What is recorded is what arrives: the incoming frames at the receiver's end of a veth pair, as an Ethernet NIC
there would have received them. The offloads are off at both ends, so no frame is larger than the wire allows
and every checksum is in place.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gzip
import hashlib
import http.server
import itertools
import json
import os
import random
import select
import shutil
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

CLONE_NEWNET = 0x40000000
THREAD_NAMESPACE = "/proc/thread-self/ns/net"
ETH_P_ALL, ETH_P_8021Q = 0x0003, 0x8100
SOL_PACKET, PACKET_STATISTICS, PACKET_AUXDATA, PACKET_IGNORE_OUTGOING = 263, 6, 8, 23
TP_STATUS_CSUMNOTREADY, TP_STATUS_VLAN_VALID = 1 << 3, 1 << 4
# The 64-bit form (Linux 5.1): two 64-bit numbers on every machine.
SO_TIMESTAMPNS_NEW = 64
TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 0x0002, 0x1000

OFFLOADS = ("tso", "gso", "gro", "lro", "tx", "rx", "sg", "rxvlan", "txvlan")
LINK = "wire"
SENDER, RECEIVER = "198.51.100.1", "198.51.100.2"
SENDER6, RECEIVER6 = "2001:db8::1", "2001:db8::2"
SENDER_MAC, RECEIVER_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
CLIENT_PORT, SERVER_PORT = 40000, 5001
PATIENCE_S = 20.0
README_MARKS = ("<!-- facts: written by the script -->", "<!-- end of facts -->")


class LabError(Exception):
    """A capture cannot be made; the message is the one sentence a person reads."""


def run(*words: str) -> str:
    """Run a tool in this thread's namespace and return what it printed; LabError when it fails."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise LabError(f"`{' '.join(words)}` failed: {reason[0]}.")
    return done.stdout


# --- namespaces and links ---


class Namespace:
    """A network namespace that lives as long as this object's file descriptor and the sockets made in it."""

    def __init__(self) -> None:
        self._libc = ctypes.CDLL(None, use_errno=True)
        before = os.open(THREAD_NAMESPACE, os.O_RDONLY)
        try:
            if self._libc.unshare(CLONE_NEWNET):
                reason = os.strerror(ctypes.get_errno())
                raise LabError(f"the kernel gives no network namespace ({reason}); run where it may be made.")
            self._fd = os.open(THREAD_NAMESPACE, os.O_RDONLY)
            self._enter(before)
        finally:
            os.close(before)

    def _enter(self, fd: int) -> None:
        if self._libc.setns(fd, CLONE_NEWNET):
            raise LabError(f"cannot change the network namespace: {os.strerror(ctypes.get_errno())}.")

    @property
    def path(self) -> str:
        """A path by which `ip` finds this namespace."""
        return f"/proc/{os.getpid()}/fd/{self._fd}"

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Put this thread into the namespace: sockets and tools started there belong to it.

        Nested uses go back to the one around them, never past it to the machine's own.
        """
        before = os.open(THREAD_NAMESPACE, os.O_RDONLY)
        try:
            self._enter(self._fd)
            try:
                yield
            finally:
                self._enter(before)
        finally:
            os.close(before)

    def close(self) -> None:
        """Let go of the namespace."""
        os.close(self._fd)


def set_sysctl(name: str, value: str) -> None:
    """Set one `net.` sysctl of this thread's namespace; a kernel without it has nothing to set."""
    with contextlib.suppress(FileNotFoundError):
        Path("/proc/sys/net", name).write_text(value, encoding="ascii")


def offloads_off(device: str) -> None:
    """Switch off all that could hide the frames of the wire."""
    run("ethtool", "-K", device, *itertools.chain.from_iterable((name, "off") for name in OFFLOADS))


def open_tap(name: str, mac: str) -> int:
    """Make a TAP device in this thread's namespace; it goes when the returned descriptor is closed."""
    import fcntl  # not on every system; without it the script must still be able to say so

    try:
        fd = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode("ascii"), IFF_TAP | IFF_NO_PI))
    except OSError as error:
        raise LabError(f"cannot make a TAP device ({error.strerror}); this capture needs /dev/net/tun.") from error
    run("ip", "link", "set", name, "address", mac)
    offloads_off(name)
    return fd


@dataclass
class End:
    """One end of the wire: its namespace, its addresses, and those of the other end."""

    space: Namespace
    mac: str
    peer_mac: str
    host: int
    """The last number of every address here: 1 the sender, 2 the receiver."""

    def address(self, device: str, prefix: str, peer: str, *, length: int) -> None:
        """Bring a device up with an address, and tell it its neighbour so that no ARP or ND is in the way."""
        run(
            "ip",
            "address",
            "add",
            f"{prefix}{self.host}/{length}",
            "dev",
            device,
            *(["nodad"] * (":" in prefix)),
        )
        run("ip", "link", "set", device, "up")
        run("ip", "neighbour", "replace", peer, "lladdr", self.peer_mac, "dev", device, "nud", "permanent")


class Lab:
    """Two fresh namespaces joined by a veth pair whose two ends are both called `wire`."""

    def __init__(self, mtu: int, *, ipv6: bool) -> None:
        self.stack = contextlib.ExitStack()
        try:
            self.sender = End(self._space(ipv6), SENDER_MAC, RECEIVER_MAC, 1)
            self.receiver = End(self._space(ipv6), RECEIVER_MAC, SENDER_MAC, 2)
            with self.sender.space.inside():
                far = self.receiver.space.path
                near = ("ip", "link", "add", LINK, "address", SENDER_MAC, "mtu", str(mtu), "type", "veth")
                run(*near, "peer", "name", LINK, "address", RECEIVER_MAC, "mtu", str(mtu), "netns", far)
            for end in self.ends:
                with end.space.inside():
                    offloads_off(LINK)
        except BaseException:
            self.stack.close()
            raise

    @property
    def ends(self) -> tuple[End, End]:
        """Both ends, the sender's first."""
        return self.sender, self.receiver

    def _space(self, ipv6: bool) -> Namespace:
        space = Namespace()
        self.stack.callback(space.close)
        with space.inside():
            for where in ("all", "default"):
                set_sysctl(f"ipv6/conf/{where}/disable_ipv6", "0" if ipv6 else "1")
                set_sysctl(f"ipv6/conf/{where}/use_tempaddr", "0")
        return space

    def plain_ipv4(self) -> None:
        """Address both ends for IPv4 and bring the wire up."""
        for end, peer in zip(self.ends, (RECEIVER, SENDER), strict=True):
            with end.space.inside():
                end.address(LINK, "198.51.100.", peer, length=24)


# --- recording ---


@dataclass(frozen=True)
class Frame:
    """A frame as it was on the wire, without FCS, and when it came (nanoseconds since 1970)."""

    stamp_ns: int
    data: bytes


def packet_socket(device: str) -> socket.socket:
    """Open a raw socket on a device of this thread's namespace that sees its incoming frames only."""
    raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    raw.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    raw.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    raw.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS_NEW, 1)
    # SO_RCVBUFFORCE: a whole capture waits in the socket, so that reading it never disturbs the traffic.
    raw.setsockopt(socket.SOL_SOCKET, 33, 256 << 20)
    raw.bind((device, ETH_P_ALL))
    return raw


def read_frame(raw: socket.socket, flags: int = 0) -> Frame:
    """Read one frame, and put back the VLAN tag that the kernel takes out before any socket sees it."""
    data, extra, _, _ = raw.recvmsg(1 << 16, 256, flags)
    stamp = 0
    for level, kind, value in extra:
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS_NEW):
            seconds, nanoseconds = struct.unpack("=qq", value[:16])
            stamp = seconds * 1_000_000_000 + nanoseconds
        elif (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, tci, tpid = struct.unpack("=I12xHH", value[:20])
            if status & TP_STATUS_CSUMNOTREADY:
                raise LabError("a frame came without its checksum: checksum offload is still on.")
            if status & TP_STATUS_VLAN_VALID:
                data = data[:12] + struct.pack("!HH", tpid, tci) + data[12:]
    return Frame(stamp, data)


def drain(raw: socket.socket) -> list[Frame]:
    """Return every frame that waits in the socket; LabError when the kernel had to drop one."""
    frames = []
    with contextlib.suppress(BlockingIOError):
        while True:
            frames.append(read_frame(raw, socket.MSG_DONTWAIT))
    _, drops = struct.unpack("=II", raw.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))
    if drops:
        raise LabError(f"the recording socket dropped {drops} frames; run again on a less busy machine.")
    return frames


# --- traffic ---


def letters(size: int, chunk: int) -> bytes:
    """Return `size` bytes in which every chunk names itself: `[chunk 00007] HHHH…`.

    With `chunk` the bytes of a full segment, segment n carries chunk n, readable in any hex dump.
    """
    parts = []
    for number in range(-(-size // chunk)):
        parts.append(f"[chunk {number:05d}] ".encode("ascii").ljust(chunk, b"%c" % (65 + number % 26)))
    return b"".join(parts)[:size]


def steady(tcp: socket.socket) -> None:
    """Choose CUBIC, so that this machine's own choice does not show in the frames."""
    tcp.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")


def tcp_transfer(
    lab: Lab,
    hosts: tuple[str, str],
    payload: bytes,
    piece: int = 1 << 30,
    between: Callable[[], None] | None = None,
) -> None:
    """Send bytes over one TCP connection from the sender to the receiver, to the end of the stream.

    `piece` bytes at a time, with `between` called after each.
    """
    near, far = hosts
    family = socket.AF_INET6 if ":" in far else socket.AF_INET
    with contextlib.ExitStack() as stack:
        with lab.receiver.space.inside():
            listener = stack.enter_context(socket.create_server((far, SERVER_PORT), family=family))
        with lab.sender.space.inside():
            client = stack.enter_context(socket.socket(family))
        for one in (listener, client):
            one.settimeout(PATIENCE_S)
            steady(one)
        counted: list[int] = []
        sink = threading.Thread(target=_swallow, args=(listener, counted), daemon=True)
        sink.start()
        client.bind((near, CLIENT_PORT))
        client.connect((far, SERVER_PORT))
        for start in range(0, len(payload), piece):
            client.sendall(payload[start : start + piece])
            if between:
                between()
        client.shutdown(socket.SHUT_WR)
        client.recv(1)
        sink.join(PATIENCE_S)
        if counted != [len(payload)]:
            raise LabError(f"a TCP transfer of {len(payload)} bytes did not arrive whole.")


def _swallow(listener: socket.socket, counted: list[int]) -> None:
    with contextlib.suppress(OSError):
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(PATIENCE_S)
            total = 0
            while part := connection.recv(1 << 20):
                total += len(part)
            counted.append(total)


def udp_burst(lab: Lab, hosts: tuple[str, str], count: int) -> None:
    """Send datagrams of 64 bytes one straight after another to a bound socket."""
    near, far = hosts
    with contextlib.ExitStack() as stack:
        with lab.receiver.space.inside():
            sink = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        with lab.sender.space.inside():
            source = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sink.bind((far, SERVER_PORT))
        source.bind((near, CLIENT_PORT))
        source.connect((far, SERVER_PORT))
        for number in range(count):
            source.send(f"[datagram {number:05d}] ".encode("ascii").ljust(64, b"%c" % (65 + number % 26)))


def ones_complement(data: bytes) -> int:
    """Return the Internet checksum (RFC 1071) of bytes of even length."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ping(end: End, target: str, count: int) -> None:
    """Send echo requests of 56 bytes and wait for each reply."""
    v6 = ":" in target
    body = b"abcdefghijklmnopqrstuvwxyz" * 2 + b"0123"
    with end.space.inside():
        family, protocol = (socket.AF_INET6, 58) if v6 else (socket.AF_INET, 1)
        raw = socket.socket(family, socket.SOCK_RAW, protocol)
    wanted = 129 if v6 else 0
    with raw:
        raw.settimeout(PATIENCE_S)
        for number in range(1, count + 1):
            head = struct.pack("!BBHHH", 128 if v6 else 8, 0, 0, 42, number)
            if not v6:
                head = struct.pack("!BBHHH", 8, 0, ones_complement(head + body), 42, number)
            raw.sendto(head + body, (target, 0))
            # A raw IPv4 socket hands over the IP header too; both see what else ICMP brings.
            while (answer := raw.recv(2048)[0 if v6 else 20 :])[0] != wanted or answer[6:8] != head[6:8]:
                pass
            time.sleep(0.05)


def look_up(lab: Lab, name: str, answer: bytes) -> None:
    """Ask the sender's end a DNS question from the receiver's, and have it answered with one record."""
    labels = b"".join(bytes([len(part)]) + part.encode("ascii") for part in name.split(".")) + b"\0"
    kind = 1 if len(answer) == 4 else 28
    question = labels + struct.pack("!HH", kind, 1)
    with contextlib.ExitStack() as stack:
        with lab.sender.space.inside():
            server = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        with lab.receiver.space.inside():
            client = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        for one in (server, client):
            one.settimeout(PATIENCE_S)
        server.bind((SENDER, 53))
        client.bind((RECEIVER, CLIENT_PORT + kind))
        client.sendto(struct.pack("!6H", kind, 0x0100, 1, 0, 0, 0) + question, (SENDER, 53))
        _, asker = server.recvfrom(512)
        record = struct.pack("!HHHIH", 0xC00C, kind, 1, 300, len(answer)) + answer
        server.sendto(struct.pack("!6H", kind, 0x8580, 1, 1, 0, 0) + question + record, asker)
        client.recv(512)


class _Page(http.server.BaseHTTPRequestHandler):
    """Answers with one page and without the headers that tell of this machine."""

    def do_GET(self) -> None:
        body = letters(20_000, 1448)
        self.send_response_only(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: the script's own lines are the only output."""


def fetch_page(lab: Lab) -> None:
    """Have the receiver's end fetch a page of 20,000 bytes from the sender's."""
    with lab.sender.space.inside():
        server = socketserver.TCPServer((SENDER, 80), _Page)
    steady(server.socket)
    with lab.receiver.space.inside():
        client = socket.create_connection((SENDER, 80), PATIENCE_S, source_address=(RECEIVER, CLIENT_PORT))
    with server, client:
        answer = threading.Thread(target=server.handle_request, daemon=True)
        answer.start()
        client.sendall(b"GET /letters.txt HTTP/1.0\r\nHost: www.example.org\r\n\r\n")
        while client.recv(1 << 16):
            pass
        answer.join(PATIENCE_S)


# --- what a switch would do, in this process ---


@dataclass
class Impairment:
    """Drops and holds back full-size frames by a seeded throw of the dice for each."""

    seed: int
    loss: float
    late: float
    full: int = 1514
    dropped: int = 0
    delayed: int = 0
    _held: list[tuple[int, bytes]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._dice = random.Random(self.seed)

    def __call__(self, frame: bytes) -> list[bytes]:
        """Return the frames that leave now that this one has come."""
        out = []
        if len(frame) < self.full:
            out.append(frame)
        elif (throw := self._dice.random()) < self.loss:
            self.dropped += 1
        elif throw < self.loss + self.late:
            self.delayed += 1
            self._held.append((self._dice.randint(1, 6), frame))
            return []
        else:
            out.append(frame)
        waiting = [(left - 1, held) for left, held in self._held]
        self._held = [one for one in waiting if one[0] > 0]
        return out + [held for left, held in waiting if left <= 0]

    def release(self) -> list[bytes]:
        """Return all that is held, as nothing more comes that it could be late for."""
        out, self._held = [held for _, held in self._held], []
        return out


class Patch:
    """Joins TAP devices to the wire of one end: the port of a switch, which tags frames on their way out."""

    def __init__(self, end: End, impairment: Impairment | None = None) -> None:
        self._impairment = impairment
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._taps: dict[int, int] = {}
        self._stop, self._stopper = os.pipe()
        with end.space.inside():
            self._wire = packet_socket(LINK)
            # Frames for a TAP's own address are not for the veth device: it must take them all the same.
            run("ip", "link", "set", LINK, "promisc", "on")

    def add(self, name: str, mac: str, tci: int) -> None:
        """Make a TAP device in this thread's namespace; its frames carry this tag on the wire (0: none)."""
        self._taps[tci] = open_tap(name, mac)

    def start(self) -> None:
        """Begin to move frames both ways; no TAP device can be added any more."""
        self._thread.start()

    def _work(self) -> None:
        try:
            self._move()
        except OSError as error:
            self._failure = error

    def _move(self) -> None:
        tags = {fd: tci for tci, fd in self._taps.items()}
        wire = self._wire.fileno()
        while True:
            ready = select.select([self._stop, wire, *tags], [], [], 0.002)[0]
            if not ready and self._impairment:
                self._send(self._impairment.release())
            for source in ready:
                if source == self._stop:
                    return
                if source == wire:
                    self._deliver(read_frame(self._wire).data)
                else:
                    frame = self._tagged(os.read(source, 1 << 16), tags[source])
                    self._send(self._impairment(frame) if self._impairment else [frame])

    @staticmethod
    def _tagged(frame: bytes, tci: int) -> bytes:
        return frame[:12] + struct.pack("!HH", ETH_P_8021Q, tci) + frame[12:] if tci else frame

    def _send(self, frames: list[bytes]) -> None:
        for frame in frames:
            self._wire.send(frame)

    def _deliver(self, frame: bytes) -> None:
        tpid, tci = struct.unpack_from("!HH", frame, 12)
        tagged = tpid == ETH_P_8021Q
        fd = self._taps.get(tci if tagged else 0)
        if fd is not None:
            os.write(fd, frame[:12] + frame[16:] if tagged else frame)

    def close(self) -> None:
        """Stop, and take the TAP devices away."""
        os.write(self._stopper, b"x")
        if self._thread.is_alive():
            self._thread.join(PATIENCE_S)
        self._wire.close()
        for fd in (*self._taps.values(), self._stop, self._stopper):
            os.close(fd)
        if self._failure:
            raise LabError(f"a frame could not be moved between TAP and wire: {self._failure}.")


# --- the scenes ---


def record(lab: Lab) -> socket.socket:
    """Start to record what arrives at the receiver's end of the wire."""
    with lab.receiver.space.inside():
        raw = packet_socket(LINK)
    lab.stack.callback(raw.close)
    return raw


def play_tcp_bulk(lab: Lab) -> tuple[list[Frame], str]:
    """One TCP connection over the plain wire."""
    lab.plain_ipv4()
    raw = record(lab)
    tcp_transfer(lab, (SENDER, RECEIVER), letters(4_000_000, 1448))
    return drain(raw), ""


def play_udp_64(lab: Lab) -> tuple[list[Frame], str]:
    """Datagrams back to back."""
    lab.plain_ipv4()
    raw = record(lab)
    udp_burst(lab, (SENDER, RECEIVER), 2000)
    return drain(raw), ""


def play_vxlan(lab: Lab) -> tuple[list[Frame], str]:
    """The same as tcp-bulk, inside a VXLAN tunnel between the kernel's own VXLAN devices."""
    lab.plain_ipv4()
    for end, outer, peer in zip(lab.ends, (SENDER, RECEIVER), (RECEIVER, SENDER), strict=True):
        with end.space.inside():
            tunnel = (
                "type",
                "vxlan",
                "id",
                "42",
                "dstport",
                "4789",
                "udpcsum",
                "local",
                outer,
                "remote",
                peer,
            )
            mac = f"02:00:00:00:42:0{end.host}"
            # One source port instead of a hash of the inner flow, whose key differs on every boot.
            run(
                "ip",
                "link",
                "add",
                "tunnel",
                "address",
                mac,
                *tunnel,
                "dev",
                LINK,
                "srcport",
                "50000",
                "50001",
            )
            offloads_off("tunnel")
            run("ip", "link", "set", "tunnel", "mtu", "1450")
            inner = End(end.space, mac, f"02:00:00:00:42:0{3 - end.host}", end.host)
            inner.address("tunnel", "203.0.113.", f"203.0.113.{3 - end.host}", length=24)
    raw = record(lab)
    tcp_transfer(lab, ("203.0.113.1", "203.0.113.2"), letters(2_000_000, 1398))
    return drain(raw), ""


def play_ipv6_tcp(lab: Lab) -> tuple[list[Frame], str]:
    """One TCP connection over IPv6."""
    for end, peer in zip(lab.ends, (RECEIVER6, SENDER6), strict=True):
        with end.space.inside():
            end.address(LINK, "2001:db8::", peer, length=64)
    raw = record(lab)
    tcp_transfer(lab, (SENDER6, RECEIVER6), letters(2_000_000, 1428))
    # The kernel announces its multicast groups whenever it likes; here they would only be in the way.
    tcp = [frame for frame in drain(raw) if frame.data[20] == socket.IPPROTO_TCP]
    return tcp, "the TCP connection alone, without multicast listener reports"


def play_vlan(lab: Lab) -> tuple[list[Frame], str]:
    """TCP in VLAN 10, small UDP in VLAN 20 with priority 5, and untagged UDP, all at once."""
    lab.plain_ipv4()
    for end in lab.ends:
        patch = Patch(end)
        lab.stack.callback(patch.close)
        with end.space.inside():
            for vlan, priority in ((10, 0), (20, 5)):
                patch.add(f"vlan{vlan}", end.mac, priority << 13 | vlan)
                end.address(f"vlan{vlan}", f"10.0.{vlan}.", f"10.0.{vlan}.{3 - end.host}", length=24)
        patch.start()
    raw = record(lab)

    def datagrams() -> None:
        udp_burst(lab, ("10.0.20.1", "10.0.20.2"), 3)
        udp_burst(lab, (SENDER, RECEIVER), 2)
        # Lets the patches catch up, or all that is untagged would run ahead of what they carry.
        time.sleep(0.001)

    hosts = ("10.0.10.1", "10.0.10.2")
    tcp_transfer(lab, hosts, letters(120 * 1448, 1448), piece=6 * 1448, between=datagrams)
    return drain(raw), ""


def play_reorder_loss(lab: Lab) -> tuple[list[Frame], str]:
    """One TCP connection whose full-size frames are lost or late on their way to the wire."""
    impairment = Impairment(seed=7, loss=0.01, late=0.04)
    with lab.receiver.space.inside():
        lab.receiver.address(LINK, "198.51.100.", SENDER, length=24)
    with lab.sender.space.inside():
        # The wire's own device stays without an address: the TAP is the sender's interface.
        run("ip", "link", "set", LINK, "address", "02:00:00:00:00:ff", "arp", "off", "up")
        patch = Patch(lab.sender, impairment)
        lab.stack.callback(patch.close)
        patch.add("port", SENDER_MAC, 0)
        lab.sender.address("port", "198.51.100.", RECEIVER, length=24)
    patch.start()
    raw = record(lab)
    tcp_transfer(lab, (SENDER, RECEIVER), letters(1_200_000, 1448))
    return drain(raw), f"nothing cut; {impairment.dropped} frames were lost and {impairment.delayed} were late"


def play_mixed(lab: Lab) -> tuple[list[Frame], str]:
    """A few seconds of an everyday host that has just been plugged in."""
    with lab.receiver.space.inside():
        run("ip", "link", "set", LINK, "up")
    raw = record(lab)
    for end in lab.ends:
        with end.space.inside():
            run("ip", "link", "set", LINK, "up")
            run("ip", "address", "add", f"198.51.100.{end.host}/24", "dev", LINK)
            run("ip", "address", "add", f"2001:db8::{end.host}/64", "dev", LINK)
    for end in lab.ends:
        with end.space.inside():
            # Until duplicate address detection is over, the addresses cannot be used.
            while run("ip", "-6", "-o", "address", "show", "dev", LINK, "tentative"):
                time.sleep(0.1)
    look_up(lab, "www.example.org", socket.inet_aton(SENDER))
    look_up(lab, "www.example.org", socket.inet_pton(socket.AF_INET6, SENDER6))
    ping(lab.receiver, SENDER, 3)
    ping(lab.receiver, SENDER6, 3)
    fetch_page(lab)
    with lab.sender.space.inside():
        run("ip", "neighbour", "flush", "dev", LINK)
    ping(lab.sender, RECEIVER, 3)
    ping(lab.sender, RECEIVER6, 3)
    # A last FIN or neighbour answer may still be on its way.
    time.sleep(0.1)
    return drain(raw), ""


def play_jumbo(lab: Lab) -> tuple[list[Frame], str]:
    """One TCP connection over a wire with an MTU of 9,000."""
    lab.plain_ipv4()
    raw = record(lab)
    tcp_transfer(lab, (SENDER, RECEIVER), letters(400_000, 8948))
    return drain(raw), ""


@dataclass(frozen=True)
class Scene:
    """One capture: what a person reads of it, what is played, and how much of it is kept."""

    name: str
    title: str
    sentence: str
    scenario: str
    play: Callable[[Lab], tuple[list[Frame], str]]
    mtu: int = 1500
    ipv6: bool = False
    tagged: bool = False
    first: int | None = None

    @property
    def file(self) -> str:
        """The file's name; the newcomer's capture stays plain, to be opened with anything."""
        return f"{self.name}.pcap" if self.name == "mixed" else f"{self.name}.pcap.gz"

    def record(self) -> tuple[list[Frame], str]:
        """Play the scene in a lab of its own and return its frames, checked, and how they were cut."""
        try:
            lab = Lab(self.mtu, ipv6=self.ipv6)
            with lab.stack:
                frames, cut = self.play(lab)
        except OSError as error:
            raise LabError(f"{self.name} could not be played: {error}.") from error
        whole, frames = len(frames), frames[: self.first]
        if len(frames) < whole:
            note = f"the first {len(frames):,} of {whole:,} incoming frames"
            cut = f"{note}; {cut}" if cut else note
        self._check(frames)
        return frames, cut or "nothing cut"

    def _check(self, frames: list[Frame]) -> None:
        longest = self.mtu + 14 + 4 * self.tagged
        before = 0
        for number, frame in enumerate(frames, 1):
            if len(frame.data) > longest:
                raise LabError(f"{self.name}: frame {number} has {len(frame.data)} bytes; an offload is still on.")
            if frame.stamp_ns < before:
                raise LabError(f"{self.name}: the clock went back before frame {number}; run again.")
            before = frame.stamp_ns


SCENES = (
    Scene(
        "mixed",
        "A newcomer's first capture",
        "A host is plugged in, asks for a name, pings, and fetches a page: a little of everything.",
        "ring=8 mtu=1500",
        play_mixed,
        ipv6=True,
    ),
    Scene(
        "tcp-bulk",
        "One big TCP transfer",
        "Full frames of one connection, one straight after another: what GRO was made for.",
        "ring=16 mtu=1500 gro=on",
        play_tcp_bulk,
        first=1200,
    ),
    Scene(
        "udp-64",
        "Two thousand tiny datagrams",
        "Each carries 64 bytes and costs as much work as a full frame.",
        "ring=64 mtu=1500",
        play_udp_64,
    ),
    Scene(
        "vxlan",
        "TCP inside a VXLAN tunnel",
        "Every frame has a second set of headers inside, and GRO has to look that deep.",
        "ring=16 mtu=1500 gro=on",
        play_vxlan,
        first=600,
    ),
    Scene(
        "ipv6-tcp",
        "TCP over IPv6",
        "The same kind of transfer with a longer header and no header checksum.",
        "ring=16 mtu=1500 gro=on",
        play_ipv6_tcp,
        ipv6=True,
        first=600,
    ),
    Scene(
        "vlan",
        "Two VLANs and none on one wire",
        "TCP in VLAN 10, small datagrams in VLAN 20, and untagged ones between them.",
        "ring=16 mtu=1500 gro=on",
        play_vlan,
        tagged=True,
    ),
    Scene(
        "reorder-loss",
        "Frames lost and out of order",
        "A transfer over a bad path: gaps, late frames and what is sent again.",
        "ring=16 mtu=1500 gro=on",
        play_reorder_loss,
    ),
    Scene(
        "jumbo",
        "Jumbo frames",
        "Frames of up to 9,014 bytes: more than any one half of a page can hold.",
        "ring=16 mtu=9000",
        play_jumbo,
        mtu=9000,
    ),
)


# --- files ---


def pcap(frames: list[Frame]) -> bytes:
    """Return a little-endian pcap file with nanosecond stamps, link type Ethernet."""
    parts = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262_144, 1)]
    for frame in frames:
        seconds, nanoseconds = divmod(frame.stamp_ns, 1_000_000_000)
        parts += (struct.pack("<IIII", seconds, nanoseconds, len(frame.data), len(frame.data)), frame.data)
    return b"".join(parts)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file as a whole or not at all."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.write_bytes(data)
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def make(scene: Scene, out: Path) -> dict[str, str | int]:
    """Record a scene into its file and return its entry of the manifest."""
    frames, cut = scene.record()
    data = pcap(frames)
    if scene.file.endswith(".gz"):
        data = gzip.compress(data, 9, mtime=0)
    replace_file(out / scene.file, data)
    return {
        "name": scene.name,
        "file": scene.file,
        "title": scene.title,
        "sentence": scene.sentence,
        "scenario": scene.scenario,
        "mtu": scene.mtu,
        "frames": len(frames),
        "longest": max(len(frame.data) for frame in frames),
        "wire_bytes": sum(len(frame.data) for frame in frames),
        "file_bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "cut": cut,
        "kernel": os.uname().release,
    }


def manifest(entries: list[dict[str, str | int]]) -> str:
    """Return the manifest's text; JSON's strings and integers are TOML's too."""
    lines = ["# Written by scripts/record_captures.py, where titles and sentences are changed. Licence: MIT."]
    for entry in entries:
        lines += ["", "[[capture]]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n"


def facts(entries: list[dict[str, str | int]]) -> str:
    """Return the README's table of all that a new recording changes."""
    lines = [
        "| file | frames | bytes of frames | longest | bytes of file | cut | kernel |",
        "|---|--:|--:|--:|--:|---|---|",
    ]
    for one in entries:
        figures = (f"{one[key]:,}" for key in ("frames", "wire_bytes", "longest", "file_bytes"))
        lines.append(f"| `{one['file']}` | {' | '.join(figures)} | {one['cut']} | {one['kernel']} |")
    return "\n".join([*lines, "", "```", *(f"{one['sha256']}  {one['file']}" for one in entries), "```"])


def update_indexes(out: Path, made: list[dict[str, str | int]]) -> None:
    """Write the manifest and the README's table; captures that were not recorded now keep their entries."""
    path = out / "manifest.toml"
    try:
        old = tomllib.loads(path.read_text(encoding="utf-8"))["capture"] if path.exists() else []
    except (ValueError, KeyError) as error:
        raise LabError(f"{path} is no manifest of captures ({error}); remove it and record all again.") from error
    known = {one["name"]: one for one in [*old, *made]}
    entries = [known[scene.name] for scene in SCENES if scene.name in known]
    replace_file(path, manifest(entries).encode("utf-8"))
    readme = out / "README.md"
    text = readme.read_text(encoding="utf-8") if readme.exists() else "\n".join(README_MARKS) + "\n"
    before, _, rest = text.partition(README_MARKS[0])
    after = rest.partition(README_MARKS[1])[2]
    replace_file(readme, f"{before}{README_MARKS[0]}\n{facts(entries)}\n{README_MARKS[1]}{after}".encode())


# --- the command ---


def check_machine() -> None:
    """Raise LabError when this machine cannot record."""
    if sys.platform != "linux":
        raise LabError("captures are recorded from Linux network namespaces; run this on Linux.")
    if os.geteuid() != 0:
        raise LabError("making network namespaces needs root; run this with sudo.")
    missing = [tool for tool in ("ip", "ethtool") if shutil.which(tool) is None]
    if missing:
        raise LabError(f"`{'` and `'.join(missing)}` not found; install iproute2 and ethtool.")


def _interrupted(number: int, _frame: object) -> None:
    raise KeyboardInterrupt(number)


def main(words: list[str] | None = None) -> int:
    """Record the named captures, or all; return 0, 2 when it cannot be done, 130 when interrupted."""
    parser = argparse.ArgumentParser(description="Record real Linux traffic for assets/captures (Linux, root).")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(scene.name for scene in SCENES))
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    chosen = parser.parse_args(words)
    unknown = set(chosen.names) - {scene.name for scene in SCENES}
    if unknown:
        parser.error(f"no capture is called {', '.join(sorted(unknown))}")
    try:
        check_machine()
        signal.signal(signal.SIGTERM, _interrupted)
        signal.signal(signal.SIGHUP, _interrupted)
        # One CPU carries every frame: then stamps and order agree, which two CPUs do not promise.
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        chosen.out.mkdir(parents=True, exist_ok=True)
        for scene in SCENES:
            if not chosen.names or scene.name in chosen.names:
                entry = make(scene, chosen.out)
                update_indexes(chosen.out, [entry])
                print(f"{entry['file']}: {entry['frames']} frames, {entry['file_bytes']} bytes, {entry['cut']}")
    except LabError as error:
        print(f"record_captures: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"record_captures: cannot write to {chosen.out}: {error.strerror}.", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("record_captures: interrupted; nothing is left behind.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
