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


def run_app(what: Timeline | Scenario | Lanes | Learn | None = None) -> int:
    """Show the screens on what is to be opened (None: home) and return the exit status.

    Raises RxvizError where no screen can be shown, or a scenario's capture cannot be used.
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
    return app.return_code or 0
