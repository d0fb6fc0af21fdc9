"""The counters: each step's changes are marked, also where there is no room for all of them."""

from __future__ import annotations

import pytest

from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Timeline
from rxviz.view.counters import Counter, counters, draw, in_sight, values

LINES = (
    "ixgbe ring=8 rcvbuf=2000 reader=off traffic=udp:64px10",
    "ixgbe ring=8 traffic=tcp:1514x20 fail=alloc_page@9-12,alloc_skb@3,map@9 errors=crc@3",
    "igb ring=8 traffic=tcp:1514x20 fail=alloc_page@9-12,alloc_skb@3",
    "qede ring=8 gro=on traffic=tcp:1514x30 budget=8",
    "mv643xx_eth ring=8 traffic=tcp:1514x20 reader=off rcvbuf=4000 errors=crc@3",
)


@pytest.mark.parametrize("line", LINES)
def test_every_change_is_marked_at_its_step_and_in_sight(line: str) -> None:
    timeline = Timeline(parse_line(line))
    timeline.extend()
    before, seen = values(timeline.at(0).machine), 0
    for position in range(1, timeline.length + 1):
        moment = timeline.at(position)
        now = values(moment.machine)
        moved = {name for name in now if now[name] != before[name]}
        found = counters(moment)
        assert {counter.name for counter in found if counter.changed} == moved
        assert moved <= {counter.name for counter in in_sight(found, max(len(moved) + 1, 3))}
        shown = draw(moment, 78, 12).text()
        assert (f"{len(moved)} changed" in shown) == bool(moved)
        assert shown.count("●") == min(len(moved), 9)
        for name in moved if len(moved) < 9 else ():
            line = next(row for row in shown.splitlines() if f" {name} " in row)
            assert f"●{now[name]:,}" in line
            assert f" {now[name] - before[name]:+,} " in line
        before, seen = now, seen + len(moved)
    assert seen


def test_what_changed_takes_the_place_of_what_did_not() -> None:
    found = [Counter(f"c{n}", 5, 5 - (n in (4, 6))) for n in range(8)]
    assert [counter.name for counter in in_sight(found, 5)] == ["c0", "c1", "c4", "c6"]
    assert [counter.name for counter in in_sight(found, 2)] == ["c4"]
    assert in_sight(found, 8) == found
    assert in_sight(found, 0) == []
