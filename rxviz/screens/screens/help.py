"""Every key, every sign, every badge."""

from __future__ import annotations

from typing import ClassVar

from rxviz.screens import actions
from rxviz.screens.chrome import key_text
from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role, frame_role
from rxviz.view.panels import PANELS

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
            if action.name in ("panel", "pick"):
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

    def _panels(self, page: Prose) -> None:
        page.heading("Panels, by number")
        for number, panel in enumerate(PANELS.values(), 1):
            page.entry(f"{number} {panel.title}", panel.about, 24)

    def _letters(self, page: Prose) -> None:
        page.heading("Letters on the track; n and the letter jumps to the next")
        for first in range(0, len(actions.JUMPS), 5):
            line = [((c.key, Role.KEY), (f" {c.word:<12}", Role.PLAIN)) for c in actions.JUMPS[first : first + 5]]
            page.spans(*(span for pair in line for span in pair))

    def _signs(self, page: Prose) -> None:
        g = self.glyphs
        page.heading("Signs")
        page.spans((" A ", frame_role(0)), (" B ", frame_role(1)), (" C ", frame_role(2)),
                   ("  a frame keeps its letter and its colour from the wire to the socket", Role.PLAIN))  # fmt: skip
        for fill, words in (
            (g.in_hand, "in hand: the driver is at work on it"),
            (g.filled, "filled: the NIC has written a frame there, and the driver has not come to it"),
            (g.stack, "with the stack: an skb points there"),
            (g.posted, "posted: the NIC may write there"),
            (g.waiting, "waiting for the next refill"),
            (g.spare, "spare: the other half of a page that is posted"),
        ):
            page.entry(fill * 3, words, 6, Role.NIC)
        page.spans((" this ", Role.CHANGED), ("  changed in this step", Role.PLAIN))
        page.heading("Badges: how sure a sentence is")
        for badge, _, words in BADGES:
            page.entry(badge, words, 6, Role.STRONG)
