"""Free play in the midst of a lesson: the workbench on its run, with a banner that says how to return."""

from __future__ import annotations

from typing import ClassVar

from rxviz.run.scenario import Scenario
from rxviz.run.timeline import Timeline
from rxviz.screens.actions import BENCH
from rxviz.screens.screens.bench import BenchScreen
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.panels import PANELS
from rxviz.view.text import fit

INSTEAD = {"poll": "gro", "owner": "pages", "cpu": "ring"}
"""The panels that take the place of those that only lessons have."""


class SandboxScreen(BenchScreen):
    """A workbench on a run of its own: what is done here changes nothing in the lesson."""

    KEYS: ClassVar[str] = BENCH

    def __init__(self, scenario: Scenario, position: int, panel: str, lesson: int) -> None:
        super().__init__(Timeline(scenario))
        self.session.seek(position)
        self.lesson = lesson
        panel = INSTEAD.get(panel, panel)
        if panel in PANELS:
            self.chosen = panel

    def _draw_header(self, width: int, height: int) -> Picture:
        banner = fit(f" sandbox: Esc returns to lesson {self.lesson} ", width)
        rest = super()._draw_header(width - len(banner), height)
        canvas = Canvas(len(banner), 1, self.glyphs)
        canvas.put(0, 0, banner, Role.CHANGED)
        return Picture(width, (canvas.picture().lines[0] + rest.lines[0],))
