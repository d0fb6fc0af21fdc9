"""The screens, on a pseudo-terminal: the first picture against a bare Textual app, and from key to picture."""

from __future__ import annotations

import sys

from tests.bench.measure import Measure, best_in_turn, median_and_p99
from tests.bench.pseudo import Pseudo

BARE = """
from textual.app import App
from textual.widgets import Static
class Bare(App):
    def compose(self):
        yield Static("ready")
Bare().run()
"""
PLAY = [sys.executable, "-m", "rxviz", "play"]
FIRST_GOAL = 1.5
KEY_GOAL_MS = 50.0
RIGHT, LEFT = b"\x1b[C", b"\x1b[D"


def first_picture(quick: bool) -> list[Measure]:
    """Measure from the start of the program to the first letter on the screen."""
    bare, ours = best_in_turn(
        [lambda: _first([sys.executable, "-c", BARE]), lambda: _first([*PLAY, "ixgbe", "ring=8"])], 3 if quick else 8
    )
    return [
        Measure("first.bare", bare * 1000, "ms", "a bare Textual app: start to first letter on the screen"),
        Measure("first.play", ours * 1000, "ms", "rxviz play: start to first letter on the screen"),
        Measure("first.of_bare", ours / bare, "×", "that, against the bare app", FIRST_GOAL),
    ]


def _first(command: list[str]) -> float:
    with Pseudo(command, 120, 40) as program:
        return program.first_text()


def keys(quick: bool) -> list[Measure]:
    """Measure from a step key to the last byte of the picture that answers it, nothing else playing."""
    count = 25 if quick else 100
    found: list[Measure] = []
    for columns, rows, goal in ((120, 40, None), (200, 60, KEY_GOAL_MS)):
        with Pseudo([*PLAY, "ixgbe", "ring=8"], columns, rows, {"TEXTUAL_ANIMATIONS": "none"}) as program:
            program.first_text()
            program.settle(1.0)
            times = [program.press(RIGHT if i % 3 else LEFT) for i in range(1, count + 1)]
        name = f"key.{columns}x{rows}"
        found += median_and_p99(name, f"step key to painted screen at {columns}x{rows}", times, (None, goal))
    return found
