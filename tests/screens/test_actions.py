"""The registry: one key, one meaning; nothing that cannot be done."""

from __future__ import annotations

import pytest

from rxviz.model import steps
from rxviz.screens import actions
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.breaking import BreakScreen
from rxviz.screens.screens.course import CourseScreen
from rxviz.screens.screens.drivers import DriversScreen
from rxviz.screens.screens.help import HelpScreen
from rxviz.screens.screens.home import HomeScreen
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.screens.lanes import LanesScreen
from rxviz.screens.screens.lesson import LessonScreen
from rxviz.screens.screens.patching import PatchesScreen
from rxviz.screens.screens.pick import PickScreen
from rxviz.screens.screens.why import WhyScreen
from rxviz.view.scrubber import LEGEND

SCREENS: dict[str, type[KeyedScreen]] = {
    actions.HOME: HomeScreen,
    actions.BENCH: BenchScreen,
    actions.PAGE: HelpScreen,
    actions.LIST: PickScreen,
    actions.COURSE: CourseScreen,
    actions.LESSON: LessonScreen,
    actions.PATCHES: PatchesScreen,
    actions.BREAK: BreakScreen,
    actions.DRIVER_LIST: DriversScreen,
    actions.WHY: WhyScreen,
    actions.LANES: LanesScreen,
}


@pytest.mark.parametrize("screen", SCREENS)
def test_one_key_has_one_meaning_on_a_screen(screen: str) -> None:
    keys = actions.by_key(screen)
    assert sum(len(action.keys) for action in actions.for_screen(screen)) == len(keys)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_action_of_a_screen_can_be_done_there(screen: str) -> None:
    for action in actions.for_screen(screen):
        assert callable(getattr(SCREENS[screen], f"do_{action.name}", None)), action.name


def test_two_meanings_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    twice = actions.Action("other", ("right",), "→", "Something else", "Time", (actions.BENCH,))
    monkeypatch.setattr(actions, "ACTIONS", (*actions.ACTIONS, twice))
    with pytest.raises(ValueError, match="right means forward and other"):
        actions.by_key(actions.BENCH)


def test_help_names_every_key_as_it_is() -> None:
    names = {
        "right": "→", "left": "←", "up": "↑", "down": "↓", "full_stop": ".", "comma": ",", "plus": "+", "minus": "-",
        "right_square_bracket": "]", "left_square_bracket": "[", "question_mark": "?", "pagedown": "PgDn",
        "pageup": "PgUp", "home": "Home", "end": "End", "tab": "Tab", "shift+tab": "Shift+Tab", "enter": "Enter",
        "escape": "Esc", "f1": "F1", "backspace": "Backspace", "slash": "/",
    }  # fmt: skip
    unnamed = {"equals_sign"}  # the plus key without shift
    for action in actions.ACTIONS:
        told = {names.get(key, key) for key in action.keys if key not in unnamed}
        if action.name == "line_down":
            told -= {"space"}
        assert set(action.shown.split()) == told, action.name


def test_no_key_needs_a_terminal_that_can_tell_more() -> None:
    for action in actions.ACTIONS:
        for key in action.keys:
            assert "ctrl+" not in key
            assert "alt+" not in key


def test_jumps_have_every_letter_of_the_track_and_its_words() -> None:
    letters = {kind.glyph for kind in steps.KINDS if kind.glyph}
    assert {choice.key: choice.word for choice in actions.JUMPS} == LEGEND
    assert {choice.key for choice in actions.JUMPS} == letters
    assert "n" not in letters
    for choice in actions.JUMPS:
        assert choice.value
        assert all(name in steps.BY_NAME for name in choice.value)
