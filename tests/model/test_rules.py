"""Every rule that can be switched off shows: in a lamp, or where nothing breaks, in the bill."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from rxviz.errors import ScenarioError
from rxviz.model.drivers.ixgbe import Ixgbe
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.lamps import LAMPS
from rxviz.model.machine import Machine
from rxviz.model.nics.intel import IntelNic
from rxviz.model.rules import RULES as ALL
from rxviz.model.rules import At, Rule, with_rules_off
from rxviz.model.rules.table import SIDES
from rxviz.run.break_rule import RuleScene, smallest_scenes
from rxviz.run.damage import damage, lamps_now
from rxviz.run.digest import state_digest
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line, rules_of_driver
from rxviz.run.smallest import Found, fewer, first_lamp, smallest
from rxviz.run.timeline import Timeline
from rxviz.run.trace import as_json, record
from rxviz.run.traffic import close_source
from rxviz.run.words import text
from tests.model.harness import ROUTINES

QUICK = 45
"""Steps up to which a scene is searched for again: the search for long ones takes its time."""
ROOT = Path(__file__).resolve().parents[2]
RULES = {name: rule for name, rule in ALL.items() if not rule.gro}
"""Those of the driver and of the NIC; those of GRO have tests of their own."""

SCENES = {driver: smallest_scenes(driver) for driver in DRIVERS}
"""Rules that something breaks without: the smallest scene, the lamp that goes on in it, and the step that lights it."""
LIGHTS = {rule for scenes in SCENES.values() for rule in scenes}

BILLS = {
    "dma": ("path=build_skb", "tcp:1514", "ledger.bytes_copied", 0, 1514),
    "reuse": ("path=build_skb", "tcp:1514", "pages.given_up", 0, 1),
    "copybreak": ("path=legacy", "udp:64p", "pages.flips", 0, 1),
    "header_only": ("path=legacy", "tcp:1514", "ledger.bytes_copied", 72, 1520),
    "headers_linear": ("path=legacy", "tcp:1514", "ledger.bytes_copied", 72, 0),
    "header_length": ("path=legacy", "tcp:1514", "ledger.bytes_copied", 72, 256),
    "shinfo_in_half": ("path=build_skb", "tcp:1514", "ledger.skb_heads", 0, 1),
    "build_in_place": ("path=build_skb", "tcp:1514", "ledger.bytes_copied", 0, 72),
    "slots_in_order": ("path=build_skb", "tcp:1514", "ledger.descriptor_reads", 2, 4),
    "tail_batch": ("path=build_skb refill=3", "tcp:1514", "ledger.tail_writes", 1, 3),
    "map_once": ("path=build_skb", "tcp:1514", "ledger.dma_unmaps", 0, 1),
    "next_slot": ("path=build_skb", "tcp:1514", "pages.allocated", 3, 4),
    "sync_length": ("path=build_skb", "udp:64p", "ledger.sync_cpu_bytes", 106, 2048),
    "sync_half": ("path=build_skb", "udp:64p", "ledger.sync_cpu_bytes", 106, 4096),
    "sync_late": ("path=build_skb kernel=4.12 mtu=9000", "tcp:4000", "ledger.sync_cpu_bytes", 928, 4000),
    "dma_at_once": ("path=build_skb itr=50 fifo=128 rate=200kpps", "udp:64px3", "counters.rx_missed_errors", 0, 1),
    "writeback_calls": (
        "path=build_skb rate=100kpps fail=remote_page@0-99,alloc_page@1-5",
        "tcp:1514x6",
        "napi.interrupts",
        4,
        6,
    ),
    "auto_mask": ("path=build_skb itr=0", "udp:64px6", "napi.interrupts", 1, 5),
    "stay_scheduled": ("path=legacy budget=1", "tcp:1514", "napi.polls", 3, 1),
    "charge_half": ("path=build_skb", "udp:64p", "skbs.truesize_total", 2304, 704),
    "lro_off_in_bridge": ("path=legacy lro=on forward=bridge", "tcp:1514x4", "skbs.delivered", 4, 1),
    "flip_first": ("path=build_skb reader=off", "tcp:1514x12", "pages.flips", 12, 6),
    "page_for_many": ("path=build_skb", "tcp:1514x12", "pages.given_up", 0, 6),
    "count_less_bias": ("path=build_skb", "tcp:1514", "pages.given_up", 0, 1),
    "ref_prepaid": ("path=build_skb", "tcp:1514", "ledger.refs_atomic", 4, 5),
    "no_return": ("path=build_skb ring=8 reader=3000", "tcp:1514x60", "pages.allocated", 35, 28),
    "reserved_leaves": ("path=build_skb fail=remote_page@0-2", "tcp:1514", "pages.given_up", 1, 0),
    "copy_keeps_page": ("path=legacy reader=off", "capture:mixed", "pages.given_up", 6, 8),
    "large_walk": ("path=build_skb page_size=8192", "tcp:1514x12", "pages.given_up", 3, 0),
    "done_in_memory": ("path=build_skb", "tcp:1514", "ledger.descriptor_reads", 2, 1),
    "done_by_length": ("path=build_skb", "tcp:1514", "ledger.descriptor_reads_before_fetch", 1, 2),
    "budget_frames": ("path=build_skb ring=8 mtu=9000 budget=2", "tcp:4000x4", "napi.polls", 3, 6),
    "sync_device_buffer": ("path=build_skb", "tcp:1514", "ledger.sync_device_bytes", 4 * 1536, 4 * 1514),
    "build_all": ("path=build_skb", "udp:64p", "ledger.bytes_copied", 0, 112),
    "rsc_3k": ("path=build_skb rsc=on", "tcp:1514", "skbs.truesize_total", 4352, 2304),
    "gro_called": ("path=legacy gro=on", "tcp:1514x4", "skbs.merged", 0, 2),
    "charge_truesize": ("reader=off rcvbuf=4096 rate=10kpps", "udp:64px40", "skbs.delivered", 3, 40),
    "release_batch": ("reader=150000 rcvbuf=8192 rate=10kpps", "udp:64px60", "skbs.delivered", 45, 46),
    "drop_above": ("reader=off rcvbuf=4096 rate=10kpps", "udp:64px40", "frames.received", 40, 3),
    "page_to_its_end": ("path=build_skb", "tcp:1514", "pages.given_up", 0, 1),
    "lazy_alloc": ("path=build_skb rate=50kpps fail=alloc_page@1", "tcp:1514x4", "skbs.delivered", 4, 3),
    "copy_keeps_segment": ("path=build_skb rate=50kpps", "udp:64px6", "pages.given_up", 0, 3),
}
"""Rules that nothing breaks without: words (a ring of 4 and a fast reader where they say nothing else), what arrives
(one frame of it where nothing else is said), the line of the bill that tells, and what it says with and without."""
BILLS_OF = {
    "igb": {
        "tail_batch": ("path=build_skb refill=3", "tcp:1514", "ledger.tail_writes", 2, 4),
        "auto_mask": ("path=build_skb itr=0", "udp:64px6", "napi.interrupts", 2, 6),
        "no_return": ("path=build_skb ring=8 reader=20000", "tcp:1514x60", "pages.allocated", 30, 21),
        "budget_frames": ("path=build_skb ring=8 mtu=9000 budget=2", "tcp:4000x4", "napi.polls", 4, 8),
        # The longest frame that igb lets in has room for a tag.
        "sync_device_buffer": ("path=build_skb", "tcp:1514", "ledger.sync_device_bytes", 4 * 1536, 4 * 1532),
    },
    "qede": {
        "auto_mask": ("path=build_skb itr=0", "udp:64px6", "napi.interrupts", 1, 2),
        "copybreak": ("path=build_skb", "udp:64p", "ledger.bytes_copied", 106, 0),
        "charge_half": ("path=build_skb", "udp:300p", "skbs.truesize_total", 2304, 960),
        "header_only": ("kernel=4.12 path=legacy", "tcp:1514", "ledger.bytes_copied", 72, 1514),
        "headers_linear": ("kernel=4.12 path=legacy", "tcp:1514", "ledger.bytes_copied", 72, 0),
        "header_length": ("kernel=4.12 path=legacy", "tcp:1514", "ledger.bytes_copied", 72, 256),
        "charge_truesize": ("reader=off rcvbuf=4096 rate=10kpps", "udp:64px40", "skbs.delivered", 9, 40),
        "release_batch": ("reader=150000 rcvbuf=8192 rate=10kpps", "udp:64px60", "skbs.delivered", 55, 57),
        "drop_above": ("reader=off rcvbuf=4096 rate=10kpps", "udp:64px40", "frames.received", 40, 9),
    },
    "mv643xx_eth": {
        "auto_mask": ("path=legacy itr=0", "udp:64px6", "napi.interrupts", 1, 4),
        "charge_truesize": ("reader=off rcvbuf=4096 rate=10kpps", "udp:64px40", "skbs.delivered", 4, 40),
        # 3.9 releases at once by itself.
        "release_batch": ("reader=150000 rcvbuf=8192 rate=10kpps", "udp:64px60", "skbs.delivered", 47, 47),
        "drop_above": ("reader=off rcvbuf=4096 rate=10kpps", "udp:64px40", "frames.received", 40, 6),
    },
}
"""The rows that are not the same for a driver."""
ONE_ONLY = {"stay_scheduled"}
"""Rules that change the bill of some drivers, and break others: mv643xx_eth's NIC remembers that frames came."""

