"""Why did (or would) a frame not merge: every rule that GRO asks, and the smallest change that would have let it."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.model.frame import Frame
from rxviz.model.gro.rules import Kind
from rxviz.model.names import frame_name
from rxviz.run.gro_why import State, Why
from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role, frame_role
from rxviz.view.gro import MARKS, ROLES

_SHOWN = 8
"""Letters of the held packet's frames in the first line."""
WHERE = 24
"""Columns of the kernel function's name behind each rule."""
_VALUE = 20
"""Longest value that is shown behind a rule that passed."""


class WhyScreen(PageScreen):
    """What `w` shows: `frame` against the packet of the `held` frames."""

    def __init__(self, frame: Frame, held: Sequence[Frame], why: Why) -> None:
        super().__init__()
        self.frame, self.held, self.why = frame, held, why
        self.heading = "why not?" if not why.merges else "why it merges"

    def write(self, page: Prose) -> None:
        """The two, the answer, the smallest change, and all rules in the kernel's order."""
        self._who(page)
        page.gap()
        for sentence in self._answer():
            page.text(sentence, Role.STRONG)
        page.gap()
        page.text(self._smallest())
        page.heading("Every rule, in the order in which the kernel asks")
        width = page.measure - WHERE - 2
        for asked in self.why.asked:
            mark = MARKS[asked.state]
            text = asked.sentence()
            compared = asked.rule.kind in (Kind.IDENTITY, Kind.REFUSAL) and asked.new == asked.old
            if asked.state is not State.FAILED and compared and 0 < len(asked.new) <= _VALUE:
                text = f"{text}: {asked.new}"
            role = Role.BAD if asked.state is State.FAILED else Role.REST
            if asked.state is State.PASSED:
                role = Role.PLAIN
            text = text if len(text) <= width - 2 else text[: width - 3] + "…"
            page.spans((f"{mark} ", ROLES[asked.state]), (f"{text:<{width}}", role), (asked.rule.where, Role.REST))
        page.gap()
        page.text("✓ passed   ✗ failed   – not reached, because something before it ended the questions", Role.REST)

    def _who(self, page: Prose) -> None:
        letters = [(f" {frame_name(each.id)} ", frame_role(each.id)) for each in self.held[:_SHOWN]]
        more = len(self.held) - _SHOWN
        verb = "joins" if self.why.merges else "does not join"
        page.spans(
            ("Frame ", Role.PLAIN),
            (f" {frame_name(self.frame.id)} ", frame_role(self.frame.id)),
            (f" {verb} ", Role.PLAIN),
            *letters,
            (f" and {more} more" if more > 0 else "", Role.PLAIN),
        )

    def _answer(self) -> list[str]:
        failed = self.why.in_the_way
        if self.why.merges:
            return ["Every rule that could keep it out passed."]
        if not failed:
            return ["No rule kept it out: nothing was held that it could have joined."]
        return [f"{asked.sentence()[:1].upper()}{asked.sentence()[1:]}." for asked in failed]

    def _smallest(self) -> str:
        smallest = self.why.smallest
        if self.why.merges:
            return "So there is nothing to change."
        if smallest is None:
            return "No change to one or two of its fields would have let it merge; every such change was tried."
        changes = ", and ".join(f"{change.field} {change.becomes} instead of {change.was}" for change in smallest)
        return f"The smallest change that would have let it merge, found by trying: {changes}."
