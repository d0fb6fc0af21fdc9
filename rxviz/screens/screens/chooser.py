"""A list with one line chosen: arrows and the mouse choose, Enter takes, a typed word narrows it.

Those who derive from it write the lines. Groups have headings, which nothing can choose; how many lines there are and
where the chosen one stands is told in the title.
"""

from __future__ import annotations

from textual import events

from rxviz.screens.prose import Prose
from rxviz.screens.screens.page import PageScreen
from rxviz.screens.widgets.cells import Cells
from rxviz.view.cell import Role, Target
from rxviz.view.text import is_single

TYPING = "Type to narrow the list; Enter keeps it so, Esc shows all again."
LONGEST_WORD = 24
"""Letters of what is typed, at most: more is in no line's words, and the title has no room for it."""


class ChooserScreen(PageScreen):
    """Keeps which line is chosen, and in sight."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen = 0
        """The chosen item, counted among all, also where the list is narrowed."""
        self.wanted = ""
        """What was typed: only items with these words are shown."""
        self.typing = False
        """Whether letters are typed, and not keys."""
        self._starts: dict[int, tuple[int, int]] = {}
        """By the number of each item in the list: its first line on the page, its group's heading included, and the
        line behind its last one."""
        self._follow = True
        """Whether the page is kept where the chosen item is in sight; the wheel goes where it likes."""

    def count(self) -> int:
        """Return how many items there are."""
        raise NotImplementedError

    def head(self, page: Prose) -> None:
        """Write what stands above the list."""

    def item(self, page: Prose, number: int, *, chosen: bool) -> None:
        """Write an item."""
        raise NotImplementedError

    def group(self, number: int) -> str:
        """Return which group an item is in; "" where there are none."""
        return ""

    def group_head(self, page: Prose, number: int) -> None:
        """Write the heading of a group, above its first item in the list."""
        page.heading(self.group(number))

    def words(self, number: int) -> str:
        """Return the words by which an item is found."""
        raise NotImplementedError

    def foot(self, page: Prose) -> None:
        """Write what stands below the list."""

    def take(self) -> None:
        """Do what the chosen item is for."""
        raise NotImplementedError

    # -------------------------------------------------------------------------------------------------------- the page
    def shown(self) -> list[int]:
        """Return the items in the list: those with every word that was typed, in any order."""
        wanted = self.wanted.casefold().split()
        if not wanted:
            return list(range(self.count()))
        return [n for n in range(self.count()) if all(word in self.words(n).casefold() for word in wanted)]

    def write(self, page: Prose) -> None:
        """Write the items, and keep the chosen one in sight."""
        self.head(page)
        self._starts, group, shown = {}, "", self.shown()
        for number in shown:
            before = len(page.lines)
            if self.group(number) != group:
                group = self.group(number)
                self.group_head(page, number)
            top = len(page.lines)
            self.item(page, number, chosen=number == self.chosen)
            page.press("item", str(number), len(page.lines) - top)
            self._starts[number] = before, len(page.lines)
        if not shown:
            page.gap()
            page.text(f'Nothing here has "{self.wanted}" in its words. Backspace takes a letter back, Esc shows all.')
        self.foot(page)
        if self._follow:
            self.first = self._in_sight(len(page.lines))

    def _in_sight(self, lines: int) -> int:
        """Return the first line to show so that the chosen item is in sight, and what stands round the list's ends."""
        if self.chosen not in self._starts:
            return 0
        height = max(self.query_one("#body", Cells).size.height, 1)
        numbers = list(self._starts)
        top, bottom = self._starts[self.chosen]
        top = 0 if self.chosen == numbers[0] else top
        bottom = lines if self.chosen == numbers[-1] else bottom
        return max(min(self.first, top), bottom - height, 0)

    def title_spans(self) -> list[tuple[str, str]]:
        """Return the heading, and what was typed to narrow the list."""
        found = super().title_spans()
        if self.typing or self.wanted:
            found.append((f"  /{self.wanted}{'_' if self.typing else ''}", Role.KEY))
        return found

    def place_words(self) -> list[str]:
        """Return where the chosen item stands, the shortest way to say it last."""
        shown = self.shown()
        if self.chosen not in shown:
            return [f"0 of {self.count()}"]
        where = f"{shown.index(self.chosen) + 1} of {len(shown)}"
        narrowed = f", {self.count()} in all" if len(shown) < self.count() else ""
        group = self.group(self.chosen)
        return [f"{group} · {where}{narrowed}", f"{where}{narrowed}", where] if group else [f"{where}{narrowed}", where]

    def redraw(self) -> None:
        """Show the page, and in the title where it stands."""
        self.query_one("#body", Cells).show()
        self.query_one("#header", Cells).show()

    # ------------------------------------------------------------------------------------------------------------ keys
    def on_key(self, event: events.Key) -> None:
        """Take letters for what is typed while somebody types; else do what the key is for."""
        if self.typing and self._typed(event):
            event.stop()
            event.prevent_default()
            return
        super().on_key(event)

    def _typed(self, event: events.Key) -> bool:
        """Take a key for a letter, or for the end of typing; return whether it was one of these."""
        if event.key in ("enter", "escape"):
            self.typing = False
            self.say("")
            self.narrow(self.wanted if event.key == "enter" else "")
        elif event.key == "backspace":
            self.narrow(self.wanted[:-1])
        elif event.character and is_single(event.character):
            self.narrow((self.wanted + event.character)[:LONGEST_WORD])
        else:
            return False
        return True

    def narrow(self, wanted: str) -> None:
        """Show only items with these words; where the chosen one is none of them, the first is chosen."""
        self.wanted, self._follow = wanted, True
        shown = self.shown()
        if shown and self.chosen not in shown:
            self.chosen = shown[0]
        self.redraw()

    def do_find(self) -> None:
        """Let letters narrow the list."""
        self.typing = True
        self.say(TYPING)
        self.redraw()

    def do_escape(self) -> None:
        """Show all again where the list is narrowed; else go back."""
        if self.wanted:
            self.narrow("")
        else:
            super().do_escape()

    def pressed(self, target: Target) -> None:
        """Choose an item; one that is chosen already is taken."""
        if target.kind != "item":
            return
        if int(target.value) == self.chosen:
            self.do_take()
        else:
            self._choose(int(target.value))

    def _choose(self, number: int) -> None:
        self.chosen, self._follow = number, True
        self.redraw()

    def _move(self, by: int) -> None:
        """Choose the item so many further in the list, or the last there is that way."""
        shown = self.shown()
        if shown:
            at = shown.index(self.chosen) if self.chosen in shown else 0
            self._choose(shown[min(max(at + by, 0), len(shown) - 1)])

    def _scroll(self, lines: int) -> None:
        self._follow = False
        super()._scroll(lines)

    def do_down(self) -> None:
        """The next item."""
        self._move(1)

    def do_up(self) -> None:
        """The item before."""
        self._move(-1)

    def do_page_down(self) -> None:
        """A page on."""
        self._move(max(self.size.height - 8, 1))

    def do_page_up(self) -> None:
        """A page back."""
        self._move(-max(self.size.height - 8, 1))

    def do_top(self) -> None:
        """The first item."""
        self._move(-self.count())

    def do_bottom(self) -> None:
        """The last item."""
        self._move(self.count())

    def do_next_group(self) -> None:
        """The first item of the next group."""
        here = self.group(self.chosen)
        later = [n for n in self.shown() if n > self.chosen and self.group(n) != here]
        if later:
            self._choose(later[0])

    def do_previous_group(self) -> None:
        """The first item of this group, or from there of the one before."""
        shown = self.shown()
        firsts = [n for at, n in enumerate(shown) if not at or self.group(shown[at - 1]) != self.group(n)]
        earlier = [n for n in firsts if n < self.chosen]
        if earlier:
            self._choose(earlier[-1])

    def do_take(self) -> None:
        """Do what the chosen item is for."""
        if self.chosen in self.shown():
            self.take()
