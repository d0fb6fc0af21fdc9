"""What was asked about a packet, and what was decided."""

from __future__ import annotations

from collections.abc import Set
from enum import IntEnum
from typing import NamedTuple

from rxviz.model.gro.rules import Rule

Value = int | bytes
"""What a rule compares: a number, or bytes as they stand in the header."""


class Verdict(IntEnum):
    """`enum gro_result`: what becomes of the arriving packet."""

    MERGED = 0
    MERGED_FREE = 1
    HELD = 2
    NORMAL = 3
    CONSUMED = 4


class Check(NamedTuple):
    """A rule that was asked: the arriving packet's value, and the held one's (or the limit).

    `held` is the frame that the held packet started with, -1 where no held packet took part.
    """

    rule: Rule
    passed: bool
    new: Value
    old: Value
    held: int


class Decision(NamedTuple):
    """What became of one frame.

    `into` is the first frame of the packet it joined, `flushed` the first frame of a packet that left because of it.
    `checks` are all rules asked, in the kernel's order (those passed only where the engine was told to keep them).
    """

    frame: int
    verdict: Verdict
    why: Check
    into: int | None
    flushed: int | None
    checks: list[Check]


class Inquiry:
    """Asks rules one after the other and keeps the answers. A rule that is switched off passes always.

    While it is `quiet`, rules that pass leave no trace; so where nothing differs at all, they need not be asked singly.
    """

    __slots__ = ("checks", "off", "quiet")

    def __init__(self, off: Set[Rule], keep_passed: bool) -> None:
        self.off = frozenset(rule for rule in off if not rule.needed)
        self.quiet = not keep_passed
        self.checks: list[Check] = []

    def holds(self, rule: Rule, passed: bool, new: Value = 0, old: Value = 0, held: int = -1) -> bool:
        """Note the answer to `rule`, and return it; both values are only for the record."""
        if passed:
            if not self.quiet:
                self.checks.append(Check(rule, True, new, old, held))
            return True
        ignored = rule in self.off
        if not ignored or not self.quiet:
            self.checks.append(Check(rule, ignored, new, old, held))
        return ignored

    def same(self, rule: Rule, new: Value, old: Value, held: int) -> bool:
        """Ask whether the arriving and the held packet agree."""
        if new == old and self.quiet:
            return True
        return self.holds(rule, new == old, new, old, held)
