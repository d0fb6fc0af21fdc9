"""The words on the screen, one line each."""

from __future__ import annotations

from typing import ClassVar

from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role
from rxviz.view.glossary import glossary

COLUMN = 17


class WordsScreen(PageScreen):
    """The glossary. A word that was asked for by name stands first."""

    HEADING: ClassVar[str] = "words"

    def __init__(self, asked: str = "") -> None:
        super().__init__()
        self.asked = asked

    def write(self, page: Prose) -> None:
        """Write every word with what it means, in the order of a frame's trip."""
        words = glossary()
        if self.asked in words:
            page.entry(self.asked, words[self.asked], COLUMN, Role.ACCENT)
            page.heading("All words, along a frame's trip")
        for word, meaning in words.items():
            page.entry(word, meaning, COLUMN, Role.STRONG)
