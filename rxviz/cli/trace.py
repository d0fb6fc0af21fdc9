"""`rxviz trace`: every step of a run, in words or as JSON, as a stream."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from rxviz.cli import say
from rxviz.cli.numbers import Whole
from rxviz.cli.what import Command, break_off, frames_of, is_empty, opened, what_argument

if TYPE_CHECKING:
    from rxviz.capture.frames import Frames
    from rxviz.cli.transcript import Filter
    from rxviz.model.config import Config
    from rxviz.run.scenario import Scenario
    from rxviz.run.trace import Step

EXAMPLES = """\b
Examples:
  rxviz trace first-flip --frame A --why
  rxviz trace slow-reader --kinds page.give_up,page.alloc
  rxviz trace legacy --kinds skb --from 20 --to 60
  rxviz trace tcp-bulk --jsonl | head -n 100
"""


@click.command("trace", cls=Command, epilog=EXAMPLES)
@what_argument(required=True)
@click.option("--jsonl", is_flag=True, help="Print one JSON object a line.")
@click.option("--kinds", metavar="K,K", help="Only these kinds: page.flip, or page for all of page.*")
@click.option("--frame", metavar="ID", help="Only steps of this frame: a number from 0, or its letter.")
@click.option("--from", "first", metavar="N", type=Whole(min=0), default=0, help="From step N on.")
@click.option("--to", "last", metavar="N", type=Whole(min=0), help="Up to step N, and stop there.")
@click.option("-v", "--why", is_flag=True, help="Say under each step why it happened.")
def command(
    what: tuple[str, ...], jsonl: bool, kinds: str | None, frame: str | None, first: int, last: int | None, why: bool
) -> int:
    """Print every step of a run, one a line: number, time in ns, what happened, and where in the kernel.

    Steps come as they are played, so a long run needs no more memory than a short one.
    """
    from rxviz.cli.transcript import Filter, frame_id, kind_numbers
    from rxviz.run.what import resolve

    which = Filter(
        None if kinds is None else kind_numbers(kinds), None if frame is None else frame_id(frame), first, last
    )
    if last is not None and last < first:
        raise click.UsageError(f"--to {last} lies before --from {first}", click.get_current_context())
    return transcript(resolve(what), which, jsonl=jsonl, why=why)


def transcript(scenario: Scenario, which: Filter, *, jsonl: bool = False, why: bool = False) -> int:
    """Print the steps that are wanted and return the exit status."""
    from rxviz.cli.transcript import wanted
    from rxviz.run.engine import make_machine

    with opened(scenario) as source:
        machine = make_machine(scenario, source)
        steps = wanted(machine, which)
        first = next(steps, None)
        if first is not None:
            say.data(_lines(first, machine.config, jsonl=jsonl, why=why))
            for step in steps:
                say.data(_lines(step, machine.config, jsonl=jsonl, why=why))
        frames = frames_of(source)
        if first is None and (frames is None or not is_empty(frames)):
            say.note(f"none of the {machine.n:,} steps is one that you asked for")
        return 0 if frames is None else _end_of_capture(frames, machine.offered)


def _lines(step: Step, config: Config, *, jsonl: bool, why: bool) -> Iterator[str]:
    if jsonl:
        import json

        from rxviz.run.trace import as_json

        yield json.dumps(as_json(step, config), ensure_ascii=False)
        return
    from rxviz.cli.transcript import line, why_line

    yield line(step, config)
    if why:
        yield why_line(step, config)


def _end_of_capture(frames: Frames, replayed: int) -> int:
    for sentence in ["this capture holds no packets"] if is_empty(frames) else frames.notes():
        say.note(sentence)
    if broken := break_off(frames, replayed):
        say.note(broken)
    return 2 if broken else 0
