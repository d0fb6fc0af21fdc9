from __future__ import annotations

import os
import sys

import pytest

from tests.cli.command import ROOT, assert_clean, assert_one_sentence, environment, rxviz


def test_in_a_pipe_the_workbench_is_its_transcript() -> None:
    ended = rxviz("play", "first-flip")
    assert assert_one_sentence(ended, 0).startswith("the screens need a terminal, and standard input is none")
    assert ended.out == rxviz("trace", "first-flip").out
    assert_clean(ended.out)


def test_play_alone_plays_the_first_flip() -> None:
    assert rxviz("play").out == rxviz("trace", "first-flip").out


def test_in_a_pipe_the_home_screen_is_the_help() -> None:
    ended = rxviz()
    assert_one_sentence(ended, 0)
    assert ended.out == rxviz("--help").out


def test_what_cannot_be_played_is_said_before_any_screen() -> None:
    assert "no such file" in assert_one_sentence(rxviz("play", "nothing-here.pcap"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize(
    ("words", "term", "status", "said"),
    [
        (["play", "first-flip"], "dumb", 0, b"TERM is dumb; here is the run in words"),
        (["play", "assets/captures/README.md"], "xterm", 2, b"rxviz: assets/captures/README.md: "),
    ],
)
def test_on_a_terminal(words: list[str], term: str, status: int, said: bytes) -> None:
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(ROOT)
        os.execve(sys.executable, [sys.executable, "-m", "rxviz", *words], environment(TERM=term))
    seen = b""
    while True:
        try:
            part = os.read(terminal, 65_536)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == status
    assert said in seen
    assert b"\x1b" not in seen
    assert b"Traceback" not in seen
