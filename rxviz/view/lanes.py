"""One of two lanes: its ring in a line, the page and the skb of a frame, and what the lane does with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rxviz.model.halves import Half
from rxviz.model.memory import Page
from rxviz.model.names import frame_name, half_name
from rxviz.model.skb import SkBuff
from rxviz.run.timeline import Moment
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.headers import header_parts
from rxviz.view.lanes_words import as_many
from rxviz.view.page_rows import prepaid, words_of
from rxviz.view.question import half_in_question, page_in_question
from rxviz.view.regions import drawn_halves, region_parts, state_letter
from rxviz.view.scale import Part, draw_scale
from rxviz.view.slots import Slot, SlotState, slot_at, slot_in_question
from rxviz.view.text import join_fit, wrap

LABEL = 9
"""Columns of the words at the left."""
SLOT = 6
"""Columns of a slot in the line of the ring, its blank included."""
MOST_WORDS = 3
"""Lines of a sentence."""
LEAST_OTHER = 9
"""Columns of the half that is not in question."""
_FILL_ROLES = {SlotState.POSTED: Role.NIC, SlotState.WAITING: Role.FREE}


@dataclass(frozen=True, slots=True)
class LaneHead:
    """The title of a lane. `side` is "left" or "right", `role` the role of its colour, `facts` words joined by "·"."""

    side: str
    name: str
    role: str
    facts: str
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class LaneView:
    """What is shown of a lane: its ring, page and skb each at the moment that tells most, and how the page ends up.

    `says` is what the lane does with the frame, `why` a line more on it, `fate` what became of the page; `waits` says
    that the lane does nothing while the other one acts, `now` that all are at the same moment.
    """

    head: LaneHead
    frame: int
    ring: Moment
    page: Moment
    skb: Moment
    after: Moment
    says: str
    why: str = ""
    fate: str = ""
    waits: bool = False
    now: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that may be drawn: `rank` says how soon it is left out (0 never)."""

    rank: int
    draw: Callable[[int], None] = lambda y: None


def word_rows(view: LaneView, width: int) -> tuple[int, int]:
    """Return how many lines a lane needs for what it says, and for the reason."""
    room = _room(width) - 2
    return max(len(wrap(view.says, room, MOST_WORDS)), 1), len(wrap(view.why, room, MOST_WORDS)) if view.why else 0


def draw(
    view: LaneView, width: int, height: int, *, rows: tuple[int, int] = (1, 0), glyphs: Glyphs = UNICODE
) -> Picture:
    """Return the lane in exactly `width` x `height` cells; where lines are few, blanks and offsets go first.

    `rows` are lines for what the lane says and for the reason, as `word_rows` has them; two lanes side by side need
    the same.
    """
    canvas = Canvas(width, height, glyphs)
    _Lane(canvas, view, rows).draw()
    canvas.target(0, 0, width, height, "lane", view.head.side)
    return canvas.picture()


def _left(width: int) -> int:
    return LABEL if width >= 40 else 0


def _room(width: int) -> int:
    return max(width - _left(width) - 1, 0)


