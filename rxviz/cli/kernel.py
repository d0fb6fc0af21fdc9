"""`rxviz kernel`: hold the model against the kernel that this machine runs."""

from __future__ import annotations

import json
import platform

import click

from rxviz.cli import say
from rxviz.cli.numbers import Whole

SAME, DIFFERS, NOT_HERE = 0, 1, 2
SESSIONS, FRAMES, SEED, RCVBUF = 96, 40, 1, 106_496
MOST_FRAMES = 63

EXAMPLES = """\b
Examples:
  rxviz kernel gro tcp-bulk
  rxviz kernel gro --random 2000 --seed 7
  rxviz kernel sizes
  rxviz kernel rcvbuf --rcvbuf 20000

\b
gro needs root; rcvbuf root, or a tun device that this user may open; sizes
nothing but a kernel with type information.

\b
Exit status: 0 no difference; 1 model and kernel differ; 2 it cannot be done
here.
"""
_json = click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of the table.")


@click.group("kernel", epilog=EXAMPLES, invoke_without_command=True)
@_json
@click.pass_context
def command(ctx: click.Context, as_json: bool) -> int:
    """Hold the model against the kernel that this machine runs.

    It works in a network namespace of its own, touches nothing outside, and leaves nothing behind. Without a command
    all three comparisons are made.
    """
    if ctx.invoked_subcommand is not None:
        if as_json:
            raise click.UsageError(f"--json goes behind {ctx.invoked_subcommand}", ctx)
        return SAME
    from rxviz.cli import kernel_all

    return kernel_all.as_json() if as_json else kernel_all.in_turn()


@command.command("gro", short_help="The same frames through both GROs.")
@click.argument("capture", metavar="[CAPTURE]", required=False)
@click.option("--random", metavar="N", type=Whole(1, 1_000_000), help="So many random sessions (96).")
@click.option("--seed", metavar="S", type=Whole(min=0), help="What the random frames are drawn from (1).")
@click.option(
    "--frames", metavar="N", type=Whole(min=1),
    help="Frames of each random session (40, at most 63), or of the capture (all).",
)  # fmt: skip
@click.option(
    "--layout", type=click.Choice(("build_skb", "copied")),
    help="How the tap lays out a capture's frames (build_skb); random sessions take both.",
)  # fmt: skip
@_json
@click.pass_context
def gro(
    ctx: click.Context, capture: str | None, random: int | None, seed: int | None, frames: int | None,
    layout: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Send the same frames through the model's GRO and through this kernel's.

    Both get the frames of CAPTURE, 63 to a poll, or random sessions with every field changed now and then. Beside each
    other: the packets delivered with their bytes, gso_size, flags and truesize, and the verdict of each frame.
    """
    if capture is not None:
        if random is not None or seed is not None:
            raise click.UsageError("give a capture, or --random and --seed, not both", ctx)
        return _capture(capture, layout or "build_skb", frames, as_json)
    if layout is not None:
        raise click.UsageError("--layout goes with a capture; random sessions take both", ctx)
    if frames is not None and frames > MOST_FRAMES:
        raise click.UsageError(f"a session is one poll of at most {MOST_FRAMES} frames, not {frames}", ctx)
    return random_gro(random or SESSIONS, SEED if seed is None else seed, frames or FRAMES, as_json)


@command.command("sizes", short_help="The model's constants beside the kernel's types.")
@_json
def sizes(as_json: bool) -> int:
    """Lay the model's constants beside what this kernel says of its own types (BTF)."""
    return compare_sizes(as_json)


@command.command("rcvbuf", short_help="How many datagrams a socket takes.")
@click.option(
    "--rcvbuf", "asked", metavar="BYTES", type=Whole(0, 0x7FFFFFFF), default=RCVBUF,
    help="SO_RCVBUF as a program gives it (106496).",
)  # fmt: skip
@_json
def rcvbuf(asked: int, as_json: bool) -> int:
    """Measure how many datagrams a socket of a given SO_RCVBUF takes, beside the model's number."""
    return measure_rcvbuf(asked, as_json)


def compare_sizes(as_json: bool) -> int:
    """Print the sizes and return the exit status."""
    from rxviz.cli import kernel_report
    from rxviz.kernel.sizes import compare_sizes

    found = compare_sizes()
    if as_json:
        say.data([json.dumps(kernel_report.sizes_json(found))])
    else:
        say.data(kernel_report.sizes(found))
    return SAME if found.ok else DIFFERS


def measure_rcvbuf(asked: int, as_json: bool) -> int:
    """Print what a socket takes and return the exit status."""
    from rxviz.cli import kernel_report
    from rxviz.kernel.rcvbuf import measure

    taken = measure(asked)
    if as_json:
        say.data([json.dumps(kernel_report.rcvbuf_json(platform.release(), taken))])
    else:
        say.data(kernel_report.rcvbuf(platform.release(), taken))
    return SAME if all(one.ok for one in taken) else DIFFERS


def random_gro(count: int, seed: int, length: int, as_json: bool) -> int:
    """Print what random sessions came to and return the exit status."""
    from rxviz.cli import kernel_gro, kernel_report

    outcome, differing = kernel_gro.random(count, seed, length)
    if as_json:
        say.data([json.dumps(kernel_gro.random_json(outcome, differing))])
    else:
        for compared in differing:
            say.data(kernel_report.session(compared))
        say.data(outcome.lines())
        say.data([kernel_report.drawn(seed)])
    return _said(outcome.status)


def _capture(word: str, layout: str, most: int | None, as_json: bool) -> int:
    from rxviz.cli import kernel_gro
    from rxviz.cli.passing import passing
    from rxviz.cli.what import break_off

    with passing(word) as source:
        outcome = kernel_gro.of_capture(source, layout, most, as_json)
        for note in source.notes():
            say.note(note)
        if broken := break_off(source.reader, source.reader.seen):
            say.note(broken)
    return max(_said(outcome.status), NOT_HERE if broken and outcome.status == SAME else SAME)


def _said(status: int) -> int:
    """Say on standard error why there is no answer, where there is none."""
    if status == NOT_HERE:
        say.note("nothing could be compared")
    return status
