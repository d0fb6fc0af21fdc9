"""The NICs that igb drives, as the 82576 is: what they do otherwise than an 82599.

Source: drivers/net/ethernet/intel/igb/{igb_main.c (igb_update_stats, igb_set_rx_mode), igb_ethtool.c,
e1000_defines.h}.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rxviz.model.descriptor import CE, OSE, PE, USE
from rxviz.model.geometry import ETH_FCS_LEN
from rxviz.model.nic import BadFrame
from rxviz.model.nics.intel import IntelNic


class IgbNic(IntelNic):
    """A gigabit NIC with one global limit for the length of a frame (RLPML).

    The bits are those of a frame; its write-back has CE for a wrong FCS and RXE for all else. A frame whose length
    field is wrong is no error that `ethtool -S` tells of. A frame with an error symbol in it has a wrong FCS as well.
    """

    __slots__ = ()
    ERRORS: ClassVar[Mapping[str, BadFrame]] = {
        "crc": BadFrame(CE, "CE", "rx_crc_errors"),
        "symbol": BadFrame(PE | CE, "RXE, CE", "rx_crc_errors"),
        "undersize": BadFrame(USE, "RXE", "rx_short_length_errors"),
        "oversize": BadFrame(OSE, "RXE", "rx_long_length_errors"),
    }
    NO_DESCRIPTOR = "rx_queue_0_drops"

    def longest_frame(self, data: bytes) -> int:
        """Return the longest frame, without FCS, that the MAC lets in: RLPML counts VLAN tags like all the rest."""
        return self.m.config.geometry.max_frame - ETH_FCS_LEN

    def counters(self) -> dict[str, int]:
        """Return the NIC's own counters, by the names that `ethtool -S` has for them.

        A frame that found no room (MPC) or too few descriptors (RQDPC) counts twice: there, and as a FIFO error.
        """
        bad = self.bad_by_counter()
        return {
            "rx_missed_errors": self.rx_missed_errors,
            "rx_no_buffer_count": self.rx_no_buffer_count,
            "rx_fifo_errors": self.rx_missed_errors + self.rx_no_dma_resources,
            "rx_errors": sum(bad.values()),
            **bad,
            "rx_queue_0_drops": self.rx_no_dma_resources,
        }
