"""Opening a run beside the screen, so that one that takes long holds up no key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread

from textual.timer import Timer
from textual.widget import Widget

from rxviz.errors import RxvizError
from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve

AT_ONCE = 0.3
"""Seconds in which most runs are open: so long it is waited for, so that the next key is for the run already."""
LOOK_SECONDS = 0.1


class Opening:
    """Opens one run at a time for a screen; one that was begun before is forgotten.

    A thread of its own and not Textual's workers: the program can end without waiting for it.
    """

    def __init__(self, owner: Widget, opened: Callable[[Timeline], None], say: Callable[[str], None]) -> None:
        self._owner = owner
        self._opened = opened
        self._say = say
        self._timer: Timer | None = None
        self._thread: Thread | None = None
        self._result: list[Timeline | BaseException] = []

    def begin(self, words: Sequence[str]) -> None:
        """Open what the words name; if it is not open soon, say that it is on its way."""
        self.forget()
        result = self._result = []

        def work() -> None:
            try:
                timeline = Timeline(resolve(words))
                timeline.at(0)
                result.append(timeline)
            except BaseException as error:
                result.append(error)

        self._thread = Thread(target=work, name="rxviz-opening", daemon=True)
        self._thread.start()
        self._thread.join(AT_ONCE)
        if not self._look():
            self._say("Opening … this takes long; Esc gives up.")
            self._timer = self._owner.set_interval(LOOK_SECONDS, self._look)

    def forget(self) -> bool:
        """Wait no longer; return whether anything was waited for."""
        waited, self._thread = self._thread is not None, None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        return waited

    def _look(self) -> bool:
        """See whether the run is open; return whether there is nothing more to wait for."""
        if not self._result:
            return self._thread is None
        self.forget()
        result = self._result.pop()
        if isinstance(result, Timeline):
            self._say("")
            self._opened(result)
        elif isinstance(result, RxvizError):
            self._say(str(result))
        else:
            raise result
        return True