TOLD_BY_ORDINARY_STEPS = (
    "build_in_place", "empty_slot", "copybreak", "header_only", "rewrite_address", "tail_batch",
    "frame_limit", "service_task", "one_half_posted", "clear_next", "lro_off_in_bridge", "lro_not_forwarded",
    "done_by_length", "budget_frames", "sync_device_buffer", "build_all", "rsc_3k",
    "sync_late",
)  # fmt: skip
"""Worlds whose acts are ordinary ones, or are over before the first step: only what follows from them is told."""


def rules_of(driver: str) -> list[str]:
    """The rules of a driver and of its NIC that can be switched off, in any of its kernels."""
    return [name for name in rules_of_driver(driver) if name in RULES]


WORLDS = [(driver, rule) for driver in DRIVERS for rule in rules_of(driver)]
"""Every driver with every rule that it has."""
BILLED = [(driver, rule) for driver, rule in WORLDS if rule in BILLS and rule not in SCENES[driver]]
LIT = [(driver, rule) for driver, rule in WORLDS if rule in SCENES[driver]]


def scene(driver: str, rule: str) -> Found:
    """The smallest scene of a driver in which a rule lights a lamp."""
    return SCENES[driver][rule]


def bill_of(driver: str, rule: str) -> tuple[str, str, str, int, int]:
    """The row of the bills for a driver."""
    return BILLS_OF.get(driver, {}).get(rule, BILLS[rule])


