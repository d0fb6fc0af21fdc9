"""LRO in the place of GRO, its decisions in GRO's words, so that both can be shown alike."""

from __future__ import annotations

from rxviz.model.gro import rules
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.lro import Lro
from rxviz.model.gro.lro_check import from_card
from rxviz.model.gro.packet import GroPacket
from rxviz.model.gro.rules import Rule
from rxviz.model.gro.trace import Decision, Verdict


class LroInstead:
    """An LRO manager as mv643xx_eth had one: what the card does not vouch for goes by it."""

    def __init__(self, mtu: int) -> None:
        self.lro = Lro(mtu=mtu)

    def receive(self, skb: GroPacket) -> Decision:
        """Take one packet and decide on it."""
        if problem := from_card(skb):
            self.lro.pass_on(skb, problem)
            return Decision(skb.id, Verdict.NORMAL, problem, None, None, [problem])
        frame, taken, why, into, flushed = self.lro.receive(skb)
        verdict = Verdict.NORMAL if not taken else Verdict.HELD if into is None else Verdict.MERGED
        return Decision(frame, verdict, why, into, flushed, [why])

    def budget_used(self) -> None:
        """The driver ends its round, and LRO's packets with it."""
        self.lro.flush_all()

    def flush(self, only_old: bool = False, left: Rule = rules.POLL_END) -> None:
        """Let all packets go."""
        self.lro.flush_all()

    def normal_list(self) -> None:
        """Nothing waits for a batch."""

    def take(self) -> list[Delivered]:
        """Return what the stack has got since the last time, in order."""
        return self.lro.take()
