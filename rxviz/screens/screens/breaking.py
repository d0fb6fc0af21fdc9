"""Break a rule: the rules of this scene, one of them switched off, and where that shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.model.rules import RULES
from rxviz.run.break_rule import Broken, break_rule, smallest_for, smallest_scenes
from rxviz.run.scenario import Scenario
from rxviz.run.timeline import Timeline
from rxviz.screens.actions import BREAK
from rxviz.screens.prose import Prose
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.page import PageScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Canvas, Picture, Role, Target
from rxviz.view.text import fit

ABOUT = (
    "Each rule can be switched off. The same model then runs this scene without it; where something breaks, a lamp"
    " goes on."
)
NO_HARM = "Nothing ever breaks without this rule; only the bill changes."
NO_FRAMES = "The frames that show what this rule is for are none that traffic= makes; try a capture."
_NAME = 24
"""Columns of a rule's name."""


class BreakScreen(PageScreen):
    """Lists the rules of a scene; `show` opens what came of switching one off."""

    KEYS: ClassVar[str] = BREAK
    HEADING: ClassVar[str] = "break a rule"

    def __init__(self, scenario: Scenario, show: Callable[[Broken], None]) -> None:
        super().__init__()
        self.scenario = scenario
        self.rules = [name for name in scenario.rule_names if scenario.gro == "on" or not RULES[name].gro]
        self.chosen = 0
        self._show = show
        self._tried: dict[str, Broken] = {}
        """What has been tried so far."""
        self._lines: list[int] = []
        """The line at which each rule begins."""

    # -------------------------------------------------------------------------------------------------------- the page
    def write(self, page: Prose) -> None:
        """Write the rules, a line each, and below the chosen one what happens instead and what came of it."""
        page.text(ABOUT, Role.REST)
        page.gap()
        self._lines = []
        for number, name in enumerate(self.rules):
            self._rule(page, number, name)
        self.first = self._in_sight(len(page.lines))

    def _rule(self, page: Prose, number: int, name: str) -> None:
        rule, chosen = RULES[name], number == self.chosen
        before = len(page.lines)
        self._lines.append(before)
        sign, role = self._sign(name)
        page.spans(
            (f"{self.glyphs.right if chosen else ' '} ", Role.ACCENT),
            (f"{sign} ", role),
            (f"{name:<{_NAME}}", Role.CHANGED if chosen else Role.STRONG),
            (fit(rule.says, page.measure - _NAME - 4), Role.PLAIN if chosen else Role.REST),
        )
        if chosen:
            if len(rule.says) > page.measure - _NAME - 4:
                page.text(rule.says, Role.PLAIN, indent=6)
            page.text(f"Without it: {rule.instead}", Role.PLAIN, indent=6)
            for sentence in self._outcome(name):
                page.text(sentence, Role.ACCENT, indent=6)
        page.press("rule", str(number), len(page.lines) - before)

    def _sign(self, name: str) -> tuple[str, Role]:
        """Return what is known of a rule here: its lamp went on, nothing broke, off already, not tried."""
        if name in self.scenario.off_rules:
            return "-", Role.BAD
        tried = self._tried.get(name)
        if tried is None:
            return " ", Role.REST
        return (self.glyphs.changed, Role.BAD) if tried.lamp else ("=", Role.REST)

    def _outcome(self, name: str) -> list[str]:
        if name in self.scenario.off_rules:
            return ["It is off in this scene already."]
        tried = self._tried.get(name)
        if tried is None:
            return []
        if tried.lamp:
            return [f"Lamp {tried.lamp} goes on at step {tried.step:,}. Enter looks at it again."]
        changed = [f"{what} {one:,} → {other:,}" for what, one, other in tried.bill[:4]]
        bill = f"; the bill changes: {', '.join(changed)}." if changed else ", and the bill is the same."
        said = f"Nothing breaks in this scene{bill}"
        if name in smallest_scenes():
            return [said, "s plays the smallest scene in which a lamp goes on."]
        return [said]

    def _in_sight(self, lines: int) -> int:
        """Return the first line to show so that the chosen rule is in sight."""
        height = max(self.query_one("#body", Cells).size.height, 1)
        top = self._lines[self.chosen] if self._lines else 0
        bottom = self._lines[self.chosen + 1] if self.chosen + 1 < len(self._lines) else lines
        first = min(self.first, top if self.chosen else 0)
        return max(first, bottom - height, 0)

    # ------------------------------------------------------------------------------------------------------------ keys
    def pressed(self, target: Target) -> None:
        """Choose a rule; one that is chosen already is switched off."""
        if target.kind == "rule":
            if int(target.value) == self.chosen:
                self.do_break()
            else:
                self._choose(int(target.value))

    def _choose(self, number: int) -> None:
        self.chosen = min(max(number, 0), len(self.rules) - 1)
        self.query_one("#body", Cells).show()

    def do_down(self) -> None:
        """The next rule."""
        self._choose(self.chosen + 1)

    def do_up(self) -> None:
        """The rule before."""
        self._choose(self.chosen - 1)

    def do_page_down(self) -> None:
        """A page on."""
        self._choose(self.chosen + max(self.size.height - 8, 1))

    def do_page_up(self) -> None:
        """A page back."""
        self._choose(self.chosen - max(self.size.height - 8, 1))

    def do_top(self) -> None:
        """The first rule."""
        self._choose(0)

    def do_bottom(self) -> None:
        """The last rule."""
        self._choose(len(self.rules) - 1)

    def do_break(self) -> None:
        """Switch the chosen rule off and run the scene; show where a lamp goes on, or say what changed."""
        name = self.rules[self.chosen]
        if name in self.scenario.off_rules:
            self.say("This rule is off already.")
            return
        self.say("")
        try:
            broken = self._tried.get(name) or break_rule(self.scenario, name)
        except RxvizError as error:
            self.say(str(error))
            return
        self._tried[name] = broken
        self.query_one("#body", Cells).show()
        if broken.lamp:
            self._show(broken)

    def do_smallest(self) -> None:
        """Show the smallest scene in which switching the chosen rule off lights a lamp."""
        name = self.rules[self.chosen]
        scene = smallest_for(name)
        if scene is None:
            self.say(NO_FRAMES if RULES[name].gro else NO_HARM)
            return
        found = smallest_scenes()[name]
        self._show(Broken(name, scene, found.lamp, found.step, []))


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
