"""What is seen between two pictures: true words at every instant, and each frame exactly once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.run.timeline import Moment
from rxviz.view import motion, pages, ring, skb, strip
from rxviz.view.cell import Picture, Role, Span, Target
from rxviz.view.motion import FILLS, PAINTS, begin
from tests.view.moments import RUNS, timeline

WORD = re.compile(rf"[^\s─│{re.escape(''.join(FILLS))}]+")
PANELS = {"ring": ring.draw, "pages": pages.draw, "skb": skb.draw}


def at(moment: Moment, width: int) -> Picture:
    return strip.draw(moment, width, 3)


def shown(new: Picture, moving: motion.Motion | None) -> list[str]:
    lines = range(len(new.lines))
    return ["".join(text for text, _ in (moving.line(y) if moving else new.lines[y])) for y in lines]


@settings(max_examples=60, deadline=None)
@given(run=st.sampled_from(list(RUNS)), share=st.floats(0, 1), width=st.integers(30, 200), way=st.sampled_from([1, -1]))
def test_frames_slide_over_the_strip_and_are_there_once(run: str, share: float, width: int, way: int) -> None:
    line = timeline(run)
    position = round(share * (line.length - 1))
    old, new = (at(line.at(position + step), width) for step in ((0, 1) if way > 0 else (1, 0)))
    moving = begin(old, new, way)
    frames = {str(t.value) for t in old.targets if t.kind == "frame"} & {str(t.value) for t in new.targets}
    words = set(WORD.findall(old.text())) | set(WORD.findall(new.text()))
    for done in range(PAINTS + 1):
        if moving:
            moving.done = done
        now = shown(new, moving)
        assert all(len(text) == width for text in now)
        assert set(WORD.findall("\n".join(now))) <= words
        for target in new.targets:
            if target.kind == "frame" and str(target.value) in frames:
                name = "".join(t for t, _ in new.lines[target.y])[target.x : target.x + target.width]
                assert now[target.y].count(name) >= 1
    assert now == shown(new, None)


@settings(max_examples=60, deadline=None)
@given(
    run=st.sampled_from(list(RUNS)),
    share=st.floats(0, 1),
    panel=st.sampled_from(list(PANELS)),
    size=st.sampled_from([(55, 13), (63, 13), (120, 10), (40, 8), (120, 20)]),
    way=st.sampled_from([1, -1]),
)
def test_in_panels_only_fill_is_on_its_way(run: str, share: float, panel: str, size: tuple[int, int], way: int) -> None:
    line = timeline(run)
    position = round(share * (line.length - 1))
    old, new = (PANELS[panel](line.at(position + step), *size) for step in ((0, 1) if way > 0 else (1, 0)))
    moving = begin(old, new, way)
    if moving is None:
        return
    rest = shown(new, None)
    for moving.done in range(PAINTS + 1):
        for now, then in zip(shown(new, moving), rest, strict=True):
            assert len(now) == len(then)
            assert all(a == b or (a in FILLS and b in FILLS) for a, b in zip(now, then, strict=True))
    assert shown(new, moving) == rest


def picture(text: str, *chips: tuple[str, int], role: str = "border") -> Picture:
    """One line with frames on it, each by its letter."""
    cells = [(letter, role) for letter in text]
    targets = []
    for name, x in chips:
        cells[x : x + 3] = [(letter, f"frame{ord(name) % 8}") for letter in f" {name} "]
        targets.append(Target(x, 0, 3, 1, "frame", ord(name)))
    return Picture(len(text), (motion.line_of(cells),), tuple(targets))


def test_a_frame_goes_from_where_it_was_to_where_it_is() -> None:
    old, new = picture("─" * 20, ("A", 1)), picture("─" * 20, ("A", 13))
    moving = begin(old, new, 1)
    assert moving is not None
    places = []
    for moving.done in range(PAINTS + 1):
        places.append(shown(new, moving)[0].index("A"))
    assert places == [2, 4, 6, 8, 10, 12, 14]
    assert shown(old, None)[0] == shown(new, begin(old, new, 1))[0]


def test_a_word_under_a_frame_is_not_cut() -> None:
    old, new = picture("─" * 8 + "+128" + "─" * 8, ("A", 1)), picture("─" * 8 + "+128" + "─" * 8, ("A", 16))
    moving = begin(old, new, 1)
    assert moving is not None
    for moving.done in range(PAINTS + 1):
        now = shown(new, moving)[0]
        assert set(WORD.findall(now)) <= {"A", "+128"}
        assert now.count("A") == 1


def test_frames_that_overtake_each_other_swap() -> None:
    old, new = picture("─" * 20, ("A", 1), ("B", 9)), picture("─" * 20, ("A", 14), ("B", 9))
    assert begin(old, new, 1) is None


@pytest.mark.parametrize(("way", "half"), [(1, "▓▓▓░░░ A"), (-1, "▓▓▓░░░ x")])
def test_a_buffer_fills_from_the_left_and_empties_from_the_right(way: int, half: str) -> None:
    empty = Picture(8, ((Span("░░░░░░", Role.NIC), Span(" x", Role.PLAIN)),))
    full = Picture(8, ((Span("▓▓▓▓▓▓", "frame0_bytes"), Span(" A", Role.PLAIN)),))
    old, new = (empty, full) if way > 0 else (full, empty)
    moving = begin(old, new, way)
    assert moving is not None
    moving.done = PAINTS // 2
    assert shown(new, moving) == [half]


def test_pictures_of_two_sizes_have_nothing_between_them() -> None:
    assert begin(picture("─" * 9, ("A", 1)), picture("─" * 12, ("A", 5)), 1) is None
