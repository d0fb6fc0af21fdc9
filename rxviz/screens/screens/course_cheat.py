"""The cheat sheet: one line for every lesson that is done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.session import Opening
from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.view.cell import Role


class CheatScreen(PageScreen):
    """Shows what is to be kept; it grows with every lesson."""

    HEADING: ClassVar[str] = "cheat sheet"

    def __init__(self, done: Sequence[LoadedLesson], total: int) -> None:
        super().__init__()
        self._total = total
        self._lines = [(loaded, _kept(loaded)) for loaded in done]

    def write(self, page: Prose) -> None:
        """Write a heading and a line for each lesson that is done."""
        if not self._lines:
            page.text("Nothing yet: each lesson that is done leaves a line here.", Role.STRONG)
            return
        for loaded, text in self._lines:
            page.heading(f"{loaded.lesson.number}  {loaded.title}")
            page.text(text)
        left = self._total - len(self._lines)
        page.gap()
        page.text("The sheet is whole." if not left else f"{left} more to come.", Role.REST)


def _kept(loaded: LoadedLesson) -> str:
    try:
        return Opening(loaded).text("keep")
    except RxvizError:
        return loaded.text("keep")
