"""`rxviz run`: play to the end without a screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rxviz.cli import say
from rxviz.cli.what import Command, break_off, frames_of, is_empty, opened, what_argument

if TYPE_CHECKING:
    from rxviz.capture.frames import Frames
    from rxviz.model.machine import Machine

SLICE = 256
"""Events between two looks at the clock."""

EXAMPLES = """\b
Examples:
  rxviz run first-flip
  rxviz run ixgbe kernel=4.9 path=legacy ring=512 traffic=udp:64px1000
  rxviz run tcp-bulk ring=64 --json
  rxviz run "my capture.pcap" path=legacy
"""


@click.command("run", cls=Command, epilog=EXAMPLES)
@what_argument(required=True)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")
def command(what: tuple[str, ...], as_json: bool) -> int:
    """Play to the end without a screen, and print what came of it.

    The first line is the canonical scenario line: it gives the same run again, on every machine, down to the digest.
    A capture that breaks off is played up to that place; then the exit status is 2.
    """
    from rxviz.run.engine import make_machine
    from rxviz.run.result import result
    from rxviz.run.scenario_remarks import remarks_at_end
    from rxviz.run.what import resolve

    scenario = resolve(what)
    with opened(scenario) as source:
        machine = make_machine(scenario, source)
        _play(machine, scenario.spec.count)
        outcome: dict[str, Any] = {
            **result(scenario, machine),
            "remarks": [*scenario.remarks(), *remarks_at_end(machine)],
        }
        frames = frames_of(source)
        broken = ""
        if frames is not None:
            outcome["capture"] = _capture(frames)
            broken = break_off(frames, machine.offered)
        _print(outcome, as_json)
    if broken:
        say.note(broken)
    return 2 if broken else 0


def _play(machine: Machine, total: int) -> None:
    """Play the machine to its end, as Machine.run does, and show how far it is."""
    from rxviz.cli.progress import Progress

    with Progress(total) as progress:
        while all(machine.tick() for _ in range(SLICE)):
            progress.show(machine.offered)
    machine.lamps.at_end()


def _capture(frames: Frames) -> dict[str, Any]:
    notes = ["this capture holds no packets"] if is_empty(frames) else frames.notes()
    problem = frames.problem
    return {
        "format": frames.format,
        "notes": notes,
        "problem": None if problem is None else {"offset": problem.offset, "sentence": problem.sentence},
    }


def _print(outcome: dict[str, Any], as_json: bool) -> None:
    if as_json:
        import json

        say.data([json.dumps(outcome, ensure_ascii=False)])
        return
    from rxviz.cli.report import report

    say.data(report(outcome))
