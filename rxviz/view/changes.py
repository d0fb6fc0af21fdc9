"""What a step changed, in short words: "page 0 offset 192 → 2,240"."""

from __future__ import annotations

from collections.abc import Iterable

from rxviz.run.observe import Change, Value

_WORDS = {
    "pagecnt_bias": "prepaid",
    "page_offset": "offset",
    "page_count": "refs",
    "users": "holders",
    "nic.waiting": "NIC holds",
    "nic.irq": "irq",
    "nic.RDH": "RDH",
    "nic.RDT": "RDT",
    "napi.scheduled": "NAPI scheduled",
    "napi.polls": "polls",
    "napi.interrupts": "interrupts",
    "socket.queued": "socket queue",
    "socket.charged": "charged",
    "socket.read": "skbs read",
}
_ONE = {"pages": "page", "slots": "slot", "skbs": "skb"}


def change_texts(changes: Iterable[Change]) -> list[str]:
    """Return each change as "what old → new"; descriptors say only that they were rewritten."""
    return [_text(name, old, new) for name, old, new in changes]


def changed_names(changes: Iterable[Change]) -> frozenset[str]:
    """Return the names alone, as `rxviz.run.observe` has them, for marking what changed."""
    return frozenset(name for name, _, _ in changes)


def _text(name: str, old: Value, new: Value) -> str:
    group, _, rest = name.partition(".")
    number, _, part = rest.partition(".")
    if group in _ONE and part == "descriptor":
        return f"descriptor {number} rewritten"
    if group in _ONE:
        if part == "users":
            return f"{_ONE[group]} {number} held by {_holders(old)} → {_holders(new)}"
        return f"{_ONE[group]} {number} {_WORDS.get(part, part)} {_value(old)} → {_value(new)}"
    if group in ("counters", "lamps"):
        return f"{rest} {_value(old)} → {_value(new)}"
    return f"{_WORDS.get(name, rest)} {_value(old)} → {_value(new)}"


def _holders(value: Value) -> str:
    """Turn "0:3 2048:5" (region:skb) into "skb 3, skb 5"."""
    if not value:
        return "nobody"
    return ", ".join("skb " + part.partition(":")[2] for part in str(value).split())


def _value(value: Value) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
