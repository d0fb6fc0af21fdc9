"""What GRO asks about a frame at a moment of a run: rule by rule, against the packet that it is compared with.

The machine's own GRO is quiet. What it asked is found by asking again: the held packets' frames, which the source gives
as often as one likes, go through a GRO that keeps every answer, and then the frame does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.gro import rules
from rxviz.model.gro.trace import Decision
from rxviz.model.napi_gro import gro_config
from rxviz.model.rules.gro import asked_off
from rxviz.run.gro import GroOptions, GroReplay
from rxviz.run.gro_layouts import layout_of
from rxviz.run.gro_why import Asked, Trial, in_order

if TYPE_CHECKING:
    from rxviz.model.frame import Frame
    from rxviz.model.gro.packet import GroPacket
    from rxviz.model.machine import Machine
    from rxviz.run.timeline import Moment

_TOLD = frozenset({steps.GRO_HELD, steps.GRO_MERGE, steps.GRO_NORMAL, steps.GRO_FLUSH, steps.GRO_EVICT})
_UNASKED = (rules.POLL_END, rules.BUDGET_USED, rules.TOO_OLD)
"""Reasons to leave that no arriving frame had a part in."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A frame before GRO. `held` are the frames of the packet that it is compared with; none where nothing is held.

    `decided` says that the verdict has fallen; until then it is what will come.
    """

    frame: Frame
    held: list[Frame]
    asked: list[Asked]
    decision: Decision
    decided: bool


def asking(moment: Moment) -> Asking | None:
    """Return what GRO asks about the frame of this step, or about the one that the driver has in hand; None without."""
    found = _question(moment)
    if found is None:
        return None
    frame, before, decided = found
    room = Room(moment.machine, moment.scenario.mtu)
    trials = room.trials(before)
    packet = room.packet(frame)
    whole = room.decide(before, packet)
    if not trials:
        return Asking(frame, [], in_order(whole.checks, whole.checks, room.off), whole, decided)
    trial = _compared(trials, whole, packet)
    held = [room.frame(p.id) for p in trial.before]
    named = (-1, held[0].id)
    checks = [check for check in whole.checks if check.held in named]
    return Asking(frame, held, in_order(checks, trial.all_rules(packet), room.off), whole, decided)


def moment_pair(moment: Moment) -> tuple[tuple[int, tuple[int, ...]] | None, bool, int]:
    """Return the frame and the packet that GRO compares at this moment, whether it is decided, and the newest frame.

    None where GRO compares nothing. The newest frame is that of the step, or the last that came; at least the second.
    """
    m, step = moment.machine, moment.step
    newest = max(m.offered - 1 if step is None or step.frame is None else step.frame, 1)
    found = _question(moment)
    if found is None:
        return None, False, newest
    frame, before, decided = found
    if not before:
        return None, False, max(frame.id, 1)
    room = Room(m, moment.scenario.mtu)
    packet = room.packet(frame)
    trial = _compared(room.trials(before), room.decide(before, packet), packet)
    return (frame.id, tuple(p.id for p in trial.before)), decided, newest


def _compared(trials: list[Trial], decision: Decision, packet: GroPacket) -> Trial:
    """Return the packet that it came to: the one joined or let go of, else the one that got furthest."""
    ids = (decision.into, decision.flushed)
    named = [trial for trial in trials if trial.before[0].id in ids]
    return named[0] if named else max(trials, key=lambda trial: trial.questions(packet))


def _question(moment: Moment) -> tuple[Frame, list[list[int]], bool] | None:
    """Return the frame, the frames of each packet in its bucket, newest packet first, and whether it is decided."""
    m, step = moment.machine, moment.step
    gro = m.gro
    if gro is None or step is None or _from_card(m):
        return None
    if step.kind in _TOLD and gro.packet is not None:
        left = step.field("left")
        if left is None or left.rule not in _UNASKED:
            frame = m.source.frame(gro.packet.id)
            return (frame, _before(m), True) if frame is not None else None
        return None
    if step.kind == steps.GRO_RECEIVE and gro.skb is not None:
        return gro.skb.frame, _before(m), False
    newest = next(reversed(m.skbs.values()), None)
    if newest is None or newest.state != "driver" or m.driver.waits_for_card:
        return None
    bucket = gro.buckets[newest.frame.hash % len(gro.buckets)]
    return newest.frame, [list(p.segments) for p in bucket], False


def _from_card(m: Machine) -> bool:
    """Whether the card has merged what GRO has in hand or holds: it cannot be made again from single frames here."""
    gro = m.gro
    if gro is None or not m.config.hw_gro:
        return False
    newest = next(reversed(m.skbs.values()), None)
    in_hand = newest is not None and newest.state == "driver" and bool(newest.gso_size)
    held = any(p.gso_size for bucket in gro.buckets for p in bucket)
    return in_hand or held or (gro.packet is not None and bool(gro.packet.gso_size))


def _before(m: Machine) -> list[list[int]]:
    return [frames[:count] for frames, count in m.gro.before] if m.gro is not None else []


class Room:
    """A place to ask the machine's questions again."""

    def __init__(self, m: Machine, mtu: int) -> None:
        self.m = m
        config, layout = m.config, layout_of(m.config.geometry)
        options = GroOptions(
            config.rules.kernel, layout=layout, mtu=mtu, off=asked_off(config.off), config=gro_config(config)
        )
        self.replay = GroReplay(options, keep_passed=True)
        self.off = options.rules_off()

    def frame(self, number: int) -> Frame:
        """Return a frame of the run."""
        frame = self.m.source.frame(number)
        assert frame is not None
        return frame

    def packet(self, frame: Frame) -> GroPacket:
        """Return a frame as GRO gets it from the driver."""
        frame = self.m.nic.as_stored(frame)
        data, tag = frame.data[: frame.known], frame.stripped_tag
        return self.replay.maker.packet(
            frame.id, data, frame.wire_len, hash=frame.hash, tag=tag, checked=self.m.driver.vouches_for(frame)
        )  # fmt: skip

    def trials(self, before: list[list[int]]) -> list[Trial]:
        """Return a trial for each packet, given by its frames."""
        return [Trial(self.replay, [self.packet(self.frame(number)) for number in ids]) for ids in before]

    def decide(self, before: list[list[int]], packet: GroPacket) -> Decision:
        """Return what becomes of a packet where the others are held; the oldest of them came first."""
        gro, ask = self.replay.gro, self.replay.gro.ask
        ask.quiet = True
        for ids in reversed(before):
            for number in ids:
                gro.receive(self.packet(self.frame(number)))
        ask.quiet = False
        packet = self.packet(self.frame(packet.id))
        decision = gro.receive(packet)
        return decision._replace(checks=list(decision.checks))
