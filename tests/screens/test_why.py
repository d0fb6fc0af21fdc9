"""`w` in the real app, and the two panels of GRO and the socket at every size."""

from __future__ import annotations

import pytest

from rxviz.run.gro_pair import Pairs
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.why import WhyScreen
from tests.screens.support import bench, is_golden, opened, text

SWAPPED = "ixgbe ring=64 traffic=tcp:1514x40 gro=on order=swap:7 itr=60 reader=slow"
LETTERS = {"m": "gro.merge", "l": "gro.flush", "h": "gro.held"}


async def test_w_lists_every_rule_and_the_smallest_change() -> None:
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press("n", "h", "n", "h", "n", "h")
        pairs = Pairs(bench(app).session.moment)
        assert pairs.own is not None
        answer = pairs.ask(*pairs.own)
        frame, why = answer.frame, answer.why
        assert not why.merges
        await pilot.press("w")
        assert isinstance(app.screen, WhyScreen)
        shown = text(app)
        assert "did not join" in shown
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
        assert "C joined B: every rule that could keep it out passed." in text(app)


async def test_w_where_gro_is_off_is_a_sentence() -> None:
    async with opened("first-flip") as (app, pilot):
        await pilot.press("w")
        assert "GRO is off in this run" in text(app)


async def test_w_where_there_are_no_two_frames_is_a_sentence() -> None:
    async with opened("ixgbe ring=64 traffic=tcp:1514x1 gro=on") as (app, pilot):
        await pilot.press("w")
        assert "no two frames" in text(app)


@pytest.mark.parametrize("keys", [(), ("G",)])
async def test_w_asks_about_two_frames_where_none_is_before_gro(keys: tuple[str, ...]) -> None:
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press(*keys, "w")
        assert isinstance(app.screen, WhyScreen)
        assert "Asked as if GRO held" in text(app)


def page(app: RxvizApp) -> WhyScreen:
    assert isinstance(app.screen, WhyScreen)
    return app.screen


async def test_any_two_frames_are_picked_by_keys() -> None:
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press("w")
        assert (page(app).number, page(app).held) == (1, (0,))
        await pilot.press("right", "right")
        assert (page(app).number, page(app).held) == (3, (0,))
        assert "D does not join A." in text(app)
        await pilot.press("tab", "right", "right")
        assert (page(app).number, page(app).held) == (3, (2,))
        await pilot.press("right")
        assert (page(app).number, page(app).held) == (3, (4,)), "not the frame itself"
        assert "the other way round than they came" in " ".join(text(app).split())
        await pilot.press("left", "left", "left", "left", "left")
        assert page(app).held == (0,)
        await pilot.press("right_square_bracket", "tab", "left_square_bracket")
        assert (page(app).number, page(app).held) == (0, (10,))
        await pilot.press("right_square_bracket", *["right_square_bracket"] * 9)
        assert page(app).number == 39, "the last frame"
        await pilot.press("r")
        assert (page(app).number, page(app).held) == (1, (0,))
        assert "Asked as if GRO held A and B came next." in text(app)


async def test_any_two_frames_are_picked_with_the_mouse() -> None:
    async with opened(SWAPPED) as (app, pilot):
        await pilot.press("w")
        for label, letter, expected in (("frame", "D", (3, (0,))), ("against", "C", (3, (2,)))):
            y, line = next((y, line) for y, line in enumerate(text(app).split("\n")) if label in line)
            await pilot.click(offset=(line.index(f" {letter} ") + 1, y))
            assert (page(app).number, page(app).held) == expected
        assert "D joins C" in text(app)


FLOWS = "ixgbe ring=64 traffic=tcp:1514x24 gro=on flows=3 itr=60"


async def test_a_frame_against_a_packet_that_is_held() -> None:
    async with opened(FLOWS) as (app, pilot):
        await pilot.press("n", "m", "n", "m", "n", "m", "n", "m")
        pairs = Pairs(bench(app).session.moment)
        assert len(pairs.packets) == 3
        await pilot.press("w")
        before = page(app).number
        packets = [packet for packet in pairs.packets if before not in packet]
        assert "held now" in text(app)
        await pilot.press("tab", "tab")
        assert (page(app).number, page(app).held) == (before, packets[0])
        await pilot.press("right")
        assert page(app).held == packets[1]
        assert "This packet is held now; asked as if" in text(app)
        assert "receive hash differs" in text(app)
        later = next(n for n in range(before + 1, 24) if n % 3 == packets[1][0] % 3 and n not in packets[1])
        for _ in range(40):
            if page(app).number == later:
                break
            await pilot.press("tab", "right", "tab", "tab")
            while page(app).held != packets[1]:
                await pilot.press("right")
        assert page(app).number == later


async def test_a_rule_that_is_off_shows_as_off() -> None:
    async with opened("ixgbe ring=64 traffic=tcp:1514x6 gro=on off=gro_in_sequence", size=(120, 60)) as (app, pilot):
        await pilot.press("w")
        assert "○ next in sequence" in text(app)
        await pilot.press("G")
        assert "○ switched off" in " ".join(text(app).split())


async def test_a_frame_in_a_packet_cannot_join_it() -> None:
    async with opened(FLOWS) as (app, _):
        with pytest.raises(ValueError, match="in the packet"):
            Pairs(bench(app).session.moment).ask(3, (0, 3))


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_the_page_as_it_was_agreed(size: tuple[int, int]) -> None:
    async with opened(SWAPPED, size=size) as (app, pilot):
        await pilot.press("n", "h", "n", "h", "n", "h", "w")
        is_golden(f"why-{size[0]}x{size[1]}", text(app))


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
