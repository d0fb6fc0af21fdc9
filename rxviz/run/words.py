"""A step put into words: the templates of rxviz.model.steps filled in with the step's own values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rxviz.model import descriptor, steps
from rxviz.model.frame import VLAN_ID
from rxviz.model.gro import words as gro_words
from rxviz.model.gro.rules import Kind
from rxviz.model.names import frame_name, half_name
from rxviz.model.step_kind import BY_DRIVER
from rxviz.run import words_fail, words_mv643xx, words_napi, words_qede

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.run.trace import Step


def text(step: Step, config: Config) -> str:
    """Return the one plain sentence that says what happened."""
    kind = steps.KINDS[step.kind]
    said = BY_DRIVER.get(config.driver, {}).get(kind.name)
    template = said.text if said and said.text else kind.text
    return template.format_map(_values(step, config))


def why(step: Step, config: Config) -> str:
    """Return one or two sentences on why it happened, or what follows from it."""
    kind = steps.KINDS[step.kind]
    said = BY_DRIVER.get(config.driver, {}).get(kind.name)
    template = said.why if said and said.why else kind.why
    return template.format_map(_values(step, config)).strip()


def where(step: Step, config: Config) -> str:
    """Return the kernel function (or register) that the step stands for, by its name in this kernel."""
    kind = steps.KINDS[step.kind]
    name = kind.name
    if name in _ATTACHING and config.rules.page_management != "fetch":
        name = _attaching(step, config)
    return config.rules.functions.get(name, kind.where)


_ATTACHING = ("page.flip", "page.walk", "skb.frag")
"""Acts of whichever function attaches the buffer: one makes the skb, another adds what comes later."""


def _attaching(step: Step, config: Config) -> str:
    """Return the step whose function it is."""
    build = config.path == "build_skb"
    if step.frag > (-1 if build else 0):
        return "skb.frag"
    return "skb.build" if build else "skb.alloc"


def _values(step: Step, config: Config) -> dict[str, Any]:
    kind = steps.KINDS[step.kind]
    values: dict[str, Any] = dict(zip(kind.fields, step.fields, strict=True))
    values |= {"slot": step.slot, "page": step.page, "next_slot": (step.slot + 1) % config.ring}
    if step.frame is not None:
        values["F"] = frame_name(step.frame) + (f" with {step.segs - 1} more" if _is_whole(step) else "")
    if "offset" in values:
        values |= _place(values["offset"], step.page, config)
        if config.geometry.head:
            values["place"] = f"the head of skb {step.skb}"
    values |= {"poll": step.poll, "frag": step.frag, "hdr_size": config.rules.rx_hdr_size}
    values |= _DONE_WORDS.get(config.rules.done_test, _DONE_WORDS["length"])
    values |= _BY_OWNER if config.geometry.head else _BY_ITSELF
    for fillers in (_EXTRA, _OF_DRIVER.get(config.driver, {})):
        fill = fillers.get(kind.name)
        if fill is not None:
            values |= fill(step, values, config)
    return values


def _place(offset: int, page: int | None, config: Config) -> dict[str, Any]:
    """Say where in a page an offset is: in a half or a segment with a name, or at a byte."""
    geometry = config.geometry
    part = geometry.part
    if not part:
        return {"half": f"at byte {offset:,}", "place": f"page {page} at byte {offset:,}", "other": ""}
    name = half_name(offset, part)
    place = f"page {page}" if part == geometry.page else f"{geometry.part_word} {name} of page {page}"
    return {"half": name, "place": place, "other": half_name(offset ^ part, part) if geometry.half else ""}


def _part(config: Config) -> str:
    """Say what a buffer takes of its page."""
    word = config.geometry.part_word
    return f"the {word}" if word else "what it takes of the page"


_DONE_WORDS = {
    "length": {
        "done_field": "length",
        "done_why": "Any value but zero means that the NIC has written back.",
        "empty_why": "Its length is zero.",
    },
    "status_error": {
        "done_field": "status word",
        "done_why": "Any value but zero means that the NIC has written back.",
        "empty_why": "Its status word is zero.",
    },
    "owner": {
        "done_field": "owner bit",
        "done_why": "BUFFER_OWNED_BY_DMA is no longer set: the NIC has given it back.",
        "empty_why": "BUFFER_OWNED_BY_DMA is set: it is still the NIC's.",
    },
}
"""What tells a driver that a descriptor is done, by the field that it looks at."""
_BY_ITSELF = {"mask_words": "The NIC masked the vector by itself as it fired.", "units": "frames"}
_BY_OWNER = {
    "mask_words": "The handler has asked the NIC what there is, and masked it: it writes 0 to INT_MASK.",
    "units": "frames and refills",
}
"""What the interrupt handler does with the mask, and what a poll's budget counts."""
_WHOLE = (
    "skb.deliver", "gro.receive", "gro.held", "gro.normal", "gro.flush", "gro.evict", "stack.receive", "socket.queue",
    "socket.drop", "reader.read", "skb.free", "lro.flush", "bridge.forward", "bridge.refuse",
)  # fmt: skip
"""Kinds that are about an skb as a whole, and not about one frame."""


