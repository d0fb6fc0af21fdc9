"""The map of the course: the lessons, how far each is, and one key to the next one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.lessons import progress
from rxviz.lessons.load import LoadedLesson, content_hash, course
from rxviz.lessons.progress import LessonProgress, Progress
from rxviz.screens import actions
from rxviz.screens.prose import Prose
from rxviz.screens.screens.course_cheat import CheatScreen
from rxviz.screens.screens.page import PageScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Role, Target
from rxviz.view.lesson_header import signs
from rxviz.view.text import fit

ABOUT = "Each lesson shows you one run, lets you predict the next, and runs your answer, right or wrong."
BARS, LOG_LINES = 3, 3
"""Lines above and below the page, the empty one at its top among them; and lines kept for a word on the log."""
ASK_RESET = "Begin the whole course anew? The old log is kept beside it. R again does it, any other key does not."


@dataclass(frozen=True, slots=True)
class Learn:
    """What the app begins with: the map, or a lesson with the map behind it."""

    lesson: LoadedLesson | None = None


class CourseScreen(PageScreen):
    """Lists the lessons. `first` is opened at once; a lesson from elsewhere stands in the list for this visit."""

    KEYS: ClassVar[str] = actions.COURSE
    HEADING: ClassVar[str] = "learn"

    def __init__(self, lesson: LoadedLesson | None = None) -> None:
        super().__init__()
        self.lessons = course()
        self._opened = lesson
        if lesson is not None and all(known.folder != lesson.folder for known in self.lessons):
            self.lessons.append(lesson)
        self._asks_reset = False
        self._read()
        self.chosen = self._next_one()

    # -------------------------------------------------------------------------------------------------------- progress
    def _read(self) -> None:
        try:
            self.log_remark = ""
            self.log_read = progress.read()
            self.log_remark = self.log_read.remark()
        except RxvizError as error:
            self.log_read, self.log_remark = Progress(), str(error)

    def mine(self, loaded: LoadedLesson) -> LessonProgress:
        """Return how far a lesson is; one that was changed since counts as not begun."""
        from rxviz.screens.screens.lesson_keeper import key_of

        known = self.log_read.lessons.get(key_of(loaded))
        if known is None or known.content not in ("", content_hash(loaded)):
            return LessonProgress()
        return known

    def _next_one(self) -> int:
        """Return the lesson to go on with: the one begun, else the first that is not done."""
        open_ones = [i for i, loaded in enumerate(self.lessons) if not self.mine(loaded).finished]
        begun = [i for i in open_ones if self.is_begun(self.lessons[i])]
        return next(iter(begun or open_ones), 0)

    def is_begun(self, loaded: LoadedLesson) -> bool:
        """Whether anything was done in a lesson."""
        mine = self.mine(loaded)
        return bool(mine.answers or mine.goals or mine.part != "hook" or mine.screen)

    def done(self) -> list[LoadedLesson]:
        """Return the lessons that are done, in order."""
        return [loaded for loaded in self.lessons if self.mine(loaded).finished]

    # -------------------------------------------------------------------------------------------------------- the page
    def on_mount(self) -> None:
        """Open the lesson that was asked for."""
        if self._opened is not None:
            self.open(self._opened)

    def on_screen_resume(self) -> None:
        """Show what has been done meanwhile."""
        self._read()
        self.chosen = min(self.chosen, len(self.lessons) - 1)
        for cells in self.query(Cells):
            cells.forget()

    def write(self, page: Prose) -> None:
        """Write the lessons, and what there is to say about the log.

        A lesson takes two lines, set apart where there is room for it; where there is little, only the chosen one
        says what it is about.
        """
        done = len(self.done())
        minutes = sum(loaded.lesson.minutes for loaded in self.lessons if not self.mine(loaded).finished)
        page.text(ABOUT, Role.STRONG)
        left = f", {minutes} minutes to go" if minutes else ": the cheat sheet is whole"
        page.text(f"{done} of {len(self.lessons)} done{left}.", Role.REST)
        page.gap()
        room = self.size.height - BARS - len(page.lines) - (LOG_LINES if self.log_remark else 0)
        each = next((lines for lines in (3, 2) if lines * len(self.lessons) <= room), 1)
        for number, loaded in enumerate(self.lessons):
            self._lesson(page, number, loaded, told=each > 1 or number == self.chosen)
            page.gap(each > 2)
        if self.log_remark:
            page.gap()
            page.text(self.log_remark, Role.ACCENT)

    def _lesson(self, page: Prose, number: int, loaded: LoadedLesson, *, told: bool) -> None:
        lesson, chosen = loaded.lesson, number == self.chosen
        sign, state, role = self._state(loaded)
        before = len(page.lines)
        page.spans(
            (f"{self.glyphs.right if chosen else ' '} ", Role.ACCENT),
            (f"{sign} ", role),
            (f"{lesson.number:>2}  ", Role.KEY),
            (f"{fit(loaded.title, 36):<28}", Role.CHANGED if chosen else Role.STRONG),
            (f" {lesson.minutes:>2} min  ", Role.REST),
            (state, role),
        )
        if told:
            page.text(fit(loaded.text("objective"), page.measure - 8), Role.PLAIN if chosen else Role.REST, indent=8)
        page.press("lesson", str(number), len(page.lines) - before)

    def _state(self, loaded: LoadedLesson) -> tuple[str, str, Role]:
        mine = self.mine(loaded)
        if mine.finished:
            asked = [mine.answers.get(predict.id, []) for predict in loaded.lesson.predict]
            right = sum(any(answer["right"] for answer in answers) for answers in asked)
            return signs(self.glyphs)[0], f"done, {right} of {len(asked)} right", Role.GOOD
        if self.is_begun(loaded):
            return self.glyphs.changed, f"in progress: {mine.part}", Role.ACCENT
        known = {each.lesson.id: each for each in self.lessons}
        missing = [name for name in loaded.lesson.needs if name not in known or not self.mine(known[name]).finished]
        if missing:
            named = [str(known[name].lesson.number) if name in known else name for name in missing]
            return " ", f"better after {' and '.join(named)}", Role.REST
        return " ", "ready", Role.PLAIN

    # ------------------------------------------------------------------------------------------------------------ keys
    def perform(self, action: actions.Action) -> None:
        """Do an action; any but the same again answers the question whether to begin anew with no."""
        if action.name != "reset" and self._asks_reset:
            self._asks_reset = False
            self.say("")
        super().perform(action)

    def pressed(self, target: Target) -> None:
        """Choose a lesson; one that is chosen already is opened."""
        if target.kind == "lesson":
            number = int(target.value)
            if number == self.chosen:
                self.do_open_lesson()
            else:
                self._choose(number)

    def _choose(self, number: int) -> None:
        self.chosen = min(max(number, 0), len(self.lessons) - 1)
        self.query_one("#body", Cells).show()

    def do_down(self) -> None:
        """The next lesson."""
        self._choose(self.chosen + 1)

    def do_up(self) -> None:
        """The lesson before."""
        self._choose(self.chosen - 1)

    def do_open_lesson(self) -> None:
        """Open the lesson."""
        self.open(self.lessons[self.chosen])

    def open(self, loaded: LoadedLesson) -> None:
        """Open a lesson where it was left, or say why it cannot be opened."""
        from rxviz.screens.screens.lesson import LessonScreen

        try:
            screen = LessonScreen(loaded, self.following(loaded), self.open)
        except RxvizError as error:
            self.say(str(error))
            return
        self.chosen = next((i for i, each in enumerate(self.lessons) if each.folder == loaded.folder), self.chosen)
        self.app.push_screen(screen)

    def following(self, loaded: LoadedLesson) -> LoadedLesson | None:
        """Return the lesson that comes after one, None after the last."""
        places = [i for i, each in enumerate(self.lessons) if each.folder == loaded.folder]
        after = places[0] + 1 if places else len(self.lessons)
        return self.lessons[after] if after < len(self.lessons) else None

    def do_cheat_sheet(self) -> None:
        """Show what is to be kept of the lessons that are done."""
        self.app.push_screen(CheatScreen(self.done(), len(self.lessons)))

    def do_reset(self) -> None:
        """Begin the course anew, once it was asked whether that is meant."""
        if not self._asks_reset:
            self._asks_reset = True
            self.say(ASK_RESET)
            return
        self._asks_reset = False
        try:
            aside = progress.reset()
            said = "There was nothing to begin anew." if aside is None else f"All lessons are new. The old log: {aside}"
        except RxvizError as error:
            said = str(error)
        self._read()
        self.chosen = 0
        self.query_one("#body", Cells).show()
        self.say(said)
