"""Two lanes: the same frames in two runs side by side, in lockstep by frame, one scrubber and one bill for both."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.timer import Timer

from rxviz.errors import RxvizError
from rxviz.model.names import frame_name
from rxviz.run.lane_words import as_timeline
from rxviz.run.lanes import Lanes
from rxviz.run.traffic import CapturedFrames
from rxviz.screens import chrome, layout
from rxviz.screens.actions import LANES, footer
from rxviz.screens.clock import Clock
from rxviz.screens.screens import lanes_layout
from rxviz.screens.screens.keyed import KeyedScreen
from rxviz.screens.screens.lanes_session import LanesSession
from rxviz.screens.widgets.cells import Cells
from rxviz.screens.widgets.places import PlacesContainer
from rxviz.view import lanes as lane_picture
from rxviz.view import lanes_bill, lanes_part, lanes_track
from rxviz.view.cell import Canvas, Picture, Role, Target
from rxviz.view.text import wrap

PLAY_SECONDS, PLAY_SLICE = 0.05, 0.04
"""Lanes that are not known to their end yet are played on in such slices, in s, so that keys still come through."""
PAUSED = ("‖", "||")
"""The sign for it, and its form in ASCII."""


class LanesScreen(KeyedScreen):
    """Two lanes to walk through; `at_frame` is the frame to begin with, `said` what there is to say at first."""

    KEYS: ClassVar[str] = LANES

    def __init__(self, lanes: Lanes, at_frame: int | None = None, said: str = "") -> None:
        super().__init__()
        self.lanes = lanes
        self.session: LanesSession | None = None
        """None until both lanes have been played."""
        self.bill_shown = False
        self.clock = Clock(self, self._play_on)
        self.said = said
        self.problem = ""
        """Why there is nothing to be shown."""
        self._at_frame = at_frame
        self._marks = ""
        self._timer: Timer | None = None

    # --------------------------------------------------------------------------------------------------------- playing
    def on_mount(self) -> None:
        """Play both lanes to their ends, in slices."""
        if self.lanes.left.complete and self.lanes.right.complete:
            self._begin()
        else:
            self._timer = self.set_interval(PLAY_SECONDS, self._play_lanes)

    def _play_lanes(self) -> None:
        try:
            left = self.lanes.left.play_on(PLAY_SLICE / 2)
            done = self.lanes.right.play_on(PLAY_SLICE / 2) and left
        except RxvizError as error:
            self.problem = str(error)
            done = True
        if done:
            if self._timer is not None:
                self._timer.stop()
            if not self.problem:
                self._begin()
        self.rearrange()

    def _begin(self) -> None:
        self.session = LanesSession(self.lanes)
        if self._at_frame is not None:
            later = (i for i, pair in enumerate(self.lanes.pairs) if pair.frame >= (self._at_frame or 0))
            self.session.go_to(next(later, 0))
        self._mark()
        for lane in (self.lanes.left, self.lanes.right):
            source = lane.timeline.source
            if isinstance(source, CapturedFrames) and source.frames.problem is not None:
                offset, sentence = source.frames.problem
                self.said = f"The capture breaks off at byte {offset:,}: {sentence}; what came before it is shown."

    def _mark(self) -> None:
        if self.session is not None:
            lockstep = self.session.lockstep
            self._marks = lanes_track.marks(lockstep.frames, lockstep.differing, lockstep.firsts)

    # --------------------------------------------------------------------------------------------------------- drawing
    def compose(self) -> ComposeResult:
        """Make a widget for each part; which are in sight is up to the layout."""
        yield PlacesContainer(
            self._places,
            Cells(self._draw_header, surface="bar", id="header"),
            Cells(partial(self._draw_lane, 0), surface="ground", id="left"),
            Cells(self._draw_line, surface="ground", id="line"),
            Cells(partial(self._draw_lane, 1), surface="ground", id="right"),
            Cells(self._draw_steps, id="steps"),
            Cells(self._draw_bill, id="bill"),
            Cells(self._draw_part, id="part"),
            Cells(self._draw_track, surface="ground", id="track", draggable=True),
            Cells(self._draw_keys, surface="bar", id="keys"),
            Cells(lambda width, height: chrome.too_small(width, height, self.glyphs), surface="ground", id="small"),
            Cells(self._draw_wait, surface="ground", id="body"),
        )

    def _places(self, width: int, height: int) -> layout.Places:
        if self.session is None or self.session.frame is None:
            return layout.page(width, height)
        return lanes_layout.arrange(width, height, bill=self.bill_shown, steps=self.session.row is not None)

    @property
    def _beside(self) -> bool:
        return lanes_layout.is_beside(self.size.width, self.size.height)

    def _draw_wait(self, width: int, height: int) -> Picture:
        canvas = Canvas(width, height, self.glyphs)
        known = sum(len(lane.known) for lane in (self.lanes.left, self.lanes.right))
        words = self.problem or f"Playing both lanes to their ends: {known:,} steps."
        if self.session is not None:
            words = "No frame gets to its end in both lanes, so there is nothing to lay side by side."
        for y, line in enumerate(wrap(words, max(width - 6, 1), max(height - 2, 1)), 1):
            canvas.write(3, y, line, Role.BAD if self.problem else Role.PLAIN)
        return canvas.picture()

    def _draw_header(self, width: int, height: int) -> Picture:
        session, lockstep = self.session, self.session.lockstep if self.session else None
        if session is None or lockstep is None or session.frame is None:
            return lanes_track.draw_header(0, 0, 0, 0, width, glyphs=self.glyphs)
        step = None
        if session.row is not None:
            step = session.row + 1, len(lockstep.rows(session.frame))
        play = f"{self.glyphs.right if self.clock.playing else PAUSED[bool(self.glyphs.letters)]} {self.clock.words}"
        return lanes_track.draw_header(
            session.number, lockstep.frames, len(lockstep.differing), len(lockstep.ways), width,
            step=step, play=play, glyphs=self.glyphs,
        )  # fmt: skip

    def _draw_lane(self, side: int, width: int, height: int) -> Picture:
        views = self.session.views() if self.session is not None else None
        if views is None:
            return Canvas(width, height, self.glyphs).picture()
        # The lines of both stand at one height, however many words one of them needs.
        rows = [lane_picture.word_rows(view, width) for view in views]
        return lane_picture.draw(
            views[side],
            width,
            height,
            rows=(max(rows[0][0], rows[1][0]), max(rows[0][1], rows[1][1])),
            glyphs=self.glyphs,
        )

    def _draw_line(self, width: int, height: int) -> Picture:
        canvas = Canvas(width, height, self.glyphs)
        for y in range(height):
            canvas.put(0, y, "│", Role.BORDER)
        return canvas.picture()

    def _draw_bill(self, width: int, height: int) -> Picture:
        if self.session is None:
            return Canvas(width, height, self.glyphs).picture()
        session = self.session
        return lanes_bill.draw(
            session.bill(), session.frames_done, session.sides, width, height,
            step=session.step_words, glyphs=self.glyphs,
        )  # fmt: skip

    def _draw_part(self, width: int, height: int) -> Picture:
        if self.session is None or self.session.frame is None:
            return Canvas(width, height, self.glyphs).picture()
        session = self.session
        part = lanes_part.parting(session.lockstep, session.number)
        firsts = session.lockstep.firsts
        first = session.lanes.pairs[firsts[0]].frame if firsts else None
        return lanes_part.draw_parting(part, session.sides, width, height, first=first, glyphs=self.glyphs)

    def _draw_steps(self, width: int, height: int) -> Picture:
        if self.session is None or self.session.frame is None:
            return Canvas(width, height, self.glyphs).picture()
        session = self.session
        return lanes_part.draw_steps(
            session.lockstep, session.frame or 0, session.sides, width, height,
            at=session.row, active=session.row is not None, glyphs=self.glyphs,
        )  # fmt: skip

    def _draw_track(self, width: int, height: int) -> Picture:
        number = self.session.number if self.session is not None else 0
        return lanes_track.draw_track(self._marks, number, width, height, glyphs=self.glyphs)

    def _draw_keys(self, width: int, height: int) -> Picture:
        return chrome.keys(width, self.glyphs, footer(LANES), self.said)

    def update(self) -> None:
        """Show where one is; each part repaints only the cells that differ."""
        places = self._places(self.size.width, self.size.height)
        for cells in self.query(Cells):
            if cells.id in places:
                cells.show()
            else:
                cells.forget()

    def rearrange(self) -> None:
        """Put the parts where they go now, and show where one is."""
        self.query_one(PlacesContainer).replace()
        self.update()

    def say(self, words: str) -> None:
        """Show a sentence in place of the keys, until the next key."""
        self.said = words
        self.query_one("#keys", Cells).show()

    # ------------------------------------------------------------------------------------------------------------ keys
    def on_key(self, event: events.Key) -> None:
        """Take back what was said, and do what the key is for."""
        if self.said:
            self.say("")
        super().on_key(event)

    def _go(self, move: Callable[[LanesSession], bool], otherwise: str = "") -> bool:
        """Make a move and show where it led, or say that it led nowhere; return whether it led anywhere."""
        session = self.session
        if session is None or session.frame is None:
            return False
        row = session.row
        try:
            moved = move(session)
        except RxvizError as error:
            self.clock.pause()
            self.say(str(error))
            return False
        if moved and (row is None) != (session.row is None):
            self.rearrange()
        elif moved:
            self.update()
        elif otherwise:
            self.say(otherwise)
        return moved

    def do_forward(self) -> None:
        """One frame on, or one step."""
        self._go(LanesSession.forward, "The last frame. Home goes to the first.")

    def do_back(self) -> None:
        """One frame back, or one step."""
        self._go(LanesSession.back, "The first frame.")

    def do_into(self) -> None:
        """Into the steps of this frame."""
        self._go(LanesSession.into, "These are the steps; the arrows to the sides walk, up goes back to whole frames.")

    def do_out(self) -> None:
        """Back to whole frames."""
        self._go(LanesSession.out, "These are whole frames; down goes into the steps of this one.")

    def do_next_difference(self) -> None:
        """To the next frame that differs in a new way, or the next step that does."""
        self._go(LanesSession.next_difference, self._no_more())

    def do_previous_difference(self) -> None:
        """Back to the last one."""
        self._go(LanesSession.previous_difference, "No difference of a new kind before this one.")

    def _no_more(self) -> str:
        session = self.session
        if session is None or session.row is not None:
            return "No step after this one is not the same in both."
        differ = len(session.lockstep.differing)
        if not differ:
            return "The lanes do not part: every frame goes the same way in both."
        if any(number > session.number for number in session.lockstep.differing):
            return "Frames after this one differ only as earlier ones did: the hollow marks on the track."
        return "No frame after this one differs."

    def do_start(self) -> None:
        """To the first frame, or the first step of this one."""
        self._go(LanesSession.start)

    def do_end(self) -> None:
        """To the last frame, or the last step of this one."""
        self._go(LanesSession.end)

    def do_play(self) -> None:
        """Play or pause."""
        if self.session is not None:
            self.clock.toggle()
            self.update()

    def _play_on(self) -> bool:
        if self._go(LanesSession.forward):
            return True
        self.clock.pause()
        self.update()
        self.say("The last frame.")
        return False

    def do_faster(self) -> None:
        """Play faster."""
        self.clock.change(1)
        self.update()

    def do_slower(self) -> None:
        """Play slower."""
        self.clock.change(-1)
        self.update()

    def do_swap(self) -> None:
        """Let the lanes change places."""
        if self.session is not None:
            self.session.swap()
            self.lanes = self.session.lanes
            self._mark()
            self.update()

    def do_next_part(self) -> None:
        """The bill, where it is not in sight, and back; else the other lane."""
        if self.session is None:
            return
        if self._beside:
            self.choose(1 - self.session.chosen)
        else:
            self.bill_shown = not self.bill_shown
            self.rearrange()

    def do_lane(self, number: str) -> None:
        """Choose a lane."""
        self.choose(int(number))

    def choose(self, side: int) -> None:
        """Choose a lane, which Enter opens."""
        if self.session is not None:
            self.session.chosen = side
            self.update()

    def do_open_lane(self) -> None:
        """Open the chosen lane alone, in the workbench, where it is."""
        from rxviz.screens.screens.bench import BenchScreen

        session = self.session
        if session is None:
            return
        try:
            bench = BenchScreen(as_timeline(session.both[session.chosen]))
            bench.session.seek(session.positions[session.chosen])
        except RxvizError as error:
            self.say(str(error))
            return
        self.app.push_screen(bench)
        frame = f", at frame {frame_name(session.frame)}" if session.frame is not None else ""
        self.app.call_after_refresh(
            bench.say, f"The lane {session.sides[session.chosen].name} alone{frame}. Esc goes back to both."
        )

    def do_escape(self) -> None:
        """Back: from the steps, from the bill, from the lanes."""
        if self.session is not None and self.session.row is not None:
            self.do_out()
        elif self.bill_shown and not self._beside:
            self.do_next_part()
        elif len(self.app.screen_stack) > 1:
            super().do_escape()
        else:
            self.say("q quits.")

    def remarks(self) -> list[str]:
        """Return what the lanes are not as they would be."""
        return list(dict.fromkeys([*self.lanes.left.remarks(), *self.lanes.right.remarks()]))

    # ------------------------------------------------------------------------------------------------------- the mouse
    def on_cells_pressed(self, event: Cells.Pressed) -> None:
        """Seek on the track, choose a lane (and open it, when it is chosen already), go to a step."""
        event.stop()
        if self.press_key(event.target):
            return
        if event.cells.id == "track" and self.session is not None:
            number = lanes_track.frame_at(event.x, event.cells.size.width, self.session.lockstep.frames)
            self._go(partial(_to_frame, number=number))
        elif event.target is not None:
            self._press(event.target)

    def _press(self, target: Target) -> None:
        if target.kind == "row":
            self._go(partial(_to_row, row=int(target.value)))
        elif target.kind == "lane" and self.session is not None:
            side = ("left", "right").index(str(target.value))
            if self.session.chosen == side:
                self.do_open_lane()
            else:
                self.choose(side)

    def on_mouse_scroll_down(self) -> None:
        """One on."""
        self.do_forward()

    def on_mouse_scroll_up(self) -> None:
        """One back."""
        self.do_back()

    def on_screen_suspend(self) -> None:
        """Do not play behind another screen."""
        self.clock.pause()

    def on_unmount(self) -> None:
        """Close the captures."""
        self.lanes.left.close()
        self.lanes.right.close()


def _to_frame(session: LanesSession, number: int) -> bool:
    """Go to a frame; out of the steps of another one."""
    moved = session.go_to(number)
    if moved and session.row is not None:
        session.row = 0
    return moved


def _to_row(session: LanesSession, row: int) -> bool:
    return session.to_row(row)
