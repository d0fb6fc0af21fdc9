"""`rxviz play` and bare `rxviz`: the screens, or what stands for them where no screen can be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rxviz.cli import say
from rxviz.cli.what import Command, opened, what_argument

if TYPE_CHECKING:
    from rxviz.run.scenario import Scenario

FIRST = "first-flip"
"""What is played when nothing is named."""

EXAMPLES = """\b
Examples:
  rxviz play
  rxviz play tcp-bulk ring=64
  rxviz play ixgbe path=legacy ring=8 traffic=tcp:1514x10 rate=20kpps
  rxviz play capture.pcap
"""


@click.command("play", cls=Command, epilog=EXAMPLES)
@what_argument(required=False)
def command(what: tuple[str, ...]) -> int:
    """Open the workbench and step through a run, forwards and backwards.

    Without WHAT it plays first-flip. Where no screen can be shown (a pipe, TERM=dumb) the steps are printed instead.
    """
    from rxviz.run.what import resolve

    scenario = resolve(what or (FIRST,))
    reason = _no_screen()
    if reason is None:
        _look_inside(scenario)
        return _screens(scenario)
    from rxviz.cli.trace import transcript
    from rxviz.cli.transcript import Filter

    say.note(f"{reason}; here is the run in words, as rxviz trace prints it")
    return transcript(scenario, Filter())


def open_home(ctx: click.Context) -> int:
    """Open the home screen, or print the help where no screen can be shown."""
    reason = _no_screen()
    if reason is None:
        return _screens(None)
    say.note(f"{reason}; rxviz run and rxviz trace do without")
    say.data(ctx.get_help().splitlines())
    return 0


def _no_screen() -> str | None:
    from rxviz.screens.terminal import why_not

    return why_not()


def _look_inside(scenario: Scenario) -> None:
    """Find out what is wrong with a capture before the screen opens, so that its sentence stays on the terminal."""
    from rxviz.cli.what import frames_of, is_empty
    from rxviz.errors import CaptureError

    with opened(scenario) as source:
        frames = frames_of(source)
        if frames is not None and is_empty(frames):
            raise CaptureError(f"{frames.path}: holds no packets, so there is nothing to step through")


def _screens(what: Scenario | None) -> int:
    from rxviz.screens.launch import run_app

    return run_app(what)