class _Lane:
    """Draws one lane on a canvas."""

    def __init__(self, canvas: Canvas, view: LaneView, rows: tuple[int, int]) -> None:
        self.canvas = canvas
        self.view = view
        self.rows = rows
        self.glyphs = canvas.glyphs
        self.left = _left(canvas.width)
        self.room = _room(canvas.width)
        self.page_ = page_in_question(view.page)
        self.skb_ = next((skb for skb in view.skb.machine.skbs.values() if skb.frame.id == view.frame), None)
        self.kept: set[str] = set()

    def draw(self) -> None:
        """Choose the lines that there is room for, and draw them from the top."""
        lines = self._lines()
        while len(lines) > self.canvas.height and any(line.rank for _, line in lines):
            worst = max(line.rank for _, line in lines)
            last = max(i for i, (_, line) in enumerate(lines) if line.rank == worst)
            del lines[last]
        self.kept = {name for name, _ in lines}
        for y, (_, line) in enumerate(lines[: self.canvas.height]):
            line.draw(y)

    def _lines(self) -> list[tuple[str, _Line]]:
        says = _padded(wrap(self.view.says, self.room - 2, self.rows[0]), self.rows[0])
        why = _padded(wrap(self.view.why, self.room - 2, self.rows[1]) if self.view.why else [], self.rows[1])
        gap = ("", _Line(10))
        return [
            ("title", _Line(0, self._title)),
            ("rule", _Line(8, self._rule)),
            gap,
            ("ring", _Line(2, self._ring)),
            gap,
            ("page", _Line(1, self._page)),
            ("page offsets", _Line(5)),
            gap,
            *(("says", _Line(min(i, 1) * 4, self._says(text, i == 0))) for i, text in enumerate(says)),
            *(("why", _Line(9, self._why(text))) for text in why),
            gap,
            ("head", _Line(2, self._head)),
            ("head offsets", _Line(6)),
            ("frags", _Line(4, self._frags)),
            ("price", _Line(1, self._price)),
            gap,
            ("after", _Line(3, self._after)),
            ("refs", _Line(7, self._refs_line)),
        ]

    def _label(self, y: int, words: str) -> None:
        if self.left:
            self.canvas.write(1, y, words, Role.REST, LABEL - 1)

    # ------------------------------------------------------------------------------------------------------- the lines
    def _title(self, y: int) -> None:
        canvas, view = self.canvas, self.view.head
        if "rule" not in self.kept:
            canvas.fill(0, y, canvas.width, "━", view.role)
        mark = f"{self.glyphs.right} " if view.chosen else "  "
        x = canvas.put(0, y, mark, Role.ACCENT)
        room = max(canvas.width - x - 2, 0)
        x = canvas.write(x, y, view.name, view.role, room) + 1
        canvas.put(x - 1, y, " ")
        if canvas.width - x > 10:
            facts = as_many(view.facts.split(" · "), canvas.width - x - 4)
            canvas.put(x, y, "" if "rule" in self.kept else "━", view.role)
            canvas.put(x + 1, y, f" {facts} ", Role.REST)

    def _rule(self, y: int) -> None:
        self.canvas.fill(0, y, self.canvas.width, "━", self.view.head.role)

    def _ring(self, y: int) -> None:
        moment = self.view.ring
        count = moment.machine.ring.count
        shown = min(count, max((self.room + 1) // SLOT, 1))
        question = slot_in_question(moment)
        more = f"+{count - shown:,}"
        while shown > 1 and shown < count and shown * SLOT + len(more) > self.room:
            shown, more = shown - 1, f"+{count - shown + 1:,}"
        first = 0 if shown == count else (question - shown // 3) % count
        self._label(y, "ring")
        for place in range(shown):
            number = (first + place) % count
            self._slot(self.left + place * SLOT, y, slot_at(moment, number), number == question)
        if shown < count and self.room > shown * SLOT:
            self.canvas.write(self.left + shown * SLOT, y, more, Role.REST)

    def _slot(self, x: int, y: int, slot: Slot, question: bool) -> None:
        canvas, glyphs = self.canvas, self.glyphs
        role = Role.ACCENT if question else Role.BORDER
        canvas.put(x, y, "[", role)
        if slot.frame is not None:
            letter = glyphs.in_hand if slot.in_hand else glyphs.filled
            name = frame_name(slot.frame.id)[:3]
            canvas.fill(x + 1, y, 3, letter, frame_role(slot.frame.id, solid=False))
            canvas.put(x + 1 if len(name) > 1 else x + 2, y, name, frame_role(slot.frame.id))
        else:
            fill = {SlotState.POSTED: glyphs.posted, SlotState.WAITING: glyphs.waiting, SlotState.REFILL: glyphs.spare}
            letter = fill.get(slot.state, glyphs.gone)
            canvas.fill(x + 1, y, 3, letter, _FILL_ROLES.get(slot.state, Role.REST))
        canvas.put(x + 4, y, "]", role)

    def _page(self, y: int) -> None:
        page, moment = self.page_, self.view.page
        if page is None:
            self._label(y, "page")
            self.canvas.write(self.left, y, "no page of the ring is in question", Role.REST)
            return
        self._label(y, f"page {page.id}")
        half = half_in_question(moment, page, of_frame=True)
        if half is None:
            return
        offsets = "page offsets" in self.kept
        walked = moment.machine.config.geometry.parts != 2
        small = max(min(self.room // 5, 16), LEAST_OTHER)
        large = max(self.room - small - 1, 0)
        parts = region_parts(moment, page, half, self.glyphs, self.room if walked else large)
        if walked:
            draw_scale(self.canvas, self.left, y, self.room, parts, half.start, offsets=offsets)
            return
        other = next(each for each in drawn_halves(moment, page) if each.start != half.start)
        first = half.start < other.start
        x = self.left if first else self.left + small + 1
        draw_scale(self.canvas, x, y, large, parts, half.start, offsets=offsets)
        self._other(self.left + large + 1 if first else self.left, y, small, page, other)
        self.canvas.put(self.left + (large if first else small), y, "│", Role.BORDER)

    def _other(self, x: int, y: int, width: int, page: Page, half: Half) -> None:
        """Draw the half that is not in question, small: its letter and its state's fill."""
        canvas, m = self.canvas, self.view.page.machine
        role = frame_role(half.frame.id, solid=False) if half.frame is not None else Role.REST
        canvas.fill(x, y, width, state_letter(self.glyphs, half.state), role)
        name = half_name(half.start, m.config.geometry.part)
        words = f" {name} {words_of(m, half).partition(' · ')[0]} "
        words = words if len(words) <= width - 2 else f" {name} "
        at = canvas.put(x + 1, y, words, Role.REST)
        if half.frame is not None and at + 3 <= x + width:
            canvas.put(at, y, f" {frame_name(half.frame.id)} ", frame_role(half.frame.id))

    def _says(self, text: str, first: bool) -> Callable[[int], None]:
        def put(y: int) -> None:
            view = self.view
            if first:
                self._label(y, "frame " + frame_name(view.frame))
                self.canvas.put(self.left, y, self.glyphs.spare if view.waits else self.glyphs.down, view.head.role)
            role = Role.REST if view.waits else view.head.role
            self.canvas.write(self.left + 2, y, text, role)

        return put

    def _why(self, text: str) -> Callable[[int], None]:
        def put(y: int) -> None:
            self.canvas.write(self.left + 2, y, text, Role.REST)

        return put

    def _head(self, y: int) -> None:
        skb = self.skb_
        self._label(y, "skb")
        if skb is None:
            self.canvas.write(self.left, y, "no skb yet, or none any more", Role.REST)
            return
        moment = self.view.skb
        half = moment.machine.config.geometry.named
        if skb.is_built:
            words = f"page {skb.head_page.id}{half_name(skb.head, half) if half else ''}"
        else:
            words = f"head {skb.end - skb.head + moment.machine.config.core.shinfo_size}"
        x = self.left
        if self.room >= 34:
            self.canvas.put(x, y, words, Role.PLAIN)
            x += 10
        parts = _head_parts(moment, skb, self.glyphs)
        width = max(self.left + self.room - x, 0)
        draw_scale(self.canvas, x, y, width, parts, 0, offsets="head offsets" in self.kept)

    def _frags(self, y: int) -> None:
        skb = self.skb_
        if skb is None:
            return
        if not skb.frags:
            words = "no frag: all of it lies in the head" if skb.len else "the head is still empty"
            self.canvas.write(self.left, y, words, Role.REST)
            return
        geometry = self.view.skb.machine.config.geometry
        part, word = geometry.named, geometry.part_word
        places = [f" {word} {half_name(frag.offset, part)}" if part else "" for frag in skb.frags]
        frags = [
            f"frag {number} → page {frag.page.id}{place}, {frag.size:,} B"
            for number, (frag, place) in enumerate(zip(skb.frags, places, strict=True))
        ]
        role = frame_role(skb.frame.id, solid=False)
        x = self.canvas.put(self.left, y, self.glyphs.stack * 2 + " ", role)
        self.canvas.put(x, y, join_fit(frags, self.left + self.room - x), Role.PLAIN)

    def _price(self, y: int) -> None:
        skb = self.skb_
        if skb is None:
            return
        spans = [
            ("truesize ", Role.REST), (f"{skb.truesize:,}", Role.STRONG), ("   len ", Role.REST),
            (f"{skb.len:,}", Role.PLAIN), ("   frags ", Role.REST), (f"{len(skb.frags)}", Role.PLAIN),
        ]  # fmt: skip
        self.canvas.write_spans(self.left, y, spans, self.room)

    def _after(self, y: int) -> None:
        page, moment = self.page_, self.view.after
        if page is None:
            return
        now = moment.machine.memory.pages.get(page.id)
        self._label(y, "now" if self.view.now else "then")
        if now is None:
            self.canvas.write(self.left, y, f"page {page.id} has gone back to the system", Role.REST)
            return
        spans: list[tuple[str, str]] = []
        for half in self._shown(moment, now):
            more: list[tuple[str, str]] = [(" · ", Role.REST)] if spans else []
            more += _half_spans(moment, half, self.glyphs)
            if spans and sum(len(text) for text, _ in [*spans, *more]) > self.room:
                break
            spans += more
        if "refs" not in self.kept:
            spans.append((f" · {_refs(moment, now)}{self._fate()}", Role.PLAIN))
        self.canvas.write_spans(self.left, y, spans, self.room)

    def _shown(self, moment: Moment, page: Page) -> list[Half]:
        """The halves that tell what became of the frame; of a chunk of heads those alone that its frame lies in."""
        found = drawn_halves(moment, page)
        if not moment.machine.config.geometry.head:
            return found
        mine = [half for half in found if half.frame is not None and half.frame.id == self.view.frame]
        return mine or [half for half in found if half.frame is not None][:1]

    def _refs_line(self, y: int) -> None:
        page, moment = self.page_, self.view.after
        now = moment.machine.memory.pages.get(page.id) if page is not None else None
        if now is not None:
            self.canvas.write(self.left, y, f"page {now.id}: {_refs(moment, now)}{self._fate()}", Role.REST, self.room)

    def _fate(self) -> str:
        return f" · {self.view.fate}" if self.view.fate else ""


def _padded(lines: list[str], rows: int) -> list[str]:
    return [*lines, *[""] * (rows - len(lines))]


def _head_parts(moment: Moment, skb: SkBuff, glyphs: Glyphs) -> list[Part]:
    shinfo = moment.machine.config.core.shinfo_size
    return [
        Part("pad", skb.mac_header - skb.head, glyphs.spare, Role.REST, Role.REST),
        *header_parts(skb.frame, 0, skb.tail - skb.mac_header, glyphs),
        Part("", skb.end - skb.tail, glyphs.spare, Role.REST),
        Part("shinfo", shinfo, glyphs.shinfo, Role.SHINFO, Role.SHINFO, padded=False),
    ]


def _half_spans(moment: Moment, half: Half, glyphs: Glyphs) -> list[tuple[str, str]]:
    """Return a half in words: its name, its state's fill, what it is doing, whose frame it has."""
    size = moment.machine.config.geometry.named
    name = half_name(half.start, size) if size else f"{half.start:,}"
    role = frame_role(half.frame.id, solid=False) if half.frame is not None else Role.REST
    words = words_of(moment.machine, half).replace(" · ", ", ")
    spans: list[tuple[str, str]] = [(f"{name} ", Role.PLAIN), (state_letter(glyphs, half.state) * 2, role)]
    spans.append((f" {words}", Role.PLAIN))
    if half.frame is not None:
        spans += [(" ", Role.PLAIN), (f" {frame_name(half.frame.id)} ", frame_role(half.frame.id))]
    return spans


def _refs(moment: Moment, page: Page) -> str:
    """Return how many hold the page besides the driver."""
    if page.slot < 0 or not moment.machine.config.rules.bias_start:
        return f"refs {page.refcount:,}"
    return f"refs − prepaid = {page.refcount - prepaid(moment.machine, page)}"
