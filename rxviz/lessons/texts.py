"""The words of a lesson: a Markdown file in which each `## key` heading begins the text of that key."""

from __future__ import annotations

import re

_HEADING = re.compile(r"##\s+([a-z0-9][a-z0-9.\-]*)\s*")


def split_texts(markdown: str) -> tuple[dict[str, str], list[tuple[int, str]]]:
    """Return the texts by key, and [(line, complaint)] for what is wrong with the file."""
    texts: dict[str, list[str]] = {}
    wrong: list[tuple[int, str]] = []
    key = ""
    for number, line in enumerate(markdown.splitlines(), 1):
        found = _HEADING.fullmatch(line.rstrip())
        if found:
            key = found[1]
            if key in texts:
                wrong.append((number, f'the key "{key}" stands twice'))
            texts[key] = []
        elif line.startswith("##"):
            wrong.append((number, "a heading is `## key`, the key in small letters, digits, dots and dashes"))
        elif key:
            texts[key].append(line)
        elif line.strip() and not line.startswith("# "):
            wrong.append((number, "text before the first `## key` heading belongs to no key"))
        if any(not (letter.isprintable() or letter == "\t") for letter in line):
            wrong.append((number, "a control character is in the text"))
    return {name: _flow("\n".join(lines)) for name, lines in texts.items()}, wrong


def _flow(text: str) -> str:
    """Join the lines of each paragraph; screens wrap them anew."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def words(text: str) -> int:
    """How many words a person reads."""
    return len([part for part in text.split() if any(letter.isalnum() for letter in part)])
