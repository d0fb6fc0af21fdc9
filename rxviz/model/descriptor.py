"""The advanced receive descriptor: 16 little-endian bytes with two faces.

The driver writes the read format; the NIC's write-back overwrites it, address and all
(`union ixgbe_adv_rx_desc`, drivers/net/ethernet/intel/ixgbe/ixgbe_type.h).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SIZE = 16
READ = struct.Struct("<QQ")
"""pkt_addr, hdr_addr."""
WRITEBACK = struct.Struct("<HHIIHH")
"""pkt_info, hdr_info, rss, status_error, length, vlan."""
STATUS_OFFSET, LENGTH_OFFSET, VLAN_OFFSET = 8, 12, 14
STATUS = struct.Struct("<I")
LENGTH = VLAN = struct.Struct("<H")
STATUS_LENGTH = struct.Struct("<IH")
"""At STATUS_OFFSET: 32 bits of status (19:0) and errors (31:20), then how many bytes were written.

A driver finds a descriptor done by the status not being zero (to 4.9) or by the length not being zero (from 4.11),
and clears that field when it posts.
"""
pack_read, pack_writeback = READ.pack_into, WRITEBACK.pack_into
pack_status, pack_length = STATUS.pack_into, LENGTH.pack_into
unpack_read, unpack_status_length = READ.unpack_from, STATUS_LENGTH.unpack_from

DD, EOP, VP, L4CS, IPCS = 0x01, 0x02, 0x08, 0x20, 0x40
CE, LE, PE, OSE, USE = 0x0100_0000, 0x0200_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000
TCPE, IPE = 0x4000_0000, 0x8000_0000
ERR_FRAME_ERR_MASK = CE | LE | PE | OSE | USE
"""Errors for which the driver drops the frame (`IXGBE_RXDADV_ERR_FRAME_ERR_MASK`)."""

PKT_IPV4, PKT_IPV6, PKT_TCP, PKT_UDP = 0x0010, 0x0040, 0x0100, 0x0200
"""Bits of the packet type in `pkt_info`."""
RSS_NONE, RSS_IPV4_TCP, RSS_IPV4, RSS_IPV6_TCP, RSS_IPV6, RSS_IPV4_UDP, RSS_IPV6_UDP = 0, 1, 2, 3, 5, 7, 8

STATUS_NAMES = {DD: "DD", EOP: "EOP", VP: "VP", L4CS: "L4CS", IPCS: "IPCS"}
ERROR_NAMES = {CE: "CE", LE: "LE", PE: "PE", OSE: "OSE", USE: "USE", TCPE: "TCPE", IPE: "IPE"}


def post(desc: bytearray, slot: int, pkt_addr: int) -> None:
    """Write the read format: the bus address of a buffer, and no header buffer."""
    pack_read(desc, slot * SIZE, pkt_addr, 0)


def write_back(
    desc: bytearray, slot: int, pkt_info: int, rss: int, status_error: int, length: int, vlan: int = 0
) -> None:
    """Overwrite a descriptor as the NIC does when it has filled its buffer."""
    pack_writeback(desc, slot * SIZE, pkt_info, 0, rss, status_error, length, vlan)


def length(desc: bytearray, slot: int) -> int:
    """Return the two bytes that say how much was written; zero means not done (4.11 on)."""
    value: int = LENGTH.unpack_from(desc, slot * SIZE + LENGTH_OFFSET)[0]
    return value


def status_error(desc: bytearray, slot: int) -> int:
    """Return the 32 bits of status (19:0) and errors (31:20)."""
    value: int = STATUS.unpack_from(desc, slot * SIZE + STATUS_OFFSET)[0]
    return value


def vlan(desc: bytearray, slot: int) -> int:
    """Return the tag that the NIC took out of the frame (its TCI); it counts only where VP is set."""
    value: int = VLAN.unpack_from(desc, slot * SIZE + VLAN_OFFSET)[0]
    return value


def clear_length(desc: bytearray, slot: int) -> None:
    """Make a descriptor read "not done" to a driver that tests the length."""
    pack_length(desc, slot * SIZE + LENGTH_OFFSET, 0)


def clear_status(desc: bytearray, slot: int) -> None:
    """Make a descriptor read "not done" to a driver that tests the status word."""
    pack_status(desc, slot * SIZE + STATUS_OFFSET, 0)


def flag_names(status: int) -> list[str]:
    """Return the names of the status and error bits that are set."""
    return [name for bit, name in (STATUS_NAMES | ERROR_NAMES).items() if status & bit]


def structured(desc: bytearray) -> np.ndarray[Any, np.dtype[np.void]]:
    """Return the descriptors as a numpy array with named fields, over the same memory (nothing is copied).

    Shape (count,); fields of the write-back format plus `pkt_addr` and `hdr_addr` of the read format, which overlap
    them as they do in the driver's union.
    """
    import numpy

    layout = numpy.dtype(
        {
            "names": [
                "pkt_addr",
                "hdr_addr",
                "pkt_info",
                "hdr_info",
                "rss",
                "status_error",
                "length",
                "vlan",
            ],
            "formats": ["<u8", "<u8", "<u2", "<u2", "<u4", "<u4", "<u2", "<u2"],
            "offsets": [0, 8, 0, 2, 4, 8, 12, 14],
            "itemsize": SIZE,
        }
    )
    return numpy.frombuffer(desc, dtype=layout)
