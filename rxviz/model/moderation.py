"""Interrupt moderation that the driver adapts by itself: three algorithms, in the driver's own order and units.

Source: drivers/net/ethernet/intel/ixgbe/ixgbe_main.c (`ixgbe_update_itr`, `ixgbe_set_itr`; another one up to 4.13 than
from 4.15 on) and igb/igb_main.c (`igb_update_itr`, `igb_set_itr`, `igb_write_itr`). A delay is kept in quarters of a
microsecond, as the EITR register takes it. The vector has a transmit side too, on which nothing is ever sent here
(badge M); where it has a say, it has it as in the kernel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rxviz.model import steps
from rxviz.model.kernel import IntelRules, IxgbeRules

if TYPE_CHECKING:
    from rxviz.model.machine import Machine

QUARTER_NS = 250
QUARTERS = 4
"""Of a microsecond."""
LATENCY = 0x80
"""IXGBE_ITR_ADAPTIVE_LATENCY: set where what counts is to be called early."""
LOWEST, LOW, BULK = 0, 1, 2
"""Classes: lowest_latency, low_latency, bulk_latency."""


class Moderation:
    """The delay of one vector: `itr` in quarters of a µs, and what has come since it was last looked at.

    This one never changes; it is for drivers whose moderation is fixed.
    """

    __slots__ = ("bytes_seen", "itr", "m", "packets")

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.itr = 0
        self.packets = 0
        self.bytes_seen = 0
        """The driver's count of bytes when this was last cleared."""

    @property
    def ns(self) -> int:
        """The least time between two interrupts."""
        return self.itr * QUARTER_NS

    @property
    def bytes(self) -> int:
        """Bytes since the counts were last cleared."""
        return self.m.driver.rx_bytes - self.bytes_seen

    def clear_counts(self) -> None:
        """Begin to count anew."""
        self.packets = 0
        self.bytes_seen = self.m.driver.rx_bytes

    def update(self) -> None:
        """A poll has found its queue empty: look at what came, and set the delay anew."""

    def at_interrupt(self) -> None:
        """The vector's handler runs."""

    def tell(self, new: int, packets: int, size: int, reason: str) -> None:
        """Say that the delay changes to `new`; `packets` and `size` (bytes) are what it was decided by."""
        old, self.itr = self.itr, new
        self.m.step(steps.ITR_UPDATE, None, -1, None, None, (old, new, packets, size, reason))


