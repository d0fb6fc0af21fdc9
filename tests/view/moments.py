"""Moments of small runs for the tests of drawings, found by what happens in them, so that a new step moves none."""

from __future__ import annotations

from functools import cache

from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Moment, Timeline

RUNS = {
    "build": "ixgbe ring=8 traffic=tcp:1514x12 reader=slow",
    "legacy": "ixgbe path=legacy ring=8 traffic=tcp:1514x12 reader=slow",
    "copied": "ixgbe path=legacy ring=8 traffic=udp:90x12 reader=off rcvbuf=3000",
    "jumbo": "ixgbe mtu=9000 path=legacy ring=16 traffic=tcp:5000x8 reader=slow",
    "built_jumbo": "ixgbe mtu=9000 ring=16 traffic=tcp:7000x8 reader=2000",
    "walked": "ixgbe page_size=8192 ring=8 traffic=tcp:1514x40 reader=2000",
    "walked_copied": "ixgbe page_size=65536 path=legacy ring=8 traffic=udp:200x30",
    "large": "ixgbe ring=512 traffic=tcp:1514x90 reader=slow",
    "old": "ixgbe kernel=4.9 path=legacy ring=8 traffic=tcp:1514x20 reader=slow",
    "wide": "ixgbe mtu=3000 ring=8 traffic=udp:2900x12 reader=slow",
    "tunnel": "ixgbe ring=5 mtu=1600 traffic=vxlan:1514x12",
    "gro": "ixgbe ring=64 traffic=tcp:1514x40 gro=on order=swap:7 itr=60 reader=slow",
    "gro_list": "ixgbe ring=64 traffic=tcp:1514x60 gro=on itr=100 reader=off",
    "gro_legacy": "ixgbe path=legacy ring=8 traffic=tcp:1514x40 flows=3 gro=on reader=slow",
    "gro_jumbo": "ixgbe mtu=9000 ring=16 traffic=tcp:7000x16 gro=on reader=2000",
    "qede": "qede ring=8 traffic=tcp:1514x20 reader=slow",
    "qede_legacy": "qede kernel=4.12 ring=8 traffic=tcp:1514x12 reader=off",
    "qede_jumbo": "qede ring=16 mtu=9000 traffic=tcp:9014x6",
    "qede_small": "qede ring=8 mtu=300 traffic=udp:300x30 reader=slow",
    "qede_tpa": "qede ring=8 gro=on hw_gro=on traffic=tcp:1514x40 reader=slow",
    "qede_tpa_legacy": "qede kernel=4.12 ring=8 gro=on hw_gro=on traffic=tcp:1514x40 reader=slow",
    "qede_large": "qede ring=200 page_size=65536 traffic=tcp:1514x60",
    "mv": "mv643xx_eth ring=16 traffic=tcp:1514x40 reader=slow",
    "mv_lro": "mv643xx_eth ring=16 lro=on traffic=segs:1514:1,1,2,1,2,1p,1,2 reader=60000",
    "six": "ixgbe kernel=4.11 ring=6 traffic=udp6:600x9",
    "igb": "igb path=legacy ring=8 traffic=tcp:1514x14 reader=60000",
    "igb_fetch": "igb kernel=4.11 ring=8 mtu=9000 traffic=tcp:3000x10 reader=90000",
    "igb_jumbo": "igb kernel=4.12 mtu=9000 ring=16 traffic=tcp:7000x8 reader=200000",
}


@cache
def timeline(name: str) -> Timeline:
    """Return the whole run of that name."""
    line = Timeline(parse_line(RUNS[name]))
    line.extend()
    return line


def moment(name: str, kind: str = "", nth: int = 1) -> Moment:
    """Return the moment just after the nth step of a kind; without a kind, the beginning."""
    line = timeline(name)
    position = 0
    for _ in range(nth if kind else 0):
        found = line.next_of(position, kind)
        assert found is not None, f"{name} has no {nth} steps {kind}"
        position = found
    return line.at(position)


def last(name: str) -> Moment:
    """Return the end of a run."""
    return timeline(name).at(timeline(name).length)
