from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.errors import RxvizError, ScenarioError, shown
from rxviz.run import shipped
from rxviz.run.capture_word import locate, quote, unquote
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.what import MAX_SCENARIO_FILE, resolve

PCAP = b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00" + bytes(8) + b"\xff\xff\x00\x00\x01\x00\x00\x00"


def said(*words: str) -> str:
    """The one sentence with which the words are refused."""
    with pytest.raises(RxvizError) as refused:
        resolve(words)
    sentence = str(refused.value)
    assert sentence.isprintable(), repr(sentence)
    assert len(sentence) < 700
    return sentence


def line_or_sentence(words: list[str]) -> str:
    try:
        return resolve(words).line()
    except RxvizError as refused:
        return str(refused)


# ----------------------------------------------------------------------------------------------------- lines and names
def test_a_line_is_one_argument_or_many() -> None:
    line = "ixgbe ring=8 traffic=tcp:1514x12"
    assert resolve([line]) == resolve(line.split()) == resolve(["ixgbe ring=8", "traffic=tcp:1514x12"])
    assert resolve([line]) == parse_line(line)


@pytest.mark.parametrize("name", shipped.names())
def test_every_name_gives_a_line_that_gives_itself(name: str) -> None:
    scenario = resolve([name])
    assert resolve([scenario.line()]) == scenario
    assert scenario.line().isprintable()


def test_names_are_unique_and_mean_no_file_or_driver() -> None:
    names = shipped.names()
    assert len(set(names)) == len(names)
    assert all("." not in name and "/" not in name for name in names)
    assert "ixgbe" not in names


def test_words_behind_a_name_change_it() -> None:
    base = resolve(["first-flip"])
    assert resolve(["first-flip", "ring=64"]).ring == 64
    assert resolve(["first-flip ring=64"]) == resolve(["first-flip", "ring=64"])
    changed = resolve(["first-flip", "traffic=udp:64px100@line"])
    assert (changed.traffic, changed.rate, changed.ring) == ("udp:64px100", "line", base.ring)
    onto_capture = resolve(["first-flip", "capture=x.pcap"])
    assert (onto_capture.traffic, onto_capture.rate, onto_capture.ring) == ("capture:x.pcap", "line", 8)


def test_a_driver_s_defaults_follow_the_changed_words() -> None:
    assert resolve(["tcp-bulk", "kernel=4.9"]).path == "legacy"


def test_a_shipped_capture_stands_under_its_name() -> None:
    scenario = resolve(["tcp-bulk"])
    assert scenario.line() == "ixgbe kernel=6.18 path=build_skb ring=16 mtu=1500 traffic=capture:tcp-bulk gro=on"
    assert Path(scenario.spec.capture) == shipped.captures()["tcp-bulk"].path


def test_wrong_words_name_the_nearest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "morning.pcap").write_bytes(PCAP)
    assert 'did you mean "first-flip"?' in said("frist-flip")
    assert 'did you mean "ixgbe"?' in said("ixgb")
    assert 'morning.pca: no such file, did you mean "morning.pcap"?' in said("morning.pca")
    assert 'did you mean "morning.pcap"?' in said(f"{tmp_path}/mornin.pcap")
    assert "no such file" in said("no/such/folder/x.pcap")
    assert "starts with a driver" in said("ring=8")
    assert "nothing to play" in said()
    assert "nothing to play" in said(" ")
    assert 'did you mean "ring"?' in said("first-flip", "rin=8")
    assert "first-flip: " not in said("first-flip", "ring=3")


def test_no_stranger_s_name_steers_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("\x1b[2Jx.toml", "\x9b31m.pcap", "\u202egnp.toml", "\udcff.toml"):
        said(name)
        try:
            (tmp_path / name).write_bytes(b"\x00\x01\x02")
        except (OSError, UnicodeError):
            continue
        said(name[:-1])
        said(name, "rin=8")
    said("\0")
    said("x" * 100_000)


