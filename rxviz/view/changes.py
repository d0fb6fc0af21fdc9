"""What a step changed, in short words: "page 0 offset 192 → 2,240"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rxviz.model import steps
from rxviz.run.observe import Change, Value

if TYPE_CHECKING:
    from rxviz.model.halves import Half
    from rxviz.model.memory import Page
    from rxviz.run.timeline import Moment

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
    "napi.missed": "MISSED",
    "napi.passes": "passes",
    "napi.itr": "irq delay",
    "napi.polls": "polls",
    "napi.interrupts": "interrupts",
    "gro.held": "GRO holds",
    "gro.queued": "frames for the stack",
    "lro.held": "LRO holds",
    "nic.CDP": "CDP",
    "segs": "frames",
    "socket.queued": "socket queue",
    "socket.charged": "charged",
    "socket.read": "skbs read",
}
FEW = 3
"""Up to so many holders of a page are named, before and after."""
_ONE = {"pages": "page", "slots": "slot", "skbs": "skb"}


def change_texts(changes: Iterable[Change]) -> list[str]:
    """Return each change as "what old → new"; descriptors and completions say only that they were rewritten."""
    return [_text(name, old, new) for name, old, new in changes]


def changed_names(changes: Iterable[Change]) -> frozenset[str]:
    """Return the names alone, as `rxviz.run.observe` has them, for marking what changed."""
    return frozenset(name for name, _, _ in changes)


def changed(moment: Moment) -> frozenset[str]:
    """Return the names of what the step that led here changed; none at the beginning."""
    return changed_names(moment.step.changes) if moment.step is not None else frozenset()


def value_before(moment: Moment, name: str, now: int) -> int:
    """Return what a number was before this step; `now` where the step left it alone."""
    for changed_name, old, _ in moment.step.changes if moment.step is not None else ():
        if changed_name == name and isinstance(old, int):
            return old
    return now


def changed_halves(moment: Moment, page: Page, found: Iterable[Half]) -> frozenset[int]:
    """Return the starts of those halves (or regions) of a page that this step did something to."""
    step = moment.step
    if step is None:
        return frozenset()
    names = changed_names(step.changes)
    old_new = {name: (old, new) for name, old, new in step.changes}
    regions = regions_changed(moment, page)
    _, next_offset = old_new.get(f"pages.{page.id}.page_offset", (None, None))
    offsets = [next_offset] if isinstance(next_offset, int) else []
    if step.kind == steps.NIC_DMA and step.page == page.id:
        offsets.append(step.field("offset"))
    return frozenset(
        half.start
        for half in found
        if half.start in regions
        or any(half.start <= offset < half.start + half.size for offset in offsets)
        or (half.slot >= 0 and not names.isdisjoint((f"slots.{half.slot}.descriptor", f"slots.{half.slot}.page")))
        or (half.skb is not None and f"skbs.{half.skb}.state" in names)
    )


def regions_changed(moment: Moment, page: Page) -> frozenset[int]:
    """Return the first bytes of the regions of a page whose holder is another one since this step ("0:3 2048:5" is
    region:skb, twice).
    """
    for name, old, new in moment.step.changes if moment.step is not None else ():
        if name == f"pages.{page.id}.users":
            differing = set(str(old or "").split()) ^ set(str(new or "").split())
            return frozenset(int(part.partition(":")[0]) for part in differing)
    return frozenset()


def _text(name: str, old: Value, new: Value) -> str:
    group, _, rest = name.partition(".")
    number, _, part = rest.partition(".")
    if group in _ONE and part == "descriptor":
        return f"descriptor {number} rewritten"
    if group in _ONE:
        if part == "users":
            return f"{_ONE[group]} {number} held by {_old_and_new_holders(old, new)}"
        return f"{_ONE[group]} {number} {_WORDS.get(part, part)} {_value(old)} → {_value(new)}"
    if group == "completions":
        return f"completion {rest} written"
    if group in ("counters", "lamps"):
        return f"{rest} {_value(old)} → {_value(new)}"
    return f"{_WORDS.get(name, rest)} {_value(old)} → {_value(new)}"


def _old_and_new_holders(old: Value, new: Value) -> str:
    """Name all holders before and after, where they are few; else count them, and name those that came or went."""
    before, after = str(old or "").split(), str(new or "").split()
    if max(len(before), len(after)) <= FEW:
        return f"{_holders(old)} → {_holders(new)}"
    gone = _holders(" ".join(part for part in before if part not in after)) if set(before) - set(after) else ""
    come = _holders(" ".join(part for part in after if part not in before)) if set(after) - set(before) else ""
    named = " and ".join(word for word in (f"{gone} gone" if gone else "", f"{come} new" if come else "") if word)
    return f"{len(before)} → {len(after)} skbs: {named}"


def _holders(value: Value) -> str:
    """Turn "0:3 2048:5" (region:skb) into "skb 3, skb 5"."""
    if not value:
        return "nobody"
    return ", ".join("skb " + part.partition(":")[2] for part in str(value).split())


def _value(value: Value) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) else str(value)