def bill_line(driver: str, words: str, traffic: str, count: int = 1) -> str:
    """The scenario line of a row of the bills, with so many frames where it says nothing of that."""
    named = {word.partition("=")[0] for word in words.split()}
    ours = " ".join(word for word in ("ring=4", "reader=fast") if word.partition("=")[0] not in named)
    return f"{driver} {words} {ours} traffic={_counted(traffic, count)}"


def words_of(driver: str, rule: str) -> str:
    """A scenario line, without frames, in which a rule matters."""
    if rule in SCENES[driver]:
        words = scene(driver, rule).line.split()
        return " ".join(word for word in words if word.partition("=")[0] not in ("traffic", "reader", "fail", "off"))
    return f"{driver} {bill_of(driver, rule)[0] if rule in BILLS else f'path={parse_line(driver).path}'}"


def routines_with(driver: str, *rules: str) -> list[str]:
    """Each kernel and path of a driver that has all these rules, as the beginning of a line."""
    lines = [f"{name} kernel={kernel} path={path}" for name, kernel, path in ROUTINES if name == driver]
    return [line for line in lines if {*rules} <= {*_names(line)}]


@cache
def _names(line: str) -> list[str]:
    return parse_line(line).rule_names


def merging(driver: str) -> tuple[str, ...]:
    """Words with which the card merges, where a driver has such a one, and none."""
    return ("", " gro=on hw_gro=on") if "hw_gro" in DRIVERS[driver].offers else ("",)


