"""Steps of NAPI, softirqs and moderation put into words; see rxviz.run.words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.run.trace import Step

QUARTERS = 4
"""Of a microsecond: the unit of the EITR register."""


def _pass(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    count, again = v["instances"], v["again"]
    same_pass = config.core.rx_repoll == "same pass"
    words = "" if same_pass else "Each instance is polled at most once in a pass. "
    if not count:
        words = "Who raised the softirq was polled in the last pass already. "
    if again:
        limit = config.core.max_softirq_restart
        words += f"It follows the last pass at once: number {again + 1} of at most {limit}, then ksoftirqd takes over."
    elif same_pass:
        words += "In this kernel, one that uses its whole weight is polled again in the same pass."
    else:
        words += "One that uses its whole weight is polled again in the next pass."
    return {
        "runner": "ksoftirqd" if v["ksoftirqd"] else "the softirq",
        "instances_words": "nobody is" if not count else "1 instance is" if count == 1 else f"{count} instances are",
        "pass_words": words,
    }


def _squeeze(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    left = v["left"]
    who = "1 queue waits" if left == 1 else f"{left} queues wait"
    return {
        "used_words": "budget is used up" if v["budget"] <= 0 else "time is up",
        "left_words": f"{who} for the next pass; the softirq is raised again." if left else "No queue is left over.",
    }


def _missed(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if v["marked"]:
        return {
            "mark_words": ": it leaves the mark MISSED",
            "missed_words": "Nobody is scheduled twice. The mark makes sure that the queue is looked at once more.",
        }
    return {
        "mark_words": ", and leaves no mark",
        "missed_words": "This kernel has no such mark: the poll that goes on must find by itself what came.",
    }


def _timer_start(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    if v["deferred"]:
        return {
            "deferred_words": ", and the vector stays masked",
            "timer_words": "napi_defer_hard_irqs lets some polls come by timer before the NIC may interrupt again.",
        }
    return {"deferred_words": "", "timer_words": "What GRO still holds waits until then for frames that could join it."}


_LIMITS = {
    "restarts": "they have been restarted too often",
    "time": "their time is up",
    "resched": "a program waits for the CPU",
}


def _wake(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"limit_words": _LIMITS[v["limit"]]}


def _run(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {
        "pending_words": ", which runs the softirqs"
        if v["pending"]
        else ", but no softirq is pending any more: it sleeps"
    }


def _enter(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    return {"enter_words": "calls for a poll" if v["found"] else "schedules NAPI"}


_REASONS = {
    "lowest": "That is the class for little traffic: up to 10 bytes per µs.",
    "low": "That is the class in between.",
    "bulk": "That is the class for bulk traffic.",
    "late": "The last update is more than a jiffy ago: it begins anew, at the least delay.",
    "latency": "So few are called latency traffic: the delay follows the size of the frames, halved.",
    "few": "Fewer than 48 frames: the delay grows a little.",
    "many": "96 frames or more: the delay is halved.",
    "bulk size": "256 frames or more: the delay follows the size of the frames.",
    "idle": "Nothing is sent, and the transmit side of the vector lets the delay grow by this much only.",
}


def _itr(step: Step, v: dict[str, Any], config: Config) -> dict[str, Any]:
    packets, reason = v["packets"], v["reason"]
    frames = "1 frame" if packets == 1 else f"{packets:,} frames"
    if reason == "bulk" and config.rules.itr_algorithm == "packets per interrupt":
        reason = "bulk size"
    words = _REASONS[reason]
    if config.rules.itr_algorithm == "three classes":
        words += " The register moves towards its delay, a part of the way each time."
    if config.rules.itr_algorithm == "igb":
        words += " The next interrupt's handler writes it to the register."
    return {
        "old_us": _microseconds(v["old"]),
        "new_us": _microseconds(v["new"]),
        "came_words": f"{frames} of {v['bytes']:,} bytes came since the last look." if packets else "Nothing came.",
        "reason_words": words,
    }


def _microseconds(quarters: int) -> str:
    return f"{quarters / QUARTERS:g}"


EXTRA = {
    "softirq.pass": _pass,
    "softirq.squeeze": _squeeze,
    "napi.missed": _missed,
    "napi.timer_start": _timer_start,
    "ksoftirqd.wake": _wake,
    "ksoftirqd.run": _run,
    "irq.enter": _enter,
    "itr.update": _itr,
}
