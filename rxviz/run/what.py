"""WHAT on the command line: a scenario line, a name that comes with the program, a scenario file, or a capture."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rxviz.errors import SHOWN_LETTERS, CaptureError, ScenarioError, quoted, shown
from rxviz.model.drivers.table import DRIVERS
from rxviz.run import scenario, shipped
from rxviz.run.capture_word import quote, unquote
from rxviz.run.scenario import Scenario, parse_line
from rxviz.strangers import parse_toml

MAX_SCENARIO_FILE = 65_536
"""Bytes that a scenario file may have; the ones that come with the program have some 500."""
CAPTURE_WORDS = ("capture=", "traffic=capture:")
_CAPTURE_MAGICS = (b"\xa1\xb2", b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1", b"\x0a\x0d\x0d\x0a", b"\x1f\x8b")
_CAPTURE_ENDINGS = (".pcap", ".pcapng", ".cap", ".gz")
_SHAPES_TRAFFIC = {"traffic", "capture", "rate", "flows", "burst", "gap", "order", "loss"}
"""Words that make no sense beside a capture."""
_MAX_LISTED = 2_000
"""Names of a folder that are looked at for one that is near."""


def resolve(words: Sequence[str]) -> Scenario:
    """Return the scenario that the words name; `key=value` words behind a name or a file change what it says.

    A driver's name comes first, then a name that comes with the program, then a file: `./NAME` is always the file.
    Raises ScenarioError or CaptureError with one sentence. Opens nothing but a scenario file, and of any other file
    looks at the first bytes only.
    """
    head, rest = _apart(words)
    if head in DRIVERS:
        return parse_line([head, *rest])
    if head in shipped.scenarios():
        return _from_file(shipped.scenarios()[head].path, rest, head)
    if head in shipped.captures():
        own = shipped.captures()[head].words
        return _changed(["ixgbe", f"traffic=capture:{head}", *own], rest)
    if _exists(head):
        return _from_path(head, rest)
    raise ScenarioError(_not_found(head))


# ------------------------------------------------------------------------------------------------------------ the words
def _apart(words: Sequence[str]) -> tuple[str, list[str]]:
    """Take the name apart from the words behind it. A file's name may have blanks, so it is tried whole."""
    if words and _exists(words[0]):
        return words[0], _flat(words[1:])
    flat = _flat(words)
    if not flat:
        raise ScenarioError("nothing to play: give a scenario, a name such as first-flip, or a capture")
    return flat[0], flat[1:]


def _flat(words: Iterable[str]) -> list[str]:
    return [part for word in words for part in word.split()]


def _changed(base: Sequence[str], changes: Sequence[str]) -> Scenario:
    """Read the base's words with the changes in their place."""
    keys = {word.partition("=")[0] for word in changes}
    if "capture" in keys or any(word.startswith("traffic=capture:") for word in changes):
        keys |= _SHAPES_TRAFFIC
    elif "traffic" in keys:
        keys |= {"capture", "rate"} if any("@" in word for word in changes) else {"capture"}
    if keys & {"kernel", "patches"}:
        keys |= {"kernel", "patches", "path"} if "patches" in keys else {"patches"}
    kept = [word for word in base[1:] if word.partition("=")[0] not in keys]
    if "rate" in keys:
        kept = [word.partition("@")[0] if word.startswith("traffic=") else word for word in kept]
    return parse_line([base[0], *kept, *changes])


# ------------------------------------------------------------------------------------------------------------- the file
def _exists(name: str) -> bool:
    try:
        return os.path.lexists(name)
    except ValueError:  # a NUL in the name
        return False


def _from_path(name: str, changes: Sequence[str]) -> Scenario:
    path = Path(name)
    start = _start(path)
    if path.suffix == ".toml" or not (start.startswith(_CAPTURE_MAGICS) or _binary(start)):
        if path.suffix.lower() in _CAPTURE_ENDINGS and not start.startswith(_CAPTURE_MAGICS):
            raise CaptureError(f"{shown(name)}: byte 0: this is text, not a capture (pcap or pcapng, plain or gzipped)")
        return _from_file(path, changes, shown(name))
    return _changed(["ixgbe", f"traffic=capture:{quote(name)}"], changes)