def played(line: str) -> dict[str, Any]:
    scenario = parse_line(line)
    m = make_machine(scenario)
    try:
        m.run()
    except Exception as fault:
        fault.add_note(line)
        raise
    close_source(m.source)
    return result(scenario, m)


def lit(outcome: dict[str, Any]) -> set[str]:
    return {name for name, count in outcome["lamps"].items() if count}


def test_every_rule_has_its_scenario_and_its_driver() -> None:
    assert {*LIGHTS, *BILLS} == set(RULES) == {rule for _, rule in WORLDS}
    assert set(LIGHTS) & set(BILLS) == ONE_ONLY


def test_every_rule_says_what_it_is_and_what_stands_in_its_place() -> None:
    for name, rule in ALL.items():
        assert rule.name == name
        assert any(rule.mixins(side) for side in SIDES)
        for sentence in (rule.says, rule.instead):
            assert sentence.endswith(".")
            assert sentence[:1].isupper() or sentence.startswith(("build_skb", "256"))


@pytest.mark.parametrize(("driver", "rule"), LIT)
def test_switched_off_it_lights_its_lamp_and_fewer_frames_do_not(driver: str, rule: str) -> None:
    found = scene(driver, rule)
    world = parse_line(found.line)
    assert world.off == rule
    assert first_lamp(world) == (found.lamp, found.step)
    honest = replace(world, off="none")
    assert first_lamp(honest) is None
    smaller = fewer(world)
    assert smaller is None or first_lamp(smaller) is None


@pytest.mark.parametrize(("driver", "rule"), [(d, r) for d, r in LIT if SCENES[d][r].step < QUICK])
def test_the_search_finds_that_scene_again(driver: str, rule: str) -> None:
    assert smallest(rule, driver) == scene(driver, rule)


@pytest.mark.parametrize(("driver", "rule"), LIT)
def test_its_damage_is_told_at_the_step_that_lights_the_lamp(driver: str, rule: str) -> None:
    found = scene(driver, rule)
    timeline = Timeline(parse_line(found.line))
    moment = timeline.at(found.step)
    close_source(timeline.source)
    assert found.lamp in lamps_now(moment)
    law, *sentences = damage(moment, found.lamp)
    assert law == LAMPS[found.lamp]
    assert all(sentence.endswith(".") for sentence in sentences)
    assert sentences or found.lamp == "no_null_page"


def test_at_least_25_rules_break_something() -> None:
    assert len(LIGHTS) >= 25


def test_a_rule_that_breaks_nothing_here_says_what_it_costs() -> None:
    broken = RuleScene(parse_line("ixgbe ring=8 traffic=tcp:1514x12 reader=fast")).without("map_once")
    assert broken.lamp == ""
    assert ("dma unmaps", 0, 12) in broken.bill


def test_overwritten_bytes_are_told_with_whose_they_are() -> None:
    """Without the flip the NIC writes frame D over frame A, which the socket still has."""
    found = scene("ixgbe", "flip")
    moment = Timeline(parse_line(found.line)).at(found.step)
    who, what = damage(moment, found.lamp)[1:]
    assert who == "The skb of frame A still points to half A of page 0."
    assert what.startswith("Frame A: ")
    assert " of 1,514 bytes are wrong, from byte 19 on: " in what


