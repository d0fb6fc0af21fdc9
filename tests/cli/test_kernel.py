"""`rxviz kernel` through the real entry point; skipped where this machine's kernel cannot be asked."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rxviz.cli import kernel_gro, kernel_report
from rxviz.cli.main import status
from rxviz.kernel.btf import VMLINUX
from rxviz.kernel.compare import Comparison
from rxviz.kernel.differential import Compared
from rxviz.kernel.errors import KernelError
from rxviz.kernel.oracle import KernelGro, KernelPacket, KernelResult, Setup
from rxviz.kernel.rcvbuf import Taken
from rxviz.kernel.sizes import Size, Sizes
from rxviz.model.gro.engine import Gro
from rxviz.model.gro.trace import Verdict
from rxviz.run.gro_kernels import gro_rules
from tests.cli.command import ROOT, Ended, assert_clean, assert_one_sentence, environment, rxviz
from tests.cli.test_gro import write
from tests.gro.flow import frame, run_of
from tests.kernel.asking import kernel_or_skip

GOLDEN = Path(__file__).parent / "golden"
UNCERTAIN = "never certain to be one poll"
KEYS = {"ok": bool, "kernel": str, "findings": list, "not_compared": list}
COUNTS = {"sessions": int, "frames": int, "differing": int, "retried": int, "skipped": dict, "compared": list}


def check(value: dict[str, Any], shape: dict[str, type]) -> None:
    for key, kind in shape.items():
        assert type(value[key]) is kind, (key, value[key])


def asked(*words: str) -> Ended:
    """Ask this machine's kernel, or skip the test where it cannot be asked, or is too busy for an answer."""
    kernel_or_skip()
    for _ in range(5):
        ended = rxviz("kernel", *words)
        assert_clean(ended.out)
        if UNCERTAIN not in " ".join(ended.out.split()):
            return ended
    pytest.skip("this machine is too busy for sessions that are certain to be one poll")


@pytest.mark.parametrize("name", ["", "gro", "sizes", "rcvbuf"])
def test_help_is_as_it_was_agreed(name: str) -> None:
    golden = GOLDEN / ("-".join(filter(None, ("kernel", name))) + ".txt")
    assert rxviz("kernel", *filter(None, (name,)), "--help").out == golden.read_text(encoding="utf-8")


def test_a_capture_side_by_side() -> None:
    ended = asked("gro", "mixed")
    assert ended.status == 0, ended
    assert f"Linux {os.uname().release}: 1 poll, 43 frames: no difference" in ended.out
    row = next(line for line in ended.out.splitlines() if line.startswith("19-23 "))
    cells = row.split()[1:]
    assert cells[:4] == cells[4:]
    assert cells[0] == "7,306"
    assert not [line for line in ended.out.splitlines() if len(line) > 80]


def test_json_of_a_capture_has_both_answers(tmp_path: Path) -> None:
    path = write(tmp_path / "two.pcap", [*run_of(70), frame(70, window=1)])
    found = json.loads(asked("gro", path, "--json", "--layout", "copied").out)
    check(found, KEYS | COUNTS)
    assert (found["ok"], found["sessions"], found["frames"], found["findings"]) == (True, 2, 71, [])
    first, second = found["compared"]
    assert len(first["frames"]) == 63
    assert [p["gso_size"] for p in first["model"]] == [p["gso_size"] for p in first["kernel"]]
    assert [p["truesize"] for p in second["model"]] == [p["truesize"] for p in second["kernel"]]
    for entry in first["frames"]:
        assert entry["kernel_verdict"] in (None, entry["verdict"])


def test_what_cannot_be_fed_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "cut.pcap", [*run_of(3)], kept=80)
    ended = asked("gro", path)
    assert ended.status == 2
    assert "Not compared: 3 frames: only a part of the frame was kept" in ended.out
    assert "nothing could be compared" in ended.err


