"""The app: themes, the first screen, and every way of ending."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterable
from functools import partial
from typing import ClassVar

from textual.app import SystemCommand
from textual.binding import Binding, BindingType
from textual.screen import Screen

from rxviz.run.lanes import Lanes
from rxviz.run.scenario import Scenario
from rxviz.run.timeline import Timeline
from rxviz.screens import theme
from rxviz.screens.actions import JUMPS, for_screen
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.course import CourseScreen, Learn
from rxviz.screens.screens.home import HomeScreen
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.screens.lanes import LanesScreen
from rxviz.screens.steady import SteadyApp
from rxviz.screens.terminal import Terminal
from rxviz.view.glossary import glossary
from rxviz.view.glyphs import ASCII, UNICODE, Glyphs
from rxviz.view.panels import PANELS

ENTRY = 40
"""Columns of an entry of the command palette before its key."""


def _entry(title: str, key: str, do: Callable[[], object]) -> SystemCommand:
    """Return an entry of the command palette in one line: without a help text Textual makes no second one."""
    return SystemCommand(f"{title:<{ENTRY}}{key}".rstrip(), "", do)


class RxvizApp(SteadyApp):
    """The workbench on a run, two lanes, or the home screen."""

    TITLE = "rxviz"
    CSS = """
    Screen { layout: vertical; }
    CommandPalette SearchIcon { display: none; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+z", "suspend_process", "Suspend", show=False)]

    def __init__(
        self, what: Timeline | Scenario | Lanes | Learn | None = None, terminal: Terminal | None = None
    ) -> None:
        self.terminal = terminal or Terminal()
        super().__init__(ansi_color=True if self.terminal.no_colour else None)
        self.glyphs: Glyphs = ASCII if self.terminal.ascii else UNICODE
        for palette in theme.PALETTES.values():
            self.register_theme(palette.as_theme())
        self.theme = self._first_theme()
        self._what = Timeline(what) if isinstance(what, Scenario) else what

    def _first_theme(self) -> str:
        if self.terminal.no_colour:
            return theme.NO_COLOUR.name
        if self.terminal.ansi:
            return (theme.ANSI_LIGHT if self.terminal.light else theme.ANSI_DARK).name
        return (theme.LIGHT if self.terminal.light else theme.DARK).name

    def get_default_screen(self) -> Screen[None]:
        """Return the screen that is there at the start."""
        if isinstance(self._what, Lanes):
            return LanesScreen(self._what)
        if isinstance(self._what, Learn):
            return CourseScreen(self._what.lesson)
        return HomeScreen() if self._what is None else BenchScreen(self._what)

    def on_mount(self) -> None:
        """See to it that a signal leaves the terminal as it was."""
        loop = asyncio.get_running_loop()
        for name in ("SIGTERM", "SIGHUP", "SIGINT"):
            number = getattr(signal, name, None)
            if number is not None:
                try:
                    loop.add_signal_handler(number, partial(self.exit, return_code=128 + number))
                except (NotImplementedError, RuntimeError):
                    # Not on this system, or not in the main thread: then the default action stays.
                    return

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """Return what the command palette finds: everything that the screen's keys can do."""
        if isinstance(screen, KeyedScreen):
            for action in for_screen(screen.KEYS):
                if action.palette:
                    yield _entry(action.palette, action.shown, partial(screen.perform, action))
            yield from self._more_commands(screen)
            for word in glossary():
                yield _entry(f"What is: {word}", "", partial(screen.do_words, word))
        for name in theme.PALETTES:
            if name != self.theme:
                yield _entry(f"Theme: {name.removeprefix('rxviz-')}", "", partial(self.use_theme, name))
        yield _entry("Quit rxviz at once", "ctrl+q", self.action_quit)

    def _more_commands(self, screen: KeyedScreen) -> Iterable[SystemCommand]:
        """Return what a run can be asked for by name: each panel, and the next step of each kind."""
        if not isinstance(screen, BenchScreen):
            return
        for number, panel in enumerate(PANELS.values()):
            yield _entry(f"Panel: {panel.title}", str(number + 1), partial(screen.do_panel, str(number)))
        for choice in JUMPS:
            yield _entry(f"Next {choice.word}", f"n {choice.key}", partial(screen.jump_to, choice))

    def use_theme(self, name: str) -> None:
        """Change to a theme."""
        self.theme = name