@given(st.lists(st.text(max_size=40), max_size=5))
def test_any_words_give_a_scenario_or_a_sentence(words: list[str]) -> None:
    line = line_or_sentence(words)
    assert "\n" not in line
    if line.startswith("ixgbe kernel="):
        assert line_or_sentence([line]) == line


# --------------------------------------------------------------------------------------------------------------- files
def write(folder: Path, text: str | bytes, name: str = "s.toml") -> str:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


def test_a_scenario_file_and_words_behind_it(tmp_path: Path) -> None:
    path = write(tmp_path, 'title = "x"\nring = 16\n[traffic]\nkind = "udp:64px9"\nrate = "20kpps"\n')
    assert resolve([path]) == parse_line("ixgbe ring=16 traffic=udp:64px9 rate=20kpps")
    assert resolve([path, "rate=line", "ring=8"]) == parse_line("ixgbe ring=8 traffic=udp:64px9")
    assert resolve([write(tmp_path, "ring = 32\n", "no ending")]).ring == 32
    at = write(tmp_path, 'traffic = "tcp:1514x2@20kpps"\n', "at.toml")
    assert resolve([at, "rate=line"]) == parse_line("ixgbe traffic=tcp:1514x2")


def test_the_capture_of_a_scenario_file_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path, PCAP, "my capture.pcap")
    path = write(tmp_path, 'capture = "my capture.pcap"\nring = 8\n')
    assert resolve([path]).spec.capture == str(tmp_path / "my capture.pcap")
    assert resolve([write(tmp_path, 'capture = "tcp-bulk"\n', "b.toml")]).traffic == "capture:tcp-bulk"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ring = = 8\n", "line 1: no scenario file in TOML"),
        ("ring = 8\nring = 9\n", "no scenario file in TOML"),
        ("[[[[", "no scenario file in TOML"),
        ("x = " + "[" * 20_000, "s.toml: "),
        ("ring = " + "9" * 5_000 + "\n", "s.toml: not a scenario file: a number of more than 64 bits"),
        ("ring = 0x" + "f" * 5_000 + "\n", "s.toml: not a scenario file: a number of more than 64 bits"),
        ("ring = " + "9" * 500 + "\n", "s.toml: not a scenario file: a number of more than 64 bits"),
        ("title = [{a = 0o" + "7" * 5_000 + "}]\n", "a number of more than 64 bits"),
        ("ring = " + "9" * 17 + "\n", "is out of range: 4 to"),
        ("rin = 8\n", 's.toml: unknown key "rin", did you mean "ring"?'),
        ('"\\u001b[31m" = 8\n', "s.toml: unknown key"),
        ("ring = true\n", '"ring" must be a text or a number'),
        ("ring = [8]\n", '"ring" must be a text or a number'),
        ("ring = 8.5\n", "ring= takes a whole number"),
        ("ring = -8\n", "ring= takes a whole number"),
        ("ring = nan\n", "ring= takes a whole number"),
        ("ring = 1979-05-27\n", "ring= takes a whole number"),
        ('ring = ""\n', '"ring" must be one word'),
        ('kernel = "6.18 path=legacy"\n', '"kernel" must be one word'),
        ('kernel = "6.18\\n"\n', '"kernel" must be one word'),
        ("[a.b]\nc = 1\n", '"b" must be a text or a number'),
        ('driver = "e1000"\n', '"e1000" is not a driver'),
        ("hw_gro = 1\n", "ixgbe does not have this word"),
        ('capture = "x"\ntraffic = "tcp:60x1"\n', "both given"),
        ("# " + "x" * MAX_SCENARIO_FILE, "longer than 65,536 bytes"),
        (b"ring = 8 # \xff\n", "byte 11 is not UTF-8"),
        (b"\x00\x01\x02", "s.toml: "),
        ("", "s.toml: the file is empty"),
        ("just words\n", "line 1: no scenario file in TOML"),
    ],
)
def test_hostile_scenario_files_are_one_sentence(tmp_path: Path, text: str | bytes, words: str) -> None:
    sentence = said(write(tmp_path, text))
    assert words in sentence
    assert "s.toml" in sentence


