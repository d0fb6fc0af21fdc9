"""Pictures as text, compared with tests/view/golden. `RXVIZ_GOLDEN=write pytest tests/view` writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rxviz.view import header, strip
from rxviz.view.glyphs import ASCII, UNICODE
from rxviz.view.panels import PANELS
from rxviz.view.scrubber import Scrubber
from tests.view.moments import moment, timeline

FOLDER = Path(__file__).parent / "golden"
MOMENTS = [
    ("build", "", 1),
    ("build", "nic.dma", 8),
    ("build", "page.flip", 3),
    ("build", "page.give_up", 1),
    ("build", "desc.post", 4),
    ("build", "skb.free", 2),
    ("legacy", "skb.headers", 2),
    ("copied", "skb.copy", 3),
    ("copied", "socket.drop", 1),
    ("jumbo", "ring.non_eop", 2),
    ("built_jumbo", "skb.frag", 4),
    ("walked", "page.walk", 12),
    ("large", "nic.writeback", 60),
    ("large", "desc.post", 20),
    ("old", "page.reuse", 3),
    ("wide", "skb.build", 2),
    ("tunnel", "skb.deliver", 3),
    ("gro", "gro.receive", 3),
    ("gro", "gro.merge", 4),
    ("gro", "gro.flush", 2),
    ("gro", "socket.queue", 3),
    ("gro_list", "gro.merge", 40),
    ("gro_legacy", "gro.merge", 3),
    ("igb", "skb.headers", 2),
    ("igb_fetch", "page.give_up", 1),
    ("igb_jumbo", "ring.non_eop", 3),
    ("qede", "cqe.take", 2),
    ("qede", "seg.next", 3),
    ("qede", "page.done", 1),
    ("qede_jumbo", "jumbo.frag", 2),
    ("qede_tpa", "tpa.frag", 3),
    ("qede_tpa", "gro.held", 1),
    ("qede_tpa_legacy", "tpa.park", 1),
]
SIZES = {
    "120x40": {
        "ring": (56, 13), "pages": (62, 13), "skb": (44, 9), "story": (76, 7), "bill": (43, 7), "bytes": (76, 9),
        "gro": (38, 9), "socket": (36, 9), "counters": (38, 9),
    },
    "80x24": dict.fromkeys(PANELS, (78, 14)),
    "200x60": {
        "ring": (98, 20), "pages": (100, 20), "skb": (64, 14), "story": (98, 9), "bill": (60, 18), "bytes": (98, 24),
        "gro": (60, 14), "socket": (50, 14), "counters": (78, 13),
    },
}  # fmt: skip
LARGE = {
    ("build", "page.flip", 3),
    ("jumbo", "ring.non_eop", 2),
    ("large", "nic.writeback", 60),
    ("qede", "cqe.take", 2),
}


def compare(name: str, text: str) -> None:
    path = FOLDER / f"{name}.txt"
    if os.environ.get("RXVIZ_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert text + "\n" == path.read_text(encoding="utf-8")


@pytest.mark.parametrize(("run", "kind", "nth"), MOMENTS)
def test_workbench(run: str, kind: str, nth: int) -> None:
    at = moment(run, kind, nth)
    parts = []
    for size, panels in SIZES.items():
        if size != "120x40" and (run, kind, nth) not in LARGE:
            continue
        parts.append(f"=== {size}")
        parts += [PANELS[key].draw(at, *panels[key]).text() for key in PANELS]
    compare(f"{run}-{kind or 'start'}-{nth}".replace(".", "_"), "\n".join(parts))


@pytest.mark.parametrize("run", ["build", "jumbo", "large", "gro"])
def test_bars(run: str) -> None:
    line = timeline(run)
    parts = []
    for width in (200, 120, 80, 40):
        for position in (0, line.length // 3, line.length // 2, line.length):
            at = line.at(position)
            parts.append(header.draw(at, width, total=line.length, play="paused").text())
            parts.append(strip.draw(at, width, 3, kinds=line.kinds).text())
            parts.append(Scrubber().draw(line.kinds, position, width, 3).text())
    compare(f"bars-{run}", "\n".join(parts))


def test_ascii() -> None:
    at = moment("build", "page.flip", 3)
    parts = [PANELS[key].draw(at, *SIZES["120x40"][key], active=True, glyphs=ASCII).text() for key in PANELS]
    compare("ascii", "\n".join(parts))


def test_active_border_is_the_same_text() -> None:
    at = moment("build", "page.flip", 3)
    for panel in PANELS.values():
        assert panel.draw(at, 60, 12, active=True).text() == panel.draw(at, 60, 12, glyphs=UNICODE).text()
