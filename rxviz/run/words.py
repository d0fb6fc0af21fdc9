"""A step put into words: the templates of rxviz.model.steps filled in with the step's own values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rxviz.model import descriptor, steps
from rxviz.model.names import frame_name, half_name

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.run.trace import Step


def text(step: Step, config: Config) -> str:
    """Return the one plain sentence that says what happened."""
    return steps.KINDS[step.kind].text.format_map(_values(step, config))


def why(step: Step, config: Config) -> str:
    """Return one or two sentences on why it happened, or what follows from it."""
    return steps.KINDS[step.kind].why.format_map(_values(step, config)).strip()


def where(step: Step, config: Config) -> str:
    """Return the kernel function (or register) that the step stands for, by its name in this kernel."""
    kind = steps.KINDS[step.kind]
    return config.rules.functions.get(kind.name, kind.where)


def _values(step: Step, config: Config) -> dict[str, Any]:
    kind = steps.KINDS[step.kind]
    values: dict[str, Any] = dict(zip(kind.fields, step.fields, strict=True))
    values |= {"slot": step.slot, "page": step.page, "next_slot": (step.slot + 1) % config.ring}
    if step.frame is not None:
        values["F"] = frame_name(step.frame)
    if "offset" in values:
        half = config.geometry.half
        values["half"] = half_name(values["offset"], half) if half else f"at {values['offset']:,}"
        values["other"] = half_name(values["offset"] ^ half, half) if half else ""
    values |= {"poll": step.poll, "batch": config.refill, "hdr_size": config.rules.rx_hdr_size}
    values["done_field"] = "status word" if config.rules.done_test == "status_error" else "length"
    extra = _EXTRA.get(kind.name)
    return values | extra(step, values, config) if extra else values


def _writeback(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"eop_words": ", end of packet" if v["eop"] else ", more to come"}


def _raise(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"itr_words": f"fires in {v['itr']:,} ns" if v["itr"] else "fires at once"}


def _done(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if config.rules.done_test == "status_error":
        return {"length_words": f"not zero, and its length is {v['length']:,}"}
    return {"length_words": f"{v['length']:,}"}


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
        "cpu_sync_words": "4.9 syncs the whole buffer, however short the frame."
        if whole
        else "Only the frame's length is synced."
    }


def _take(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"bias_before": v["bias"] + 1}


def _frag(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"frag": step.frag}


def _reuse(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    half = config.geometry.half
    if not half:
        return {
            "reuse_words": f"Offset {v['offset']:,} is not past {config.geometry.last_offset:,}, the last that may be posted."
        }
    if config.rules.bias_start == 0:
        return {"reuse_words": f"Nobody else had it, so half {v['half']} is free; page count is {v['count']} now."}
    users = v["count"] - v["bias"]
    who = "this frame only" if users else "nobody"
    return {
        "reuse_words": f"Half {v['half']} is next, and free: {v['count']:,} references − {v['bias']:,} prepaid = {users}, {who}."
    }


def _give_up(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if not config.geometry.half:
        return {
            "reason_words": ": it is used to its end",
            "give_up_words": f"Offset {v['offset']:,} is past {config.geometry.last_offset:,}.",
        }
    if config.rules.bias_start == 0:
        words = f"Page count is {v['count']}, not 1: an earlier frame still holds the other half."
        return {"reason_words": ": its other half is still held", "give_up_words": words}
    users = v["count"] - v["bias"]
    words = f"{v['count']:,} references − {v['bias']:,} prepaid = {users}: this frame, and another that holds half {v['half']}."
    return {"reason_words": f": half {v['half']} is still held", "give_up_words": words}


def _fields(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    status = v["csum"]
    if not status & descriptor.L4CS:
        return {"csum_words": "The NIC checked no L4 checksum."}
    good = not status & (descriptor.TCPE | descriptor.IPE)
    return {
        "csum_words": "The NIC found the checksums good."
        if good
        else "The NIC found a checksum wrong; the stack will look itself."
    }


def _discard(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"error_words": "an error bit of the write-back is set"}


def _poll_end(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if v["work"] >= v["budget"]:
        return {
            "poll_end_words": "The budget is used up: NAPI stays scheduled and the interrupt masked; another poll follows."
        }
    return {
        "poll_end_words": "No done descriptor is left. ixgbe does not refill on the way out; free slots wait for the next poll."
    }


def _free(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"refs_words": f"its reference to page {step.page}" if step.page is not None else "its memory"}


_EXTRA = {
    "nic.writeback": _writeback,
    "irq.raise": _raise,
    "desc.done": _done,
    "page.alloc": _alloc,
    "desc.post": _post,
    "buf.sync": _sync,
    "buf.take": _take,
    "skb.frag": _frag,
    "page.reuse": _reuse,
    "page.give_up": _give_up,
    "skb.fields": _fields,
    "frame.discard": _discard,
    "poll.end": _poll_end,
    "skb.free": _free,
}
