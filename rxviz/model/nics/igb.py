"""The NICs that igb drives, as the 82576 is: what they do otherwise than an 82599.

Source: drivers/net/ethernet/intel/igb/{igb_main.c (igb_update_stats, igb_set_rx_mode), igb_ethtool.c}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model.geometry import ETH_FCS_LEN
from rxviz.model.nics.intel import IntelNic

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine


class IgbNic(IntelNic):
    """A gigabit NIC with one global limit for the length of a frame (RLPML)."""

    __slots__ = ("rx_no_buffer_count",)

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rx_no_buffer_count = 0
        """Frames that found no descriptor posted (RNBC); they wait, and only some of them are lost."""

    def longest_frame(self, data: bytes) -> int:
        """Return the longest frame, without FCS, that the MAC lets in: RLPML counts VLAN tags like all the rest."""
        return self.m.config.geometry.max_frame - ETH_FCS_LEN

    def wait(self, frame: Frame) -> None:
        """Let a frame wait in the packet buffer, and count it."""
        self.rx_no_buffer_count += 1
        super().wait(frame)

    def counters(self) -> dict[str, int]:
        """Return the NIC's own counters, by the names that `ethtool -S` has for them.

        A frame that the packet buffer had no room for (MPC) counts twice: as missed, and as a FIFO error.
        """
        return {
            "rx_missed_errors": self.rx_missed_errors,
            "rx_no_buffer_count": self.rx_no_buffer_count,
            "rx_fifo_errors": self.rx_missed_errors,
            "rx_length_errors": self.rx_length_errors,
        }
