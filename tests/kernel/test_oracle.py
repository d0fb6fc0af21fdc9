"""The oracle itself: one poll a session, what it sees, and that it leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rxviz.kernel.errors import KernelError
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


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_behind_when_it_is_interrupted(how: signal.Signals, tmp_path: Path) -> None:
    kernel_or_skip()
    before = set(_helpers())
    script = tmp_path / "asks.py"
    script.write_text(
        "from rxviz.kernel.oracle import KernelGro\n"
        "from tests.gro.flow import run_of\n"
        "with KernelGro() as kernel:\n"
        "    print('ready', flush=True)\n"
        "    while True:\n"
        "        kernel.run(run_of(40))\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        mine = set(_helpers()) - before
        assert mine
        process.send_signal(how)
        process.wait(timeout=30)
    for _ in range(200):
        if not mine & set(_helpers()):
            break
        time.sleep(0.05)
    assert not mine & set(_helpers())
    assert "rxviz0" not in os.listdir("/sys/class/net")
    left = _instances()
    assert not [name for name in left if name.removeprefix("rxviz-") in mine]


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
