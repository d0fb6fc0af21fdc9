from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rxviz.view.cell import Canvas, Role
from rxviz.view.changes import change_texts
from rxviz.view.glyphs import ASCII
from rxviz.view.scale import Part, widths
from rxviz.view.text import fit, join_fit, safe, size_text, time_text, wrap


@given(text=st.text(max_size=60), width=st.integers(0, 70))
def test_fit_says_when_it_cuts(text: str, width: int) -> None:
    found = fit(text, width)
    assert len(found) <= width
    assert found == text or width == 0 or found.endswith("…")


@given(text=st.text(alphabet="ab cd", max_size=200), width=st.integers(1, 40), rows=st.integers(1, 6))
def test_wrap_keeps_to_its_room(text: str, width: int, rows: int) -> None:
    lines = wrap(text, width, rows)
    assert len(lines) <= rows
    assert all(len(line) <= width for line in lines)
    if not lines[-1].endswith("…"):
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_wrap_and_join_tell_of_what_is_left_out() -> None:
    assert wrap("one two three", 7, 1) == ["one tw…"]
    assert join_fit(["one", "two", "three"], 14) == "one · two · +1"
    assert join_fit(["one", "two"], 40) == "one · two"


@given(text=st.text(max_size=40))
def test_no_stranger_can_move_the_cursor(text: str) -> None:
    canvas = Canvas(40, 1)
    canvas.put(0, 0, text)
    shown = "".join(span.text for span in canvas.picture().lines[0])
    assert len(shown) == 40
    assert shown.isprintable()
    assert safe("\x1b[31m漢e\u0301") == "?[31m?e?"


def test_ascii_canvas_has_only_ascii() -> None:
    canvas = Canvas(20, 1, ASCII)
    canvas.put(0, 0, "╭─ 8.12 µs → ▼ é ☃")
    assert canvas.picture().text() == "+- 8.12 us > v ? ?"


def test_sizes_and_times() -> None:
    assert [size_text(n) for n in (0, 640, 2048, 65536, 1 << 20)] == ["0 B", "640 B", "2K", "64K", "1M"]
    assert [time_text(n) for n in (0, 999, 8120, 1_500_000)] == ["0 ns", "999 ns", "8.12 µs", "1.500 ms"]


def test_changes_in_short_words() -> None:
    assert change_texts([("pages.0.page_offset", 192, 2240), ("slots.7.page", None, 0)]) == [
        "page 0 offset 192 → 2,240",
        "slot 7 page none → 0",
    ]
    assert change_texts([("pages.1.users", "", "0:3 2048:5"), ("slots.3.descriptor", "00", "01")]) == [
        "page 1 held by nobody → skb 3, skb 5",
        "descriptor 3 rewritten",
    ]
    many = "0:0 1920:1 3840:2 5760:3"
    assert change_texts([("pages.0.users", many, many.partition(" ")[2])]) == ["page 0 held by 4 → 3 skbs: skb 0 gone"]
    assert change_texts([("pages.0.users", many, f"{many} 7680:9")]) == ["page 0 held by 4 → 5 skbs: skb 9 new"]


@given(
    sizes=st.lists(st.integers(1, 4000), min_size=1, max_size=12),
    width=st.integers(0, 150),
    names=st.lists(st.sampled_from(["", "eth", "ipv4", "not captured"]), min_size=12, max_size=12),
)
def test_a_scale_fills_its_width(sizes: list[int], width: int, names: list[str]) -> None:
    parts = [Part(name, size, ".", Role.REST) for name, size in zip(names, sizes, strict=False)]
    cells = widths(parts, width)
    assert len(cells) == len(parts)
    assert sum(cells) == width
    assert width < len(parts) or all(cells)
