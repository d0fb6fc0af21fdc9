"""A screen whose keys come from the registry of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, cast

from textual import events
from textual.screen import Screen

from rxviz.screens.actions import Action, by_key
from rxviz.screens.steady import Guarded
from rxviz.screens.theme import OTHER

if TYPE_CHECKING:
    from rxviz.screens.app import RxvizApp
    from rxviz.view.cell import Target
    from rxviz.view.glyphs import Glyphs


class KeyedScreen(Guarded, Screen[None]):
    """Looks each key up in the registry and does what it says.

    Keys are done here and not by Textual's bindings, which go round through the app: a letter that answers a menu
    must not overtake the key that opens it.
    """

    KEYS: ClassVar[str] = ""
    """Which screen of the registry this is."""

    @property
    def rxviz(self) -> RxvizApp:
        """The app."""
        return cast("RxvizApp", self.app)

    @property
    def glyphs(self) -> Glyphs:
        """The letters that this terminal has."""
        return self.rxviz.glyphs

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys."""
        raise NotImplementedError

    def on_key(self, event: events.Key) -> None:
        """Do what the key is for."""
        action = by_key(self.KEYS).get(event.key)
        if action is not None:
            event.stop()
            event.prevent_default()
            self.perform(action)

    def press_key(self, target: Target | None) -> bool:
        """Do what a key does, when one was pressed in the bar."""
        if target is None or target.kind != "key":
            return False
        if target.value == "ctrl+p":
            self.app.action_command_palette()
        else:
            self.perform(by_key(self.KEYS)[str(target.value)])
        return True

    def perform(self, action: Action) -> None:
        """Do an action, whether a key, the mouse or the palette asked for it."""
        do = getattr(self, f"do_{action.name}")
        if action.argument:
            do(action.argument)
        else:
            do()

    def do_theme(self) -> None:
        """Dark or light."""
        self.app.theme = OTHER.get(self.app.theme, self.app.theme)

    def do_help(self) -> None:
        """Show every key and every sign."""
        from rxviz.screens.screens.help import HelpScreen

        self.app.push_screen(HelpScreen(self.KEYS))

    def remarks(self) -> list[str]:
        """Return what is to be said about the run that is open."""
        return []

    def do_leaves_out(self) -> None:
        """Show what the model leaves out."""
        from rxviz.screens.screens.leaves_out import LeavesOutScreen

        self.app.push_screen(LeavesOutScreen(self.remarks()))

    def do_words(self, asked: str = "") -> None:
        """Show what the words on the screen mean."""
        from rxviz.screens.screens.words import WordsScreen

        self.app.push_screen(WordsScreen(asked))

    def do_escape(self) -> None:
        """Go back, if there is anything behind this screen."""
        # The palette may have come over it since the key was pressed.
        while self in self.app.screen_stack[1:]:
            self.app.pop_screen()

    def do_leave(self) -> None:
        """Go back, or out from the first screen."""
        if self in self.app.screen_stack[1:]:
            KeyedScreen.do_escape(self)
        else:
            self.app.exit()