def test_a_part_of_an_aggregation_that_was_written_over_is_told_of_by_itself() -> None:
    found = scene("qede", "tpa_parts")
    moment = Timeline(parse_line(found.line)).at(found.step)
    who, what = damage(moment, found.lamp)[1:]
    assert who == "The skb of frame A still points to segment A of page 1."
    assert what.startswith("Frame B: ")
    assert " of 1,448 bytes are wrong, from byte 1 on: " in what


def test_a_ring_that_nobody_fills_is_told_of() -> None:
    """Nine failures, then memory again: nobody hears of it, and each further frame is dropped by the card."""
    found = scene("qede", "replace_first")
    world = parse_line(found.line)
    moment = Timeline(world).at(found.step)
    assert damage(moment, "ring_polled")[1].startswith("No BD is posted: ")
    later = played(found.line.replace("x13", "x60"))
    assert later["frames"]["delivered"] == played(found.line)["frames"]["delivered"]
    assert later["frames"]["dropped_by"]["no_buff_discards"] > 40


def test_without_an_skb_qede_came_to_be_ahead_of_its_card() -> None:
    """Up to 6.18.39: a reference that nobody has, frames taken from the next buffer, a segment that is posted twice."""
    line = "qede ring=16 reader=off traffic=tcp:1514x100 rate=590kpps itr=20 rcvbuf=1000000 fail=alloc_skb@3"
    assert lit(played(line)) == set()
    line += " off=skb_before_bd"
    assert {"refs_add_up", "half_one_owner", "bytes_intact"} <= lit(played(line))


def test_a_scene_says_which_6_18_it_shows_and_where_a_rule_of_the_card_can_do_nothing() -> None:
    since = "Without an skb qede leaves the BD as it is, as since 6.18.40; off=skb_before_bd has what it did before."
    assert since in parse_line("qede fail=alloc_skb@2").remarks()
    assert since not in parse_line("qede fail=alloc_skb@2 off=skb_before_bd").remarks()
    assert since not in parse_line("qede fail=alloc_page@2").remarks()
    assert since not in parse_line("qede kernel=4.12 fail=alloc_skb@2").remarks()
    nothing = "hw_gro is off, so the card merges nothing, and rules of its aggregations make no difference."
    assert nothing in parse_line("qede off=tpa_end").remarks()
    assert nothing not in parse_line("qede gro=on hw_gro=on off=tpa_end").remarks()
    assert nothing not in parse_line("qede off=walk_once").remarks()


def test_a_driver_has_words_of_its_own_for_a_rule_that_others_have() -> None:
    assert ALL["walk_once"].sentences("ixgbe") == (ALL["walk_once"].says, ALL["walk_once"].instead)
    told = ALL["walk_once"].sentences("qede")
    assert told[0] == "A page is walked once, from its first segment to its last."
    for rule in ALL.values():
        assert {*rule.told} <= {*DRIVERS}
        assert all(sentence.endswith(".") for both in rule.told.values() for sentence in both)


def test_a_rule_of_another_kernel_names_it() -> None:
    with pytest.raises(ScenarioError, match=r"tpa_reserve is no rule of qede 6\.18; it is one in kernel=4\.12"):
        parse_line("qede off=tpa_reserve")


@pytest.mark.parametrize(("driver", "rule"), BILLED)
def test_switched_off_it_changes_the_bill_and_nothing_breaks(driver: str, rule: str) -> None:
    words, traffic, name, honest, otherwise = bill_of(driver, rule)
    line = bill_line(driver, words, traffic)
    part, _, key = name.partition(".")
    real, world = played(line), played(f"{line} off={rule}")
    assert (lit(real), lit(world)) == (set(), set())
    assert (real[part][key], world[part][key]) == (honest, otherwise)


