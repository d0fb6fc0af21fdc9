"""The words of a lesson: a Markdown file in which each `## key` heading begins the text of that key."""

from __future__ import annotations

import re

MAX_PARAGRAPH = 2_000
"""Letters of a paragraph that are kept; more than twice what fits on a screen."""
_HEADING = re.compile(r"##\s+([a-z0-9][a-z0-9.\-]*)\s*")


def split_texts(markdown: str) -> tuple[dict[str, str], dict[str, int], list[tuple[int, str]]]:
    """Return the texts by key, the line of each, and [(line, complaint)] for what is wrong with the file."""
    texts: dict[str, list[str]] = {}
    starts: dict[str, int] = {}
    wrong: list[tuple[int, str]] = []
    key = ""
    for number, line in enumerate(markdown.split("\n"), 1):
        found = _HEADING.fullmatch(line.rstrip())
        if found:
            key = found[1]
            if key in texts:
                wrong.append((number, f'the key "{key}" stands twice'))
            texts[key] = []
            starts[key] = number
        elif line.startswith("##"):
            wrong.append((number, "a heading is `## key`, the key in small letters, digits, dots and dashes"))
        elif key:
            texts[key].append(line)
        elif line.strip() and not line.startswith("# "):
            wrong.append((number, "text before the first `## key` heading belongs to no key"))
        if any(not (letter.isprintable() or letter in "\t\r") for letter in line):
            wrong.append((number, "a character that no screen shows (a control sequence?) is in the text"))
    return {name: _flow("\n".join(lines)) for name, lines in texts.items()}, starts, wrong


def _flow(text: str) -> str:
    """Join the lines of each paragraph; screens wrap them anew. What cannot be shown becomes a question mark."""
    paragraphs: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.strip():
            paragraphs[-1] += line.split()
        elif paragraphs[-1]:
            paragraphs.append([])
    return "\n\n".join(printable(" ".join(parts), MAX_PARAGRAPH) for parts in paragraphs if parts)


def printable(text: str, limit: int = 160) -> str:
    """Return a stranger's text safe to show: no control characters, and not endless."""
    clean = "".join(letter if letter.isprintable() else "?" for letter in text)
    return clean if len(clean) <= limit else clean[: limit - 1] + "…"


def words(text: str) -> int:
    """How many words a person reads."""
    return len([part for part in text.split() if any(letter.isalnum() for letter in part)])
