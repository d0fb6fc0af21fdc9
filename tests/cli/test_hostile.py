"""Whatever is typed is done, or refused in one short sentence with exit status 2: no traceback, no words of Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from random import Random

import click
import pytest

from rxviz.cli.main import commands, status
from rxviz.cli.numbers import Whole
from rxviz.cli.say import LONGEST
from rxviz.errors import quoted
from rxviz.model.drivers.table import DRIVERS
from rxviz.run.scenario import Scenario

DIGITS = "9" * 5_000
JUNK = (
    "", "-1", "0", "٣", "１", DIGITS, "9" * 19, "1e3", "0x8", "+5", "1_0", "\x00", "\x1b[31m", "é", "a" * 3_000, "%00",
    "=", ",", "@", "-", "--", "none,none", "\udcff", "nan", " ", "\n", "'", '"', "{0}", "%s", "../..", "*", "on",
    "kernel",
)  # fmt: skip
VALUES = {
    "fail": ("alloc_page@1-", "map@2-5", "alloc_skb@2-", "stall_cpu@5+900", "alloc_page@0", "stall_cpu@9", "nope@1"),
    "errors": ("crc@0-", "length@1", "crc@3-1", "crc@0,crc@0", "nope@1"),
    "patches": ("none", "all", "1-3,12", "3-1", "1-", "21"),
    "reader": ("off", "slow@0", "3000@1", "1@9", "@0", "fast@", "999999999999@0"),
    "itr": ("adaptive", "0", "1000000", "1000001"),
    "off": ("flip", "dma,flip", "owner_bit", "tail_limit", "gro_same_ack", "flip,flip"),
    "traffic": ("tcp:1514x9", "udp:64px9", "segs:100p:1,2,1p,2e", "segs:0p:1", "tcp:60x0", "vxlan:200px3"),
    "busy": ("1", "1000", "1001"),
    "gap": ("1", "1000000000000"),
    "burst": ("1", "3"),
    "bad_frames": ("stored", "refused"),
    "gro": ("on",),
    "lro": ("on",),
    "hw_gro": ("on",),
    "ring": ("4", "8", "65"),
}


def said(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What a command that is refused says: one printable line that ends somewhere."""
    assert status(words) == 2
    line = capsys.readouterr().err
    assert line.startswith("rxviz: ")
    assert line.endswith("\n")
    assert line[:-1].isprintable()
    assert len(line) < 900
    for leak in ("Traceback", "fault in rxviz", "Exceeds", "set_int_max", "invalid literal", "Error:"):
        assert leak not in line
    return line.removeprefix("rxviz: ")[:-1]


