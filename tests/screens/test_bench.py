"""The workbench in the real app: walking, jumping, looking, asking, and every size of terminal."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual.command import CommandPalette
from textual.widgets import Input

from rxviz.model import steps
from rxviz.run import shipped
from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens import layout
from rxviz.screens.actions import BENCH, footer
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.help import HelpScreen
from rxviz.screens.screens.leaves_out import LeavesOutScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Role, Span
from rxviz.view.panels import PANELS
from tests.screens.support import bench, opened, pictures, text

KNOWN = tuple(PANELS)


async def test_forward_and_back_show_the_same_again() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press(*["right"] * 12)
        there = pictures(app)
        await pilot.press("right", "right", "left", "left")
        assert pictures(app) == there
        await pilot.press("l", "full_stop", "h", "comma")
        assert pictures(app) == there
        assert bench(app).session.position == 12
        await pilot.press("g")
        assert bench(app).session.position == 0
        await pilot.press("left")
        assert "The start of the run." in text(app)
        await pilot.press("G", "right")
        assert bench(app).session.position == bench(app).session.timeline.length
        assert "The end of the run." in text(app)


async def test_frames_polls_and_zoom() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("down")
        assert b.session.moment.step is not None
        assert b.session.moment.step.name == "socket.queue"
        first = b.session.position
        await pilot.press("j", "up")
        assert b.session.position == first
        await pilot.press("pagedown")
        assert b.session.moment.step is not None
        assert b.session.moment.step.name == "poll.end"
        await pilot.press("g", "z", "right")
        assert b.session.position == first
        assert "by frame" in text(app)


async def test_play_goes_on_by_itself_and_stops_at_the_end() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("G", "left", "left", *["plus"] * 9)
        assert b.clock.words == "×16"
        await pilot.press("space")
        for _ in range(100):
            await pilot.pause(0.02)
            if not b.clock.playing:
                break
        assert b.session.position == b.session.timeline.length
        assert "The end of the run." in text(app)


async def test_pause_holds_and_help_pauses() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("space", "space")
        assert not b.clock.playing
        await pilot.press("space", "question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert not b.clock.playing


async def test_jumps_to_the_next_of_a_kind_and_back() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("n")
        assert "To the next" in text(app)
        assert "f flip" in text(app)
        await pilot.press("f")
        first = b.session.position
        assert b.session.moment.step is not None
        assert b.session.moment.step.name == "page.flip"
        assert "The driver flips page 0" in text(app)
        await pilot.press("n", "n")
        second = b.session.position
        assert second > first
        await pilot.press("N", "f")
        assert b.session.position == first
        await pilot.press("n", "escape")
        assert "To the next" not in text(app)
        assert b.session.position == first
        await pilot.press("n", "c")
        assert "No copy from here" in text(app)
        assert b.session.position == first


async def test_a_letter_that_answers_a_menu_does_nothing_else() -> None:
    async with opened("first-flip") as (app, pilot):
        theme = app.theme
        await pilot.press("n", "t", "n", "x")
        assert app.theme == theme
        assert bench(app).session.left == []


async def test_a_kind_that_is_not_known_yet_is_looked_for_while_keys_go_through() -> None:
    app = RxvizApp(Timeline(resolve(["ixgbe", "ring=8", "traffic=tcp:1514x400"])))
    async with app.run_test(size=(120, 40)) as pilot:
        b = bench(app)
        await pilot.press("n", "c", "right")
        assert b.session.position == 1
        await pilot.press("end")
        for _ in range(200):
            await pilot.pause(0.02)
            if b.session.timeline.complete:
                break
        assert b.session.position == b.session.timeline.length > 5000


async def test_mouse_on_the_whole_run_seeks() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.click("#scrubber", offset=(60, 1))
        middle = b.session.position
        assert 0 < middle < b.session.timeline.length
        await pilot.mouse_down("#scrubber", offset=(60, 1))
        await pilot.hover("#scrubber", offset=(90, 1))
        assert b.session.position > middle
        await pilot.mouse_up("#scrubber", offset=(90, 1))
        late = b.session.position
        await pilot.hover("#scrubber", offset=(20, 1))
        assert b.session.position == late
        await pilot.click("#scrubber", offset=(119, 1))
        assert b.session.position == b.session.timeline.length
        await pilot.click("#scrubber", offset=(0, 1))
        assert b.session.position == 0


async def test_mouse_on_the_steps_goes_to_that_very_step() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("n", "f")
        here = b.session.position
        row = b.query_one("#scrubber", Cells).picture.text().split("\n")[0]
        await pilot.click("#scrubber", offset=(row.index("s", row.index("[")), 0))
        assert b.session.moment.step is not None
        assert b.session.moment.step.name == "skb.deliver"
        assert b.session.position == here + 4
        await pilot.mouse_down("#scrubber", offset=(40, 0))
        there = b.session.position
        await pilot.hover("#scrubber", offset=(60, 0))
        assert b.session.position == there
        await pilot.mouse_up("#scrubber", offset=(60, 0))


@pytest.mark.parametrize(("part", "kind"), [("ring", "slot"), ("pages", "half"), ("skb", "skb")])
async def test_what_is_pressed_is_looked_into(part: str, kind: str) -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("n", "s")
        cells = b.query_one(f"#{part}", Cells)
        target = next(target for target in cells.picture.targets if target.kind == kind)
        await pilot.click(f"#{part}", offset=(target.x, target.y))
        assert b.chosen == "bytes"
        assert b.query_one("#bytes").region.area
        await pilot.press("escape")
        assert b.chosen == part


async def test_the_bar_can_be_pressed() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        assert footer(BENCH)[0].name == "forward"
        await pilot.click("#keys", offset=(2, 0))
        assert b.session.position == 1
        await pilot.click("#keys", offset=(115, 0))
        await pilot.pause()
        assert isinstance(app.screen, CommandPalette)


async def test_panels_by_number_and_by_tab() -> None:
    async with opened("first-flip", size=(80, 24)) as (app, pilot):
        b = bench(app)
        for number, key in enumerate(KNOWN, 1):
            await pilot.press(str(number))
            assert b.chosen == key
            assert b.query_one(f"#{key}").region.area
            assert b.query_one("#story").region.area
        await pilot.press("tab")
        assert b.chosen == KNOWN[0]
        await pilot.press("shift+tab")
        assert b.chosen == KNOWN[-1]
        await pilot.press("1", "enter")
        assert b.chosen == "bytes"
        await pilot.press("enter")
        assert b.chosen == KNOWN[0]
        await pilot.click("#tabs", offset=(14, 0))
        assert b.chosen == KNOWN[1]


async def test_where_one_panel_is_in_sight_it_is_the_step_s() -> None:
    async with opened("first-flip", size=(80, 24)) as (app, pilot):
        b = bench(app)
        assert b.chosen == "ring"
        seen = {}
        for _ in range(45):
            await pilot.press("right")
            assert b.session.moment.step is not None
            seen[b.session.moment.step.name] = b.chosen
            assert b.query_one(f"#{b.chosen}").region.area
        assert seen["nic.dma"] == seen["page.flip"] == seen["buf.take"] == "pages"
        assert seen["skb.build"] == "skb"
        assert seen["desc.post"] == seen["wire.arrive"] == seen["poll.start"] == "ring"
        await pilot.press("2")
        assert "0 follow " in text(app)
        await pilot.press("0")
        assert "0 follow " not in text(app)


async def test_a_panel_stays_when_it_is_pinned_until_it_is_let_go() -> None:
    async with opened("first-flip", size=(80, 24)) as (app, pilot):
        b = bench(app)
        for let_go in ("3", "0"):
            await pilot.press("g", "3", "n", "f")
            assert b.chosen == "skb"
            assert "3 skb·" in text(app)
            assert "2 Pages●" in text(app)
            await pilot.press("enter", "escape")
            assert (b.chosen, b.pinned) == ("skb", True)
            await pilot.press(let_go)
            assert (b.chosen, b.pinned) == ("pages", False)
            assert "2 Pages  " in text(app)
        await pilot.press("enter", "right")
        assert b.chosen == "bytes"
        await pilot.press("escape")
        assert (b.chosen, b.pinned) == ("pages", False)


@pytest.mark.parametrize("run", ["first-flip", "slow-reader", "jumbo", "mv643xx_eth forward=bridge"])
async def test_on_a_small_window_the_ring_keeps_its_room_and_the_story_is_a_key_away(run: str) -> None:
    async with opened(*run.split(), size=(80, 24)) as (app, pilot):
        cut = 0
        for _ in range(30):
            await pilot.press("right")
            lines = story_lines(app)
            assert len(lines) == bench(app).query_one("#story").size.height
            if bench(app).chosen == "ring":
                assert "┏" in text(app), "the slot in question is not drawn"
            if any("…" in line for line in lines[1:-1]):
                cut, was = cut + 1, bench(app).chosen
                assert "4 tells it in full" in lines[-1]
                await pilot.press("4")
                assert not any("…" in line for line in story_lines(app)[1:-1])
                assert "tells it in full" not in text(app)
                await pilot.press("4")
                assert bench(app).chosen == was
            else:
                assert "tells it in full" not in text(app)
        assert cut


def story_lines(app: RxvizApp) -> list[str]:
    return bench(app).query_one("#story", Cells).picture.text().split("\n")


async def test_tabs_have_every_number_at_any_width() -> None:
    for width in (60, 76, 80, 100):
        async with opened("first-flip", size=(width, 24)) as (app, pilot):
            await pilot.press("2")
            line = text(app).split("\n")[3]
            numbers = [word for word in re.split("[ ·●]+", line) if word.isdigit()]
            assert numbers[:9] == list("123456789")
            assert "Pages" in line
            assert "0 follow" in text(app)


async def test_the_menu_says_how_many_are_ahead_and_behind() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        flips = b.session.timeline.kinds.count(steps.PAGE_FLIP)
        await pilot.press("n", "f", "n")
        assert f"f flip {flips - 1} " in text(app)
        assert "e complete 10 " in text(app)
        spans = [span for line in b.query_one("#menu", Cells).picture.lines for span in line]
        assert Span("f", Role.KEY) in spans
        assert Span("d drop", Role.REST) in [Span(span.text.rstrip(), span.role) for span in spans]
        await pilot.press("f", "N")
        assert "f flip 1 " in text(app)


@pytest.mark.parametrize("size", [(80, 24), (60, 18), (120, 40), (200, 60)])
@pytest.mark.parametrize("key", ["n", "x"])
async def test_menus_leave_the_sentence_and_the_track_in_sight(size: tuple[int, int], key: str) -> None:
    async with opened("first-flip", size=size) as (app, pilot):
        await pilot.press("n", "f", key)
        b = bench(app)
        menu = b.query_one("#menu").region
        assert menu.area
        assert not menu.overlaps(b.query_one("#story").region)
        assert not menu.overlaps(b.query_one("#scrubber").region)


async def test_a_frame_on_the_strip_can_be_followed() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("right")
        target = next(target for target in b.query_one("#strip", Cells).picture.targets if target.kind == "frame")
        await pilot.click("#strip", offset=(target.x, target.y))
        assert b.session.moment.step is not None
        assert b.session.moment.step.frame == target.value
        assert b.session.position > 1


async def test_the_bytes_of_a_half_stay_in_sight_and_scroll() -> None:
    async with opened("first-flip", size=(200, 60)) as (app, pilot):
        b = bench(app)
        cells = b.query_one("#pages", Cells)
        target = next(t for t in cells.picture.targets if t.kind == "half" and t.value == "0:0")
        await pilot.click("#pages", offset=(target.x, target.y))
        await pilot.press("n", "s", "n", "s")
        assert "descriptor 1 · page 0 half A" in text(app)
        before = b.query_one("#bytes", Cells).picture.text()
        await pilot.press("J", "J")
        scrolled = b.query_one("#bytes", Cells).picture.text()
        assert scrolled != before
        await pilot.press(*"KKK")
        assert b.query_one("#bytes", Cells).picture.text() == before


async def test_a_slot_is_shown_by_its_number() -> None:
    async with opened("first-flip") as (app, pilot):
        target = next(t for t in bench(app).query_one("#ring", Cells).picture.targets if t.value == 5)
        await pilot.click("#ring", offset=(target.x + 1, target.y + 1))
        assert "descriptor 5" in text(app)


async def test_a_capture_that_breaks_off_says_where(tmp_path: Path) -> None:
    whole = shipped.captures()["mixed"].path.read_bytes()
    (tmp_path / "cut.pcap").write_bytes(whole[:5000])
    app = RxvizApp(Timeline(resolve([str(tmp_path / "cut.pcap")])))
    async with app.run_test(size=(200, 60)) as pilot:
        for _ in range(100):
            await pilot.pause(0.02)
            if bench(app).session.timeline.complete:
                break
        await pilot.pause()
        assert "The capture breaks off at byte" in text(app)
        await pilot.press("n", "s")
        assert "goes up the stack" in text(app)


async def test_a_what_if_and_the_way_back() -> None:
    async with opened("first-flip") as (app, pilot):
        b = bench(app)
        await pilot.press("n", "s")
        here, run = pictures(app), b.session.timeline
        await pilot.press("x")
        assert "What if, from step 16 on" in text(app)
        await pilot.press("o")
        assert "what if: reader off from step 16 · X returns" in text(app)
        assert "X or Esc returns" in text(app)
        await pilot.press(*["right"] * 20)
        await pilot.press("escape")
        assert b.session.timeline is run
        assert b.session.position == 16
        await pilot.press("z", "z", "z", "up", "down", "g", "n", "s")
        assert pictures(app) == here
        await pilot.press("X")
        assert "This is the run itself" in text(app)


async def test_pages_about_the_model_and_the_keys() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("m")
        assert isinstance(app.screen, LeavesOutScreen)
        assert "A ring of 8 is for teaching" in text(app)
        await pilot.press("escape", "question_mark")
        assert isinstance(app.screen, HelpScreen)
        assert "One stop forward" in text(app)
        await pilot.press("pagedown", "down", "up", "G")
        assert "hypothesis" in text(app)
        await pilot.press("q")
        bench(app)


async def test_the_palette_does_what_keys_do() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("ctrl+p")
        await pilot.pause()
        app.screen.query_one(Input).value = "step forward"
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause()
        assert bench(app).session.position == 1


SIZES = [(60, 18), (59, 18), (20, 5), (80, 24), (300, 100), (1, 1), (118, 36), (117, 36), (180, 50), (120, 40)]


async def test_no_size_breaks_it_and_each_paints_what_it_would_from_the_start() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("n", "s")
        narrow = ""
        for size in SIZES:
            await pilot.resize_terminal(*size)
            await pilot.pause()
            screen = text(app)
            if layout.size_name(*size) == "small":
                assert bench(app).query_one("#small").region.size == size
            else:
                assert "goes up the stack" in screen
            narrow = screen if size == (80, 24) else narrow
    async with opened("first-flip", size=(80, 24)) as (app, pilot):
        await pilot.press("n", "s")
        assert text(app) == narrow


async def test_too_small_a_window_says_what_is_needed() -> None:
    async with opened("first-flip", size=(40, 10)) as (app, _):
        assert "rxviz needs 60 x 18" in text(app)
        assert "this is 40 x 10" in text(app)


async def test_q_leaves_and_escape_does_not() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("escape")
        assert "q quits." in text(app)
        await pilot.press("q")
        assert app.return_code == 0


async def test_ctrl_q_leaves_from_anywhere_and_ctrl_c_says_so() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("question_mark", "ctrl+c")
        assert app.return_code is None
        await pilot.press("ctrl+q")
        assert app.return_code == 0


async def test_motion_comes_to_rest() -> None:
    async with opened("first-flip", motion=True) as (app, pilot):
        await pilot.press(*["right"] * 9)
        await pilot.pause(0.5)
        moved = pictures(app), text(app)
        assert not any(cells.moving for cells in app.screen.query(Cells))
    async with opened("first-flip") as (app, pilot):
        await pilot.press(*["right"] * 9)
        assert (pictures(app), text(app)) == moved


async def test_without_motion_nothing_comes_between() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("right")
        assert not any(cells.moving for cells in app.screen.query(Cells))


async def test_any_key_ends_a_motion_at_once() -> None:
    async with opened("first-flip", motion=True) as (app, pilot):
        screen = bench(app)
        screen.do_forward()
        screen.do_forward()
        assert any(cells.moving for cells in app.screen.query(Cells))
        await pilot.press("w")
        assert not any(cells.moving for cells in app.screen.query(Cells))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)])
async def test_who_runs_when_comes_and_goes_by_its_key(size: tuple[int, int]) -> None:
    async with opened("ixgbe", "ring=8", size=size) as (app, pilot):
        unasked = "who runs" in text(app)
        assert unasked == (size == (200, 60))
        before = pictures(app)
        await pilot.press("c")
        assert ("who runs" in text(app)) is not unasked
        await pilot.press("right", "right", "right")
        assert ("CPU 1" in text(app)) is not unasked
        await pilot.press("left", "left", "left", "c")
        assert pictures(app) == before


async def test_the_end_says_what_was_to_fail_and_never_did() -> None:
    async with opened("ixgbe", "ring=8", "fail=alloc_page@77", size=(80, 24)) as (app, pilot):
        told = "fail=alloc_page@77 never took effect: alloc_page was never tried."
        assert told not in text(app)
        await pilot.press("end")
        assert told in text(app)
        await pilot.press("left")
        assert told not in text(app)
        await pilot.press("right")
        assert told in text(app)
        await pilot.press("m")
        assert isinstance(app.screen, LeavesOutScreen)
        assert told in text(app)
    async with opened("ixgbe", "ring=8", "fail=map@1", "reader=off", size=(80, 24)) as (app, pilot):
        await pilot.press("end")
        assert "never took effect" not in text(app)


@pytest.mark.parametrize(
    ("line", "tab", "told"),
    [
        ("mv643xx_eth lro=on", "7 LRO", "LRO merges here, not GRO"),
        ("mv643xx_eth", "7 GRO", "Nobody calls GRO here"),
        ("ixgbe ring=8", "7 GRO", "GRO is off in this run"),
    ],
)
async def test_w_without_gro_says_who_merges(line: str, tab: str, told: str) -> None:
    async with opened(*line.split(), size=(80, 24)) as (app, pilot):
        assert tab in text(app)
        await pilot.press("w")
        assert told in text(app)
        if line.startswith("mv"):
            await pilot.press("v")
            assert "mv643xx_eth 3.9 has only the legacy path: nothing to compare" in text(app)
        last = text(app).rstrip().split("\n")[-1]
        assert "…" not in last


async def test_on_a_small_terminal_a_what_if_says_how_to_leave_it() -> None:
    async with opened("qede", size=(80, 24)) as (app, pilot):
        assert "Press → for the first step, or space to play." in text(app)
        await pilot.press("down", "x", "o")
        first, *_, last = text(app).rstrip().split("\n")
        assert "reader off from step" in first
        assert "X returns" in first
        assert "X or Esc returns." in last