class ThreeClasses(Moderation):
    """ixgbe up to 4.13: a class by bytes per µs, one step at a time, and a smoothed delay.

    The transmit side stays in the lowest class, and the slower of the two counts.
    """

    __slots__ = ("latency", "rules")

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rules = cast(IntelRules, m.config.rules)
        self.itr = self.rules.itr_start
        self.latency = LOWEST

    def update(self) -> None:
        """Move by at most one class (`ixgbe_update_itr`), then towards its delay (`ixgbe_set_itr`)."""
        packets, size = self.packets, self.bytes
        timepassed_us = self.itr // QUARTERS
        if packets and timepassed_us:
            self.latency = self._class(size // timepassed_us)
            self.clear_counts()
        rules = self.rules
        new = (rules.itr_lowest, rules.itr_low, rules.itr_bulk)[self.latency]
        if new != self.itr:
            new = (10 * new * self.itr) // (9 * new + self.itr)
            if new != self.itr:
                self.tell(new, packets, size, ("lowest", "low", "bulk")[self.latency])

    def _class(self, bytes_per_us: int) -> int:
        if self.latency == LOWEST:
            return LOW if bytes_per_us > 10 else LOWEST
        if self.latency == LOW:
            return BULK if bytes_per_us > 20 else LOWEST if bytes_per_us <= 10 else LOW
        return LOW if bytes_per_us <= 20 else BULK


class PacketsPerInterrupt(Moderation):
    """ixgbe from 4.15 on: the delay is moved until some 48 to 95 packets come with an interrupt."""

    __slots__ = ("next_update", "rules", "rx_itr", "tx_itr")

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rules = cast(IxgbeRules, m.config.rules)
        self.itr = self.rules.itr_start
        self.rx_itr = self.tx_itr = self.rules.itr_max_us | LATENCY
        self.next_update = -1
        """The last jiffy in which an update is in time; none ever is at first."""

    def update(self) -> None:
        """Look at both sides (`ixgbe_update_itr`); the smaller delay is set (`ixgbe_set_itr`)."""
        packets, size, jiffies = self.packets, self.bytes, self.m.softirq.jiffies
        self.tx_itr, _ = self._update_itr(0, 0, jiffies, self.tx_itr)
        self.rx_itr, reason = self._update_itr(packets, size, jiffies, self.rx_itr)
        self.next_update = jiffies + 1
        self.clear_counts()
        new = (min(self.rx_itr, self.tx_itr) & ~LATENCY) * QUARTERS
        if new != self.itr:
            self.tell(new, packets, size, reason if self.rx_itr <= self.tx_itr else "idle")

    def _update_itr(self, packets: int, size: int, jiffies: int, before: int) -> tuple[int, str]:
        """Return a side's new delay in µs, with its flag, and why."""
        rules = self.rules
        if jiffies > self.next_update:
            return rules.itr_min_us | LATENCY, "late"
        if not packets:
            return self._slower() + (before & LATENCY), "idle"
        if packets < 4 and size < 9000:
            return self._by_size(size // packets, LATENCY), "latency"
        if packets < 256:
            return self._by_packets(packets)
        return self._by_size(size // packets, 0), "bulk"

    def _slower(self) -> int:
        """The present delay and a little more, in µs."""
        return min(self.itr // QUARTERS + self.rules.itr_step_us, self.rules.itr_max_us)

    def _by_packets(self, packets: int) -> tuple[int, str]:
        """Grow where too few came for one interrupt, halve where too many did."""
        if packets < 48:
            return self._slower(), "few"
        if packets < 96:
            return self.itr // QUARTERS, "right"
        return max(self.itr // (2 * QUARTERS), self.rules.itr_min_us), "many"

    def _by_size(self, avg_wire_size: int, flag: int) -> int:
        """The delay that suits frames of a size, at 10 Gbit/s; half of it where latency counts."""
        if avg_wire_size <= 60:
            scaled = 5120
        elif avg_wire_size <= 316:
            scaled = avg_wire_size * 40 + 2720
        elif avg_wire_size <= 1084:
            scaled = avg_wire_size * 15 + 11452
        elif avg_wire_size < self.rules.itr_plateau:
            scaled = avg_wire_size * 5 + 22420
        else:
            scaled = 32256
        step = self.rules.itr_step_us
        if flag:
            scaled >>= 1
        return flag + -(-scaled // (step * 256)) * step


class Igb(Moderation):
    """igb with one queue on a link of 1 Gbit/s, in its cautious setting (`rx_itr_setting` 3), which is the default.

    What is decided after a poll is written to the register only by the next interrupt's handler.
    """

    __slots__ = ("latency", "rules", "written")

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.rules = cast(IntelRules, m.config.rules)
        self.itr = self.written = self.rules.itr_start
        self.latency = LOWEST

    @property
    def ns(self) -> int:
        """The least time between two interrupts: what the register holds."""
        return self.written * QUARTER_NS

    def update(self) -> None:
        """Choose a class (`igb_update_itr`); the cautious setting takes the lowest for low (`igb_set_itr`)."""
        packets, size = self.packets, self.bytes
        if packets:
            self.latency = self._class(packets, size)
            self.clear_counts()
        chosen = max(self.latency, LOW)
        new = self.rules.itr_low if chosen == LOW else self.rules.itr_bulk
        # The kernel smooths a growing delay, but takes the larger of the smoothed value and the new one: the new one.
        if new != self.itr:
            self.tell(new, packets, size, "low" if chosen == LOW else "bulk")

    def at_interrupt(self) -> None:
        """Write the register (`igb_write_itr`)."""
        self.written = self.itr

    def _class(self, packets: int, size: int) -> int:
        average = size // packets
        if self.latency == LOWEST:
            return BULK if average > 8000 else LOW if packets < 5 and size > 512 else LOWEST
        if self.latency == LOW:
            return self._from_low(packets, size, average)
        if size > 25000:
            return LOW if packets > 35 else BULK
        return LOW if size < 1500 else BULK

    def _from_low(self, packets: int, size: int, average: int) -> int:
        if size > 10000:
            if average > 8000 or packets < 10 or average > 1200:
                return BULK
            return LOWEST if packets > 35 else LOW
        if average > 2000:
            return BULK
        return LOWEST if packets <= 2 and size < 512 else LOW


_ALGORITHMS = {"three classes": ThreeClasses, "packets per interrupt": PacketsPerInterrupt, "igb": Igb}


def make_moderation(m: Machine) -> Moderation:
    """Return the algorithm of the driver's kernel."""
    return _ALGORITHMS.get(m.config.rules.itr_algorithm, Moderation)(m)
