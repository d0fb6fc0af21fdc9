"""The keys that are worth naming in each part of a lesson."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rxviz.screens.actions import LESSON, Action, for_screen
from rxviz.screens.screens.lesson_play import Play

Named = Sequence[tuple[str, str, str]]
"""Action, how its key is shown, the word for it."""
_ON = ("go_on", "Enter", "go on")
_LAST: Named = (("free_play", "f", "free play"), ("skip", "PgDn", "skip"), ("help", "?", "help"), ("leave", "q", "map"))


def bar(play: Play, menu: bool) -> list[Action]:
    """Return the actions of the bar, in the order of their use."""
    known = {action.name: action for action in reversed(for_screen(LESSON))}
    named = (("escape", "Esc", "never mind"),) if menu else _named(play)
    return [replace(known[name], shown=shown, footer=word) for name, shown, word in named]


_AGAIN = ("again", "r", "try again")
_TOLD: dict[str, Named] = {
    "hook": (_ON, *_LAST),
    "example": (("go_on", "Enter", "next stop"), ("back", "←", "back"), *_LAST),
    "explain": (_ON, ("forward", "←→", "step"), _AGAIN, *_LAST),
    "keep": (_ON, ("cheat_sheet", "c", "cheat sheet"), ("begin_again", "A", "again"), *_LAST),
}
"""For the parts in which nothing is asked."""


def _named(play: Play) -> Named:
    if play.part == "predict":
        return _predict(play)
    if play.part == "observe":
        step = ("forward", "←→", "step both worlds" if play.worlds is not None else "step")
        return (_ON, step, *_why(play), _AGAIN, *_LAST)
    if play.part == "do":
        return _do(play)
    first, *others = _TOLD[play.part]
    return (first, *_why(play), *others)


def _why(play: Play) -> Named:
    """Name the key for "why not?" where GRO is in the picture."""
    shown = play.part != "hook" and play.panel_in_sight in ("gro", "poll") and play.lane.scenario.gro == "on"
    return (("why", "w", "why not?"),) if shown else ()


def _predict(play: Play) -> Named:
    asking = play.asking
    if asking.outcome is not None:
        return (("go_on", "Enter", "go on"), _AGAIN, *_LAST)
    if asking.is_picked:
        return (("go_on", "Enter", "take it"), ("escape", "Esc", "pick another"))
    if asking.ask == "number":
        return (("digit", "0-9", "type"), ("go_on", "Enter", "take it"), *_LAST)
    if asking.ask == "order":
        return (("digit", "1-9", "pick in order"), ("undo", "Backspace", "undo"), ("go_on", "Enter", "take it"), *_LAST)
    how = "places" if asking.places else "options"
    return (("digit", "1-9", "pick"), ("next_place", "Tab", how), ("go_on", "Enter", "take"), *_LAST)


def _do(play: Play) -> Named:
    doing = play.doing
    if doing.typing is not None:
        return (("digit", "0-9", "type"), ("go_on", "Enter", "take it"), ("escape", "Esc", "never mind"))
    if doing.arranging is not None:
        carry = (("next_place", "Tab", "which frame"), ("forward", "←→", "move it"))
        return (*carry, ("go_on", "Enter", "let them come"), *_why(play), ("escape", "Esc", "never mind"))
    if doing.turning >= 0:
        return (("forward", "←→", "turn the knob"), ("go_on", "Enter", "done"))
    if doing.shown is not None:
        return (("forward", "←→", "step"), ("go_on", "Enter", "to its end"), ("escape", "Esc", "your own try"), *_LAST)
    named: list[tuple[str, str, str]] = []
    if play.is_task_done():
        named.append(("go_on", "Enter", "go on"))
    if doing.do.knob:
        named.append(("digit", "1" if len(doing.do.knob) == 1 else f"1-{len(doing.do.knob)}", "knob"))
    if doing.do.number or doing.do.choices:
        named.append(("answer", "a", "answer"))
    named += [("forward", "←→", "step"), ("down", "↓↑", "frame"), ("end", "End", "end")]
    named += [*_why(play), ("hint", "h", "hint")]
    if doing.acts:
        named.append(("solution", "s", "solution"))
    return (*named, *_LAST)
