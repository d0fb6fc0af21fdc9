"""mv643xx_eth's receive descriptor: 16 bytes that driver and NIC hand to and fro by one bit.

`struct rx_desc` as a little-endian machine has it (drivers/net/ethernet/marvell/mv643xx_eth.c): cmd_sts, buf_size,
byte_cnt, buf_ptr, next_desc_ptr. The NIC changes cmd_sts and byte_cnt alone; address, size and link stay.
"""

from __future__ import annotations

import struct

DESC = struct.Struct("<IHHII")
"""cmd_sts, buf_size, byte_cnt, buf_ptr, next_desc_ptr."""
STATUS = struct.Struct("<I")
"""cmd_sts alone, at the start of a descriptor."""
STATUS_BYTES = struct.Struct("<I2xH")
"""cmd_sts and byte_cnt, at the start of a descriptor."""
RING_DMA = 0x0010_0000
"""Where bus addresses of the ring start in the model."""

BUFFER_OWNED_BY_DMA = 0x8000_0000
LAYER_4_CHECKSUM_OK = 0x4000_0000
RX_ENABLE_INTERRUPT = 0x2000_0000
RX_FIRST_DESC, RX_LAST_DESC = 0x0800_0000, 0x0400_0000
RX_IP_HDR_OK, RX_PKT_IS_IPV4, RX_PKT_IS_ETHERNETV2 = 0x0200_0000, 0x0100_0000, 0x0080_0000
RX_PKT_LAYER4_TYPE_MASK = 0x0060_0000
RX_PKT_LAYER4_TYPE_TCP_IPV4, RX_PKT_LAYER4_TYPE_UDP_IPV4, RX_PKT_LAYER4_TYPE_OTHER = 0, 0x0020_0000, 0x0040_0000
RX_PKT_IS_VLAN_TAGGED = 0x0008_0000
ERROR_SUMMARY = 0x0000_0001

WHOLE = RX_FIRST_DESC | RX_LAST_DESC
"""A frame that one buffer takes; anything else is an error to the driver."""
LRO_MASK = RX_IP_HDR_OK | RX_PKT_IS_IPV4 | RX_PKT_IS_ETHERNETV2 | RX_PKT_LAYER4_TYPE_MASK | RX_PKT_IS_VLAN_TAGGED
LRO_KIND = RX_IP_HDR_OK | RX_PKT_IS_IPV4 | RX_PKT_IS_ETHERNETV2 | RX_PKT_LAYER4_TYPE_TCP_IPV4
"""What `mv643xx_get_skb_header` asks of cmd_sts: untagged Ethernet II, IPv4 with a good header, TCP."""

NAMES = {
    BUFFER_OWNED_BY_DMA: "BUFFER_OWNED_BY_DMA",
    LAYER_4_CHECKSUM_OK: "LAYER_4_CHECKSUM_OK",
    RX_ENABLE_INTERRUPT: "RX_ENABLE_INTERRUPT",
    RX_FIRST_DESC: "RX_FIRST_DESC",
    RX_LAST_DESC: "RX_LAST_DESC",
    RX_IP_HDR_OK: "RX_IP_HDR_OK",
    RX_PKT_IS_IPV4: "RX_PKT_IS_IPV4",
    RX_PKT_IS_ETHERNETV2: "RX_PKT_IS_ETHERNETV2",
    RX_PKT_IS_VLAN_TAGGED: "RX_PKT_IS_VLAN_TAGGED",
    ERROR_SUMMARY: "ERROR_SUMMARY",
}

ETH_HW_IP_ALIGN = 2
"""Bytes that the NIC puts in front of each frame, so that the IP header is aligned."""
ETH_FCS_LEN = 4
"""The frame's own checksum, which this NIC hands on with it."""


def status_bytes(desc: bytearray, slot: int) -> tuple[int, int]:
    """Return cmd_sts and byte_cnt of a descriptor."""
    status, count = STATUS_BYTES.unpack_from(desc, slot * DESC.size)
    return status, count


def is_owned_by_dma(desc: bytearray, slot: int) -> bool:
    """Whether a descriptor is the NIC's."""
    return bool(STATUS.unpack_from(desc, slot * DESC.size)[0] & BUFFER_OWNED_BY_DMA)


def flag_names(status: int) -> list[str]:
    """Return the names of the bits that are set; the kind of layer 4 is a number of two bits, and not among them."""
    return [name for bit, name in NAMES.items() if status & bit]
