"""GRO inside the machine: what merges, what it is charged, who holds the pages meanwhile, and when it leaves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model.descriptor import IPCS, L4CS, TCPE
from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.run.engine import make_machine, make_source
from rxviz.run.gro import GroOptions, gro_result
from rxviz.run.gro_layouts import Layout
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step, record
from rxviz.wire import build
from tests.model.harness import PATHS, dark, kinds, machine, played, polls

SPACE = 1448
Change = dict[str, Any]
"""Fields of a segment that are not as in the others."""


def frames(changes: list[Change], size: int = SPACE, apart: int = 0) -> list[Frame]:
    """TCP segments in sequence, each with some of its header's fields changed."""
    made = []
    for i, change in enumerate(changes):
        words: Change = {
            "sport": 40_000,
            "dport": 5001,
            "seq": 1 + size * i,
            "tsval": 1,
            "tsecr": 1,
            "ip_id": i,
        } | change
        status = words.pop("status", L4CS | IPCS)
        body = build.payload(words.pop("size", size), i)
        data = build.tcp4(body, **words)
        made.append(Frame(i, 1_000 + apart * i, data, len(data), status=status))
    return made


def run(changes: list[Change], line: str = "", size: int = SPACE, ring: int = 64) -> tuple[Machine, list[Step]]:
    """Play segments that are all there before the first poll looks."""
    m, steps = played(f"ixgbe ring={ring} gro=on reader=off {line}", frames(changes, size))
    assert dark(m)
    return m, steps


def delivered(m: Machine) -> list[list[int]]:
    return [[frame.id for frame in skb.frames] for skb in m.socket.queue]


def gro_kinds(steps: list[Step]) -> list[str]:
    names = {"held": "H", "merge": "M", "normal": "N", "flush": "F", "evict": "E"}
    return [names[step.name[4:]] for step in steps if step.name.startswith("gro.") and step.name[4:] in names]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_truesize_of_a_merged_skb(kernel: str, path: str) -> None:
    m, _ = run([{}] * 4, f"kernel={kernel} path={path}")
    (skb,) = m.socket.queue
    each = 2048
    head = m.config.core.napi_head(256) + 256
    assert skb.truesize == (2304 + 3 * each if path == "build_skb" else head + 4 * each)
    assert m.socket.charged == skb.truesize
    assert len(skb.frags) == (3 if path == "build_skb" else 4)
    assert len(m.skbs) == 1


def test_the_legacy_head_is_charged_once() -> None:
    m, _ = run([{}] * 4, "path=legacy kernel=6.18")
    (skb,) = m.socket.queue
    assert skb.truesize == 896 + 4 * 2048 == 2944 + 3 * 2048


@pytest.mark.parametrize("path", ["legacy", "build_skb"])
def test_past_the_slots_an_skb_is_chained(path: str) -> None:
    m, steps = run([{}] * 40, f"path={path}")
    (skb,) = m.socket.queue
    assert skb.segs == 40
    assert len(skb.frags) == 17
    assert [len(member.frags) for member in skb.frag_list] == [17, 3] if path == "build_skb" else [17, 6]
    how = [step.field("how") for step in kinds(steps, "gro.merge")]
    assert how.count("list") == len(skb.frag_list)
    assert set(how) == {"list", "head" if path == "build_skb" else "frags"}
    assert skb.payload()[66:] == b"".join(build.payload(SPACE, i) for i in range(40))


def test_headers_of_a_merged_skb_are_put_right_in_memory() -> None:
    m, _ = run([{}] * 3)
    (skb,) = m.socket.queue
    head = bytes(skb.head_page.data[skb.mac_header : skb.mac_header + 66])
    assert int.from_bytes(head[16:18], "big") == 52 + 3 * SPACE == skb.len
    assert head != skb.frame.data[:66]
    assert head[26:50] == skb.frame.data[26:50]
    assert skb.gso_size == SPACE


