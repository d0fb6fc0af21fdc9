"""An interrupt that waits for a place where work can be left in order."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TypeVar

_T = TypeVar("_T")


@contextmanager
def between(items: Iterable[_T]) -> Iterator[Iterator[_T]]:
    """Give the items of a loop that an interrupt leaves between two of them only; a second interrupt leaves at once."""
    if threading.current_thread() is not threading.main_thread():
        yield iter(items)
        return
    pressed = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    def checked() -> Iterator[_T]:
        for item in items:
            if pressed:
                raise KeyboardInterrupt
            yield item

    before = signal.signal(signal.SIGINT, note)
    try:
        yield checked()
        if pressed:
            raise KeyboardInterrupt
    finally:
        signal.signal(signal.SIGINT, before)
