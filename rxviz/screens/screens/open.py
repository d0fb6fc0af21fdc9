"""Asks for the path of a capture, and says in one sentence what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from rxviz.errors import RxvizError
from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.view.text import safe


class OpenScreen(ModalScreen[Timeline | None]):
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

    def compose(self) -> ComposeResult:
        """A question, the place for the answer, and room for what is wrong with it."""
        with Vertical():
            yield Static("Open a capture (pcap or pcapng, plain or gzipped), or a scenario file.", markup=False)
            yield Input(placeholder="path, or a scenario line: ixgbe ring=8 traffic=tcp:1514x12", id="path")
            yield Static("", id="problem", markup=False)
            yield Static("Enter opens it. Esc goes back.", id="how", markup=False)

    @on(Input.Submitted)
    def open_path(self, event: Input.Submitted) -> None:
        """Open what was typed, or say why not."""
        typed = event.value.strip()
        if not typed:
            return
        try:
            timeline = Timeline(resolve([str(Path(typed).expanduser()) if typed.startswith("~") else typed]))
            timeline.at(0)
        except RxvizError as error:
            self.query_one("#problem", Static).update(safe(str(error)))
            return
        self.dismiss(timeline)

    def action_cancel(self) -> None:
        """Back without a run."""
        self.dismiss(None)
