"""The keyboard on Unix, read leniently: a byte that is not UTF-8 is no reason to end.

Such bytes come from a terminal in another encoding, from a paste, and from mice in the oldest protocol.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from functools import partial
from typing import Any

from textual.drivers import linux_driver


def _lenient(encoding: str) -> Any:
    """Return what makes a decoder that leaves out the bytes it cannot read."""
    return partial(getincrementaldecoder(encoding), "ignore")


# Textual's thread makes its decoder by this name of its own module, and offers no other way to choose one.
vars(linux_driver)["getincrementaldecoder"] = _lenient


class LenientDriver(linux_driver.LinuxDriver):
    """Textual's driver; what goes wrong in its thread ends the app as anything else does."""

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except BaseException as error:
            self._app.call_later(self._app._handle_exception, error)
