"""Make the pictures of the README with the app itself: `python scripts/make_pictures.py`.

The workbench is opened on a shipped scenario at 120x40, goes to a step by its own keys, and Textual writes what it
shows as SVG. Fonts from the network are taken out: a reader's own monospace font does.
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from rxviz.run.engine import make_machine
from rxviz.run.trace import record
from rxviz.run.what import resolve
from rxviz.screens.app import RxvizApp
from rxviz.screens.terminal import Terminal

PICTURES = Path(__file__).resolve().parents[1] / "assets" / "pictures"
FONTS = re.compile(r"@font-face\s*\{.*?\}\s*|<!--.*?-->\s*", re.DOTALL)
SIZE = (120, 40)
FRAME = 7
"""The frame whose flip is shown: the first that finds the ring come round."""


async def workbench() -> str:
    """Return the workbench on first-flip as SVG."""
    scenario = resolve(["first-flip"])
    played = record(make_machine(scenario))
    flip = next(step.n for step in played if step.name == "page.flip" and step.frame == FRAME)
    app = RxvizApp(scenario, Terminal())
    async with app.run_test(size=SIZE) as pilot:
        await pilot.pause(0.5)
        for _ in range(flip + 1):
            await pilot.press("right")
        await pilot.pause(1.5)  # motion comes to rest
        return without_fonts(app.export_screenshot(title="rxviz play first-flip", simplify=True))


def without_fonts(svg: str) -> str:
    """Take out what would be fetched from elsewhere, and name common monospace fonts instead."""
    return FONTS.sub("", svg).replace("Fira Code", "ui-monospace, Menlo, Consolas, DejaVu Sans Mono")


def main() -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    (PICTURES / "workbench.svg").write_text(asyncio.run(workbench()), encoding="utf-8")


if __name__ == "__main__":
    main()
