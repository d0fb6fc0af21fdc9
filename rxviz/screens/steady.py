"""Where nothing that goes wrong takes the terminal with it: what Textual does with errors, and what is done instead.

Some of what is overridden here is Textual's own affair (names with an underscore); it is all in this module, and
tests/screens/test_steady.py runs the real app on a pseudo-terminal against each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import App
from textual.await_complete import AwaitComplete
from textual.command import CommandInput, CommandPalette
from textual.driver import Driver
from textual.message import Message
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.worker import WorkerFailed

from rxviz.errors import RxvizError

if TYPE_CHECKING:
    from textual import events
    from textual.screen import ScreenResultType

LONGEST_LINE = 1_000
"""Letters that a line to type in takes at most."""


def sentence_of(error: BaseException) -> str | None:
    """Return what a person is to read about an error that is theirs to mend; None when it is a fault of the program.

    Textual wraps what a timer's callback raises in an error of its own.
    """
    if isinstance(error, RxvizError):
        return str(error)
    within = error.__cause__ or error.__context__
    return str(within) if type(error).__name__ == "CallbackError" and isinstance(within, RxvizError) else None


def say_it(app: App[Any], error: BaseException) -> bool:
    """Say in the line for messages what a person is to read about an error; return False where that cannot be."""
    sentence = sentence_of(error)
    screen: Any = app.screen_stack[-1] if app.screen_stack else None
    if sentence is None or not hasattr(screen, "say") or not screen.is_mounted:
        return False
    screen.say(sentence)
    return True


class Guarded(MessagePump):
    """For the app, a screen, a widget: says what a key, the mouse or a timer ran into, and goes on.

    Here and not in each handler: whatever is shown of a run may have to read its capture once more, and a capture may
    be gone or another one by then.
    """

    async def _dispatch_message(self, message: Message) -> None:
        try:
            await super()._dispatch_message(message)
        except Exception as error:
            if not say_it(self.app, error):
                raise


class SteadyApp(Guarded, App[None]):
    """An app that notes the error that ended it, and leaves it to `launch.run_app` to raise it when it is over."""

    fault: BaseException | None = None
    """What ended the app."""

    def _handle_exception(self, error: BaseException) -> None:
        """End the app; Textual would print a traceback of a hundred lines with the values of all variables."""
        if isinstance(error, WorkerFailed):
            error = error.error
        if say_it(self, error):
            # What was put off until later comes here at once, and not by way of a message.
            return
        self.fault = self.fault or error
        self._return_code = 70
        if self._exception is None and isinstance(error, Exception):
            # For tests: the pilot raises it again.
            self._exception = error
            self._exception_event.set()
        self._close_messages_no_wait()

    def pop_screen(self) -> AwaitComplete:
        """Go back to the screen before; a second click or key that comes too late finds none, and is ignored."""
        return super().pop_screen() if len(self.screen_stack) > 1 else AwaitComplete()

    def action_command_palette(self) -> None:
        """Open the palette, unless it is open or the app is about to end."""
        if not self._exit and not isinstance(self.screen, Palette):
            self.push_screen(Palette(id="--command-palette"))

    def get_driver_class(self) -> type[Driver]:
        """Return what reads the keyboard, where it is Textual's own for Unix one that any byte may come to."""
        driver = super().get_driver_class()
        if driver.__name__ != "LinuxDriver":
            return driver
        from rxviz.screens.keyboard import LenientDriver

        return LenientDriver


class Once:
    """For a screen: it goes once, and takes no other one with it when it is told so twice."""

    def dismiss(self: Any, result: ScreenResultType | None = None) -> AwaitComplete:
        """Go, with a result."""
        return Screen.dismiss(self, result) if self.is_current else AwaitComplete()


class Palette(Once, CommandPalette):
    """The command palette, where it may be clicked away twice and be opened while the app ends."""

    def _on_mount(self, event: events.Mount) -> None:
        """Let Textual fill the palette; not when the screens, or its own parts, have gone meanwhile."""
        if len(self.app.screen_stack) < 2 or not self.query(CommandInput):
            event.prevent_default()
        for box in self.query(CommandInput):
            box.max_length = LONGEST_LINE