def test_an_skb_that_is_alone_leaves_as_it_came() -> None:
    m, steps = run([{}])
    (skb,) = m.socket.queue
    assert skb.payload() == skb.frame.data
    assert skb.gso_size == 0
    assert gro_kinds(steps) == ["H", "F"]


@pytest.mark.parametrize(
    ("changes", "order", "verdicts"),
    [
        ([{}, {}, {}], [[0, 1, 2]], "HMMF"),
        ([{}, {"window": 230}, {"window": 230}], [[0], [1, 2]], "HFHMF"),
        ([{}, {"flags": "PA"}, {}], [[0, 1], [2]], "HMFHF"),
        ([{"flags": "PA"}, {}], [[0], [1]], "NHF"),
        ([{}, {}, {"size": 100}, {}], [[0, 1, 2], [3]], "HMMFHF"),
        ([{}, {"seq": 9_000_000}, {}], [[0], [1], [2]], "HFHFHF"),
        ([{}, {"sport": 9}, {"seq": 1 + SPACE, "ip_id": 1}], [[1], [0, 2]], "HHMFF"),
    ],
)
def test_what_merges(changes: list[Change], order: list[list[int]], verdicts: str) -> None:
    m, steps = run(changes)
    assert sorted(delivered(m)) == sorted(order)
    assert "".join(gro_kinds(steps)) == verdicts


def test_a_wrong_checksum_overtakes_and_the_lamp_knows() -> None:
    broken = frames([{}, {}, {}])
    data = bytearray(broken[1].data)
    data[50] ^= 1
    broken[1] = Frame(1, broken[1].t_ns, bytes(data), len(data), status=L4CS | IPCS | TCPE)
    m, steps = played("ixgbe ring=64 gro=on", broken)
    assert "".join(gro_kinds(steps)) == "HNHF" or "".join(gro_kinds(steps)) == "HNFHF"
    assert dark(m)
    assert m.ledger.csum_bytes == len(data) - 34
    assert m.csum_ns > 0


def test_udp_that_nobody_asked_for_is_let_pass() -> None:
    m = make_machine(parse_line("ixgbe ring=64 traffic=udp:1400x20 gro=on itr=100"))
    steps = list(record(m))
    assert set(gro_kinds(steps)) == {"N"}
    assert sum(step.field("segs") for step in kinds(steps, "gro.up")) == 20
    assert max(step.field("segs") for step in kinds(steps, "gro.up")) == 8


def test_poll_end_empties_gro_before_the_interrupt_is_let_in() -> None:
    _, steps = run([{}, {}])
    names = [step.name for step in steps]
    assert names.index("poll.end") < names.index("gro.flush") < names.index("napi.complete") < names.index("irq.enable")
    (flush,) = kinds(steps, "gro.flush")
    assert flush.field("left").rule.name == "gro_poll_end"


@pytest.mark.parametrize(("hz", "packets"), [(250, [7, 7, 7, 7, 7, 7, 7, 1]), (1000, [45, 5])])
def test_a_used_up_budget_empties_gro_unless_hz_is_1000(hz: int, packets: list[int]) -> None:
    m, steps = run([{}] * 50, f"budget=7 hz={hz}")
    assert [len(ids) for ids in delivered(m)] == packets
    if hz == 250:
        assert kinds(steps, "gro.flush")[0].field("left").rule.name == "gro_budget_used"


def test_the_64th_frame() -> None:
    m, _ = run([{}] * 63, size=100, ring=128)
    assert [len(ids) for ids in delivered(m)] == [63]
    m, _ = run([{}] * 70, size=100, ring=128)
    assert [len(ids) for ids in delivered(m)] == [64, 6]


@pytest.mark.parametrize(("kernel", "flows"), [("4.11", 9), ("6.18", 72)])
def test_a_full_bucket_gives_its_oldest_away(kernel: str, flows: int) -> None:
    m = make_machine(
        parse_line(f"ixgbe kernel={kernel} ring=96 traffic=tcp:300x{flows + 8} flows={flows} itr=200 budget=200 gro=on")
    )
    steps = list(record(m))
    assert len(kinds(steps, "gro.evict")) > 0
    assert all(step.field("left").old == 8 for step in kinds(steps, "gro.evict"))
    assert dark(m)


