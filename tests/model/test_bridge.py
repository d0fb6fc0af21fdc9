"""A bridge: what GRO merged goes out as it came, what LRO merged must not, and the rules that see to it."""

from __future__ import annotations

import pytest

from rxviz.model.bridge import Bridge, changes_of
from rxviz.model.gro.resegment import cut
from rxviz.model.machine import Machine
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.trace import record
from rxviz.wire import build
from tests.model.harness import dark, kinds

LINE = "mv643xx_eth forward=bridge"
SEGMENTS = "traffic=segs:1448p:1n,1,1a,1,1aw,1,1w,1"
BOTH_OFF = "off=lro_off_in_bridge,lro_not_forwarded"


def ran(line: str) -> tuple[Machine, Bridge]:
    m = make_machine(parse_line(line))
    m.run()
    assert isinstance(m.socket, Bridge)
    return m, m.socket


def test_a_bridge_has_lro_switched_off() -> None:
    m, bridge = ran(f"{LINE} lro=on {SEGMENTS}")
    assert m.lro is None
    assert (bridge.frames_sent, bridge.frames_changed, bridge.skbs_refused) == (8, 0, 0)
    remarks = parse_line(f"{LINE} lro=on").remarks()
    assert any("switches LRO off on a device that joins a bridge" in each for each in remarks)
    assert dark(m)


def test_what_lro_has_merged_is_dropped_with_a_warning() -> None:
    m, bridge = ran(f"{LINE} lro=on off=lro_off_in_bridge {SEGMENTS}")
    assert (bridge.frames_sent, bridge.skbs_refused, bridge.frames_dropped) == (1, 1, 7)
    scenario = parse_line(f"{LINE} lro=on off=lro_off_in_bridge {SEGMENTS}")
    assert result(scenario, m)["frames"]["dropped"]["bridge"] == 7
    assert dark(m)


def test_sent_on_it_is_not_what_came_in() -> None:
    m = make_machine(parse_line(f"{LINE} lro=on {BOTH_OFF} {SEGMENTS}"))
    sent = kinds(record(m), "bridge.send")
    assert [step.field("length") for step in sent] == [1514] * 8
    changes = [{name: (came, out) for name, came, out in step.field("changes")} for step in sent]
    assert changes[1]["ACK number"] == (1, 201)
    assert changes[2]["ACK number"] == changes[3]["ACK number"] == (101, 201)
    assert changes[4]["window"] == changes[5]["window"] == (230, 229)
    assert [bool(each) for each in changes] == [False, True, True, True, True, True, False, False]
    assert m.lamps.lit["sent_as_arrived"] == 5
    assert sum(m.lamps.lit.values()) == 5


@pytest.mark.parametrize(
    "line",
    [
        f"{LINE} gro=on deliver=napi_gro_receive {SEGMENTS}",
        f"{LINE} gro=on deliver=napi_gro_receive traffic=tcp:1514x90",
        "ixgbe forward=bridge ring=64 itr=200 gro=on traffic=tcp:1514x90",
        "ixgbe forward=bridge ring=64 itr=200 gro=on traffic=tcp6:900x90 flows=3",
        "ixgbe forward=bridge kernel=4.9 ring=64 itr=200 gro=on traffic=segs:300p:1n,1,1p,2,2,1a,1w,1,1f",
        "ixgbe forward=bridge ring=64 itr=200 gro=on vxlan=4789 traffic=vxlan:1514x60 mtu=1600",
    ],
)
def test_what_gro_has_merged_goes_out_as_it_came(line: str) -> None:
    m, bridge = ran(line)
    assert bridge.frames_changed == 0
    assert bridge.frames_sent == m.offered
    assert max(m.counts) > 0
    assert dark(m)


def test_a_bridge_cuts_what_gro_merged_and_nothing_else() -> None:
    m = make_machine(parse_line(f"{LINE} gro=on deliver=napi_gro_receive traffic=tcp:1514x30"))
    steps = list(record(m))
    cuts = kinds(steps, "bridge.cut")
    assert cuts
    assert sum(step.field("count") for step in cuts) <= 30
    assert {step.field("gso_size") for step in cuts} == {1448}
    assert kinds(record(make_machine(parse_line(f"{LINE} traffic=tcp:1514x9"))), "bridge.cut") == []


def test_changes_are_told_by_the_fields_names() -> None:
    came = build.tcp4(b"x" * 40, ack=7, window=100, tsval=3, tsecr=4)
    assert changes_of(came, came) == ()
    sent = build.tcp4(b"x" * 40, ack=9, window=101, tsval=3, tsecr=5)
    found = {name: (old, new) for name, old, new in changes_of(came, sent)}
    checksum = found.pop("checksum")
    assert checksum[0] != checksum[1]
    assert found == {"ACK number": (7, 9), "window": (100, 101), "echoed timestamp": (4, 5)}
    assert changes_of(came, came[:-1]) == (("length", len(came), len(came) - 1),)
    assert changes_of(came, came[:-1] + b"y") == ((f"byte {len(came) - 1}", ord("x"), ord("y")),)


def test_an_urgent_pointer_without_urg_is_nobodys() -> None:
    came = bytearray(build.tcp4(b"x" * 40))
    sent = bytearray(came)
    sent[53] = 9
    assert changes_of(bytes(came), bytes(sent)) == ()
    came[47] |= 0x20
    sent[47] |= 0x20
    assert changes_of(bytes(came), bytes(sent)) != ()


def test_ids_of_datagrams_count_up_whatever_they_were_and_nothing_else_changes() -> None:
    line = "ixgbe ring=64 traffic=vxlan:116x40 gro=on itr=200 forward=bridge udp_gro=on"
    m = make_machine(parse_line(line))
    steps = list(record(m))
    assert max(step.field("count") for step in kinds(steps, "bridge.cut")) > 1
    assert isinstance(m.socket, Bridge)
    assert m.socket.frames_sent == 40
    assert m.lamps.lit["sent_as_arrived"] == 0
    came = build.udp4(b"x" * 40, ip_id=0)
    counted, other = build.udp4(b"x" * 40, ip_id=3), build.udp4(b"x" * 39 + b"y", ip_id=3)
    assert changes_of(came, counted) == (("byte 19", 0, 3),)
    assert changes_of(came, counted, ids=False) == ()
    assert changes_of(came, other, ids=False) != ()


def test_a_packet_that_is_one_frame_is_not_cut() -> None:
    data = build.tcp4(b"x" * 100)
    assert cut(data, 54, 0, ()) == cut(data, 54, 100, ()) == [data]
    assert len(cut(data, 54, 30, ())) == 4
