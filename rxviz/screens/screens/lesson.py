"""A lesson on the screen: what the keys and the mouse do in each part. What is shown is lesson_view's affair."""

from __future__ import annotations

from textual import events, on
from textual.widgets import Input

from rxviz.errors import RxvizError
from rxviz.model import steps
from rxviz.screens.actions import JUMPS, Action, Choice
from rxviz.screens.screens import lesson_body
from rxviz.screens.screens.lesson_play import LOCKED
from rxviz.screens.screens.lesson_view import LessonView
from rxviz.screens.screens.walk import Menu
from rxviz.screens.widgets.cells import Cells

LETTERS = "abcdefghijklmnopqrstuvwxyz"


class LessonScreen(LessonView):
    """One lesson, from where it was left; `go_to` opens the lesson that follows it."""

    # ------------------------------------------------------------------------------------------------- keys and mouse
    def on_key(self, event: events.Key) -> None:
        """Let an open menu have the key, or else do what the key is for."""
        if self.said:
            self.say("")
        if self.asks_why and event.key not in ("escape", "pagedown", "pageup"):
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
            self.done()
        elif target is not None and target.kind == "frame" and self.play.doing.arranging is not None:
            self.play.doing.choose_place(int(target.value) - self.play.doing.place)
            self.done()
        elif target is not None and target.kind == "knob":
            self.do_digit(str(int(target.value) + 1))

    @on(Input.Submitted)
    def commit(self, event: Input.Submitted) -> None:
        """Take the reason, and see what the answer leads to."""
        event.stop()
        reason, event.input.value = event.value, ""
        self.play.commit(reason)
        self.done()

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
            if play.keeper.mine.finished and self.following is not None and self.go_to is not None:
                self.go_to(self.following)
        elif play.part != "do":
            self.done(play.go_on())
        elif doing.typing is not None:
            typed, doing.typing = doing.typing, None
            if typed:
                play.say(typed)
            self.done()
        elif doing.arranging is not None:
            doing.turning = -1
            self.done(play.seek(doing.length))
        elif doing.hint_open or doing.turning >= 0:
            doing.hint_open, doing.turning = 0, -1
            self.done()
        elif doing.shown is not None:
            self.done(play.seek(doing.solved_at))
        elif play.is_task_done():
            self.done(play.go_on())
        else:
            self.done("Not all goals are reached yet. h gives a hint; PgDn goes on without.")

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
            self.done()
        else:
            self.done(self.play.step(by))

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
            self.done()
        elif play.part == "do" and play.doing.turning >= 0:
            self._step(-way)
        elif play.part == "do":
            self.done(play.seek(play.doing.frame(way)))
        else:
            self._step(way)

    def do_start(self) -> None:
        """To the start of the run."""
        self.done(self.play.seek(0))

    def do_end(self) -> None:
        """To the end of the run."""
        self.done(self.play.seek(1 << 30))

    def do_next_of(self) -> None:
        """Ask for a kind of step, and go to the next one."""
        if self.play.part == "do":
            self.ask_menu(Menu("To the next", JUMPS, self._jump))
        else:
            self.done("n jumps in the task; here Enter goes on.")

    def _jump(self, choice: Choice) -> None:
        doing = self.play.doing
        kinds = {steps.BY_NAME[name] for name in choice.value}
        trace, start = doing.now.lane().trace, doing.now.position
        found = next((n + 1 for n in range(start, len(trace)) if trace[n].kind in kinds), None)
        self.done(f"No {choice.word} from here to the end." if found is None else self.play.seek(found))

    def do_skip(self) -> None:
        """To the next part; what is open stays open."""
        self._leave_entries()
        self.done(self.play.skip(1))

    def do_skip_back(self) -> None:
        """To the part before."""
        self._leave_entries()
        self.done(self.play.skip(-1))

    def _leave_entries(self) -> None:
        doing = self.play.doing
        doing.hint_open, doing.turning, doing.typing = 0, -1, None
        doing.leave_solution()
        if self.asks_why:
            self.play.asking.undo()

    # ------------------------------------------------------------------------------------------------------- answering
    def do_digit(self, digit: str) -> None:
        """An option, a step of an order, a digit; in a task a knob."""
        play, doing = self.play, self.play.doing
        if play.part == "predict" and play.asking.outcome is None:
            play.asking.digit(digit)
            self.done()
        elif play.part == "do" and doing.typing is not None:
            doing.typing = (doing.typing + digit)[:9]
            self.done()
        elif play.part == "do" and doing.shown is None and 0 < int(digit) <= len(doing.do.knob):
            number = int(digit) - 1
            doing.turning = -1 if doing.turning == number else number
            self.done()

    def do_next_place(self) -> None:
        """The next place or option."""
        self._focus(1)

    def do_previous_place(self) -> None:
        """The place or option before."""
        self._focus(-1)

    def _focus(self, by: int) -> None:
        if self.play.part == "predict" and self.play.asking.outcome is None:
            self.play.asking.move_focus(by)
            self.done()
        elif self.play.part == "do" and self.play.doing.arranging is not None:
            self.play.doing.choose_place(by)
            self.done()

    def do_undo(self) -> None:
        """Take back what was picked or typed last."""
        play, doing = self.play, self.play.doing
        if play.part == "predict" and play.asking.outcome is None:
            play.asking.undo()
        elif play.part == "do" and doing.typing is not None:
            doing.typing = doing.typing[:-1]
        self.done()

    def do_again(self) -> None:
        """The same question with other numbers."""
        self.done(self.play.try_again())

    # -------------------------------------------------------------------------------------------------------- the task
    def do_answer(self) -> None:
        """Type the task's number, or choose its answer."""
        doing = self.play.doing
        if self.play.part != "do" or doing.shown is not None or not (doing.do.number or doing.do.choices):
            self.done("Here is nothing to answer.")
        elif doing.do.number:
            doing.typing, doing.turning = "", -1
            self.done()
        else:
            choices = [
                Choice(letter, words, (name,)) for letter, (name, words) in zip(LETTERS, doing.choices(), strict=False)
            ]
            self.ask_menu(Menu("Your choice", choices, self._choose))

    def _choose(self, choice: Choice) -> None:
        self.play.say(choice.value[0])
        self.done()

    def do_hint(self) -> None:
        """A hint, and the next one."""
        if self.play.part == "do":
            self.play.doing.hint()
            self.done()
        else:
            self.done("Hints belong to the task; here nothing can go wrong by guessing.")

    def do_solution(self) -> None:
        """One way to do it, as a run to step through."""
        if self.play.part == "do":
            said = self.play.doing.solve()
            self.done(
                said or "One way to do it: step with →, or Enter to its end. It earns nothing; do it yourself after."
            )
        else:
            self.done("There is a solution to the task only.")

    # ------------------------------------------------------------------------------------------------------- elsewhere
    def do_why(self) -> None:
        """Show all that GRO asks about the frame in hand, and about any other two."""
        from rxviz.run.gro_pair import Pairs
        from rxviz.screens.screens.why import WhyScreen

        if self.play.is_waiting:
            self.done(LOCKED)
            return
        moment = self.play.moment_in_question()
        pairs = Pairs(moment) if moment.machine.gro is not None else None
        if pairs is None or pairs.first is None:
            self.done("Here is nothing that GRO could compare: it is off, or no two frames come.")
            return
        self.app.push_screen(WhyScreen(pairs, *pairs.first))

    def do_free_play(self) -> None:
        """The workbench on this run; before an answer is given, on the run of the example."""
        from rxviz.screens.screens.sandbox import SandboxScreen

        play = self.play
        lane, position, panel = play.lane, play.lane_position, play.panel_in_sight
        if play.part == "predict" and play.asking.outcome is None:
            lane, position = play.opening.lane, 0
        self.app.push_screen(SandboxScreen(lane.scenario, position, panel, play.lesson.number))

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
        self.done("From the start. What you had finished stays finished.")

    def remarks(self) -> list[str]:
        """Return what the run in sight is not as it would be."""
        return list(self.play.lane.scenario.remarks())

    def do_escape(self) -> None:
        """Back: from a hint, a number, a knob, the solution, the reason; else to the map."""
        doing = self.play.doing
        if self.asks_why:
            self.play.asking.undo()
        elif self.play.part == "do" and (doing.hint_open or doing.typing is not None or doing.turning >= 0):
            doing.hint_open, doing.typing, doing.turning = 0, None, -1
        elif self.play.part != "do" or not doing.leave_solution():
            self.do_leave()
            return
        self.done()
