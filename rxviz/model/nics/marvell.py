"""The Ethernet port of Marvell's Discovery, Orion and Dove chips: it asks each descriptor whose it is.

There is no tail register. The NIC looks at the descriptor that it comes to next: with BUFFER_OWNED_BY_DMA set it may
fill its buffer, and clears the bit when it has. What is known of it is what mv643xx_eth.c tells (`struct rx_desc`,
`mib_counters_update`); no data sheet was at hand. That a frame which finds no descriptor is lost at once, and that the
queue looks again at the next one by itself, is the model's choice (badge M): the driver never enables it anew.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, cast
from zlib import crc32

from rxviz.model import steps
from rxviz.model.descriptor import (
    CE,
    IPE,
    IXGBE_BITS,
    L4CS,
    PKT_IPV4,
    PKT_TCP,
    PKT_UDP,
    TCPE,
)
from rxviz.model.mv643xx_desc import (
    DESC,
    ERROR_SUMMARY,
    ETH_FCS_LEN,
    ETH_HW_IP_ALIGN,
    LAYER_4_CHECKSUM_OK,
    RX_ENABLE_INTERRUPT,
    RX_FIRST_DESC,
    RX_IP_HDR_OK,
    RX_LAST_DESC,
    RX_PKT_IS_ETHERNETV2,
    RX_PKT_IS_IPV4,
    RX_PKT_IS_VLAN_TAGGED,
    RX_PKT_LAYER4_TYPE_OTHER,
    RX_PKT_LAYER4_TYPE_UDP_IPV4,
    is_owned_by_dma,
)
from rxviz.model.nic import VLAN_TPIDS, BadFrame, Nic
from rxviz.wire.numbers import IP_FRAGMENT_MASK

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.mv643xx_ring import RxQueue

DUMMY = bytes(ETH_HW_IP_ALIGN)
FIRST_ETHERTYPE = 0x0600
_SIZES = (64, 127, 255, 511, 1023)
_SIZE_NAMES = (
    "frames_64_octets", "frames_65_to_127_octets", "frames_128_to_255_octets", "frames_256_to_511_octets",
    "frames_512_to_1023_octets", "frames_1024_to_max_octets",
)  # fmt: skip


class MarvellNic(Nic):
    """A NIC that uses whichever descriptor comes next, if it is its own.

    A bad frame that is long enough comes to memory, with ERROR_SUMMARY; which of them do is the model's choice (badge
    M), the counters are those of the MIB.
    """

    ERRORS: ClassVar[Mapping[str, BadFrame]] = {
        "crc": BadFrame(CE, "ERROR_SUMMARY", "bad_crc_event"),
        "symbol": BadFrame(CE, "ERROR_SUMMARY", "mac_receive_error"),
        "undersize": BadFrame(0, "", "undersize_received"),
        "oversize": BadFrame(0, "", "oversize_received"),
    }
    MISSED: ClassVar[str] = "rx_overrun"
    NO_DESCRIPTOR: ClassVar[str] = "rx_discard"

    __slots__ = ("bad_octets", "good_octets", "int_rx", "ring", "sizes")
    REGISTERS = (("rdh", "CDP"),)
    TOLD_BY = "ring.rx_used_desc"

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.ring = cast("RxQueue", m.ring)
        self.int_rx = False
        """INT_CAUSE: a frame has come since the driver asked last."""
        self.good_octets = 0
        self.bad_octets = 0
        self.sizes = [0] * len(_SIZE_NAMES)

    # ------------------------------------------------------------------------------------------------------- frames
    def receive(self, frame: Frame) -> None:
        """Take a frame from the wire: into a buffer at once, or not at all."""
        m, length = self.m, frame.wire_len
        if length > self.untagged:
            self.refuse("oversize")
            self.bad_octets += length + ETH_FCS_LEN
            m.note(steps.NIC_OVERSIZE, frame, -1, None, None, (length, self.untagged, self.ERRORS["oversize"].counter))
            return
        if frame.error:
            bad = self.ERRORS[frame.error]
            if not bad.bits:
                self.refuse(frame.error)
                self.bad_octets += length + ETH_FCS_LEN
                m.note(steps.NIC_BAD_FRAME, frame, -1, None, None, (frame.error, bad.counter))
                return
            frame = frame.stored(bad.bits)
        self.count(frame)
        m.note(steps.WIRE_ARRIVE, frame, -1, None, None, (length,))
        if not self.owns(self.rdh):
            self.discard(frame)
            return
        self.fifo.append(frame)
        self.fifo_bytes += length
        self.drain()

    def longest_frame(self, data: bytes) -> int:
        """Return the longest frame, without FCS, that the MAC lets in: one limit for all, tags or not."""
        return self.m.config.geometry.max_frame - ETH_FCS_LEN

    def drain(self) -> None:
        """Write the frame; one that needs more descriptors than the NIC has is lost in the midst."""
        while self.fifo:
            if not self.owns(self.rdh):
                self.give_up_rest(self.fifo[0])
                return
            self.write_part(self.fifo[0])

    def owns(self, slot: int) -> bool:
        """Whether a descriptor is the NIC's."""
        return is_owned_by_dma(self.ring.desc, slot)

    def discard(self, frame: Frame) -> None:
        """Let a frame go that no descriptor takes; only a counter tells."""
        self.rx_no_dma_resources += 1
        self.m.note(steps.NIC_DISCARD, frame, self.rdh, None, None, (frame.wire_len,))

    def give_up_rest(self, frame: Frame) -> None:
        """The rest of a frame finds no descriptor."""
        self.fifo.popleft()
        self.fifo_bytes = self.sent = 0
        self.discard(frame)

    def count(self, frame: Frame) -> None:
        """Count a frame as the MIB counters do, with its FCS: the MAC does, which knows nothing of descriptors (M)."""
        octets = frame.wire_len + ETH_FCS_LEN
        if frame.error:
            self.bad[frame.error] += 1
            self.bad_octets += octets
            return
        self.good_octets += octets
        self.sizes[sum(octets > size for size in _SIZES)] += 1

    def write_part(self, frame: Frame) -> None:
        """Fill one buffer with two dummy bytes and the frame's next part, the FCS behind the last; give it back."""
        m, ring, sent = self.m, self.ring, self.sent
        slot = self.rdh
        skb = ring.rx_skb[slot]
        assert skb is not None
        _, buf_size, _, buf_ptr, following = DESC.unpack_from(ring.desc, slot * DESC.size)
        front = 0 if sent else ETH_HW_IP_ALIGN
        size = frame.wire_len - sent
        last = size + front + ETH_FCS_LEN <= buf_size
        if not last:
            size = min(size, buf_size - front)
        offset = buf_ptr - (skb.head_page.dma & 0xFFFF_FFFF)
        data = DUMMY[:front] + frame.data[sent : sent + size]
        if last:
            data += crc32(frame.data).to_bytes(ETH_FCS_LEN, "little")
        m.lamps.dma_head(skb, offset, len(data))
        self.write_buffer(skb.head_page, offset, data, frame, slot)
        m.note(steps.NIC_DMA, frame, slot, skb.head_page, skb, (offset + front, size))
        status = RX_ENABLE_INTERRUPT | (0 if sent else RX_FIRST_DESC) | (RX_LAST_DESC if last else 0)
        status |= verdict(frame) if last else 0
        self.give_back(slot, status, buf_size, len(data), buf_ptr, following)
        self.finish_part(frame, slot, size, last)
        m.note(steps.NIC_GIVE_BACK, frame, slot, skb.head_page, skb, (len(data), status, last))
        self.written_back(slot, frame)
        self.tell()

    def give_back(self, slot: int, cmd_sts: int, buf_size: int, byte_cnt: int, buf_ptr: int, following: int) -> None:
        """Write cmd_sts, without the owner bit, and byte_cnt; the descriptor is the driver's again."""
        DESC.pack_into(self.ring.desc, slot * DESC.size, cmd_sts, buf_size, byte_cnt, buf_ptr, following)
        self.rdh = slot + 1 if slot + 1 < self.ring.count else 0

    # ------------------------------------------------------------------------------------------------ the driver's side
    @property
    def given(self) -> int:
        """How many slots, from the driver's place on, have an skb: the NIC may use them, or has.

        That is not rx_desc_count, which the driver takes down only after it has moved on and unmapped the head.
        """
        ring = self.ring
        full = ring.rx_desc_count == ring.count
        return (ring.rx_used_desc - ring.rx_curr_desc) % ring.count or (ring.count if full else 0)

    @property
    def written(self) -> int:
        """How many of these are the driver's again."""
        ring, given = self.ring, self.given
        if not given or self.owns(ring.rx_curr_desc):
            return 0
        ahead = (self.rdh - ring.rx_curr_desc) % ring.count
        return min(ahead or ring.count, given)

    def whole_frames(self) -> int:
        """Frames that are written whole and that the driver has not come to yet."""
        ring = self.ring
        slots = [(ring.rx_curr_desc + i) % ring.count for i in range(self.written)]
        return sum(ring.ends_at(slot) for slot in slots)

    def counters(self) -> dict[str, int]:
        """Return the MIB counters that receiving moves, by the names that `ethtool -S` has for them."""
        return {
            "good_octets_received": self.good_octets,
            "bad_octets_received": self.bad_octets,
            "good_frames_received": sum(self.sizes),
            "bad_frames_received": sum(self.bad.values()),
            **dict(zip(_SIZE_NAMES, self.sizes, strict=True)),
            **self.bad_by_counter(),
            "rx_discard": self.rx_no_dma_resources,
            "rx_overrun": self.rx_missed_errors,
        }

    # --------------------------------------------------------------------------------------------------- interrupt
    def tell(self) -> None:
        """Note the frame in INT_CAUSE, and call the CPU where it wants to be called."""
        self.int_rx = True
        if not self.irq_masked and not self.irq_armed:
            self.arm()

    def rearm(self) -> None:
        """INT_MASK is written: a cause that is there already calls at once."""
        if self.int_rx and not self.irq_masked and not self.irq_armed:
            self.arm()