def test_random_sessions() -> None:
    found = json.loads(asked("gro", "--random", "9", "--seed", "3", "--frames", "10", "--json").out)
    check(found, KEYS | COUNTS)
    assert (found["ok"], found["sessions"], found["frames"]) == (True, 9, 90)
    ended = asked("gro", "--random", "2", "--frames", "5")
    assert (ended.status, ended.err) == (0, "")
    assert "2 polls, 10 frames: no difference" in ended.out


def test_a_capture_that_breaks_off_is_compared_up_to_there(tmp_path: Path) -> None:
    path = Path(write(tmp_path / "broken.pcap", run_of(5)))
    path.write_bytes(path.read_bytes()[:-3])
    ended = asked("gro", str(path))
    assert ended.status == 2
    assert "4 frames: no difference" in ended.out
    assert "byte " in assert_one_sentence(ended)


def test_sizes() -> None:
    if not VMLINUX.exists():
        pytest.skip("this kernel has no BTF")
    ended = rxviz("kernel", "sizes")
    assert ended.status in (0, 1)
    assert "sizeof(struct sk_buff)" in ended.out
    found = json.loads(rxviz("kernel", "sizes", "--json").out)
    check(found, KEYS)
    assert found["ok"] == (ended.status == 0)
    assert {"name", "model", "kernel"} <= set(found["sizes"][0])


def test_rcvbuf() -> None:
    ended = asked("rcvbuf", "--rcvbuf", "20000")
    assert ended.status in (0, 1)
    assert "SO_RCVBUF 20,000 became a limit of 40,000 bytes" in ended.out
    found = json.loads(asked("rcvbuf", "--json").out)
    check(found, KEYS)
    assert {"layout", "payload", "truesize", "limit", "model", "kernel"} <= set(found["taken"][0])


def test_all_of_them() -> None:
    ended = asked("--json")
    found = json.loads(ended.out)
    check(found, KEYS)
    assert found["ok"] == (ended.status == 0)
    assert found["gro"]["sessions"] == 96


