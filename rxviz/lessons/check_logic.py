"""Checks of a lesson's logic that need no run: counts, references, expressions, scenario words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from rxviz.errors import RxvizError
from rxviz.lessons.ask import FUNCTIONS, names_in
from rxviz.lessons.format import MAX_QUESTIONS, STOPS, Option, Predict
from rxviz.lessons.load import Finding, LessonError, LoadedLesson, misconceptions_of_course, own_misconceptions
from rxviz.lessons.scenarios import scenario_of
from rxviz.model.lamps import LAMPS
from rxviz.run.expression import ExpressionError, parse

MAX_LET, MAX_OPTIONS, MAX_KNOBS, MAX_VALUES, MAX_LANES, MAX_GOALS, MAX_PAUSES = 24, 6, 4, 16, 3, 5, 6
MAX_ARRANGED = 8
"""How many of each a lesson may have: enough for a screen, and few enough to be played."""


def check_logic(loaded: LoadedLesson) -> list[Finding]:
    """Return what is wrong with the logic of a lesson; what passes here can be played."""
    found = [Finding(loaded.place(path), f"{path}: {sentence}") for path, sentence in _sentences(loaded)]
    return list(dict.fromkeys(found))


def _sentences(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    yield from _counts(loaded)
    yield from _seeds(loaded)
    yield from _registry(loaded)
    for i, predict in enumerate(loaded.lesson.predict):
        yield from _question(loaded, predict, f"predict[{i}]")
    yield from _task(loaded)
    yield from _expressions(loaded)
    yield from _scenarios(loaded)


# --------------------------------------------------------------------------------------------------- counts, references
def _counts(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    lesson = loaded.lesson
    do = lesson.do
    limits = [
        ("example.stops", len(lesson.example.stops), *STOPS),
        ("example.lanes", len(lesson.example.lanes), 0, MAX_LANES),
        ("predict", len(lesson.predict), 1, MAX_QUESTIONS),
        ("let", len(lesson.let), 0, MAX_LET),
        ("do.let", len(do.let), 0, MAX_LET),
        ("do.goal", len(do.goal), 1, MAX_GOALS),
        ("do.knob", len(do.knob), 0, MAX_KNOBS),
        ("do.lanes", len(do.lanes), 0, MAX_LANES),
        ("do.choices", len(do.choices), 0, MAX_OPTIONS),
        ("present.pause", len(lesson.present.pause), 1, MAX_PAUSES),
    ]
    limits += [
        (f"do.knob[{i}].values", len(knob.values), 2, MAX_ARRANGED if knob.arrange else MAX_VALUES)
        for i, knob in enumerate(do.knob)
    ]
    limits.append(("do.solution.through", len(do.solution.through), 0, MAX_GOALS))
    for i, predict in enumerate(lesson.predict):
        limits += [
            (f"predict[{i}].option", len(predict.option), 2, MAX_OPTIONS),
            (f"predict[{i}].let", len(predict.let), 0, MAX_LET),
            (f"predict[{i}].lanes", len(predict.lanes), 0, MAX_LANES),
            (f"predict[{i}].vary", len(predict.vary), 0, MAX_KNOBS),
        ]
        limits += [(f"predict[{i}].vary.{key}", len(values), 2, MAX_VALUES) for key, values in predict.vary.items()]
    for path, count, low, high in limits:
        if not low <= count <= high:
            yield path, f"there are {count}; {low} to {high} are allowed"


def _seeds(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    known: set[str] = set()
    for name in loaded.lesson.seeds:
        if name not in loaded.seeds:
            yield "seeds", f'there is no seed "{name}" in lessons/seeds.toml'
            continue
        figures = set(loaded.seeds[name].figures)
        for twice in sorted(figures & known):
            yield "seeds", f"the figure {twice} is one of two seeds"
        known |= figures
    lets = [("let", loaded.lesson.let), ("do.let", loaded.lesson.do.let)]
    lets += [(f"predict[{i}].let", predict.let) for i, predict in enumerate(loaded.lesson.predict)]
    for path, let in lets:
        for name in let:
            if name in known or name in FUNCTIONS:
                yield f"{path}.{name}", "the name is taken already"


def _registry(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    try:
        own = own_misconceptions(loaded.folder)
    except LessonError as error:
        yield "", str(error)
        return
    for name in sorted(set(own) & set(misconceptions_of_course())):
        yield "", f"misconceptions.toml: {name} is one of the course's; take another id"


# --------------------------------------------------------------------------------------------------- questions and task
def _question(loaded: LoadedLesson, predict: Predict, path: str) -> Iterator[tuple[str, str]]:
    if not predict.id or not all(letter.isalnum() or letter == "-" for letter in predict.id):
        yield f"{path}.id", "an id has letters, digits and dashes"
    if (predict.target != "") != (predict.ask == "press"):
        yield f"{path}.target", 'says what is pressed, so it belongs to a question with ask = "press", and only there'
    if predict.within < 0 or (predict.within and predict.ask != "number"):
        yield f"{path}.within", "is how far off a number may be"
    for k, option in enumerate(predict.option):
        yield from _option(loaded, predict, option, f"{path}.option[{k}]")
    right = sum(1 for option in predict.option if not option.misconception)
    if predict.ask != "order" and right != 1:
        yield (
            f"{path}.option",
            f"{right} options name no misconception; the right one does not, and every wrong one does",
        )
    yield from _twice(f"{path}.option", [str(option.value) for option in predict.option], "value")
    if predict.ask == "order" and right < 3:
        yield f"{path}.option", "an order needs three steps or more"


def _option(loaded: LoadedLesson, predict: Predict, option: Option, path: str) -> Iterator[tuple[str, str]]:
    belief = loaded.misconceptions.get(option.misconception)
    if option.misconception and belief is None:
        yield f"{path}.misconception", f'there is no misconception "{option.misconception}"'
    if belief is not None and belief.lamp and belief.lamp not in LAMPS:
        yield f"{path}.misconception", f'{option.misconception} names the lamp "{belief.lamp}", which there is not'
    if bool(option.text) == (predict.ask == "number"):
        yield f"{path}.text", "options of a number are not shown, and have no text; all others have one"
    if predict.ask == "order" and (not str(option.value) or " " in str(option.value)):
        yield f"{path}.value", "a step's value has no blanks, since the answer joins them by blanks"
    for name in sorted(names_in(str(option.value)) - set(predict.let)):
        yield f"{path}.value", f"{{{name}}} has no value here"


def _task(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    do = loaded.lesson.do
    knobs = {knob.key: knob for knob in do.knob}
    yield from _twice("do.knob", [knob.key for knob in do.knob], "key")
    for i, knob in enumerate(do.knob):
        yield from _twice(f"do.knob[{i}].values", knob.values, "value")
    yield from _twice("do.choices", do.choices, "choice")
    yield from _twice("predict", [predict.id for predict in loaded.lesson.predict], "id")
    if do.number and do.choices:
        yield "do.number", "a task asks for a number or for a choice, not for both"
    if bool(do.solution.answer) != (do.number or bool(do.choices)):
        yield "do.solution.answer", "the solution answers what the task asks for, and nothing else"
    for path, settings in (("knobs", [do.solution.knobs]), ("through", do.solution.through)):
        for key, value in (each for setting in settings for each in setting.items()):
            if key not in knobs or not knobs[key].takes(value):
                yield f"do.solution.{path}", f"{key}={value} is not one of the values that a learner can choose"
    if do.solution.through and do.collect is None:
        yield "do.solution.through", "nothing is collected, so what was played before makes no difference"


def _twice(path: str, values: Iterable[str], what: str) -> Iterator[tuple[str, str]]:
    for value, count in Counter(values).items():
        if count > 1:
            yield path, f'the {what} "{value}" stands there {count} times'


# --------------------------------------------------------------------------------------------------------- expressions
def _expressions(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    lesson = loaded.lesson
    yield from _let("let", lesson.let)
    known = set(FUNCTIONS) | set(lesson.let) | set(loaded.figures)
    for i, stop in enumerate(lesson.example.stops):
        yield from _expression(f"example.stops[{i}].at", stop.at, known)
    for pause in lesson.present.pause:
        yield from _expression("present.pause", pause, known)
    for i, predict in enumerate(lesson.predict):
        path = f"predict[{i}]"
        yield from _let(f"{path}.let", predict.let)
        known = set(FUNCTIONS) | set(predict.let) | set(loaded.figures)
        for name in ("at", "answer", "until"):
            if text := getattr(predict, name):
                yield from _expression(f"{path}.{name}", text, known)
        try:
            # An answer that looks at nothing was typed in; the run could say what it likes.
            names = parse(predict.answer).names()
        except ExpressionError:
            continue
        if not names:
            yield f"{path}.answer", "an answer is computed from the run; this one is typed in"
    yield from _let("do.let", lesson.do.let)
    known = set(FUNCTIONS) | set(lesson.do.let) | set(loaded.figures)
    in_task = known | {"answer", "position"}
    for i, goal in enumerate(lesson.do.goal):
        yield from _expression(f"do.goal[{i}].check", goal.check, in_task)
    if (collect := lesson.do.collect) is not None:
        yield from _expression("do.collect.when", collect.when, in_task)
        yield from _expression("do.collect.value", collect.value, in_task)
    for name, text in (("at", lesson.do.solution.at), ("answer", lesson.do.solution.answer)):
        if text:
            yield from _expression(f"do.solution.{name}", text, known)


def _let(path: str, let: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    known = set(FUNCTIONS)
    for name, text in let.items():
        if not name.isascii() or not name.isidentifier():
            yield f"{path}.{name}", "a name has letters, digits and _"
        yield from _expression(f"{path}.{name}", text, known)
        known.add(name)


def _expression(path: str, text: str, known: set[str]) -> Iterator[tuple[str, str]]:
    try:
        names = parse(text).names()
    except ExpressionError as error:
        yield path, str(error)
        return
    for name in sorted(names - known):
        yield path, f'`{text}`: "{name}" is not known here'


# ----------------------------------------------------------------------------------------------------------- scenarios
def _scenarios(loaded: LoadedLesson) -> Iterator[tuple[str, str]]:
    for path, words, more in _all_scenarios(loaded):
        try:
            scenario_of(loaded, words, 1, more)
        except RxvizError as error:
            yield path, str(error)


def _all_scenarios(loaded: LoadedLesson) -> Iterator[tuple[str, str, str]]:
    """Give (path, words, changing words) of every scenario that the lesson can come to play."""
    lesson = loaded.lesson
    base = lesson.example.scenario or lesson.scenario
    yield "scenario", lesson.scenario, ""
    yield "example.scenario", base, ""
    for name, words in lesson.example.lanes.items():
        yield f"example.lanes.{name}", base, words
    for i, predict in enumerate(lesson.predict):
        base, path = predict.scenario or lesson.scenario, f"predict[{i}]"
        yield f"{path}.scenario", base, ""
        for name, words in predict.lanes.items():
            yield f"{path}.lanes.{name}", base, words
        for key, values in predict.vary.items():
            for value in values:
                yield f"{path}.vary.{key}", base, f"{key}={value}"
        for k, option in enumerate(predict.option):
            if belief := loaded.misconceptions.get(option.misconception):
                yield f"{path}.option[{k}].misconception", base, f"{option.run} {belief.world}"
    do = lesson.do
    yield "do.scenario", do.scenario, ""
    for name, words in do.lanes.items():
        yield f"do.lanes.{name}", do.scenario, words
    for i, knob in enumerate(do.knob):
        for value in knob.settings():
            yield f"do.knob[{i}].values", do.scenario, f"{knob.key}={value}"
