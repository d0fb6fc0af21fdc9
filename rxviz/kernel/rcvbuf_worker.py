"""The process that fills sockets in a namespace of its own, for `rxviz.kernel.rcvbuf`."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from typing import Any

from rxviz.kernel import links, syscalls
from rxviz.kernel.errors import refusal
from rxviz.kernel.fields import ADDRESS, Ip, Segment, build
from rxviz.kernel.worker import DEVICE, MAC

_SO_MEMINFO, _ALLOCATED, _LIMIT = 55, 0, 1
_PORT = 9000
_MOST = 1 << 16
_NO_HEADER = bytes(10)


def _meminfo(listener: socket.socket) -> tuple[int, ...]:
    return struct.unpack("9I", listener.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, 36))


def _fill(tap: int, rcvbuf: int, payload: int) -> tuple[int, int, int]:
    """Send datagrams until one is dropped; return the limit, the truesize of one, and how many were taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    with listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        listener.bind((ADDRESS, _PORT))
        ports = struct.pack("!HH", 1500, _PORT)
        spec = Segment("udp4", macs=MAC + bytes.fromhex("aa0000000002"), outer=Ip(), ports=ports)
        spec.payload = bytes(payload)
        blob = _NO_HEADER + build(spec)
        limit, charged, truesize = _meminfo(listener)[_LIMIT], 0, 0
        for taken in range(_MOST):
            os.write(tap, blob)
            now = _meminfo(listener)[_ALLOCATED]
            if now == charged:
                return limit, truesize, taken
            truesize = truesize or now
            charged = now
    return limit, truesize, _MOST


def main() -> int:
    """Read what is wanted, measure, and print it."""
    wanted = json.loads(sys.stdin.read())
    taken: list[list[Any]] = []
    try:
        syscalls.new_namespaces()
        for layout in ("build_skb", "copied"):
            devices = links.Links()
            tap = links.open_tap(DEVICE, blocking=layout == "copied")
            devices.set(DEVICE, links.attribute(links.IFLA_ADDRESS, MAC))
            devices.address(DEVICE, ADDRESS)
            devices.set(DEVICE, up=True)
            for payload in wanted["payloads"]:
                limit, truesize, count = _fill(tap, wanted["rcvbuf"], payload)
                taken.append([limit, layout, payload, truesize, count])
            os.close(tap)
            devices.close()
    except OSError as error:
        print(json.dumps({"error": refusal(error)}))
        return 1
    print(json.dumps({"taken": taken}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
