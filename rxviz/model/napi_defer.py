"""What `napi_complete_done` decides on interrupts and on the flush timer, whether GRO holds anything or not.

Source: net/core/dev.c (`napi_complete_done`; the deferral of interrupts since 5.8).
"""

from __future__ import annotations


class Deferral:
    """A device's `gro_flush_timeout` (ns) and `napi_defer_hard_irqs`, and how many deferrals are `left`."""

    __slots__ = ("defer_hard_irqs", "flush_timeout", "left")

    def __init__(self, flush_timeout: int, defer_hard_irqs: int) -> None:
        self.flush_timeout = flush_timeout
        self.defer_hard_irqs = defer_hard_irqs
        self.left = 0

    def decide(self, work: int, held: int) -> tuple[bool, int]:
        """Return whether interrupts may be let in again, and in how many ns a timer polls anew (0 for none).

        `work` is what the poll has done, `held` how many packets GRO still has.
        """
        timeout = 0
        if work:
            if held:
                timeout = self.flush_timeout
            self.left = self.defer_hard_irqs
        if self.left > 0:
            self.left -= 1
            timeout = self.flush_timeout
            return not timeout, timeout
        return True, timeout
