"""What the tests of the screens share: an app on a run, its screen as text, and golden screens."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens.app import RxvizApp
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.terminal import Terminal
from rxviz.screens.widgets.cells import Cells

GOLDEN = Path(__file__).parent / "golden"
REGENERATE = "RXVIZ_REGENERATE_GOLDEN"
"""Set this variable to write the golden screens anew; then look at what changed."""


@asynccontextmanager
async def opened(
    *words: str, size: tuple[int, int] = (120, 40), terminal: Terminal | None = None, motion: bool = False
) -> AsyncIterator[tuple[RxvizApp, Pilot[Any]]]:
    """Run the real app on what the words name (none: home), its whole run known."""
    timeline = Timeline(resolve(words)) if words else None
    if timeline is not None:
        timeline.extend()
    app = RxvizApp(timeline, terminal)
    app.animation_level = "full" if motion else "none"
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


def bench(app: RxvizApp) -> BenchScreen:
    """Return the workbench, which must be what is shown."""
    assert isinstance(app.screen, BenchScreen)
    return app.screen


def text(app: RxvizApp) -> str:
    """Return the screen as it would stand on the terminal, without trailing blanks."""
    strips = app.screen._compositor.render_strips(app.size)
    return "\n".join(strip.text.rstrip() for strip in strips) + "\n"


def pictures(app: RxvizApp) -> dict[str, object]:
    """Return every picture that is in sight, colours (roles) included."""
    return {str(cells.id): cells.picture for cells in app.screen.query(Cells) if cells.region.area}


def is_golden(name: str, screen: str) -> None:
    """Hold a screen against the golden one of that name."""
    path = GOLDEN / f"{name}.txt"
    if os.environ.get(REGENERATE):
        path.write_text(screen, encoding="utf-8")
    assert screen == path.read_text(encoding="utf-8"), f"{name} looks otherwise; {REGENERATE}=1 takes it over"