def _is_whole(step: Step) -> bool:
    """Whether a step is about an skb that is more than one frame."""
    return step.segs > 1 and step.name in _WHOLE


def _writeback(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"eop_words": ", end of packet" if v["eop"] else ", more to come"}


def _raise(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if v["itr"]:
        return {
            "itr_words": f"fires in {v['itr']:,} ns",
            "moderation_words": "Moderation holds back the interrupt, not the DMA: more frames may be written meanwhile.",
        }
    return {
        "itr_words": "fires at once",
        "moderation_words": "The last one is long enough ago. Had it not been, moderation would hold this one back.",
    }


def _done(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if config.rules.done_test == "owner":
        return {"length_words": f"cleared, and byte_cnt is {v['length']:,}"}
    if config.rules.done_test == "status_error":
        return {"length_words": f"not zero, and its length is {v['length']:,}"}
    return {"length_words": f"{v['length']:,}"}


def _refill(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    one = v["count"] == 1
    words = {"count_words": "1 slot waits" if one else f"{v['count']} slots wait", "them": "it" if one else "them"}
    if v["leaving"]:
        return words | {
            "refill_words": "The loop is over. On its way out the driver refills what is left, however few."
        }
    return words | {
        "refill_words": f"Refill goes in batches of at least {config.refill}, at the top of the loop, so that the"
        " NIC's tail is not written for every frame."
    }


def _alloc(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    bias = v["bias"]
    if bias > 1:
        return {"bias_words": f"{bias:,} references are paid in advance, so that no frame needs an atomic addition."}
    return {
        "bias_words": "Its one reference is the driver's."
        if bias
        else "Its one reference is the driver's; there is no bias yet."
    }


def _post(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"sync_words": f"{v['synced']:,} bytes are synced for the device. " if v["synced"] else ""}


def _sync(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    whole = config.rules.cpu_sync == "buffer"
    return {
        "cpu_sync_words": "This kernel syncs the whole buffer, however short the frame."
        if whole
        else "Only the frame's length is synced."
    }


def _take(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    place = v["place"][:1].upper() + v["place"][1:]
    fetched = config.rules.page_management == "fetch"
    words = f"{place} goes with the frame" if fetched else f"The driver takes {v['place']} in hand"
    return {"bias_before": v["bias"] + 1, "take_words": words}


def _frag(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    word = config.geometry.part_word
    what = f"the whole {word}" if word else "what it takes of the page"
    return {"charge_words": f"The skb is charged for {what}: {v['truesize']:,} bytes more."}


def _build(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"charge_words": _charge(v["truesize"], _part(config), config)}


def _new_head(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"charge_words": _charge(v["truesize"], "the head", config)}


def _charge(truesize: int, what: str, config: Config) -> str:
    """Tell how a truesize comes about."""
    shell = config.core.sk_buff_size
    return f"It is charged {truesize - shell:,} for {what} and {shell} for the sk_buff: {truesize:,}."


def _flip(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if config.rules.page_management == "fetch":
        return {
            "flip_words": f"Half {v['other']} belongs to this frame now. Nobody else has the page, so half {v['half']} is free."
        }
    return {
        "flip_words": f"Half {v['other']} belongs to this frame now. The flip is an XOR with the size of a half; "
        f"whether half {v['half']} is free, and the page may stay, is asked next."
    }


def _deliver(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if config.geometry.head:
        return {"lent_words": "Its head was its own from the beginning; the ring will not see it again."}
    if v["lent"]:
        return {"lent_words": "What it holds of the ring's pages comes back only when someone frees the skb."}
    return {"lent_words": "The skb is a copy: it takes nothing of the ring's pages with it."}


def _reuse(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    half = config.geometry.half
    if not half:
        return {
            "reuse_words": f"Offset {v['offset']:,} is not past {config.geometry.last_offset:,}, the last that may be posted."
        }
    copied = config.path == "legacy" and step.frag < 0
    if copied and config.rules.page_management == "fetch":
        return {
            "reuse_words": f"The frame was copied, so half {v['half']} is next again; nobody asks who has the other."
        }
    if config.rules.bias_start == 0:
        return {"reuse_words": f"Nobody else had it, so half {v['half']} is free; page count is {v['count']} now."}
    users = v["count"] - v["bias"]
    who = f"who holds half {v['other']}" if copied else "this frame only"
    who = who if users else "nobody"
    return {
        "reuse_words": f"Half {v['half']} is next, and free: {v['count']:,} references − {v['bias']:,} prepaid = {users}, {who}."
    }


def _give_up(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if v["reserved"]:
        return words_fail.reserved_words(v["reserved"])
    return _held(v, config) | {"free_words": "The last skb that holds the page will free it."}


def _held(v: dict[str, Any], config: Config) -> dict[str, Any]:
    if not config.geometry.half:
        return {
            "reason_words": ": it is used to its end",
            "give_up_words": f"Offset {v['offset']:,} is past {config.geometry.last_offset:,}.",
        }
    if config.rules.bias_start == 0:
        words = f"Page count is {v['count']}, not 1: an earlier frame still holds the other half."
        return {"reason_words": ": its other half is still held", "give_up_words": words}
    users = v["count"] - v["bias"]
    # Where the flip waits for the answer, the offset is still that of the frame in hand.
    held = v["other"] if config.rules.page_management == "fetch" else v["half"]
    words = (
        f"{v['count']:,} references − {v['bias']:,} prepaid = {users}: this frame, and another that holds "
        f"half {held}. What was prepaid goes back at once."
    )
    return {"reason_words": f": half {held} is still held", "give_up_words": words}


def _fields(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    vlan = v["vlan"]
    return {
        "csum_words": _csum_words(v["csum"], config.rules.status_bits),
        "vlan_words": f", and so does the tag of VLAN {vlan & VLAN_ID}" if vlan else "",
    }


def _csum_words(status: int, bits: descriptor.StatusBits) -> str:
    if status & bits.ipe:
        return "The NIC found the IP checksum wrong, so it vouches for nothing; the stack will look itself."
    if not status & descriptor.L4CS:
        return "The NIC checked no L4 checksum; the stack will do it."
    if status & bits.tcpe:
        return "The NIC found the L4 checksum wrong; the stack will look itself."
    return "The NIC found the checksums good, so nobody has to add up the bytes again."


def _parked(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if config.rules.partial == "ring":
        return {
            "parked_words": "stays at hand",
            "kept_words": "When the poll ends before its last part is there, the ring keeps the skb; nothing is lost.",
        }
    return {
        "parked_words": f"is parked at slot {v['next_slot']}",
        "kept_words": "The part survives the end of the poll; nothing is lost.",
    }


def _poll_end(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    v["work_words"] = f"{v['work']} frame" + ("" if v["work"] == 1 else "s")
    if config.geometry.head:
        v["work_words"] += " and refills"
    if v["work"] >= v["budget"]:
        return {
            "poll_end_words": "Its whole weight is used: NAPI stays scheduled and the vector masked. It is polled again "
            + ("in this pass." if config.core.rx_repoll == "same pass" else "in the next pass.")
        }
    if v["short_of"]:
        return {"poll_end_words": words_fail.short_of(v["short_of"], config)}
    if config.geometry.head:
        return {"poll_end_words": "No done descriptor is left, every slot has an skb, and INT_CAUSE tells of no frame."}
    if config.rules.refills_on_exit:
        return {"poll_end_words": f"No done descriptor is left, and {config.driver} has refilled every free slot."}
    return {
        "poll_end_words": f"No done descriptor is left. {config.driver} does not refill on the way out; free slots wait"
        " for the next poll."
    }


def _gro_receive(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    held = v["held"]
    if not held:
        return {"held_words": "where nothing is held", "compare_words": "There is nothing that it could join."}
    words = "1 packet is held" if held == 1 else f"{held} packets are held"
    return {"held_words": f"where {words}", "compare_words": "What is held in another one is not even looked at."}


def _decided(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    decision = v["decision"]
    overtakes = decision.why.rule.kind is Kind.EXIT
    return {
        "reason": gro_words.why(decision),
        "after_words": "Nothing that is held was asked, so it may overtake frames of its own flow."
        if overtakes
        else "What was held of its flow, if anything, left before it.",
    }


_HOW = {
    "frags": "Its payload lay in fragments: they move over as they are, and its head and sk_buff are freed.",
    "head": "No byte moves: {part} that it lies in becomes a fragment, and only the sk_buff is freed.",
    "list": "No fragment slot is free, so the whole skb is chained to the fragment list.",
}


def _merge(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {
        "into_name": frame_name(v["into"]),
        "how_words": _HOW[v["how"]].format(part=f"the {config.geometry.part_word or 'buffer'}"),
    }


def _leaves(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    merged = f"Lengths and checksums in its headers are rewritten; gso_size {v['gso_size']:,} tells where frames were."
    return {
        "reason": gro_words.failure(v["left"]),
        "complete_words": merged if v["segs"] > 1 else "Nothing was added to it: it leaves as it came.",
    }


def _goes_up(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    count, segs = v["count"], v["segs"]
    batch = config.gro.normal_batch if config.gro is not None else 1
    return {
        "count_words": "One skb goes" if count == 1 else f"{count} skbs go",
        "together": "" if count == 1 else " together",
        "segs_words": "1 frame" if segs == 1 else f"{segs} frames",
        "batch_words": f"What leaves GRO waits until it is {batch} frames, or until the poll ends."
        if batch > 1
        else "This kernel passes every skb up by itself.",
    }


def _free(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if config.geometry.head:
        return {
            "refs_words": "its head" if step.segs == 1 else "the heads that its frames lie in",
            "freed_words": "The driver has no part in it. A chunk goes back when the last head that was cut from it does.",
        }
    if step.segs > 1:
        return {
            "refs_words": "its references to all the pages that they lie in",
            "freed_words": "Nobody tells the driver. It notices the next time that it looks at the pages' counts.",
        }
    if step.page is None:
        return {"refs_words": "its copy of the frame", "freed_words": "The driver has no part in it: no half was lent."}
    return {
        "refs_words": f"its reference to page {step.page}",
        "freed_words": "Nobody tells the driver. It notices the next time that it looks at the page's count.",
    }


_EXTRA = {
    "nic.writeback": _writeback,
    "irq.raise": _raise,
    "ring.refill": _refill,
    "desc.done": _done,
    "page.alloc": _alloc,
    "desc.post": _post,
    "buf.sync": _sync,
    "buf.take": _take,
    "skb.alloc": _new_head,
    "skb.build": _build,
    "skb.deliver": _deliver,
    "page.flip": _flip,
    "skb.frag": _frag,
    "page.reuse": _reuse,
    "page.give_up": _give_up,
    "ring.non_eop": _parked,
    "skb.fields": _fields,
    "poll.end": _poll_end,
    "skb.free": _free,
    "gro.receive": _gro_receive,
    "gro.held": _decided,
    "gro.merge": _merge,
    "gro.normal": _decided,
    "gro.flush": _leaves,
    "gro.evict": _leaves,
    "gro.up": _goes_up,
    **words_fail.EXTRA,
    **words_mv643xx.EXTRA,
    **words_napi.EXTRA,
}

_OF_DRIVER = {"qede": words_qede.EXTRA}
"""What is filled in for one driver only, or otherwise than for all."""
