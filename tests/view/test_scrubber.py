from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rxviz.model import steps
from rxviz.view.cell import Role
from rxviz.view.glyphs import ASCII
from rxviz.view.scrubber import BARS, LEGEND, MARKS, Scrubber, column_of, place_at, position_at, rows, track
from tests.view.moments import timeline


@given(width=st.integers(1, 250), total=st.integers(0, 2_000_000), share=st.floats(0, 1))
def test_mouse_and_head_agree(width: int, total: int, share: float) -> None:
    position = round(share * total)
    column = column_of(position, width, total)
    assert 0 <= column < max(width, 1)
    for x in range(-1, width + 2):
        assert 0 <= position_at(x, width, total) <= total
    if width >= 4:
        assert position_at(column, width, total) >= position
        assert position_at(1, width, total) == 0
        assert position_at(width - 2, width, total) == total
        assert column == 1 or position_at(column - 1, width, total) < position


def test_positions_grow_with_the_column() -> None:
    found = [position_at(x, 80, 10_000) for x in range(1, 79)]
    assert found == sorted(set(found))


def test_a_cell_shows_what_is_rare_and_telling() -> None:
    kinds = bytearray([steps.PAGE_FLIP] * 500 + [steps.NIC_MISSED] + [steps.PAGE_FLIP] * 499)
    letters = track(kinds, 12)
    assert letters.count("d") == 1
    assert set(letters) <= {"d", BARS[0]}
    assert track(bytearray([steps.NIC_MISSED] * 1000), 12) == BARS[0] + "d" * 9


def test_the_bars_tell_how_many_frames_go_up() -> None:
    busy, idle = [steps.SKB_DELIVER] * 500, [steps.POLL_START] * 500
    letters = track(bytearray(busy + idle), 22)
    assert letters[:1] == letters[12:13] == BARS[0]
    assert letters[3] == BARS[-1]
    assert track(bytearray([*idle, steps.SKB_DELIVER]), 22)[-1] not in (BARS[0], BARS[-1])


def test_every_letter_of_the_table_has_a_word() -> None:
    letters = {kind.glyph for kind in steps.KINDS if kind.glyph}
    assert letters == set(LEGEND)
    assert "n" not in letters, "n asks for a jump, and repeats it"
    assert set(MARKS) <= letters


def here(name: str, position: int, width: int = 120) -> str:
    line = timeline(name)
    return Scrubber().draw(line.kinds, position, width, 2, frames=line.frames).text().split("\n")[0]


def test_the_steps_round_the_present_one_have_their_letters() -> None:
    line = timeline("build")
    for position in (1, 11, 60, line.length - 1, line.length):
        text = here("build", position)
        head = text.index("[")
        assert text[head + 2] == "]"
        assert text[head + 1] == (steps.KINDS[line.kinds[position - 1]].glyph or "·")
        for x in range(head + 5, len(text) - 2, 2):
            place = position + (x - head - 1) // 2
            letter = steps.KINDS[line.kinds[place - 1]].glyph if place <= line.length else ""
            assert not letter or text[x] == letter


def test_a_frame_has_its_name_and_colour_on_its_steps() -> None:
    line = timeline("build")
    picture = Scrubber().draw(line.kinds, 12, 120, 2, frames=line.frames)
    assert "├─A─" in picture.text()
    spans = [tuple(span) for span in picture.lines[0]]
    assert ("A", "frame0") in spans
    head = spans.index(("[", Role.ACCENT))
    assert spans[head : head + 3] == [("[", Role.ACCENT), ("f", "frame0"), ("]", Role.ACCENT)]
    assert ("b", "frame0_bytes") in spans[:head]


def test_a_lost_frame_looks_bad_in_both_rows() -> None:
    kinds = bytearray([steps.NIC_MISSED] * 30)
    for line in Scrubber().draw(kinds, 20, 40, 2, frames=[0] * 30).lines:
        assert all(role == Role.BAD for text, role in line if "d" in text)
        assert any("d" in text for text, _ in line)


@given(width=st.integers(8, 200), total=st.integers(1, 5000), share=st.floats(0, 1), height=st.integers(1, 3))
def test_the_mouse_hits_the_step_it_points_at(width: int, total: int, share: float, height: int) -> None:
    kinds, position = bytearray([steps.PAGE_FLIP] * total), round(share * total)
    where = rows(width, height, total)
    if where.here < 0:
        assert place_at(width // 2, 0, width, height, position, total)[0] == "run"
        return
    text = Scrubber().draw(kinds, position, width, height).text().split("\n")[0]
    head = text.index("[") + 1
    assert place_at(head, 0, width, height, position, total) == ("here", position)
    if position < total:
        assert place_at(head + 2, 0, width, height, position, total) == ("here", position + 1)


def test_one_row_shows_the_steps_of_a_short_run_and_the_whole_of_a_long_one() -> None:
    short, long = bytearray([steps.PAGE_FLIP] * 240), bytearray([steps.PAGE_FLIP] * 241)
    assert "[f]" in Scrubber().draw(short, 7, 80, 1).text()
    assert "▲" in Scrubber().draw(long, 7, 80, 1).text()


def test_ascii_and_narrow_tracks_have_all_they_need() -> None:
    text = Scrubber().draw(timeline("build").kinds, 12, 80, 3, glyphs=ASCII).text()
    assert text.isascii()
    assert "[f]" in text
    for width in range(12):
        Scrubber().draw(timeline("build").kinds, 11, width, 3)


@given(parts=st.lists(st.binary(max_size=40).map(lambda b: bytes(x % len(steps.KINDS) for x in b)), max_size=5))
def test_growing_step_by_step_gives_the_same_track(parts: list[bytes]) -> None:
    scrubber, kinds = Scrubber(), bytearray()
    for part in parts:
        kinds += part
        assert scrubber.draw(kinds, 0, 30, 2) == Scrubber().draw(kinds, 0, 30, 2)


def test_it_follows_a_run_that_grows_and_another_run() -> None:
    scrubber = Scrubber()
    kinds = bytearray([steps.PAGE_FLIP] * 10)
    first = scrubber.draw(kinds, 0, 20, 3)
    kinds.append(steps.NIC_MISSED)
    assert "d drop" in scrubber.draw(kinds, 0, 20, 3).text()
    other = bytearray([steps.PAGE_FLIP] * 10)
    assert scrubber.draw(other, 0, 20, 3) == first


def test_a_run_that_is_not_over_ends_in_an_arrow() -> None:
    kinds = bytearray([steps.PAGE_FLIP] * 10)
    for height, row in ((1, 0), (2, 0), (2, 1)):
        assert Scrubber().draw(kinds, 8, 30, height, complete=False).text().split("\n")[row].endswith("▸")
        assert Scrubber().draw(kinds, 8, 30, height).text().split("\n")[row].endswith("┤")