@given(st.text(max_size=200))
def test_any_text_is_a_scenario_or_a_sentence(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = write(tmp_path_factory.getbasetemp(), text)
    assert "\n" not in line_or_sentence([path])


def test_what_is_no_plain_file_is_one_sentence(tmp_path: Path) -> None:
    assert "is a folder" in said(str(tmp_path))
    (tmp_path / "dangling").symlink_to(tmp_path / "nothing")
    assert "cannot be read (No such file" in said(str(tmp_path / "dangling"))
    (tmp_path / "round").symlink_to(tmp_path / "round")
    assert "cannot be read" in said(str(tmp_path / "round"))
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "is a pipe or a device" in said(str(tmp_path / "pipe"))
    assert "this is text, not a capture" in said(write(tmp_path, "hello\n", "x.pcap"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    path = write(tmp_path, "ring = 8\n")
    Path(path).chmod(0)
    assert "cannot be read (Permission denied)" in said(path)


def test_a_capture_gets_a_small_ring_unless_one_is_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, PCAP, "c")
    assert resolve([path]).ring == 8
    assert resolve([path, "ring=512", "path=legacy"]) == parse_line(f"ixgbe ring=512 path=legacy capture={path}")


# --------------------------------------------------------------------------------------------------- words of captures
@given(st.text())
def test_any_path_is_one_word_and_comes_back(path: str) -> None:
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return  # no file can have this name
    word = quote(path)
    assert unquote(word) == path
    assert word.isprintable()
    assert len(word.split()) <= 1
    assert quote(unquote(word)) == word


def test_a_percent_sign_that_begins_no_escape_is_itself() -> None:
    assert unquote("100%.pcap") == "100%.pcap"
    assert parse_line("ixgbe capture=100%.pcap").line().endswith("traffic=capture:100%25.pcap")
    assert parse_line("ixgbe traffic=capture:a%20b").spec.capture == "a b"


def test_only_a_bare_name_is_that_of_a_shipped_capture() -> None:
    assert Path(locate("mixed")).is_file()
    assert locate("./mixed") == "./mixed"
    assert locate("mixed.pcap") == "mixed.pcap"


def test_shown_is_printable_and_not_endless() -> None:
    assert shown("a\x1b\n\u202e\udcff") == "a\\x1b\\n\\u202e\\udcff"
    assert len(shown("x" * 10_000)) == 200


# -------------------------------------------------------------------------------------------- what each one promises
def outcome(name: str) -> dict[str, dict[str, int]]:
    scenario = resolve([name])
    machine = make_machine(scenario)
    machine.run()
    found = result(scenario, machine)
    assert set(found["lamps"].values()) == {0}
    return found


WRONG = "lro-in-a-bridge"
"""The one scenario with rules off: its lamp goes on."""
PROMISES = {
    "first-flip": lambda r: r["pages"]["flips"] == 10 and r["pages"]["allocated"] == 7 and r["napi"]["polls"] == 10,
    "legacy": lambda r: r["ledger"]["skb_heads"] == 10 and r["ledger"]["header_parses"] == 10,
    "copied-whole": lambda r: r["ledger"]["bytes_copied"] == 2_000 and r["pages"]["flips"] == 0,
    "slow-reader": lambda r: r["pages"]["given_up"] > 0 and r["pages"]["freed"] > 0,
    "small-udp": lambda r: r["frames"]["delivered"] == 28 and r["counters"]["RcvbufErrors"] == 172,
    "chained": lambda r: r["counters"]["non_eop_descs"] == 2 * r["frames"]["delivered"] == 12,
    "big-pages": lambda r: r["pages"]["flips"] == 0 and r["pages"]["given_up"] == 7,
    "before-the-series": lambda r: r["ledger"]["sync_cpu_bytes"] == 2_048 * 10,
    "netperf-2013": lambda r: r["skbs"]["delivered"] < 120 / 5 and r["counters"]["lro_aggregated"] == 0,
    "igb-legacy": lambda r: r["ledger"]["header_parses"] == 10 and r["ledger"]["tail_writes"] == 11,
    "qede-segments": lambda r: r["pages"]["given_up"] == 10 and r["pages"]["reused"] == 14,
    "qede-card-gro": lambda r: r["counters"]["coalesced_events"] == 3 and r["skbs"]["delivered"] == 2,
    "dry-ring": lambda r: r["frames"]["delivered"] == 24 and r["time_ns"] > 2_000_000_000,
    "no-skb": lambda r: r["frames"]["delivered"] == 8 and r["counters"]["alloc_rx_buff_failed"] == 2,
    "cpu-stall": lambda r: r["counters"]["rx_missed_errors"] == 5 and r["frames"]["delivered"] == 23,
    "other-node": lambda r: r["pages"]["given_up"] == 7 and r["pages"]["allocated"] == 14,
    "overrun": lambda r: r["counters"]["rx_missed_errors"] == r["frames"]["dropped"]["ring"] > 1_000,
}


def test_every_shipped_scenario_has_a_promise() -> None:
    assert set(PROMISES) | {WRONG} == set(shipped.scenarios())


@pytest.mark.parametrize("name", PROMISES)
def test_a_shipped_scenario_shows_what_it_says(name: str) -> None:
    entry = shipped.scenarios()[name]
    assert entry.title
    assert entry.about.endswith(".")
    assert PROMISES[name](outcome(name))


def test_a_bridge_that_gets_what_lro_merged_sends_what_nobody_sent() -> None:
    scenario = resolve([WRONG])
    m = make_machine(scenario)
    m.run()
    found = result(scenario, m)
    assert found["forwarded"] == {"sent": 8, "changed": 5, "refused": 0}
    assert {name: count for name, count in found["lamps"].items() if count} == {"sent_as_arrived": 5}
    beside = scenario.with_words(["gro=on", "lro=off", "deliver=napi_gro_receive"])
    m = make_machine(beside)
    m.run()
    assert result(beside, m)["forwarded"] == {"sent": 8, "changed": 0, "refused": 0}


def test_first_flip_and_legacy_see_the_same_frames() -> None:
    first, legacy = resolve(["first-flip"]), resolve(["legacy"])
    assert first == legacy.with_words(["path=build_skb"])


def test_a_scenario_error_is_what_is_raised() -> None:
    with pytest.raises(ScenarioError):
        resolve(["nonsense"])


@pytest.mark.parametrize("capture", ["../x.pcap", "/etc/passwd", "a/../../x.pcap", "/dev/zero"])
@pytest.mark.parametrize("form", ['capture = "{}"', 'traffic = "capture:{}"', '[traffic]\ncapture = "{}"'])
def test_a_scenario_file_cannot_reach_out_of_its_folder(tmp_path: Path, capture: str, form: str) -> None:
    file = tmp_path / "stranger.toml"
    file.write_text(form.format(capture) + "\n")
    with pytest.raises(ScenarioError, match="leads out of the file's folder"):
        resolve([str(file)])


@pytest.mark.parametrize(
    "form", ['capture = "in.pcap"', 'traffic = "capture:in.pcap"', '[traffic]\ncapture = "in.pcap"']
)
def test_a_scenario_files_capture_lies_beside_it(tmp_path: Path, form: str) -> None:
    file = tmp_path / "s.toml"
    file.write_text(form + "\n")
    assert resolve([str(file)]).spec.capture == str(tmp_path / "in.pcap")


def test_a_key_of_thousands_of_parts_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "dots.toml"
    file.write_text("ring = 8\n" + ".".join(["a"] * 30_000) + " = 1\n")
    with pytest.raises(ScenarioError, match=r"line 2: .*dots"):
        resolve([str(file)])


def test_what_is_given_twice_in_a_file_is_said(tmp_path: Path) -> None:
    file = tmp_path / "twice.toml"
    file.write_text("ring = 8\n[a]\nring = 16\n")
    with pytest.raises(ScenarioError, match="given twice"):
        resolve([str(file)])
