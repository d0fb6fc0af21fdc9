"""`w` in the real app, and the two panels of GRO and the socket at every size."""

from __future__ import annotations

import pytest

from rxviz.run.gro_moment import why_not
from rxviz.screens.screens.why import WhyScreen
from tests.screens.support import bench, opened, text

SWAPPED = "ixgbe ring=64 traffic=tcp:1514x40 gro=on order=swap:7 itr=60 reader=slow"
LETTERS = {"m": "gro.merge", "l": "gro.flush", "h": "gro.held"}


async def test_w_lists_every_rule_and_the_smallest_change() -> None:
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press("n", "h", "n", "h", "n", "h")
        found = why_not(bench(app).session.moment)
        assert found is not None
        frame, _, why = found
        assert not why.merges
        await pilot.press("w")
        assert isinstance(app.screen, WhyScreen)
        shown = text(app)
        assert "does not join" in shown
        for asked in why.in_the_way:
            assert asked.new in shown
            assert asked.old in shown
        assert why.smallest
        for change in why.smallest:
            assert f"{change.field} {change.becomes} instead of {change.was}" in " ".join(shown.split())
        await pilot.press("G")
        assert "not reached" in text(app)
        await pilot.press("escape")
        step = bench(app).session.moment.step
        assert step is not None
        assert step.frame == frame.id


async def test_w_on_a_merge_says_that_nothing_is_in_the_way() -> None:
    async with opened("ixgbe ring=64 traffic=tcp:1514x40 gro=on itr=60") as (app, pilot):
        await pilot.press("n", "m", "w")
        assert isinstance(app.screen, WhyScreen)
        assert "Every rule that could keep it out passed." in text(app)


async def test_w_where_gro_is_off_or_nothing_has_come_is_a_sentence() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("w")
        assert "GRO is off in this run" in text(app)
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press("w")
        assert "No two frames have come yet" in text(app)


async def test_w_asks_about_the_two_last_frames_where_no_frame_is_before_gro() -> None:
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press("G", "w")
        assert isinstance(app.screen, WhyScreen)


@pytest.mark.parametrize("size", [(120, 40), (200, 60)])
@pytest.mark.parametrize(("letter", "words"), [("m", "joined"), ("l", "has left"), ("h", "is held")])
async def test_the_panels_stand_between_skb_and_story(size: tuple[int, int], letter: str, words: str) -> None:
    async with opened(SWAPPED, size=size) as (app, pilot):
        await pilot.press("n", letter, "n", letter, "n", letter)
        step = bench(app).session.moment.step
        assert step is not None
        assert step.name == LETTERS[letter]
        shown = text(app)
        assert words in shown
        assert "of 212,992 charged" in shown
        lines = shown.split("\n")
        row = next(line for line in lines if " sk_buff " in line)
        assert row.index("sk_buff") < row.index("GRO") < row.index("Socket")


async def test_each_is_a_panel_of_its_own_where_there_is_room_for_one() -> None:
    async with opened(SWAPPED, size=(80, 24)) as (app, pilot):
        await pilot.press("n", "m", "7")
        assert "joined" in text(app)
        await pilot.press("8")
        assert "charged" in text(app)
