"""Twenty patches, twenty switches: the series that brought build_skb, and what each patch does to this scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rxviz.errors import RxvizError
from rxviz.model.names import frame_name
from rxviz.run.patch_scene import Change, PatchScene
from rxviz.run.patches import ALL, KERNEL, NONE, Patch, in_kernel, in_words, listed, numbers, patches, series, word
from rxviz.run.scenario import Scenario
from rxviz.screens.actions import PATCHES
from rxviz.screens.prose import Prose
from rxviz.screens.screens.chooser import ChooserScreen
from rxviz.view.bill import LINES
from rxviz.view.cell import Role
from rxviz.view.text import fit, plural

SOON = 2_000
"""Up to so many frames, what a patch would change is found out as it is chosen."""
TALL = 36
"""Lines of a window that has room for the whole bill."""
_NAMES = {key: name.strip().removesuffix(" M").removesuffix(", B") for name, key in LINES if key}
_SHOWN = 5
"""Changes that a line of a patch names."""
_COLUMNS = 3
"""Columns of the bill."""


class PatchesScreen(ChooserScreen):
    """Lists the twenty; `leave` takes the scene as it is then, where it is another one."""

    KEYS: ClassVar[str] = PATCHES
    HEADING: ClassVar[str] = "patches"

    def __init__(self, scenario: Scenario, frame: int | None, leave: Callable[[Scenario], None]) -> None:
        super().__init__()
        self.opened = scenario
        self.scene = PatchScene(scenario, frame)
        self.rows = [*patches().values()]
        self.chosen = next((i for i, row in enumerate(self.rows) if row.driver == scenario.driver), 0)
        self.before: Scenario | None = None
        """The scene before the last switch."""
        self._leave = leave

    def count(self) -> int:
        """Return how many patches there are."""
        return len(self.rows)

    @property
    def patch(self) -> Patch:
        """The chosen one."""
        return self.rows[self.chosen]

    # -------------------------------------------------------------------------------------------------------- the page
    def head(self, page: Prose) -> None:
        """Say what the scene is a state of."""
        scenario, part = self.scene.scenario, series(self.scene.scenario.driver)
        page.spans(
            (f"{scenario.driver} in kernel {part.before if part else scenario.kernel}", Role.STRONG),
            (f" with {in_words(scenario.patches)}; skbs are made the {scenario.path} way", Role.PLAIN),
        )
        page.gap(self.size.height > TALL)
        if self.opened.patches == KERNEL and self.before is None and part and self.opened.kernel != part.before:
            page.text(
                f"The scene is in kernel {self.opened.kernel}, which has {len(in_kernel(self.opened.kernel))} of the"
                f" series and more besides. The first switch moves it to kernel {part.before}, where only the series"
                " differs.",
                Role.REST,
            )

    def item(self, page: Prose, number: int, *, chosen: bool) -> None:
        """Write a patch in a line, and below the chosen one what it does, and does here."""
        row = self.rows[number]
        applied = row.number in self.scene.applied
        foreign = row.driver not in ("mm", self.scene.scenario.driver)
        page.spans(
            (f"{self.glyphs.right if chosen else ' '} ", Role.ACCENT),
            ("[x]" if applied else "[ ]", Role.GOOD if applied else Role.REST),
            (f" {row.number:>2} ", Role.CHANGED if chosen else Role.STRONG),
            (f" {row.driver:<6}", Role.REST),
            (fit(row.title, page.measure - 16), Role.REST if foreign and not chosen else Role.PLAIN),
        )
        if chosen:
            page.text(row.does, Role.PLAIN, indent=6)
            for sentence in self._about(row):
                page.text(sentence, Role.REST, indent=6)
            page.text(self._here(row), Role.ACCENT, indent=6)

    def words(self, number: int) -> str:
        """Return a patch's number, driver, title and what it does."""
        row = self.rows[number]
        return f"{row.number} {row.driver} {row.title} {row.does}"

    def foot(self, page: Prose) -> None:
        """Write the bill, where there is room."""
        if self.size.height >= TALL:
            self._write_bill(page)

    def _about(self, row: Patch) -> list[str]:
        """Say what it needs and what needs it, as far as that is in the way."""
        needing = [other for other in self.scene.applied if row.number in patches()[other].needs]
        said = [f"It needs {listed(row.needs)}."] if row.needs else []
        if needing:
            said.append(f"{listed(needing)} {'needs' if len(needing) == 1 else 'need'} it.")
        return [" ".join(said)] if said else []

    def _here(self, row: Patch) -> str:
        """Say what switching it changes in this scene."""
        scenario = self.scene.scenario
        if row.driver not in ("mm", scenario.driver):
            return f"It is {row.driver}'s: in this scene of {scenario.driver} nothing changes."
        if not row.seen:
            return f"It changes nothing that can be seen. {row.why}"
        if self.before is not None and self._switched() == {row.number}:
            verb = "Applied" if row.number in self.scene.applied else "Reverted"
            return f"{verb}: {self._told(self._changed())}"
        try:
            other = self.scene.toggled(row.number)
        except RxvizError as error:
            return f"{str(error)[:1].upper()}{str(error)[1:]}."
        verb = "Reverting" if row.number in self.scene.applied else "Applying"
        if (self.scene.frame or 0) > SOON:
            return f"{verb} it: Enter, and it is told what that changes up to here."
        return f"{verb} it would change {self._told(self.scene.changes(other))}"

    def _told(self, changes: list[Change]) -> str:
        """Put changes of the bill into a sentence."""
        if not changes:
            return f"nothing on the bill {self._when()}; the steps may differ."
        shown = [f"{_NAMES.get(name, name.replace('_', ' '))} {one:,} → {other:,}" for name, one, other in changes]
        more = f", and {plural(len(shown) - _SHOWN, 'more line')}" if len(shown) > _SHOWN else ""
        return f"{', '.join(shown[:_SHOWN])}{more} {self._when()}."

    def _when(self) -> str:
        return "in the whole run" if self.scene.frame is None else f"by the end of frame {frame_name(self.scene.frame)}"

    def _switched(self) -> set[int]:
        """The patches that the last switch applied or reverted."""
        return set() if self.before is None else {*numbers(self.before.patches)} ^ {*self.scene.applied}

    def _changed(self) -> list[Change]:
        """What the last switch changed."""
        if self.before is None:
            return []
        return [(name, other, one) for name, one, other in self.scene.changes(self.before)]

    def _write_bill(self, page: Prose) -> None:
        """Write the bill in columns; what the last switch changed is marked, with what it was."""
        page.heading(f"The bill {self._when()}, the set-up apart")
        bill, was = self.scene.bill(), {name: before for name, before, _ in self._changed()}
        rows = -(-len(_NAMES) // _COLUMNS)
        width = page.measure // _COLUMNS
        keys = [*_NAMES]
        for row in range(rows):
            spans: list[tuple[str, str]] = []
            for key in keys[row::rows]:
                value, changed = f"{bill[key]:,}", key in was
                if changed:
                    value = f"{self.glyphs.changed}{was[key]:,}→{value}"
                name = fit(_NAMES[key], width - len(value) - 3)
                spans += [
                    (f"{name:<{max(width - len(value) - 2, 0)}}", Role.REST),
                    (value, Role.CHANGED if changed else Role.PLAIN if bill[key] else Role.REST),
                    ("  ", Role.REST),
                ]
            page.spans(*spans)

    # ------------------------------------------------------------------------------------------------------------ keys
    def take(self) -> None:
        """Apply or revert the chosen patch, and run the scene again."""
        try:
            self._switch(self.scene.toggled(self.patch.number))
        except RxvizError as error:
            self.say(f"{str(error)[:1].upper()}{str(error)[1:]}.")

    def _switch(self, scenario: Scenario) -> None:
        if scenario == self.scene.scenario:
            self.say("It is so already.")
            return
        self.say("")
        self.before, self.scene.scenario = self.scene.scenario, scenario
        self.redraw()

    def do_all(self) -> None:
        """Apply all."""
        self._switch(self.scene.with_patches({*numbers(ALL)}))

    def do_none(self) -> None:
        """Revert all."""
        self._switch(self.scene.with_patches({*numbers(NONE)}))

    def do_lanes(self) -> None:
        """Show the scene before the series and as it is now, side by side."""
        from rxviz.run.lane_words import make_lanes
        from rxviz.screens.screens.lanes import LanesScreen

        state = word(self.scene.applied)
        try:
            lanes = make_lanes(self.scene.scenario, [f"patches={NONE}", f"patches={ALL if state == NONE else state}"])
        except RxvizError as error:
            self.say(str(error))
            return
        self.app.push_screen(LanesScreen(lanes, self.scene.frame))

    def do_escape(self) -> None:
        """Back to the workbench, on the scene as it is now."""
        self.app.pop_screen()
        if self.scene.moved:
            self._leave(self.scene.scenario)
