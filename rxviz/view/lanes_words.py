"""What lanes do, in words: the verbs of their steps, the sentence for a frame, and where two lanes part."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.model import steps, steps_qede
from rxviz.model.names import half_name
from rxviz.run import words
from rxviz.run.lanes import Lane
from rxviz.run.trace import Step

_VERBS = {
    "skb.alloc": "allocates a head of {head:,} bytes",
    "skb.copy": "copies the whole frame into it, {size:,} bytes",
    "skb.frag": "attaches {size:,} bytes of page {page} as a fragment",
    "skb.headers": "copies {size} bytes of headers into the head",
    "skb.build": "wraps an sk_buff round the bytes where they lie",
    "page.flip": "flips page {page} to half {half}",
    "page.walk": "moves on in page {page}",
    "page.topup": "pays in references again",
    "page.reuse": "keeps page {page} on the ring",
    "page.give_up": "gives page {page} up",
    "page.unmap": "unmaps page {page}",
    "nic.dma": "has page {page} written by the NIC",
    "buf.sync": "syncs {size:,} bytes for the CPU",
    "buf.take": "moves the prepaid count of page {page}",
    "ring.non_eop": "parks the skb for the next descriptor",
    "frame.discard": "throws the frame away",
    "socket.queue": "gets it to the socket",
    "socket.drop": "loses it at the socket, which is full",
    "nic.missed": "loses it in the NIC, whose packet buffer is full",
    "nic.oversize": "refuses it at the NIC as too long",
    "nic.bad_frame": "refuses it at the NIC as bad",
    "nic.no_descriptor": "loses it in the NIC: no descriptor is posted",
    "nic.strip": "has its VLAN tag taken out by the NIC",
    "skb.pad": "pads it to 60 bytes",
    "page.alloc_failed": "finds no page for slot {slot}",
    "page.map_failed": "cannot map page {page} for slot {slot}",
    "skb.alloc_failed": "finds no memory for an skb, and leaves the frame where it is",
    "frame.no_memory": "throws it away for want of memory, and posts its buffer again",
    "socket.pfmemalloc": "loses it at the socket, which may not use emergency memory",
    "service.task": "has the service task raise the interrupt",
    "nic.wait": "lets it wait in the NIC for a descriptor",
    "nic.no_bd": "loses it in the card, which has too few BDs",
    "nic.cqe": "has a completion written",
    "cqe.take": "takes completion {cqe}",
    "cqe.fields": "takes over what the completion says",
    "seg.next": "moves on in page {page}",
    "seg.repost": "posts page {page} again",
    "page.done": "lets page {page} go, used to its end",
    "page.later": "puts an allocation off",
    "bd.consume": "moves on by a BD",
    "jumbo.frag": "attaches {size:,} bytes of page {page} as a fragment",
    "tpa.replace": "posts a page from the reserve",
    "tpa.park": "keeps the first buffer aside",
    "tpa.mapped": "keeps page {page} mapped to the end",
    "tpa.start": "lets the skb wait for more frames",
    "tpa.frag": "adds {size:,} bytes of page {page} to the aggregation",
    "tpa.copy": "copies the first buffer, {copied:,} bytes",
    "tpa.no_skb": "finds no memory for an skb: the frame is lost",
    "tpa.error": "finds no page to take the place of page {page}",
    "tpa.skip": "posts the buffer again: the frame is lost",
    "tpa.drop": "drops an aggregation of {segs} frames",
    "tpa.end": "hands an aggregation of {segs} frames on",
    "nic.discard": "loses it in the NIC, which has no descriptor",
    "skb.deliver": "hands it to the stack",
    "gro.receive": "hands it to GRO",
    "gro.held": "holds it there as the first of a packet",
    "gro.merge": "merges it",
    "gro.normal": "passes it on without holding it",
    "gro.flush": "lets go of its packet",
    "gro.evict": "lets go of its packet for want of room",
    "gro.up": "passes packets up to the stack",
    "stack.receive": "hands its packet to the stack",
    "lro.receive": "hands it to LRO",
    "lro.start": "begins a packet with it",
    "lro.merge": "merges it, whatever its ACK number and window",
    "lro.alone": "does not let LRO have it",
    "lro.flush": "lets go of its packet",
    "rxq.take": "takes the skb that waited in slot {slot}",
    "skb.ahead": "allocates the next skb for slot {slot}",
    "buf.map": "maps a head for the NIC",
    "buf.unmap": "unmaps the head",
    "desc.give": "gives descriptor {slot} to the NIC",
    "chunk.alloc": "begins a new chunk of heads",
    "rxq.refill": "refills slots without an skb",
    "bd.fill": "fills BD {slot}",
    "bd.refill": "fills the ring up after the loop",
    "ring.prod": "tells the card its producers",
    "rxq.drop": "throws it away: it lies in several buffers",
    "bridge.forward": "sends it on",
    "bridge.cut": "cuts its packet into frames again",
    "bridge.send": "lets it out of the other port",
    "bridge.refuse": "drops it at the bridge: LRO had merged it",
}
_MANY = {
    "skb.frag": "attaches {n} more buffers as fragments",
    "page.flip": "flips {n} more pages",
    "page.walk": "moves on in {n} more pages",
    "page.reuse": "keeps {n} more pages on the ring",
    "page.give_up": "gives {n} more pages up",
    "page.unmap": "unmaps {n} more pages",
    "ring.non_eop": "parks the skb {n} more times",
    "nic.dma": "has {n} more buffers written",
    "seg.next": "moves on in {n} more pages",
    "tpa.frag": "adds {n} more to the aggregation",
    "jumbo.frag": "attaches {n} more buffers as fragments",
    "bd.consume": "moves on by {n} more BDs",
    "page.later": "puts {n} more allocations off",
}
"""The same for a step that is taken several times more than in the other lane."""
_SMALL = frozenset(
    {
        "nic.writeback",
        "desc.done",
        "desc.post",
        "buf.sync",
        "buf.take",
        "ring.clean",
        "skb.fields",
        "nic.give_back",
        "rxq.take",
        "cqe.fields",
        "cqe.take",
        "seg.repost",
        "bd.consume",
        "bd.fill",
        "buf.unmap",
        "skb.length",
        "gro.receive",
        "lro.receive",
        "gro.up",
    }
    | {"nic.cqe", "cqe.take", "cqe.fields", "bd.consume"}
)
"""Steps that follow from others; they are told only where there is nothing else to tell."""
FATES = {
    steps.PAGE_REUSE: "kept", steps.PAGE_GIVE_UP: "given up", steps_qede.SEG_REPOST: "reposted",
    steps_qede.PAGE_DONE: "used up", steps_qede.TPA_MAPPED: "used up", steps_qede.TPA_PARK: "kept aside",
    steps_qede.JUMBO_FRAG: "used up",
}  # fmt: skip
"""What became of a page."""


def verb(step: Step, half_size: int) -> str:
    """Return what a lane does in a step, as a verb with its object; a name for the few kinds that have no verb."""
    kind = steps.KINDS[step.kind]
    if kind.name not in _VERBS:
        return f"takes the step {kind.name}"
    values = dict(zip(kind.fields, step.fields, strict=True)) | {"page": step.page, "slot": step.slot}
    if "offset" in values and half_size:
        values["half"] = half_name(values["offset"], half_size)
    return _VERBS[kind.name].format_map(values)


def verbs(taken: Sequence[Step], half_size: int) -> str:
    """Return what a lane does in several steps, each kind once."""
    kinds: dict[str, list[Step]] = {}
    for step in taken:
        kinds.setdefault(step.name, []).append(step)
    told = [name for name in kinds if name not in _SMALL and not name.startswith("nic.")]
    told = told or [name for name in kinds if name not in _SMALL] or list(kinds)
    return listed([_together(name, kinds[name], half_size) for name in told])


def _together(name: str, taken: Sequence[Step], half_size: int) -> str:
    if len(taken) > 1:
        return _MANY[name].format(n=len(taken)) if name in _MANY else f"takes the step {name} {len(taken)} times"
    return verb(taken[0], half_size)


_TELLING = (
    ("frame.discard", "throws the frame away: it has errors"),
    ("skb.build", "wraps an sk_buff round the bytes: no copy"),
    ("skb.headers", "copies {size} B of headers into a new {head}-byte head"),
    ("skb.copy", "copies the whole frame, {size} B, into a new {head}-byte head"),
    ("tpa.frag", "adds {size} B of payload to what the card merges: no copy"),
    ("skb.frag", "attaches the frame to a new {head}-byte head, and copies nothing"),
)
"""What is told of a frame by the first of these steps that a lane takes for it."""


def does(lane: Lane, frame: int) -> str:
    """Return the sentence on what a lane does with a frame, the one thing that tells most."""
    mine = {steps.KINDS[step.kind].name: step for step in reversed(lane.by_frame[frame])}
    alloc = mine.get("skb.alloc")
    head = alloc.field("head") if alloc is not None else 0
    for name, sentence in _TELLING:
        if name in mine:
            size = mine[name].field("size")
            more = _more_buffers(lane, frame) if name == "skb.build" else ""
            return sentence.format(size=size, head=head) + more
    last = lane.by_frame[frame][-1]
    return words.text(last, lane.timeline.at(0).machine.config)


def _more_buffers(lane: Lane, frame: int) -> str:
    frags = sum(step.kind == steps.SKB_FRAG for step in lane.by_frame[frame])
    return f", and {frags} more buffer{'s' if frags > 1 else ''} as fragments" if frags else ""


def fate(lane: Lane, frame: int) -> str:
    """Return what became of the page that a frame came in: kept or given up; "" where the driver never had it."""
    for step in lane.by_frame[frame]:
        if step.kind in FATES:
            return FATES[step.kind]
    return ""


def as_many(parts: Sequence[str], width: int) -> str:
    """Return the first of the parts, joined, as many as fit."""
    for count in range(len(parts), 0, -1):
        if len(text := " · ".join(parts[:count])) <= width:
            return text
    return ""


def listed(verbs: Sequence[str]) -> str:
    """Join verbs as one would say them."""
    if len(verbs) < 2:
        return "".join(verbs)
    return f"{', '.join(verbs[:-1])} and {verbs[-1]}"
