"""Numbers on the command line: whole, written with the ten digits and nothing else."""

from __future__ import annotations

from typing import Any

import click

from rxviz.errors import quoted

MOST_DIGITS = 18


class Whole(click.IntRange):
    """A whole number from `min` to `max`. Python's own reading takes signs, blanks, underscores and foreign digits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or fail with a sentence that ends, however long the word is."""
        if isinstance(value, str) and not (value.isascii() and value.isdigit() and len(value) <= MOST_DIGITS):
            self.fail(f"it takes a whole number, not {quoted(value)}", param, ctx)
        return super().convert(value, param, ctx)
