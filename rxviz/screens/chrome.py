"""The lines round the panels: header, tabs, bar of keys, menus, and what is said where there is no room for more."""

from __future__ import annotations

from collections.abc import Sequence

from rxviz.run.timeline import Moment, Timeline
from rxviz.screens.actions import Choice
from rxviz.screens.layout import LEAST
from rxviz.view import header as headline
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import Glyphs
from rxviz.view.text import fit


def header(moment: Moment, width: int, glyphs: Glyphs, timeline: Timeline, play: str, edit: str) -> Picture:
    """Return the line at the top; in a what-if, the change that made it stands in front, and how to leave it."""
    banner = fit(f" what if: {edit} · X returns ", width // 2) if edit else ""
    rest = headline.draw(
        moment, width - len(banner), 1, total=timeline.length, complete=timeline.complete, play=play, glyphs=glyphs
    )
    if not banner:
        return rest
    canvas = Canvas(len(banner), 1, glyphs)
    canvas.put(0, 0, banner, Role.CHANGED)
    return Picture(width, (canvas.picture().lines[0] + rest.lines[0],))


def keys(width: int, glyphs: Glyphs, footer: Sequence[tuple[str, str]], said: str, palette: str = "^p find") -> Picture:
    """Return the line at the bottom: the most useful keys, as many as fit; or what there is to say just now."""
    canvas = Canvas(width, 1, glyphs)
    if said:
        canvas.write(1, 0, said, Role.ACCENT, width - 2)
        return canvas.picture()
    x = 1
    for key, word in footer:
        if x + len(key) + len(word) + 1 >= width - len(palette) - 3:
            break
        x = canvas.spans(x, 0, (key, Role.KEY), (f" {word}  ", Role.PLAIN))
    canvas.put_right(width - 1, 0, palette, Role.REST)
    return canvas.picture()


def tabs(width: int, glyphs: Glyphs, titles: Sequence[str], chosen: int) -> Picture:
    """Return the line that names the panels, for where one is in sight at a time; each can be pressed."""
    canvas, x = Canvas(width, 1, glyphs), 1
    for number, title in enumerate(titles):
        text = f" {number + 1} {title} "
        canvas.target(x, 0, len(text), 1, "panel", number)
        x = canvas.put(x, 0, text, Role.CHANGED if number == chosen else Role.REST)
    return canvas.picture()


def menu_height(width: int, choices: Sequence[Choice]) -> int:
    """Return how many lines a menu needs at a width."""
    per_line = max((width - 4) // _column(choices), 1)
    return 3 + (len(choices) - 1) // per_line


def menu(width: int, height: int, glyphs: Glyphs, title: str, choices: Sequence[Choice]) -> Picture:
    """Return a menu: a letter and a word for each choice, each of which can be pressed."""
    canvas = Canvas(width, height, glyphs)
    column = _column(choices)
    per_line = max((width - 4) // column, 1)
    canvas.put(0, 0, "╭" + "─" * (width - 2) + "╮", Role.BORDER_ACCENT)
    canvas.put(0, height - 1, "╰" + "─" * (width - 2) + "╯", Role.BORDER_ACCENT)
    for y in range(1, height - 1):
        canvas.put(0, y, "│", Role.BORDER_ACCENT)
        canvas.put(width - 1, y, "│", Role.BORDER_ACCENT)
    canvas.write(2, 0, f" {title} ", Role.ACCENT, width - 4)
    canvas.put_right(width - 2, 0, " Esc ", Role.REST)
    for number, choice in enumerate(choices):
        row, place = divmod(number, per_line)
        x = 2 + place * column
        canvas.spans(x, 1 + row, (choice.key, Role.KEY), (f" {choice.word}", Role.PLAIN))
        canvas.target(x, 1 + row, column, 1, "choice", choice.key)
    return canvas.picture()


def _column(choices: Sequence[Choice]) -> int:
    return max(len(choice.word) for choice in choices) + 4


def too_small(width: int, height: int, glyphs: Glyphs) -> Picture:
    """Return what is said in a window that is too small for anything else."""
    canvas = Canvas(width, height, glyphs)
    lines = [f"rxviz needs {LEAST[0]} x {LEAST[1]}", f"this is {width} x {height}", "q quits"]
    top = max((height - len(lines)) // 2, 0)
    for y, line in enumerate(lines[:height]):
        canvas.write(max((width - len(line)) // 2, 0), top + y, line, Role.STRONG if y == 0 else Role.REST)
    return canvas.picture()
