"""Every step has its sentence, in every run in which it can happen."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import given, settings

from rxviz.model.config import Config
from rxviz.model.drivers.table import DRIVERS
from rxviz.model.failures import STALLS
from rxviz.model.frame import Frame
from rxviz.model.steps import BY_NAME, KINDS
from rxviz.run import kernels, words
from rxviz.run.engine import make_config, make_machine
from rxviz.run.scenario import Scenario, parse_line
from rxviz.run.trace import Step, as_json, record
from tests.model.harness import ROUTINES, at_once, frame, frame_bytes, machine
from tests.run.strategies import scenarios

LONGEST = 160
BROAD = [
    "ring=8 traffic=tcp:1514x12",
    "ring=8 traffic=udp:60x12",
    "ring=8 traffic=tcp:1514x30 reader=off",
    "ring=8 traffic=tcp:1514x30 reader=off rcvbuf=4000",
    "ring=8 traffic=tcp:1600x3",
    "ring=8 mtu=9000 traffic=tcp:9014x12 reader=off",
    "ring=8 mtu=9000 traffic=tcp:9014x12 reader=slow",
    "ring=8 page_size=8192 traffic=tcp:1514x30 reader=off",
    "ring=4 traffic=tcp:1514x200 itr=200 budget=2 flows=3",
    "ring=8 traffic=vxlan:1514x12 reader=slow",
    "ring=8 traffic=udp6:600x12",
    "ring=64 traffic=tcp:1514x80 itr=200 gro=on",
    "ring=96 traffic=tcp:300x90 flows=80 itr=200 gro=on rcvbuf=30000 reader=off",
    "ring=8 traffic=udp:1400x9 gro=on",
    "ring=64 traffic=tcp6:600x80 order=swap:7 itr=200 loss=10% gro=on reader=slow",
    "ring=64 traffic=udp:60x200 busy=4 reader=fast@0",
    "ring=64 traffic=tcp:1514x60 gro=on gro_flush_timeout=2000 itr=5",
    "traffic=tcp:1514x300 itr=adaptive",
]
"""What an honest run can meet: reuse and giving up, copies, long frames, drops in the NIC and at the socket; and GRO
with one flow, with more than it can hold, with none that it may merge, and with segments out of order; other queues
and a reader on the same CPU; a timer; interrupts that the driver moderates."""
HEADS = [
    "ring=8 traffic=tcp:1514x60",
    "ring=4 traffic=tcp:1514x40 itr=0 reader=slow",
    "ring=8 traffic=tcp:3000x9 rate=5kpps",
    "ring=128 lro=on traffic=tcp:1514x90 flows=12",
    "ring=128 lro=on gro=on deliver=conditional traffic=segs:300p:1,1,2,1e,1p,1f,3,3a,3w,3r",
    "ring=16 mtu=9000 gro=on deliver=napi_gro_receive traffic=tcp:9014x30 itr=60",
    "ring=64 gro=on deliver=napi_gro_receive rxcsum=off traffic=tcp6:600x50 reader=off rcvbuf=30000",
    "ring=64 gro=on deliver=napi_gro_receive forward=bridge traffic=tcp:1514x50",
    "ring=8 lro=on forward=bridge off=lro_off_in_bridge traffic=segs:300p:1,1a,1,1w,1",
    "ring=8 lro=on forward=bridge off=lro_off_in_bridge,lro_not_forwarded traffic=segs:300p:1,1a,1,1w,1,1p,1",
    "ring=16 traffic=udp6:200x30 budget=8",
    "ring=8 traffic=tcp:300x9 errors=crc@1,symbol@2,undersize@3,oversize@4",
    "ring=8 reader=off traffic=tcp:1514x60 rate=100kpps rcvbuf=1000000 fail=alloc_page@1-2,alloc_skb@9",
]
"""What runs of mv643xx_eth can meet: a ring run dry, frames over several buffers, LRO, GRO or neither, a bridge, and
memory that is not to be had."""
SHORT = Frame(0, 1_000, frame_bytes(56)[:12] + b"\x81\x00\x00\x05" + frame_bytes(56)[12:], 60, tag=0x8100_0005)
FAILING = [
    "ring=8 reader=off traffic=tcp:1514x30 rate=100kpps fail=alloc_page@1-11,map@4",
    "ring=8 reader=off traffic=udp:60x30 rate=100kpps fail=remote_page@0-3,pfmemalloc@4-6,alloc_skb@5,alloc_skb@30",
    "ring=8 reader=off traffic=tcp:1514x30 rate=100kpps fail=remote_page@0-3,pfmemalloc@4-6",
    "ring=8 traffic=tcp:1514x30 fail=stall_cpu@5000+40000,stall_reader@8000+90000",
]
"""Memory that is not to be had, or not good enough."""
ODD = [
    ("", at_once([1514] * 400)),
    ("drop_en=on", at_once([1514] * 40)),
    ("rxvlan=on", [SHORT, frame(1, 1_000)]),
    *(
        (f"bad_frames={word}", [frame(0, 1_000, 60, kind), frame(1, 1_000)])
        for kind in ("crc", "length", "symbol", "undersize")
        for word in ("refused", "stored")
    ),
]
"""More frames in one instant than the NIC can keep or has descriptors for, a frame that is too short without its tag,
and bad ones."""


def odd(driver: str) -> list[tuple[str, list[Frame]]]:
    """Those of the odd frames that a driver and its NIC know."""
    kind = DRIVERS[driver]
    return [
        (line, frames)
        for line, frames in ODD
        if line.partition("=")[0] in ("", *kind.offers) and {each.error for each in frames} <= {"", *kind.nic.ERRORS}
    ]


def told(config: Config, step: Step) -> tuple[str, str, str]:
    return words.text(step, config), words.why(step, config), words.where(step, config)


OTHERS = {name: re.compile("|".join(rf"\b{other}(?![a-z0-9])" for other in DRIVERS if other != name), re.I)
          for name in DRIVERS}  # fmt: skip
"""The names of all drivers but one, also as the beginning of a function's or a register's name."""


def check(config: Config, step: Step) -> None:
    text, why, where = told(config, step)
    for part in (text, why, where):
        assert not OTHERS[config.driver].search(part), part
    assert where != "the driver", f"[functions] of {config.driver} has none for {step.name}"
    assert text.endswith("."), text
    assert len(text) <= LONGEST, text
    assert "\n" not in text
    for part in (text, why, where):
        assert "{" not in part
        assert "}" not in part
        assert "None" not in part
        assert part == part.strip()
        assert part
        assert part.isprintable()
    assert re.match(r"[A-Z0-9]|next_to_", text), text
    assert why.endswith("."), why
    assert "  " not in text
    assert "  " not in why


def runs(driver: str, kernel: str, path: str) -> list[str]:
    """Those of the broad and the failing runs that a driver knows the words of."""
    kinds = {*DRIVERS[driver].fails, *STALLS}
    lines = BROAD + [line for line in FAILING if set(re.findall(r"([a-z_]+)@", line)) <= kinds]
    if not kernels.driver_rules(driver, kernel).itr_algorithm:
        lines = [line for line in lines if "itr=adaptive" not in line]
    if not kernels.core_rules(kernel).gro_flush_timeout:
        lines = [line for line in lines if "gro_flush_timeout" not in line]
    return [f"{driver} kernel={kernel} path={path} {line}" for line in lines]


QEDE = [
    f"qede kernel={kernel} {line}"
    for kernel in ("4.12", "6.18")
    for line in (
        "ring=8 traffic=tcp:1514x30 reader=off itr=50",
        "ring=8 traffic=udp:60x12 itr=0",
        "ring=16 mtu=9000 traffic=tcp:9014x12 reader=slow",
        "ring=8 page_size=65536 traffic=tcp:1514x30",
        "ring=64 traffic=tcp:1514x80 itr=200 gro=on reader=slow",
        "ring=8 traffic=tcp:1514x60 gro=on hw_gro=on",
        "ring=64 traffic=tcp6:1514x80 order=swap:7 flows=3 loss=10% gro=on hw_gro=on reader=off rcvbuf=30000",
    )
]
QEDE.append("qede kernel=4.12 ring=8 traffic=tcp:1514x120 gro=on hw_gro=on fail=alloc_page@1-9,alloc_skb@5")


@cache
def broad_kinds() -> frozenset[str]:
    """The kinds that occur in the broad set of runs."""
    found = set()
    for driver, kernel, path in ROUTINES:
        for line in runs(driver, kernel, path):
            m = make_machine(parse_line(line))
            m.run()
            found |= {kind.name for kind in KINDS if m.counts[kind.number]}
        for line, frames in odd(driver):
            m = machine(f"{driver} kernel={kernel} path={path} ring=8 {line}", frames)
            m.run()
            found |= {kind.name for kind in KINDS if m.counts[kind.number]}
    for line in [*QEDE, *(f"mv643xx_eth {heads}" for heads in HEADS)]:
        m = make_machine(parse_line(line))
        m.run()
        found |= {kind.name for kind in KINDS if m.counts[kind.number]}
    return frozenset(found)


NOT_HONEST = ("world.", "cpu.stall", "reader.stall")
"""Rules that are switched off, and failures."""


@pytest.mark.parametrize("kind", [kind.name for kind in KINDS if not kind.name.startswith(NOT_HONEST)])
def test_every_kind_occurs_in_some_honest_run(kind: str) -> None:
    assert kind in broad_kinds()


@pytest.mark.parametrize("line", [line for routine in ROUTINES for line in runs(*routine)])
def test_every_step_has_a_short_plain_sentence(line: str) -> None:
    m = make_machine(parse_line(line))
    for step in record(m):
        check(m.config, step)


@pytest.mark.parametrize("line", QEDE)
def test_every_step_of_qede_has_one_too(line: str) -> None:
    m = make_machine(parse_line(line))
    for step in record(m):
        check(m.config, step)
        assert len(step.fields) == len(KINDS[step.kind].fields), step.name


@pytest.mark.parametrize(("driver", "kernel", "path"), ROUTINES)
def test_steps_that_need_a_frame_of_their_own(driver: str, kernel: str, path: str) -> None:
    seen: set[int] = set()
    for line, frames in odd(driver):
        m = machine(f"{driver} kernel={kernel} path={path} ring=8 {line}", frames)
        for step in record(m):
            check(m.config, step)
            seen.add(step.kind)
    offers = DRIVERS[driver].offers
    names = {{"qede": "nic.no_bd", "mv643xx_eth": "nic.discard"}.get(driver, "nic.missed")}
    names |= {"nic.no_descriptor"} if "drop_en" in offers else set()
    names |= {"nic.strip", "skb.pad"} if "rxvlan" in offers else set()
    names |= {"nic.bad_frame", "frame.discard"} if "bad_frames" in offers else set()
    assert {BY_NAME[name] for name in names} <= seen


@settings(max_examples=60, deadline=None)
@given(scenarios(12))
def test_every_step_of_a_random_run(scenario: Scenario) -> None:
    m = make_machine(scenario)
    for step in record(m):
        check(m.config, step)


def test_the_table() -> None:
    assert len({kind.name for kind in KINDS}) == len(KINDS)
    assert [kind.number for kind in KINDS] == list(range(len(KINDS)))
    assert all(re.fullmatch(r"[a-z]+\.[a-z_]+", kind.name) for kind in KINDS)
    assert {kind.badge for kind in KINDS} <= set("SKMH")
    assert {kind.who for kind in KINDS} <= {"nic", "cpu", "reader", "any"}
    assert all(len(kind.glyph) <= 1 for kind in KINDS)


@pytest.mark.parametrize(("driver", "kernel", "path"), ROUTINES)
def test_steps_carry_as_many_fields_as_their_kind_names(driver: str, kernel: str, path: str) -> None:
    for line in BROAD[:9]:
        m = make_machine(parse_line(f"{driver} kernel={kernel} path={path} {line}"))
        for step in record(m):
            assert len(step.fields) == len(KINDS[step.kind].fields), step.name


# ------------------------------------------------------------------------------------------------------- the sentences
def first(line: str, kind: str) -> tuple[str, str, str]:
    m = make_machine(parse_line(line))
    step = next(step for step in record(m) if step.name == kind)
    return told(m.config, step)


def test_the_sentences_of_a_flip_and_what_follows() -> None:
    line = "ixgbe ring=8 reader=off traffic=tcp:1514x12"
    text, why, where = first(line, "page.flip")
    assert text == "The driver flips page 0: half B is its next."
    assert why.endswith("whether half B is free, and the page may stay, is asked next.")
    assert where == "ixgbe_build_skb"
    text, why, where = first(line, "page.reuse")
    assert text == "Page 0 stays on the ring: it goes to slot 7."
    assert "65,535" in why
    assert "65,534" in why
    assert "= 1" in why
    assert where == "ixgbe_can_reuse_rx_page"
    text, why, _ = first(line, "page.give_up")
    assert "half A is still held" in text
    assert "= 2" in why


def test_4_9_is_told_in_its_own_words() -> None:
    line = "ixgbe kernel=4.9 ring=8 reader=off traffic=tcp:1514x12"
    text, why, where = first(line, "page.give_up")
    assert text == "The driver gives page 0 up: its other half is still held."
    assert "Page count is 2, not 1" in why
    assert where == "ixgbe_fetch_rx_buffer"
    _, why, where = first(line, "page.flip")
    assert why == "Half A belongs to this frame now. Nobody else has the page, so half B is free."
    assert where == "ixgbe_add_rx_frag"
    assert first(line, "desc.done")[0].startswith("Descriptor 0 is done: its status word is not zero")
    assert first("ixgbe ring=8", "desc.done")[0] == "Descriptor 0 is done: its length is 1,514."


def test_a_step_as_json() -> None:
    m = make_machine(parse_line("ixgbe ring=8 reader=off traffic=tcp:1514x12"))
    step = next(step for step in record(m) if step.name == "page.flip")
    shown = as_json(step, m.config)
    assert list(shown) == [
        *(
            "n",
            "t_ns",
            "kind",
            "cpu",
            "frame",
            "slot",
            "page",
            "half",
            "skb",
            "changes",
            "text",
            "why",
            "where",
            "badge",
        )
    ]
    assert (shown["kind"], shown["cpu"], shown["frame"], shown["slot"], shown["page"]) == ("page.flip", 0, 0, 0, 0)
    assert shown["changes"] == [["pages.0.page_offset", 192, 2240]]
    assert shown["badge"] == "K"
    assert make_config(parse_line("ixgbe")).rules.functions["skb.build"] == "ixgbe_build_skb"


def test_a_flip_stands_where_the_buffer_is_attached() -> None:
    assert first("ixgbe path=legacy ring=8", "page.flip")[2] == "ixgbe_construct_skb"
    m = make_machine(parse_line("ixgbe ring=16 mtu=9000 traffic=tcp:9014x1"))
    places = [words.where(step, m.config) for step in record(m) if step.name == "page.flip"]
    assert places == ["ixgbe_build_skb", "ixgbe_add_rx_frag", "ixgbe_add_rx_frag"]


def test_truesize_is_added_up_in_words() -> None:
    assert "2,048 for the half and 256 for the sk_buff: 2,304." in first("ixgbe ring=8", "skb.build")[1]
    assert "640 for the head and 256 for the sk_buff: 896." in first("ixgbe path=legacy ring=8", "skb.alloc")[1]
    walked = first("ixgbe page_size=8192 ring=8", "skb.build")
    assert "half" not in walked[0] + walked[1]


def test_a_copied_frame_lends_nothing() -> None:
    line = "ixgbe path=legacy ring=8 traffic=udp:64px2"
    assert first(line, "skb.deliver")[1].endswith("it takes nothing of the ring's pages with it.")
    assert first(line, "skb.free")[0] == "The skb of frame A is freed, and with it its copy of the frame."


def test_giving_up_hands_the_prepaid_references_back_in_that_step() -> None:
    m = make_machine(parse_line("ixgbe ring=8 reader=off traffic=tcp:1514x12"))
    given_up = next(step for step in record(m) if step.name == "page.give_up")
    assert ("pages.0.page_count", 65535, 2) in given_up.changes
