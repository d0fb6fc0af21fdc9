"""The advanced receive descriptor: 16 little-endian bytes with two faces.

The driver writes the read format; the NIC's write-back overwrites it, address and all
(`union ixgbe_adv_rx_desc`, drivers/net/ethernet/intel/ixgbe/ixgbe_type.h).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

SIZE = 16
READ = struct.Struct("<QQ")
"""pkt_addr, hdr_addr."""
WRITEBACK = struct.Struct("<HHIIHH")
"""pkt_info, hdr_info, rss, status_error, length, vlan."""
STATUS_OFFSET, LENGTH_OFFSET, VLAN_OFFSET = 8, 12, 14
ADDRESS = struct.Struct("<Q")
STATUS = struct.Struct("<I")
LENGTH = VLAN = struct.Struct("<H")
STATUS_LENGTH = struct.Struct("<IH")
"""At STATUS_OFFSET: 32 bits of status (19:0) and errors (31:20), then how many bytes were written.

A driver finds a descriptor done by the status not being zero (to 4.9) or by the length not being zero (from 4.11),
and clears that field when it posts.
"""
pack_address, pack_writeback = ADDRESS.pack_into, WRITEBACK.pack_into
pack_status, pack_length = STATUS.pack_into, LENGTH.pack_into
unpack_read, unpack_status_length = READ.unpack_from, STATUS_LENGTH.unpack_from

DD, EOP, VP, L4CS, IPCS = 0x01, 0x02, 0x08, 0x20, 0x40
CE, LE, PE, OSE, USE = 0x0100_0000, 0x0200_0000, 0x0800_0000, 0x1000_0000, 0x2000_0000
TCPE, IPE = 0x4000_0000, 0x8000_0000

PKT_IPV4, PKT_IPV6, PKT_TCP, PKT_UDP = 0x0010, 0x0040, 0x0100, 0x0200
"""Bits of the packet type in `pkt_info`."""
RSS_NONE, RSS_IPV4_TCP, RSS_IPV4, RSS_IPV6_TCP, RSS_IPV6, RSS_IPV4_UDP, RSS_IPV6_UDP = 0, 1, 2, 3, 5, 7, 8

STATUS_NAMES = {DD: "DD", EOP: "EOP", VP: "VP", L4CS: "L4CS", IPCS: "IPCS"}


@dataclass(frozen=True, slots=True)
class StatusBits:
    """The error bits of a family of NICs: their names, those for which its driver drops a frame, and the two that say
    that a checksum is wrong.

    `Frame.status` has what the NIC finds in a frame, with the bits of `IXGBE_BITS`; `written` says with which of its
    own bits another family writes one of these.
    """

    names: dict[int, str]
    frame: int
    tcpe: int
    ipe: int
    written: dict[int, int]

    def encode(self, status: int) -> int:
        """Return the status of a frame with the family's own bits."""
        own = status & ~sum(self.written)
        for bit, instead in self.written.items():
            if status & bit:
                own |= instead
        return own

    def flag_names(self, status: int) -> list[str]:
        """Return the names of the status and error bits that are set."""
        return [name for bit, name in (STATUS_NAMES | self.names).items() if status & bit]


IXGBE_BITS = StatusBits(
    {CE: "CE", LE: "LE", PE: "PE", OSE: "OSE", USE: "USE", TCPE: "TCPE", IPE: "IPE"},
    frame=CE | LE | PE | OSE | USE,
    tcpe=TCPE,
    ipe=IPE,
    written={},
)
"""ixgbe_type.h: `IXGBE_RXDADV_ERR_FRAME_ERR_MASK` and the bits that it is made of."""
IGB_BITS = StatusBits(
    {CE: "CE", 0x0200_0000: "SE", 0x0400_0000: "SEQ", 0x1000_0000: "CXE", 0x2000_0000: "TCPE", 0x4000_0000: "IPE",
     0x8000_0000: "RXE"},
    frame=CE | 0x0200_0000 | 0x0400_0000 | 0x1000_0000 | 0x8000_0000,
    tcpe=0x2000_0000,
    ipe=0x4000_0000,
    written={LE: 0x8000_0000, PE: 0x8000_0000, OSE: 0x8000_0000, USE: 0x8000_0000, TCPE: 0x2000_0000, IPE: 0x4000_0000},
)  # fmt: skip
"""igb/e1000_defines.h: `E1000_RXDEXT_ERR_FRAME_ERR_MASK` and the bits that it is made of. These NICs do not say what is
wrong with a frame's length; it stands as RXE, an error of the data."""


def post(desc: bytearray, slot: int, pkt_addr: int) -> None:
    """Write a buffer's bus address (`pkt_addr`). The other half stays as it is: no NIC looks for a header buffer."""
    pack_address(desc, slot * SIZE, pkt_addr)


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
