from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from rxviz.model import steps
from rxviz.view.scrubber import LEGEND, Scrubber, column_of, position_at, rank, track
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


def test_a_cell_shows_the_rarest_step() -> None:
    data = bytes([steps.PAGE_FLIP] * 500 + [steps.NIC_MISSED] + [steps.PAGE_FLIP] * 499)
    letters = track(data, rank(Counter(data)), 12)
    assert letters.count("d") == 1
    assert set(letters) <= {"d", "f", "─"}
    assert letters[-1] == "f"


def test_every_letter_of_the_table_has_a_word() -> None:
    assert {kind.glyph for kind in steps.KINDS if kind.glyph} == set(LEGEND)


def test_no_step_with_a_letter_is_lost() -> None:
    line = timeline("build")
    shown = track(bytes(line.kinds), rank(Counter(line.kinds)), line.length + 3)
    expected = "".join(steps.KINDS[kind].glyph or "─" for kind in line.kinds)
    assert shown == "─" + expected


@given(parts=st.lists(st.binary(max_size=40).map(lambda b: bytes(x % len(steps.KINDS) for x in b)), max_size=5))
def test_growing_step_by_step_gives_the_same_track(parts: list[bytes]) -> None:
    scrubber, kinds = Scrubber(), bytearray()
    for part in parts:
        kinds += part
        assert scrubber.draw(kinds, 0, 30, 2) == Scrubber().draw(kinds, 0, 30, 2)


def test_it_follows_a_run_that_grows_and_another_run() -> None:
    scrubber = Scrubber()
    kinds = bytearray([steps.PAGE_FLIP] * 10)
    first = scrubber.draw(kinds, 0, 20, 2)
    kinds.append(steps.NIC_MISSED)
    assert "d drop" in scrubber.draw(kinds, 0, 20, 2).text()
    other = bytearray([steps.PAGE_FLIP] * 10)
    assert scrubber.draw(other, 0, 20, 2) == first


def test_a_run_that_is_not_over_ends_in_an_arrow() -> None:
    kinds = bytearray([steps.PAGE_FLIP] * 10)
    assert Scrubber().draw(kinds, 3, 20, 2, complete=False).text().split("\n")[0].endswith("▸")
    assert Scrubber().draw(kinds, 3, 20, 2).text().split("\n")[0].endswith("┤")
