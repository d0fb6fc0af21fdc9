"""What lanes do, in words: the verbs of their steps, the sentence for a frame, and where two lanes part."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.model import steps
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
    "cqe.take": "takes completion {cqe}",
    "cqe.fields": "takes the verdict from the completion",
    "seg.next": "moves on in page {page}",
    "seg.repost": "posts the rest of page {page} in BD {to_slot}",
    "page.done": "lets page {page} go, used to its end",
    "page.later": "puts a new page off to the end of the poll",
    "bd.fill": "fills BD {slot}",
    "bd.consume": "is done with BD {slot}",
    "bd.refill": "fills the ring up after the loop",
    "ring.prod": "tells the card its producers",
    "tpa.start": "begins an aggregation of the card",
    "tpa.park": "leaves the first buffer to the aggregation",
    "tpa.replace": "posts the page that was kept for the aggregation",
    "tpa.mapped": "leaves page {page} mapped until the aggregation ends",
    "tpa.frag": "adds it to the aggregation",
    "tpa.copy": "copies the first buffer into the head",
    "tpa.end": "ends the aggregation",
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
)
"""Steps that follow from others; they are told only where there is nothing else to tell."""
FATES = {steps.PAGE_REUSE: "kept", steps.PAGE_GIVE_UP: "given up"}
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


def does(lane: Lane, frame: int) -> str:
    """Return the sentence on what a lane does with a frame, the one thing that tells most."""
    mine = {steps.KINDS[step.kind].name: step for step in reversed(lane.by_frame[frame])}
    alloc = mine.get("skb.alloc")
    head = alloc.field("head") if alloc is not None else 0
    if "frame.discard" in mine:
        return "throws the frame away: it has errors"
    if "skb.build" in mine:
        return "wraps an sk_buff round the bytes: no copy" + _more_buffers(lane, frame)
    if "skb.headers" in mine:
        return f"copies {mine['skb.headers'].field('size')} B of headers into a new {head}-byte head"
    if "skb.copy" in mine:
        return f"copies the whole frame, {mine['skb.copy'].field('size')} B, into a new {head}-byte head"
    if "skb.frag" in mine:
        return f"attaches the frame to a new {head}-byte head, and copies nothing"
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
