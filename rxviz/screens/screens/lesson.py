"""A lesson on the screen: what the keys and the mouse do in each part. What is shown is drawn by lesson_body."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.widgets import Input

from rxviz.errors import RxvizError
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.progress import REASON_LENGTH
from rxviz.lessons.session import PARTS
from rxviz.model import steps
from rxviz.screens import chrome, layout
from rxviz.screens.actions import JUMPS, LESSON, Action, Choice
from rxviz.screens.screens import lesson_body
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.screens.lesson_bar import bar
from rxviz.screens.screens.lesson_play import Play
from rxviz.screens.screens.walk import Menu
from rxviz.screens.widgets.cells import Cells
from rxviz.screens.widgets.places import PlacesContainer
from rxviz.view import lesson_header
from rxviz.view.cell import Picture
from rxviz.view.lesson_sheet import Sheet

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class LessonScreen(KeyedScreen):
    """One lesson, from where it was left; `go_to` opens the lesson that follows it."""

    KEYS: ClassVar[str] = LESSON
    CSS = """
    LessonScreen Input, LessonScreen Input:focus { border: none; height: 1; padding: 0 1; background: $panel; }
    """

    def __init__(
        self,
        loaded: LoadedLesson,
        following: LoadedLesson | None = None,
        go_to: Callable[[LoadedLesson], None] | None = None,
    ) -> None:
        super().__init__()
        self._go_to = go_to
        self.play = Play(loaded)
        self.following = following
        self.menu: Menu | None = None
        self.said = self.play.keeper.trouble
        self._sheet = Sheet(Picture(0, ()))

    # --------------------------------------------------------------------------------------------------------- drawing
    def compose(self) -> ComposeResult:
        """The line of parts, picture and words, the line for the reason, the keys."""
        yield PlacesContainer(
            self._places,
            Cells(self._draw_header, surface="bar", id="header"),
            Cells(lambda width, height: self._sheet.above(), id="picture"),
            Cells(lambda width, height: self._sheet.below(), surface="ground", id="words"),
            Input(placeholder="because …", id="reason", max_length=REASON_LENGTH, disabled=True),
            Cells(self._draw_keys, surface="bar", id="keys"),
            Cells(self._draw_menu, id="menu"),
            Cells(lambda width, height: chrome.too_small(width, height, self.glyphs), surface="ground", id="small"),
        )

    @property
    def _asks_why(self) -> bool:
        return self.play.part == "predict" and self.play.asking.is_picked and self.play.asking.outcome is None

    def _places(self, width: int, height: int) -> layout.Places:
        if layout.size_name(width, height) == "small":
            return {"small": layout.Rect(0, 0, width, height)}
        entry = int(self._asks_why)
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
        reason.disabled = not self._asks_why
        if self._asks_why:
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

    def _do(self, said: str = "") -> None:
        """Show what an action led to, and what went wrong with keeping it."""
        keeper = self.play.keeper
        self.said, keeper.trouble = said or keeper.trouble, ""
        self.update()

    # ------------------------------------------------------------------------------------------------- keys and mouse
    def on_key(self, event: events.Key) -> None:
        """Let an open menu have the key, or else do what the key is for."""
        if self.said:
            self.say("")
        if self._asks_why and event.key not in ("escape", "pagedown", "pageup"):
            # The line for the reason has it; Textual would ask the class below this one, too.
            event.prevent_default()
            return
        if self.menu is not None:
            event.stop()
            event.prevent_default()
            self._answer(event.character or event.key)
            return
        super().on_key(event)

    def perform(self, action: Action) -> None:
        """Do an action; what a lesson from elsewhere cannot do is said in one sentence."""
        try:
            super().perform(action)
        except RxvizError as error:
            self.say(str(error))

    def on_cells_pressed(self, event: Cells.Pressed) -> None:
        """Do with the mouse what the keys do: pick a place or an option, turn a knob, answer a menu."""
        event.stop()
        target = event.target
        if self.press_key(target):
            return
        if event.cells.id == "menu" and target is not None:
            self._answer(str(target.value))
            return
        value = lesson_body.place_of(target)
        if value is not None and self.play.part == "predict" and self.play.asking.outcome is None:
            self.play.asking.pick(value)
            self._do()
        elif target is not None and target.kind == "knob":
            self.do_digit(str(int(target.value) + 1))

    @on(Input.Submitted)
    def commit(self, event: Input.Submitted) -> None:
        """Take the reason, and see what the answer leads to."""
        event.stop()
        reason, event.input.value = event.value, ""
        self.play.commit(reason)
        self._do()

    def _ask(self, menu: Menu) -> None:
        self.menu = menu
        self.update()

    def _answer(self, key: str) -> None:
        menu, self.menu = self.menu, None
        choice = next((choice for choice in menu.choices if choice.key == key), None) if menu is not None else None
        if choice is not None and menu is not None:
            menu.answer(choice)
        else:
            self.update()

    # -------------------------------------------------------------------------------------------------------- going on
    def do_go_on(self) -> None:
        """Enter: go on, or take what was typed."""
        play, doing = self.play, self.play.doing
        if play.part == "keep":
            self.do_leave()
            if play.keeper.mine.finished and self.following is not None and self._go_to is not None:
                self._go_to(self.following)
        elif play.part != "do":
            self._do(play.go_on())
        elif doing.typing is not None:
            typed, doing.typing = doing.typing, None
            if typed:
                play.say(typed)
            self._do()
        elif doing.hint_open or doing.turning >= 0:
            doing.hint_open, doing.turning = 0, -1
            self._do()
        elif doing.shown is not None:
            self._do(play.seek(doing.solved_at))
        elif play.is_task_done():
            self._do(play.go_on())
        else:
            self._do("Not all goals are reached yet. h gives a hint; PgDn goes on without.")

    def do_forward(self) -> None:
        """A step forward, or a knob up."""
        self._step(1)

    def do_back(self) -> None:
        """A step back, or a knob down."""
        self._step(-1)

    def _step(self, by: int) -> None:
        if self.play.part == "do" and self.play.doing.turning >= 0:
            self.play.doing.turn(by)
            self.play.acted()
            self._do()
        else:
            self._do(self.play.step(by))

    def do_down(self) -> None:
        """The next option, or the end of the next frame's trip."""
        self._updown(1)

    def do_up(self) -> None:
        """The option before, or the end of the last frame's trip."""
        self._updown(-1)

    def _updown(self, way: int) -> None:
        play = self.play
        if play.part == "predict" and play.asking.outcome is None:
            play.asking.move_focus(way)
            self._do()
        elif play.part == "do" and play.doing.turning >= 0:
            self._step(-way)
        elif play.part == "do":
            self._do(play.seek(play.doing.frame(way)))
        else:
            self._step(way)

    def do_start(self) -> None:
        """To the start of the run."""
        self._do(self.play.seek(0))

    def do_end(self) -> None:
        """To the end of the run."""
        self._do(self.play.seek(1 << 30))

    def do_next_of(self) -> None:
        """Ask for a kind of step, and go to the next one."""
        if self.play.part == "do":
            self._ask(Menu("To the next", JUMPS, self._jump))
        else:
            self._do("n jumps in the task; here Enter goes on.")

    def _jump(self, choice: Choice) -> None:
        doing = self.play.doing
        kinds = {steps.BY_NAME[name] for name in choice.value}
        trace, start = doing.now.lane().trace, doing.now.position
        found = next((n + 1 for n in range(start, len(trace)) if trace[n].kind in kinds), None)
        self._do(f"No {choice.word} from here to the end." if found is None else self.play.seek(found))

    def do_skip(self) -> None:
        """To the next part; what is open stays open."""
        self._leave_entries()
        self._do(self.play.skip(1))

    def do_skip_back(self) -> None:
        """To the part before."""
        self._leave_entries()
        self._do(self.play.skip(-1))

    def _leave_entries(self) -> None:
        doing = self.play.doing
        doing.hint_open, doing.turning, doing.typing = 0, -1, None
        doing.leave_solution()
        if self._asks_why:
            self.play.asking.undo()

    # ------------------------------------------------------------------------------------------------------- answering
    def do_digit(self, digit: str) -> None:
        """An option, a step of an order, a digit; in a task a knob."""
        play, doing = self.play, self.play.doing
        if play.part == "predict" and play.asking.outcome is None:
            play.asking.digit(digit)
            self._do()
        elif play.part == "do" and doing.typing is not None:
            doing.typing = (doing.typing + digit)[:9]
            self._do()
        elif play.part == "do" and doing.shown is None and 0 < int(digit) <= len(doing.do.knob):
            number = int(digit) - 1
            doing.turning = -1 if doing.turning == number else number
            self._do()

    def do_next_place(self) -> None:
        """The next place or option."""
        self._focus(1)

    def do_previous_place(self) -> None:
        """The place or option before."""
        self._focus(-1)

    def _focus(self, by: int) -> None:
        if self.play.part == "predict" and self.play.asking.outcome is None:
            self.play.asking.move_focus(by)
            self._do()

    def do_undo(self) -> None:
        """Take back what was picked or typed last."""
        play, doing = self.play, self.play.doing
        if play.part == "predict" and play.asking.outcome is None:
            play.asking.undo()
        elif play.part == "do" and doing.typing is not None:
            doing.typing = doing.typing[:-1]
        self._do()

    def do_again(self) -> None:
        """The same question with other numbers."""
        self._do(self.play.try_again())

    # -------------------------------------------------------------------------------------------------------- the task
    def do_answer(self) -> None:
        """Type the task's number, or choose its answer."""
        doing = self.play.doing
        if self.play.part != "do" or doing.shown is not None or not (doing.do.number or doing.do.choices):
            self._do("Here is nothing to answer.")
        elif doing.do.number:
            doing.typing, doing.turning = "", -1
            self._do()
        else:
            choices = [
                Choice(letter, words, (name,)) for letter, (name, words) in zip(LETTERS, doing.choices(), strict=False)
            ]
            self._ask(Menu("Your choice", choices, self._choose))

    def _choose(self, choice: Choice) -> None:
        self.play.say(choice.value[0])
        self._do()

    def do_hint(self) -> None:
        """A hint, and the next one."""
        if self.play.part == "do":
            self.play.doing.hint()
            self._do()
        else:
            self._do("Hints belong to the task; here nothing can go wrong by guessing.")

    def do_solution(self) -> None:
        """One way to do it, as a run to step through."""
        if self.play.part == "do":
            said = self.play.doing.solve()
            self._do(
                said or "One way to do it: step with →, or Enter to its end. It earns nothing; do it yourself after."
            )
        else:
            self._do("There is a solution to the task only.")

    # ------------------------------------------------------------------------------------------------------- elsewhere
    def do_free_play(self) -> None:
        """The workbench on this run; before an answer is given, on the run of the example."""
        from rxviz.screens.screens.sandbox import SandboxScreen

        play = self.play
        lane, position, panel = play.lane, play.lane_position, str(self._panel())
        if play.part == "predict" and play.asking.outcome is None:
            lane, position = play.opening.lane, 0
        self.app.push_screen(SandboxScreen(lane.scenario, position, panel, play.lesson.number))

    def _panel(self) -> str:
        play = self.play
        if play.part == "do":
            return play.doing.do.panel
        return (
            play.lesson.example.panel
            if play.part in ("hook", "example", "keep")
            else play.asking.question.predict.panel
        )

    def do_cheat_sheet(self) -> None:
        """What is kept of the lessons that are done."""
        from rxviz.screens.screens.course import CourseScreen

        for screen in self.app.screen_stack:
            if isinstance(screen, CourseScreen):
                screen.on_screen_resume()
                screen.do_cheat_sheet()
                return

    def do_begin_again(self) -> None:
        """Begin this lesson again."""
        self.play.begin_again()
        self._do("From the start. What you had finished stays finished.")

    def remarks(self) -> list[str]:
        """Return what the run in sight is not as it would be."""
        return list(self.play.lane.scenario.remarks())

    def do_escape(self) -> None:
        """Back: from a hint, a number, a knob, the solution, the reason; else to the map."""
        doing = self.play.doing
        if self._asks_why:
            self.play.asking.undo()
        elif self.play.part == "do" and (doing.hint_open or doing.typing is not None or doing.turning >= 0):
            doing.hint_open, doing.typing, doing.turning = 0, None, -1
        elif self.play.part != "do" or not doing.leave_solution():
            self.do_leave()
            return
        self._do()
