"""The `rxviz` command: its options, its commands, and how each way of ending becomes an exit status.

This module loads before every command, so it imports click and nothing heavy.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence

import click

from rxviz import __version__
from rxviz.cli import say
from rxviz.cli.group import LazyGroup
from rxviz.errors import RxvizError, shown

DONE, WRONG, BUG, INTERRUPTED = 0, 2, 70, 130
"""Exit statuses; 1 is for commands whose answer can be no. 70 is what sysexits.h has for a fault in the program."""

LONG_WORD, LONG_MESSAGE = 80, 500

EXAMPLES = """\b
Examples:
  rxviz                                     the home screen
  rxviz learn                               the course: short lessons that ask
  rxviz play first-flip                     step through the first flip
  rxviz run ixgbe ring=8 traffic=tcp:1514x12
  rxviz trace slow-reader --kinds page.give_up
  rxviz run capture.pcap --json
  rxviz gro capture.pcap                    which frames GRO makes one skb of

\b
Exit status: 0 done; 1 the answer is no; 2 the words were wrong or an input
cannot be used; 70 a fault in rxviz itself; 130 interrupted.
"""


@click.group(
    cls=LazyGroup,
    modules={
        "play": "rxviz.cli.play",
        "compare": "rxviz.cli.compare",
        "run": "rxviz.cli.run",
        "trace": "rxviz.cli.trace",
        "gro": "rxviz.cli.gro",
        "kernel": "rxviz.cli.kernel",
        "learn": "rxviz.cli.learn",
        "lessons": "rxviz.cli.lessons",
        "progress": "rxviz.cli.learned",
    },
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=EXAMPLES,
)
@click.version_option(__version__, "-V", "--version", prog_name="rxviz", message="%(prog)s %(version)s")
@click.pass_context
def commands(ctx: click.Context) -> int:
    """Watch a frame become an skb: the Linux receive path, one step at a time, forwards and backwards.

    Without a command the home screen opens.
    """
    if ctx.invoked_subcommand is not None:
        return DONE
    from rxviz.cli.play import open_home

    return open_home(ctx)


def main() -> None:
    """Run the command line and leave with its exit status."""
    say.prepare_streams()
    sys.exit(status(sys.argv[1:]))


def status(words: Sequence[str]) -> int:
    """Run the command that the words name and return the exit status; no exception comes out of here."""
    try:
        return _run(words)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except BrokenPipeError:
        say.drop_output()
        return DONE
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:
        sentence, ended = _explained(error)
        say.note(sentence)
        return ended


def _run(words: Sequence[str]) -> int:
    """Run without click's own way of ending, which has other statuses; completion of shells still goes through it."""
    if "_RXVIZ_COMPLETE" in os.environ:
        commands.main(prog_name="rxviz")
    try:
        with commands.make_context("rxviz", list(words)) as ctx:
            ended = commands.invoke(ctx)
        return ended if isinstance(ended, int) else DONE
    finally:
        # Here and not at the interpreter's end, where nobody could answer for a pipe that is closed.
        if sys.stdout is not None:
            sys.stdout.flush()


def _explained(error: Exception) -> tuple[str, int]:
    """Return the sentence and the exit status for an error."""
    if isinstance(error, RxvizError):
        return str(error), error.exit_status
    if isinstance(error, click.ClickException):
        return _usage(error), WRONG
    if isinstance(error, MemoryError):
        return "there is not enough memory for this; use fewer frames, a smaller ring or a smaller capture", WRONG
    if isinstance(error, OSError):
        say.drop_output()
        return (
            f"the system says: {error.strerror or error}{f' ({shown(str(error.filename))})' if error.filename else ''}",
            WRONG,
        )
    if os.environ.get("RXVIZ_DEBUG"):
        from traceback import print_exception

        print_exception(error)
    return _bug(error), BUG


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command_path if context is not None else "rxviz"
    message = _short(error.format_message().rstrip("."))
    return f"{message}{'' if message.endswith('?') else '.'} Try: {command} --help"


def _short(message: str) -> str:
    """Return click's sentence, which repeats whatever was typed, with that cut short."""
    cut = re.sub(rf"\S{{{LONG_WORD + 1},}}", lambda found: shown(found[0], LONG_WORD), message)
    return shown(" ".join(cut.split()), LONG_MESSAGE)


def _bug(error: Exception) -> str:
    return (
        f"this is a fault in rxviz, please report it with the command you typed: {type(error).__name__}: {error}"
        " (RXVIZ_DEBUG=1 shows where)"
    )
