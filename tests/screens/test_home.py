"""The home screen, what it opens, and how near the first flip is."""

from __future__ import annotations

from pathlib import Path

from textual.widgets import Input, Static

from rxviz.run import shipped
from rxviz.screens.screens.home import DOORS, HomeScreen
from rxviz.screens.screens.open import OpenScreen
from rxviz.screens.screens.pick import PickScreen
from tests.screens.support import bench, opened, text


async def test_the_first_flip_is_three_keys_away_and_explained() -> None:
    async with opened() as (app, pilot):
        assert "In a hurry?  2, then n f" in text(app)
        await pilot.press("2", "n", "f")
        b = bench(app)
        assert b.session.moment.step is not None
        assert b.session.moment.step.name == "page.flip"
        assert "The driver flips page 0" in text(app)
        assert "The flip is an XOR" in text(app)
        await pilot.press("escape")
        assert isinstance(app.screen, HomeScreen)


async def test_every_door_has_its_key_in_sight_at_80_by_24() -> None:
    async with opened(size=(80, 24)) as (app, _):
        screen = text(app)
        for key, _name, title, words in DOORS:
            assert f"  {key}  {title}" in screen
            assert words in screen
        assert "A teaching model" in screen
        assert "H hypothesis" in screen


async def test_a_real_capture_opens() -> None:
    async with opened() as (app, pilot):
        await pilot.press("3")
        assert isinstance(app.screen, PickScreen)
        first = next(iter(shipped.captures().values()))
        assert first.title in text(app)
        await pilot.press("1")
        assert bench(app).session.timeline.scenario.traffic == f"capture:{first.name}"
        await pilot.press("n", "f")
        assert "flips page" in text(app)


async def test_small_runs_open_by_mouse() -> None:
    async with opened() as (app, pilot):
        await pilot.press("5")
        await pilot.click("#body", offset=(30, 2))
        assert bench(app).session.timeline.scenario.line().startswith("ixgbe")


async def test_the_legacy_way_opens_on_the_same_frames() -> None:
    async with opened() as (app, pilot):
        await pilot.press("4")
        assert bench(app).session.timeline.scenario.path == "legacy"
        await pilot.press("n", "c")
        assert "copied" in text(app)


async def test_a_capture_that_is_not_there_is_said_in_one_sentence(tmp_path: Path) -> None:
    async with opened() as (app, pilot):
        await pilot.press("o")
        assert isinstance(app.screen, OpenScreen)
        app.screen.query_one(Input).value = str(tmp_path / "no-such.pcap")
        await pilot.press("enter")
        assert "no such file" in str(app.screen.query_one("#problem", Static).render())
        await pilot.press("escape")
        assert isinstance(app.screen, HomeScreen)


async def test_typing_a_path_works_no_keys_of_the_screen_behind() -> None:
    async with opened() as (app, pilot):
        await pilot.press("o", *"q1")
        assert isinstance(app.screen, OpenScreen)
        assert app.screen.query_one(Input).value == "q1"


async def test_a_hostile_file_name_reaches_the_screen_as_letters(tmp_path: Path) -> None:
    capture = tmp_path / "evil\x1b[31m[red]name.pcap"
    capture.write_bytes(shipped.captures()["mixed"].path.read_bytes())
    async with opened() as (app, pilot):
        await pilot.press("o")
        app.screen.query_one(Input).value = str(tmp_path / "missing\x1b[31m.pcap")
        await pilot.press("enter")
        problem = str(app.screen.query_one("#problem", Static).render())
        assert "\x1b" not in problem
        app.screen.query_one(Input).value = str(capture)
        await pilot.press("enter")
        await pilot.pause()
        assert bench(app).session.position == 0
        assert "\x1b" not in text(app)


async def test_too_small_a_window_says_so() -> None:
    async with opened(size=(30, 8)) as (app, pilot):
        assert "rxviz needs 60 x 18" in text(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "The first flip" in text(app)
