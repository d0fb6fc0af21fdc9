"""How a lesson lies on the screen: the line of parts, picture and words, the line for a reason, the keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.app import ComposeResult
from textual.widgets import Input

from rxviz.errors import RxvizError
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.progress import REASON_LENGTH
from rxviz.lessons.session import PARTS
from rxviz.screens import chrome, layout
from rxviz.screens.actions import JUMPS, LESSON
from rxviz.screens.screens import lesson_body
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.screens.lesson_bar import bar
from rxviz.screens.screens.lesson_play import Play
from rxviz.screens.screens.walk import Menu
from rxviz.screens.widgets.cells import Cells
from rxviz.screens.widgets.line import Line
from rxviz.screens.widgets.places import PlacesContainer
from rxviz.view import lesson_header
from rxviz.view.cell import Picture
from rxviz.view.lesson_sheet import Sheet


class LessonView(KeyedScreen):
    """Shows one lesson, from where it was left; those who derive from it say what keys do."""

    KEYS: ClassVar[str] = LESSON
    CSS = """
    LessonView Input, LessonView Input:focus { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(
        self,
        loaded: LoadedLesson,
        following: LoadedLesson | None = None,
        go_to: Callable[[LoadedLesson], None] | None = None,
    ) -> None:
        super().__init__()
        self.go_to = go_to
        self.play = Play(loaded)
        self.following = following
        self.menu: Menu | None = None
        self.said = self.play.keeper.trouble
        self._sheet = Sheet(Picture(0, ()))

    def compose(self) -> ComposeResult:
        """The line of parts, picture and words, the line for the reason, the keys."""
        yield PlacesContainer(
            self._places,
            Cells(self._draw_header, surface="bar", id="header"),
            Cells(lambda width, height: self._sheet.above(), id="picture"),
            Cells(lambda width, height: self._sheet.below(), surface="ground", id="words"),
            Line(placeholder="because …", id="reason", max_length=REASON_LENGTH, disabled=True),
            Cells(self._draw_keys, surface="bar", id="keys"),
            Cells(self._draw_menu, id="menu"),
            Cells(lambda width, height: chrome.too_small(width, height, self.glyphs), surface="ground", id="small"),
        )

    @property
    def asks_why(self) -> bool:
        """Whether an answer was picked and its reason is being asked for."""
        return self.play.part == "predict" and self.play.asking.is_picked and self.play.asking.outcome is None

    def _places(self, width: int, height: int) -> layout.Places:
        if layout.size_name(width, height) == "small":
            return {"small": layout.Rect(0, 0, width, height)}
        entry = int(self.asks_why)
        places = {
            "header": layout.Rect(0, 0, width, 1),
            "keys": layout.Rect(0, height - 1, width, 1),
        }
        room = height - 2 - entry
        self._sheet = self._draw_body(width, room)
        split = self._sheet.split
        if split:
            places["picture"] = layout.Rect(0, 1, width, split)
        places["words"] = layout.Rect(0, 1 + split, width, room - split)
        if entry:
            places["reason"] = layout.Rect(1, height - 2, width - 2, 1)
        if self.menu is not None:
            tall = chrome.menu_height(width, self.menu.choices)
            places["menu"] = layout.Rect(0, height - 1 - tall, width, tall)
        return places

    def _draw_header(self, width: int, height: int) -> Picture:
        play = self.play
        asked = len(play.lesson.predict)
        of = play.part in ("predict", "observe", "explain") and asked > 1
        more = f"{play.scene.question + 1}/{asked}" if of else ""
        lesson, title = play.lesson.number, play.loaded.title
        return lesson_header.draw(width, self.glyphs, lesson, title, PARTS, play.part, play.parts_done(), more)

    def _draw_body(self, width: int, height: int) -> Sheet:
        after = self.following
        words = f"lesson {after.lesson.number}, {after.title} ({after.lesson.minutes} minutes)" if after else ""
        try:
            return lesson_body.body(self.play, width, height, self.glyphs, words)
        except RxvizError as error:
            # A lesson from elsewhere may ask for what its run does not have.
            return lesson_body.trouble(str(error), width, height, self.glyphs)

    def _draw_keys(self, width: int, height: int) -> Picture:
        return chrome.keys(width, self.glyphs, bar(self.play, self.menu is not None), self.said)

    def _draw_menu(self, width: int, height: int) -> Picture:
        menu = self.menu or Menu("", JUMPS, lambda _: None)
        return chrome.menu(width, height, self.glyphs, menu.title, menu.choices)

    def update(self) -> None:
        """Show where the learner is now; only what differs is painted."""
        reason = self.query_one(Input)
        reason.disabled = not self.asks_why
        if self.asks_why:
            reason.focus()
        elif reason.has_focus:
            self.set_focus(None)
        places = self._places(self.size.width, self.size.height)
        self.query_one(PlacesContainer).replace()
        for cells in self.query(Cells):
            if cells.id in places:
                cells.show()
            else:
                cells.forget()

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys, until the next key."""
        self.said = words
        self.query_one("#keys", Cells).show()

    def done(self, said: str = "") -> None:
        """Show what an action led to, and what went wrong with keeping it."""
        keeper = self.play.keeper
        self.said, keeper.trouble = said or keeper.trouble, ""
        self.update()

    def ask_menu(self, menu: Menu) -> None:
        """Let the next key answer a menu."""
        self.menu = menu
        self.update()
