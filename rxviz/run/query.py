"""Questions over a trace: the functions that expressions may use.

count(kind, …)  first(kind, …)  last(kind, …)  next(kind, …)  previous(kind, …)
    steps of a kind; further words narrow them down: `frame=3`, `half='B'`, or a field of the kind, `size=64`;
    `after=` and `before=` are step numbers. A step has .n .t .kind .frame .slot .page .half .skb and its fields.
sequence(kind, …, frame=F)
    those of the kinds that happen, joined by blanks, in the order in which they first happen
value(name)     what can be seen at the present position, e.g. value('ring.next_to_clean'), value('layout.half');
                value(name, at=p) at another one; each * of the name is a further argument: value('skbs.*.end', 3)
total(name)     a number of the run's result, e.g. total('ledger.bytes_copied')
ended()         the rule of GRO by which most skbs left it; ended('gro_poll_end') how many left by that one
lamps()         how many lamps are lit in all; lamps('bytes_intact') one of them
abs, min, max
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from rxviz.model import steps
from rxviz.model.names import half_name
from rxviz.run.expression import ExpressionError, Record

if TYPE_CHECKING:
    from rxviz.run.trace import Step

MAX_WORK = 20_000_000
"""Steps that one expression may look at in all."""
_BOUNDS = ("after", "before")


class Questions:
    """The functions over one run.

    `half_size` is the size of a half (0 where pages are walked); `position` is where "next" and "previous" start
    from; `look` returns what can be seen at a position, `result` the run's result.
    """

    def __init__(
        self,
        trace: Sequence[Step],
        half_size: int,
        position: int,
        look: Callable[[int], dict[str, Any]],
        result: Callable[[], dict[str, Any]],
    ) -> None:
        self.trace = trace
        self.half_size = half_size
        self.position = position
        self.look = look
        self.result = result
        self.work = 0
        self.limit = MAX_WORK

    def scope(self) -> dict[str, Any]:
        """Return the names of the language, bound to this run."""
        return {
            "count": self.count, "first": self.first, "last": self.last, "next": self.next, "previous": self.previous,
            "sequence": self.sequence, "value": self.value, "total": self.total, "lamps": self.lamps,
            "ended": self.ended, "here": self.position, "abs": abs, "min": min, "max": max,
        }  # fmt: skip

    def as_record(self) -> Record:
        """Return the run as a value of the language, for questions about several lanes."""
        return Record(self.scope())

    # ---------------------------------------------------------------------------------------------------- functions
    def count(self, kind: str, **words: Any) -> int:
        """How many steps of a kind there are."""
        return sum(1 for _ in self._matching(kind, words, range(len(self.trace))))

    def first(self, kind: str, **words: Any) -> Record | None:
        """The first such step of the run."""
        return self._one(kind, words, range(len(self.trace)))

    def last(self, kind: str, **words: Any) -> Record | None:
        """The last such step of the run."""
        return self._one(kind, words, range(len(self.trace) - 1, -1, -1))

    def next(self, kind: str, **words: Any) -> Record | None:
        """The first such step that has not happened yet."""
        return self._one(kind, words, range(self.position, len(self.trace)))

    def previous(self, kind: str, **words: Any) -> Record | None:
        """The last such step that has happened."""
        return self._one(kind, words, range(self.position - 1, -1, -1))

    def sequence(self, *kinds: str, **words: Any) -> str:
        """Those of the kinds that happen, in the order in which they first do."""
        found = [(step.parts["n"], kind) for kind in kinds if (step := self.first(kind, **words)) is not None]
        return " ".join(kind for _, kind in sorted(found))

    def value(self, name: str, *numbers: int, at: int | None = None) -> Any:
        """What can be seen under a name, now or at a position; each * of the name stands for a number."""
        if name.count("*") != len(numbers):
            raise ExpressionError(f'"{name:.60}" needs a number for each *')
        for number in numbers:
            name = name.replace("*", str(number), 1)
        where = self.position if at is None else at
        if not 0 <= where <= len(self.trace):
            raise ExpressionError(f"{where} is not a position of the run, which has {len(self.trace):,} steps")
        look = self.look(where)
        if name not in look:
            raise ExpressionError(f'there is no value "{name:.60}" at this position')
        return look[name]

    def total(self, name: str) -> Any:
        """A number of the run's result, by its dotted name."""
        found: Any = self.result()
        for part in name.split("."):
            if not isinstance(found, dict) or part not in found:
                raise ExpressionError(f'the result has no "{name:.60}"')
            found = found[part]
        if not isinstance(found, int | str):
            raise ExpressionError(f'"{name:.60}" is a whole table of the result; name one of its numbers')
        return found

    def ended(self, rule: str | None = None) -> int | str:
        """Why skbs left GRO: the rule by which most did ("" where none did), or how many did by a rule."""
        self._work_on(len(self.trace))
        left: Counter[str] = Counter()
        for step in self.trace:
            decision = step.field("decision") if step.kind == steps.GRO_NORMAL else None
            check = decision.why if decision is not None else step.field("left")
            if check is not None:
                left[check.rule.name] += 1
        if rule is not None:
            return left[rule]
        return left.most_common(1)[0][0] if left else ""

    def lamps(self, name: str | None = None) -> int:
        """How often lamps went on."""
        lit: dict[str, int] = self.result()["lamps"]
        if name is not None and name not in lit:
            raise ExpressionError(f'there is no lamp "{name:.60}"')
        return sum(lit.values()) if name is None else lit[name]

    # ------------------------------------------------------------------------------------------------------- search
    def _work_on(self, count: int) -> None:
        self.work += count
        if self.work > self.limit:
            raise ExpressionError("the expression looks at too many steps")

    def _matching(self, kind: str, words: dict[str, Any], order: range) -> Any:
        if kind not in steps.BY_NAME:
            raise ExpressionError(f'"{kind!s:.40}" is not a kind of step')
        number = steps.BY_NAME[kind]
        known = {"frame", "slot", "page", "half", "skb", "n", "t", *_BOUNDS, *steps.KINDS[number].fields}
        if unknown := set(words) - known:
            raise ExpressionError(f'steps of kind {kind} have no "{min(unknown):.40}"')
        self._work_on(len(order))
        for i in order:
            step = self.trace[i]
            if step.kind == number and self._fits(step, words):
                yield step

    def _one(self, kind: str, words: dict[str, Any], order: range) -> Record | None:
        for step in self._matching(kind, words, order):
            return Record(self.parts(step))
        return None

    def _fits(self, step: Step, words: dict[str, Any]) -> bool:
        if not words:
            return True
        if not words.get("after", -1) < step.n < words.get("before", 1 << 62):
            return False
        parts = self.parts(step)
        return all(parts[name] == value for name, value in words.items() if name not in _BOUNDS)

    def parts(self, step: Step) -> dict[str, Any]:
        """Return what an expression may ask of a step."""
        kind = steps.KINDS[step.kind]
        fields = dict(zip(kind.fields, step.fields, strict=True))
        offset = fields.get("offset")
        half = half_name(offset, self.half_size) if offset is not None and self.half_size else None
        return fields | {
            "n": step.n, "t": step.t_ns, "kind": kind.name, "frame": step.frame, "slot": step.slot, "page": step.page,
            "skb": step.skb, "half": half,
        }  # fmt: skip
