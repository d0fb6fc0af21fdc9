"""Steps as lines of text, with the filters of `rxviz trace`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rxviz.errors import ScenarioError, quoted

if TYPE_CHECKING:
    from rxviz.model.config import Config
    from rxviz.model.machine import Machine
    from rxviz.run.trace import Step


@dataclass(frozen=True, slots=True)
class Filter:
    """Which steps are wanted: kinds by number and a frame by id (None: all of them), and step numbers, both ends in."""

    kinds: frozenset[int] | None = None
    frame: int | None = None
    first: int = 0
    last: int | None = None

    def wants(self, step: Step) -> bool:
        """Tell whether the step is wanted."""
        return (
            step.n + 1 >= self.first
            and (self.kinds is None or step.kind in self.kinds)
            and (self.frame is None or step.frame == self.frame)
        )


def wanted(machine: Machine, which: Filter) -> Iterator[Step]:
    """Play a machine and yield the steps that are wanted; stops at the last number asked for."""
    from rxviz.run.trace import record

    for step in record(machine):
        if which.last is not None and step.n + 1 > which.last:
            return
        if which.wants(step):
            yield step


def line(step: Step, config: Config) -> str:
    """Return a step on one line: number, time in ns, sentence, kernel function, badge."""
    from rxviz.model.steps import KINDS
    from rxviz.run import words

    place, badge = words.where(step, config), KINDS[step.kind].badge
    return f"{step.n + 1:>6}  {step.t_ns:>11,}  {words.text(step, config)}  ({place}, {badge})"


def why_line(step: Step, config: Config) -> str:
    """Return the reason of a step, to stand under its line."""
    from rxviz.run import words

    return f"{'':21}{words.why(step, config)}"


def kind_numbers(text: str) -> frozenset[int]:
    """Read a list of step kinds such as page.flip,skb.build; `page` alone stands for all that begin with `page.`."""
    from rxviz.model.steps import KINDS

    numbers: set[int] = set()
    for word in filter(None, (part.strip() for part in text.split(","))):
        found = {kind.number for kind in KINDS if word in (kind.name, kind.name.partition(".")[0])}
        if not found:
            raise ScenarioError(_unknown_kind(word, [kind.name for kind in KINDS]))
        numbers |= found
    if not numbers:
        raise ScenarioError(f"--kinds {quoted(text)} names no kind of step; give page.flip, or page for all of them")
    return frozenset(numbers)


def _unknown_kind(word: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, n=1)
    meant = f', did you mean "{near[0]}"?' if near else ""
    families = dict.fromkeys(name.partition(".")[0] for name in known)
    return f"{quoted(word)} is not a kind of step{meant}; known: {', '.join(families)}, or one of them: page.flip"


def frame_id(text: str) -> int:
    """Read a frame as its number or, as the sentences call it, its letter with the lap behind it: 27 is B1."""
    from rxviz.model.names import LETTERS

    if text.isascii() and text.isdigit() and len(text) < 10:
        return int(text)
    letter, lap = text[:1].upper(), text[1:] or "0"
    if letter.isascii() and letter.isalpha() and lap.isascii() and lap.isdigit() and len(lap) < 9:
        return int(lap) * LETTERS + ord(letter) - ord("A")
    raise ScenarioError(f"--frame takes a number, or a name such as C or A1, not {quoted(text, 40)}")
