"""The rows of who runs when."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.model.cpu import Who
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Timeline
from rxviz.view import who_runs
from rxviz.view.glyphs import ASCII, UNICODE, Glyphs
from rxviz.view.who_runs import LABEL, NICE
from tests.view.moments import timeline
from tests.view.test_golden import compare


def drawn(run: Timeline, position: int, width: int = 120, glyphs: Glyphs = UNICODE) -> list[str]:
    moment = run.at(position)
    rows = who_runs.rows_of(run.scenario.cpus)
    return who_runs.draw(run.activity, moment, width, rows, glyphs=glyphs).text().split("\n")


def run_of(line: str) -> Timeline:
    run = Timeline(parse_line(line))
    run.extend()
    return run


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("beside", "ixgbe ring=8"),
        ("shared", "ixgbe ring=64 traffic=udp:60x200 busy=4 reader=fast@0 rcvbuf=1000000"),
        ("moderated", "ixgbe ring=64 itr=50 traffic=tcp:1514x60 rate=300kpps reader=3000"),
        ("four", "ixgbe ring=64 cpus=4 reader=slow@3 traffic=tcp:1514x20"),
    ],
)
@pytest.mark.parametrize("width", [80, 120, 200])
def test_pictures(name: str, line: str, width: int) -> None:
    run = run_of(line)
    text = ["\n".join(drawn(run, run.length * part // 5, width)) for part in (0, 1, 3, 5)]
    compare(f"who-{name}-{width}", "\n\n".join(text) + "\n")


def test_interrupt_softirq_and_reader_follow_each_other() -> None:
    run = run_of("ixgbe ring=8 traffic=tcp:1514x1 reader=1000")
    _, irq, cpu, reader = drawn(run, 0, 140)
    assert cpu.index("I") < cpu.index("S") < reader.index("R") < len(reader)
    assert irq.index("m") == cpu.index("I")
    # 700 ns of handler, and 1,000 of reading.
    cell = who_runs.window(0, run.activity.now, 140 - LABEL - 1).cell
    assert abs(cpu.index("S") - cpu.index("I") - 700 / cell) < 1
    assert abs(reader.count("─") + 1 - 1000 / cell) < 2


def test_moderation_is_seen_to_hold_the_interrupt_back() -> None:
    run = run_of("ixgbe ring=64 itr=50 traffic=tcp:1514x60 rate=300kpps")
    _, irq, cpu, _ = drawn(run, 0)
    assert "w╌╌╌╌" in irq
    held = irq.index("w")
    assert set(cpu[held : irq.index("m", held)]) <= {"·", "S", "━"}


def test_the_head_is_in_every_row_and_says_who_acts() -> None:
    run = timeline("build")
    for position in range(1, run.length + 1):
        moment = run.at(position)
        assert moment.step is not None
        rows = drawn(run, position)[1:]
        actor = 0 if moment.step.cpu is None else moment.step.cpu + 1
        heads = [row for row, text in enumerate(rows) if "│" in text]
        assert heads == [row for row in range(3) if row != actor]


@given(st.integers(0, 10_000_000), st.integers(1, 10_000_000), st.integers(20, 200))
def test_the_present_is_in_the_window(now: int, total: int, cells: int) -> None:
    now = min(now, total)
    found = who_runs.window(now, total, cells)
    assert 0 <= found.start <= now < found.start + found.cell * cells
    assert found.cell in NICE
    if found.start:
        assert found.cell == NICE[-1]
        assert now - found.start >= found.cell * cells // 4 - found.cell


def test_the_window_stands_still_while_one_walks() -> None:
    cells, total = 100, 100_000_000
    starts = [who_runs.window(now, total, cells).start for now in range(0, 2_000_000, 1_000)]
    moves = sum(a != b for a, b in pairwise(starts))
    assert moves <= 2_000_000 // (NICE[-1] * cells // 2) + 1


def test_letters_differ_so_that_no_colour_is_needed() -> None:
    signs = [*who_runs.VECTOR.values(), *who_runs.CPU.values()]
    assert len({sign.letter for sign in signs}) == len(signs)
    assert len({sign.line for sign in signs}) == len(signs)
    assert set(who_runs.CPU) == {*Who} - {Who.NOBODY, Who.IDLE}


def test_ascii_is_ascii() -> None:
    run = timeline("build")
    assert "\n".join(drawn(run, 40, 80, ASCII)).isascii()


@pytest.mark.parametrize("width", [8, 20, 60, 61])
def test_narrow_ones_are_cut_and_break_nothing(width: int) -> None:
    run = timeline("build")
    assert all(len(line) <= width for line in drawn(run, 40, width))


def test_one_row_is_enough_for_the_vector() -> None:
    run = timeline("build")
    assert "irq" in who_runs.draw(run.activity, run.at(40), 80, 1).text()
