"""The oracle itself: one poll a session, what it sees, and that it leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rxviz.kernel.errors import KernelError, refusal
from rxviz.kernel.oracle import KernelGro, Setup, header_in_head, needs_checksum
from rxviz.model.gro.trace import Verdict
from tests.gro.flow import frame, run_of
from tests.kernel.asking import kernel_or_skip

_ROOT = Path(__file__).resolve().parents[2]


def test_a_session_is_certified_and_the_same_each_time() -> None:
    with kernel_or_skip() as kernel:
        results = [kernel.run(run_of(20, size=1448)) for _ in range(5)]
    assert all(result.certified for result in results)
    assert len({tuple((p.frame, p.truesize) for p in result.delivered) for result in results}) == 1
    assert [len(result.delivered) for result in results] == [1] * 5
    if results[0].verdicts is not None:
        assert results[0].verdicts == [Verdict.HELD] + [Verdict.MERGED_FREE] * 17 + [
            Verdict.MERGED,
            Verdict.MERGED_FREE,
        ]


def test_held_over_a_tick_where_no_thread_can_be_pinned() -> None:
    with kernel_or_skip(mode="jiffy") as kernel:
        result = kernel.run(run_of(10))
    assert result.certified
    assert (result.verdicts, result.layouts) == (None, None)
    assert [packet.gso_size for packet in result.delivered] == [100]


def test_all_three_layouts_can_be_made() -> None:
    with kernel_or_skip(Setup(layout="copied")) as kernel:
        chained = kernel.run(run_of(3))
        paged = kernel.run(run_of(3, size=5000), [header_in_head(54)] * 3)
    assert len(chained.delivered) == len(paged.delivered) == 1
    assert paged.delivered[0].linear == 54
    if paged.layouts is not None:
        assert all(layout.nr_frags for layout in paged.layouts)


def test_a_partial_checksum_arrives_as_one() -> None:
    with kernel_or_skip() as kernel:
        result = kernel.run([frame(0, partial=True)], [needs_checksum(34, 16)])
    assert [(p.checksum, p.csum_start, p.csum_offset) for p in result.delivered] == [(1, 34, 16)]


def test_a_session_has_at_most_63_frames() -> None:
    with kernel_or_skip() as kernel, pytest.raises(ValueError, match="1 to 63"):
        kernel.run(run_of(64))


def test_what_is_missing_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os.path, "exists", lambda _: False)
    with pytest.raises(KernelError, match=r"no /dev/net/tun") as caught, KernelGro():
        pass
    assert caught.value.exit_status == 2
    monkeypatch.setattr(sys, "platform", "sunos")
    with pytest.raises(KernelError, match="only a Linux kernel"), KernelGro():
        pass


def test_it_cannot_be_asked_outside_a_with_statement() -> None:
    with pytest.raises(KernelError, match="with statement"):
        KernelGro().run([frame(0)])


def _helpers() -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"rxviz.kernel.worker" in command:
            found.append(pid)
    return found


_ASKS = """
import sys
from rxviz.kernel.oracle import KernelGro
from tests.gro.flow import run_of

print("starts", flush=True)
with KernelGro() as kernel:
    while True:
        kernel.run(run_of(40))
        print("asked", flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("while_it", ["starts", "asked"])
def test_nothing_is_left_behind_when_it_is_interrupted(how: signal.Signals, while_it: str, tmp_path: Path) -> None:
    kernel_or_skip()
    before = set(_helpers())
    script = tmp_path / "asks.py"
    script.write_text(_ASKS)
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    with process:
        assert process.stdout is not None
        while process.stdout.readline() != f"{while_it}\n":
            assert process.poll() is None
        mine = _started_since(before)
        process.send_signal(how)
        process.wait(timeout=30)
        _wait_for_the_end_of(mine)
        assert process.stderr is not None
        said = process.stderr.read()
    assert "worker.py" not in said, "the helper's own faults"
    assert ("Traceback" in said) == (how is signal.SIGINT), "the script itself is interrupted"
    _assert_nothing_left(mine)


def _started_since(before: set[str]) -> set[str]:
    for _ in range(400):
        if mine := set(_helpers()) - before:
            return mine
        time.sleep(0.01)
    raise AssertionError("no helper was started")


def _wait_for_the_end_of(helpers: set[str]) -> None:
    for _ in range(200):
        if not helpers & set(_helpers()):
            return
        time.sleep(0.05)
    raise AssertionError("the helper goes on")


def _assert_nothing_left(helpers: set[str]) -> None:
    assert "rxviz0" not in os.listdir("/sys/class/net")
    assert not [name for name in _instances() if name.removeprefix("rxviz-") in helpers]


def test_a_start_that_is_interrupted_ends_the_helper(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel_or_skip()
    started: list[int] = []

    def interrupted(self: KernelGro, request: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        started.append(self._process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(KernelGro, "_ask", interrupted)
    with pytest.raises(KeyboardInterrupt), KernelGro():
        pass
    assert len(started) == 1
    assert not Path(f"/proc/{started[0]}").exists()


def test_a_helper_that_ends_is_a_sentence() -> None:
    with kernel_or_skip() as kernel:
        assert kernel._process is not None
        kernel._process.kill()
        kernel._process.wait()
        for _ in range(2):
            with pytest.raises(KernelError, match="ended without an answer"):
                KernelGro.run(kernel, [frame(0)])


@pytest.mark.parametrize("input_", ["", '{"mode": ""'])
def test_a_helper_that_nobody_asks_ends_quietly(input_: str) -> None:
    if input_:
        kernel_or_skip()
        input_ = json.dumps(KernelGro()._options()) + "\n"
    reader, writer = os.pipe()
    helper = subprocess.Popen(
        [sys.executable, "-m", "rxviz.kernel.worker"],
        stdin=subprocess.PIPE,
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    os.close(writer)
    os.close(reader)  # whoever asked is gone before the first answer
    _, said = helper.communicate(input_, timeout=30)
    assert (helper.returncode, said) == (0, "")


def test_refusals_say_what_to_do() -> None:
    assert refusal(PermissionError(1, "Operation not permitted", "/dev/net/tun")) == (
        "the kernel cannot be asked: Operation not permitted (/dev/net/tun); run it as root"
    )
    assert "it needs a kernel with tun" in refusal(FileNotFoundError(2, "No such file", "/dev/net/tun"))


def _instances() -> list[str]:
    """Trace instances of the machine, seen from a mount namespace of our own."""
    look = (
        "import os\n"
        "from rxviz.kernel import syscalls\n"
        "syscalls.new_namespaces()\n"
        "syscalls.mount('tracefs', '/sys/kernel/tracing', 'tracefs')\n"
        "print(*os.listdir('/sys/kernel/tracing/instances'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", look],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    return done.stdout.split()
