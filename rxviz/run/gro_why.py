"""Why did (or would) two frames not merge: every rule in the order in which the kernel asks, and the smallest change to
the second frame that would have let them, found by trying.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations

from rxviz.model.gro import words
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.packet import ETH_HLEN, GroPacket
from rxviz.model.gro.rules import RULES, Kind, Rule
from rxviz.model.gro.trace import Check, Decision, Verdict
from rxviz.run.gro import ArrivingFrame, GroOptions, GroReplay
from rxviz.run.gro_edits import Change, Edit, Second, edits
from rxviz.run.gro_kernels import gro_rules

_MERGED = (Verdict.MERGED, Verdict.MERGED_FREE)


class State(StrEnum):
    """What became of a rule."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_REACHED = "not reached"
    OFF = "switched off"
    """Whatever it would say, it passes."""


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
    """`first` is what became of the frame before (only a held one can be joined), `decision` of the one asked about.

    `smallest` is how little a change would have let it join: none where it does, None where nothing would. None of
    these changes can be left out.
    """

    first: Decision
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
    """Ask GRO about two frames, the first held and the second arriving, as if nothing else were there."""
    replay = GroReplay(options, keep_passed=True)
    return explain(Trial(replay, [replay.packet(0, first)]), replay.packet(1, second))


def why_in_poll(
    frames: Sequence[ArrivingFrame], n: int, options: GroOptions | None = None, *, against: int | None = None
) -> Why | None:
    """Ask GRO about frame `n` of a poll and a packet that it holds as that frame arrives.

    `frames` are those of the poll, at least up to `n`. `against` is any frame of the held packet; without it, the one
    that gets furthest in the questions is taken. None when nothing is held then, or not the packet asked for.
    """
    replay = GroReplay(options, keep_passed=True)
    packets = [replay.packet(number, frame) for number, frame in enumerate(frames[: n + 1])]
    gro = replay.gro
    for packet in Trial(replay, packets[:n]).fresh_before():
        gro.receive(packet)
    held = [p for bucket in gro.buckets for p in bucket]
    if against is not None:
        held = [p for p in held if against in p.segments]
    if not held:
        return None
    segments = [list(p.segments) for p in held]
    trials = [Trial(replay, [packets[number] for number in numbers]) for numbers in segments]
    return explain(max(trials, key=lambda trial: trial.questions(packets[n])), packets[n])


def explain(trial: Trial, new: GroPacket) -> Why:
    """Say all that there is to say of a packet that comes after those of a trial."""
    first, decision = trial.decide(new)
    asked = in_order(decision.checks, trial.all_rules(new), trial.off)
    smallest: tuple[Change, ...] | None = ()
    if decision.verdict not in _MERGED:
        smallest = _smallest(trial, new)
    return Why(first, decision, asked, smallest)


def in_order(real: list[Check], full: list[Check], off: Set[Rule] = frozenset()) -> list[Asked]:
    """Lay what was asked beside all that could have been asked had every rule passed; rules in `off` are not asked."""
    answered = {check.rule: check for check in real}
    listed, asked = set(), []
    for check in [*full, *real]:
        rule = check.rule
        if rule in listed:
            continue
        listed.add(rule)
        found = answered.get(rule)
        state = State.NOT_REACHED if found is None else State.PASSED if found.passed else State.FAILED
        if rule in off and found is not None:
            state = State.OFF
        new, old = words.value(found or check)
        asked.append(Asked(rule, state, new, old))
    return asked


class Trial:
    """Sends some packets through a fresh GRO and then another one, as often as is wanted; none of them is used up."""

    def __init__(self, replay: GroReplay, before: list[GroPacket]) -> None:
        self.options = replay.options
        # The hash chooses the list first and is compared then. With one list it is only compared, which says the same.
        self.kernel = replace(gro_rules(replay.options.kernel), buckets=1)
        self.off = replay.options.rules_off()
        self.maker = replay.maker
        self.before = before

    def fresh_before(self) -> list[GroPacket]:
        """Return the packets that come first, as they were before GRO had them."""
        return list(map(self._fresh, self.before))

    def _gro(self, off: Set[Rule]) -> tuple[Gro, Decision]:
        gro = Gro(self.kernel, self.options.config, off=off)
        return gro, [gro.receive(packet) for packet in self.fresh_before()][-1]

    def decide(self, new: GroPacket) -> tuple[Decision, Decision]:
        """Return what became of the last packet before, and what becomes of `new`."""
        gro, first = self._gro(self.off)
        return first, gro.receive(self._fresh(new))

    def questions(self, new: GroPacket) -> int:
        """Return how many questions `new` passes."""
        return sum(check.passed for check in self.decide(new)[1].checks)

    def all_rules(self, new: GroPacket) -> list[Check]:
        """Return the rules in the order in which they are asked when none fails."""
        return self._gro(frozenset(RULES.values()))[0].receive(self._fresh(new)).checks

    def held(self) -> GroPacket:
        """Return the packet that is held, or the last one before, read as far as GRO can, where nothing is."""
        gro, _ = self._gro(self.off)
        return next((p for bucket in gro.buckets for p in bucket), None) or self.read(self.before[-1])

    def read(self, new: GroPacket) -> GroPacket:
        """Return a packet read as far as GRO can, whatever is wrong with it."""
        packet = self._fresh(new)
        Gro(self.kernel, self.options.config, off=frozenset(RULES.values())).receive(packet)
        return packet

    def joins(self, number: int, second: Second) -> bool:
        """Say whether a changed frame would merge."""
        return self.decide(self._made(number, second))[1].verdict in _MERGED

    def _made(self, number: int, second: Second) -> GroPacket:
        packet = self.maker.packet(number, second.frame, second.length, hash=second.hash, tag=second.tag)
        packet.ip_summed = second.ip_summed
        return packet

    def _fresh(self, p: GroPacket) -> GroPacket:
        return self._made(p.id, _as_second(p))


def _as_second(p: GroPacket) -> Second:
    return Second(p.mac + p.data, p.len + ETH_HLEN, p.tag, p.hash, p.ip_summed)


def _smallest(trial: Trial, new: GroPacket) -> tuple[Change, ...] | None:
    """Try every single change, then every pair of changes to different fields, then all that are needed."""
    tries = list(edits(trial.held(), trial.read(new)))
    plain = _as_second(new)
    for edit in tries:
        if trial.joins(new.id, edit.apply(plain)):
            return (edit.change,)
    for one, other in combinations(tries, 2):
        if one.change.field != other.change.field and trial.joins(new.id, other.apply(one.apply(plain))):
            return one.change, other.change
    return _shrunk(trial, new, list({edit.change.field: edit for edit in reversed(tries)}.values())[::-1])


def _shrunk(trial: Trial, new: GroPacket, kept: list[Edit]) -> tuple[Change, ...] | None:
    """Make all changes at once, one to a field, and take back one after the other where it is not needed."""

    def joins(edits: list[Edit]) -> bool:
        second = _as_second(new)
        for edit in edits:
            second = edit.apply(second)
        return trial.joins(new.id, second)

    if not joins(kept):
        return None
    for edit in list(kept):
        without = [other for other in kept if other is not edit]
        if joins(without):
            kept = without
    return tuple(edit.change for edit in kept)
