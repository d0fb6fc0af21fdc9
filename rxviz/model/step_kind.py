"""What a kind of step is, and the list that all of them are in; see rxviz.model.steps."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StepKind:
    """One row of the table. `fields` names what comes behind frame, slot, page and skb; `glyph` is for the scrubber."""

    number: int
    name: str
    who: str
    fields: tuple[str, ...]
    text: str
    why: str
    where: str
    badge: str
    glyph: str = ""


DRIVER = "the driver"
"""A function (or a register) that each driver has by a name of its own: [functions] in assets/kernels/<driver>.toml."""
KINDS: list[StepKind] = []


def kind(name: str, who: str, fields: str, text: str, why: str, where: str, badge: str = "K", glyph: str = "") -> int:
    """Put a kind on the list; return its number."""
    number = len(KINDS)
    KINDS.append(StepKind(number, name, who, tuple(fields.split()), text, why, where, badge, glyph))
    return number
