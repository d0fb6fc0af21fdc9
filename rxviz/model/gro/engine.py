"""One NAPI instance's GRO: buckets of held packets, what goes in, what leaves and when.

Written to be laid beside net/core/gro.c (`dev_gro_receive`, `gro_list_prepare`, `napi_gro_flush`, `gro_normal_one`) and
net/core/dev.c (`napi_complete_done`, `__napi_poll`).
"""

from __future__ import annotations

from collections.abc import Callable, Set

from rxviz.model.gro import csum, offloads, rules
from rxviz.model.gro.complete import Delivered, complete, unmerged
from rxviz.model.gro.kernel import GroConfig, GroRules
from rxviz.model.gro.packet import GroPacket
from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Check, Decision, Inquiry, Verdict
from rxviz.model.napi_defer import Deferral

Handler = Callable[["Gro", list[GroPacket], GroPacket], GroPacket | None]
"""A protocol's gro_receive: the held packets still of the same flow and the arriving one go in; what comes out is a
held packet that must leave now."""

_NOBODY: list[GroPacket] = []


class Gro:
    """GRO of one NAPI instance. What leaves is collected in `up`, in the order in which the stack gets it.

    `jiffies` is the clock's tick and belongs to the owner. Rules in `off` pass always. With `keep_passed` a decision
    lists the rules that passed too, which a bulk run does without.
    """

    def __init__(
        self,
        kernel: GroRules,
        config: GroConfig | None = None,
        *,
        off: Set[Rule] = frozenset(),
        keep_passed: bool = True,
    ) -> None:
        self.kernel = kernel
        self.config = config or GroConfig()
        self.ask = Inquiry(off, keep_passed)
        self.buckets: list[list[GroPacket]] = [[] for _ in range(kernel.buckets)]
        self.ethertypes = offloads.ethertypes(kernel, self.config)
        self.inet = offloads.inet(kernel, self.config)
        self.inet6 = offloads.inet6(kernel, self.config)
        self.rx_list: list[Delivered] = []
        self.rx_count = 0
        self.up: list[Delivered] = []
        self.batches = 0
        """How often a list went up to the stack."""
        self.jiffies = 0
        self.deferral = Deferral(self.config.flush_timeout, self.config.defer_hard_irqs)
        self.csum_bytes = 0
        """Bytes added up in software because nobody had verified a checksum."""

    @property
    def held(self) -> int:
        """How many packets are held, in all buckets."""
        return sum(map(len, self.buckets))

    # ------------------------------------------------------------------------------------------------- dev_gro_receive
    def receive(self, skb: GroPacket) -> Decision:
        """Take one packet from the driver (`napi_gro_receive`) and decide on it."""
        ask = self.ask
        ask.checks = []
        if not self._looks_at(skb):
            return self._normal(skb, None)
        bucket = self.buckets[skb.hash % len(self.buckets)]
        flow = self._list_prepare(bucket, skb) if bucket else _NOBODY
        handler = self.ethertypes.get(skb.protocol)
        if not ask.holds(rules.HANDLER, handler is not None, skb.protocol) or handler is None:
            return self._normal(skb, None)
        skb.flush = not self._admits(skb)
        csum.set_up(skb)

        pp = handler(self, flow, skb)
        if pp is not None:
            bucket.remove(pp)
            self._complete(pp, self._why_left(skb))
        if skb.same_flow:
            return self._merged(skb, pp)
        flushed = pp.id if pp is not None else None
        if skb.flush:
            return self._normal(skb, flushed)
        most = self.kernel.max_held
        if len(bucket) >= most and self.kernel.full_bucket == "not held":
            if not ask.holds(rules.ROOM, False, len(bucket), most):
                return self._normal(skb, flushed)
        elif len(bucket) >= most:
            oldest = bucket.pop()
            flushed = oldest.id
            self._complete(oldest, Check(rules.EVICTED, False, skb.id, most, oldest.id))
        self._hold(bucket, skb)
        return Decision(skb.id, Verdict.HELD, self._why_held(), None, flushed, ask.checks)

    def _looks_at(self, skb: GroPacket) -> bool:
        """Say whether GRO is on, and looks at such packets at all."""
        if not self.ask.holds(rules.GRO_ON, self.config.gro):
            return False
        passed_on = bool(skb.gso_size) and self.kernel.merged_input == "passed on"
        return not passed_on or self.ask.holds(rules.ONE_FRAME, False)

    def _admits(self, skb: GroPacket) -> bool:
        """Say whether a packet may be merged at all, or is condemned: one that the card has merged already."""
        if not skb.gso_size:
            return True
        skb.count = skb.gso_segs
        if self.kernel.merged_input == "condemned":
            return self.ask.holds(rules.NOT_BIG, False)
        return self.ask.holds(rules.TRUSTED_GSO, skb.gso_trusted)

    def _list_prepare(self, bucket: list[GroPacket], skb: GroPacket) -> list[GroPacket]:
        """Keep those held packets that may be of the same flow, by what every link has (`gro_list_prepare`)."""
        same, quiet, link = self.ask.same, self.ask.quiet, skb.link
        any_hash = not self.kernel.hash_compared
        return [
            p
            for p in bucket
            if (quiet and link == p.link)
            or (
                (any_hash or same(rules.SAME_HASH, skb.hash, p.hash, p.id))
                and same(rules.SAME_DEVICE, skb.dev, p.dev, p.id)
                and same(rules.SAME_TAG, skb.tag, p.tag, p.id)
                and same(rules.SAME_MAC, skb.mac, p.mac, p.id)
            )
        ]

    def call(self, handler: Handler, flow: list[GroPacket], skb: GroPacket) -> GroPacket | None:
        """Go one header deeper, unless the packet is nested too deep (`call_gro_receive`)."""
        skb.recursion += 1
        if skb.recursion >= self.kernel.recursion_limit and not self.ask.holds(
            rules.RECURSION, False, skb.recursion, self.kernel.recursion_limit
        ):
            skb.flush = True
            return None
        return handler(self, flow, skb)

    def whole(self, skb: GroPacket, size: int) -> bool:
        """Say whether `size` more bytes of header are there; condemn the packet where they are not."""
        end = skb.data_offset + size
        if end <= skb.known or self.ask.holds(rules.HEADER_KNOWN, False, skb.known, end):
            return True
        skb.flush = True
        return False

    def _hold(self, bucket: list[GroPacket], skb: GroPacket) -> None:
        _pull_headers(skb)
        skb.age = self.jiffies
        if not skb.gso_size:
            skb.gso_size = skb.gro_len
            skb.gso_segs = 0
        bucket.insert(0, skb)

    def _merged(self, skb: GroPacket, pp: GroPacket | None) -> Decision:
        into = skb.segments[0]
        verdict = Verdict.MERGED_FREE if skb.free else Verdict.MERGED
        why = Check(rules.MERGES, True, skb.id, into, into)
        return Decision(skb.id, verdict, why, into, pp.id if pp is not None else None, self.ask.checks)

    def _normal(self, skb: GroPacket, flushed: int | None) -> Decision:
        _pull_headers(skb)
        why = next(c for c in self.ask.checks if not c.passed and c.rule.kind in _NOT_HELD)
        self._normal_one(unmerged(skb, why), 1)
        return Decision(skb.id, Verdict.NORMAL, why, None, flushed, self.ask.checks)

    def _why_left(self, skb: GroPacket) -> Check:
        """Why the held packet leaves: what closed it, or what the arriving one was refused for."""
        failed = [check for check in self.ask.checks if not check.passed]
        kinds = (Kind.CLOSE,) if skb.same_flow else (Kind.REFUSAL, Kind.CONDEMN)
        chosen = next((c for c in failed if c.rule.kind in kinds), None)
        if chosen is None or chosen.rule is rules.NOT_CONDEMNED:
            chosen = next((c for c in failed if c.rule.kind is Kind.CONDEMN), chosen)
        if chosen is None:
            return next(c for c in failed if c.rule.kind is not Kind.IDENTITY)
        return chosen

    def _why_held(self) -> Check:
        for check in self.ask.checks:
            if not check.passed and check.rule.kind is Kind.REFUSAL:
                return check
        return Check(rules.FIRST_OF_FLOW, True, 0, 0, -1)

    # --------------------------------------------------------------------------------------------------- what leaves
    def _complete(self, p: GroPacket, left: Check) -> None:
        """A held packet goes on to the stack (`gro_complete`)."""
        if p.count == 1:
            p.gso_size = 0
            self._normal_one(unmerged(p, left), 1)
        else:
            self._normal_one(complete(self.kernel, p, left), p.count)

    def _normal_one(self, packet: Delivered, segments: int) -> None:
        """Queue a packet for the stack, and pass the queue up once it has a batch of segments (`gro_normal_one`)."""
        self.rx_list.append(packet)
        self.rx_count += segments
        if self.rx_count >= self.kernel.normal_batch:
            self.normal_list()

    def normal_list(self) -> None:
        """Pass up what is queued (`gro_normal_list`)."""
        if self.rx_list:
            self.batches += 1
            self.up += self.rx_list
            self.rx_list = []
            self.rx_count = 0

    def take(self) -> list[Delivered]:
        """Return what the stack has got since the last time, in order."""
        up, self.up = self.up, []
        return up

    def flush(self, only_old: bool = False, left: Rule = rules.POLL_END) -> None:
        """Let held packets go: buckets in order, oldest first (`napi_gro_flush`).

        With `only_old` those stay that came in during this tick; the walk through a bucket ends at the first of them.
        """
        for bucket in self.buckets:
            while bucket and not (only_old and bucket[-1].age == self.jiffies):
                p = bucket.pop()
                self._complete(p, Check(rules.TOO_OLD if only_old else left, False, 0, 0, p.id))

    # --------------------------------------------------------------------------------------------------------- polls
    def budget_used(self) -> None:
        """The poll used up its budget and goes on later (`__napi_poll`): with HZ >= 1000 young packets may stay."""
        self.flush(only_old=self.config.hz >= 1000, left=rules.BUDGET_USED)
        self.normal_list()

    def complete_done(self, work: int) -> tuple[bool, int]:
        """The poll found its queue empty (`napi_complete_done`).

        Returns whether interrupts are switched on again, and in how many ns a timer polls anew (0 for none).
        """
        interrupts, timeout = self.deferral.decide(work, self.held)
        if not timeout or self.kernel.flush_with_timeout == "old":
            self.flush(only_old=bool(timeout))
        self.normal_list()
        return interrupts, timeout


_NOT_HELD = (Kind.EXIT, Kind.CONDEMN, Kind.CLOSE)


def _pull_headers(skb: GroPacket) -> None:
    """Headers that lie in a fragment are copied to the head (`gro_try_pull_from_frag0`)."""
    if skb.data_offset > skb.headlen:
        skb.headlen = skb.data_offset
