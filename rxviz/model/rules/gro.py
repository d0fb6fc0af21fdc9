"""What GRO would do if a rule did not hold.

Most of GRO's rules are the questions of rxviz.model.gro.rules: one that is off is not asked. Beliefs that are not of
that kind replace the method in which the rule lives, as those about the driver do.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.model.gro import rules, words
from rxviz.model.gro.attach import may_be_big
from rxviz.model.gro.packet import ETH_HLEN, GroPacket
from rxviz.model.gro.rules import Kind
from rxviz.model.gro.tcp import PSH
from rxviz.model.gro.trace import Check, Decision, Inquiry, Value
from rxviz.model.gro.undo import loss
from rxviz.model.names import frame_name
from rxviz.model.napi_gro import NapiGro
from rxviz.wire.dissect import layers
from rxviz.wire.numbers import PROTO_UDP

if TYPE_CHECKING:
    from rxviz.model.gro.complete import Delivered
    from rxviz.model.gro.kernel import GroRules
    from rxviz.model.machine import Machine
    from rxviz.model.skb import SkBuff

NO_LIMIT = 1 << 30
LONGEST = 0xFFFF
"""What the length field of an IP header can say."""
LONG = 120
"""Letters of a sentence at most."""
_NAMED = 3
"""Questions named in one sentence."""
_NEIGHBOUR = rules.Rule(
    "gro_neighbour", Kind.OUTCOME, "a frame of another flow", "a frame of another flow came in between", "nowhere"
)
_PASSED = rules.Rule(
    "gro_passed",
    Kind.CONDEMN,
    "fits what is held",
    "it does not fit, and what is held waits for one that does",
    "nowhere",
)
_PUSHED = rules.Rule("gro_pushed", Kind.OUTCOME, "a frame with PSH", "a frame with PSH came", "nowhere")


def asked_off(off: Iterable[str]) -> frozenset[str]:
    """Return those of the rules switched off that are questions of GRO's own table."""
    return frozenset(name for name in off if name in rules.RULES)


class DoubtingInquiry(Inquiry):
    """Notes what was overlooked: failures of rules that are off."""

    __slots__ = ("overlooked",)

    def __init__(self, off: frozenset[rules.Rule]) -> None:
        super().__init__(off, keep_passed=False)
        self.overlooked: dict[rules.Rule, Check] = {}

    def holds(self, rule: rules.Rule, passed: bool, new: Value = 0, old: Value = 0, held: int = -1) -> bool:
        """Note a failure that is let pass."""
        if not passed and rule in self.off:
            self.overlooked.setdefault(rule, Check(rule, True, new, old, held))
        return super().holds(rule, passed, new, old, held)


