"""From a command to the screens: nothing here loads Textual before it is known that there is a terminal for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rxviz.errors import RxvizError
from rxviz.screens import terminal

if TYPE_CHECKING:
    from rxviz.run.lanes import Lanes
    from rxviz.run.scenario import Scenario
    from rxviz.run.timeline import Timeline
    from rxviz.screens.screens.course import Learn

INTERRUPTED = 130
"""What an app that never came to its end is: ^C before it could listen to signals."""


def run_app(what: Timeline | Scenario | Lanes | Learn | None = None) -> int:
    """Show the screens on what is to be opened (None: home) and return the exit status.

    Raises RxvizError where no screen can be shown, or a scenario's capture cannot be used; and what ended the app.
    """
    reason = terminal.why_not()
    if reason is not None:
        raise RxvizError(reason)
    look = terminal.look()
    from rxviz.screens import pauses
    from rxviz.screens.app import RxvizApp

    pauses.calm()
    app = RxvizApp(what, look)
    app.run()
    if app.fault is not None:
        # The terminal is as it was again; what becomes of an error is the same for every command.
        raise app.fault
    return INTERRUPTED if app.return_code is None else app.return_code