def test_what_is_held_keeps_its_pages_busy() -> None:
    """Half A is still held by GRO when half B is taken: the page must go."""
    line = "ixgbe ring=8 traffic=tcp:1514x16 itr=30 reader=0"
    given_up = {}
    for gro in ("off", "on"):
        m = make_machine(parse_line(f"{line} gro={gro}"))
        list(record(m))
        given_up[gro] = m.ledger.pages_given_up
    assert given_up["on"] > given_up["off"] == 0


@pytest.mark.parametrize("layout", [Layout.BUILD_SKB, Layout.LEGACY])
@pytest.mark.parametrize("traffic", ["tcp:1514x300", "tcp:1514x200 order=swap:9", "tcp6:700x150 loss=20%", "tcp:66x90"])
def test_the_machine_and_a_replay_agree(layout: Layout, traffic: str) -> None:
    """The same frames in the same polls, once through ring and pages, once through GRO alone."""
    scenario = parse_line(
        f"ixgbe ring=512 path={layout.value} traffic={traffic} gro=on reader=off itr=30 rcvbuf=8000000"
    )
    m = make_machine(scenario)
    steps = list(record(m))
    assert not m.socket.rcvbuf_errors
    source, expected, first = make_source(scenario), [], 0
    for poll in polls(steps):
        count = len(kinds(poll, "gro.receive"))
        arrived = [frame for i in range(first, first + count) if (frame := source.frame(i)) is not None]
        first += count
        said = gro_result(arrived, GroOptions(poll=64, layout=layout))
        for packet in said["delivered"]:
            ids = [arrived[n].id for n in packet["frames"]]
            expected.append((ids, packet["truesize"], packet["gso_size"]))
    got = [([frame.id for frame in skb.frames], skb.truesize, skb.gso_size) for skb in m.socket.queue]
    assert got == expected
    assert m.ledger.truesize_total == sum(truesize for _, truesize, _ in expected)


def test_the_result_counts_frames_and_skbs() -> None:
    scenario = parse_line("ixgbe ring=64 traffic=tcp:1514x40 gro=on itr=100")
    m = make_machine(scenario)
    m.run()
    said = result(scenario, m)
    assert said["frames"]["delivered"] == 40
    assert said["skbs"]["delivered"] + said["skbs"]["merged"] == 40
    assert said["skbs"]["built"] == said["ledger"]["sk_buffs"] == 40


def test_a_drop_at_the_socket_drops_all_frames_of_the_skb() -> None:
    scenario = parse_line("ixgbe ring=64 traffic=tcp:1514x40 gro=on itr=100 rcvbuf=10000 reader=off")
    m = make_machine(scenario)
    m.run()
    said = result(scenario, m)
    assert said["counters"]["RcvbufErrors"] < said["frames"]["dropped"]["socket"]
    assert said["frames"]["in_flight"] == 0


CHANGES = st.one_of(
    st.just({}),
    st.sampled_from([{"window": 7}, {"flags": "PA"}, {"flags": "FA"}, {"size": 90}, {"size": 0}, {"sport": 9}]),
    st.sampled_from([{"ip_id": 77}, {"seq": 5}, {"status": 0}, {"ttl": 3}, {"tos": 2}]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(CHANGES, min_size=1, max_size=50), st.sampled_from(PATHS), st.sampled_from([1, 7, 64]))
def test_any_segments_in_any_order_light_no_lamp(changes: list[Change], built: tuple[str, str], budget: int) -> None:
    kernel, path = built
    for reader in ("off", "fast"):
        line = f"ixgbe ring=64 kernel={kernel} path={path} budget={budget} gro=on reader={reader}"
        m = machine(line, frames(changes))
        m.run()
        assert dark(m)
        assert m.socket.frames_delivered == len(changes)
        assert m.gro is not None
        assert not m.gro.frames_inside
