from __future__ import annotations

import os
import select
import signal
import sys

import pytest

from tests.cli.command import ROOT, assert_clean, assert_one_sentence, environment, rxviz

PATIENCE = 60
"""Seconds without a word after which a command is taken to hang."""


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
    ended = Terminal(words, TERM=term)
    ended.read_until(None)
    assert ended.status() == status
    assert said in ended.seen
    assert b"\x1b" not in ended.seen
    assert b"Traceback" not in ended.seen


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
@pytest.mark.parametrize("words", [["play", "first-flip"], ["play", "mixed"], []], ids=" ".join)
def test_the_screens_open_and_close(words: list[str]) -> None:
    app = Terminal(words, TERM="xterm-256color")
    app.read_until(b"rxviz")
    app.press(b"q")
    app.read_until(None)
    assert app.status() == 0
    assert app.seen.rstrip().endswith(b"\x1b[?25h") or b"\x1b[?1049l" in app.seen, "the terminal is as it was"
    assert b"Traceback" not in app.seen


class Terminal:
    """The command on a pseudo terminal of 120x40."""

    def __init__(self, words: list[str], **changes: str) -> None:
        import fcntl
        import pty
        import struct
        import termios

        self.seen = b""
        self._child, self._side = pty.fork()
        if self._child == 0:
            os.chdir(ROOT)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
            os.execve(sys.executable, [sys.executable, "-m", "rxviz", *words], environment(**changes))

    def read_until(self, word: bytes | None) -> None:
        """Read until the word was seen, or with None until the command has ended."""
        while word is None or word not in self.seen:
            if not select.select([self._side], [], [], PATIENCE)[0]:
                os.kill(self._child, signal.SIGKILL)
                pytest.fail(f"silent for {PATIENCE} s after {self.seen[-300:]!r}")
            try:
                part = os.read(self._side, 65_536)
            except OSError:  # how Linux says that the other side has gone
                return
            if not part:
                return
            self.seen += part

    def press(self, keys: bytes) -> None:
        os.write(self._side, keys)

    def status(self) -> int:
        os.close(self._side)
        return os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
