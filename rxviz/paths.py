"""Where the files that belong to the program lie, in a checkout and in an installed wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def data_root() -> Path:
    """Return the folder that holds `assets/` and `lessons/`.

    An installed wheel keeps them in `rxviz/_data`; a checkout beside the package.
    """
    packaged = _PACKAGE / "_data"
    return packaged if packaged.is_dir() else _PACKAGE.parent


def assets() -> Path:
    """Return the folder of scenarios, captures, constants and pictures."""
    return data_root() / "assets"


def lessons() -> Path:
    """Return the folder of the course."""
    return data_root() / "lessons"
