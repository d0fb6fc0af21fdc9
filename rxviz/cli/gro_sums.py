"""What all frames and skbs of a capture came to, as lines below the table of `rxviz gro`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from textwrap import wrap

from rxviz.model.gro.packet import GroPacket
from rxviz.model.gro.rules import UDP_ASKED, named
from rxviz.model.gro.trace import Verdict
from rxviz.run.gro import FrameEntry, PacketEntry
from rxviz.wire.numbers import VXLAN_PORT

NARROW = 80
_VERDICTS = {
    Verdict.MERGED_FREE: "joined a held packet, its sk_buff was freed",
    Verdict.MERGED: "joined a held packet, sk_buff and all",
    Verdict.HELD: "waits for frames that continue it",
    Verdict.NORMAL: "goes to the stack as it came",
}
_LRO_FORWARDED = (
    "Linux sends none of the merged ones on: it drops an skb with gso_size but without gso_type (skb_warn_if_lro), and"
    " switches LRO off on a device that joins a bridge or forwards."
)


def label(rule_name: str) -> str:
    """Return a rule's sentence without the values of one case."""
    rule = named(rule_name)
    start, brace, _ = rule.fails.partition("{")
    return start.partition(": ")[0].rstrip() if brace else rule.fails


class Sums:
    """What all frames and skbs came to."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.ends: Counter[str] = Counter()
        self.frames_ended: Counter[str] = Counter()
        self.tunnels = 0
        """Datagrams for VXLAN's port that GRO did not look into."""
        self.changed: Counter[str] = Counter()
        """Frames that a bridge would send on changed, by the field."""
        self.as_they_came = self.changed_frames = self.not_cut = 0

    def frame(self, entry: FrameEntry) -> None:
        """Count a frame's verdict."""
        self.verdicts[entry.decision.verdict] += 1

    def packet(self, entry: PacketEntry) -> None:
        """Count why an skb left, and what a bridge would make of it."""
        packet, frames = entry.packet, len(entry.packet.frames)
        rule = packet.left.rule
        self.ends[rule.name] += 1
        self.frames_ended[rule.name] += frames
        if rule is UDP_ASKED and _port(packet.packet) == VXLAN_PORT:
            self.tunnels += 1
        if not entry.forwarded:
            return
        if entry.changed is None:
            self.not_cut += frames
            return
        self.as_they_came += frames - len(entry.changed)
        self.changed_frames += len(entry.changed)
        self.changed.update(field for resent in entry.changed for field in resent.fields)

    def factor(self) -> str:
        """Return how many frames an skb has on average."""
        return f"{self.verdicts.total() / self.ends.total():.2f}"

    def lines(self, polls: int, beside: Sums | None = None) -> Iterator[str]:
        """Yield the sums as lines; `beside` are those with every rule kept."""
        frames, skbs = self.verdicts.total(), self.ends.total()
        yield f"{'frames':<12}{frames:>9,}   in {polls:,} poll{'' if polls == 1 else 's'}"
        yield f"{'skbs':<12}{skbs:>9,}" + (f"   merge factor {self.factor()} (frames to an skb)" if skbs else "")
        if beside is not None and skbs:
            yield f"{'':12}{beside.ends.total():>9,}   with every rule kept: merge factor {beside.factor()}"
        heading = "verdicts"
        for verdict, meaning in _VERDICTS.items():
            if self.verdicts[verdict]:
                yield f"{heading:<12}{self.verdicts[verdict]:>9,}   {verdict.name:<12} {meaning}"
                heading = ""
        if skbs:
            yield ""
            yield f"{'':12}{'skbs':>9}{'frames':>9}   why they ended"
        for rule, count in sorted(self.ends.items(), key=lambda item: (-item[1], item[0])):
            yield f"{'':12}{count:>9,}{self.frames_ended[rule]:>9,}   {label(rule)}"

    def forwarded(self, *, lro: bool) -> Iterator[str]:
        """Yield what a bridge would send on, where that was looked at."""
        yield ""
        yield f"{'sent on':<12}{self.as_they_came:>9,}   as they came in"
        if self.not_cut:
            yield f"{'':12}{self.not_cut:>9,}   not known: no plain TCP, or only partly in the file"
        yield f"{'':12}{self.changed_frames:>9,}   as other frames than came in"
        for field, count in self.changed.most_common():
            yield f"{'':12}{'':9}   {count:>9,}  {field}"
        if lro and self.changed_frames:
            yield from wrap(_LRO_FORWARDED, NARROW)

    def hints(self) -> Iterator[str]:
        """Yield which options would have let GRO do more."""
        if self.ends[UDP_ASKED.name]:
            yield ""
        if self.tunnels:
            said = f"{self.tunnels:,} datagrams are for VXLAN's port: --vxlan {VXLAN_PORT} lets GRO look inside."
            yield from wrap(said, NARROW)
        if self.ends[UDP_ASKED.name] > self.tunnels:
            yield from wrap("UDP is merged where somebody asks for it: --udp-gro PORT or --udp-forwarding.", NARROW)


def _port(p: GroPacket) -> int:
    return int.from_bytes(p.data[p.transport + 2 : p.transport + 4], "big")
