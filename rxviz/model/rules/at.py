"""Where a rule acts: the parts of the receive path, in the order in which a frame comes by them."""

from __future__ import annotations

from enum import StrEnum

from rxviz.model.gro.rules import RULES, Kind


class At(StrEnum):
    """A part of the receive path, as a list of rules heads it. A rule names one; it is listed there and nowhere else.

    Those of GRO are its kinds of questions: what a rule decides about, and not the function that asks it.
    """

    NIC = "the NIC and its DMA"
    RING = "the descriptor ring"
    IRQ = "interrupts and NAPI"
    SYNC = "mapping and sync"
    RECEIVE = "the driver's receive routine"
    PAGES = "pages, halves and prepaid references"
    SKB = "the skb and its shared info"
    TPA = "the card's aggregations (TPA)"
    LRO = "LRO and the bridge"
    GRO_TAKES = "GRO: is the frame taken up at all?"
    GRO_FLOW = "GRO: is it of the same flow?"
    GRO_JOINS = "GRO: may it join what is held?"
    GRO_HOLDS = "GRO: may it be held or merged?"
    GRO_ENDS = "GRO: may more join after it?"
    GRO_KEEPS = "GRO: what it holds, and how long"
    SOCKET = "the socket and what it charges"


_KINDS = {
    Kind.EXIT: At.GRO_TAKES,
    Kind.IDENTITY: At.GRO_FLOW,
    Kind.REFUSAL: At.GRO_JOINS,
    Kind.CONDEMN: At.GRO_HOLDS,
    Kind.CLOSE: At.GRO_ENDS,
}


def at_in_gro(name: str) -> At:
    """Return where one of GRO's rules acts: its questions by their kind, what is no question at what GRO holds."""
    return _KINDS.get(RULES[name].kind, At.GRO_KEEPS) if name in RULES else At.GRO_KEEPS
