"""Network devices of the namespace: made and set up by rtnetlink, ioctl and ethtool."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import socket
import struct

IFLA_ADDRESS, IFLA_IFNAME, IFLA_MTU, IFLA_LINKINFO = 1, 3, 4, 18
IFLA_MASTER, IFLA_NUM_TX_QUEUES, IFLA_NUM_RX_QUEUES = 10, 31, 32
IFLA_GRO_MAX_SIZE, IFLA_GRO_IPV4_MAX_SIZE = 58, 64
_IFLA_BR_MCAST_SNOOPING, _VETH_INFO_PEER = 23, 1
_IFLA_INFO_KIND, _IFLA_INFO_DATA = 1, 2
_IFLA_VXLAN_ID, _IFLA_VXLAN_LOCAL, _IFLA_VXLAN_PORT = 1, 4, 15
_RTM_NEWLINK, _NLM_F_REQUEST_ACK, _NLM_F_CREATE_EXCL = 16, 5, 0x600
_IFF_UP = 1
_SIOCSIFADDR, _SIOCSIFNETMASK, _SIOCETHTOOL = 0x8916, 0x891C, 0x8946
_TUNSETIFF = 0x400454CA
_IFF_TAP, _IFF_NAPI, _IFF_NO_PI, _IFF_VNET_HDR = 0x2, 0x10, 0x1000, 0x4000
_ETHTOOL_GSTRINGS, _ETHTOOL_SFEATURES, _ETH_SS_FEATURES = 0x1B, 0x3B, 4
_STRING = 32


def open_tap(name: str, blocking: bool, napi: bool = True) -> int:
    """Make a tap device whose frames go through a NAPI poll of its own; return its file descriptor.

    A tap that may block takes each frame into a kmalloc'ed head; one that may not builds the skb round a page fragment.
    """
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | (0 if blocking else os.O_NONBLOCK))
    flags = _IFF_TAP | _IFF_NO_PI | _IFF_VNET_HDR | (_IFF_NAPI if napi else 0)
    try:
        fcntl.ioctl(fd, _TUNSETIFF, struct.pack("16sH22x", name.encode(), flags))
    except OSError:
        os.close(fd)
        raise
    return fd


def attribute(kind: int, data: bytes) -> bytes:
    """Build one netlink attribute."""
    return struct.pack("HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


class Links:
    """The devices of this process's network namespace."""

    def __init__(self) -> None:
        self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
        self._netlink.bind((0, 0))
        self._sequence = 0
        self._control = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def close(self) -> None:
        """Close the sockets; the devices live and die with the namespace."""
        self._netlink.close()
        self._control.close()

    def _newlink(self, attributes: bytes, index: int = 0, up: bool = False, create: bool = False) -> None:
        self._sequence += 1
        body = struct.pack("BxHiII", 0, 0, index, _IFF_UP * up, _IFF_UP * up) + attributes
        flags = _NLM_F_REQUEST_ACK | (_NLM_F_CREATE_EXCL if create else 0)
        self._netlink.send(struct.pack("IHHII", 16 + len(body), _RTM_NEWLINK, flags, self._sequence, 0) + body)
        error = struct.unpack_from("i", self._netlink.recv(65536), 16)[0]
        if error:
            raise OSError(-error, os.strerror(-error))

    def set(self, name: str, attributes: bytes = b"", up: bool = False) -> None:
        """Change a device."""
        self._newlink(attributes, socket.if_nametoindex(name), up)

    def add_vxlan(self, name: str, vni: int, local: str, port: int) -> None:
        """Make a VXLAN device, which opens the tunnel's socket."""
        data = attribute(_IFLA_VXLAN_ID, struct.pack("I", vni)) + attribute(_IFLA_VXLAN_LOCAL, socket.inet_aton(local))
        data += attribute(_IFLA_VXLAN_PORT, struct.pack("!H", port))
        info = attribute(_IFLA_INFO_KIND, b"vxlan") + attribute(_IFLA_INFO_DATA, data)
        self._newlink(attribute(IFLA_IFNAME, name.encode() + b"\0") + attribute(IFLA_LINKINFO, info), create=True)
        self.set(name, up=True)

    def add_veth(self, name: str, peer: str) -> None:
        """Make a pair of devices; two queues make the kernel reckon a hash for what is sent."""

        def queues(sending: int) -> bytes:
            wanted = struct.pack("I", sending)
            return attribute(IFLA_NUM_TX_QUEUES, wanted) + attribute(IFLA_NUM_RX_QUEUES, struct.pack("I", 1))

        other = struct.pack("BxHiII", 0, 0, 0, 0, 0) + attribute(IFLA_IFNAME, peer.encode() + b"\0") + queues(1)
        data = attribute(_VETH_INFO_PEER, other)
        info = attribute(_IFLA_INFO_KIND, b"veth") + attribute(_IFLA_INFO_DATA, data)
        name_too = attribute(IFLA_IFNAME, name.encode() + b"\0") + queues(2)
        self._newlink(name_too + attribute(IFLA_LINKINFO, info), create=True)

    def add_bridge(self, name: str, *ports: str) -> None:
        """Make a bridge that joins devices, and sends nothing of its own accord."""
        data = attribute(_IFLA_BR_MCAST_SNOOPING, b"\0")
        info = attribute(_IFLA_INFO_KIND, b"bridge") + attribute(_IFLA_INFO_DATA, data)
        self._newlink(attribute(IFLA_IFNAME, name.encode() + b"\0") + attribute(IFLA_LINKINFO, info), create=True)
        master = attribute(IFLA_MASTER, struct.pack("I", socket.if_nametoindex(name)))
        for port in ports:
            self.set(port, master, up=True)
        self.set(name, up=True)

    def switch(self, name: str, command: int, on: bool) -> None:
        """Switch one of ethtool's older on-off settings."""
        buffer = ctypes.create_string_buffer(struct.pack("II", command, on), 8)
        self._ioctl(name, _SIOCETHTOOL, struct.pack("P", ctypes.addressof(buffer)))

    def address(self, name: str, address: str) -> None:
        """Give a device an IPv4 address with a mask of 24 bits."""
        for request, text in ((_SIOCSIFADDR, address), (_SIOCSIFNETMASK, "255.255.255.0")):
            self._ioctl(name, request, struct.pack("HH4s8x", socket.AF_INET, 0, socket.inet_aton(text)))

    def _ioctl(self, name: str, request: int, data: bytes) -> None:
        fcntl.ioctl(self._control.fileno(), request, struct.pack("16s", name.encode()) + data.ljust(24, b"\0"))

    def feature(self, name: str, feature: str, on: bool) -> None:
        """Switch a device feature by its ethtool name."""
        strings = ctypes.create_string_buffer(16384)
        struct.pack_into("III", strings, 0, _ETHTOOL_GSTRINGS, _ETH_SS_FEATURES, 0)
        self._ioctl(name, _SIOCETHTOOL, struct.pack("P", ctypes.addressof(strings)))
        count = struct.unpack_from("I", strings.raw, 8)[0]
        names = [strings.raw[12 + _STRING * i :][:_STRING].split(b"\0")[0].decode() for i in range(count)]
        if feature not in names:
            raise OSError(errno.EOPNOTSUPP, f"no device feature {feature}")
        place, blocks = names.index(feature), (count + 31) // 32
        words = [0] * (2 * blocks)
        words[place // 32 * 2] = 1 << place % 32
        words[place // 32 * 2 + 1] = int(on) << place % 32
        data = struct.pack(f"II{2 * blocks}I", _ETHTOOL_SFEATURES, blocks, *words)
        buffer = ctypes.create_string_buffer(data, len(data))
        self._ioctl(name, _SIOCETHTOOL, struct.pack("P", ctypes.addressof(buffer)))
