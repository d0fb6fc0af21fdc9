"""Words of a scenario by which GRO in the machine sees tags, tunnels and datagrams: rxvlan, vxlan, udp_gro."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from rxviz.cli.what import opened
from rxviz.errors import ScenarioError
from rxviz.model import steps
from rxviz.model.descriptor import VP, structured
from rxviz.model.machine import Machine
from rxviz.run.engine import make_config, make_machine
from rxviz.run.result import result
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.trace import record
from tests.cli.test_gro import write
from tests.gro.flow import frame

BASE = "ixgbe ring=64 itr=100 gro=on"


@contextmanager
def ran(words: str) -> Iterator[tuple[Machine, dict[str, Any]]]:
    scenario = parse_line(f"{BASE} {words}")
    with opened(scenario) as source:
        m = make_machine(scenario, source)
        m.run()
        yield m, result(scenario, m)


def merged(words: str) -> tuple[int, int]:
    """Frames that joined others, and skbs delivered; no lamp is on, and every frame arrives."""
    with ran(words) as (_, found):
        pass
    assert not [name for name, count in found["lamps"].items() if count]
    assert found["frames"]["delivered"] == found["frames"]["offered"]
    return found["skbs"]["merged"], found["skbs"]["delivered"]


def test_datagrams_are_merged_for_a_socket_that_asks() -> None:
    assert merged("traffic=udp:1514x24") == (0, 24)
    many, few = merged("traffic=udp:1514x24 udp_gro=on")
    assert many + few == 24
    assert few <= 3
    assert merged("traffic=udp:1514x24 udp_gro=on kernel=4.19") == (0, 24), "UDP_GRO came with 5.0"


def test_gro_looks_into_a_tunnel_that_ends_here() -> None:
    assert merged("traffic=vxlan:1514x24") == (0, 24)
    many, few = merged("traffic=vxlan:1514x24 vxlan=4789")
    assert many + few == 24
    assert few <= 3
    assert merged("traffic=vxlan:1514x24 vxlan=8472") == (0, 24)


@pytest.fixture
def tagged(tmp_path: Path) -> str:
    """A capture of two VLANs that take turns, a segment each."""
    frames = [frame(n // 2, kind="vlan", size=600, tci=5 + n % 2) for n in range(16)]
    return write(tmp_path / "tagged.pcap", frames)


def test_the_nic_takes_the_tag_out_or_leaves_it(tagged: str) -> None:
    with ran(f"capture={tagged}") as (kept, found), ran(f"capture={tagged} rxvlan=on") as (stripped, _):
        assert found["skbs"]["merged"] > 8
        arrived = kept.source.frame(1)
        assert arrived is not None
        inside, beside = kept.nic.as_stored(arrived), stripped.nic.as_stored(arrived)
    assert (inside.stripped_tag, beside.stripped_tag) == (0, 0x8100_0006)
    assert (beside.wire_len, beside.data) == (inside.wire_len - 4, inside.data[:12] + inside.data[16:])
    assert beside.status & VP
    assert not inside.status & VP
    assert merged(f"capture={tagged} rxvlan=on") == merged(f"capture={tagged}")


def test_flows_of_two_vlans_do_not_meet(tagged: str) -> None:
    for words in ("", "rxvlan=on"):
        scenario = parse_line(f"{BASE} capture={tagged} {words}")
        with opened(scenario) as source:
            steps_of = [step for step in record(make_machine(scenario, source)) if step.name == "gro.merge"]
        assert steps_of
        assert all(step.frame is not None and step.field("into") % 2 == step.frame % 2 for step in steps_of)


def test_the_write_back_reports_the_tag(tagged: str) -> None:
    seen = []

    class Watched(Machine):
        def note(self, kind: Any, *about: Any) -> None:
            if kind == steps.NIC_WRITEBACK:
                seen.append(int(structured(self.ring.desc)["vlan"][about[1]]))
            super().note(kind, *about)

    scenario = parse_line(f"ixgbe ring=64 capture={tagged} rxvlan=on")
    with opened(scenario) as source:
        Watched(make_config(scenario), source).run()
    assert seen == [5, 6] * 8


@pytest.mark.parametrize(("words", "said"), [
    ("traffic=udp:1514x4 udp_gro=yes", "udp_gro=yes is not known"),
    ("traffic=udp:1514x4 vxlan=70000", "vxlan=70000 is out of range"),
    ("traffic=udp:1514x4 rxvlan=5", "rxvlan=5 is not known"),
])  # fmt: skip
def test_wrong_values_are_one_sentence(words: str, said: str) -> None:
    with pytest.raises(ScenarioError, match=said):
        parse_line(f"ixgbe {words}")


def test_the_line_names_what_is_not_as_it_is_by_itself() -> None:
    scenario = parse_line("ixgbe gro=on traffic=vxlan:1514x4 vxlan=4789 udp_gro=on rxvlan=on")
    assert scenario.line().endswith("gro=on rxvlan=on udp_gro=on vxlan=4789")
    assert Scenario().line().find("vxlan") < 0
    assert "no VLAN tag" in " ".join(scenario.remarks())
    assert "GRO is off" in " ".join(parse_line("ixgbe udp_gro=on").remarks())
