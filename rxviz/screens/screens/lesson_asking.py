"""A question on its way to an answer: what can be picked, what was picked so far, and the reason."""

from __future__ import annotations

from dataclasses import dataclass

from rxviz.lessons.format import REGIONS, Option
from rxviz.lessons.screens import SOMETHING_ELSE
from rxviz.lessons.session import Outcome, Question

ELSE = "something-else"
"""The answer of whoever picks none of the options."""
HALVES = ("A", "B")
REGION_WORDS = {"headroom": "in front of the frame", "frame": "among the bytes of the frame",
                "tailroom": "behind the frame"}  # fmt: skip
MAX_DIGITS = 9


@dataclass(frozen=True, slots=True)
class Pick:
    """One thing to pick: the digit for it ("" without one), its value, its words ("": on the picture only)."""

    digit: str
    value: str
    words: str


class Asking:
    """The state of a question. `given` is the answer once it is picked, `outcome` what it led to once committed."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.ask = question.predict.ask
        self.target = question.predict.target
        self.picks = self._picks()
        self.focus = -1
        self.order: list[str] = []
        self.typed = ""
        self.given: str | None = None
        self.reason = ""
        self.outcome: Outcome | None = None

    @property
    def places(self) -> tuple[str, ...]:
        """The values of the places on the picture that can be pressed, in the order in which Tab goes over them."""
        if self.ask != "press":
            return ()
        if self.target == "half":
            return HALVES
        if self.target == "region":
            return REGIONS
        if self.target == "slot":
            return tuple(str(slot) for slot in range(self.question.lane.timeline.at(0).machine.ring.count))
        from rxviz.view.lesson_bills import LEDGER

        return tuple(key for key, _ in LEDGER)

    def _picks(self) -> list[Pick]:
        """Return what can be picked: places of the picture first, then the other options, then something else."""
        if self.ask == "number":
            return []
        options = {str(option.value): option for option in self.question.options}
        values = [place for place in self.places if place in options or self.target in ("half", "region")]
        values += [value for value in options if value not in values]
        picks = [Pick(str(number), value, self._words(options.get(value))) for number, value in enumerate(values, 1)]
        bare = [Pick("", place, "") for place in self.places if place not in values]
        return [*picks, *bare, Pick("0", ELSE, SOMETHING_ELSE)]

    def _words(self, option: Option | None) -> str:
        return self.question.text(option.text) if option is not None and option.text else ""

    def _place(self, value: str) -> str:
        """Return the words for a place of the picture that no option has words for."""
        return REGION_WORDS.get(value, f"half {value}" if self.target == "half" else "")

    @property
    def digits(self) -> dict[str, str]:
        """The digit of each value."""
        return {pick.value: pick.digit for pick in self.picks if pick.digit}

    @property
    def focused(self) -> str:
        """The value that has the focus, "" when none has."""
        return self.picks[self.focus].value if 0 <= self.focus < len(self.picks) else ""

    @property
    def is_picked(self) -> bool:
        """Whether an answer was picked, and only the reason is missing."""
        return self.given is not None

    def words_of(self, value: str) -> str:
        """Return an answer in words."""
        if self.ask == "order" and value != ELSE:
            return ", ".join(self._one(part) for part in value.split())
        return self._one(value)

    def _one(self, value: str) -> str:
        pick = next((pick for pick in self.picks if pick.value == value), None)
        if pick is not None and pick.words:
            return pick.words
        return f"{self.target} {value}" if self.ask == "press" and value != ELSE else value

    # ------------------------------------------------------------------------------------------------------ answering
    def move_focus(self, by: int) -> None:
        """Go to the next place or option."""
        if self.picks:
            start = self.focus if self.focus >= 0 else (-1 if by > 0 else 0)
            self.focus = (start + by) % len(self.picks)

    def digit(self, digit: str) -> None:
        """Take a digit: an option, the next step of an order, or a digit of a number."""
        if self.ask == "number":
            self.typed = (self.typed + digit)[:MAX_DIGITS]
            return
        pick = next((pick for pick in self.picks if pick.digit == digit), None)
        if pick is not None:
            self.pick(pick.value)

    def pick(self, value: str) -> None:
        """Take a value: it is the answer, or in an order the next step (or no step any more)."""
        if all(pick.value != value for pick in self.picks):
            return
        self.focus = next(i for i, pick in enumerate(self.picks) if pick.value == value)
        if self.ask != "order" or value == ELSE:
            self.given = value
        elif value in self.order:
            self.order.remove(value)
        else:
            self.order.append(value)

    def undo(self) -> None:
        """Take back the last digit, the last step of the order, or the answer while its reason is asked for."""
        if self.given is not None:
            self.given = None
        elif self.ask == "number":
            self.typed = self.typed[:-1]
        elif self.order:
            self.order.pop()

    def enter(self) -> str:
        """Take what was typed, ordered or focused as the answer; return what is missing, nothing when it is taken."""
        if self.ask == "number":
            if not self.typed:
                return "Type a number first; then Enter."
            self.given = self.typed
        elif self.ask == "order" and self.order:
            self.given = " ".join(self.order)
        elif self.ask == "order":
            return "Pick the steps in order first, by their numbers; then Enter."
        elif self.focused:
            self.pick(self.focused)
        else:
            return "Pick an answer first: its number, or Tab and Enter."
        return ""

    def commit(self, reason: str) -> Outcome:
        """Take the reason, which may be empty, and find out what the answer leads to."""
        assert self.given is not None
        self.reason = " ".join(reason.split())
        self.outcome = self.question.give(self.given)
        return self.outcome