class DoubtingGro(NapiGro):
    """GRO that does not ask all that it should, and says so; what is lost by that lights a lamp as it leaves."""

    ask: DoubtingInquiry

    def __init__(self, m: Machine, kernel: GroRules) -> None:
        super().__init__(m, kernel)
        self.ask = DoubtingInquiry(frozenset(rules.RULES[name] for name in asked_off(m.config.off)))

    def say(self, sentence: str, skb: SkBuff) -> None:
        """Tell of an act that the real GRO does not do."""
        self.m.note(steps.WORLD_ACT, skb.frame, -1, skb.head_page, skb, (sentence,))

    def receive(self, skb: GroPacket) -> Decision:
        """Take a packet; what was overlooked before is told."""
        self.ask.overlooked = {}
        return super().receive(skb)

    def _confess(self) -> None:
        """Say what was overlooked of the frame in hand, before it has its effect."""
        overlooked, self.ask.overlooked = list(self.ask.overlooked.values()), {}
        if not overlooked or self.skb is None:
            return
        sentence = f"GRO overlooks this: {words.failure(overlooked[0])}."
        if len(overlooked) == 1 and len(sentence) < LONG:
            self.say(sentence, self.skb)
            return
        more = len(overlooked) - _NAMED
        asks = ", ".join(check.rule.asks for check in overlooked[:_NAMED])
        self.say(f"GRO does not ask: {asks}{f', and {more} more' if more > 0 else ''}.", self.skb)

    def _merge(self, skb: SkBuff, packet: GroPacket) -> None:
        self.skb = self.skb or skb
        self._confess()
        super()._merge(skb, packet)

    def _told(self) -> SkBuff:
        self._confess()
        return super()._told()

    def _complete(self, p: GroPacket, left: Check) -> None:
        self._confess()
        super()._complete(p, left)

    def _tell(self, skb: SkBuff, packet: Delivered, arriving: bool) -> None:
        if skb.merged:
            self._look(skb, packet)
        super()._tell(skb, packet, arriving)

    def _let_go(self, p: GroPacket, rule: rules.Rule, because: str) -> None:
        """Let go of a held packet before the frame in hand is looked at."""
        assert self.skb is not None
        self.say(f"GRO lets go of frame {frame_name(p.id)}: {because}.", self.skb)
        bucket = next(bucket for bucket in self.buckets if p in bucket)
        bucket.remove(p)
        self._complete(p, Check(rule, False, self.skb.frame.id, 0, p.id))
        self.look_at(self.buckets[self.skb.frame.hash % len(self.buckets)])

    def _look(self, skb: SkBuff, packet: Delivered) -> None:
        """Light a lamp where the frames cannot be had back from what goes up."""
        if any(frame.known < frame.wire_len for frame in skb.frames):
            return  # Nobody can say of a frame that the capture has cut.
        frames = [frame.data for frame in skb.frames]
        skipped = [ETH_HLEN + packet.packet.data_offset, *(skipped for _, skipped in skb.merged)]
        lost, tags = loss(frames, skipped), {frame.stripped_tag for frame in skb.frames}
        if lost.bytes_moved or len(tags) > 1:
            self.m.lamps.light("bytes_intact")
        own = packet.packet
        too_long = own.len > LONGEST and not may_be_big(self, own, own)
        # A socket that did not ask for merged datagrams takes them for one.
        unasked = packet.proto == PROTO_UDP and not self.config.udp_gro
        if lost.headers or len(tags) > 1 or too_long or unasked:
            self.m.lamps.light("delivered_as_arrived")


class OnlyNeighbours(DoubtingGro):
    """A frame of another flow ends what is held."""

    def receive(self, skb: GroPacket) -> Decision:
        """Let go of what is held of other flows."""
        assert self.skb is not None
        flow = self.skb.frame.flow
        for p in [p for bucket in self.buckets for p in bucket if self.holding[p.id][0].frame.flow != flow]:
            self._let_go(p, _NEIGHBOUR, "the next frame is of another flow")
        return super().receive(skb)


class PshJoinsNothing(DoubtingGro):
    """A frame with PSH is kept apart."""

    def receive(self, skb: GroPacket) -> Decision:
        """Let go of what is held of its flow, so that it finds nothing to join."""
        assert self.skb is not None
        flow = self.skb.frame.flow
        if _is_pushed(self.skb.frame.data):
            for p in [p for bucket in self.buckets for p in bucket if self.holding[p.id][0].frame.flow == flow]:
                self._let_go(p, _PUSHED, "a frame with PSH is to stay alone")
        return super().receive(skb)


def _is_pushed(data: bytes) -> bool:
    return any(layer.name == "tcp" and data[layer.offset + 13] & PSH for layer in layers(data))


class HeldStays(DoubtingGro):
    """What cannot join goes up at once; what is held of its flow stays, for a frame that fits."""

    def __init__(self, m: Machine, kernel: GroRules) -> None:
        super().__init__(m, kernel)
        self.in_hand: GroPacket | None = None

    def receive(self, skb: GroPacket) -> Decision:
        """Take a packet; where it should make a held one leave, let it pass instead."""
        self.in_hand = skb
        decision = super().receive(skb)
        self.in_hand = None
        return decision

    def _complete(self, p: GroPacket, left: Check) -> None:
        skb = self.in_hand
        if skb is None or skb.same_flow or left.rule is rules.EVICTED or self.skb is None:
            super()._complete(p, left)
            return
        letter = frame_name(self.skb.frame.id)
        self.say(f"GRO lets frame {letter} pass, and goes on holding frame {frame_name(p.id)}.", self.skb)
        self.buckets[p.hash % len(self.buckets)].insert(0, p)
        skb.flush = True
        self.ask.checks = [*self.ask.checks, Check(_PASSED, False, 0, 0, p.id)]

    def note_passed(self, skb: SkBuff) -> None:
        """Nothing of this is as the kernel does it."""


