"""Whole screens as text, at the sizes that people have."""

from __future__ import annotations

import pytest

from rxviz.screens.terminal import Terminal
from tests.screens.support import is_golden, opened, text

SIZES = [(80, 24), (120, 40), (200, 60)]


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_workbench_at_the_first_flip(size: tuple[int, int]) -> None:
    async with opened("first-flip", size=size) as (app, pilot):
        await pilot.press("n", "f")
        is_golden(f"bench-{size[0]}x{size[1]}", text(app))


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
