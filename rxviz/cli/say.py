"""What goes to the two output streams, and how: data to standard output, everything else to standard error."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterable
from contextlib import suppress

from rxviz.errors import RxvizError, shown

LONGEST = 1_500
"""Letters of a line on standard error, at most: a name that a stranger gave may stand in it."""


def prepare_streams() -> None:
    """Let no encoding of the terminal's stop a sentence: what it cannot show becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def data(lines: Iterable[str]) -> None:
    """Write lines to standard output as they come; raise RxvizError when they cannot be written."""
    if sys.stdout is None:
        return
    try:
        for line in lines:
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    except OSError as error:
        if error.errno == errno.EPIPE:
            raise
        drop_output()
        raise RxvizError(f"standard output cannot be written ({error.strerror})") from None


def note(sentence: str) -> None:
    """Write one line to standard error, whatever strangers put into it."""
    if sys.stderr is None:
        return
    # Where it cannot be said, the exit status still tells.
    with suppress(OSError):
        print(f"rxviz: {shown(one_line(sentence), LONGEST)}", file=sys.stderr, flush=True)


def one_line(text: str) -> str:
    """Return the text as one printable line: control characters, line ends too, cannot reach a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in " ".join(text.split()))


def drop_output() -> None:
    """Let what is still buffered go nowhere: the reader of the pipe has gone, or the disk is full."""
    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
