"""The errors that a person may cause, each of which ends in one sentence and a documented exit status."""

from __future__ import annotations


class RxvizError(Exception):
    """Something a person asked for cannot be done; the message is the sentence they read.

    The message says what is wrong, where (file, byte offset or line), and what to do.
    """

    exit_status = 2


class ScenarioError(RxvizError):
    """A scenario's words are wrong."""


class CaptureError(RxvizError):
    """A capture cannot be read, or not to its end."""
