"""Every key, every sign, every badge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rxviz.screens import actions
from rxviz.screens.chrome import key_text
from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view import scrubber, who_runs
from rxviz.view.cell import Role, frame_role
from rxviz.view.panels import PANELS
from rxviz.view.text import wrap

EXAMPLE = 22
"""Columns that an example takes."""
BADGES = (
    ("S", "measured", "a published measurement"),
    ("K", "kernel source", "read from kernel source"),
    ("M", "simplified", "the model's own simplification"),
    ("H", "hypothesis", "a hypothesis"),
)


class HelpScreen(PageScreen):
    """What `?` shows."""

    HEADING: ClassVar[str] = "help"
    COLUMN: ClassVar[int] = 14

    def __init__(self, about: str) -> None:
        super().__init__()
        self.about = about
        """The screen that asked."""

    def write(self, page: Prose) -> None:
        """Keys first, those of the screen that asked; then what the signs mean."""
        group = ""
        for action in actions.for_screen(self.about):
            if action.name in ("panel", "pick") or (action.name == "digit" and action.argument != "1"):
                continue
            if action.group != group:
                group = action.group
                page.heading(group)
            page.entry(key_text(action.shown, self.glyphs), action.help, self.COLUMN)
        for key, words in actions.EVERYWHERE:
            page.entry(key, words, self.COLUMN)
        self._panels(page)
        self._letters(page)
        self._signs(page)
        self._badges(page)

    def _panels(self, page: Prose) -> None:
        page.heading("Panels, by number")
        for number, panel in enumerate(PANELS.values(), 1):
            page.entry(f"{number} {panel.title}", panel.about, 24)

    def _letters(self, page: Prose) -> None:
        page.heading("Letters on the track; n and the letter jumps to the next")
        for first in range(0, len(actions.JUMPS), 5):
            line = [((c.key, Role.KEY), (f" {c.word:<12}", Role.PLAIN)) for c in actions.JUMPS[first : first + 5]]
            page.spans(*(span for pair in line for span in pair))
        g = self.glyphs
        for example, words in (
            ([("[", Role.ACCENT), ("f", frame_role(0)), ("]", Role.ACCENT)],
             "here: the step just taken, in the row of steps"),
            ([("B", frame_role(1)), ("─·─·─", Role.REST)],
             "from here on the steps are frame B's; a dot is a step without a letter"),
            ([(g.up, Role.ACCENT)], "here, in the row of the whole run"),
            ([(scrubber.BARS, Role.REST)], "few to many frames go up the stack in this part of the run"),
            ([("d", Role.BAD), (" ", Role.PLAIN), ("g", Role.BAD)], "lost: a frame dropped, a page given up"),
        ):  # fmt: skip
            self._example(page, example, words)

    def _signs(self, page: Prose) -> None:
        g = self.glyphs
        page.heading("Signs")
        for example, words in (
            ([(" A ", frame_role(0)), (" ", Role.PLAIN), (" B ", frame_role(1))],
             "a frame keeps its letter and its colour from the wire to the socket"),
            ([(f"{g.changed}1 flip", Role.CHANGED)], "changed in this step"),
            ([(f"0{g.right}", Role.ACCENT)], "beside a page: the one in question, drawn larger below"),
            ([(f"{g.down} clean", Role.DRIVER), ("  ", Role.PLAIN), (f"{g.down_rest} RDH", Role.NIC)],
             "cursors of driver and NIC: full when they moved in this step, hollow when they stayed"),
            ([("┏0━━┓", Role.BORDER_ACCENT), (" ", Role.PLAIN), ("╭1──╮", Role.BORDER)],
             "the thick slot is the one that the step is about"),
            ([(g.full * 2, Role.NIC), (g.empty * 4, Role.REST), (" of 208K", Role.REST)],
             "how full the NIC's buffer or the socket is"),
            ([("65535−65534 = 1", Role.PLAIN)],
             "refs − prepaid: the page's count less what the driver paid in advance, so those who hold it besides"),
            ([("= 2 ✗", Role.BAD)], "one holder too many: the driver gives the page up"),
        ):  # fmt: skip
            self._example(page, example, words)
        page.heading("Who runs when, in the rows under the track (c)")
        for sign in (*who_runs.VECTOR.values(), *who_runs.CPU.values()):
            self._example(page, [(sign.letter + sign.line * 3, sign.role)], sign.meaning)
        page.heading("What fills a half, a slot, an skb")
        own = frame_role(0, solid=False)
        for letter, role, name, state, words in (
            (g.posted, Role.NIC, "", "posted", "the NIC may write here"),
            (g.filled, own, " A ", "filled", "the NIC has written a frame, and the driver has not come to it"),
            (g.in_hand, own, " A ", "in hand", "the driver is at work on it"),
            (g.stack, own, " A ", "stack", "an skb points here; the half is the stack's"),
            (g.spare, Role.REST, "", "spare", "the other half of a page that is posted, or nothing at all"),
            (g.waiting, Role.FREE, "", "waiting", "has its page, and waits for the next refill"),
            (g.shinfo, Role.SHINFO, "", "shinfo", "the space behind the data that an skb keeps for itself"),
            (g.copied, Role.REST, "", "copied", "bytes that were copied into an skb's head"),
            (g.unknown, Role.UNKNOWN, "", "not known", "bytes that the capture does not have"),
        ):  # fmt: skip
            example = [(letter, role), (name, frame_role(0)), (f" {state} ", Role.PLAIN if name else Role.REST)]
            example = [span for span in example if span[0]]
            used = sum(len(text) for text, _ in example)
            self._example(page, [*example, (letter * (EXAMPLE - 2 - used), role)], words)

    def _example(self, page: Prose, example: Sequence[tuple[str, str]], words: str) -> None:
        """Write an example as the panels draw it, and beside it what it means."""
        used = sum(len(text) for text, _ in example)
        for number, line in enumerate(wrap(words, page.measure - EXAMPLE, 9)):
            first = [*example, (" " * (EXAMPLE - used), Role.PLAIN)] if number == 0 else [(" " * EXAMPLE, Role.PLAIN)]
            page.spans(*first, (line, Role.PLAIN))

    def _badges(self, page: Prose) -> None:
        page.heading("Badges: how sure a sentence is")
        for badge, _, words in BADGES:
            page.entry(badge, words, 6, Role.STRONG)
