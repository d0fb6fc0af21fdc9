"""Break a rule: the rules of this scene by where they act, one of them switched off, and where that shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.model.gro.rules import RULES as QUESTIONS
from rxviz.model.rules import RULES, At
from rxviz.run.break_rule import Broken, RuleScene, known_lamps, smallest_scenes
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.timeline import Timeline
from rxviz.screens.actions import BREAK
from rxviz.screens.prose import Prose
from rxviz.screens.screens.bench import BenchScreen
from rxviz.screens.screens.chooser import ChooserScreen
from rxviz.view.cell import Canvas, Picture, Role
from rxviz.view.text import fit, plural

ABOUT = (
    "Each rule can be switched off. The same model then runs this scene without it; where something breaks, a lamp"
    " goes on."
)
LEGEND = (
    ("lamp", Role.BAD, ": one can go on without it  "),
    ("bill", Role.PLAIN, ": only the bill can change"),
)
NOT_SEARCHED = (("  ?", Role.PLAIN, ": not known"),)
NO_HARM = "Nothing ever breaks without this rule; only the bill changes."
NO_FRAMES = "The frames that show what this rule is for are none that traffic= makes; try a capture."
NOT_KNOWN = "No scene is known for this rule in this driver; try it here."
_LINES = 6
"""Lines of the bill that a sentence names."""
_SIGNS = 4
"""Columns in front of a name."""
_EFFECT = 6
"""Columns that say whether a lamp can go on."""


class BreakScreen(ChooserScreen):
    """Lists the rules of a scene by where they act; `show` opens what came of switching one off."""

    KEYS: ClassVar[str] = BREAK
    HEADING: ClassVar[str] = "break a rule"
    MEASURE: ClassVar[int] = 132

    def __init__(self, scenario: Scenario, show: Callable[[Broken], None]) -> None:
        super().__init__()
        self.scene = RuleScene(scenario)
        names = [name for name in scenario.rule_names if scenario.gro == "on" or not RULES[name].gro]
        places = list(At)
        self.rules = sorted(names, key=lambda name: places.index(RULES[name].at))
        self.lamps = {name: known_lamps(name, scenario.driver) for name in names}
        self._names = max(map(len, names), default=0) + 2
        self._show = show

    def count(self) -> int:
        """Return how many rules the scene has."""
        return len(self.rules)

    # -------------------------------------------------------------------------------------------------------- the page
    def head(self, page: Prose) -> None:
        """Say what a rule is, and what stands behind the names."""
        page.text(ABOUT, Role.REST)
        legend = LEGEND if None not in self.lamps.values() else (*LEGEND, *NOT_SEARCHED)
        page.spans(*[span for word, role, says in legend for span in ((word, role), (says, Role.REST))])

    def group(self, number: int) -> str:
        """Return where a rule acts."""
        return RULES[self.rules[number]].at.value

    def words(self, number: int) -> str:
        """Return the rule's name, what it says, where it acts, and what can come of switching it off."""
        name = self.rules[number]
        rule = RULES[name]
        told = rule.sentences(self.scene.scenario.driver)
        return " ".join((name, *told, rule.at, self._effect(name)[0], *(self.lamps[name] or ())))

    def item(self, page: Prose, number: int, *, chosen: bool) -> None:
        """Write a rule in a line, and below the chosen one what happens instead and what came of it."""
        name = self.rules[number]
        says, instead = RULES[name].sentences(self.scene.scenario.driver)
        asks = QUESTIONS[name].asks if name in QUESTIONS else says
        sign, role = self._sign(name)
        effect, effect_role = self._effect(name)
        room = page.measure - _SIGNS - self._names - _EFFECT
        # The chosen rule is told in full below its line, so the line need not begin to. Of GRO's questions the line has
        # what they ask, for the group's heading says the rest.
        below = chosen and (len(asks) > room or asks != says)
        page.spans(
            (f"{self.glyphs.right if chosen else ' '} ", Role.ACCENT),
            (f"{sign} ", role),
            (f"{name:<{self._names}}", Role.CHANGED if chosen else Role.STRONG),
            (f"{effect:<{_EFFECT}}", effect_role),
            ("" if below else fit(asks, room), Role.PLAIN if chosen else Role.REST),
        )
        if below:
            page.text(says, Role.PLAIN, indent=_SIGNS)
        if chosen:
            page.text(f"Without it: {instead}", Role.PLAIN, indent=_SIGNS)
            for sentence in self._outcome(name):
                page.text(sentence, Role.ACCENT, indent=_SIGNS)

    def _effect(self, name: str) -> tuple[str, Role]:
        """Return, in a word, what can come of switching a rule off in this driver, in this scene or another."""
        lamps = self.lamps[name]
        if lamps is None:
            return "?", Role.PLAIN
        return ("lamp", Role.BAD) if lamps else ("bill", Role.PLAIN)

    def _sign(self, name: str) -> tuple[str, Role]:
        """Return what came of it here: its lamp went on, nothing broke, off already, not tried."""
        if name in self.scene.scenario.off_rules:
            return "-", Role.BAD
        tried = self.scene.tried(name)
        if tried is None:
            return " ", Role.REST
        return (self.glyphs.changed, Role.BAD) if tried.lamp else ("=", Role.REST)

    def _outcome(self, name: str) -> list[str]:
        """Say what came of switching a rule off here; before that what is known of it."""
        if name in self.scene.scenario.off_rules:
            return ["It is off in this scene already."]
        tried = self.scene.tried(name)
        if tried is None:
            return self._known(name)
        if tried.lamp:
            return [f"Lamp {tried.lamp} goes on at step {tried.step:,}. Enter looks at it again."]
        changed = [f"{what} {one:,} → {other:,}" for what, one, other in tried.bill[:_LINES]]
        if len(tried.bill) > _LINES:
            changed.append(f"and {plural(len(tried.bill) - _LINES, 'more line')}")
        bill = f"; the bill changes: {', '.join(changed)}." if changed else ", and the bill is the same."
        said = f"Nothing breaks in this scene{bill}"
        if name in smallest_scenes(self.scene.scenario.driver):
            return [said, "s plays the smallest scene in which a lamp goes on."]
        return [said]

    def _known(self, name: str) -> list[str]:
        """Say what is known of a rule that nobody has switched off here."""
        lamps = self.lamps[name]
        if lamps is None:
            return ["What comes of it is not known: Enter finds out for this scene."]
        if not lamps:
            return ["No lamp is known to go on without it, only the bill changes: Enter tells by how much."]
        named = f"Lamp {lamps[0]} goes" if len(lamps) == 1 else f"Lamps {' and '.join(lamps)} go"
        if RULES[name].gro:
            return [f"{named} on without it with the frames that it is for; Enter plays those of this scene."]
        return [f"{named} on without it in some scene: s plays the smallest, Enter this one."]

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
        self.redraw()
        if broken.lamp:
            self._show(broken)

    def do_smallest(self) -> None:
        """Show the smallest scene in which switching the chosen rule off lights a lamp."""
        name = self.rules[self.chosen]
        if self.chosen not in self.shown():
            return
        found = smallest_scenes(self.scene.scenario.driver).get(name)
        if found is None:
            self.say(NO_FRAMES if RULES[name].gro else NO_HARM if self.lamps[name] is not None else NOT_KNOWN)
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
