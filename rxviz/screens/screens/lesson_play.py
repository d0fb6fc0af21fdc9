"""A lesson on its way from hook to keep: where the learner is, what each key leads to, and what is kept of it.

Knows nothing of the screen. The scenes are hook and example, then for each question predict, observe and explain, then
do and keep. Going on is always up to the learner; what was not answered or done gives no credit.
"""

from __future__ import annotations

from functools import cached_property

from rxviz.errors import RxvizError
from rxviz.lessons.format import Panel
from rxviz.lessons.load import LoadedLesson
from rxviz.lessons.session import Opening, Question
from rxviz.model import steps
from rxviz.run.lanes import Lane
from rxviz.run.timeline import Moment
from rxviz.screens.screens.lesson_asking import Asking
from rxviz.screens.screens.lesson_doing import Doing
from rxviz.screens.screens.lesson_keeper import ALL_GOALS, FOUND, TASK, Keeper
from rxviz.screens.screens.lesson_lockstep import Lockstep, Worlds
from rxviz.screens.screens.lesson_place import SEEDS, Scene, resume, screen_of

TOLD_BY_GRO = (steps.GRO_HELD, steps.GRO_MERGE, steps.GRO_NORMAL)
"""Kinds of step that say what became of a frame."""
TOLD = 16
"""Steps that are told one by one; more are run through at once."""
LOCKED = "The run stays closed until you have answered. Guess: a wrong guess teaches most."


