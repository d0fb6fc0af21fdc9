"""Why did (or would) two frames not merge: every rule in the order in which the kernel asks, and the smallest change to
the second frame that would have let them, found by trying.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from rxviz.model.gro import words
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.packet import ETH_HLEN, GroPacket
from rxviz.model.gro.rules import RULES, Kind, Rule
from rxviz.model.gro.trace import Check, Decision, Verdict
from rxviz.run.gro import ArrivingFrame, GroOptions, GroReplay
from rxviz.run.gro_edits import Change, Second, edits
from rxviz.run.gro_kernels import gro_rules

_MERGED = (Verdict.MERGED, Verdict.MERGED_FREE)


class State(StrEnum):
    """What became of a rule."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"


@dataclass(frozen=True, slots=True)
class Asked:
    """A rule between two frames, with both values as a person reads them."""

    rule: Rule
    state: State
    new: str
    old: str

    def sentence(self) -> str:
        """Return what the rule asks, or what failing it means here."""
        if self.state is State.FAILED:
            return self.rule.fails.format(new=self.new, old=self.old)
        return self.rule.asks


@dataclass(frozen=True, slots=True)
class Why:
    """`merges` says whether the second frame joins the first; `smallest` how little would do, None if nothing small."""

    decision: Decision
    asked: list[Asked]
    smallest: tuple[Change, ...] | None

    @property
    def merges(self) -> bool:
        """Whether they merge as they are."""
        return self.decision.verdict in _MERGED

    @property
    def in_the_way(self) -> list[Asked]:
        """The rules that failed, in order; what ends a packet only after merging is none of them."""
        failed = [asked for asked in self.asked if asked.state is State.FAILED]
        return [asked for asked in failed if not (self.merges and asked.rule.kind is Kind.CLOSE)]


def why(first: ArrivingFrame, second: ArrivingFrame, options: GroOptions | None = None) -> Why:
    """Ask GRO about two frames, the first held and the second arriving."""
    replay = GroReplay(options, keep_passed=True)
    trial = _Trial(replay)
    held, new = replay.packet(0, first), replay.packet(1, second)
    decision = trial.decide(held, new)
    asked = _in_order(decision.checks, trial.all_rules(held, new))
    smallest: tuple[Change, ...] | None = ()
    if decision.verdict not in _MERGED:
        smallest = _smallest(trial, held, new)
    return Why(decision, asked, smallest)


def _in_order(real: list[Check], full: list[Check]) -> list[Asked]:
    """Lay what was asked beside all that could have been asked had every rule passed."""
    answered = {check.rule: check for check in real}
    listed, asked = set(), []
    for check in [*full, *real]:
        rule = check.rule
        if rule in listed:
            continue
        listed.add(rule)
        found = answered.get(rule)
        state = State.NOT_REACHED if found is None else State.PASSED if found.passed else State.FAILED
        new, old = words.value(found or check)
        asked.append(Asked(rule, state, new, old))
    return asked


class _Trial:
    """Sends two packets through a fresh GRO, as often as is wanted."""

    def __init__(self, replay: GroReplay) -> None:
        self.options = replay.options
        self.kernel = gro_rules(replay.options.kernel)
        self.off = replay.options.rules_off()
        self.maker = replay.maker

    def decide(self, held: GroPacket, new: GroPacket) -> Decision:
        """Return what becomes of `new` when `held` has come before it; the packets given are not used up."""
        gro = Gro(self.kernel, self.options.config, off=self.off)
        gro.receive(self._fresh(held))
        return gro.receive(self._fresh(new))

    def all_rules(self, held: GroPacket, new: GroPacket) -> list[Check]:
        """Return the rules in the order in which they are asked when none fails."""
        gro = Gro(self.kernel, self.options.config, off=frozenset(RULES.values()))
        gro.receive(self._fresh(held))
        return gro.receive(self._fresh(new)).checks

    def place(self, new: GroPacket) -> GroPacket:
        """Return the packet read as far as GRO reads it, whatever is wrong with it."""
        read = self._fresh(new)
        Gro(self.kernel, self.options.config, off=frozenset(RULES.values())).receive(read)
        return read

    def changed(self, number: int, second: Second) -> GroPacket:
        """Return a packet made of a changed frame."""
        packet = self.maker.packet(number, second.frame, second.length, hash=second.hash, tag=second.tag)
        packet.ip_summed = second.ip_summed
        packet.gso_size = second.gso_size
        return packet

    def _fresh(self, p: GroPacket) -> GroPacket:
        return self.changed(p.id, _as_second(p))


def _as_second(p: GroPacket) -> Second:
    return Second(p.mac + p.data, p.len + ETH_HLEN, p.tag, p.hash, p.ip_summed, 0)


# ------------------------------------------------------------------------------------------------- the smallest change
def _smallest(trial: _Trial, held: GroPacket, new: GroPacket) -> tuple[Change, ...] | None:
    """Try every single change, then every pair of changes to different fields."""
    tries = list(edits(trial.place(held), trial.place(new)))
    plain = _as_second(new)
    for edit in tries:
        if _joins(trial, held, edit.apply(plain)):
            return (edit.change,)
    for one, other in combinations(tries, 2):
        if one.change.field != other.change.field and _joins(trial, held, other.apply(one.apply(plain))):
            return one.change, other.change
    return None


def _joins(trial: _Trial, held: GroPacket, second: Second) -> bool:
    return trial.decide(held, trial.changed(1, second)).verdict in _MERGED