# ------------------------------------------------------------------------------------------------ without a real kernel
def made_up(frames: list[bytes], *, wrong: str = "", certified: bool = True) -> Compared:
    """A session whose kernel answers as the model does, but for what is `wrong`."""
    from rxviz.kernel.compare import _differences, model_config, model_row, tap_packet

    gro = Gro(gro_rules("6.18"), model_config(Setup(), "6.18"))
    decisions = [gro.receive(tap_packet(n, data, b"", Setup(), None)) for n, data in enumerate(frames)]
    gro.complete_done(len(frames))
    delivered = gro.take()
    packets = []
    for row in map(model_row, delivered):
        packet = KernelPacket(
            row.frame, row.checksum, row.gso_type, 0, row.gso_size, row.csum_start, row.csum_offset, row.truesize, 0
        )
        packets.append(replace(packet, truesize=packet.truesize + 64) if wrong == "truesize" else packet)
    verdicts = [decision.verdict for decision in decisions]
    if wrong == "verdict":
        verdicts[-1] = Verdict.NORMAL
    result = KernelResult(certified, 1, packets[:-1] if wrong == "missing" else packets, None, verdicts)
    return Compared(
        "frame 0", frames, Comparison(decisions, delivered, result, _differences(decisions, delivered, result))
    )


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("truesize", "differs: packet 0: truesize model"),
        ("verdict", "differs: frame 4: model MERGED_FREE, kernel NORMAL"),
        ("missing", "differs: packets delivered: model 1, kernel 0"),
    ],
)
def test_a_difference_is_shown_and_is_status_1(
    wrong: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    compared = made_up(run_of(5), wrong=wrong)

    def answers(*arguments: Any) -> Any:
        arguments[2].kernel = "6.18-test"
        arguments[2].add(compared)
        yield compared

    monkeypatch.setattr(kernel_gro, "capture_sessions", answers)
    monkeypatch.setattr(kernel_gro, "random_sessions", answers)
    path = write(tmp_path / "a.pcap", run_of(5))
    for words in (("kernel", "gro", path), ("kernel", "gro")):
        assert status(words) == 1
        out = capsys.readouterr().out
        assert said in out
        assert "1 poll, 5 frames: 1 differs" in out
        assert status((*words, "--json")) == 1
        found = json.loads(capsys.readouterr().out)
        assert found["ok"] is False
        assert found["findings"][0]["place"] == "frame 0"
        assert len(found["compared"]) == 1
    if wrong == "truesize":
        assert any(line.endswith("<") for line in kernel_report.session(compared))


def test_a_session_that_may_have_been_two_polls_proves_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def answers(*arguments: Any) -> Any:
        compared = made_up(run_of(5), certified=False)
        arguments[2].add(compared)
        yield compared

    monkeypatch.setattr(kernel_gro, "random_sessions", answers)
    assert status(("kernel", "gro", "--json")) == 2
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert (found["ok"], found["differing"], found["findings"]) == (False, 0, [])
    assert (found["sessions"], found["frames"]) == (0, 0)
    assert UNCERTAIN in found["not_compared"][0]
    assert status(("kernel", "gro")) == 2
    assert "nothing compared" in capsys.readouterr().out


def test_other_sizes_and_counts_are_findings() -> None:
    sizes = Sizes("1.0", [Size("a", "bytes", 1, 2), Size("b", "bytes", 1, None)])
    assert not sizes.ok
    found = kernel_report.sizes_json(sizes)
    assert found["findings"] == [{"place": "a", "sentence": "model 1, kernel 2"}]
    assert "Not compared: b" in "\n".join(kernel_report.sizes(sizes))
    taken = [Taken(1, 2304, "copied", 64, 832, 3, 4)]
    assert kernel_report.rcvbuf_json("1.0", taken)["findings"][0]["place"] == "copied payload 64"
    assert "another number" in "\n".join(kernel_report.rcvbuf("1.0", taken))


def test_what_is_missing_is_one_sentence_and_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(self: KernelGro) -> KernelGro:
        raise KernelError("there is no /dev/net/tun")

    monkeypatch.setattr(KernelGro, "__enter__", refuse)
    for words in (("gro",), ("gro", "mixed"), ("gro", "mixed", "--json")):
        assert status(("kernel", *words)) == 2
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", "rxviz: there is no /dev/net/tun\n")
    assert status(("kernel", "--json")) in (1, 2)
    found = json.loads(capsys.readouterr().out)
    assert (found["ok"], found["gro"]) == (False, None)
    assert "gro: there is no /dev/net/tun" in found["not_compared"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("gor",), "No such command 'gor'"),
        (("--json", "sizes"), "--json goes behind sizes"),
        (("gro", "nothing-such"), "is no file"),
        (("gro", "mixed", "--random", "3"), "not both"),
        (("gro", "--layout", "copied"), "--layout goes with a capture"),
        (("gro", "mixed", "--layout", "legacy"), "--layout"),
        (("gro", "--frames", "64"), "at most 63 frames"),
        (("gro", "--random", "0"), "--random"),
        (("rcvbuf", "--rcvbuf", "-1"), "--rcvbuf"),
    ],
)
def test_wrong_words_are_one_sentence(words: tuple[str, ...], said: str) -> None:
    assert said in assert_one_sentence(rxviz("kernel", *words))


@pytest.mark.parametrize("while_it", ["sets up", "runs"])
def test_interrupted_it_ends_with_130_and_leaves_nothing_behind(while_it: str) -> None:
    kernel_or_skip()
    process = subprocess.Popen(
        [sys.executable, "-m", "rxviz", "kernel", "gro", "--random", "100000"],
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        helper = _wait_for_helper(process.pid)
        if while_it == "runs":
            time.sleep(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")
    assert not Path(f"/proc/{helper}").exists()
    assert "rxviz0" not in os.listdir("/sys/class/net")


def _wait_for_helper(parent: int) -> str:
    for _ in range(400):
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        for child in children:
            if b"rxviz.kernel.worker" in Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0"):
                return child
        time.sleep(0.05)
    raise AssertionError("no helper was started")
