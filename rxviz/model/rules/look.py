"""What a driver would do if a rule did not hold about how it finds frames, and how it counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.geometry import ETH_FCS_LEN
from rxviz.model.rules.doubt import DoubtingIgb, DoubtingIntel, DoubtingIxgbe
from rxviz.model.rules.owner import DoubtingMv643xx

if TYPE_CHECKING:
    from rxviz.model.machine import Machine
    from rxviz.model.skb import SkBuff

STACK = "netif_receive_skb"


class AsksRdh(DoubtingIntel):
    """The driver asks the NIC how far it is, by reading RDH, and looks into memory only where there is something.

    A register read makes the CPU wait for the bus, which takes a time of the cost profile. That on hardware RDH may be
    ahead of what is in memory is not modelled (badge M).
    """

    __slots__ = ()

    def clean_rx_irq(self, budget: int) -> int:
        """Take as many descriptors as RDH says, and ask again."""
        m, ring, done = self.m, self.ring, 0
        while done < budget and not m.halted:
            rdh, before = m.nic.rdh, ring.next_to_clean
            ready = (rdh - before) % ring.count
            m.step(steps.WORLD_REGISTER, None, rdh, None, None, (rdh,))
            if not ready:
                self.refill()
                break
            done += super().clean_rx_irq(min(ready, budget - done))
            if ring.next_to_clean == before:
                break
        return done

    def refill(self) -> None:
        """Post what is free, as the driver does before its last look of a poll."""
        unused = self.ring.desc_unused()
        if unused >= self.m.config.refill:
            self.m.step(steps.RING_REFILL, None, -1, None, None, (unused, False))
            self.alloc_rx_buffers(unused)


class TestsStatus(DoubtingIntel):
    """A descriptor is done when its DD bit is set: the status is read first, and then the length."""

    __slots__ = ()

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.done_by_status = True


class CountsDescriptors(DoubtingIntel):
    """The budget counts descriptors: a buffer in which a frame does not end costs as much as one in which it does."""

    __slots__ = ()
    PART_WORK = 1


class PartForgotten(DoubtingIxgbe):
    """What a poll has begun it must end."""

    __slots__ = ()

    def clean_rx_irq(self, budget: int) -> int:
        """Free the skb that waits at the next slot for the rest of its frame."""
        work = super().clean_rx_irq(budget)
        buffer = self.ring.rx_buffer_info[self.ring.next_to_clean]
        skb, buffer.skb = buffer.skb, None
        _free_part(self, skb)
        return work


class PartForgottenIgb(DoubtingIgb):
    """What a poll has begun it must end."""

    __slots__ = ()

    def clean_rx_irq(self, budget: int) -> int:
        """Free the skb that waits with the ring for the rest of its frame."""
        work = super().clean_rx_irq(budget)
        skb, self.ring.skb = self.ring.skb, None
        _free_part(self, skb)
        return work


def _free_part(driver: DoubtingIntel, skb: SkBuff | None) -> None:
    """Free what a poll has of a frame that goes on, where it has anything."""
    if skb is not None:
        sentence = "The poll is over, and the driver frees the part of a frame that it has."
        driver.say(sentence, skb.frame, driver.ring.next_to_clean, None, skb)
        driver.free_skb(skb)


class SyncsFrameForDevice(DoubtingIntel):
    """A buffer is synced for the device only as far as a frame may reach."""

    __slots__ = ()

    def __init__(self, m: Machine) -> None:
        super().__init__(m)
        self.device_sync = min(self.device_sync, self.geometry.max_frame - ETH_FCS_LEN)


class RscKeepsBuffers(DoubtingIxgbe):
    """RSC (LRO in the NIC) is no reason for other buffers: the layout is chosen as without it (`Scenario.geometry`)."""

    __slots__ = ()


class GroAnyway(DoubtingMv643xx):
    """`ethtool gro on` is all it takes."""

    __slots__ = ()

    def deliver_skb(self, skb: SkBuff, slot: int, cmd_sts: int) -> None:
        """Say so where the driver calls the stack, and GRO gets the skb all the same."""
        if self.m.gro is not None and self.m.config.deliver == STACK:
            self.say(
                "The driver calls netif_receive_skb, and GRO gets the skb all the same.", skb.frame, slot, None, skb
            )
        super().deliver_skb(skb, slot, cmd_sts)
