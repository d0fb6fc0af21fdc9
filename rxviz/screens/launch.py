"""From a command to the screens: nothing here loads Textual before it is known that there is a terminal for it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rxviz.screens import terminal

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario
    from rxviz.run.timeline import Timeline


def run_app(what: Timeline | Scenario | None = None) -> int:
    """Show the screens on what is to be opened (None: home) and return the exit status.

    Without a terminal that can show them: one sentence on standard error, and the run in words on standard output.
    Raises RxvizError when a scenario's capture cannot be used.
    """
    reason = terminal.why_not()
    if reason is not None:
        print(f"rxviz: {reason}" if what is not None else f"rxviz: {NO_HOME}", file=sys.stderr)
        for line in transcript(what):
            print(line)
        return 0
    look = terminal.look()
    from rxviz.screens.app import RxvizApp

    app = RxvizApp(what, look)
    app.run()
    return app.return_code or 0


NO_HOME = "The home screen needs a terminal. Without one: rxviz run WHAT, rxviz trace WHAT; rxviz --help says more."


def transcript(what: Timeline | Scenario | None) -> Iterator[str]:
    """Return each step of a run as its sentence, with its number and its time in ns."""
    from rxviz.run import trace, words
    from rxviz.run.engine import make_machine
    from rxviz.run.scenario import Scenario

    if what is None:
        return
    machine = make_machine(what if isinstance(what, Scenario) else what.scenario)
    for step in trace.record(machine):
        yield f"{step.n + 1:>6} {step.t_ns:>10,} ns  {words.text(step, machine.config)}"
