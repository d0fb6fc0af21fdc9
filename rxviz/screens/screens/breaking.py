"""Break a rule: the rules of this scene, one of them switched off, and where that shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.model.rules import RULES
from rxviz.run.break_rule import Broken, RuleScene, smallest_scenes
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.timeline import Timeline
from rxviz.screens.actions import BREAK
from rxviz.screens.prose import Prose
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.chooser import ChooserScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.text import fit

ABOUT = (
    "Each rule can be switched off. The same model then runs this scene without it; where something breaks, a lamp"
    " goes on."
)
NO_HARM = "Nothing ever breaks without this rule; only the bill changes."
NO_FRAMES = "The frames that show what this rule is for are none that traffic= makes; try a capture."
_NAME = 24
"""Columns of a rule's name."""


class BreakScreen(ChooserScreen):
    """Lists the rules of a scene; `show` opens what came of switching one off."""

    KEYS: ClassVar[str] = BREAK
    HEADING: ClassVar[str] = "break a rule"

    def __init__(self, scenario: Scenario, show: Callable[[Broken], None]) -> None:
        super().__init__()
        self.scene = RuleScene(scenario)
        self.rules = [name for name in scenario.rule_names if scenario.gro == "on" or not RULES[name].gro]
        self._show = show

    def count(self) -> int:
        """Return how many rules the scene has."""
        return len(self.rules)

    # -------------------------------------------------------------------------------------------------------- the page
    def head(self, page: Prose) -> None:
        """Say what a rule is."""
        page.text(ABOUT, Role.REST)
        page.gap()

    def item(self, page: Prose, number: int, *, chosen: bool) -> None:
        """Write a rule in a line, and below the chosen one what happens instead and what came of it."""
        name = self.rules[number]
        says, instead = RULES[name].sentences(self.scene.scenario.driver)
        sign, role = self._sign(name)
        page.spans(
            (f"{self.glyphs.right if chosen else ' '} ", Role.ACCENT),
            (f"{sign} ", role),
            (f"{name:<{_NAME}}", Role.CHANGED if chosen else Role.STRONG),
            (fit(says, page.measure - _NAME - 4), Role.PLAIN if chosen else Role.REST),
        )
        if chosen:
            if len(says) > page.measure - _NAME - 4:
                page.text(says, Role.PLAIN, indent=6)
            page.text(f"Without it: {instead}", Role.PLAIN, indent=6)
            for sentence in self._outcome(name):
                page.text(sentence, Role.ACCENT, indent=6)

    def _sign(self, name: str) -> tuple[str, Role]:
        """Return what is known of a rule here: its lamp went on, nothing broke, off already, not tried."""
        if name in self.scene.scenario.off_rules:
            return "-", Role.BAD
        tried = self.scene.tried(name)
        if tried is None:
            return " ", Role.REST
        return (self.glyphs.changed, Role.BAD) if tried.lamp else ("=", Role.REST)

    def _outcome(self, name: str) -> list[str]:
        if name in self.scene.scenario.off_rules:
            return ["It is off in this scene already."]
        tried = self.scene.tried(name)
        if tried is None:
            return []
        if tried.lamp:
            return [f"Lamp {tried.lamp} goes on at step {tried.step:,}. Enter looks at it again."]
        changed = [f"{what} {one:,} → {other:,}" for what, one, other in tried.bill[:4]]
        bill = f"; the bill changes: {', '.join(changed)}." if changed else ", and the bill is the same."
        said = f"Nothing breaks in this scene{bill}"
        if name in smallest_scenes(self.scene.scenario.driver):
            return [said, "s plays the smallest scene in which a lamp goes on."]
        return [said]

    # ------------------------------------------------------------------------------------------------------------ keys
    def take(self) -> None:
        """Switch the chosen rule off and run the scene; show where a lamp goes on, or say what changed."""
        name = self.rules[self.chosen]
        if name in self.scene.scenario.off_rules:
            self.say("This rule is off already.")
            return
        self.say("")
        try:
            broken = self.scene.without(name)
        except RxvizError as error:
            self.say(str(error))
            return
        self.query_one("#body", Cells).show()
        if broken.lamp:
            self._show(broken)

    def do_smallest(self) -> None:
        """Show the smallest scene in which switching the chosen rule off lights a lamp."""
        name = self.rules[self.chosen]
        found = smallest_scenes(self.scene.scenario.driver).get(name)
        if found is None:
            self.say(NO_FRAMES if RULES[name].gro else NO_HARM)
            return
        self._show(Broken(name, parse_line(found.line), found.lamp, found.step, []))


class BrokenScreen(BenchScreen):
    """The workbench on a world in which a rule is off, at the step at which its lamp goes on."""

    def __init__(self, broken: Broken) -> None:
        super().__init__(Timeline(broken.world))
        self.broken = broken
        self.session.seek(broken.step)

    def _draw_header(self, width: int, height: int) -> Picture:
        banner = fit(f" without {self.broken.rule}: Esc returns ", width // 2)
        rest = super()._draw_header(width - len(banner), height)
        canvas = Canvas(len(banner), 1, self.glyphs)
        canvas.put(0, 0, banner, Role.CHANGED)
        return Picture(width, (canvas.picture().lines[0] + rest.lines[0],))
