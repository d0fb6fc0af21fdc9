"""What fills the sentences of mv643xx_eth's steps, of LRO's, and of a bridge's."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rxviz.model.gro import lro_check
from rxviz.model.gro import words as gro_words
from rxviz.model.mv643xx_desc import (
    ERROR_SUMMARY,
    LAYER_4_CHECKSUM_OK,
    RX_FIRST_DESC,
    RX_LAST_DESC,
    RX_PKT_IS_IPV4,
)
from rxviz.model.names import frame_name
from rxviz.run.words_fail import BAD
from rxviz.wire.flags import FLAGS_TEXT

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.run.trace import Step

Words = Callable[["Step", dict[str, Any], "Config"], dict[str, Any]]


def _give_back(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if not v["last"]:
        return {"last_words": ", and the frame goes on in the next one", "count_words": ""}
    if not v["status"] & RX_FIRST_DESC:
        return {"last_words": ", the frame's last part", "count_words": "Behind it stand the 4 bytes of the FCS."}
    return {
        "last_words": "",
        "count_words": "In front of the frame stand 2 dummy bytes, behind it the 4 of the FCS; byte_cnt counts both.",
    }


def _refill(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    one = v["count"] == 1
    most = min(v["budget"], v["count"])
    return {
        "count_words": "1 slot is" if one else f"{v['count']} slots are",
        "most_words": ("it" if one else "them") if most == v["count"] else f"{most} at most in one go",
    }


def _oom(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"what_words": "the next heads" if v["what"] == "page" else "an skb"}


def _ahead(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    shell = config.core.sk_buff_size
    return {
        "skb": step.skb,
        "charge_words": f"It is charged {v['truesize'] - shell:,} for the head and {shell} for the sk_buff: "
        f"{v['truesize']:,}.",
    }


def _skb(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"skb": step.skb}


def csum_words(status: int) -> str:
    """Tell what the NIC says of a frame's checksums."""
    if status & LAYER_4_CHECKSUM_OK:
        return "LAYER_4_CHECKSUM_OK: the NIC found the checksums good, so the skb is CHECKSUM_UNNECESSARY."
    if not status & RX_PKT_IS_IPV4:
        return "The NIC checks IPv4 alone, so nobody vouches for this frame's checksum yet."
    return "The NIC does not vouch for the checksum; who wants to know must add it up."


def _length(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"csum_words": csum_words(v["status"])}


def _drop(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    status = v["status"]
    if status & ERROR_SUMMARY:
        return {"error_words": BAD[v["error"]], "why_words": "ERROR_SUMMARY is set."}
    first, last = status & RX_FIRST_DESC, status & RX_LAST_DESC
    part = "only its beginning" if first else "only its end" if last else "only a part of it"
    return {
        "error_words": f"it has {part}",
        "why_words": "To this driver a frame must lie in one buffer, with RX_FIRST_DESC and RX_LAST_DESC in one "
        "descriptor.",
    }


def _lro_receive(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    held = v["held"]
    return {"held_words": "which has nothing in the making" if not held else f"which has {held} in the making"}


def _lro_merge(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"into_name": frame_name(v["into"])}


def _lro_left(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"reason": gro_words.failure(v["left"])}


def _lro_flush(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    left = v["left"]
    reason = "the driver's loop is over" if left.rule is lro_check.POLL_END else gro_words.failure(left)
    if v["segs"] == 1:
        return {"reason": reason, "header_words": "Nothing was added to it; not a byte of it has changed."}
    return {
        "reason": reason,
        "header_words": "One header is left, the first; ACK number, window and echoed timestamp in it are the last "
        f"frame's. What the {v['segs'] - 1} before it said of them is gone.",
    }


def _forward(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"skb_words": "one skb of one frame" if v["segs"] == 1 else f"one skb of {v['segs']} frames"}


def _send(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    changes = v["changes"]
    if not changes:
        return {"as_words": " as it came", "why_words": "Not a byte of it is other than it was."}
    told = [change_words(*change) for change in changes if change[0] != "checksum"] or ["its checksum differs"]
    more = [each[0].upper() + each[1:] + ". " for each in told[1:]]
    return {
        "as_words": f", and is not what came in: {told[0]}",
        "why_words": "".join(more) + "Its receiver cannot know that nobody ever sent this.",
    }


def change_words(name: str, came: int, sent: int) -> str:
    """Tell what of a frame is not sent as it came."""
    if name == "frame":
        return "nobody ever sent such a frame"
    if name == "flags":
        return f"flags are {FLAGS_TEXT[sent] or 'none'}, it came with {FLAGS_TEXT[came] or 'none'}"
    if name == "length":
        return f"it is {sent:,} bytes long, it came with {came:,}"
    return f"{name} is {sent}, it came with {came}"


EXTRA: dict[str, Words] = {
    "nic.give_back": _give_back,
    "rxq.refill": _refill,
    "rxq.oom": _oom,
    "skb.ahead": _ahead,
    "rxq.take": _skb,
    "skb.length": _length,
    "rxq.drop": _drop,
    "lro.receive": _lro_receive,
    "lro.merge": _lro_merge,
    "lro.alone": _lro_left,
    "lro.flush": _lro_flush,
    "bridge.forward": _forward,
    "bridge.send": _send,
}
