"""A line to type in, of a length that can be shown and of letters only, whatever is pasted."""

from __future__ import annotations

from textual import events
from textual.widgets import Input


class Line(Input):
    """An Input with a `max_length`; of a paste it takes the first line, without control characters, as far as fits."""

    def on_paste(self, event: events.Paste) -> None:
        """Make the paste fit; Textual, which has it next, would refuse all of one that is too long."""
        first = next(iter(event.text[: 1 << 16].splitlines()), "")
        room = max((self.max_length or len(first)) - len(self.value), 0) + len(self.selected_text)
        event.text = "".join(letter for letter in first if letter.isprintable())[:room]
