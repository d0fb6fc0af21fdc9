"""How the file of a capture stands in a scenario line: one word, whatever its name.

Blanks, percent signs and whatever cannot be printed are written as %XX, byte by byte as the file system has them, so
that a canonical line is always one line of plain words. The name of a capture that comes with the program stands for
itself, so that its line means the same on every machine.
"""

from __future__ import annotations

import os
import re
from urllib.parse import unquote_to_bytes

from rxviz.run import shipped

_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")


def quote(path: str) -> str:
    """Return a path as one printable word."""
    return "".join(letter if _plain(letter) else _escaped(letter) for letter in path)


def unquote(word: str) -> str:
    """Return the path that a word stands for; a % that begins no escape is itself."""
    return os.fsdecode(unquote_to_bytes(os.fsencode(word))) if _ESCAPE.search(word) else word


def locate(word: str) -> str:
    """Return the path to open: that of a capture which comes with the program, or the one that the word names."""
    known = shipped.captures().get(word) if "." not in word else None
    return str(known.path) if known is not None else unquote(word)


def _plain(letter: str) -> bool:
    return letter.isprintable() and not letter.isspace() and letter != "%"


def _escaped(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in os.fsencode(letter))
