"""Lessons on the screen: each from start to end, right and wrong, by keys and by mouse."""

from __future__ import annotations

from pathlib import Path

import pytest

from rxviz.lessons import progress
from rxviz.lessons.load import find
from rxviz.lessons.screens import choice_key
from rxviz.screens.screens.lesson_body import COUNTING
from rxviz.screens.screens.lesson_keeper import ALL_GOALS
from rxviz.screens.widgets.cells import Cells
from rxviz.view.lesson_memory import damaged
from tests.screens.learning import NUMBERS, SIZES, answer, go_to, learning, lesson, solve
from tests.screens.support import text


@pytest.fixture(autouse=True)
def _own_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "data"))


@pytest.mark.parametrize("number", NUMBERS)
async def test_a_lesson_from_start_to_end_with_right_answers(number: int) -> None:
    loaded = find(str(number))
    async with learning(str(number)) as (app, pilot):
        play = lesson(app).play
        assert play.part == "hook"
        await pilot.press("enter")
        for _ in play.opening.stops[1:]:
            await pilot.press("space")
        assert play.stop == len(play.opening.stops) - 1
        await pilot.press("enter")
        for question in range(len(loaded.lesson.predict)):
            assert (play.part, play.scene.question) == ("predict", question)
            await answer(app, pilot, str(play.asking.question.answer))
            assert "✓ Right." in text(app)
            while play.part == "observe":
                await pilot.press("enter")
            assert play.part == "explain"
            assert "so it is" in text(app)
            await pilot.press("enter")
        assert play.part == "do"
        assert not play.keeper.mine.finished
        await solve(app, pilot)
        assert all(reached for _, reached in play.doing.goals())
        assert play.keeper.mine.finished
        await pilot.press("enter")
        screen = text(app)
        assert f"Lesson {number} is done." in screen
        assert f"right: {len(loaded.lesson.predict)} of {len(loaded.lesson.predict)}" in screen
    assert progress.read().of(loaded.lesson.id).finished


EVERY = {(80, 24)}
"""The size at which all lessons are looked at, being the least; at the others, some."""
SOME = {1, 7, 12}
WRONG = [
    (number, question, k)
    for number in NUMBERS
    for question, predict in enumerate(find(str(number)).lesson.predict)
    for k, option in enumerate(predict.option)
    if option.misconception
]


@pytest.mark.parametrize(("number", "question", "k"), WRONG)
async def test_a_wrong_answer_runs_its_own_world(number: int, question: int, k: int) -> None:
    async with learning(str(number), size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "predict", question)
        play = lesson(app).play
        option = play.asking.question.options[k]
        await answer(app, pilot, str(option.value))
        worlds = play.worlds
        assert worlds is not None
        assert worlds.at_parting
        screen = text(app)
        assert "real" in screen
        assert "yours" in screen
        # A world that parts by coming to its end shows at once what that means.
        if not worlds.at_last_stop:
            assert "Here it parts from the real one." in screen
            await pilot.press("enter")
        assert worlds.at_last_stop
        screen = " ".join(text(app).split())
        assert worlds.shows in screen
        if worlds.damage is None and (panel := play.asking.question.predict.panel) in COUNTING:
            assert screen.count({"cpu": "time_squeeze", "counters": "Counters"}[panel]) == 2
        elif worlds.damage is None:
            assert "The bills" in screen
            assert "●" in screen
        else:
            assert worlds.damage[1].replace("_", " ") in screen
            if damaged(worlds.moments()[1].machine) is not None:
                assert "✗" in screen
        await pilot.press("left")
        assert worlds.position == worlds.last_stop - 1
        await pilot.press("end", "enter")
        assert play.part == "explain"
        assert "✗ You:" in text(app)


async def test_something_else_and_odd_numbers_lead_on_without_a_world() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "something-else", "the page goes home")
        assert lesson(app).play.worlds is None
        assert "Not what the run does" in text(app)
        assert "the page goes home" in text(app)
    async with learning("8") as (app, pilot):
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "4321", "")
        assert lesson(app).play.worlds is None


async def test_a_half_is_pressed_with_the_mouse_and_with_the_keys() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "predict")
        play = lesson(app).play
        await pilot.press("tab", "tab")
        assert play.asking.focused == "B"
        await pilot.press("shift+tab", "enter")
        assert play.asking.given == "A"
        await pilot.press("escape")
        assert play.asking.given is None
        picture = app.screen.query_one("#picture", Cells).picture
        half = next(place for place in picture.targets if place.kind == "place" and place.value == "B")
        await pilot.click("#picture", offset=(half.x + 3, half.y + 1))
        assert play.asking.given == "B"
        await pilot.press("escape")
        words = app.screen.query_one("#words", Cells).picture
        line = next(place for place in words.targets if place.value == "new")
        await pilot.click("#words", offset=(line.x + 6, line.y))
        assert play.asking.given == "new"


async def test_an_order_is_picked_and_taken_back() -> None:
    async with learning("9") as (app, pilot):
        await go_to(app, pilot, "predict", 1)
        asking = lesson(app).play.asking
        await pilot.press("enter")
        assert "Pick the steps in order first" in text(app)
        await pilot.press("6", "3", "backspace", "1")
        assert asking.order == ["buf.sync", "page.flip"]
        assert "1 2. ▸ the page flips" in text(app)
        await pilot.press("1", "enter")
        assert asking.given == "buf.sync"


async def test_nothing_is_stepped_before_an_answer_and_everything_after() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "predict")
        play = lesson(app).play
        before = play.lane_position
        await pilot.press("right")
        assert play.lane_position == before
        assert "stays closed until you have answered" in text(app)
        await answer(app, pilot, "B")
        await pilot.press("left", "left")
        assert play.lane_position == before - 2
        await pilot.press("end")
        assert play.lane_position == len(play.lane.trace)


