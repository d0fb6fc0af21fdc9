"""What the tests of lessons on the screen share: an app on a lesson, and ways through it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from rxviz.lessons.load import find
from rxviz.lessons.session import Task
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.course import CourseScreen, Learn
from rxviz.screens.screens.lesson import LessonScreen
from rxviz.screens.terminal import Terminal
from tests.lessons.course import NUMBERS

__all__ = [
    "NUMBERS", "SIZES", "answer", "arrange", "course", "go_to", "keys_for", "learning", "lesson", "set_knobs", "solve",
]  # fmt: skip
SIZES = ((80, 24), (100, 30), (120, 40), (200, 60))


@asynccontextmanager
async def learning(
    name: str | None = None, size: tuple[int, int] = (120, 40), terminal: Terminal | None = None
) -> AsyncIterator[tuple[RxvizApp, Pilot[Any]]]:
    """Run the real app on a lesson, or on the map."""
    app = RxvizApp(Learn(find(name) if name is not None else None), terminal)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def lesson(app: RxvizApp) -> LessonScreen:
    """Return the lesson, which must be what is shown."""
    assert isinstance(app.screen, LessonScreen)
    return app.screen


def course(app: RxvizApp) -> CourseScreen:
    """Return the map, which must be what is shown."""
    assert isinstance(app.screen, CourseScreen)
    return app.screen


async def go_to(app: RxvizApp, pilot: Pilot[Any], part: str, question: int = 0) -> None:
    """Skip forward to a part."""
    play = lesson(app).play
    for _ in range(30):
        if play.part == part and (part not in ("predict", "observe", "explain") or play.scene.question == question):
            return
        await pilot.press("pagedown")
    raise AssertionError(part)


def keys_for(app: RxvizApp, value: str) -> Iterator[str]:
    """Give the keys that answer the question in sight with a value; Enter follows where it is needed."""
    asking = lesson(app).play.asking
    if asking.ask == "number":
        yield from value
        yield "enter"
    elif asking.ask == "order" and value in {pick.value for pick in asking.picks if pick.value != "something-else"}:
        yield asking.digits[value]
        yield "enter"
    elif asking.ask == "order" and value != "something-else":
        yield from (asking.digits[part] for part in value.split())
        yield "enter"
    else:
        yield asking.digits[value]


async def answer(app: RxvizApp, pilot: Pilot[Any], value: str, reason: str = "so it is") -> None:
    """Answer the question in sight by keys, with a reason."""
    await pilot.press(*keys_for(app, value))
    assert lesson(app).play.asking.is_picked
    line = app.screen.query_one(Input)
    assert line.has_focus
    line.value = reason
    await pilot.press("enter")
    assert lesson(app).play.part == "observe"


async def solve(app: RxvizApp, pilot: Pilot[Any]) -> None:
    """Do the task in sight as the lesson's solution does it, by keys alone."""
    doing = lesson(app).play.doing
    solution = doing.do.solution
    for settings in solution.through:
        await set_knobs(app, pilot, settings)
        await pilot.press("end")
    await set_knobs(app, pilot, solution.knobs)
    if solution.at == "end":
        await pilot.press("end")
    elif solution.at:
        shown = Task(doing.loaded, doing.seed)
        shown.solve()
        lesson(app).play.seek(shown.position - 1)
        await pilot.press("right")
    if solution.answer:
        shown = Task(doing.loaded, doing.seed)
        shown.solve()
        await pilot.press("a")
        if doing.do.number:
            await pilot.press(*str(shown.answer), "enter")
        else:
            names = [name for name, _ in doing.choices()]
            await pilot.press("abcdefghij"[names.index(str(shown.answer))])


async def set_knobs(app: RxvizApp, pilot: Pilot[Any], settings: dict[str, str]) -> None:
    """Turn knobs of the task in sight, by keys alone."""
    doing = lesson(app).play.doing
    for number, knob in enumerate(doing.do.knob):
        if knob.key not in settings:
            continue
        await pilot.press(str(number + 1))
        if knob.arrange:
            await arrange(app, pilot, settings[knob.key].split(","))
        else:
            way = knob.values.index(settings[knob.key]) - knob.values.index(doing.value_of(knob))
            await pilot.press(*(["right"] * way if way > 0 else ["left"] * -way))
        await pilot.press("enter")
        assert doing.value_of(knob) == settings[knob.key]


async def arrange(app: RxvizApp, pilot: Pilot[Any], wanted: list[str]) -> None:
    """Carry each thing to its place, the first one first."""
    doing = lesson(app).play.doing
    knob = doing.arranging
    assert knob is not None
    for to, value in enumerate(wanted):
        place = doing.value_of(knob).split(",").index(value)
        await pilot.press(*["tab"] * ((place - doing.place) % len(wanted)), *["left"] * (place - to))
