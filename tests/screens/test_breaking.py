"""`b` in the real app: the rules of the scene, one switched off, and the step at which its lamp goes on."""

from __future__ import annotations

import pytest

from rxviz.model.gro.rules import RULES as QUESTIONS
from rxviz.model.rules import RULES, At
from rxviz.run.break_rule import smallest_scenes
from rxviz.run.scenario import parse_line
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.breaking import BreakScreen, BrokenScreen
from rxviz.screens.widgets.cells import Cells
from tests.screens.support import bench, is_golden, opened, text

SCENE = "ixgbe ring=8 reader=3000 traffic=tcp:1514x30"


HERE = BreakScreen(parse_line(SCENE), lambda broken: None).rules
"""The rules that the list of this scene has, in its order."""


def flat(shown: str) -> str:
    """The words of a screen, without borders and line ends."""
    return " ".join(shown.replace("│", " ").split())


def story(app: RxvizApp) -> str:
    """The words of the story alone."""
    return flat(app.screen.query_one("#story", Cells).picture.text())


def chooser(app: RxvizApp) -> BreakScreen:
    """The list of rules, which must be what is shown."""
    assert isinstance(app.screen, BreakScreen)
    return app.screen


def title(app: RxvizApp) -> str:
    """The first line."""
    return text(app).splitlines()[0]


def glyph(app: RxvizApp) -> str:
    """The mark of the chosen line."""
    return chooser(app).glyphs.right


async def test_b_lists_the_rules_of_this_driver() -> None:
    async with opened(SCENE, size=(120, 110)) as (app, pilot):
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
        await pilot.press(*["down"] * (HERE.index("flip") - HERE.index("dma")), "enter")
        assert isinstance(app.screen, BrokenScreen)
        assert app.screen.session.timeline.scenario.off == "dma,flip"


async def test_rules_stand_in_groups_that_the_cursor_skips() -> None:
    async with opened(SCENE, size=(120, 40)) as (app, pilot):
        await pilot.press("b")
        screen = chooser(app)
        seen, groups = [], []
        for _ in HERE:
            seen.append(screen.rules[screen.chosen])
            groups.append(screen.group(screen.chosen))
            await pilot.press("down")
        assert seen == HERE
        assert list(dict.fromkeys(groups)) == [at.value for at in At if any(RULES[name].at is at for name in HERE)]
        assert "the socket and what it charges" in text(app)
        await pilot.press("home", "tab")
        assert f"the descriptor ring · 6 of {len(HERE)}" in title(app)
        await pilot.press("tab", "down", "shift+tab", "shift+tab")
        assert f"the descriptor ring · 6 of {len(HERE)}" in title(app)


async def test_what_can_come_of_a_rule_is_told_before_it_is_run() -> None:
    async with opened(SCENE, size=(200, 60)) as (app, pilot):
        await pilot.press("b")
        lamps = smallest_scenes("ixgbe")
        for name in HERE:
            line = next(line for line in text(app).splitlines() if f" {name} " in line)
            assert line.split(name)[1].split()[0] == ("lamp" if name in lamps else "bill")
            if name in lamps:
                assert f"Lamp {lamps[name].lamp} goes on without it in some scene" in flat(text(app))
            else:
                assert "No lamp is known to go on without it" in flat(text(app))
            await pilot.press("down")


async def test_a_driver_that_was_not_searched_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rxviz.run.break_rule.smallest_scenes", lambda driver: {})
    async with opened(SCENE) as (app, pilot):
        await pilot.press("b")
        assert "What comes of it is not known: Enter finds out for this scene." in text(app)
        assert chooser(app).lamps == dict.fromkeys(HERE)


async def test_typed_letters_narrow_the_list() -> None:
    async with opened(SCENE) as (app, pilot):
        await pilot.press("b", "slash", *"q sync")
        assert "Nothing here has" in text(app)
        await pilot.press(*["backspace"] * 6, *"sync cpu reads")
        assert "/sync cpu reads_" in title(app)
        assert f"mapping and sync · 1 of 1, {len(HERE)} in all" in title(app)
        await pilot.press("enter", "enter")
        assert isinstance(app.screen, BrokenScreen)
        await pilot.press("escape", "escape")
        assert f"of {len(HERE)}" in title(app)
        assert chooser(app).rules[chooser(app).chosen] == "sync_cpu"
        await pilot.press("slash", *"no_null", "down", "escape", "escape")
        assert bench(app)


async def test_where_nothing_is_found_nothing_can_be_taken() -> None:
    async with opened(SCENE) as (app, pilot):
        await pilot.press("b", "slash", *"xyz", "enter", "down", "end", "pageup", "tab", "shift+tab", "s", "enter")
        assert 'Nothing here has "xyz" in its words.' in text(app)
        assert chooser(app).scene.tried(HERE[0]) is None


async def test_the_names_of_gro_are_whole_and_its_questions_can_be_told_apart() -> None:
    async with opened(f"{SCENE} gro=on", size=(80, 24)) as (app, pilot):
        await pilot.press("b", "end")
        for name in reversed(chooser(app).rules):
            line = next(line for line in text(app).splitlines() if f" {name} " in line)
            assert line.split(name)[1].split()[0] in ("lamp", "bill")
            if name in QUESTIONS:
                assert flat(RULES[name].says) in flat(text(app).replace("█", " "))
            await pilot.press("up")


async def test_a_long_page_has_a_bar_and_the_wheel_moves_it() -> None:
    async with opened(SCENE, size=(80, 24)) as (app, pilot):
        await pilot.press("b")
        assert [line[78:] for line in text(app).splitlines()[2:-1]][-1] == "▼"
        app.screen.on_mouse_scroll_down()  # type: ignore[attr-defined]
        await pilot.pause()
        assert text(app).splitlines()[2][78:] == "▲"
        assert chooser(app).chosen == 0
        await pilot.click("#body", offset=(78, 18))
        await pilot.press("down")
        assert f"{glyph(app)} " in text(app)
        assert f"2 of {len(HERE)}" in title(app)


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60)])
async def test_its_screens_look_like_this(width: int, height: int) -> None:
    async with opened(SCENE, size=(width, height)) as (app, pilot):
        await pilot.press("b", *["down"] * HERE.index("flip"), "enter")
        is_golden(f"broken-{width}x{height}", text(app))
        await pilot.press("escape")
        is_golden(f"break-{width}x{height}", text(app))
