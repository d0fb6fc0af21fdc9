"""The layout: for every size each part is inside, none lies on another, and what must be in sight is."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens import fitting, follow, layout
from rxviz.view.panels import PANELS

KNOWN = tuple(PANELS)


def overlap(a: layout.Rect, b: layout.Rect) -> bool:
    across = a.x < b.x + b.width and b.x < a.x + a.width
    return across and a.y < b.y + b.height and b.y < a.y + a.height


@given(st.integers(1, 320), st.integers(1, 120), st.sampled_from(KNOWN), st.sampled_from([0, 3, 4, 6]))
def test_parts_are_inside_and_apart(width: int, height: int, shown: str, cpus: int) -> None:
    places = layout.arrange(width, height, KNOWN, shown, cpus=cpus)
    for rect in places.values():
        assert rect.width > 0
        assert rect.height > 0
        assert rect.x >= 0
        assert rect.x + rect.width <= width
        assert rect.y >= 0
        assert rect.y + rect.height <= height
    for one, other in combinations(places, 2):
        assert not overlap(places[one], places[other]), (one, other)


@given(st.integers(60, 320), st.integers(18, 120), st.sampled_from(KNOWN))
def test_the_story_is_always_in_sight(width: int, height: int, shown: str) -> None:
    places = layout.arrange(width, height, KNOWN, shown)
    assert {"header", "strip", "story", "scrubber", "keys", shown} <= set(places)


def test_there_is_room_for_most_panels_from_118_by_36_on_and_for_all_from_180_by_50_on() -> None:
    assert set(KNOWN) - set(layout.arrange(118, 36, KNOWN, "ring")) == {"bytes", "counters"}
    assert set(KNOWN) <= set(layout.arrange(180, 50, KNOWN, "ring"))


@pytest.mark.parametrize("size", [(118, 36), (120, 40), (180, 50), (200, 60)])
def test_panels_get_the_room_that_they_are_good_at(size: tuple[int, int]) -> None:
    places = layout.arrange(*size, KNOWN, "ring")
    small = {
        key: (places[key].width, places[key].height)
        for key, panel in PANELS.items()
        if key in places and (places[key].width < panel.width or places[key].height < panel.height) and key != "bytes"
    }
    assert small == {}


@given(st.integers(1, 320), st.integers(1, 120))
def test_the_rows_of_who_runs_when_squeeze_no_panel_unasked(width: int, height: int) -> None:
    if layout.shows_cpus(width, height):
        places = layout.arrange(width, height, KNOWN, "ring", cpus=4)
        assert all(
            places[key].height >= panel.height for key, panel in PANELS.items() if key in places and key != "bytes"
        )


def test_the_rows_of_who_runs_when_are_there_unasked_at_200_by_60_only() -> None:
    assert layout.shows_cpus(200, 60)
    assert not layout.shows_cpus(120, 40)
    assert not layout.shows_cpus(80, 24)
    assert not layout.shows_cpus(80, 60)


def test_too_small_a_window_has_one_part() -> None:
    assert set(layout.arrange(59, 40, KNOWN, "ring")) == {"small"}
    assert set(layout.arrange(200, 17, KNOWN, "ring")) == {"small"}


@pytest.mark.parametrize("need", [1, 6, 14])
def test_a_ring_is_a_ring_at_80_by_24_however_long_the_story(need: int) -> None:
    places = fitting.with_story(layout.arrange(80, 24, KNOWN, "ring"), need)
    assert places["ring"].height == layout.RING_HEIGHT
    for key in {*KNOWN} - {"ring", "story"}:
        assert fitting.with_story(layout.arrange(80, 24, KNOWN, key), need)[key].height == layout.PANEL_HEIGHT


def test_a_high_and_narrow_terminal_shows_more_than_one() -> None:
    places = layout.arrange(100, 60, KNOWN, "skb")
    assert {"ring", "pages", "skb"} <= set(places)
    assert places["skb"].y < places["ring"].y < places["pages"].y


@given(st.integers(60, 320), st.integers(18, 120), st.integers(5, 40))
def test_home_keeps_its_parts_inside_and_apart(width: int, height: int, lines: int) -> None:
    places = layout.home(width, height, lines)
    assert all(rect.y >= 0 and rect.y + rect.height <= height and rect.height > 0 for rect in places.values())
    for one, other in combinations(places, 2):
        assert not overlap(places[one], places[other]), (one, other)
    if "strip" in places:
        assert places["body"].height == lines


@pytest.mark.parametrize(
    ("line", "kind", "panel"),
    [
        ("mv643xx_eth lro=on", "lro.merge", "gro"),
        ("mv643xx_eth forward=bridge", "bridge.send", "socket"),
        ("mv643xx_eth", "chunk.alloc", "pages"),
        ("qede gro=on hw_gro=on", "tpa.frag", "skb"),
        ("qede", "seg.next", "pages"),
        ("ixgbe ring=8 gro=on", "gro.merge", "gro"),
    ],
)
def test_a_small_terminal_follows_every_driver_s_steps(line: str, kind: str, panel: str) -> None:
    run = Timeline(resolve(line.split()))
    assert follow.panel_of(run.at(run.next_of(0, kind) or 0)) == panel
