"""Asks for the path of a capture, and says in one sentence what is wrong with it."""

from __future__ import annotations

import os
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from rxviz.run.timeline import Timeline
from rxviz.screens.opening import Opening
from rxviz.screens.steady import LONGEST_LINE, Once
from rxviz.screens.widgets.line import Line
from rxviz.view.text import safe


class OpenScreen(Once, ModalScreen[Timeline | None]):
    """Ends with the run that was opened, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "cancel", "Back")]
    CSS = """
    OpenScreen { align: center middle; }
    OpenScreen Vertical {
        width: 76; max-width: 96%; height: auto; padding: 1 2; background: $panel; border: round $accent;
    }
    OpenScreen #problem { color: $error; height: auto; }
    OpenScreen #how { color: $foreground; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._opening = Opening(self, self._opened, self.say)

    def compose(self) -> ComposeResult:
        """A question, the place for the answer, and room for what is wrong with it."""
        with Vertical():
            yield Static("Open a capture (pcap or pcapng, plain or gzipped), or a scenario file.", markup=False)
            yield Line(
                placeholder="path, or a scenario line: ixgbe ring=8 traffic=tcp:1514x12",
                id="path",
                max_length=LONGEST_LINE,
            )
            yield Static("", id="problem", markup=False)
            yield Static("Enter opens it. Esc goes back.", id="how", markup=False)

    @on(Input.Submitted)
    def open_path(self, event: Input.Submitted) -> None:
        """Open what was typed, or say why not."""
        typed = event.value.strip()
        if not typed:
            return
        self._opening.begin([os.path.expanduser(typed)])

    def _opened(self, timeline: Timeline) -> None:
        self.dismiss(timeline)

    def say(self, words: str) -> None:
        """Show what there is to say about what was typed."""
        self.query_one("#problem", Static).update(safe(words))

    def action_cancel(self) -> None:
        """Back without a run."""
        self._opening.forget()
        self.dismiss(None)
