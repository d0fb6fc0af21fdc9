from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from tests.cli.command import REAL, assert_clean, assert_one_sentence, rxviz
from tests.cli.test_play import Terminal


def told(*words: str) -> dict[str, object]:
    ended = rxviz("compare", *words, "--json")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("\n") == 1
    found: dict[str, object] = json.loads(ended.out)
    return found


def test_without_a_terminal_both_bills_are_a_table() -> None:
    ended = rxviz("compare", "first-flip")
    assert assert_one_sentence(ended, 0).startswith("the screens need a terminal")
    assert_clean(ended.out)
    assert max(map(len, ended.out.splitlines()[4:])) <= 80
    assert "10 frames, of which 10 do not go the same way in both lanes." in ended.out
    assert re.search(r"^  bytes copied +720 +0 +-720$", ended.out, re.MULTILINE)
    assert re.search(r"^  sk_buffs allocated +10 +10$", ended.out, re.MULTILINE)
    assert "Frame A and 9 more like it:" in ended.out


def test_compare_alone_compares_the_first_flip() -> None:
    assert rxviz("compare").out == rxviz("compare", "first-flip").out


def test_the_results_are_those_of_the_runs() -> None:
    found = told("slow-reader")
    lanes = found["lanes"]
    assert isinstance(lanes, list)
    for lane, path in zip(lanes, ("legacy", "build_skb"), strict=True):
        assert lane.pop("name") == path
        scenario = parse_line(lane["scenario"])
        assert scenario.path == path
        machine = make_machine(scenario)
        machine.run()
        assert lane.pop("remarks") == scenario.remarks()
        assert lane == result(scenario, machine)


def test_differences_name_what_is_not_the_same_and_nothing_else() -> None:
    found = told("first-flip")
    differences = found["differences"]
    lanes = found["lanes"]
    assert isinstance(differences, list)
    assert isinstance(lanes, list)
    by_name = {line["name"]: (line["left"], line["right"]) for line in differences}
    assert all(left != right for left, right in by_name.values())
    for name, value in lanes[0]["ledger"].items():
        other = lanes[1]["ledger"][name]
        assert (name in by_name) is (value != other)
        assert by_name.get(name, (value, other)) == (value, other)
    assert found["frames"] == {
        "compared": 10,
        "differ": 10,
        "ways": [{"frames": 10, "first": 0, "left": ["skb.alloc", "skb.frag", "skb.headers"], "right": ["skb.build"]}],
    }
    parting = found["parting"]
    assert isinstance(parting, dict)
    assert parting["left"]["kind"] == parting["right"]["kind"] == "nic.dma"
    assert parting["left"]["n"] == 1


def test_lanes_that_do_not_differ_never_part() -> None:
    found = told("first-flip", "--lane", "ring=8", "--lane", "ring=8")
    assert found["differences"] == []
    assert found["parting"] is None
    assert found["frames"] == {"compared": 10, "differ": 0, "ways": []}
    assert "each goes the same way in both lanes" in rxviz("compare", "--lane", "ring=8", "--lane", "ring=8").out


def test_one_lane_is_held_against_the_run_as_it_is() -> None:
    lanes = told("first-flip", "--lane", "reader=slow")["lanes"]
    assert isinstance(lanes, list)
    assert [lane["name"] for lane in lanes] == ["reader fast", "reader slow"]


def test_a_capture_goes_both_ways() -> None:
    found = told("mixed")
    assert isinstance(found["frames"], dict)
    assert found["frames"]["compared"] == 43
    assert len(found["frames"]["ways"]) == 2


@pytest.mark.parametrize(("words", "said"), [
    (["before-the-series"], "has only the legacy path"),
    (["first-flip", "--lane", "traffic=udp:64px3", "--lane", "ring=8"], "traffic= would not be the same"),
    (["first-flip", "--lane", "ring=3"], '--lane "ring=3"'),
    (["first-flip", "--lane", "\x1b[2J=1"], "unknown key"),
    (["ixgbe", "traffic=tcp:1514x1000000"], "too many for two lanes"),
    (["nothing-here.pcap"], "no such file"),
    (["ixgbe", "ring=8", "traffic=vxlan:1514x19000", "--json"], "more than 200,000 steps"),
])  # fmt: skip
def test_what_cannot_be_compared_is_one_sentence(words: list[str], said: str) -> None:
    ended = rxviz("compare", *words)
    assert said in assert_one_sentence(ended)
    assert ended.out == ""


def test_a_capture_that_breaks_off_is_compared_up_to_there(tmp_path: Path) -> None:
    whole = (Path(__file__).parents[2] / "assets" / "captures").glob("*.pcap*")
    source = next(path for path in sorted(whole) if path.read_bytes()[:4] != b"\x1f\x8b\x08\x00"[:4])
    data = source.read_bytes()
    cut = tmp_path / source.name
    cut.write_bytes(data[: len(data) - 20])
    ended = rxviz("compare", str(cut), "--json")
    assert ended.status == 2
    assert "went through the model" in ended.err
    assert json.loads(ended.out)["frames"]["compared"] > 0


@pytest.mark.skipif(not REAL.is_dir(), reason="the shared captures are not here")
def test_real_captures_go_both_ways_or_are_refused_in_one_sentence() -> None:
    for path in sorted(REAL.glob("*.pcap"))[:3]:
        ended = rxviz("compare", str(path), "--json")
        if ended.status == 0:
            assert len(json.loads(ended.out)["lanes"]) == 2
        else:
            assert ended.err.startswith("rxviz: ")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_on_a_terminal_the_screen_opens_and_closes() -> None:
    app = Terminal(["compare", "first-flip"], TERM="xterm-256color")
    app.read_until(b"two lanes")
    app.press(b"q")
    app.read_until(None)
    assert app.status() == 0
    assert b"Traceback" not in app.seen


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_on_a_dumb_terminal_the_table_is_printed() -> None:
    app = Terminal(["compare", "first-flip"], TERM="dumb")
    app.read_until(None)
    assert app.status() == 0
    assert b"what differs" in app.seen
    assert b"\x1b" not in app.seen
