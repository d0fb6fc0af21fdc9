"""The lessons on GRO on the screen: frames put in order, what was found is kept, why not, and covered bills."""

from __future__ import annotations

from pathlib import Path

import pytest

from rxviz.lessons import progress
from rxviz.screens.screens.lesson_doing import arrangement, number_of
from rxviz.screens.screens.why import WhyScreen
from tests.screens.learning import answer, arrange, go_to, learning, lesson, set_knobs
from tests.screens.support import text


@pytest.fixture(autouse=True)
def _own_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RXVIZ_DATA", str(tmp_path / "data"))


async def test_frames_are_carried_to_their_places_and_come_when_enter_is_pressed() -> None:
    async with learning("12", size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "do")
        doing = lesson(app).play.doing
        knob = doing.do.knob[0]
        before = doing.value_of(knob).split(",")
        await pilot.press("1", "tab")
        assert "▸ B ◂" in text(app)
        await pilot.press("right")
        assert doing.value_of(knob).split(",") == [before[0], before[2], before[1], *before[3:]]
        assert doing.carried == 2
        await pilot.press("left", "left", "left", "left")
        assert doing.value_of(knob).split(",") == [before[1], before[0], *before[2:]]
        assert doing.carried == 0, "at the edge it stays"
        await pilot.press("enter")
        assert doing.arranging is None
        assert doing.task.position == doing.length
        assert "skbs up" in text(app)
        assert "▸" not in text(app).splitlines()[2]


async def test_what_was_found_stays_found_also_tomorrow() -> None:
    async with learning("12") as (app, pilot):
        await go_to(app, pilot, "do")
        doing = lesson(app).play.doing
        await set_knobs(app, pilot, {"order": "3,2,1,0,5,4"})
        assert [reached for _, reached in doing.goals()] == [True, False]
        assert "Found: the most" in text(app)
        await set_knobs(app, pilot, {"order": "3,2,1,0,4,5"})
        assert [reached for _, reached in doing.goals()] == [True, False], "neither, but the first stays"
    async with learning("12") as (app, pilot):
        play = lesson(app).play
        assert play.part == "do"
        assert play.doing.value_of(play.doing.do.knob[0]) == "3,2,1,0,4,5"
        assert play.doing.task.found == {"most"}
        await set_knobs(app, pilot, {"order": "4,0,1,5,2,3"})
        assert play.doing.done(), "the other connection in between makes no difference"
        assert play.is_task_done()
    assert "found most" in progress.read().of("merging-rules").goals


async def test_why_not_is_asked_of_the_frame_in_hand_and_of_the_last_one_that_came() -> None:
    async with learning("12") as (app, pilot):
        await go_to(app, pilot, "predict")
        await pilot.press("w")
        assert not isinstance(app.screen, WhyScreen), "not before an answer is given"
        await answer(app, pilot, str(lesson(app).play.asking.question.answer))
        await pilot.press("enter", "enter", "w")
        assert isinstance(app.screen, WhyScreen)
        await pilot.press("escape")
        await go_to(app, pilot, "do")
        await pilot.press("1")
        await arrange(app, pilot, ["0", "2", "1", "3", "4", "5"])
        doing = lesson(app).play.doing
        await pilot.press(*["tab"] * ((1 - doing.place) % 6), "w")
        assert isinstance(app.screen, WhyScreen)
        said = text(app)
        assert "frame       A [B] C" in said
        assert "against    [A] B  C" in said
        assert "not next in sequence: 601, expected 301" in said


async def test_a_frame_is_taken_in_hand_with_the_mouse() -> None:
    async with learning("12", size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "do")
        await pilot.press("1")
        row = next(y for y, line in enumerate(text(app).splitlines()) if "frame   " in line)
        column = text(app).splitlines()[row].index(" D ") + 1
        await pilot.click(offset=(column, row))
        assert lesson(app).play.doing.carried == 3


async def test_what_is_asked_for_is_covered_until_the_answer_is_given() -> None:
    async with learning("12", size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "predict")
        assert "how many?" in text(app)
        await answer(app, pilot, str(lesson(app).play.asking.question.answer))
        assert "how many?" not in text(app)
    async with learning("15", size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "predict", 1)
        line = next(line for line in text(app).splitlines() if "softirq ns" in line)
        names = lesson(app).play.asking.question.names
        assert "?" in line
        assert f"{names['off']:,}" in line
        await answer(app, pilot, "longer")
        await pilot.press("enter")
        line = next(line for line in text(app).splitlines() if "softirq ns" in line)
        assert f"{names['on']:,}" in line


async def test_loads_stand_in_a_list_and_say_at_the_end_what_became_of_them() -> None:
    async with learning("15", size=(80, 24)) as (app, pilot):
        await go_to(app, pilot, "predict")
        for load in ("bulk", "datagrams", "many", "acks"):
            assert load in text(app)
        assert "96 frames" not in text(app)
        await answer(app, pilot, "bulk")
        await pilot.press("enter")
        said = text(app)
        assert "96 frames: 13 skbs" in said
        assert said.count("96 frames: 96 skbs") == 3


async def test_a_wrong_answer_about_another_load_is_shown_on_that_load() -> None:
    async with learning("15") as (app, pilot):
        await go_to(app, pilot, "predict")
        await answer(app, pilot, "datagrams")
        worlds = lesson(app).play.worlds
        assert worlds is not None
        assert worlds.real.scenario.traffic == worlds.yours.scenario.traffic == "udp:64px96"
        assert (worlds.real.scenario.off, worlds.yours.scenario.off) == ("none", "gro_udp_asked")
        await pilot.press("enter")
        assert "B was a datagram of its own" in " ".join(text(app).split())


def test_an_order_is_kept_as_a_number() -> None:
    from rxviz.lessons.format import Knob

    knob = Knob(key="order", values=["0", "1", "2", "3"], text="t", arrange=True)
    orders = [arrangement(knob, number) for number in range(24)]
    assert len(set(orders)) == 24
    assert [number_of(knob, order) for order in orders] == list(range(24))
    assert orders[0] == "0,1,2,3"
    assert all(knob.takes(order) for order in orders)
    assert not knob.takes("0,1,2")
    assert not knob.takes("0,1,2,2")
