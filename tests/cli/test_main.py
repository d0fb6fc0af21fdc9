from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rxviz import __version__
from rxviz.cli import main, say
from rxviz.errors import CaptureError
from tests.cli.command import ROOT, assert_one_sentence, environment, rxviz

GOLDEN = Path(__file__).parent / "golden"
HELP = {"rxviz": (), **{name: (name,) for name in ("play", "run", "trace", "lessons", "progress")}}


@pytest.mark.parametrize("option", ["-V", "--version"])
def test_version(option: str) -> None:
    ended = rxviz(option)
    assert (ended.status, ended.out, ended.err) == (0, f"rxviz {__version__}\n", "")


def test_the_installed_command_is_the_same() -> None:
    script = Path(sys.executable).with_name("rxviz")
    if not script.exists():
        pytest.skip("rxviz is not installed in this environment")
    done = subprocess.run(
        [script, "run", "first-flip"], cwd=ROOT, env=environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, rxviz("run", "first-flip").out)


@pytest.mark.parametrize("name", HELP)
def test_help_is_as_it_was_agreed(name: str) -> None:
    ended = rxviz(*HELP[name], "--help")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out == rxviz(*HELP[name], "-h").out
    assert ended.out == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8"), "see CONTRIBUTING.md on the golden texts"


def test_help_names_every_command_and_only_those_that_work() -> None:
    out = rxviz("--help").out
    for name in main.commands.list_commands(main.commands.make_context("rxviz", [])):
        assert f"\n  {name} " in out
        assert rxviz(name, "--help").status == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("rnu",), 'did you mean "run"?'),
        (("first-flip",), 'type "rxviz play first-flip"'),
        (("\x1b]0;x\x07",), "is not a command"),
        (("--frobnicate",), "No such option"),
        (("run", "first-flip", "--jsn"), "--json"),
        (("run",), "Missing argument 'WHAT…'. Try: rxviz run --help"),
        (("trace",), "Missing argument"),
        (("run", "--json"), "Missing argument"),
    ],
)
def test_wrong_usage_is_one_sentence_with_a_hint(words: tuple[str, ...], said: str) -> None:
    assert said in assert_one_sentence(rxviz(*words))


def fail_with(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> int:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("rxviz.run.what.resolve", fail)
    return main.status(["run", "first-flip"])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (CaptureError("a.pcap: byte 7:\n\x1b[2Jbroken"), 2),
        (MemoryError(), 2),
        (PermissionError(13, "Permission denied", "x.toml"), 2),
        (ZeroDivisionError("division by zero"), 70),
        (RecursionError("too deep"), 70),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_way_to_fail_has_its_status(
    error: BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RXVIZ_DEBUG", raising=False)
    monkeypatch.setattr(say, "drop_output", lambda: None)
    assert fail_with(monkeypatch, error) == status
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert err.count("\n") == (0 if status == 130 else 1)
    assert all(letter == "\n" or letter.isprintable() for letter in err)


def test_a_fault_of_ours_asks_for_a_report(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("RXVIZ_DEBUG", "1")
    assert fail_with(monkeypatch, ZeroDivisionError("division by zero")) == 70
    err = capsys.readouterr().err
    assert "Traceback" in err
    assert "please report it" in err.splitlines()[-1]


def test_completion_of_the_shell_answers() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from rxviz.cli.main import main; main()"],
        cwd=ROOT, env=environment(_RXVIZ_COMPLETE="bash_complete", COMP_WORDS="rxviz tr", COMP_CWORD="1"),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "trace" in done.stdout
