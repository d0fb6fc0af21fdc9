from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rxviz.capture.writer import write_pcap
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Timeline
from rxviz.run.traffic import CapturedFrames
from rxviz.wire import build


@pytest.fixture
def cut_capture(tmp_path: Path) -> Iterator[Callable[[str], Timeline]]:
    """A run on a capture that holds 96 bytes of each frame of 1,514."""

    opened: list[CapturedFrames] = []

    def play(words: str) -> Timeline:
        path = tmp_path / "cut.pcap"
        frames = [
            (10_000 * i, build.tcp4(build.payload(1448, i), sport=1, dport=2, seq=1 + 1448 * i, tsval=1, tsecr=1))
            for i in range(6)
        ]
        write_pcap(path, frames, snaplen=96)
        line = Timeline(parse_line(["ixgbe", f"capture={path}", *words.split()]))
        line.extend()
        assert isinstance(line.source, CapturedFrames)
        opened.append(line.source)
        return line

    yield play
    for source in opened:
        source.frames.close()