def _start(path: Path) -> bytes:
    """Return the first bytes of a file, or raise ScenarioError where there is none to read."""
    name = shown(str(path))
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ScenarioError(f"{name}: is a folder; give a capture or a scenario file in it")
        if not stat.S_ISREG(mode):
            raise ScenarioError(f"{name}: is a pipe or a device; write it to a file first")
        with path.open("rb") as file:
            start = file.read(512)
    except OSError as error:
        raise ScenarioError(f"{name}: cannot be read ({error.strerror})") from None
    if not start:
        raise ScenarioError(f"{name}: the file is empty (0 bytes)")
    return start


def _binary(start: bytes) -> bool:
    return any(byte < 9 or 13 < byte < 27 for byte in start)


def _from_file(path: Path, changes: Sequence[str], name: str) -> Scenario:
    table = _table(path, name)
    words = _beside(scenario.words_of(table, name), path, name)
    try:
        base = parse_line(words)
    except ScenarioError as error:
        raise ScenarioError(f"{name}: {error}") from None
    return _changed(words, changes) if changes else base


def _table(path: Path, name: str) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_SCENARIO_FILE + 1)
    except OSError as error:
        raise ScenarioError(f"{name}: cannot be read ({error.strerror})") from None
    if len(data) > MAX_SCENARIO_FILE:
        raise ScenarioError(f"{name}: longer than {MAX_SCENARIO_FILE:,} bytes, the limit for a scenario file")
    try:
        return parse_toml(data.decode())
    except UnicodeDecodeError as error:
        raise ScenarioError(
            f"{name}: byte {error.start:,} is not UTF-8 text; neither a scenario nor a capture"
        ) from None
    except RecursionError:
        raise ScenarioError(f"{name}: nested too deep for a scenario file") from None
    except ValueError as error:  # TOMLDecodeError, or a number with thousands of digits
        raise ScenarioError(f"{name}: {_toml_words(str(error))}") from None


def _toml_words(message: str) -> str:
    """Say where a TOML file is wrong, the place first."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", message, re.DOTALL)
    if found is None:
        return f"not a scenario file: {shown(message)}"
    place = f"line {found[2]}" if found[2] else "at its end"
    return f"{place}: no scenario file in TOML: {shown(found[1])}"


def _beside(words: list[str], path: Path, name: str) -> list[str]:
    """Take a scenario file's capture from the file's own folder, which a stranger's file may not leave."""
    return [_inside(word, path, name) if word.startswith(CAPTURE_WORDS) else word for word in words]


def _inside(word: str, path: Path, name: str) -> str:
    start = next(each for each in CAPTURE_WORDS if word.startswith(each))
    capture = unquote(word.removeprefix(start))
    if capture in shipped.captures():
        return word
    folder = path.parent.resolve()
    if not (folder / capture).resolve().is_relative_to(folder):
        raise ScenarioError(f"{name}: capture={shown(capture)} leads out of the file's folder; copy it beside the file")
    return start + quote(str(path.parent / capture))


# ------------------------------------------------------------------------------------------------------------ not found
def _not_found(head: str) -> str:
    word = quoted(head, SHOWN_LETTERS)
    if "=" in head and "/" not in head:
        return f"{word}: a scenario line starts with a driver, e.g. ixgbe ring=8 traffic=tcp:1514x12"
    known = [*DRIVERS, *shipped.names()]
    path = Path(head)
    if path.suffix or os.sep in head:
        return f"{shown(head)}: no such file{_nearest(path.name, [*_listed(path.parent), *known])}"
    return f"{word} is no driver, no name that comes with rxviz, and no file{_nearest(head, [*known, *_listed(path)])}"


def _listed(folder: Path) -> list[str]:
    """Return names of files in a folder, for a hint."""
    found: list[str] = []
    try:
        with os.scandir(folder if folder.is_dir() else ".") as entries:
            for entry in entries:
                found.append(entry.name)
                if len(found) == _MAX_LISTED:
                    break
    except (OSError, ValueError):
        return []
    return sorted(found)


def _nearest(word: str, known: Sequence[str]) -> str:
    near = get_close_matches(word, known, n=1, cutoff=0.6)
    return f", did you mean {quoted(near[0])}?" if near else "; rxviz run --help lists the names"
