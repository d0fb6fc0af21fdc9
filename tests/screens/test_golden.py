"""Whole screens as text, at the sizes that people have."""

from __future__ import annotations

import pytest

from rxviz.screens.terminal import Terminal
from tests.screens.support import bench, is_golden, opened, text

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_workbench_at_the_first_flip(size: tuple[int, int]) -> None:
    async with opened("first-flip", size=size) as (app, pilot):
        await pilot.press("n", "f")
        is_golden(f"bench-{size[0]}x{size[1]}", text(app))


SMALL = {
    "refill": ("mv643xx_eth forward=bridge", "rxq.refill"),
    "lro": ("mv643xx_eth lro=on", "lro.merge"),
    "tpa": ("qede gro=on hw_gro=on", "tpa.frag"),
    "gro": ("ixgbe ring=8 gro=on", "gro.merge"),
}
"""What other drivers and merging look like on the smallest usual terminal: a run, and the step that it stands at."""


@pytest.mark.parametrize("name", SMALL)
async def test_other_runs_on_a_small_terminal(name: str) -> None:
    line, kind = SMALL[name]
    async with opened(*line.split(), size=(80, 24)) as (app, pilot):
        session = bench(app).session
        session.seek(session.timeline.next_of(0, kind) or 0)
        bench(app).update()
        await pilot.pause()
        shown = text(app)
        await pilot.press("2")
        is_golden(f"small-{name}", f"{shown}\n{text(app)}")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_home(size: tuple[int, int]) -> None:
    async with opened(size=size) as (app, _):
        is_golden(f"home-{size[0]}x{size[1]}", text(app))


async def test_help() -> None:
    async with opened("first-flip", size=(100, 80)) as (app, pilot):
        await pilot.press("question_mark")
        is_golden("help", text(app))


async def test_ascii_has_no_other_letters() -> None:
    async with opened("first-flip", terminal=Terminal(ascii=True)) as (app, pilot):
        await pilot.press("n")
        assert text(app).isascii()
        await pilot.press("f")
        is_golden("bench-ascii", text(app))
        assert text(app).isascii()
        await pilot.press("question_mark")
        assert text(app).isascii()
