"""What qede's steps need beside their own values to be put into words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from rxviz.model.cqe import TYPE_NAMES, Type

if TYPE_CHECKING:
    from collections.abc import Callable

    from rxviz.model.config import Config
    from rxviz.model.drivers.qede_rules import QedeRules
    from rxviz.run.trace import Step

Values = dict[str, Any]


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}" + ("" if number == 1 else "s")


def _no_bd(step: Step, v: Values, config: Config) -> Values:
    posted = v["posted"]
    return {
        "needed_words": _count(v["needed"], "BD"),
        "posted_words": "none is" if not posted else f"only {posted} " + ("is" if posted == 1 else "are"),
    }


def _completion(step: Step, v: Values, config: Config) -> Values:
    length = f"{v['length']:,} bytes"
    match v["type"]:
        case "TPA start":
            words = f"TPA start, aggregation {v['agg']} begins with frame {v['F']}, {length}"
        case "TPA continue":
            words = f"TPA continue, {length} of frame {v['F']} join aggregation {v['agg']}"
        case "TPA end":
            words = f"TPA end, aggregation {v['agg']} comes to {length}"
        case "unused":
            words = "32 bytes that say nothing"
        case _:
            words = f"regular, frame {v['F']} with {length} in {_count(v['bds'], 'BD')}"
    return {"cqe_words": words, "take_words": _TAKE.get(v["type"], "")}


_TAKE = {
    TYPE_NAMES[Type.UNUSED]: "A type that the driver does not know: it goes on to the next one.",
    TYPE_NAMES[
        Type.REGULAR
    ]: "It says how long the frame is, in how many buffers, and what the card found out about it. "
    "Which buffers these are, the driver knows from the order of the BDs.",
    TYPE_NAMES[
        Type.TPA_START
    ]: "The card has begun to merge. The frame lies in its buffer whole; more of its connection "
    "may follow, each told by a completion of its own.",
    TYPE_NAMES[Type.TPA_CONT]: "Of a frame that joins, only the payload was written, into a buffer of its own.",
    TYPE_NAMES[Type.TPA_END]: "Nothing joins any more: only now are the headers right, and only now may the skb go up.",
}


def _look(step: Step, v: Values, config: Config) -> Values:
    ready = v["ready"]
    return {"ready_words": f"{_count(ready, 'completion')} " + ("is ready" if ready == 1 else "are ready")}


def _more(step: Step, v: Values, config: Config) -> Values:
    ready = v["ready"]
    return {"more_words": f"{_count(ready, 'completion')} " + ("has come" if ready == 1 else "have come")}


_VERDICTS = {
    "ok": "The card found the checksums good: CHECKSUM_UNNECESSARY.",
    "error": "The card found a checksum wrong: nothing is said in the skb, and the stack will look itself.",
    "none": "The card checked no L4 checksum.",
}


def _fields(step: Step, v: Values, config: Config) -> Values:
    return {"csum_words": _VERDICTS[v["csum"]]}


def _next(step: Step, v: Values, config: Config) -> Values:
    part = config.geometry.part
    words = {"next_words": f"segment {v['half']} is next" if part else f"byte {v['offset']:,} is next"}
    count = v["count"]
    if count > 1:
        return words | {"ref_words": f"The skb needs a reference of its own: page_ref_inc makes {count}."}
    return words | {"ref_words": f"The skb gets no reference: the count is {count}, which is the driver's."}


def _repost(step: Step, v: Values, config: Config) -> Values:
    if not v["again"]:
        return {"repost_words": "The next part of the page is offered; what the frame lies in is not."}
    return {"repost_words": "Nobody has kept a part of it: the same bytes may be written again."}


def _fill(step: Step, v: Values, config: Config) -> Values:
    pad = config.geometry.pad
    return {"headroom_words": f", {pad} bytes into the segment" if pad else ""}


def _later(step: Step, v: Values, config: Config) -> Values:
    return {"batch": config.refill}


def _refill(step: Step, v: Values, config: Config) -> Values:
    count = v["count"]
    return {"missing_words": f"{_count(count, 'buffer')} " + ("is missing" if count == 1 else "are missing")}


def _alloc(step: Step, v: Values, config: Config) -> Values:
    return {"for_words": f"for BD {step.slot}" if step.slot >= 0 else "to have in reserve for an aggregation"}


def _head(step: Step, v: Values, config: Config) -> Values:
    if config.rules.build_skb:
        return {"head_words": "A short frame needs a head of its own, as it will be copied."}
    if step.slot < 0:
        return {"head_words": "It must take the first frame whole, once the aggregation has ended."}
    return {"head_words": f"{config.rules.rx_hdr_size} bytes are asked for, be the frame short or long."}


def _copy(step: Step, v: Values, config: Config) -> Values:
    pad = config.geometry.pad + cast("QedeRules", config.rules).placement_offset
    limit = config.rules.rx_hdr_size - pad
    return {"pad_words": f", the {pad} in front of the frame counted in: frames up to {limit}" if pad else ""}


def _end(step: Step, v: Values, config: Config) -> Values:
    words = {"segs_words": _count(v["segs"], "frame")}
    if v["segs"] == 1:
        return words | {"end_words": "Nothing joined it: gso_size is cleared, and it is a frame like any other."}
    return words | {
        "end_words": f"gso_size {v['gso_size']:,} tells where frames were. The checksum field gets the sum of the "
        "pseudo header, as GRO leaves it."
    }


def _dropped(step: Step, v: Values, config: Config) -> Values:
    return {"segs_words": _count(v["segs"], "frame") + (" is" if v["segs"] == 1 else " are")}


def _deliver(step: Step, v: Values, config: Config) -> Values:
    if v["lent"]:
        return {"lent_words": "A page that it lies in lives on until someone frees the skb."}
    return {}


def _free(step: Step, v: Values, config: Config) -> Values:
    if step.page is None and step.segs == 1:
        return {"freed_words": "The driver has no part in it: nothing of its pages was lent."}
    return {"freed_words": "Nobody tells the driver, and it does not ask: what has been used once is not used again."}


def _poll_end(step: Step, v: Values, config: Config) -> Values:
    if v["work"] >= v["budget"]:
        return {}
    return {"poll_end_words": "No completion is left, and the ring is full again."}


EXTRA: dict[str, Callable[[Step, Values, Config], Values]] = {
    "nic.no_bd": _no_bd,
    "nic.cqe": _completion,
    "cqe.take": _completion,
    "cq.look": _look,
    "cq.more": _more,
    "cqe.fields": _fields,
    "seg.next": _next,
    "seg.repost": _repost,
    "page.later": _later,
    "bd.fill": _fill,
    "bd.refill": _refill,
    "tpa.end": _end,
    "tpa.drop": _dropped,
    "page.alloc": _alloc,
    "skb.alloc": _head,
    "skb.copy": _copy,
    "skb.deliver": _deliver,
    "skb.free": _free,
    "poll.end": _poll_end,
}
