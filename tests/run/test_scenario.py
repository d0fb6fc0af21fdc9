"""Scenario lines: what they mean, and one sentence for each way in which they can be wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.errors import ScenarioError
from rxviz.run.engine import make_config
from rxviz.run.scenario import Scenario, from_mapping, parse_line
from rxviz.run.traffic_spec import TrafficSpec, frame_ns
from tests.model.harness import KERNELS, NEWER
from tests.run.strategies import lines


def refusal(line: str | list[str]) -> str:
    with pytest.raises(ScenarioError) as caught:
        parse_line(line)
    return str(caught.value)


# ------------------------------------------------------------------------------------------------------------ defaults
def test_a_bare_driver_is_a_scenario() -> None:
    s = parse_line("ixgbe")
    assert s == Scenario()
    assert s.line() == "ixgbe kernel=6.18 path=build_skb ring=512 mtu=1500 traffic=tcp:1514x12"
    assert (s.refill_at, s.reader_ns, s.budget, s.page_size) == (16, 500, 64, 4096)
    assert s.remarks() == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_path_is_the_drivers_own(kernel: str) -> None:
    assert parse_line(f"ixgbe kernel={kernel}").path == ("legacy" if kernel == "4.9" else "build_skb")


@pytest.mark.parametrize(("page_size", "ring"), [(4096, 512), (8192, 128), (65536, 128)])
def test_the_ring_is_the_drivers_own(page_size: int, ring: int) -> None:
    assert parse_line(f"ixgbe page_size={page_size}").ring == ring
    assert parse_line(f"ixgbe page_size={page_size} ring=8").ring == 8


@pytest.mark.parametrize(
    ("words", "refill"),
    [("ring=4", 1), ("ring=7", 1), ("ring=8", 2), ("ring=63", 15), ("ring=64", 16), ("ring=4096", 16),
     ("ring=8 refill=5", 5), ("ring=64 refill=1", 1)],
)  # fmt: skip
def test_the_refill_batch(words: str, refill: int) -> None:
    s = parse_line("ixgbe " + words)
    assert s.refill_at == make_config(s).refill == refill


def test_teaching_sizes_are_said_so() -> None:
    (remark,) = parse_line("ixgbe ring=8").remarks()
    assert "for teaching" in remark
    assert "64" in remark
    (remark,) = parse_line("ixgbe refill=4").remarks()
    assert "16" in remark
    assert parse_line("ixgbe refill=16").remarks() == []
    assert len(parse_line("ixgbe page_size=8192").remarks()) == 1


@pytest.mark.parametrize(
    ("word", "ns"),
    [("off", None), ("slow", 20_000), ("fast", 500), ("0", 0), ("750", 750), ("999999999999", 999999999999)],
)
def test_the_reader(word: str, ns: int | None) -> None:
    s = parse_line(f"ixgbe reader={word}")
    assert s.reader_ns == make_config(s).reader_ns == ns


@pytest.mark.parametrize(
    ("words", "ns", "cpu", "line"),
    [
        ("", 500, 1, ""),
        ("reader=slow@1", 20_000, 1, " reader=slow"),
        ("reader=fast@1", 500, 1, ""),
        ("reader=500@0", 500, 0, " reader=500@0"),
        ("reader=0500@00", 500, 0, " reader=500@0"),
        ("reader=off@0", None, 0, " reader=off@0"),
        ("cpus=1", 500, 0, " cpus=1"),
        ("cpus=1 reader=slow@0", 20_000, 0, " cpus=1 reader=slow"),
        ("cpus=4 reader=slow@3", 20_000, 3, " cpus=4 reader=slow@3"),
        ("cpus=3 reader=slow", 20_000, 1, " cpus=3 reader=slow"),
    ],
)
def test_the_reader_and_its_cpu(words: str, ns: int | None, cpu: int, line: str) -> None:
    s = parse_line(f"ixgbe {words}")
    assert (s.reader_ns, s.reader_cpu) == (ns, cpu)
    assert (make_config(s).reader_cpu, make_config(s).cpus) == (cpu, s.cpus)
    assert s.line() == parse_line("ixgbe").line() + line


def test_moderation_that_the_driver_adapts() -> None:
    s = parse_line("ixgbe itr=adaptive")
    assert s.itr_ns is None is make_config(s).itr_ns
    assert s.line().endswith(" itr=adaptive")
    assert parse_line("ixgbe itr=0010") == parse_line("ixgbe")


def test_what_napi_gets() -> None:
    s = parse_line("ixgbe netdev_budget=64 busy=4 gro_flush_timeout=20000 napi_defer_hard_irqs=2 hz=1000")
    config = make_config(s)
    assert (config.netdev_budget, config.busy, config.hz) == (64, 4, 1000)
    assert (config.gro_flush_timeout, config.napi_defer_hard_irqs) == (20_000, 2)
    assert make_config(parse_line("ixgbe")).netdev_budget == 300


def test_timers_that_do_nothing_are_said_so() -> None:
    assert "GRO is off" in parse_line("ixgbe gro_flush_timeout=20000").remarks()[0]
    assert "gro_flush_timeout" in parse_line("ixgbe napi_defer_hard_irqs=2").remarks()[0]
    assert parse_line("ixgbe gro_flush_timeout=20000 gro=on").remarks() == []


def test_what_the_model_gets() -> None:
    config = make_config(parse_line("ixgbe kernel=4.19 ring=64 rcvbuf=32768 itr=50 budget=7"))
    assert (config.rcvbuf, config.itr_ns, config.budget, config.ring) == (65_536, 50_000, 7, 64)
    assert config.rules.kernel == "4.19"
    assert config.geometry.build_skb


# ----------------------------------------------------------------------------------------------------------- canonical
@settings(max_examples=200, deadline=None)
@given(lines())
def test_the_canonical_line_is_a_fixed_point(line: str) -> None:
    s = parse_line(line)
    assert parse_line(s.line()) == s
    assert s.line().split()[:5] == [
        *(s.driver, f"kernel={s.kernel}", f"path={s.path}", f"ring={s.ring}"),
        s.line().split()[4],
    ]


@settings(max_examples=60, deadline=None)
@given(lines(), st.randoms(use_true_random=False))
def test_words_may_stand_in_any_order(line: str, random: object) -> None:
    driver, *words = line.split()
    random.shuffle(words)  # type: ignore[attr-defined]
    assert parse_line([driver, *words]) == parse_line(line)


def test_what_is_at_its_default_is_left_out() -> None:
    line = "ixgbe kernel=6.18 path=build_skb ring=8 mtu=1500 traffic=udp:60x3"
    assert parse_line(line + " reader=fast seed=1 budget=64 rate=line order=sent loss=none").line() == line
    assert parse_line(line + " reader=slow seed=2").line() == line + " reader=slow seed=2"


def test_the_rate_may_stand_behind_the_traffic() -> None:
    assert parse_line("ixgbe traffic=tcp:1514x12@590kpps") == parse_line("ixgbe traffic=tcp:1514x12 rate=590kpps")
    assert parse_line("ixgbe traffic=tcp:1514x12@line") == parse_line("ixgbe")


def test_words_behind_a_scenario_change_it() -> None:
    s = parse_line("ixgbe ring=8 reader=off")
    assert s.with_words(["reader=fast", "budget=3"]) == parse_line("ixgbe ring=8 budget=3")
    assert s.with_words([]) == s
    with pytest.raises(ScenarioError):
        s.with_words(["ring=3"])


# -------------------------------------------------------------------------------------------------------------- errors
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", ["empty", "ixgbe"]),
        ("   ", ["empty"]),
        ("ixgb", ['"ixgb"', 'did you mean "ixgbe"']),
        ("e1000", ["e1000", "known: ixgbe"]),
        ("ixgbe ringg=8", ['unknown key "ringg"', 'did you mean "ring"']),
        ("ixgbe trafic=tcp:1514x1", ['did you mean "traffic"']),
        ("ixgbe ring", ["is not key=value", "ring"]),
        ("ixgbe ring=", ["is not key=value"]),
        ("ixgbe =8", ['unknown key ""']),
        ("ixgbe ring=8 ring=8", ["ring= is given twice"]),
        ("ixgbe lro=on", ["lro=on", "ixgbe does not", "mv643xx_eth"]),
        ("ixgbe deliver=conditional", ["deliver=", "ixgbe does not", "mv643xx_eth"]),
        ("mv643xx_eth deliver=sometimes", ["deliver=sometimes", "netif_receive_skb, napi_gro_receive, conditional"]),
        ("mv643xx_eth mtu=9501", ["mtu=9501", "9,500"]),
        ("mv643xx_eth path=build_skb", ["mv643xx_eth 3.9 has no build_skb path"]),
        ("mv643xx_eth rxvlan=on", ["rxvlan=on", "mv643xx_eth"]),
        ("mv643xx_eth off=flip", ["off=flip", "mv643xx_eth"]),
        ("ixgbe off=lro_off_in_bridge", ["off=lro_off_in_bridge", "ixgbe"]),
        ("ixgbe forward=yes", ["forward=yes", "off, bridge"]),
        ("ixgbe gro=yes", ["gro=yes", "on, off"]),
        ("ixgbe hz=60", ["hz=60", "100, 250, 300, 1000"]),
        ("ixgbe off=flipp", ["off=flipp", "flip"]),
        ("ixgbe ring=3", ["ring=3", "4 to 32,768"]),
        ("ixgbe kernel=4.19 ring=8192", ["4 to 4,096"]),
        ("ixgbe ring=65", ["ring=65", "multiples of 8"]),
        ("ixgbe ring=-8", ["whole number"]),
        ("ixgbe ring=8.0", ["whole number"]),
        ("ixgbe ring=٨", ["whole number"]),
        ("ixgbe ring=9999999999999999999", ["whole number"]),
        ("ixgbe refill=512", ["refill=512", "1 to 511"]),
        ("ixgbe ring=8 refill=8", ["1 to 7"]),
        ("ixgbe kernel=4.91", ["kernel=4.91", 'did you mean "4.9"']),
        ("ixgbe kernel=2.6", ["known: 4.9, 4.11, 4.12, 4.19, 6.18"]),
        ("ixgbe path=legcy", ['did you mean "legacy"']),
        ("ixgbe kernel=4.9 path=build_skb", ["4.9", "build_skb", "path=legacy", "4.11"]),
        ("ixgbe page_size=4097", ["page_size=4097", "4096, 8192, 65536"]),
        ("ixgbe mtu=67", ["mtu=67", "68 to 9,710"]),
        ("ixgbe mtu=9711", ["mtu=9711"]),
        ("ixgbe itr=1000001", ["itr=1000001"]),
        ("ixgbe itr=adaptiv", ["adaptiv", "adaptive"]),
        ("ixgbe itr=1.5", ["itr=", "whole number of µs"]),
        ("ixgbe budget=0", ["budget=0"]),
        ("ixgbe netdev_budget=0", ["netdev_budget=0"]),
        ("ixgbe busy=1001", ["busy=1001"]),
        ("ixgbe cpus=5", ["cpus=5", "1 to 4"]),
        ("ixgbe reader=fast@2", ["reader=fast@2", "0 to 1"]),
        ("ixgbe cpus=1 reader=fast@1", ["reader=fast@1", "0 only"]),
        ("ixgbe reader=@0", ["reader=@0", "off, slow, fast"]),
        ("ixgbe reader=fast@", ["reader=fast@"]),
        ("ixgbe reader=fast@x", ["reader=fast@x"]),
        ("ixgbe kernel=4.19 napi_defer_hard_irqs=1", ["napi_defer_hard_irqs=", "5.8", "4.19"]),
        ("ixgbe gro_flush_timeout=1000000001", ["gro_flush_timeout=1000000001"]),
        ("ixgbe rcvbuf=1151", ["rcvbuf=1151"]),
        ("ixgbe cost=cheap", ["cost=cheap", "teaching"]),
        ("ixgbe reader=sometimes", ["reader=sometimes", "off, slow, fast"]),
        ("ixgbe reader=-1", ["reader=-1"]),
        ("ixgbe traffic=icmp:60x1", ["icmp", "tcp, udp, vxlan, tcp6, udp6"]),
        ("ixgbe traffic=tcp:1514", ["KIND:SIZExCOUNT"]),
        ("ixgbe traffic=tcp:1514x0", ["0 frames", "1 to 10,000,000"]),
        ("ixgbe traffic=tcp:1514x10000001", ["10,000,001 frames"]),
        ("ixgbe traffic=tcp:65x1", ["65 bytes", "66 to 16,000"]),
        ("ixgbe traffic=udp:59x1", ["59 bytes", "60 to 16,000"]),
        ("ixgbe traffic=udp:17px1", ["59 bytes"]),
        ("ixgbe traffic=vxlan:115x1", ["116 to 16,000"]),
        ("ixgbe traffic=tcp6:85x1", ["86 to 16,000"]),
        ("ixgbe traffic=tcp:16001x1", ["16,001 bytes"]),
        ("ixgbe flows=0", ["flows=0", "1 to 1,024"]),
        ("ixgbe flows=1025", ["flows=1025"]),
        ("ixgbe burst=4", ["burst= and gap= go together"]),
        ("ixgbe gap=4", ["burst= and gap= go together"]),
        ("ixgbe burst=10000001 gap=1", ["too large"]),
        ("ixgbe burst=1 gap=1000000000001", ["too large"]),
        ("ixgbe order=swap", ["order=swap", "swap:N"]),
        ("ixgbe order=swap:1", ["2 to 4,096"]),
        ("ixgbe order=shuffle:4097", ["2 to 4,096"]),
        ("ixgbe order=random", ["order=random"]),
        ("ixgbe loss=101%", ["loss=101%"]),
        ("ixgbe loss=3,", ["loss=3,"]),
        ("ixgbe loss=some", ["loss=some"]),
        ("ixgbe errors=3", ["errors=", "KIND@N", "crc@3"]),
        ("ixgbe errors=fire@3", ["errors=", "fire", "undersize"]),
        ("ixgbe errors=crc@7-3", ["crc@7-3", "ends before"]),
        ("ixgbe errors=" + ",".join(["crc@1"] * 65), ["65 places", "64"]),
        ("ixgbe fail=alloc_page", ["fail=", "KIND@N", "alloc_page@5"]),
        ("ixgbe fail=alloc_pag@1", ["fail=", "alloc_pag", "pfmemalloc"]),
        ("ixgbe fail=alloc_skb@0", ["from 1"]),
        ("ixgbe fail=stall_cpu@7", ["stall_cpu@7", "T+NS"]),
        ("ixgbe fail=stall_reader@5+0", ["stall_reader@5+0", "T+NS"]),
        ("ixgbe fail=map@1,stall_cpu@99999999999+1", ["stall_cpu@99999999999+1", "10,000,000,000"]),
        ("ixgbe fail=map@9-2", ["map@9-2", "ends before"]),
        ("ixgbe bad_frames=kept", ["bad_frames=kept", "refused, stored"]),
        ("ixgbe vlan=4095", ["vlan=4095", "4,094"]),
        ("ixgbe capture=a.pcap vlan=5", ["vlan=", "capture"]),
        ("ixgbe rxvlan=maybe", ["rxvlan=maybe"]),
        ("ixgbe drop_en=yes", ["drop_en=yes"]),
        ("ixgbe rsc=1", ["rsc=1"]),
        ("ixgbe fifo=63", ["fifo=63", "64"]),
        ("ixgbe rate=0pps", ["rate=0pps"]),
        ("ixgbe rate=5", ["rate=5", "590kpps"]),
        ("ixgbe rate=5tbit", ["rate=5tbit"]),
        ("ixgbe traffic=tcp:1514x1@5kpps rate=6kpps", ["rate is given twice"]),
        ("ixgbe traffic=tcp:1514x1@", ["rate="]),
        ("ixgbe traffic=tcp:66x1 capture=a.pcap", ["traffic= and capture="]),
        ("ixgbe capture=a.pcap flows=2", ["flows=", "capture"]),
        ("ixgbe capture=a.pcap loss=5%", ["loss=", "capture"]),
        ("ixgbe capture=a.pcap order=swap:2", ["order="]),
    ],
)
def test_wrong_words_are_one_sentence(line: str, words: list[str]) -> None:
    said = refusal(line)
    for word in words:
        assert word in said
    assert "\n" not in said
    assert len(said) < 240


def test_endless_words_are_cut() -> None:
    for line in ("ixgbe " + "x" * 5_000, "x" * 5_000, "ixgbe reader=" + "x" * 5_000, "ixgbe ring=" + "1" * 5_000):
        assert len(refusal(line)) < 240
    for key in ("traffic", "rate", "order", "loss", "kernel", "path", "cost"):
        assert len(refusal(f"ixgbe {key}=" + "x" * 5_000)) < 240


@pytest.mark.parametrize(
    "line",
    [
        "\x1b[31m", "ixgbe \x1b[31m", "ixgbe \x1b[31m=1", "ixgbe ring=\x1b[31m", "ixgbe reader=\x1b[31m",
        "ixgbe kernel=\x1b[31m",
        "ixgbe path=\x9b31m", "ixgbe cost=\u202e", "ixgbe rate=1pps traffic=tcp:66x1@\x1b[31m",
        *(f"ixgbe {key}=\x1b]0;x\x07" for key in ("traffic", "rate", "order", "loss")),
    ],
)  # fmt: skip
def test_control_characters_are_never_echoed(line: str) -> None:
    assert refusal(line).isprintable()


@pytest.mark.parametrize("word", ["loss=0000" + "1" * 5_000 + "%", "order=swap:00002" + "1" * 5_000])
def test_numbers_without_end_are_refused(word: str) -> None:
    refusal("ixgbe " + word)


@pytest.mark.parametrize("word", ["loss=00009999%", "order=swap:000299999", "order=shuffle:0000299999"])
def test_zeros_in_front_hide_no_number_out_of_range(word: str) -> None:
    refusal("ixgbe " + word)


@pytest.mark.parametrize("word", ["traffic=tcp:١٥١٤x12", "rate=٥kpps", "traffic=udp:60x३"])
def test_digits_are_those_of_ascii(word: str) -> None:
    refusal("ixgbe " + word)


KEYS = [*Scenario.__slots__, "capture", "lro", "off"]
VALUES = st.one_of(
    st.text(max_size=20),
    st.from_regex(r"[a-z0-9]{1,6}:[0-9]{1,6}p?x[0-9]{1,9}(@[a-z0-9]{1,8})?", fullmatch=True),
    st.from_regex(r"(swap|shuffle|capture):?[0-9]{0,7}|[0-9]{1,9}(k?pps|mbit|gbit)", fullmatch=True),
    st.from_regex(r"[0-9]{1,4}%|[0-9]{1,3}(,[0-9]{0,3}){0,3}", fullmatch=True),
    st.integers(-10, 10**20).map(str),
)  # fmt: skip
WORD = st.one_of(st.builds("{}={}".format, st.sampled_from(KEYS), VALUES), st.text(max_size=30))


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(WORD, max_size=4).map(lambda words: "ixgbe " + " ".join(words))))
def test_any_text_is_a_scenario_or_one_sentence(line: str) -> None:
    try:
        s = parse_line(line)
    except ScenarioError:
        return
    assert isinstance(s.spec, TrafficSpec)
    assert parse_line(s.line()) == s


# ---------------------------------------------------------------------------------------------------------------- TOML
def test_a_scenario_file_has_the_same_keys() -> None:
    table = {
        "title": "A name", "about": "What it shows.", "driver": "ixgbe", "kernel": "4.19", "ring": 8,
        "traffic": {"kind": "udp:64px30", "rate": "590kpps", "flows": 2}, "reader": 700,
    }  # fmt: skip
    line = "ixgbe kernel=4.19 ring=8 traffic=udp:64px30@590kpps flows=2 reader=700"
    assert from_mapping(table, "f.toml") == parse_line(line)
    assert from_mapping({}, "f.toml") == Scenario()
    assert from_mapping({"traffic": "tcp:66x1"}, "f.toml") == parse_line("ixgbe traffic=tcp:66x1")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"ring": True}, ['"ring"', "text or a number"]),
        ({"ring": [8]}, ['"ring"']),
        ({"ring": 8.0}, ["whole number", "8.0"]),
        ({"traffic": {"kind": {"deep": 1}}}, ['"kind"']),
        ({"rings": 8}, ['did you mean "ring"']),
        ({"driver": "igb7"}, ["igb7"]),
        ({"x\x1b": {"y\x1b[": []}}, ["must be a text or a number"]),
    ],
)
def test_wrong_files_are_one_sentence_that_names_the_file(table: dict[str, object], words: list[str]) -> None:
    with pytest.raises(ScenarioError) as caught:
        from_mapping(table, "wrong.toml")
    said = str(caught.value)
    assert said.startswith("wrong.toml: ")
    assert said.isprintable()
    for word in words:
        assert word in said


# ---------------------------------------------------------------------------------------------------------- arithmetic
@pytest.mark.parametrize(
    ("rate", "size", "ns"),
    [
        ("line", 60, 68),  # 60 + 24 bytes at 10 Gbit/s: 67.2 ns, rounded up
        ("line", 1514, 1231),  # 1230.4
        ("line", 9014, 7231),
        ("590kpps", 106, 1694),
        ("1pps", 60, 10**9),
        ("1000kpps", 1514, 1231),  # faster than the line: the line decides
        ("100mbit", 1514, 121_120),
        ("1gbit", 1514, 12_112),
        ("100gbit", 1514, 1231),
    ],
)
def test_time_between_frames(rate: str, size: int, ns: int) -> None:
    assert frame_ns(rate, size, 10_000_000_000) == ns


@pytest.mark.parametrize(
    ("traffic", "size"),
    [("tcp:1514x1", 1514), ("tcp:1448px1", 1514), ("udp:64px1", 106), ("udp:18px1", 60), ("vxlan:0px1", 116),
     ("tcp6:100px1", 186), ("udp6:100px1", 162), ("tcp:0px1", 66)],
)  # fmt: skip
def test_sizes_of_frames_and_payloads(traffic: str, size: int) -> None:
    assert parse_line(f"ixgbe traffic={traffic}").spec.size == size


def test_traffic_taken_apart() -> None:
    spec = parse_line("ixgbe traffic=udp:64px1000@590kpps flows=3 burst=8 gap=5000 order=shuffle:16 loss=3,7").spec
    assert spec == TrafficSpec(
        "udp", 106, 1000, gap_ns=1694, burst=8, pause_ns=5000, flows=3, shuffle=16, lost=frozenset({3, 7})
    )
    spec = parse_line("ixgbe order=swap:4 loss=5%").spec
    assert (spec.swap, spec.shuffle, spec.loss_percent, spec.lost) == (4, 0, 5, frozenset())
    assert parse_line("ixgbe capture=some.pcap").spec.kind == "capture"


@pytest.mark.parametrize("kernel", NEWER)
def test_legacy_can_be_asked_for(kernel: str) -> None:
    assert make_config(parse_line(f"ixgbe kernel={kernel} path=legacy")).geometry.build_skb is False


@pytest.mark.parametrize(
    ("word", "plain"),
    [("traffic=tcp:000080x01", "traffic=tcp:80x1"), ("reader=0500", "reader=500"), ("rate=05kpps", "rate=5kpps"),
     ("loss=03,007", "loss=3,7"), ("errors=crc@03-007", "errors=crc@3-7"), ("fail=map@007-", "fail=map@7-"),
     ("loss=00", "loss=0"), ("order=swap:02", "order=swap:2")],
)  # fmt: skip
def test_a_run_has_one_line_however_its_numbers_are_written(word: str, plain: str) -> None:
    assert parse_line("ixgbe " + word).line() == parse_line("ixgbe " + plain).line()


def test_memory_of_a_ring_is_bounded() -> None:
    assert "are modelled" in refusal("ixgbe ring=32768 page_size=65536")
    assert parse_line("ixgbe ring=32768 mtu=9000").ring == 32768


def test_a_capture_gets_a_small_ring_wherever_it_is_named() -> None:
    assert parse_line("ixgbe capture=tcp-bulk").ring == 8
    assert parse_line("ixgbe capture=tcp-bulk ring=64").ring == 64


def test_rules_of_gro_are_rules_like_the_others() -> None:
    s = parse_line("ixgbe gro=on off=flip,gro_same_ack,gro_poll_end")
    assert s.off_rules == ("flip", "gro_same_ack", "gro_poll_end")
    assert s.remarks() == []
    assert parse_line("ixgbe off=gro_same_ack").remarks() == ["GRO is off, so rules of GRO make no difference."]
    with pytest.raises(ScenarioError, match=r"gro_same_windo is not a rule, did you mean .gro_same_window"):
        parse_line("ixgbe gro=on off=gro_same_windo")
    with pytest.raises(ScenarioError, match="gro_handler is not a rule"):
        parse_line("ixgbe gro=on off=gro_handler")