async def test_another_seed_asks_another_question() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "predict")
        play = lesson(app).play
        await pilot.press("r")
        assert "Answer first" in text(app)
        asked = play.asking.question.text("predict.next-half")
        await answer(app, pilot, "A")
        await pilot.press("r")
        assert play.part == "predict"
        assert play.asking.outcome is None
        assert play.asking.question.text("predict.next-half") != asked
        await answer(app, pilot, str(play.asking.question.answer))
        assert play.is_right(0)


async def test_hints_can_be_read_again_and_the_solution_comes_after_a_try() -> None:
    async with learning("5", size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "do")
        play = lesson(app).play
        for number in (1, 2, 3, 1):
            await pilot.press("h")
            assert f"Hint {number} of 3" in text(app)
        await pilot.press("escape")
        assert "Hint" not in text(app)
        await pilot.press("s")
        assert "Try once yourself first" in text(app)
        await pilot.press("right", "s")
        assert "solution: Esc returns" in text(app)
        await pilot.press("right", "enter")
        assert all(reached for _, reached in play.doing.goals())
        assert not play.is_task_done()
        await pilot.press("escape")
        assert play.doing.shown is None
        assert play.doing.task.position == 1
        assert play.part == "do"


async def test_goals_tick_one_by_one_by_another_route() -> None:
    async with learning("1") as (app, pilot):
        await go_to(app, pilot, "do")
        play = lesson(app).play
        seen = set()
        for _ in range(100):
            goals = tuple(reached for _, reached in play.doing.goals())
            seen.add(goals)
            if all(goals):
                break
            await pilot.press("down")
        assert (False, False) in seen
        assert (True, False) in seen
        assert all(reached for _, reached in play.doing.goals())
        assert ALL_GOALS in play.keeper.mine.goals
        await pilot.press("n", "f")
        assert play.doing.moment.step is not None
        assert play.doing.moment.step.name == "page.flip"
        await pilot.press("down")
        assert play.doing.moment.step.name == "socket.queue"


async def test_a_choice_is_made_from_a_menu_by_mouse() -> None:
    async with learning("10") as (app, pilot):
        await go_to(app, pilot, "do")
        play = lesson(app).play
        await pilot.press("a")
        name = play.lesson.do.choices[2]
        assert play.loaded.text(choice_key(name)) in text(app)
        menu = app.screen.query_one("#menu", Cells).picture
        place = next(place for place in menu.targets if place.value == "c")
        await pilot.click("#menu", offset=(place.x + 1, place.y))
        assert play.doing.task.answer == name


async def test_skipping_gives_no_credit_and_the_end_says_what_is_open() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "keep")
        assert "Still open: question 1, the task" in text(app)
        assert not lesson(app).play.keeper.mine.finished
        await pilot.press("pageup")
        await solve(app, pilot)
        assert not lesson(app).play.keeper.mine.finished
        await pilot.press("pageup")
        assert lesson(app).play.part == "predict"
        await answer(app, pilot, "B")
        assert lesson(app).play.keeper.mine.finished


async def test_free_play_and_back_where_one_was() -> None:
    async with learning("5") as (app, pilot):
        await pilot.press("enter", "space", "f")
        assert "sandbox: Esc returns to lesson 5" in text(app)
        await pilot.press("right", "right", "x", "f", "escape", "escape")
        play = lesson(app).play
        assert (play.part, play.stop) == ("example", 1)
        await go_to(app, pilot, "predict")
        await pilot.press("f")
        session = app.screen.session  # type: ignore[attr-defined]
        assert session.position == 0
        assert session.timeline.scenario.line() == play.opening.scenario.line()
        await pilot.press("q")
        assert lesson(app).play.part == "predict"


@pytest.mark.parametrize(
    ("number", "size"),
    [(number, size) for number in NUMBERS for size in SIZES if size in EVERY or number in SOME],
)
async def test_every_part_fits(number: int, size: tuple[int, int]) -> None:
    async with learning(str(number), size=size) as (app, pilot):
        play = lesson(app).play
        seen = []
        for _ in range(40):
            seen.append(play.part)
            _fits(app)
            if play.part == "predict":
                wrong = next(option for option in play.asking.question.options if option.misconception)
                await answer(
                    app, pilot, str(wrong.value), "a reason that is as long as one line of a screen may well be"
                )
            elif play.part == "keep":
                break
            elif play.part == "do":
                await pilot.press("h")
                _fits(app)
                await pilot.press("escape", "pagedown")
            else:
                await pilot.press("enter")
        assert {"hook", "example", "predict", "observe", "explain", "do", "keep"} == set(seen)


def _fits(app: object) -> None:
    """Every line of words that the part has is on the screen, and the picture too."""
    from rxviz.screens.app import RxvizApp

    assert isinstance(app, RxvizApp)
    screen = lesson(app)
    sheet = screen._sheet
    assert sheet.split or screen.play.part == "predict", "no room for the picture"
    lines = sheet.below().text().split("\n")
    assert len(lines) <= app.size.height - 2 - sheet.split
    shown = text(app)
    play = screen.play
    if play.part == "hook":
        wanted = play.opening.text("hook")
    elif play.part == "example":
        wanted = play.opening.stops[play.stop][1]
    elif play.part == "explain":
        wanted = play.asking.question.text(play.asking.question.predict.explain)
    elif play.part == "predict":
        wanted = "something else" if play.asking.ask != "number" else "Your number:"
    elif play.part == "do":
        wanted = "Hint" if play.doing.hint_open else play.doing.task.text(play.doing.do.goal[-1].text)
    else:
        return
    assert " ".join(wanted.split()) in " ".join(shown.split())
