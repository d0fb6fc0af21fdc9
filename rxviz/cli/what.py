"""The argument WHAT, which most commands have, and the opening of what it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rxviz.capture.frames import Frames
    from rxviz.model.config import FrameSource
    from rxviz.run.scenario import Scenario

WHAT = """\b
WHAT is one of
  a scenario line    ixgbe ring=8 mtu=1500 traffic=tcp:1514x12
  a name             first-flip, or another from the list below
  a scenario file    lesson.toml
  a capture          pcap or pcapng, plain or gzipped
and key=value words behind a name or a file change what it says. A capture
gets ring=8 unless you say otherwise. ./NAME is always a file."""


def what_argument(required: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the decorator that gives a command its WHAT, as the tuple `what`."""
    return click.argument("what", nargs=-1, required=required, metavar="WHAT…" if required else "[WHAT…]")


class Command(click.Command):
    """A command whose help ends in what WHAT can be and the names that come with the program."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write examples, then WHAT, then the names."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        for line in WHAT.splitlines()[1:]:
            formatter.write(f"{line}\n")
        from rxviz.run import shipped

        for title, group in (("Scenarios", shipped.scenarios()), ("Captures", shipped.captures())):
            with formatter.section(title):
                formatter.write_dl([(one.name, one.title) for one in group.values()])


@contextmanager
def opened(scenario: Scenario) -> Iterator[FrameSource]:
    """Open where the frames come from, and close it again; raise CaptureError where there is nothing to play.

    A sound capture without a single packet is no error: there is just nothing in it to play.
    """
    if scenario.spec.kind != "capture":
        from rxviz.run.engine import make_source

        yield make_source(scenario)
        return
    from rxviz.capture.frames import Frames, require_some
    from rxviz.run.bad_frames import captured_frames

    with Frames(scenario.spec.capture, mtu=scenario.mtu) as frames:
        if not is_empty(frames):
            require_some(frames)
        yield captured_frames(scenario, frames)


def is_empty(frames: Frames) -> bool:
    """Tell whether a capture is sound and has no packet at all."""
    return frames.get(0) is None and not frames.skipped and frames.problem is None


def frames_of(source: FrameSource) -> Frames | None:
    """Return the capture behind a source, None when its frames are made."""
    from rxviz.run.traffic import CapturedFrames

    return source.frames if isinstance(source, CapturedFrames) else None


def break_off(frames: Frames, replayed: int) -> str:
    """Return the sentence on a capture that broke off, an empty one when it did not."""
    if frames.problem is None:
        return ""
    offset, sentence = frames.problem
    what = f"the {replayed:,} frames" if replayed != 1 else "the one frame"
    return f"{frames.path}: byte {offset:,}: {sentence}; {what} before it went through the model"