class NothingEvicted(DoubtingGro):
    """A bucket holds any number of packets."""

    def __init__(self, m: Machine, kernel: GroRules) -> None:
        super().__init__(m, kernel)
        self.most = kernel.max_held
        self.kernel = replace(kernel, max_held=NO_LIMIT)

    def _hold(self, bucket: list[GroPacket], skb: GroPacket) -> None:
        if len(bucket) >= self.most and self.skb is not None:
            self.say(f"GRO holds {len(bucket) + 1} packets in one bucket: none has to go.", self.skb)
        super()._hold(bucket, skb)


class HeldOverPolls(DoubtingGro):
    """GRO waits for more frames, poll after poll."""

    def complete_done(self, work: int) -> tuple[bool, int]:
        """Keep what is held."""
        for skb, _ in self.holding.values():
            self.say(f"GRO goes on holding frame {frame_name(skb.frame.id)}: more may come.", skb)
        self.normal_list()
        return True, 0


class HeldOverBudget(DoubtingGro):
    """A poll that has used up its budget keeps what it holds for the next one."""

    def budget_used(self) -> None:
        """Keep what is held."""
        for skb, _ in self.holding.values():
            self.say(f"The budget is used up; GRO goes on holding frame {frame_name(skb.frame.id)}.", skb)
        self.normal_list()


Row = tuple[str, str, str, type[DoubtingGro]]
"""Name, what the rule says, what is done instead, and the class that does it."""

_NEVER_ASKED = frozenset({
    "gro_on", "gro_same_device", "gro_trusted_gso", "gro_page_pool", "gro_same_gso_size", "gro_udp_same_way",
    "gro_udp_list_checksum", "gro_list_flags", "gro_list_checksum", "gro_list_count", "gro_frag_slots",
})  # fmt: skip
"""Questions about what this machine does not have: two devices, packets merged before, a page pool, fragment lists, the
kernels before 4.x."""
_SAYS = {
    Kind.IDENTITY: ("Frames of one flow have the {}.", "GRO takes frames for one flow without the {}."),
    Kind.REFUSAL: ("A frame joins a held packet only if this holds: {}.", "GRO merges without asking: {}."),
    Kind.EXIT: ("GRO takes up a frame only if this holds: {}.", "GRO goes on without asking: {}."),
    Kind.CONDEMN: ("GRO holds or merges a frame only if this holds: {}.", "GRO goes on without asking: {}."),
    Kind.CLOSE: ("More may join only while this holds: {}.", "More may join whatever becomes of this: {}."),
}


def _questions() -> list[Row]:
    found: list[Row] = []
    for name, rule in rules.RULES.items():
        if rule.kind in _SAYS and not rule.needed and name not in _NEVER_ASKED:
            says, instead = _SAYS[rule.kind]
            found.append((name, says.format(rule.asks), instead.format(rule.asks), DoubtingGro))
    return found


ROWS: list[Row] = [
    *_questions(),
    ("gro_flows_apart", "A frame of another flow leaves what is held alone.",
     "A frame of another flow ends what is held.", OnlyNeighbours),
    ("gro_psh_joins", "A frame with PSH joins what is held, and then the packet ends.",
     "A frame with PSH joins nothing.", PshJoinsNothing),
    ("gro_held_first", "What is held leaves before a frame of its flow that cannot join.",
     "The frame that cannot join goes up at once, and what is held stays.", HeldStays),
    ("gro_evicted", "A bucket holds 8 packets: for a ninth the one that came first must go.",
     "A bucket holds any number of packets.", NothingEvicted),
    ("gro_poll_end", "At the end of a poll all that is held leaves.",
     "GRO waits for more frames, poll after poll.", HeldOverPolls),
    ("gro_budget_used", "When a poll has used up its budget, what is held leaves.",
     "What is held stays for the next poll.", HeldOverBudget),
]  # fmt: skip
