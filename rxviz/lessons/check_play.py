"""Checks that play a lesson: every question with every answer and several seeds, the task with and without solution."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

from rxviz.errors import RxvizError
from rxviz.lessons.format import Predict
from rxviz.lessons.load import Finding, LessonError, LoadedLesson
from rxviz.lessons.screens import found_key
from rxviz.lessons.session import Opening, Question, Task
from rxviz.run.lanes import Lane

SEEDS = (1, 2, 3)
RANDOM_ACTS, RANDOM_SETTINGS = 60, 6
MAX_STEPS = 400_000
"""Steps of all runs of a lesson, with all its answers and several seeds: past that it is too slow to learn from."""
_JUNK: tuple[str | int | None, ...] = (None, "", "0", "-1", "1,536", "9" * 30, "x.y", "__class__", "\x1b[2J", 7, 256)


class _Player:
    """Plays, and collects findings; `steps` counts what was played so far."""

    def __init__(self, loaded: LoadedLesson) -> None:
        self.loaded = loaded
        self.found: list[Finding] = []
        self.steps = 0

    def say(self, path: str, sentence: str) -> None:
        """Add a finding."""
        finding = Finding(self.loaded.place(path), f"{path}: {sentence}")
        if finding not in self.found:
            self.found.append(finding)

    def take(self, *lanes: Lane) -> None:
        """Play lanes to their end, and count their steps; raise LessonError when they are too many."""
        for lane in lanes:
            self.steps += len(lane.trace)
        if self.steps > MAX_STEPS:
            raise LessonError(f"all runs of the lesson together have more than {MAX_STEPS:,} steps")

    def part(self, path: str, act: Callable[[], None]) -> None:
        """Do a part of the play; what goes wrong in it is a finding."""
        try:
            act()
        except RxvizError as error:
            self.say(path, str(error))


def check_play(loaded: LoadedLesson) -> list[Finding]:
    """Play a lesson and return what is wrong with it; `check_logic` must have passed."""
    player = _Player(loaded)
    player.part("example", lambda: _opening(player))
    for i, predict in enumerate(loaded.lesson.predict):
        player.part(f"predict[{i}]", lambda i=i, predict=predict: _question(player, predict, f"predict[{i}]"))  # type: ignore[misc]
    player.part("do", lambda: _task(player))
    if not player.found:
        player.part("do", lambda: _random_play(player))
    return player.found


def _opening(player: _Player) -> None:
    opening = Opening(player.loaded)
    player.take(opening.lane)
    if lit := _lit(opening.lane):
        player.say("scenario", f"the lamp {lit} goes on, though no rule is off")
    positions = [position for position, _ in opening.stops]
    for i, (before, after) in enumerate(pairwise(positions), 1):
        if after <= before:
            player.say(
                f"example.stops[{i}].at", f"position {after} does not come after that of the stop before, {before}"
            )
    _ = opening.pauses


def _lit(lane: Lane) -> str:
    return ", ".join(name for name, count in lane.result["lamps"].items() if count)


# ----------------------------------------------------------------------------------------------------------- questions
def _question(player: _Player, predict: Predict, path: str) -> None:
    asked = set()
    for seed in SEEDS:
        question = Question(player.loaded, predict, seed)
        player.take(question.lane)
        _answer(player, question, path)
        for k, option in enumerate(question.options):
            if option.misconception:
                _distractor(player, question, str(option.value), f"{path}.option[{k}]")
        _wild(question)
        # The seed itself always differs; what is asked must.
        asked.add((question.scenario.with_words(["seed=1"]).line(), repr(question.names)))
    if len(asked) == 1:
        player.say(f"{path}.id", "another seed asks the very same; let it `pick` something, or `vary` the scenario")


def _answer(player: _Player, question: Question, path: str) -> None:
    answer, predict = question.answer, question.predict
    if lit := _lit(question.lane):
        player.say(f"{path}.scenario", f"the lamp {lit} goes on, though no rule is off")
    if question.until < question.position:
        player.say(f"{path}.until", f"position {question.until} lies before that of the question, {question.position}")
    values = [str(option.value) for option in question.options]
    right = [str(option.value) for option in question.options if not option.misconception]
    if len(set(values)) != len(values):
        player.say(f"{path}.option", f"two options come to the same value with seed {question.seed}")
    if predict.ask == "order":
        if sorted(str(answer).split()) != sorted(right):
            player.say(
                f"{path}.answer", f'comes to "{answer}", which is not made of the options without a misconception'
            )
        elif [value for value in values if value in right] == str(answer).split():
            player.say(f"{path}.option", "the options stand in the right order already")
    elif [str(answer)] != right:
        player.say(f"{path}.answer", f'comes to "{answer}" with seed {question.seed}; the right option is "{right[0]}"')
    elif not question.give(answer).right:
        player.say(f"{path}.answer", f'"{answer}" is not taken for right')


def _distractor(player: _Player, question: Question, value: str, path: str) -> None:
    outcome = question.give(value)
    if outcome.right:
        player.say(f"{path}.value", f'"{value}" names a misconception, but is right with seed {question.seed}')
        return
    if outcome.lanes is None or outcome.option is None:
        player.say(f"{path}.misconception", "its world cannot be run")
        return
    player.take(outcome.lanes.right)
    if outcome.lanes.left is not question.lane:
        player.take(outcome.lanes.left)
        if lit := _lit(outcome.lanes.left):
            player.say(f"{path}.run", f"the lamp {lit} goes on, though no rule is off")
    name = outcome.option.misconception
    if outcome.parting is None:
        player.say(
            f"{path}.misconception", f"with seed {question.seed} the world of {name} cannot be told from the real one"
        )
    lamp = player.loaded.misconceptions[name].lamp
    if lamp and outcome.damage is None:
        player.say(f"{path}.misconception", f"with seed {question.seed} the world of {name} does not light {lamp}")


def _wild(question: Question) -> None:
    """Give answers that nobody offered; none may raise."""
    for given in _JUNK:
        if given is not None:
            question.give(given)


# ---------------------------------------------------------------------------------------------------------------- task
def _task(player: _Player) -> None:
    for seed in SEEDS[:2]:
        task = Task(player.loaded, seed)
        player.take(task.lane())
        if task.done():
            player.say("do.goal", "is reached by doing nothing")
        task.position = len(task.lane().trace)
        if task.done():
            player.say("do.goal", "is reached by jumping to the end")
        solved = Task(player.loaded, seed)
        solved.solve()
        player.take(solved.lane())
        for i, (goal, reached) in enumerate(solved.goals()):
            if not reached:
                player.say(f"do.goal[{i}].check", f"the solution does not reach it: {why_not(solved, goal.check)}")
        for value in sorted(solved.found):
            if found_key(value) not in player.loaded.texts:
                player.say("do.collect.value", f'"{value}" is collected, and there is no text "{found_key(value)}"')


def why_not(task: Task, check: str) -> str:
    """Say why a goal is not reached: it is false, or cannot be worked out."""
    try:
        return f"`{check}` is {task.worked_out(check)}"
    except RxvizError as error:
        return str(error)


def _random_play(player: _Player) -> None:
    random = Random(player.loaded.lesson.id)
    task = Task(player.loaded, 1)
    do = task.do
    settings = 0
    for _ in range(RANDOM_ACTS):
        act = random.randrange(3)
        if act == 0 and do.knob and settings < RANDOM_SETTINGS:
            knob = random.choice(do.knob)
            values = knob.values
            arranged = ",".join(random.sample(values, len(values)))
            task.turn(knob.key, arranged if knob.arrange else random.choice(values))
            settings += 1
            player.take(task.lane())
        elif act == 1:
            task.position = random.randint(0, len(task.lane().trace))
        else:
            task.answer = random.choice([*_JUNK, *do.choices])
        task.goals()