def verdict(frame: Frame) -> int:
    """Return what the NIC says of a whole frame: its kind, its checksums, its errors."""
    status, data, info = 0, frame.data, frame.pkt_info
    if frame.status & IXGBE_BITS.frame:
        status |= ERROR_SUMMARY
    kind = int.from_bytes(data[12:14], "big")
    if kind >= FIRST_ETHERTYPE:
        status |= RX_PKT_IS_ETHERNETV2
    if data[12:14] in VLAN_TPIDS:
        status |= RX_PKT_IS_VLAN_TAGGED
    if not info & PKT_IPV4:
        return status | RX_PKT_LAYER4_TYPE_OTHER
    status |= RX_PKT_IS_IPV4
    if not frame.status & IPE:
        status |= RX_IP_HDR_OK
    fragment = not status & RX_PKT_IS_VLAN_TAGGED and int.from_bytes(data[20:22], "big") & IP_FRAGMENT_MASK
    if info & PKT_UDP and not fragment:
        status |= RX_PKT_LAYER4_TYPE_UDP_IPV4
    elif not info & PKT_TCP or fragment:
        status |= RX_PKT_LAYER4_TYPE_OTHER
    if frame.status & (L4CS | TCPE | IPE) == L4CS and info & (PKT_TCP | PKT_UDP):
        status |= LAYER_4_CHECKSUM_OK
    return status
