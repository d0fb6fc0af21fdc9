from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from rxviz.model.lamps import LAMPS
from tests.cli.command import ROOT, assert_clean, assert_one_sentence, environment, rxviz

SHAPE: dict[str, Any] = {
    "scenario": str,
    "digest": str,
    "model": {"driver": str, "kernel": str, "path": str},
    "steps": int,
    "time_ns": int,
    "frames": {
        "offered": int, "received": int, "delivered": int, "in_flight": int,
        "dropped": {"ring": int, "error": int, "socket": int}, "dropped_by": {"rx_missed_errors": int},
        "in_flight_at": {"nic": int, "ring": int, "gro": int},
    },
    "skbs": {"built": int, "delivered": int, "merged": int, "truesize_total": int, "truesize_max": int},
    "pages": {"allocated": int, "reused": int, "given_up": int, "freed": int, "flips": int},
    "ledger": {
        "bytes_copied": int, "header_parses": int, "skb_heads": int, "sk_buffs": int, "refs_atomic": int,
        "dma_maps": int, "dma_unmaps": int, "sync_cpu_bytes": int, "sync_device_bytes": int, "descriptor_reads": int,
        "tail_writes": int, "csum_bytes": int,
    },
    "cpu_ns": {"irq": int, "softirq": int, "reader": int, "by_operation": dict},
    "napi": {"interrupts": int, "polls": int, "time_squeeze": int},
    "counters": {
        "rx_missed_errors": int, "rx_no_dma_resources": int, "alloc_rx_page_failed": int, "alloc_rx_buff_failed": int,
        "RcvbufErrors": int,
    },
    "lamps": dict,
    "remarks": list,
}  # fmt: skip
"""The contract's object: every key that it names, with its type."""
KNOWN = [
    ("first-flip",), ("legacy", "kernel=4.9"), ("slow-reader",), ("chained",), ("big-pages",), ("tcp-bulk", "ring=64"),
]  # fmt: skip


def check_shape(value: Any, shape: Any, where: str = "") -> None:
    if isinstance(shape, dict):
        for key, inner in shape.items():
            assert key in value, f"{where}.{key} is missing"
            check_shape(value[key], inner, f"{where}.{key}")
        return
    assert type(value) is shape, f"{where} is {value!r}"


@pytest.mark.parametrize("what", KNOWN, ids=" ".join)
def test_json_has_every_key_of_the_contract(what: tuple[str, ...]) -> None:
    ended = rxviz("run", *what, "--json")
    assert (ended.status, ended.err) == (0, "")
    assert ended.out.count("\n") == 1
    outcome = json.loads(ended.out)
    check_shape(outcome, SHAPE)
    frames = outcome["frames"]
    assert frames["offered"] == frames["delivered"] + frames["in_flight"] + sum(frames["dropped"].values())
    assert set(outcome["lamps"].values()) == {0}
    assert all(type(value) is int for value in outcome["cpu_ns"]["by_operation"].values())


@pytest.mark.parametrize("what", KNOWN, ids=" ".join)
def test_the_canonical_line_gives_the_same_run_again(what: tuple[str, ...]) -> None:
    first = json.loads(rxviz("run", *what, "--json", env={"PYTHONHASHSEED": "0"}).out)
    again = json.loads(rxviz("run", first["scenario"], "--json", env={"PYTHONHASHSEED": "4242"}).out)
    assert again == first
    words = json.loads(rxviz("run", *first["scenario"].split(), "--json").out)
    assert words["digest"] == first["digest"]


def test_the_seed_is_part_of_the_run() -> None:
    line = "ixgbe ring=16 traffic=tcp:1514x40 loss=20%"
    outcomes = [json.loads(rxviz("run", line, f"seed={seed}", "--json").out) for seed in (1, 2)]
    assert outcomes[0]["digest"] != outcomes[1]["digest"]


