"""Two lanes in the real app: walking, differences, steps, the bill, one lane alone, the mouse, every size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.pilot import Pilot

from rxviz.run.lane_words import make_lanes
from rxviz.run.what import resolve
from rxviz.screens import actions
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens import lanes_layout
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.help import HelpScreen
from rxviz.screens.screens.lanes import LanesScreen
from rxviz.screens.screens.lanes_session import LanesSession
from rxviz.screens.terminal import Terminal
from rxviz.screens.widgets.cells import Cells
from rxviz.view import lanes_track
from tests.screens.support import is_golden, opened, pictures, text


@asynccontextmanager
async def lanes_opened(
    *words: str, lanes: Sequence[str] = (), size: tuple[int, int] = (120, 40), terminal: Terminal | None = None
) -> AsyncIterator[tuple[RxvizApp, Pilot[Any]]]:
    """Run the real app on two lanes, both played to their ends."""
    both = make_lanes(resolve(words or ("first-flip",)), lanes)
    for lane in (both.left, both.right):
        lane.play_on()
    app = RxvizApp(both, terminal)
    app.animation_level = "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def session(app: RxvizApp) -> LanesSession:
    assert isinstance(app.screen, LanesScreen)
    assert app.screen.session is not None
    return app.screen.session


# --------------------------------------------------------------------------------------------------------- the registry
def test_one_key_has_one_meaning_and_each_can_be_done() -> None:
    keys = actions.by_key(actions.LANES)
    assert sum(len(action.keys) for action in actions.for_screen(actions.LANES)) == len(keys)
    for action in actions.for_screen(actions.LANES):
        assert callable(getattr(LanesScreen, f"do_{action.name}", None)), action.name


# -------------------------------------------------------------------------------------------------------------- walking
async def test_the_lanes_show_both_names_and_what_each_does() -> None:
    async with lanes_opened() as (app, _):
        shown = text(app)
        assert "same 10 frames" in shown
        assert "frame 1 / 10" in shown
        assert "10 differences" in shown
        assert "copies 66 B of headers into a new 640-byte head" in shown
        assert "wraps an sk_buff round the bytes: no copy" in shown
        assert "legacy-rx on" in shown
        assert "legacy-rx off" in shown


async def test_frames_forward_and_back_show_the_same_again() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press("right", "right")
        assert session(app).number == 2
        there = pictures(app)
        await pilot.press("l", "h", "full_stop", "comma", "end", "home", "right", "right")
        assert pictures(app) == there
        await pilot.press("G", "right")
        assert session(app).number == 9
        assert "The last frame." in text(app)
        await pilot.press("g", "left")
        assert "The first frame." in text(app)


async def test_the_bill_is_that_of_the_machines_where_the_lanes_are() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press(*["right"] * 6)
        s = session(app)
        for lane, position in zip(s.both, s.positions, strict=True):
            assert lane.trace[position - 1].name == "socket.queue"
            assert lane.trace[position - 1].frame == 6
        left, right = (lane.timeline.at(position).machine for lane, position in zip(s.both, s.positions, strict=True))
        bill = {line.name: (line.left, line.right) for line in s.bill()}
        assert bill["bytes copied"] == (left.ledger.bytes_copied, right.ledger.bytes_copied) == (7 * 72, 0)
        assert bill["truesize charged"] == (7 * 2944, 7 * 2304)
        assert "Bill after 7 frames" in text(app)
        assert "20,608" in text(app)
        assert "16,128" in text(app)


async def test_n_goes_to_the_next_new_difference_and_p_back() -> None:
    async with lanes_opened("mixed") as (app, pilot):
        assert "43 differences of 2 kinds" in text(app)
        await pilot.press("N")
        assert session(app).number == 19
        assert "copies 66 bytes of headers" in text(app)
        await pilot.press("N")
        assert session(app).number == 19
        assert "differ only as earlier ones did" in text(app)
        await pilot.press("p")
        assert session(app).number == 0
        await pilot.press("P")
        assert "No difference of a new kind before this one." in text(app)


async def test_lanes_that_do_not_differ_say_so() -> None:
    async with lanes_opened(lanes=("ring=8", "ring=8")) as (app, pilot):
        assert "0 differences" in text(app)
        assert "do not part" in text(app)
        await pilot.press("N")
        assert "every frame goes the same way in both" in text(app)


async def test_into_the_steps_and_out_again() -> None:
    async with lanes_opened() as (app, pilot):
        s = session(app)
        await pilot.press("right")
        frames = pictures(app)
        await pilot.press("down")
        assert "step 1 / 15" in text(app)
        assert "Frame B, step by step" in text(app)
        await pilot.press("N")
        assert s.row == 6
        assert [lane.trace[at - 1].name for lane, at in zip(s.both, s.positions, strict=True)] == [
            "skb.alloc",
            "skb.build",
        ]
        assert "An skb with a new head of 640 bytes is" in text(app)
        await pilot.press("right")
        assert [lane.trace[at - 1].name for lane, at in zip(s.both, s.positions, strict=True)] == [
            "skb.frag",
            "skb.build",
        ]
        assert "waits: legacy does something" in text(app)
        assert "Bill at step 8 of frame B" in text(app)
        await pilot.press("P")
        assert s.row == 6
        await pilot.press("G", "right")
        assert (s.number, s.row) == (2, 0)
        await pilot.press("left")
        assert (s.number, s.row) == (1, 14)
        await pilot.press("home")
        assert s.row == 0
        await pilot.press("up")
        assert s.row is None
        assert pictures(app) == frames
        await pilot.press("down", "escape")
        assert s.row is None
        await pilot.press("k")
        assert "These are whole frames" in text(app)


async def test_each_step_of_a_frame_is_passed_once_in_both_lanes() -> None:
    async with lanes_opened("chained") as (app, pilot):
        s = session(app)
        await pilot.press("down")
        seen: list[set[int]] = [set(), set()]
        while s.number == 0:
            for side, at in zip(seen, s.positions, strict=True):
                side.add(at)
            assert s.forward()
        for side, lane in zip(seen, s.both, strict=True):
            assert side == {step.n + 1 for step in lane.by_frame[0]}


async def test_swap_turns_everything_round_but_the_place() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press("right", "right", "right")
        before = {line.name: (line.left, line.right) for line in session(app).bill()}
        first = pictures(app)
        await pilot.press("s")
        s = session(app)
        assert (s.number, s.lanes.left.name, s.lanes.right.name) == (3, "build_skb", "legacy")
        assert [side.role for side in s.sides] == ["build", "legacy"]
        assert {line.name: (line.right, line.left) for line in s.bill()} == before
        assert s.chosen == 1
        await pilot.press("s")
        assert pictures(app) == first


async def test_play_goes_from_frame_to_frame_and_stops_at_the_last() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press("G", "left", "left", *["plus"] * 9, "space")
        for _ in range(100):
            await pilot.pause(0.02)
            if not app.screen.clock.playing:  # type: ignore[attr-defined]
                break
        assert session(app).number == 9
        assert "The last frame." in text(app)


# -------------------------------------------------------------------------------------------------------- looking round
async def test_at_80_columns_the_lanes_stand_above_each_other_and_tab_shows_the_bill() -> None:
    async with lanes_opened(size=(80, 24)) as (app, pilot):
        lines = text(app).splitlines()
        rows = [next(y for y, line in enumerate(lines) if name in line) for name in ("legacy ━", "build_skb ━")]
        assert rows[0] < rows[1]
        assert "Bill after" not in text(app)
        await pilot.press("tab")
        assert "Bill after 1 frame" in text(app)
        assert "Where they part" in text(app)
        await pilot.press("right")
        assert "Bill after 2 frames" in text(app)
        await pilot.press("escape")
        assert "Bill after" not in text(app)


async def test_enter_opens_the_chosen_lane_alone_and_esc_comes_back() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press("right", "2", "enter")
        await pilot.pause()
        bench = app.screen
        assert isinstance(bench, BenchScreen)
        assert bench.session.timeline.scenario.path == "build_skb"
        assert bench.session.moment.step is not None
        assert (bench.session.moment.step.name, bench.session.moment.step.frame) == ("socket.queue", 1)
        assert "Esc goes back to both" in text(app)
        await pilot.press("escape")
        assert session(app).number == 1
        await pilot.press("tab", "enter")
        assert app.screen.session.timeline.scenario.path == "legacy"  # type: ignore[attr-defined]
        await pilot.press("q")
        await pilot.press("right")
        assert session(app).number == 2


async def test_help_names_the_keys_of_the_lanes() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press("question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "Let the lanes change places" in text(app)
        await pilot.press("escape", "m")
        assert "teaching model" in text(app)
        await pilot.press("escape")
        theme = app.theme
        await pilot.press("t")
        assert app.theme != theme


async def test_q_leaves_and_esc_does_not_from_the_first_screen() -> None:
    async with lanes_opened() as (app, pilot):
        await pilot.press("escape")
        assert "q quits." in text(app)
        await pilot.press("q")
        assert app.return_code == 0


# ------------------------------------------------------------------------------------------------------------ the mouse
async def test_the_track_seeks_and_lanes_can_be_pressed() -> None:
    async with lanes_opened() as (app, pilot):
        x = lanes_track.column_of(7, 120, 10)
        await pilot.click("#track", offset=(x, 1))
        assert session(app).number == 7
        await pilot.click("#right", offset=(5, 5))
        assert session(app).chosen == 1
        await pilot.click("#right", offset=(5, 5))
        await pilot.pause()
        assert isinstance(app.screen, BenchScreen)
        await pilot.press("escape")
        await pilot.press("down")
        await pilot.click("#steps", offset=(6, 5))
        assert session(app).row is not None
        assert session(app).row != 0
        await pilot.click("#keys", offset=(2, 0))


# --------------------------------------------------------------------------------------------------- from the workbench
async def test_v_in_the_workbench_opens_both_paths_at_the_same_frame_and_esc_comes_back() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("down", "down", "down", "v")
        for _ in range(100):
            await pilot.pause(0.02)
            if getattr(app.screen, "session", None) is not None:
                break
        assert session(app).frame == 2
        assert [lane.scenario.path for lane in session(app).both] == ["legacy", "build_skb"]
        await pilot.press("right", "escape")
        assert isinstance(app.screen, BenchScreen)


async def test_v_says_why_where_the_kernel_has_one_path_only() -> None:
    async with opened("before-the-series") as (app, pilot):
        await pilot.press("v")
        assert isinstance(app.screen, BenchScreen)
        assert "has only the legacy path" in text(app)


async def test_v_in_a_what_if_says_that_the_lanes_go_without_it() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("down", "x", "o", "v")
        assert isinstance(app.screen, LanesScreen)
        assert "without the what-if" in text(app)


async def test_lanes_that_are_too_long_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("v")
        await pilot.press("escape")
        monkeypatch.setattr("rxviz.run.lanes.Lane.__init__.__defaults__", ("", 100))
        await pilot.press("v")
        for _ in range(100):
            await pilot.pause(0.02)
            if "too many" in text(app):
                break
        assert "more than 100 steps" in text(app)
        await pilot.press("right", "down", "N", "s", "tab", "enter", "space", "1", "G")
        assert isinstance(app.screen, LanesScreen)
        await pilot.press("q")
        assert isinstance(app.screen, BenchScreen)


# ---------------------------------------------------------------------------------------------------------------- sizes
@pytest.mark.parametrize("size", [(60, 18), (80, 24), (99, 50), (100, 30), (120, 40), (200, 60), (59, 17), (20, 5)])
async def test_every_size_shows_what_it_has_room_for(size: tuple[int, int]) -> None:
    async with lanes_opened("mixed", size=size) as (app, pilot):
        for key in ("right", "N", "down", "N", "tab", "s", "up", "tab"):
            await pilot.press(key)
            shown = text(app)
            assert "frame" in shown or "needs" in shown
    for bill in (False, True):
        for steps in (False, True):
            places = lanes_layout.arrange(*size, bill=bill, steps=steps)
            taken = [[False] * size[0] for _ in range(size[1])]
            for x, y, width, height in places.values():
                assert width > 0
                assert height > 0
                for row in range(y, y + height):
                    for column in range(x, x + width):
                        assert not taken[row][column]
                        taken[row][column] = True


async def test_a_window_that_changes_its_size_shows_it_all_again() -> None:
    async with lanes_opened() as (app, pilot):
        whole = pictures(app)
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        await pilot.press("tab")
        await pilot.resize_terminal(120, 40)
        await pilot.pause()
        assert pictures(app) == whole


async def test_a_letter_for_everything_where_there_is_only_ascii() -> None:
    async with lanes_opened(terminal=Terminal(ascii=True, no_colour=True)) as (app, pilot):
        await pilot.press("right", "down")
        assert text(app).isascii()
        assert "lanes" in text(app)


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_golden(size: tuple[int, int]) -> None:
    async with lanes_opened(size=size) as (app, pilot):
        await pilot.press("right", "right")
        is_golden(f"lanes-{size[0]}x{size[1]}", text(app))
        await pilot.press("down", "N", "right")
        is_golden(f"lanes-steps-{size[0]}x{size[1]}", text(app))
        if size == (80, 24):
            await pilot.press("tab")
            is_golden("lanes-bill-80x24", text(app))


async def test_only_what_differs_is_painted_again() -> None:
    async with lanes_opened() as (app, pilot):
        before = {cells.id: cells.picture for cells in app.screen.query(Cells)}
        await pilot.press("right")
        after = {cells.id: cells.picture for cells in app.screen.query(Cells)}
        assert before["line"] == after["line"]
        assert before["left"] != after["left"]
