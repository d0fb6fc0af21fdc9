"""Expressions of a lesson, worked out over a run: its names, its positions, and its texts filled in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from rxviz.errors import ScenarioError
from rxviz.model.names import frame_name
from rxviz.run.expression import ExpressionError, Record, parse
from rxviz.run.gro_orders import skbs_by_order
from rxviz.run.lanes import Lane

MAX_LOOKS = 1_000_000
"""Steps that one expression of a lesson may look at."""
_NAME = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")
FUNCTIONS = (
    "abs", "count", "end", "ended", "fewest", "first", "found", "here", "lamps", "lane", "last", "letter", "max", "min",
    "most", "next", "pick", "previous", "sequence", "total", "value",
)  # fmt: skip
"""What every expression of a lesson may use; a name in `let` may be none of these."""


class LaneBook:
    """Runs side by side, made when they are first asked for, and read in expressions as lane('name')."""

    def __init__(self, words: Mapping[str, str], make: Callable[[str], Lane]) -> None:
        self.words = words
        self.make = make
        self.made: dict[str, Lane] = {}

    def lane(self, name: str) -> Lane:
        """Return a run by its name; raise ExpressionError when there is none of that name."""
        if name not in self.words:
            raise ExpressionError(f'there is no lane "{name!s:.40}"')
        if name not in self.made:
            self.made[name] = self.make(self.words[name])
        return self.made[name]

    def record(self, name: str) -> Record:
        """Return a run as a value of the language, looked at from its start."""
        questions = self.lane(name).questions()
        questions.limit = MAX_LOOKS
        return questions.as_record()


def ask(text: str, lane: Lane, position: int, names: Mapping[str, Any], seed: int) -> Any:
    """Work out an expression over a lane at a position; raise ExpressionError.

    `pick(low, high)` gives a number that depends on the seed and on the expression it stands in, `letter(frame)` a
    frame's name; `fewest()` and `most()` how many skbs the frames can leave GRO as, over all orders.
    """
    random = Random(f"{seed}/{text}")
    questions = lane.questions(position)
    questions.limit = MAX_LOOKS
    scope = questions.scope() | {
        "pick": lambda low, high: random.randint(low, high),
        "letter": frame_name,
        "fewest": lambda: _by_order(lane)[0],
        "most": lambda: _by_order(lane)[1],
        "end": len(lane.trace),
    }
    return parse(text).evaluate(scope | dict(names))


def _by_order(lane: Lane) -> tuple[int, int]:
    try:
        return skbs_by_order(lane.scenario)
    except ScenarioError as error:
        raise ExpressionError(str(error)) from None


def named(let: Mapping[str, str], lane: Lane, seed: int, given: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Work out named values, each of which may use those before it, and what is `given`."""
    names: dict[str, Any] = {}
    for name, text in let.items():
        names[name] = as_scalar(ask(text, lane, 0, {**(given or {}), **names}, seed), text)
    return names


def as_scalar(value: Any, text: str) -> int | str:
    """Check that a value can be shown and compared."""
    if not isinstance(value, int | str):
        raise ExpressionError(f"`{text}` must come to a number or a text")
    return value


def as_position(value: Any, lane: Lane) -> int:
    """Check that a value is a position of the run."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= len(lane.trace):
        raise ExpressionError(f"{value!r:.40} is not a position of the run, which has {len(lane.trace):,} steps")
    return value


def filled(text: str, names: Mapping[str, Any]) -> str:
    """Put named values into a text; numbers get their thousands separated."""
    return _NAME.sub(lambda found: _shown(names.get(found[1], found[0])), text)


def names_in(text: str) -> set[str]:
    """Return the names that a text has in braces."""
    return set(_NAME.findall(text))


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
