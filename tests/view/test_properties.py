from __future__ import annotations

from unicodedata import combining, east_asian_width

from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.view import bytes as bytes_zoom
from rxviz.view import header, strip
from rxviz.view.cell import FRAME_ROLES, Picture, Role, frame_role
from rxviz.view.glyphs import SETS, Glyphs
from rxviz.view.panels import PANELS
from rxviz.view.scrubber import Scrubber
from tests.view.moments import RUNS, timeline

ROLES = set(Role) | {frame_role(i, solid=solid) for i in range(FRAME_ROLES) for solid in (True, False)}
KINDS = {"slot", "half", "page", "skb", "frame", "stage", "why", "track"}
widths = st.one_of(st.integers(1, 14), st.integers(1, 210))
heights = st.one_of(st.integers(1, 6), st.integers(1, 62))
glyph_sets = st.sampled_from(list(SETS.values()))
runs = st.sampled_from(list(RUNS))
shares = st.floats(0, 1)


def check(picture: Picture, width: int, height: int, glyphs: Glyphs) -> None:
    assert picture.width == width
    assert len(picture.lines) == height
    for line in picture.lines:
        text = "".join(span.text for span in line)
        assert len(text) == width
        for letter in text:
            assert letter.isprintable()
            assert not combining(letter)
            assert east_asian_width(letter) not in "WF"
        assert glyphs.name != "ascii" or text.isascii()
        assert all(span.role in ROLES for span in line)
    for target in picture.targets:
        assert target.kind in KINDS
        assert target.width > 0
        assert target.height > 0
        assert target.x >= 0
        assert target.y >= 0
        assert target.x + target.width <= width
        assert target.y + target.height <= height


@settings(max_examples=80, deadline=None)
@given(run=runs, share=shares, width=widths, height=heights, glyphs=glyph_sets, active=st.booleans())
def test_panels_draw_anything_at_any_size(
    run: str, share: float, width: int, height: int, glyphs: Glyphs, active: bool
) -> None:
    line = timeline(run)
    at = line.at(round(share * line.length))
    for panel in PANELS.values():
        check(panel.draw(at, width, height, active=active, glyphs=glyphs), width, height, glyphs)


@settings(max_examples=40, deadline=None)
@given(run=runs, share=shares, width=widths, height=st.integers(1, 4), glyphs=glyph_sets, complete=st.booleans())
def test_bars_draw_anything_at_any_size(
    run: str, share: float, width: int, height: int, glyphs: Glyphs, complete: bool
) -> None:
    line = timeline(run)
    at = line.at(round(share * line.length))
    total = line.length
    words = header.draw(at, width, height, total=total, complete=complete, play="▶ ×1", glyphs=glyphs)
    check(words, width, height, glyphs)
    check(strip.draw(at, width, height, kinds=line.kinds, glyphs=glyphs), width, height, glyphs)
    track = Scrubber().draw(line.kinds, at.position, width, height, complete=complete, glyphs=glyphs)
    check(track, width, height, glyphs)


@settings(max_examples=40, deadline=None)
@given(
    run=runs,
    share=shares,
    slot=st.integers(0, 600),
    page=st.integers(0, 600),
    start=st.sampled_from([0, 2048, 4096, 1920]),
    top=st.one_of(st.none(), st.integers(-5, 5000)),
    width=widths,
    height=heights,
)
def test_bytes_of_anything(
    run: str, share: float, slot: int, page: int, start: int, top: int | None, width: int, height: int
) -> None:
    line = timeline(run)
    at = line.at(round(share * line.length))
    picture = bytes_zoom.draw(at, width, height, slot=slot, half=(page, start), top=top)
    check(picture, width, height, SETS["unicode"])


@settings(max_examples=25, deadline=None)
@given(run=runs, share=shares)
def test_the_same_moment_gives_the_same_picture(run: str, share: float) -> None:
    line = timeline(run)
    position = round(share * line.length)
    first = {key: panel.draw(line.at(position), 70, 14) for key, panel in PANELS.items()}
    line.at(0)
    assert first == {key: panel.draw(line.at(position), 70, 14) for key, panel in PANELS.items()}