class Play:
    """The state of a lesson that is being taken."""

    def __init__(self, loaded: LoadedLesson, keeper: Keeper | None = None) -> None:
        self.loaded = loaded
        self.lesson = loaded.lesson
        self.keeper = keeper or Keeper(loaded)
        self.scenes = self._scenes()
        self.index = 0
        self.stop = 0
        """The stop of the worked example."""
        self.position = 0
        """Where the observed run stands after a right answer."""
        self.asked: dict[int, Asking] = {}
        self.seeds: dict[int, int] = {}
        self.worlds: Worlds | None = None
        self.doing = Doing(loaded)
        resume(self)

    def _scenes(self) -> list[Scene]:
        questions = [
            Scene(part, number)
            for number in range(len(self.lesson.predict))
            for part in ("predict", "observe", "explain")
        ]
        return [Scene("hook"), Scene("example"), *questions, Scene("do"), Scene("keep")]

    # -------------------------------------------------------------------------------------------------------- looking
    @property
    def scene(self) -> Scene:
        """Where the learner is."""
        return self.scenes[self.index]

    @property
    def part(self) -> str:
        """The part of the lesson, one of session.PARTS."""
        return self.scene.part

    @cached_property
    def opening(self) -> Opening:
        """The run of the worked example."""
        return Opening(self.loaded)

    @property
    def asking(self) -> Asking:
        """The question at hand."""
        return self.asking_of(self.scene.question)

    def asking_of(self, number: int) -> Asking:
        """Return a question with its present seed."""
        if number not in self.asked:
            question = Question(self.loaded, self.lesson.predict[number], self.seeds.get(number, 1))
            self.asked[number] = Asking(question)
        return self.asked[number]

    @property
    def lane(self) -> Lane:
        """The run in sight: of a wrong answer's worlds the real one."""
        if self.part == "do":
            return self.doing.now.lane()
        if self.part in ("predict", "observe", "explain"):
            return self.asking.question.lane
        return self.opening.lane

    @property
    def lane_position(self) -> int:
        """Where in the run in sight the learner is."""
        match self.part:
            case "hook":
                return 0
            case "example":
                return self.opening.stops[self.stop][0]
            case "predict":
                return self.asking.question.position
            case "observe" | "explain":
                return self.worlds.real_position if self.worlds is not None else self.position
            case "do":
                return self.doing.now.position
            case _:
                return len(self.lane.trace)

    @property
    def moment(self) -> Moment:
        """The moment in sight."""
        return self.lane.timeline.at(self.lane_position)

    def other_lane(self) -> tuple[str, Lane, int] | None:
        """Return name, run and position of the first run that the lesson has beside the one in sight, if there is one.

        While a question waits for its answer there is none but at the start of the run: the other might tell.
        """
        if self.part == "do":
            return None
        book = self.opening.lanes if self.part in ("hook", "example", "keep") else self.asking.question.lanes
        asked = self.part in ("predict", "observe", "explain")
        # GRO is drawn of one run: the other may have none. Where loads are asked about, they stand in a list.
        alone = self.asking.question.predict.alone if asked else self.panel in ("gro", "poll")
        if not book.words or alone or (self.part == "predict" and self.lane_position):
            return None
        name = next(iter(book.words))
        other = book.lane(name)
        return name, other, Lockstep(self.lane, other).at(self.lane_position)

    @property
    def panel(self) -> Panel:
        """The panel of the example: that of its stop, where it has one of its own."""
        example = self.lesson.example
        return (example.stops[self.stop].panel if self.part == "example" else "") or example.panel

    @property
    def panel_in_sight(self) -> Panel:
        """The panel above the words, or both of them where two runs stand there."""
        if self.part == "do":
            return self.doing.do.panel
        return self.panel if self.part in ("hook", "example", "keep") else self.asking.question.predict.panel

    def loads(self) -> list[tuple[str, Moment]]:
        """Return name and moment of each load that a question is about; they are at their ends once it is answered."""
        question = self.asking.question
        lanes = [(self.own_name, question.lane), *((name, question.lanes.lane(name)) for name in question.lanes.words)]
        return [
            (name, lane.timeline.at(0 if self.is_waiting or not self.position else len(lane.trace)))
            for name, lane in lanes
        ]

    @property
    def own_name(self) -> str:
        """What the run in sight is called beside another one."""
        shown = self.lesson.example if self.part in ("hook", "example", "keep") else self.asking.question.predict
        return shown.name or self.lane.scenario.path

    @property
    def is_waiting(self) -> bool:
        """Whether a question waits for its answer."""
        return self.part == "predict" and self.asking.outcome is None

    @property
    def is_covered(self) -> bool:
        """Whether what a waiting question asks for is covered in the picture."""
        return self.is_waiting and self.asking.question.predict.covered

    def moment_in_question(self) -> Moment:
        """Return the moment whose frame `w` is about: of the learner's own world, or of the frame he has in hand."""
        lane, position = self.lane, self.lane_position
        if self.worlds is not None and self.part in ("observe", "explain"):
            lane, position = self.worlds.yours, self.worlds.position
        carried = self.doing.carried if self.part == "do" else -1
        told = [n + 1 for n, step in enumerate(lane.trace) if step.kind in TOLD_BY_GRO]
        if carried >= 0:
            told = [n for n in told if lane.trace[n - 1].frame == carried]
        elif (step := lane.timeline.at(position).step) is None or step.kind not in TOLD_BY_GRO:
            # Nothing is said of a frame here: the last one of which something was.
            told = [n for n in told if n <= position][-1:]
        else:
            told = [position]
        return lane.timeline.at(told[0] if told else position)

    def belief(self) -> str:
        """Return the belief behind the answer that was given, in words."""
        option = self.asking.outcome.option if self.asking.outcome is not None else None
        known = self.loaded.misconceptions.get(option.misconception) if option is not None else None
        return known.belief if known is not None else ""

    def parts_done(self) -> list[str]:
        """Return the parts that lie behind the learner and got what they wanted."""
        done = [part for part in ("hook", "example") if self.index > self.scenes.index(Scene(part))]
        if all(self.is_answered(number) for number in range(len(self.lesson.predict))):
            done += ["predict"]
            last = Scene("explain", len(self.lesson.predict) - 1)
            if self.index > self.scenes.index(last):
                done += ["observe", "explain"]
        if self.is_task_done():
            done.append("do")
        if self.keeper.mine.finished:
            done.append("keep")
        return done

    def is_answered(self, number: int) -> bool:
        """Whether a question was answered at some time."""
        return bool(self.keeper.mine.answers.get(self.lesson.predict[number].id))

    def is_right(self, number: int) -> bool:
        """Whether a question was answered right at some time."""
        return any(answer["right"] for answer in self.keeper.mine.answers.get(self.lesson.predict[number].id, []))

    def is_task_done(self) -> bool:
        """Whether all goals of the task were reached at once."""
        return ALL_GOALS in self.keeper.mine.goals

    def open_parts(self) -> list[str]:
        """Return in words what the lesson still needs before it is done."""
        missing = [
            f"question {number + 1}" for number in range(len(self.lesson.predict)) if not self.is_answered(number)
        ]
        return [*missing, *([] if self.is_task_done() else ["the task"])]

    # --------------------------------------------------------------------------------------------------------- moving
    def go_on(self) -> str:
        """Do what Enter does; return what there is to say about it."""
        match self.part:
            case "example" if self.stop + 1 < len(self.opening.stops):
                self.stop += 1
                self.save()
            case "predict" if self.asking.outcome is None:
                return self.asking.enter()
            case "observe" if not self._observed():
                self._observe_on()
                self.save()
            case "keep":
                return ""
            case _:
                self._to(self.index + 1)
        return ""

    def _observed(self) -> bool:
        if self.worlds is not None:
            return self.worlds.at_last_stop
        return self.position >= self.asking.question.until

    def _observe_on(self) -> None:
        if self.worlds is not None:
            self.worlds.move(self.worlds.last_stop)
        elif 0 < self.asking.question.until - self.position <= TOLD:
            self.position += 1
        else:
            self.position = self.asking.question.until

    def step(self, by: int) -> str:
        """Step the run in sight, or the stops of the example; return what there is to say."""
        match self.part:
            case "hook":
                return "" if by < 0 else self.go_on()
            case "example":
                if by > 0:
                    return self.go_on()
                if self.stop == 0:
                    self._to(self.index - 1)
                else:
                    self.stop -= 1
                    self.save()
            case "predict":
                return LOCKED if self.asking.outcome is None else ""
            case "observe" | "explain":
                return self._walk_to(self.walked + by)
            case "do":
                return self._do_to(self.doing.now.position + by)
        return ""

    @property
    def walked(self) -> int:
        """The position in the run that is walked through: of a wrong answer's worlds the learner's."""
        return self.worlds.position if self.worlds is not None else self.position

    def _walk_to(self, position: int) -> str:
        if self.worlds is not None:
            moved = self.worlds.move(position)
        else:
            before = self.position
            self.position = min(max(position, 0), len(self.lane.trace))
            moved = self.position != before
        self.save()
        return "" if moved else "The end of the run." if position > 0 else "The start of the run."

    def _do_to(self, position: int) -> str:
        if not self.doing.move(position):
            return "The end of the run." if position > 0 else "The start of the run."
        self.acted()
        return ""

    def seek(self, position: int) -> str:
        """Go to a position of the run in sight, where it may be walked through."""
        if self.part in ("observe", "explain"):
            return self._walk_to(position)
        if self.part == "do":
            return self._do_to(position)
        return LOCKED if self.part == "predict" and self.asking.outcome is None else ""

    def skip(self, by: int) -> str:
        """Go to the next part, or back to the last one, whatever is open in this one; nothing is credited for it."""
        index = self.index + by
        while 0 <= index < len(self.scenes) and self._is_closed(self.scenes[index]):
            index += by
        if not 0 <= index < len(self.scenes):
            return "This is the first part." if by < 0 else "This is the last part."
        was_open = self._is_open_now()
        self._to(index)
        return "Skipped: it stays open, and PgUp leads back." if by > 0 and was_open else ""

    def _is_open_now(self) -> bool:
        if self.part == "predict":
            return not self.is_answered(self.scene.question)
        return self.part == "do" and not self.is_task_done()

    def _is_closed(self, scene: Scene) -> bool:
        """Whether a scene would tell the answer to a question that waits for one."""
        if scene.part not in ("observe", "explain"):
            return False
        return scene.question not in self.asked or self.asked[scene.question].outcome is None

    def _to(self, index: int) -> None:
        """Enter a scene."""
        self.index = min(max(index, 0), len(self.scenes) - 1)
        scene = self.scene
        if scene.part == "observe":
            self.begin_observing()
        elif scene.part == "explain":
            # The explanation is about what was asked: the real run, as far as the question went.
            self.worlds, self.position = None, self.asking.question.until
        elif scene.part == "example":
            self.stop = 0
        self.credit()
        self.save()

    def begin_observing(self) -> None:
        """Stand where the run and, after a wrong answer, its own world begin to be watched."""
        asking = self.asking
        self.worlds, self.position = None, asking.question.position
        if asking.outcome is not None and asking.outcome.lanes is not None and asking.outcome.parting is not None:
            self.worlds = Worlds(asking.outcome)

    # ------------------------------------------------------------------------------------------------------ answering
    def commit(self, reason: str) -> None:
        """Take the answer that was picked, with its reason, and go on to see what it leads to."""
        asking = self.asking
        outcome = asking.commit(reason)
        assert asking.given is not None
        self.keeper.answer(self.lesson.predict[self.scene.question].id, asking.given, outcome.right, asking.reason)
        self._to(self.index + 1)

    def try_again(self) -> str:
        """Ask the question anew, with other numbers."""
        if self.part not in ("observe", "explain", "predict"):
            return "Here is nothing to answer anew."
        number = self.scene.question
        if self.asking.outcome is None:
            return "Answer first; then r asks with other numbers."
        found = self._other_question(number)
        if found is None:
            return "There are no other numbers to ask with."
        self.seeds[number], self.asked[number] = found.question.seed, found
        self.worlds = None
        self._to(self.scenes.index(Scene("predict", number)))
        return ""

    def _other_question(self, number: int) -> Asking | None:
        """Return the question with the next seed that asks something else, and whose answer can be picked."""
        now = self.asking_of(number).question
        for step in range(1, SEEDS):
            seed = (now.seed - 1 + step) % SEEDS + 1
            try:
                question = Question(self.loaded, self.lesson.predict[number], seed)
                values = {str(option.value) for option in question.options}
                sound = set(str(question.answer).split()) <= values and question.until >= question.position
                other = (question.names, question.position) != (now.names, now.position)
            except RxvizError:
                continue
            if sound and other:
                return Asking(question)
        return None

    # ---------------------------------------------------------------------------------------------------------- doing
    def acted(self) -> None:
        """Something was done in the task: keep what was reached, and where it stands."""
        if self.doing.shown is None:
            for goal, reached in self.doing.goals():
                if reached:
                    self.keeper.goal(goal.text)
            for value in sorted(self.doing.task.found):
                self.keeper.goal(FOUND + value)
            if self.doing.done():
                self.keeper.goal(ALL_GOALS)
        self.credit()
        self.save()

    def say(self, answer: str | int) -> None:
        """Answer the task's question."""
        self.doing.say(answer)
        self.keeper.answer(TASK, answer, self.doing.done(), "")
        self.acted()

    def credit(self) -> None:
        """The lesson is done as soon as every question was answered and the task was done, by whatever route."""
        if not self.open_parts():
            self.keeper.finished()

    def begin_again(self) -> None:
        """Take the lesson once more from its start; that it was finished stays."""
        self.keeper.again()
        self.asked, self.seeds, self.worlds, self.doing = {}, {}, None, Doing(self.loaded)
        self._to(0)

    # -------------------------------------------------------------------------------------------------------- keeping
    def save(self) -> None:
        """Keep where the learner is, exactly."""
        self.keeper.at(self.part, screen_of(self), self.seeds.get(self.scene.question, 1))
