"""`rxviz gro --why N,M`: every rule between two frames of a capture, and the smallest change that lets them merge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from rxviz.capture.frames import Arrival
from rxviz.cli.gro_table import width
from rxviz.errors import CaptureError, ScenarioError, quoted
from rxviz.model.gro import words
from rxviz.model.gro.rules import Kind, Rule
from rxviz.model.gro.trace import Verdict
from rxviz.run.gro import GroOptions
from rxviz.run.gro_edits import in_words
from rxviz.run.gro_why import Asked, State, Why, why, why_in_poll

_YOUNG_STAY_FROM_HZ = 1000
_TEXT = 38
_MARGIN = 17


def pair(text: str) -> tuple[int, int]:
    """Read N,M; ScenarioError for anything but two different numbers."""
    parts = text.split(",")
    if len(parts) != 2 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise ScenarioError(f"--why takes two frames as N,M, counted from 0, such as 3,4, not {quoted(text, 40)}")
    first, second = map(int, parts)
    if first == second:
        raise ScenarioError(f"--why takes two different frames, not {first} twice")
    return first, second


@dataclass(frozen=True, slots=True)
class Answer:
    """What GRO says of two frames, and in which situation it was asked. `met`: it was so in the capture itself."""

    first: int
    second: int
    met: bool
    situation: str
    why: Why


def ask(frames: Iterable[Arrival], first: int, second: int, options: GroOptions) -> Answer:
    """Ask about two frames: as it was in the capture where they met there, else as if nothing else were there."""
    block, start, one, other = _read(frames, first, second, options)
    if first > second:
        return _alone(one, other, first, second, options, f"Frame {second} arrived before frame {first}")
    if first < start:
        return _alone(one, other, first, second, options, f"All that was held left between frames {first} and {second}")
    met = why_in_poll(block, second - start, options, against=first - start)
    if met is None:
        apart = f"When frame {second} arrived, no packet with frame {first} in it was held"
        return _alone(one, other, first, second, options, apart)
    return Answer(first, second, True, f"Frame {second} arrived while a packet with frame {first} in it was held.", met)


def _alone(one: Arrival, other: Arrival, first: int, second: int, options: GroOptions, apart: str) -> Answer:
    situation = f"{apart}; so this is asked as if nothing else were there, {first} before {second}."
    found = why(one, other, options)
    if found.first.verdict is not Verdict.HELD:
        situation += f" Frame {first} is not even held: {words.why(found.first)}."
    return Answer(first, second, False, situation, found)


def _read(
    frames: Iterable[Arrival], first: int, second: int, options: GroOptions
) -> tuple[list[Arrival], int, Arrival, Arrival]:
    """Return the frames since all that was held left for the last time, the number of the first of them, and both."""
    block: list[Arrival] = []
    start, seen = 0, 0
    found: dict[int, Arrival] = {}
    for number, frame in enumerate(frames):
        seen = number + 1
        if number <= second:
            if _starts_empty(number, options):
                block, start = [], number
            block.append(frame)
        if number in (first, second):
            found[number] = frame
            if len(found) == 2:
                return block, start, found[first], found[second]
    few = f"the capture has {seen:,} frame{'' if seen == 1 else 's'}"
    raise CaptureError(f"there is no frame {max(first, second)}: {few}" + (f", 0 to {seen - 1}" if seen else ""))


def _starts_empty(number: int, options: GroOptions) -> bool:
    place, config = number % options.poll, options.config
    return place == 0 or (config.hz < _YOUNG_STAY_FROM_HZ and place % config.weight == 0)


def as_json(answer: Answer, kernel: str) -> dict[str, Any]:
    """Return the answer as one JSON object."""
    found = answer.why
    smallest = found.smallest
    return {
        "kernel": kernel,
        "first": answer.first,
        "second": answer.second,
        "met": answer.met,
        "merges": found.merges,
        "verdict": found.decision.verdict.name,
        "why": words.why(found.decision),
        "rules": [_rule_json(asked) for asked in found.asked],
        "smallest": None
        if smallest is None
        else [{"field": change.field, "was": change.was, "becomes": change.becomes} for change in smallest],
    }


def _rule_json(asked: Asked) -> dict[str, Any]:
    rule = asked.rule
    entry = {"rule": rule.name, "kind": str(rule.kind), "asks": rule.asks, "where": rule.where}
    return entry | {"state": str(asked.state), "new": asked.new, "old": asked.old}


def lines(title: str, answer: Answer) -> Iterator[str]:
    """Yield the rules as a table, then the verdict and the smallest change."""
    columns = width()
    yield f"{title}: may frame {answer.second} join frame {answer.first}?"
    yield from wrap(answer.situation, columns)
    yield ""
    yield f"{'':5}{'':12}{'what GRO asks':<{_TEXT}} arriving / held or limit"
    for number, asked in enumerate(answer.why.asked, 1):
        yield from _rule_lines(number, asked, columns)
    yield ""
    yield from _verdict(answer, columns)


def _rule_lines(number: int, asked: Asked, columns: int) -> Iterator[str]:
    start, margin = f"{number:>3}  {_state(asked):<12}", " " * _MARGIN
    if asked.state is State.FAILED:
        text = f"{asked.sentence()} ({asked.rule.name})"
        yield from wrap(text, columns, initial_indent=start, subsequent_indent=margin)
        return
    values = _values(asked)
    text = f"{start}{asked.rule.asks:<{_TEXT}} {values}".rstrip()
    if len(text) <= columns and len(asked.rule.asks) <= _TEXT:
        yield text
        return
    yield from wrap(asked.rule.asks, columns, initial_indent=start, subsequent_indent=margin)
    yield from wrap(values, columns, initial_indent=margin + "  ", subsequent_indent=margin + "  ")


def _state(asked: Asked) -> str:
    if asked.state is State.FAILED:
        return "ends it" if asked.rule.kind is Kind.CLOSE else "FAILED"
    if asked.state is State.OFF:
        return "off"
    return str(asked.state)


def _values(asked: Asked) -> str:
    """Return the values that the rule's own sentence speaks of, one where both are the same."""
    new, old = _speaks_of(asked.rule, "new"), _speaks_of(asked.rule, "old")
    shown = [value for value, spoken in ((asked.new, new), (asked.old, old)) if spoken]
    return shown[0] if len(shown) == 2 and shown[0] == shown[1] else " / ".join(shown)


def _speaks_of(rule: Rule, name: str) -> bool:
    return f"{{{name}}}" in rule.fails


def _verdict(answer: Answer, columns: int) -> Iterator[str]:
    found, second = answer.why, answer.second
    verdict = f"frame {second} is {found.decision.verdict.name}: {words.why(found.decision)}."
    yield from wrap(f"{'Yes' if found.merges else 'No'}: {verdict}", columns)
    if found.merges:
        return
    if not found.smallest:
        yield from wrap("No change of its fields would let it join, not even of all together.", columns)
        return
    yield from wrap(f"The smallest change with which it would join: {in_words(found.smallest)}.", columns)
