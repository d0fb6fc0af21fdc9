"""`P` in the real app: the twenty patches, one switched, and the same frame in the scene that comes of it."""

from __future__ import annotations

import pytest

from rxviz.run import patches
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.lanes import LanesScreen
from rxviz.screens.screens.patching import PatchesScreen
from tests.screens.support import bench, is_golden, opened, text

SCENE = "ixgbe ring=8 traffic=tcp:1514x10@20kpps"


def flat(app: RxvizApp) -> str:
    """The words of a screen, without line ends."""
    return " ".join(text(app).replace("│", " ").split())


def listed(app: RxvizApp) -> PatchesScreen:
    assert isinstance(app.screen, PatchesScreen)
    return app.screen


async def test_p_lists_the_twenty_and_begins_with_this_driver() -> None:
    async with opened(SCENE, size=(120, 60)) as (app, pilot):
        await pilot.press("P")
        screen, shown = listed(app), text(app)
        for patch in patches.patches().values():
            assert f"[x] {patch.number:>2}  {patch.driver:<6}{patch.title}" in shown
        assert screen.patch.number == 11
        assert "The scene is in kernel 6.18, which has 20 of the series and more besides." in flat(app)


async def test_those_that_change_nothing_say_so() -> None:
    async with opened(f"{SCENE} patches=none", size=(120, 60)) as (app, pilot):
        await pilot.press("P", "home")
        for patch in patches.patches().values():
            shown = flat(app)
            if patch.driver == "igb":
                assert "It is igb's: in this scene of ixgbe nothing changes." in shown
            elif not patch.seen:
                assert f"It changes nothing that can be seen. {patch.why}" in shown
            else:
                assert "changes nothing" not in shown
            await pilot.press("down")


async def test_a_switch_marks_what_changed_and_leads_to_the_same_frame() -> None:
    async with opened(f"{SCENE} patches=none", size=(120, 44)) as (app, pilot):
        await pilot.press("down", "down", "down")
        was = bench(app).session.moment
        assert was.step is not None
        await pilot.press("P", "down")
        assert listed(app).patch.number == 12
        assert "Applying it would change sync CPU 6,144 → 4,542 by the end of frame C." in flat(app)
        await pilot.press("enter")
        shown = flat(app)
        assert "[x] 12" in shown
        assert "Applied: sync CPU 6,144 → 4,542 by the end of frame C." in shown
        assert "sync CPU ●6,144→4,542" in shown
        await pilot.press("escape")
        session = bench(app).session
        now = session.moment
        assert now.scenario.patches == "12"
        assert now.step is not None
        assert (now.step.frame, now.step.name) == (was.step.frame, was.step.name)
        assert "what if: patch 12 · X returns" in text(app)
        await pilot.press("X")
        assert bench(app).session.moment.scenario.patches == "none"
        assert bench(app).session.position == was.position


async def test_what_is_switched_and_switched_back_leaves_the_run_alone() -> None:
    async with opened(f"{SCENE} patches=none") as (app, pilot):
        timeline = bench(app).session.timeline
        await pilot.press("P", "down", "space", "space", "escape")
        assert bench(app).session.timeline is timeline
        assert not bench(app).session.left


async def test_what_cannot_be_switched_is_refused_with_a_sentence() -> None:
    async with opened(f"{SCENE} patches=none", size=(120, 60)) as (app, pilot):
        await pilot.press("P", "end")
        assert "Patch 20 needs 2, 11, 14, 15, 17 and 18; apply those first." in flat(app)
        await pilot.press("enter")
        assert listed(app).scene.applied == ()
        assert flat(app).count("Patch 20 needs 2, 11, 14, 15, 17 and 18; apply those first.") == 2


async def test_all_and_none_and_two_lanes() -> None:
    async with opened(f"{SCENE} patches=none", size=(120, 60)) as (app, pilot):
        await pilot.press("P", "a")
        assert listed(app).scene.applied == tuple(range(1, 21))
        assert "the build_skb way" in flat(app)
        await pilot.press("v")
        assert isinstance(app.screen, LanesScreen)
        shown = text(app)
        assert "patches none" in shown
        assert "patches all" in shown
        await pilot.press("escape", "n", "n")
        assert "It is so already." in text(app)
        assert listed(app).scene.applied == ()


async def test_a_what_if_has_no_patches() -> None:
    async with opened(SCENE) as (app, pilot):
        await pilot.press("x", "o", "P")
        assert isinstance(app.screen, BenchScreen)
        assert "A what-if has no patches to switch" in text(app)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
async def test_its_screen_looks_like_this(width: int, height: int) -> None:
    async with opened(f"{SCENE} patches=none", size=(width, height)) as (app, pilot):
        await pilot.press("down", "down", "down", "P", "down", "enter")
        is_golden(f"patches-{width}x{height}", text(app))


async def test_igbs_part_in_a_scene_of_igb() -> None:
    async with opened("igb ring=8 traffic=tcp:1514x10@20kpps patches=none", size=(120, 60)) as (app, pilot):
        await pilot.press("down", "down", "down", "P", "down")
        assert listed(app).patch.number == 5
        assert "Applying it would change before fetch 6 → 3 by the end of frame C." in flat(app)
        await pilot.press("end")
        assert "It is ixgbe's: in this scene of igb nothing changes." in flat(app)
