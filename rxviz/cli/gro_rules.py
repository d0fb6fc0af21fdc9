"""`rxviz gro --rules`: the name of every rule that GRO asks, for --off."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from rxviz.cli.gro_sums import NARROW
from rxviz.model.gro.rules import RULES, Kind

_MEANINGS = {
    Kind.IDENTITY: "what makes a flow; where it differs, the held packet is of another flow and is left alone",
    Kind.REFUSAL: "same flow, but no merge; the held packet leaves, and the arriving one takes its place",
    Kind.EXIT: "the arriving packet goes to the stack at once, past whatever its flow has held",
    Kind.CONDEMN: "the arriving packet goes to the stack, and its flow's held packet leaves before it",
    Kind.CLOSE: "the packet ends here: merged or not, nothing more is added to it",
}
_NAME, _ASKS = 26, 34


def lines() -> Iterator[str]:
    """Yield the rules kind by kind, in the order in which they stand in the kernel."""
    yield "The rules of GRO. --off NAME switches one off; those in brackets cannot be."
    for kind, meaning in _MEANINGS.items():
        yield ""
        yield from wrap(f"{kind}: {meaning}", NARROW)
        for rule in RULES.values():
            if rule.kind is not kind:
                continue
            name = f"({rule.name})" if rule.needed else rule.name
            start = f"  {name:<{_NAME}}"
            yield from wrap(rule.asks, NARROW, initial_indent=start, subsequent_indent=" " * len(start))