def numbers(group: click.Group) -> Iterator[tuple[str, click.Parameter]]:
    """Every number that any command takes."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from numbers(command)
        for param in command.params:
            if isinstance(param.type, (click.types.IntParamType, click.types.FloatParamType)):
                yield f"{name} {param.opts[0]}", param


def test_every_number_on_the_command_line_is_read_by_our_own_rule() -> None:
    found = dict(numbers(commands))
    assert len(found) > 10
    assert [name for name, param in found.items() if not isinstance(param.type, Whole)] == []


@pytest.mark.parametrize("number", ["٣", "１６", "+5", " 5", "1_0", "-5", "5.0", "", DIGITS])
def test_a_number_has_digits_and_nothing_else(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["gro", "mixed", "--poll"], ["gro", "mixed", "--max-size"], ["trace", "first-flip", "--to"]):
        assert "it takes a whole number, not " in said([*words, number], capsys)


@pytest.mark.parametrize("key", [field.name for field in fields(Scenario) if field.type == "int"])
def test_a_number_in_a_scenario_may_have_any_length(
    key: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    driver = next(name for name, kind in DRIVERS.items() if key in kind.offers or name == "ixgbe")
    assert f"{key}= takes a whole number" in said(["run", driver, f"{key}={DIGITS}"], capsys)
    file = tmp_path / "s.toml"
    for number in (DIGITS, "0x" + "f" * 5_000, "-" + "9" * 25):
        file.write_text(f'driver = "{driver}"\n{key} = {number}\n')
        assert said(["run", str(file)], capsys).endswith("not a scenario file: a number of more than 64 bits")


@pytest.mark.parametrize(
    "key", ["itr", "reader", "rate", "loss", "order", "traffic", "errors", "fail", "patches", "off"]
)
@pytest.mark.parametrize("value", [DIGITS, f"crc@{DIGITS}", f"stall_cpu@{DIGITS}+{DIGITS}", f"tcp:{DIGITS}x{DIGITS}"])
def test_a_number_within_a_word_may_have_any_length(key: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    said(["run", "ixgbe", f"{key}={value}"], capsys)


@pytest.mark.parametrize(
    ("lane", "shown"),
    [
        ('"ring=64"', """--lane '"ring=64"': unknown key '"ring'"""),
        ('ring="64"', """--lane 'ring="64"': ring= takes a whole number, not '"64"'"""),
        ("ring='64'", """--lane "ring='64'": ring= takes a whole number, not "'64'\""""),
        ("ring=\x1b[31m", '--lane "ring=\\x1b[31m": ring= takes a whole number, not "\\x1b[31m"'),
        ("x" * 5_000, f'--lane "{"x" * 79}…": "{"x" * 39}…" is not key=value'),
        (f"igb rsc=on {'y' * 5_000}", "--lane "),
    ],
)
def test_what_is_wrong_with_a_lane_is_quoted_so_that_one_can_read_it(
    lane: str, shown: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(["compare", "first-flip", "--json", "--lane", lane], capsys).startswith(shown)


def test_quotes_stand_round_a_word_and_not_within_it() -> None:
    assert quoted("flip") == '"flip"'
    assert quoted('a "b"') == "'a \"b\"'"
    assert quoted("a" * 60) == f'"{"a" * 39}…"'
    assert quoted("\x1b\udcff") == '"\\x1b\\udcff"'


@pytest.mark.parametrize(
    "words",
    [
        ["gro", "mixed", "--layout", "x" * 5_000],
        ["gro", "mixed", "--hash", "a b " * 2_000],
        ["gro", "mixed", f"--{'x' * 5_000}"],
        ["x" * 5_000],
        ["learn", "x" * 5_000],
        ["lessons", "x" * 5_000],
        ["lessons", "check", "x" * 5_000],
        ["progress", "export", "x" * 5_000],
        ["progress", "import", "x" * 5_000],
        ["kernel", "gro", "x" * 5_000],
        ["trace", "first-flip", "--kinds", "x" * 5_000],
        ["trace", "first-flip", "--kinds", ","],
        ["trace", "first-flip", "--frame", DIGITS],
        ["gro", "mixed", "--why", f"{DIGITS},1"],
        ["gro", "mixed", "--kernel", f"6.{DIGITS}"],
        ["gro", "mixed", "--off", "x" * 5_000],
    ],
)
def test_a_sentence_is_short_whatever_was_typed(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    said(words, capsys)


def test_a_name_in_the_environment_does_not_make_a_sentence_endless(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RXVIZ_DATA", "x" * 5_000)
    assert status(["progress", "show"]) == 2
    assert len(capsys.readouterr().err) <= LONGEST + len("rxviz: \n")


def _word(random: Random, key: str) -> str:
    known, odd = random.choice(VALUES.get(key, JUNK)), random.choice(JUNK)
    at = random.randrange(len(known) + 1)
    return f"{key}={random.choice((known, known, known, odd, known[:at] + odd + known[at:]))}"


def _typed(random: Random, keys: list[str]) -> list[str]:
    chosen = random.sample([*VALUES], random.randrange(1, 5)) + random.choices(keys, k=random.choice((0, 0, 1, 2)))
    return [random.choice([*DRIVERS]), *(_word(random, key) for key in chosen)]


@pytest.mark.parametrize("seed", range(120))
def test_random_words_are_done_or_refused(seed: int, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    random = Random(seed)
    keys = [field.name for field in fields(Scenario)]
    words = _typed(random, keys)
    if seed % 3 == 0:
        pairs = [f"driver={words[0]}", *words[1:]]
        lines = [f"{key} = '{value}'\n" for key, _, value in (pair.partition("=") for pair in pairs)]
        file = tmp_path / "s.toml"
        file.write_text("".join(lines), encoding="utf-8", errors="surrogateescape")
        typed = ["run", str(file)]
    elif seed % 3 == 1:
        typed = ["run", *words, "--json"]
    else:
        typed = ["compare", "first-flip", "--json", "--lane", " ".join(_typed(random, keys)[1:])]
    if status(typed) != 0:
        capsys.readouterr()
        said(typed, capsys)
