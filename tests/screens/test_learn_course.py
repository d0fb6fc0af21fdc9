"""The map of the course, the cheat sheet, what is kept, and what happens when it cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rxviz.lessons import progress
from rxviz.lessons.load import find
from rxviz.screens.screens.course import CourseScreen
from rxviz.screens.screens.course_cheat import CheatScreen
from rxviz.screens.screens.home import HomeScreen
from rxviz.screens.screens.lesson import LessonScreen
from rxviz.screens.screens.lesson_keeper import key_of
from rxviz.screens.terminal import Terminal
from tests.screens.learning import NUMBERS, SIZES, answer, course, go_to, learning, lesson, solve
from tests.screens.support import opened, text


@pytest.fixture(autouse=True)
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "data"))
    return progress.log_path()


async def test_home_leads_to_the_map_and_the_map_to_a_lesson() -> None:
    async with opened() as (app, pilot):
        await pilot.press("1")
        assert isinstance(app.screen, CourseScreen)
        await pilot.press("down", "enter")
        assert lesson(app).play.lesson.number == NUMBERS[1]
        await pilot.press("q")
        assert isinstance(app.screen, CourseScreen)
        await pilot.press("escape")
        assert isinstance(app.screen, HomeScreen)


@pytest.mark.parametrize("size", SIZES)
async def test_the_map_shows_every_lesson_at_every_size(size: tuple[int, int]) -> None:
    async with learning(size=size) as (app, _):
        screen = text(app)
        for number in NUMBERS:
            loaded = find(str(number))
            assert loaded.title in screen
            assert f"{loaded.lesson.minutes} min" in screen
        assert "better after 1" in screen
        assert "ready" in screen
        assert "R reset" in screen
        assert "c cheat sheet" in screen
        assert " ".join(find(str(NUMBERS[0])).text("objective").split()[:6]) in screen, "of the chosen one at least"


async def test_the_map_says_how_far_each_lesson_is() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "B")
        await go_to(app, pilot, "do")
        await solve(app, pilot)
        await pilot.press("q")
        screen = text(app)
        assert "✓  5" in screen
        assert "done, 1 of 1 right" in screen
        await pilot.press("up", "enter", "enter", "space", "q")
        assert "● " in text(app)
        assert "in progress: example" in text(app)
        await pilot.press("c")
        assert isinstance(app.screen, CheatScreen)
        assert "The flip takes turns between the halves" in " ".join(text(app).split())
        assert f"{len(NUMBERS) - 1} more to come" in text(app)


async def test_the_end_of_a_lesson_leads_into_the_next() -> None:
    async with learning("5") as (app, pilot):
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "B")
        await go_to(app, pilot, "do")
        await solve(app, pilot)
        await pilot.press("enter")
        following = find(str(NUMBERS[NUMBERS.index(5) + 1]))
        assert f"Next: lesson {following.lesson.number}, {following.title}" in text(app)
        await pilot.press("enter")
        assert lesson(app).play.lesson.number == following.lesson.number
        await pilot.press("q")
        assert course(app).chosen == NUMBERS.index(5) + 1


async def test_reset_asks_once_and_keeps_the_old_log(log: Path) -> None:
    progress.save("finished", "two-halves", key_content("5"))
    async with learning() as (app, pilot):
        assert f"1 of {len(NUMBERS)} done" in text(app)
        await pilot.press("R")
        assert "R again does it" in text(app)
        await pilot.press("down", "R", "up")
        assert log.exists()
        await pilot.press("R", "R")
        assert not log.exists()
        assert f"0 of {len(NUMBERS)} done" in text(app)
        assert list(log.parent.glob("*.old.jsonl"))


def key_content(name: str) -> str:
    from rxviz.lessons.load import content_hash

    return content_hash(find(name))


async def test_damaged_lines_are_said_on_the_map(log: Path) -> None:
    progress.save("finished", "two-halves", key_content("5"))
    with log.open("a", encoding="utf-8") as file:
        file.write('{"v": 1, "do": "at", "les\n')
    async with learning() as (app, _):
        assert "1 damaged lines of the progress log were passed over" in " ".join(text(app).split())
        assert f"1 of {len(NUMBERS)} done" in text(app)


STOPS = ("hook", "example", "predict", "observe", "damage", "explain", "do", "keep")


@pytest.mark.parametrize("where", STOPS)
async def test_a_killed_lesson_goes_on_exactly_where_it_was(where: str) -> None:
    async with learning("5") as (app, pilot):
        play = lesson(app).play
        if where == "example":
            await pilot.press("enter", "space", "space")
        elif where in ("observe", "damage", "explain"):
            await go_to(app, pilot, "predict")
            await answer(app, pilot, "B")
            await pilot.press("r")
            await answer(app, pilot, "A", "I thought so")
            await pilot.press(*{"observe": ["right", "right"], "damage": ["enter"], "explain": ["enter"] * 2}[where])
        elif where != "hook":
            await go_to(app, pilot, where)
            if where == "do":
                await pilot.press("1", "right", "right", "enter", "right", "right", "down")
        was = _state(play)
        # Nothing is told to the app: the process might as well be dead.
        async with learning("5") as (other, _):
            assert _state(lesson(other).play) == was


def _state(play: object) -> tuple[object, ...]:
    from rxviz.screens.screens.lesson_play import Play

    assert isinstance(play, Play)
    asked = (play.asking.question.seed, play.asking.given, play.asking.reason)
    in_question = play.part in ("observe", "explain")
    return (
        play.scene, play.stop, play.lane_position, asked if in_question else None,
        play.worlds.position if play.worlds is not None else None,
        play.doing.task.position, dict(play.doing.task.knobs), play.doing.task.answer,
    )  # fmt: skip


async def test_a_typed_number_is_there_again() -> None:
    async with learning("8") as (app, pilot):
        await go_to(app, pilot, "do")
        await pilot.press("a", "2", "5", "7", "backspace", "6", "enter")
        assert lesson(app).play.doing.task.answer == "256"
        assert "✓ You typed the size" in text(app)
    async with learning("8") as (app, _):
        assert lesson(app).play.part == "do"
        assert "✓ You typed the size" in text(app)


async def test_what_cannot_be_saved_is_said_and_the_lesson_goes_on(log: Path) -> None:
    log.parent.parent.mkdir(parents=True, exist_ok=True)
    log.parent.write_text("a file where a folder should be", encoding="utf-8")
    async with learning("5") as (app, pilot):
        await pilot.press("enter")
        assert "progress could not be saved" in text(app) or "cannot be read" in text(app)
        assert lesson(app).play.part == "example"
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "B")
        assert "could not be saved" in text(app)
        await pilot.press("right")
        assert lesson(app).play.part == "observe"


async def test_a_lesson_that_was_changed_says_so_and_asks_anew() -> None:
    progress.save("answer", "two-halves", "0123456789ab", question="next-half", given="B", right=True, reason="")
    progress.save("at", "two-halves", "0123456789ab", part="keep", screen=0, seed=1)
    async with learning("5") as (app, _):
        assert lesson(app).play.part == "hook"
        assert "was changed since you took it" in text(app)
        assert not lesson(app).play.is_answered(0)


async def test_beginning_again_keeps_that_it_was_finished(log: Path) -> None:
    progress.save("finished", "two-halves", key_content("5"))
    progress.save("at", "two-halves", key_content("5"), part="keep", screen=0, seed=1)
    async with learning("5") as (app, pilot):
        assert lesson(app).play.part == "keep"
        await pilot.press("A")
        assert lesson(app).play.part == "hook"
    assert [json.loads(line)["do"] for line in log.read_text(encoding="utf-8").splitlines()][-2:] == ["again", "at"]
    assert progress.read().of("two-halves").finished


@pytest.mark.parametrize("screen", [0, 1, 7, 999_999, (1 << 31) - 1])
@pytest.mark.parametrize("part", ["hook", "example", "predict", "observe", "explain", "do", "keep"])
async def test_a_log_that_says_what_cannot_be_is_taken_as_far_as_it_goes(part: str, screen: int) -> None:
    from rxviz.screens.screens import lesson_body
    from rxviz.screens.screens.lesson_play import Play
    from rxviz.view.glyphs import UNICODE

    progress.save("answer", "two-halves", key_content("5"), question="next-half", given="A", right=False, reason="")
    progress.save("at", "two-halves", key_content("5"), part=part, screen=screen, seed=screen)
    play = Play(find("5"))
    assert play.part == part
    assert lesson_body.body(play, 80, 22, UNICODE).picture.lines


@pytest.fixture
def strange(tmp_path: Path) -> Path:
    folder = tmp_path / "strange"
    shutil.copytree(find("5").folder, folder)
    return folder


async def test_a_lesson_from_elsewhere_does_not_touch_the_course(strange: Path) -> None:
    assert key_of(find("5")) == "two-halves"
    assert key_of(find(str(strange))) == "elsewhere/two-halves"
    async with learning(str(strange)) as (app, pilot):
        await pilot.press("enter")
        assert isinstance(app.screen, LessonScreen)
        await pilot.press("q")
        assert text(app).count("Two halves of a page") == 2
    assert progress.read().of("two-halves").part == "hook"


@pytest.mark.parametrize(
    "terminal", [Terminal(ascii=True), Terminal(no_colour=True), Terminal(ansi=True), Terminal(light=True)]
)
async def test_lessons_work_on_any_terminal(terminal: Terminal) -> None:
    async with learning("5", size=(80, 24), terminal=terminal) as (app, pilot):
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "A")
        await pilot.press("enter")
        screen = text(app)
        assert ("x" if terminal.ascii else "✗") in screen
        if terminal.ascii:
            assert screen.isascii()
        await pilot.press("t", "question_mark")
        assert "Try again: the same question with other numbers" in text(app)


async def test_a_small_window_says_so_and_a_larger_one_goes_on() -> None:
    async with learning("5", size=(40, 10)) as (app, pilot):
        assert "rxviz needs 60 x 18" in text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "A page has 4,096 bytes" in text(app)
