"""What would happen at the socket, and below it for its sake, if a rule about what it charges did not hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.nic import Nic
from rxviz.model.socket import Socket

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.skb import SkBuff


class ChargesLength(Socket):
    """A datagram takes as much of the socket's limit as it is long."""

    __slots__ = ()

    def charge_of(self, skb: SkBuff) -> int:
        """Charge its bytes, whatever it keeps busy."""
        return skb.len

    def enqueue(self, skb: SkBuff) -> None:
        """Say what is counted."""
        sentence = f"The socket counts {skb.len:,} bytes for the skb, and not its truesize of {skb.truesize:,}."
        self.m.note(steps.WORLD_ACT, skb.frame, -1, skb.head_page, skb, (sentence,))
        super().enqueue(skb)


class ReleasesAtOnce(Socket):
    """What is read makes room at once."""

    __slots__ = ()

    def release_charge(self, truesize: int) -> None:
        """Stop charging it as it is read, and keep no batch of it."""
        self.charged -= truesize
        sentence = f"The socket stops charging {truesize:,} bytes at once: {self.charged:,} are left."
        self.m.note(steps.WORLD_ACT, None, -1, None, None, (sentence,))


class NicFeelsSocket(Nic):
    """A full socket makes the NIC drop."""

    __slots__ = ()

    def receive(self, frame: Frame) -> None:
        """Drop the frame at the NIC where the socket has no room for another skb like the largest so far."""
        m = self.m
        if not m.socket.is_full(m.ledger.truesize_max):
            super().receive(frame)
            return
        self.rx_missed_errors += 1
        sentence = f"The socket is full, so the NIC drops the frame: {self.MISSED} {self.rx_missed_errors:,}."
        m.note(steps.WORLD_ACT, frame, -1, None, None, (sentence,))