def _counted(traffic: str, count: int) -> str:
    """Traffic with a number of frames, where it has none of its own and is no capture."""
    return traffic if traffic.startswith("capture:") or "x" in traffic.partition(":")[2] else f"{traffic}x{count}"


@pytest.mark.parametrize(("driver", "rule"), WORLDS)
def test_no_world_breaks_the_model_itself(driver: str, rule: str) -> None:
    routines = [line + more for line in routines_with(driver, rule) for more in merging(driver)]
    for line in [*routines, *(f"{routines[0]} {more}" for more in ("mtu=9000", "page_size=8192"))]:
        for traffic, reader in (("tcp:1514x20", "fast"), ("udp:64px20", "3000"), ("tcp:1514x20", "off")):
            played(f"{line} ring=8 traffic={traffic} reader={reader} off={rule}")


@pytest.mark.parametrize("rule", rules_of("qede"))
def test_no_world_of_qede_breaks_the_model_where_memory_fails_and_cards_merge(rule: str) -> None:
    """Long enough for the completions to come round, with what only then can go wrong."""
    for line in routines_with("qede", rule):
        for more in (
            "fail=alloc_page@3-9",
            "gro=on fail=map@1-,alloc_page@1-4",
            "fail=alloc_skb@2-7",
            "gro=on hw_gro=on",
        ):
            if "alloc_skb" in more and "4.19" in line:
                continue
            for reader in ("fast", "off"):
                played(f"{line} ring=5 {more} traffic=tcp:1514x120 flows=2 reader={reader} off={rule}")


@pytest.mark.parametrize(("driver", "rule"), [(driver, rule) for driver in DRIVERS for rule in rules_of(driver)])
def test_two_rules_can_be_off_at_once(driver: str, rule: str) -> None:
    names = rules_of(driver)
    for other in names[names.index(rule) + 1 :]:
        for line in _newest(routines_with(driver, rule, other)):
            for more in merging(driver):
                played(f"{line}{more} ring=8 traffic=tcp:1514x6 reader=3000 off={rule},{other}")


def _newest(lines: list[str]) -> list[str]:
    """Of each path the newest kernel's line."""
    return list({line.partition(" path=")[2]: line for line in lines}.values())


def test_an_honest_machine_has_the_classes_themselves() -> None:
    m = make_machine(parse_line("ixgbe ring=8"))
    assert (type(m.driver), type(m.nic)) == (Ixgbe, IntelNic)


def test_a_class_is_made_once() -> None:
    assert with_rules_off(Ixgbe, "driver", ("flip",)) is with_rules_off(Ixgbe, "driver", ("flip",))
    assert with_rules_off(Ixgbe, "driver", ("dma_target",)) is Ixgbe
    assert with_rules_off(IntelNic, "nic", ("flip",)) is IntelNic


@pytest.mark.parametrize(("driver", "rule"), WORLDS)
def test_an_act_of_a_wrong_world_says_so(driver: str, rule: str) -> None:
    if rule in SCENES[driver]:
        line = scene(driver, rule).line
    elif rule not in BILLS:
        # It breaks something in another driver only.
        return
    else:
        words, traffic = bill_of(driver, rule)[:2]
        line = f"{bill_line(driver, words, traffic, 4)} off={rule}"
    m = make_machine(parse_line(line))
    acts = [step for step in record(m) if step.name.startswith("world.")]
    close_source(m.source)
    if rule in TOLD_BY_ORDINARY_STEPS:
        # These worlds are told by the ordinary steps of another way.
        return
    assert acts
    for step in acts:
        sentence = text(step, m.config)
        assert sentence.endswith(".")
        assert len(sentence) < 130


