"""From the command to the terminal and back: every way in, every way out, and what is written in between."""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from rxviz.run.timeline import Timeline
from rxviz.run.what import resolve
from rxviz.screens import terminal
from rxviz.screens.app import RxvizApp
from rxviz.screens.terminal import Terminal
from tests.screens.support import opened, text

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
PROGRAM = (
    "import sys; from rxviz.screens.launch import run_app; from rxviz.run.what import resolve; "
    "sys.exit(run_app(resolve(['first-flip'])))"
)
SCREEN, RESTORED = b"\x1b[?1049h", b"\x1b[?1049l"


def on_a_terminal(act: Callable[[int, int], None], program: str = PROGRAM, **environ: str) -> tuple[bytes, int]:
    """Run the app on a pseudo-terminal, act on (process, terminal) once it shows; return all output and the status."""
    import fcntl
    import pty
    import struct
    import termios

    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLORTERM")}
    env = {**clean, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **environ}
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen([sys.executable, "-c", program], stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    output, acted, deadline = b"", False, time.monotonic() + 20
    try:
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.05)[0]:
                try:
                    chunk = os.read(master, 1 << 16)
                except OSError:
                    break
                if not chunk:
                    break
                output += chunk
            if not acted and SCREEN in output and b"^p find" in output:
                acted = True
                act(child.pid, master)
        return output, child.wait(timeout=5)
    finally:
        with suppress(ProcessLookupError):
            child.kill()
        child.wait()
        os.close(master)


def press_q(_: int, master: int) -> None:
    os.write(master, b"q")


def test_q_ends_with_0_and_gives_the_terminal_back() -> None:
    output, status = on_a_terminal(press_q)
    assert status == 0
    assert RESTORED in output


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_ends_with_128_and_its_number_and_gives_the_terminal_back(number: signal.Signals) -> None:
    output, status = on_a_terminal(lambda child, _: os.kill(child, number))
    assert status == 128 + number
    assert RESTORED in output
    assert b"\x1b[?1000l" in output


def colours(output: bytes) -> list[str]:
    """Return the SGR parameters that set a colour."""
    found = []
    for codes in re.findall(rb"\x1b\[([0-9;]*)m", output):
        found += [code for code in codes.decode().split(";") if re.fullmatch("[34][0-8]|9[0-7]|10[0-7]", code)]
    return found


def test_no_color_sends_no_colour_at_all() -> None:
    output, _ = on_a_terminal(press_q, NO_COLOR="1")
    assert colours(output) == []
    assert b"What just happened" in output


def test_an_empty_no_color_means_nothing() -> None:
    output, _ = on_a_terminal(press_q, NO_COLOR="")
    assert b"38;2;" in output


def test_sixteen_colours_are_sent_where_there_are_only_so_many() -> None:
    output, _ = on_a_terminal(press_q, TERM="screen", COLORTERM="")
    assert colours(output) != []
    assert not {"38", "48"} & set(colours(output))


def run_piped(program: str, **environ: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environ}
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=env, stdin=subprocess.DEVNULL
    )


def test_without_a_terminal_no_screen_is_shown_and_textual_is_never_loaded() -> None:
    program = PROGRAM.replace(
        "sys.exit(run_app(resolve(['first-flip'])))",
        "from rxviz.errors import RxvizError\ntry:\n run_app(None)\nexcept RxvizError as error:\n print(error)\n"
        "print('textual' in sys.modules)",
    )
    done = run_piped(program)
    assert done.stdout == "the screens need a terminal, and standard input is none\nFalse\n"


def test_a_dumb_terminal_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tty:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Tty())
    monkeypatch.setattr(sys, "stdout", Tty())
    monkeypatch.setattr(sys, "stderr", Tty())
    assert terminal.why_not({"TERM": "xterm"}) is None
    assert "TERM is dumb" in str(terminal.why_not({"TERM": "dumb"}))


@pytest.mark.parametrize(
    ("environ", "look"),
    [
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, Terminal()),
        ({"TERM": "xterm-256color"}, Terminal()),
        ({"TERM": "screen"}, Terminal(ansi=True)),
        ({"TERM": "linux", "COLORFGBG": "0;15"}, Terminal(ansi=True, light=True)),
        ({"TERM": "xterm", "COLORTERM": "24bit", "COLORFGBG": "15;default;0"}, Terminal()),
        ({"TERM": "xterm-direct", "NO_COLOR": "1"}, Terminal(no_colour=True)),
        ({"TERM": "xterm-kitty", "NO_COLOR": ""}, Terminal()),
        ({"TERM": "xterm-256color", "TEXTUAL_COLOR_SYSTEM": "standard"}, Terminal(ansi=True)),
    ],
)
def test_what_the_environment_says(environ: dict[str, str], look: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getpreferredencoding", lambda _: "UTF-8")
    assert terminal.look(environ) == look
    assert environ.get("NO_COLOR") != ""


def test_a_locale_without_utf_8_gets_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("locale.getpreferredencoding", lambda _: "ANSI_X3.4-1968")
    assert terminal.look({"TERM": "xterm-256color"}).ascii


@pytest.mark.parametrize(
    ("look", "theme", "other"),
    [
        (Terminal(), "rxviz-dark", "rxviz-light"),
        (Terminal(light=True), "rxviz-light", "rxviz-dark"),
        (Terminal(ansi=True), "rxviz-ansi-dark", "rxviz-ansi-light"),
        (Terminal(no_colour=True, ansi=True), "rxviz-no-colour", "rxviz-no-colour"),
    ],
)
async def test_each_terminal_gets_its_theme(look: Terminal, theme: str, other: str) -> None:
    async with opened("first-flip", size=(80, 24), terminal=look) as (app, pilot):
        assert app.theme == theme
        before = text(app)
        await pilot.press("t")
        assert app.theme == other
        await pilot.pause()
        assert text(app) == before


def test_the_app_takes_a_scenario_too() -> None:
    app = RxvizApp(resolve(["first-flip"]))
    assert isinstance(app._what, Timeline)
    assert app._what.scenario.traffic == "tcp:1514x10"
