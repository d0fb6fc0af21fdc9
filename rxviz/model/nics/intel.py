"""Intel's NICs (82599 for ixgbe, 82576 and later for igb): advanced descriptors, written back over the read format."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, cast

from rxviz.model import steps
from rxviz.model.descriptor import CE, DD, EOP, LE, OSE, PE, SIZE, USE, pack_writeback, status_error, unpack_read
from rxviz.model.nic import BadFrame, Nic

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.ring import RxRing

NO_ERROR = 0x000F_FFFF
"""The part of a status that is the same in all these NICs; error bits lie above it."""


class IntelNic(Nic):
    """A NIC that uses descriptors from RDH up to RDT.

    The error bits are those of the 82598's datasheet (table "Receive Errors"), which the driver's mask names; the
    counters are what `ixgbe_update_stats` reads. A frame with an error symbol in it has a wrong FCS as well.
    """

    ERRORS: ClassVar[Mapping[str, BadFrame]] = {
        "crc": BadFrame(CE, "CE", "rx_crc_errors"),
        "length": BadFrame(LE, "LE", "rx_length_errors"),
        "symbol": BadFrame(PE | CE, "PE, CE", "rx_crc_errors"),
        "undersize": BadFrame(USE, "USE", "rx_short_length_errors"),
        "oversize": BadFrame(OSE, "OSE", "rx_long_length_errors"),
    }
    __slots__ = ("ring",)
    REGISTERS = (("rdh", "RDH"), ("rdt", "RDT"))
    TOLD_BY = "nic.RDT"

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.ring = cast("RxRing", m.ring)

    def write_part(self, frame: Frame) -> None:
        """Fill one buffer and write its descriptor back."""
        m, ring = self.m, self.ring
        slot, sent = self.rdh, self.sent
        page = ring.rx_buffer_info[slot].page
        # The address comes from the descriptor, not from the driver's shadow: whatever was posted is what is written.
        address, _ = unpack_read(ring.desc, slot * SIZE)
        size = frame.wire_len - sent
        eop = size <= self.dma_size
        if not eop:
            size = self.dma_size
        if page is None:
            self.write_astray(frame, slot, size, eop)
            return
        offset = address - page.dma
        m.lamps.dma(page, offset, size, frame)
        self.write_buffer(page, offset, frame.data if eop and not sent else frame.data[sent : sent + size], frame, slot)
        m.note(steps.NIC_DMA, frame, slot, page, None, (offset, size))
        found = frame.status
        if found > NO_ERROR:
            found = m.config.rules.status_bits.encode(found)
        status = DD | EOP | found if eop else DD
        pack_writeback(ring.desc, slot * SIZE, frame.pkt_info, 0, frame.hash, status, size, frame.vlan)
        self.rdh = slot + 1 if slot + 1 < ring.count else 0
        self.finish_part(frame, slot, size, eop)
        m.note(steps.NIC_WRITEBACK, frame, slot, page, None, (size, eop))
        self.written_back(slot, frame)
        if not self.irq_masked and not self.irq_armed:
            self.arm()

    def write_astray(self, frame: Frame, slot: int, size: int, eop: bool) -> None:
        """Follow a descriptor that nobody posted: whatever its address is, the driver has no buffer there."""
        m, ring = self.m, self.m.ring
        m.lamps.light("dma_inside_buffer")
        m.note(steps.WORLD_ASTRAY, frame, slot, None, None, (size,))
        pack_writeback(ring.desc, slot * SIZE, frame.pkt_info, 0, frame.hash, DD | (EOP if eop else 0), size, 0)
        self.rdh = slot + 1 if slot + 1 < ring.count else 0
        self.finish_part(frame, slot, size, eop)
        if not self.irq_masked and not self.irq_armed:
            self.arm()

    @property
    def given(self) -> int:
        """How many slots, from the driver's place on, the NIC was told of: up to RDT, not up to next_to_use."""
        return (self.rdt - self.ring.next_to_clean) % self.ring.count

    @property
    def written(self) -> int:
        """How many of these are written back."""
        return min((self.rdh - self.ring.next_to_clean) % self.ring.count, self.given)

    def whole_frames(self) -> int:
        """Frames that are written back whole and that the driver has not come to yet."""
        ring = self.ring
        ready = (self.rdh - ring.next_to_clean) % ring.count
        slots = [(ring.next_to_clean + i) % ring.count for i in range(ready)]
        return sum(1 for slot in slots if status_error(ring.desc, slot) & EOP)

    def counters(self) -> dict[str, int]:
        """Return the NIC's own counters, by the names that `ethtool -S` has for them."""
        bad = self.bad_by_counter()
        return {
            "rx_missed_errors": self.rx_missed_errors,
            "rx_no_dma_resources": self.rx_no_dma_resources,
            "rx_errors": bad["rx_crc_errors"] + bad["rx_length_errors"],
            **bad,
        }