# --------------------------------------------------------------------------------------------------------- time travel
@pytest.mark.parametrize(("driver", "rule"), WORLDS)
def test_back_and_forth_is_the_same_state(driver: str, rule: str) -> None:
    kept = ("kernel", "path", "gro", "hw_gro")
    words = " ".join(word for word in words_of(driver, rule).split() if word.partition("=")[0] in kept)
    scenario = parse_line(f"{driver} {words} ring=8 traffic=tcp:1514x30 reader=3000 off={rule}")
    timeline = Timeline(scenario)
    timeline.extend()
    positions = range(0, timeline.length + 1, max(timeline.length // 9, 1))
    forth = {position: state_digest(timeline.at(position).machine) for position in positions}
    for position in reversed(positions):
        assert state_digest(timeline.at(position).machine) == forth[position]
    again = Timeline(scenario)
    assert {position: state_digest(again.at(position).machine) for position in positions} == forth


@pytest.mark.parametrize(("driver", "rules"), [
    ("ixgbe", "flip"), ("ixgbe", "dma"), ("ixgbe", "shinfo_memory,flip"),
    ("ixgbe", "dma_target,half_boundary,shinfo_behind"), ("igb kernel=4.9", "dma,reuse_check"),
    ("qede gro=on hw_gro=on", "tpa_mapped,walk_once,completion_first"),
])  # fmt: skip
def test_a_machine_goes_on_in_another_process(driver: str, rules: str, tmp_path: Path) -> None:
    """A checkpoint names its classes; a process that never made them must find them all the same."""
    line = f"{driver} ring=8 traffic=tcp:1514x30 reader=3000 off={rules}"
    scenario = parse_line(line)
    m = make_machine(scenario)
    for _ in range(12):
        m.tick()
    (tmp_path / "m").write_bytes(pickle.dumps(m))
    code = (
        "import pickle, sys; m = pickle.loads(open(sys.argv[1], 'rb').read());"
        "from rxviz.run.engine import make_source; from rxviz.run.scenario import parse_line;"
        "from rxviz.run.digest import state_digest;"
        "m.source = make_source(parse_line(sys.argv[2])); m.run(); print(state_digest(m))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m"), line], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    m.run()
    assert done.stdout.strip() == state_digest(m)


def test_two_machines_with_other_rules_off_do_not_mix() -> None:
    machines: list[Machine] = [
        make_machine(parse_line(f"ixgbe ring=8 traffic=tcp:1514x30 reader=3000{off}"))
        for off in ("", " off=flip", " off=reuse", "")
    ]
    for m in machines:
        m.tick()
    for m in machines:
        m.run()
    digests = [state_digest(m) for m in machines]
    assert digests[0] == digests[3]
    assert len(set(digests)) == 3


def test_only_names_of_worlds_are_made_into_classes() -> None:
    from rxviz.model.rules import table

    assert table.Ixgbe_NoFlip is with_rules_off(Ixgbe, "driver", ("flip",))
    for name in ("Ixgbe_Nothing", "Nothing_NoFlip", "NoSuchName", "Ixgbe_"):
        with pytest.raises(AttributeError):
            getattr(table, name)


@pytest.mark.parametrize(("driver", "rule"), WORLDS)
def test_every_step_of_a_wrong_world_can_be_told(driver: str, rule: str) -> None:
    """A rule that is off may send a write anywhere, also where no half has a name."""
    for line in [line + more for line in _newest(routines_with(driver, rule)) for more in merging(driver)]:
        m = make_machine(parse_line(f"{line} ring=8 traffic=tcp:1514x24 reader=3000 off={rule}"))
        assert all(as_json(step, m.config)["text"] for step in record(m))


def test_every_rule_acts_somewhere_and_every_part_of_the_path_has_rules() -> None:
    assert {rule.at for rule in ALL.values()} == set(At)
    assert all(rule.at.startswith("GRO: ") == bool(rule.gro) for rule in ALL.values())


def test_a_rule_cannot_be_written_without_saying_where_it_acts() -> None:
    with pytest.raises(TypeError, match="'at'"):
        Rule("new", "It holds.", "It does not.")  # type: ignore[call-arg]
