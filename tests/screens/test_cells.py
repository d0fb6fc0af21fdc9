"""The widget that shows cells: only what differs is painted, and nothing hostile gets through."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.geometry import Region

from rxviz.screens.widgets.cells import Cells, differing
from rxviz.view.cell import Picture, Role, Span


def line(text: str, role: str = Role.PLAIN) -> tuple[Span, ...]:
    return (Span(text, role),)


def test_differing_finds_the_cells() -> None:
    assert differing(line("abcdef"), line("abXdYf")) == (2, 5)
    assert differing(line("abc"), line("abc")) is None
    assert differing(line("abc"), (Span("a", Role.PLAIN), Span("bc", Role.PLAIN))) is None
    assert differing(line("abc"), (Span("a", Role.PLAIN), Span("b", Role.ACCENT), Span("c", Role.PLAIN))) == (1, 2)
    assert differing((), line("abc")) == (0, 3)
    assert differing(line("abc"), line("abcde")) == (3, 5)


@given(st.text("ab", min_size=8, max_size=8), st.text("ab", min_size=8, max_size=8))
def test_repainting_what_differs_gives_the_new_line(old: str, new: str) -> None:
    span = differing(line(old), line(new))
    start, end = span or (0, 0)
    assert old[:start] + new[start:end] + old[end:] == new


class Spy(Cells):
    """Notes which regions are asked to be painted again."""

    def __init__(self, text: str) -> None:
        super().__init__(self.drawing)
        self.text = text
        self.asked: list[Region] = []

    def drawing(self, width: int, height: int) -> Picture:
        return Picture(width, tuple(line(self.text[:width].ljust(width)) for _ in range(height)))

    def refresh(self, *regions: Region, **options: bool) -> Spy:
        self.asked.extend(regions)
        super().refresh(*regions, **options)
        return self


class One(App[None]):
    def __init__(self, cells: Spy) -> None:
        super().__init__()
        self.cells = cells

    def compose(self) -> ComposeResult:
        yield self.cells


async def test_only_what_differs_is_painted_again() -> None:
    spy = Spy("step 187")
    async with One(spy).run_test(size=(20, 3)) as pilot:
        await pilot.pause()
        spy.asked.clear()
        spy.text = "step 188"
        spy.show()
        assert spy.asked == [Region(7, y, 1, 1) for y in range(3)]
        spy.asked.clear()
        spy.show()
        assert spy.asked == []
        await pilot.pause()
        assert spy.render_line(0).text == "step 188".ljust(20)


async def test_a_new_size_is_drawn_anew() -> None:
    spy = Spy("x" * 50)
    async with One(spy).run_test(size=(20, 3)) as pilot:
        await pilot.resize_terminal(40, 5)
        await pilot.pause()
        assert spy.picture.width == 40
        assert spy.render_line(4).text == "x" * 40


async def test_strangers_words_are_made_safe() -> None:
    spy = Spy("a\x1b]0;title\x07\u202eb\u0301\u4e2d")
    async with One(spy).run_test(size=(20, 1)) as pilot:
        await pilot.pause()
        assert spy.render_line(0).text == "a?]0;title??b??".ljust(20)
