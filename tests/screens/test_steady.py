"""What goes wrong while the app runs: faults, bytes that no keyboard sends, clicks and keys that come too late."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from textual import events
from textual.command import CommandInput, CommandPalette
from textual.widgets import Input, Static

from rxviz.run import shipped
from rxviz.run.timeline import Timeline
from rxviz.screens import opening
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.home import HomeScreen
from rxviz.screens.screens.lanes import LanesScreen
from rxviz.screens.screens.open import OpenScreen
from rxviz.screens.screens.sandbox import SandboxScreen
from rxviz.screens.steady import LONGEST_LINE
from tests.screens.support import bench, opened, text
from tests.screens.test_launch import RESTORED, on_a_terminal

needs_a_terminal = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
FAULTY = """
import sys
from rxviz.cli.main import main
from rxviz.screens.screens import bench
def fault(self):
    raise {error}
bench.BenchScreen.{where} = fault
sys.argv = ["rxviz", "play", "first-flip"]
main()
"""


def typing(sent: bytes) -> Callable[[int, int], None]:
    def act(_: int, master: int) -> None:
        os.write(master, sent)

    return act


press_z = typing(b"z")


@needs_a_terminal
def test_a_fault_ends_in_one_sentence_and_70() -> None:
    output, status = on_a_terminal(press_z, FAULTY.format(where="do_zoom", error="KeyError('lost')"))
    screen, _, after = output.partition(RESTORED)
    assert status == 70
    assert after.count(b"fault in rxviz") == 1
    assert b"KeyError: 'lost'" in after
    assert b"RXVIZ_DEBUG=1" in after
    assert b"Traceback" not in output
    assert b"\x1b[?1000l" in screen


@needs_a_terminal
def test_a_fault_shows_where_it_was_when_that_is_asked_for() -> None:
    program = FAULTY.format(where="do_zoom", error="KeyError('lost')")
    output, status = on_a_terminal(press_z, program, RXVIZ_DEBUG="1")
    assert status == 70
    assert b"Traceback" in output.partition(RESTORED)[2]
    assert b"in fault" in output


@needs_a_terminal
@pytest.mark.parametrize("sent", [b"\xff", b"\xe9", b"\x1b[M \xf0\xf0", b"\xc3\x28\xf0\x9f"])
def test_bytes_that_are_not_utf_8_are_left_out(sent: bytes) -> None:
    output, status = on_a_terminal(typing(sent + b"  \x11"))
    assert status == 0
    assert RESTORED in output
    assert b"Traceback" not in output


@needs_a_terminal
def test_the_palette_asked_for_on_the_way_out_is_ignored() -> None:
    output, status = on_a_terminal(typing(b"q\x10"))
    assert status == 0
    assert b"Traceback" not in output
    assert RESTORED in output


# --------------------------------------------------------------------------------------------- clicks that come twice
async def test_clicking_the_palette_away_twice_leaves_the_screen_below() -> None:
    async with opened() as (app, pilot):
        await pilot.press("2")
        app.action_command_palette()
        app.action_command_palette()
        await pilot.pause()
        palette = app.screen
        assert isinstance(palette, CommandPalette)
        assert len(app.screen_stack) == 3
        await pilot.click(offset=(2, 35), times=2)
        palette.dismiss()
        await pilot.pause()
        assert isinstance(app.screen, BenchScreen)


async def test_going_back_from_the_last_screen_is_ignored() -> None:
    async with opened() as (app, pilot):
        app.pop_screen()
        await pilot.pause()
        assert isinstance(app.screen, HomeScreen)


async def test_a_path_that_is_given_twice_opens_once() -> None:
    async with opened() as (app, pilot):
        await pilot.press("o")
        box = app.screen.query_one(Input)
        box.value = "first-flip"
        box.post_message(Input.Submitted(box, box.value))
        box.post_message(Input.Submitted(box, box.value))
        await pilot.pause()
        assert len(app.screen_stack) == 2
        assert isinstance(app.screen, BenchScreen)


@pytest.mark.parametrize("part", ["#strip", "#story", "#header"])
async def test_every_place_on_the_home_screen_can_be_pressed(part: str) -> None:
    async with opened(size=(80, 40)) as (app, pilot):
        size = app.screen.query_one(part).size
        for y in range(0, size.height, 3):
            for x in range(1, size.width, 25):
                await pilot.click(part, offset=(x, y))
        assert isinstance(app.screen, HomeScreen)


# ----------------------------------------------------------------------------------- captures that change meanwhile
@pytest.fixture
def capture(tmp_path: Path) -> Path:
    path = tmp_path / "mine.pcap"
    path.write_bytes(shipped.captures()["mixed"].path.read_bytes())
    return path


KEYS = (
    "right",
    "left",
    "down",
    "G",
    "g",
    "n",
    "f",
    "space",
    "space",
    "x",
    "1",
    "X",
    "tab",
    "enter",
    "5",
    "up",
    "pageup",
)


async def test_a_capture_that_is_cut_while_it_is_open_is_said_and_the_picture_stays(capture: Path) -> None:
    async with opened() as (app, pilot):
        app.push_screen(BenchScreen(Timeline(resolved(capture))))
        await pilot.pause()
        capture.write_bytes(b"")
        before = text(app).splitlines()[3:10]
        seen = []
        for key in KEYS:
            await pilot.press(key)
            await pilot.pause()
            seen.append(text(app))
        assert any("mine.pcap" in screen for screen in seen)
        assert any(line.strip() for line in before)
        for size in ((80, 24), (60, 18), (160, 50)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert max(len(line) for line in text(app).splitlines()) <= size[0]
        assert "mine.pcap" in text(app)
        assert app.is_running


def resolved(capture: Path) -> Any:
    from rxviz.run.what import resolve

    return resolve([str(capture)])


async def test_lanes_and_sandbox_on_a_capture_that_is_cut_stay(capture: Path) -> None:
    from rxviz.run.lane_words import make_lanes

    async with opened() as (app, pilot):
        for screen in (LanesScreen(make_lanes(resolved(capture))), SandboxScreen(resolved(capture), 20, "ring", 1)):
            whole = capture.read_bytes()
            app.push_screen(screen)
            for _ in range(20):
                await pilot.pause(0.02)
            capture.write_bytes(whole[:60])
            for key in ("right", "down", "right", "G", "g", "s", "n", "f", "tab", "x", "1"):
                await pilot.press(key)
            await pilot.resize_terminal(90, 30)
            await pilot.pause()
            assert app.screen is screen
            capture.write_bytes(whole)
            app.pop_screen()


async def test_whatever_a_key_runs_into_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    from rxviz.errors import CaptureError

    def gone(*_: object, **__: object) -> None:
        raise CaptureError("mine.pcap: is gone")

    async with opened("first-flip") as (app, pilot):
        for name in ("update", "do_zoom", "jump_to"):
            monkeypatch.setattr(BenchScreen, name, gone)
        await pilot.press("z")
        assert "mine.pcap: is gone" in text(app)
        bench(app).set_timer(0.001, gone)
        bench(app).say("")
        await pilot.pause(0.05)
        assert "mine.pcap: is gone" in text(app)
        bench(app).say("")
        app.call_later(gone)
        await pilot.pause()
        assert "mine.pcap: is gone" in text(app)


# ------------------------------------------------------------------------------------------------ pasting and opening
async def test_a_huge_paste_becomes_a_line_of_letters() -> None:
    async with opened() as (app, pilot):
        await pilot.press("o")
        box = app.screen.query_one(Input)
        box.post_message(events.Paste("A/\x1b[31m" * 20_000 + "\nmore"))
        await pilot.pause()
        assert len(box.value) == LONGEST_LINE
        assert box.value.startswith("A/[31mA/")
        await pilot.press("enter")
        assert isinstance(app.screen, OpenScreen)
        assert str(app.screen.query_one("#problem", Static).render()) != ""


async def test_a_huge_paste_into_the_palette_is_refused() -> None:
    async with opened() as (app, pilot):
        app.action_command_palette()
        await pilot.pause()
        box = app.screen.query_one(CommandInput)
        box.post_message(events.Paste("x" * 100_000))
        await pilot.pause()
        assert len(box.value) <= LONGEST_LINE


@pytest.mark.parametrize("waits", [True, False])
async def test_a_run_that_takes_long_to_open_holds_up_no_key(waits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    may_open, was_open = Event(), Event()

    class Slow(Timeline):
        def __init__(self, *given: Any) -> None:
            may_open.wait(10)
            super().__init__(*given)
            was_open.set()

    monkeypatch.setattr(opening, "Timeline", Slow)
    monkeypatch.setattr(opening, "AT_ONCE", 0.01)
    async with opened() as (app, pilot):
        await pilot.press("2")
        assert "Opening …" in text(app)
        await pilot.press("t")
        if not waits:
            await pilot.press("escape")
            assert "Opening" not in text(app)
        may_open.set()
        assert was_open.wait(10)
        for _ in range(40):
            await pilot.pause(0.02)
        assert isinstance(app.screen, BenchScreen if waits else HomeScreen)
