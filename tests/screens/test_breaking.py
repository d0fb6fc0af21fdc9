"""`b` in the real app: the rules of the scene, one switched off, and the step at which its lamp goes on."""

from __future__ import annotations

import pytest

from rxviz.model.rules import RULES
from rxviz.run.scenario import parse_line
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.breaking import BreakScreen, BrokenScreen
from rxviz.screens.widgets.cells import Cells
from tests.screens.support import bench, is_golden, opened, text

SCENE = "ixgbe ring=8 reader=3000 traffic=tcp:1514x30"


HERE = [name for name in parse_line(SCENE).rule_names if not RULES[name].gro]
"""The rules that the list of this scene has, in its order."""


def flat(shown: str) -> str:
    """The words of a screen, without borders and line ends."""
    return " ".join(shown.replace("│", " ").split())


def story(app: RxvizApp) -> str:
    """The words of the story alone."""
    return flat(app.screen.query_one("#story", Cells).picture.text())


async def test_b_lists_the_rules_of_this_driver() -> None:
    async with opened(SCENE, size=(120, 60)) as (app, pilot):
        await pilot.press("b")
        assert isinstance(app.screen, BreakScreen)
        shown = text(app)
        for name in [name for name in parse_line(SCENE).rule_names if not RULES[name].gro]:
            assert f" {name} " in shown


async def test_a_broken_rule_opens_the_world_at_the_step_of_its_lamp() -> None:
    async with opened(SCENE) as (app, pilot):
        at = bench(app).session.position
        await pilot.press("b", *["down"] * HERE.index("flip"), "enter")
        world = app.screen
        assert isinstance(world, BrokenScreen)
        moment = world.session.moment
        assert moment.scenario.off == "flip"
        assert moment.machine.lamps.first["half_one_owner"] + 1 == moment.position
        shown = flat(text(app))
        assert "without flip: Esc returns" in shown
        assert "lamp half_one_owner: The skb of frame C still points to half A of page 2." in story(app)
        await pilot.press("escape")
        assert "Lamp half_one_owner goes on at step" in text(app)
        await pilot.press("escape")
        assert bench(app).session.position == at
        assert bench(app).session.timeline.scenario.off == "none"


async def test_where_nothing_breaks_the_bill_is_told_and_the_smallest_scene_is_a_key_away() -> None:
    async with opened(SCENE) as (app, pilot):
        await pilot.press("b", *["down"] * HERE.index("frame_limit"), "enter")
        assert isinstance(app.screen, BreakScreen)
        shown = flat(text(app))
        assert "Nothing breaks in this scene, and the bill is the same." in shown
        await pilot.press("s")
        assert isinstance(app.screen, BrokenScreen)
        told = "Bytes 1,728 to 1,891 of page 0 are overwritten: 164 past the buffer's end."
        assert told in story(app)


async def test_a_rule_without_harm_has_no_smallest_scene() -> None:
    async with opened(SCENE) as (app, pilot):
        await pilot.press("b", *["down"] * HERE.index("map_once"), "enter", "s")
        assert isinstance(app.screen, BreakScreen)
        assert "dma unmaps 13 → 30" in flat(text(app))


async def test_a_world_can_be_broken_further() -> None:
    async with opened(f"{SCENE} off=dma") as (app, pilot):
        await pilot.press("b", *["down"] * HERE.index("dma"), "enter")
        assert "This rule is off already." in text(app)
        await pilot.press("down", "down", "enter")
        assert isinstance(app.screen, BrokenScreen)
        assert app.screen.session.timeline.scenario.off == "dma,flip"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
async def test_its_screens_look_like_this(width: int, height: int) -> None:
    async with opened(SCENE, size=(width, height)) as (app, pilot):
        await pilot.press("b", *["down"] * HERE.index("flip"), "enter")
        is_golden(f"broken-{width}x{height}", text(app))
        await pilot.press("escape")
        is_golden(f"break-{width}x{height}", text(app))
