"""Who pays: each cost of a run on the bill of the frame that it was for, and what was for no frame on the run's own.

A step tells of what was done just before it, and names the frame in hand; whatever the ledger gained since the step
before is that frame's. Refills, tail writes and looks at descriptors that are not done belong to no frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rxviz.model.ledger import COUNTS

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.machine import Machine
    from rxviz.model.memory import Page
    from rxviz.model.skb import SkBuff


@dataclass(slots=True)
class Bill:
    """What was paid so far: amounts by the ledger's names, and ns of the CPU's time on the model's clock."""

    amounts: list[int]
    ns: int = 0

    def __getitem__(self, name: str) -> int:
        return self.amounts[COUNTS.index(name)]

    def as_dict(self) -> dict[str, int]:
        """Return the amounts by name."""
        return dict(zip(COUNTS, self.amounts, strict=True))


def empty() -> Bill:
    """Return a bill with nothing on it."""
    return Bill([0] * len(COUNTS))


class Bills:
    """The bills of a machine from now on: it is given to the machine as its watcher.

    `set_up` is what had been paid before; the amounts of `frames`, of `run` and of it add up to the ledger's.
    """

    def __init__(self, m: Machine) -> None:
        self.m = m
        self.set_up = Bill([*m.ledger.values()])
        self.frames: dict[int, Bill] = {}
        self.run = empty()
        self._paid = m.ledger.values()
        self._other_ns = m.copy_ns + m.csum_ns

    def watch(
        self,
        kind: int,
        frame: Frame | None,
        slot: int,
        page: Page | None,
        skb: SkBuff | None,
        fields: tuple[Any, ...],
    ) -> None:
        """Let the frame of a step pay for what was done since the last one."""
        bill = self.run
        if frame is not None:
            known = self.frames.get(frame.id)
            bill = known if known is not None else self.frames.setdefault(frame.id, empty())
        bill.ns += self.m.costs[kind]
        self._pay(bill)

    def finish(self) -> None:
        """Put what no step told of on the run's own bill."""
        self._pay(self.run)

    def _pay(self, bill: Bill) -> None:
        m = self.m
        now, other_ns = m.ledger.values(), m.copy_ns + m.csum_ns
        if now != self._paid:
            amounts = bill.amounts
            for i, (new, old) in enumerate(zip(now, self._paid, strict=True)):
                if new != old:
                    amounts[i] += new - old
            self._paid = now
        bill.ns += other_ns - self._other_ns
        self._other_ns = other_ns
