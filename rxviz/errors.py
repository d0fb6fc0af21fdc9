"""The errors that a person may cause, each of which ends in one sentence and a documented exit status."""

from __future__ import annotations

from os import PathLike

SHOWN_LETTERS = 200
"""How much of a stranger's text is shown at most."""


def shown(text: str | PathLike[str], letters: int = SHOWN_LETTERS) -> str:
    """Return a stranger's text or path safe to print: what is not printable as an escape, and never endless."""
    text = str(text)
    clean = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[: letters + 1])
    return clean if len(clean) <= letters else clean[: letters - 1] + "…"


def quoted(text: str, letters: int = 40) -> str:
    """Return a stranger's word safe to print, cut short, in quotes: in single ones where it has double ones itself."""
    clean = shown(text, letters)
    mark = "'" if '"' in clean else '"'
    return f"{mark}{clean}{mark}"


class RxvizError(Exception):
    """Something a person asked for cannot be done; the message is the sentence they read.

    The message says what is wrong, where (file, byte offset or line), and what to do.
    """

    exit_status = 2


class ScenarioError(RxvizError):
    """A scenario's words are wrong."""


class CaptureError(RxvizError):
    """A capture cannot be read, or not to its end."""