def test_the_table_says_line_digest_remark_and_counts() -> None:
    ended = rxviz("run", "first-flip")
    assert (ended.status, ended.err) == (0, "")
    assert_clean(ended.out)
    lines = ended.out.splitlines()
    assert lines[0] == "ixgbe kernel=6.18 path=build_skb ring=8 mtu=1500 traffic=tcp:1514x10 rate=20kpps"
    outcome = json.loads(rxviz("run", "first-flip", "--json").out)
    assert lines[1] == f"digest {outcome['digest']}"
    assert "the driver's smallest is 64" in " ".join(ended.out.split())
    rows = {" ".join(line[10:42].split()): line[42:].split() for line in lines if line[10:42].strip()}
    assert rows["flips"] == ["10", "1.00"]
    assert rows["bytes synced for the CPU"] == ["15,140", "1,514.00"]
    assert rows["softirq"][-1] == "M"
    assert rows["bytes copied"][-1] != "M"
    assert "counters  all zero" in lines
    assert f"lamps     all {len(LAMPS)} dark" in lines
    assert max(map(len, lines)) <= 80


def test_the_table_names_drops_and_counters() -> None:
    out = rxviz("run", "small-udp").out
    assert "dropped by the socket" in out
    assert "counters  RcvbufErrors 172" in out


def test_the_table_names_lamps_that_are_lit() -> None:
    from rxviz.cli.report import report

    outcome = json.loads(rxviz("run", "first-flip", "--json").out)
    outcome["lamps"]["half_one_owner"] = 3
    assert "lamps     LIT: half_one_owner 3" in list(report(outcome))


def test_no_frame_received_is_no_division() -> None:
    out = rxviz("run", "ixgbe ring=8 traffic=tcp:1514x3 mtu=576").out
    assert "frames    offered                                      3" in out


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}])
def test_the_output_is_the_same_plain_text_everywhere(variables: dict[str, str]) -> None:
    assert rxviz("run", "first-flip", env=variables).out == rxviz("run", "first-flip").out


def test_an_ascii_stream_is_no_reason_to_stop() -> None:
    ended = rxviz("trace", "first-flip", "--why", env={"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert (ended.status, ended.err) == (0, "")
    assert "?" in ended.out


def test_a_reader_that_goes_away_is_no_fault() -> None:
    producer = subprocess.Popen(
        [sys.executable, "-m", "rxviz", "trace", "overrun"], cwd=ROOT, env=environment(), stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    assert producer.stdout is not None
    assert producer.stderr is not None
    producer.stdout.readline()
    producer.stdout.close()
    assert producer.stderr.read() == b""
    producer.stderr.close()
    assert producer.wait(60) == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /dev/full")
@pytest.mark.parametrize("words", [("run", "first-flip"), ("trace", "overrun"), ("--help",)], ids=" ".join)
def test_a_full_disk_is_one_sentence(words: tuple[str, ...]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "rxviz", *words], cwd=ROOT, env=environment(), stdout=full, stderr=subprocess.PIPE,
            text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "No space left" in done.stderr


def test_an_interrupt_is_130() -> None:
    import signal

    process = subprocess.Popen(
        [sys.executable, "-m", "rxviz", "trace", "overrun", "traffic=udp:64px1000000"], cwd=ROOT, env=environment(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        # A test run in the background has the signal ignored, and its children would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert b"Traceback" not in err


def test_progress_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from rxviz.cli import progress

    monkeypatch.setattr(progress, "PATIENCE", 0)
    monkeypatch.setattr(progress, "EVERY", 0)
    with progress.Progress(100) as bar:
        bar.show(50)
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with progress.Progress(100) as bar:
        bar.show(50)
    painted = capsys.readouterr().err
    assert "[############............]  50%  50 of 100 frames" in painted
    assert painted.endswith(" \r")
    assert "\x1b" not in painted


def test_words_that_are_wrong_are_one_sentence() -> None:
    assert "did you mean" in assert_one_sentence(rxviz("run", "ixgbe", "rin=8"))
    assert_one_sentence(rxviz("run"))


def test_pages_of_qede_are_called_in_the_table_what_they_are_called_in_the_workbench() -> None:
    told = rxviz("run", "qede ring=8 traffic=tcp:1514x20").out
    assert "reposted" in told
    assert "used up" in told
    assert "reused" not in told
    assert "reused" in rxviz("run", "ixgbe ring=8 traffic=tcp:1514x20").out
