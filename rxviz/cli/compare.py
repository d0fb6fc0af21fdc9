"""`rxviz compare`: the same frames in two lanes, on a screen, as a table or as one JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rxviz.cli import say
from rxviz.cli.what import Command, break_off, frames_of, opened, what_argument

if TYPE_CHECKING:
    from rxviz.run.lanes import Lane, Lanes
    from rxviz.run.scenario import Scenario

FIRST = "first-flip"
"""What is compared when nothing is named."""
SLICE = 0.1
"""Seconds of playing between two looks at how far it is."""

EXAMPLES = """\b
Examples:
  rxviz compare
  rxviz compare mixed
  rxviz compare small-udp --lane kernel=4.9 --lane kernel=6.18
  rxviz compare ixgbe traffic=udp:64x1000 --lane patches=none --lane patches=all
  rxviz compare legacy --lane igb
  rxviz compare tcp-bulk --lane ring=64 --lane "ring=64 reader=slow" --json
"""


@click.command("compare", cls=Command, epilog=EXAMPLES)
@what_argument(required=False)
@click.option(
    "--lane",
    "words",
    metavar='"K=V K=V"',
    multiple=True,
    help="What is special about a lane, after another driver's name or without one; give it twice, left and right. "
    "Given once, the left lane is WHAT as it is.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of opening the screen.")
def command(what: tuple[str, ...], words: tuple[str, ...], as_json: bool) -> int:
    """Step through two runs side by side: the same frames, and one thing otherwise.

    Without --lane the legacy path is on the left and build_skb on the right. Lanes may differ in all that does not
    change what arrives. Where no screen can be shown (a pipe, TERM=dumb) both bills are printed instead.
    """
    from rxviz.run.lane_words import make_lanes
    from rxviz.run.what import resolve
    from rxviz.screens.terminal import why_not

    scenario = resolve(what or (FIRST,))
    _look_inside(scenario)
    lanes = make_lanes(scenario, words)
    reason = None if as_json else why_not()
    try:
        for lane in (lanes.left, lanes.right):
            _play(lane)
        if not as_json and reason is None:
            from rxviz.screens.launch import run_app

            return run_app(lanes)
        _print(lanes, as_json)
        if reason is not None:
            say.note(f"{reason}; here is what both lanes came to")
        return _ended(lanes)
    finally:
        lanes.left.close()
        lanes.right.close()


def _look_inside(scenario: Scenario) -> None:
    """Find out what is wrong with a capture before anything is played."""
    from rxviz.cli.what import is_empty
    from rxviz.errors import CaptureError

    with opened(scenario) as source:
        frames = frames_of(source)
        if frames is not None and is_empty(frames):
            raise CaptureError(f"{frames.path}: holds no packets, so there is nothing to compare")


def _play(lane: Lane) -> None:
    """Play a lane to its end, and show how far it is."""
    from rxviz.cli.progress import Progress

    with Progress(lane.scenario.spec.count) as progress:
        while not lane.play_on(SLICE):
            progress.show(lane.offered)


def _print(lanes: Lanes, as_json: bool) -> None:
    if as_json:
        import json

        say.data([json.dumps(outcome(lanes), ensure_ascii=False)])
        return
    from rxviz.cli.compare_report import report

    say.data(report(lanes))


def _ended(lanes: Lanes) -> int:
    """Say where a capture broke off, and return the exit status."""
    frames = frames_of(lanes.left.timeline.source)
    broken = break_off(frames, lanes.left.offered) if frames is not None else ""
    if broken:
        say.note(broken)
    return 2 if broken else 0


def outcome(lanes: Lanes) -> dict[str, Any]:
    """Return both lanes as one JSON object: their results, the lines of the bill that differ, how frames part."""
    from rxviz.model.steps import KINDS
    from rxviz.run.lockstep import Lockstep

    lockstep = Lockstep(lanes)
    ways = [
        {
            "frames": len(numbers),
            "first": lanes.pairs[numbers[0]].frame,
            "left": [KINDS[kind].name for kind in left],
            "right": [KINDS[kind].name for kind in right],
        }
        for (left, right), numbers in lockstep.ways.items()
    ]
    return {
        "lanes": [{"name": lane.name, **lane.result, "remarks": lane.remarks()} for lane in (lanes.left, lanes.right)],
        "differences": [
            {"name": name.replace(" ", "_"), "left": left, "right": right}
            for name, left, right in lanes.bills()
            if left != right
        ],
        "frames": {"compared": lockstep.frames, "differ": len(lockstep.differing), "ways": ways},
        "parting": _parting(lanes),
    }


def _parting(lanes: Lanes) -> dict[str, Any] | None:
    """Return the first step that is not the same in both lanes; None when all are."""
    from rxviz.run import words

    places = lanes.parting()
    if places is None:
        return None
    found: dict[str, Any] = {}
    for side, lane, position in zip(("left", "right"), (lanes.left, lanes.right), places, strict=True):
        step = lane.trace[position - 1]
        config = lane.timeline.at(0).machine.config
        found[side] = {"n": step.n, "kind": step.name, "frame": step.frame, "text": words.text(step, config)}
    return found
