"""GRO's decisions as sentences, filled in from the table in `rules`."""

from __future__ import annotations

from collections.abc import Callable

from rxviz.model.gro import rules
from rxviz.model.gro.rules import Kind
from rxviz.model.gro.trace import Check, Decision, Value
from rxviz.wire.addresses import ipv4_text, ipv6_text
from rxviz.wire.flags import FLAGS_TEXT

_IPV4_SIZE = 4
_MOST = 3
"""Refusals named in one sentence: a lost segment leaves a gap in sequence numbers and in IPv4 IDs."""


def _as_bytes(value: Value) -> bytes:
    return value if isinstance(value, bytes) else value.to_bytes(8, "big")


def _ip(value: Value) -> str:
    data = _as_bytes(value)
    return ipv4_text(data) if len(data) == _IPV4_SIZE else ipv6_text(data)


def _ports(value: Value) -> str:
    data = _as_bytes(value)
    return f"{int.from_bytes(data[:2], 'big')} to {int.from_bytes(data[2:4], 'big')}"


def _mac(value: Value) -> str:
    data = _as_bytes(value)
    return f"{data[6:12].hex(':')} to {data[:6].hex(':')}, type 0x{data[12:14].hex()}"


def _tag(value: Value) -> str:
    number = int(value) if isinstance(value, int) else 0
    if not number:
        return "none"
    return f"VLAN {number & 0xFFF} priority {number >> 13 & 7} ({number >> 16:#06x})"


def _flags(value: Value) -> str:
    bits = value if isinstance(value, int) else 0
    high = bits >> 8
    return (FLAGS_TEXT[bits & 0xFF] or "none") + (f" and reserved bits {high:#x}" if high else "")


_SHAPES: dict[str, Callable[[Value], str]] = {
    "number": lambda value: str(int(value)) if isinstance(value, int) else value.hex(),
    "hex": lambda value: f"{value:#x}" if isinstance(value, int) else value.hex(),
    "bytes": lambda value: (value.hex() or "none") if isinstance(value, bytes) else str(value),
    "ip": _ip,
    "ports": _ports,
    "mac": _mac,
    "tag": _tag,
    "flags": _flags,
}


def value(check: Check) -> tuple[str, str]:
    """Return the two values that a rule compared, as a person reads them."""
    show = _SHAPES[check.rule.shape]
    return show(check.new), show(check.old)


def failure(check: Check) -> str:
    """Return the sentence that says why a rule failed, or what came of all of them."""
    new, old = value(check)
    return check.rule.fails.format(new=new, old=old)


def why(decision: Decision) -> str:
    """Return why a frame got its verdict."""
    sentence = failure(decision.why)
    if decision.why.rule is rules.MERGES:
        ends = next((c for c in decision.checks if not c.passed and c.rule.kind is Kind.CLOSE), None)
        return f"{sentence}; {failure(ends)}" if ends is not None and decision.flushed is not None else sentence
    if decision.why.rule.kind is Kind.REFUSAL:
        refused = [c for c in decision.checks if not c.passed and c.rule.kind is Kind.REFUSAL]
        return "; ".join(map(failure, refused[:_MOST]))
    if decision.why.rule.kind is Kind.CLOSE and decision.why.rule is not rules.FLUSH_ON_EMPTY:
        return f"not worth holding: {sentence}"
    return sentence
