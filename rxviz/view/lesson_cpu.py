"""Who runs, up to the present, and below it what the interrupts, polls and frames of the run come to so far."""

from __future__ import annotations

from rxviz.model.account import drops, in_flight
from rxviz.run.activity import Activity
from rxviz.run.timeline import Moment
from rxviz.view import who_runs
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.lesson_bills import went_up
from rxviz.view.lesson_sheet import paste

SUMS = 2
"""Lines of the sums."""
GAPS = (3, 2, 1)
"""Columns between two of them, the most that there is room for."""


def sums(moment: Moment) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return what the run has come to: (words, number) of interrupts and polls, and of frames."""
    m = moment.machine
    waiting = in_flight(m)
    calls = [
        ("interrupts", m.napi.interrupts),
        ("polls", m.napi.polls),
        ("passes", m.softirq.passes),
        ("time_squeeze", m.softirq.time_squeeze),
    ]
    frames = [
        ("frames in the ring", waiting["ring"]),
        ("in the NIC", waiting["nic"]),
        ("gone up", went_up(m)),
        ("lost", sum(drops(m).values())),
    ]
    return calls, frames


def draw(
    activity: Activity, moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE
) -> Picture:
    """Return the panel. Where there is little height the rows of idle CPUs are left out first, then the sums."""

    def body(canvas: Canvas) -> None:
        full = who_runs.rows_of(moment.scenario.cpus)
        rows = min(full, max(canvas.height - SUMS, min(canvas.height, full - 1)))
        picture = who_runs.draw(activity, moment, canvas.width, rows, active=active, glyphs=glyphs, past_only=True)
        paste(canvas, 0, 0, picture)
        y = rows + (1 if canvas.height > rows + SUMS else 0)
        for line, parts in enumerate(sums(moment)):
            if y + line < canvas.height:
                _sums(canvas, y + line, parts)

    return frame(width, height, "Interrupts and CPUs", "up to now", body, active=active, glyphs=glyphs)


def _sums(canvas: Canvas, y: int, parts: list[tuple[str, int]]) -> None:
    texts = [(words, f"{number:,}") for words, number in parts]
    need = 1 + sum(len(words) + 1 + len(number) for words, number in texts)
    gap = next((gap for gap in GAPS if need + gap * (len(texts) - 1) <= canvas.width), GAPS[-1])
    x = 1
    for words, number in texts:
        if x + len(words) + 1 + len(number) > canvas.width:
            return
        x = canvas.put(x, y, words, Role.REST) + 1
        x = canvas.put(x, y, number, Role.STRONG) + gap
