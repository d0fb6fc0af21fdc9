"""Why did (or would) a frame not merge: every rule that GRO asks, and the smallest change that would have let it.

Any two frames of the run can be picked, or a frame and a packet that is held at this moment.
"""

from __future__ import annotations

from typing import ClassVar

from rxviz.model.gro.rules import Kind
from rxviz.model.names import frame_name
from rxviz.run.gro_edits import in_words
from rxviz.run.gro_pair import Held, Pairs
from rxviz.run.gro_why import Asked, State
from rxviz.screens.actions import WHY
from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role, Target, frame_role
from rxviz.view.gro import MARKS, ROLES

WHERE = 24
"""Columns of the kernel function's name behind each rule."""
_VALUE = 20
"""Longest value that is shown behind a rule that passed."""
_LABEL = 11
"""Columns in front of the letters of a row to pick from."""
_CELLS = 5
"""Columns of a frame's letters in a row, as wide as those of the third lap."""
_TEN, _FEW = 10, 4
_ROWS = ("frame", "against", "held")
_LABELS = {"frame": "frame", "against": "against", "held": "held now"}


class WhyScreen(PageScreen):
    """What `w` shows: a frame against another, or against a packet that is held."""

    KEYS: ClassVar[str] = WHY

    def __init__(self, pairs: Pairs, number: int, held: Held) -> None:
        super().__init__()
        self._pairs = pairs
        self._start = number, held
        self.row = "frame"
        """The row that the arrows move in."""
        self.number, self.held = number, held
        self.answer = pairs.ask(number, held)

    # --------------------------------------------------------------------------------------------------------- picking
    def _pick(self, number: int, held: Held) -> None:
        self.number, self.held = number, held
        self.answer = self._pairs.ask(number, held)
        self.first = 0
        self.show()

    def show(self) -> None:
        """Draw anew."""
        self.say("")
        for part in ("#header", "#body"):
            self.cells(part).show()

    def do_earlier(self) -> None:
        """The frame, or the packet, before."""
        self._move(-1)

    def do_later(self) -> None:
        """The next frame, or packet."""
        self._move(1)

    def do_ten_earlier(self) -> None:
        """Ten back."""
        self._move(-_TEN)

    def do_ten_later(self) -> None:
        """Ten on."""
        self._move(_TEN)

    def do_other(self) -> None:
        """Pick in the next row."""
        rows = [row for row in _ROWS if row != "held" or self._packets()]
        self.row = rows[(rows.index(self.row) + 1) % len(rows)]
        if self.row == "held" and self.held not in self._packets():
            self._pick(self.number, self._packets()[0])
        self.show()

    def do_as_asked(self) -> None:
        """Back to the two that the screen opened with."""
        self._pick(*self._start)

    def pressed(self, target: Target) -> None:
        """Pick what was pressed."""
        if target.kind in _ROWS:
            self.row = target.kind
            if target.kind == "held":
                self._pick(self.number, self._packets()[int(target.value)])
            else:
                self._take(int(target.value), 1)

    def _packets(self) -> list[Held]:
        return [packet for packet in self._pairs.packets if self.number not in packet]

    def _move(self, by: int) -> None:
        if self.row == "held":
            packets = self._packets()
            place = packets.index(self.held) if self.held in packets else 0
            self._pick(self.number, packets[max(0, min(place + by, len(packets) - 1))])
            return
        now = self.number if self.row == "frame" else self.held[-1]
        wanted = max(now + by, 0)
        while wanted > now and not self._pairs.has(wanted):
            wanted -= 1
        self._take(wanted, 1 if by > 0 else -1)

    def _take(self, wanted: int, way: int) -> None:
        """Take a frame for the marked row; where it is the other one already, the one beyond it."""
        others = self.held if self.row == "frame" else (self.number,)
        while wanted in others:
            wanted += way
        if not self._pairs.has(wanted):
            return
        if self.row == "frame":
            self._pick(wanted, self.held)
        else:
            self._pick(self.number, (wanted,))

    # --------------------------------------------------------------------------------------------------------- writing
    def _is_own(self) -> bool:
        return (self.number, self.held) == self._pairs.own and self._pairs.decided

    def write(self, page: Prose) -> None:
        """What there is to pick from, the answer, the smallest change, and all rules in the kernel's order."""
        why = self.answer.why
        self.heading = "why it merges" if why.merges else "why not?"
        self._frames(page, "frame", (self.number,))
        self._frames(page, "against", self.held)
        if packets := self._packets():
            self._held_row(page, packets)
        page.gap()
        page.text(self.answer.situation, Role.REST)
        page.text(self._verdict(), Role.STRONG)
        for asked in why.in_the_way:
            page.spans((f"{MARKS[asked.state]} ", Role.BAD), (asked.sentence(), Role.BAD))
        page.text(self._smallest())
        page.heading("Every rule, in the order in which the kernel asks")
        for asked in why.asked:
            self._rule(page, asked)
        page.gap()
        page.text(self._legend(), Role.REST)

    def _frames(self, page: Prose, row: str, chosen: Held) -> None:
        """A row of frames round the chosen ones."""
        room = (page.measure - _LABEL - 4) // _CELLS
        first = max(chosen[-1] - room // 2, 0)
        numbers = [n for n in range(first, first + room) if self._pairs.has(n)]
        spans, column = self._label(row), _LABEL + 2
        spans.append(("‹ " if first else "  ", Role.REST))
        for number in numbers:
            name = frame_name(number)
            picked = number in chosen
            text = f"[{name}]" if picked else f" {name} "
            page.spot(column, len(text), row, str(number))
            spans.append((text, frame_role(number) if picked else Role.PLAIN))
            column += len(text)
        spans.append((" ›" if numbers and self._pairs.has(numbers[-1] + 1) else "", Role.REST))
        page.spans(*spans)

    def _held_row(self, page: Prose, packets: list[Held]) -> None:
        spans, column = self._label("held"), _LABEL + 2
        spans.append(("  ", Role.REST))
        for place, packet in enumerate(packets):
            chosen = packet == self.held
            text = f"[{_names(packet)}]" if chosen else f" {_names(packet)} "
            if column + len(text) > page.measure:
                break
            page.spot(column, len(text), "held", str(place))
            spans.append((text, frame_role(packet[0]) if chosen else Role.PLAIN))
            column += len(text) + 1
            spans.append((" ", Role.PLAIN))
        page.spans(*spans)

    def _label(self, row: str) -> list[tuple[str, str]]:
        mark = self.glyphs.right if row == self.row else " "
        return [(f"{mark} {_LABELS[row]:<{_LABEL - 2}}", Role.ACCENT if row == self.row else Role.REST)]

    def _verdict(self) -> str:
        why, name, held = self.answer.why, frame_name(self.number), _names(self.held)
        if self._is_own():
            verb = "joined" if why.merges else "did not join"
        else:
            verb = "joins" if why.merges else "does not join"
        if why.merges:
            return f"{name} {verb} {held}: every rule that could keep it out passed."
        return f"{name} {verb} {held}."

    def _smallest(self) -> str:
        why = self.answer.why
        if why.merges:
            return "So there is nothing to change."
        if not why.in_the_way:
            return "No rule kept it out: nothing is held that it could have joined."
        if why.smallest is None:
            return "No change of its fields would let it merge; all were tried, one by one and together."
        return f"The smallest change that would have let it merge, found by trying: {in_words(why.smallest)}."

    def _rule(self, page: Prose, asked: Asked) -> None:
        width = page.measure - WHERE - 2
        text = asked.sentence()
        compared = asked.rule.kind in (Kind.IDENTITY, Kind.REFUSAL) and asked.new == asked.old
        if asked.state is not State.FAILED and compared and 0 < len(asked.new) <= _VALUE:
            text = f"{text}: {asked.new}"
        role = Role.BAD if asked.state is State.FAILED else Role.PLAIN if asked.state is State.PASSED else Role.REST
        text = text if len(text) <= width - 2 else text[: width - 3] + "…"
        mark = MARKS[asked.state]
        page.spans((f"{mark} ", ROLES[asked.state]), (f"{text:<{width}}", role), (asked.rule.where, Role.REST))

    def _legend(self) -> str:
        said = "✓ passed   ✗ failed   – not reached, because something before it ended the questions"
        off = any(asked.state is State.OFF for asked in self.answer.why.asked)
        return said + ("   ○ switched off" if off else "")


def _names(held: Held) -> str:
    """Return the letters of a packet: all of a few, first and last of a run of them, and how many of scattered ones."""
    first, last = frame_name(held[0]), frame_name(held[-1])
    if len(held) <= _FEW:
        return " ".join(map(frame_name, held))
    return f"{first}–{last}" if held[-1] - held[0] == len(held) - 1 else f"{first} … {last} ({len(held)})"
