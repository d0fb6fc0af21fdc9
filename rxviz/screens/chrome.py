"""The lines round the panels: header, tabs, bar of keys, menus, and what is said where there is no room for more."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rxviz.run.timeline import Moment, Timeline
from rxviz.screens.actions import Action, Choice
from rxviz.screens.layout import LEAST
from rxviz.view import header as headline
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.glyphs import Glyphs
from rxviz.view.panel import Panel
from rxviz.view.text import fit

Counts = Mapping[str, str] | None
"""By the key of a choice: how often there is what it leads to, "" where the run has none."""
NARROW = 80
"""A menu of less columns leaves out what leads nowhere, or it would lie over the sentence."""
_ARROWS = {"→": "Right", "←": "Left", "↓": "Down", "↑": "Up"}


def key_text(shown: str, glyphs: Glyphs) -> str:
    """Return how a key is written; where there is only ASCII, arrows by their names: signs would be other keys."""
    if glyphs.letters:
        for arrow, word in _ARROWS.items():
            shown = shown.replace(arrow, word)
    return shown


def header(moment: Moment, width: int, glyphs: Glyphs, timeline: Timeline, play: str, edit: str) -> Picture:
    """Return the line at the top; in a what-if, the change that made it stands in front, and how to leave it."""
    forms = (f" what if: {edit} · X returns ", f" {edit} · X returns ")
    banner = next((form for form in forms if len(form) <= width // 2), fit(forms[-1], width // 2)) if edit else ""
    rest = headline.draw(
        moment, width - len(banner), 1, total=timeline.length, complete=timeline.complete, play=play, glyphs=glyphs
    )
    if not banner:
        return rest
    canvas = Canvas(len(banner), 1, glyphs)
    canvas.put(0, 0, banner, Role.CHANGED)
    return Picture(width, (canvas.picture().lines[0] + rest.lines[0],))


PALETTE = "^p find"


def keys(width: int, glyphs: Glyphs, footer: Sequence[Action], said: str) -> Picture:
    """Return the line at the bottom: the most useful keys, as many as fit; or what there is to say just now."""
    canvas = Canvas(width, 1, glyphs)
    if said:
        canvas.write(1, 0, said, Role.ACCENT, width - 2)
        return canvas.picture()
    x = 1
    for action in footer:
        key = key_text(action.shown, glyphs).split()[0]
        length = len(key) + 1 + len(action.footer)
        if x + length >= width - len(PALETTE) - 3:
            break
        canvas.target(x, 0, length, 1, "key", action.keys[0])
        x = canvas.spans(x, 0, (key, Role.KEY), (f" {action.footer}  ", Role.PLAIN))
    start = canvas.put_right(width - 1, 0, PALETTE, Role.REST)
    canvas.target(start, 0, len(PALETTE), 1, "key", "ctrl+p")
    return canvas.picture()


SHORT_NAMES = {"skb": "skb", "story": "Why", "bill": "Bill", "counters": "Counts"}
"""Panels' names on tabs, where the titles are longer."""


def tabs(
    width: int,
    glyphs: Glyphs,
    panels: Sequence[Panel],
    chosen: str,
    *,
    pinned: bool,
    changed: Collection[str],
    names: Mapping[str, str],
) -> Picture:
    """Return the line that names the panels, for where one is in sight at a time; each can be pressed. `names` has the
    names of this run, where they are other ones.

    Behind a name, a dot says that somebody keeps this panel in sight, and the sign of change that it changed unseen.
    Where there is no room for all names, that of the panel in sight stands at the right.
    """
    canvas, x = Canvas(width, 1, glyphs), 1
    names = {panel.key: names.get(panel.key) or SHORT_NAMES.get(panel.key, panel.title) for panel in panels}
    length, told = sum(len(name) + 4 for name in names.values()), ""
    if 1 + length > width:
        names, told = dict.fromkeys(names, ""), f"{names[chosen]} · "
    behind = " " if 1 + length + len(names) + len("0 follows") < width else ""
    for number, (key, name) in enumerate(names.items()):
        here = key == chosen
        mark = ("·" if pinned else " ") if here else glyphs.changed if key in changed else " "
        text = f" {number + 1} {name}".rstrip() + behind
        canvas.target(x, 0, len(text) + 1, 1, "panel", number)
        x = canvas.put(x, 0, text, Role.CHANGED if here else Role.REST)
        x = canvas.put(x, 0, mark, Role.CHANGED if here else Role.ACCENT)
    for words in ("follows the step", "follows"):
        hint = told + (words if not pinned else f"0 {words}")
        if x + len(hint) + 1 < width:
            canvas.put_right(width - 1, 0, hint, Role.REST)
            break
    return canvas.picture()


def menu_height(width: int, choices: Sequence[Choice], counts: Counts = None) -> int:
    """Return how many lines a menu needs at a width."""
    choices = _in_sight(width, choices, counts)
    per_line = max((width - 4) // _column(choices, counts), 1)
    return 3 + (len(choices) - 1) // per_line


def menu(
    width: int, height: int, glyphs: Glyphs, title: str, choices: Sequence[Choice], counts: Counts = None
) -> Picture:
    """Return a menu: a letter and a word for each choice, each of which can be pressed.

    `counts` says how often there is what a choice leads to; a choice that leads nowhere is dim and has no count, and is
    left out of a narrow menu.
    """
    canvas = Canvas(width, height, glyphs)
    choices = _in_sight(width, choices, counts)
    column = _column(choices, counts)
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
        count = counts.get(choice.key, "") if counts is not None else " "
        key, word = (Role.KEY, Role.PLAIN) if count else (Role.REST, Role.REST)
        canvas.spans(x, 1 + row, (choice.key, key), (f" {choice.word}", word), (f" {count}".rstrip(), Role.REST))
        canvas.target(x, 1 + row, column, 1, "choice", choice.key)
    return canvas.picture()


def _in_sight(width: int, choices: Sequence[Choice], counts: Counts) -> Sequence[Choice]:
    if counts and width < NARROW:
        return [choice for choice in choices if counts.get(choice.key)] or choices
    return choices


def _column(choices: Sequence[Choice], counts: Counts) -> int:
    longest = max((len(count) for count in counts.values()), default=0) + 1 if counts else 0
    return max(len(choice.word) for choice in choices) + 4 + longest


def too_small(width: int, height: int, glyphs: Glyphs) -> Picture:
    """Return what is said in a window that is too small for anything else."""
    canvas = Canvas(width, height, glyphs)
    lines = [f"rxviz needs {LEAST[0]} x {LEAST[1]}", f"this is {width} x {height}", "q quits"]
    top = max((height - len(lines)) // 2, 0)
    for y, line in enumerate(lines[:height]):
        canvas.write(max((width - len(line)) // 2, 0), top + y, line, Role.STRONG if y == 0 else Role.REST)
    return canvas.picture()
