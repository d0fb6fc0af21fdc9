"""What the terminal can do, found out before Textual is imported."""

from __future__ import annotations

import locale
import os
import sys
from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Terminal:
    """How to show things: in `ascii`, with `no_colour`, in the terminal's own 16 (`ansi`), on a `light` ground."""

    ascii: bool = False
    no_colour: bool = False
    ansi: bool = False
    light: bool = False


def why_not(environ: Mapping[str, str] | None = None) -> str | None:
    """Return why no screen can be shown, None when one can.

    Textual itself never asks: it reads standard input and draws on standard error, whatever they are; and whoever
    sends standard output somewhere else wants text there.
    """
    environ = os.environ if environ is None else environ
    for stream, name in ((sys.stdin, "input"), (sys.stdout, "output"), (sys.stderr, "error")):
        if stream is None or not stream.isatty():
            return f"the screens need a terminal, and standard {name} is none"
    if environ.get("TERM", "dumb") == "dumb":
        return "the screens need a terminal that can place text, and TERM is dumb"
    return None


def look(environ: MutableMapping[str, str] | None = None) -> Terminal:
    """Read the environment, and remove an empty NO_COLOR, which by its own rule means nothing."""
    environ = os.environ if environ is None else environ
    if environ.get("NO_COLOR") == "":
        del environ["NO_COLOR"]
    encoding = locale.getpreferredencoding(False).lower().replace("-", "")
    return Terminal(
        ascii=encoding != "utf8",
        no_colour="NO_COLOR" in environ,
        ansi=_colours(environ) <= 16,
        light=_is_light(environ),
    )


def _colours(environ: MutableMapping[str, str]) -> int:
    """Return how many colours the terminal is good for, by the rule that Rich has too."""
    if environ.get("TEXTUAL_COLOR_SYSTEM") == "standard":
        return 16
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return 1 << 24
    if environ.get("TEXTUAL_COLOR_SYSTEM") in ("truecolor", "256"):
        return 256
    term = environ.get("TERM", "").strip().lower()
    return 256 if term.rpartition("-")[2] in ("256color", "kitty", "direct") else 16


def _is_light(environ: MutableMapping[str, str]) -> bool:
    """Whether the terminal says that its ground is light; few say anything."""
    ground = environ.get("COLORFGBG", "").rpartition(";")[2]
    return ground.isascii() and ground.isdigit() and int(ground) in (7, 15)
