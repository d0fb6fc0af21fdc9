"""`D` in the real app: the same scene with another driver, kernel or path; and every driver has its words."""

from __future__ import annotations

import pytest

from rxviz.model.drivers.table import DRIVERS
from rxviz.run.engine import make_machine
from rxviz.run.other_driver import Other, about, others, with_driver
from rxviz.run.scenario import parse_line
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.drivers import DriversScreen
from rxviz.view.counters import meanings, values
from tests.screens.support import bench, is_golden, opened, text

SCENE = "ixgbe ring=8 reader=3000 traffic=tcp:1514x30 rate=100kpps gro=on"
ALL = others()
IDS = [f"{other.driver}-{other.kernel}-{other.path}" for other in ALL]


@pytest.mark.parametrize("driver", DRIVERS)
def test_every_driver_says_what_it_is(driver: str) -> None:
    assert about(driver).endswith(".")
    assert 20 < len(about(driver)) < 130


@pytest.mark.parametrize("other", ALL, ids=IDS)
def test_the_scene_goes_with_every_driver(other: Other) -> None:
    found, lost = with_driver(parse_line(SCENE), other)
    assert (found.driver, found.kernel, found.path) == (other.driver, other.kernel, other.path)
    assert (found.traffic, found.reader, found.rate, found.gro) == ("tcp:1514x30", "3000", "100kpps", "on")
    assert lost == []


@pytest.mark.parametrize("other", ALL, ids=IDS)
def test_every_counter_has_a_meaning(other: Other) -> None:
    m = make_machine(with_driver(parse_line(SCENE), other)[0])
    assert set(values(m)) <= set(meanings())


def test_meanings_fit_beside_the_names() -> None:
    assert all(0 < len(words) <= 45 and not words.endswith(".") for words in meanings().values())


def test_what_a_driver_cannot_have_falls_away_and_is_named() -> None:
    old = next(other for other in ALL if (other.driver, other.kernel) == ("ixgbe", "4.9"))
    found, lost = with_driver(parse_line("ixgbe ring=8192 reader=off traffic=tcp:1514x3"), old)
    assert lost == ["ring=8192"]
    assert (found.traffic, found.reader, found.ring) == ("tcp:1514x3", "off", 512)


async def test_another_path_of_the_same_driver() -> None:
    async with opened(SCENE) as (app, pilot):
        first = bench(app)
        await pilot.press("D")
        assert isinstance(app.screen, DriversScreen)
        assert "this scene" in text(app)
        await pilot.press("down", "enter")
        assert isinstance(app.screen, BenchScreen)
        assert app.screen is not first
        assert bench(app).session.timeline.scenario.path == "legacy"
        await pilot.press("escape")
        assert app.screen is first


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
async def test_the_list_and_the_counters_look_like_this(width: int, height: int) -> None:
    async with opened("ixgbe ring=8 rcvbuf=2000 reader=off traffic=udp:64px10", size=(width, height)) as (app, pilot):
        await pilot.press("9", "n", "d")
        is_golden(f"counters-{width}x{height}", text(app))
        await pilot.press("D")
        is_golden(f"drivers-{width}x{height}", text(app))
