"""Every real capture through the command line, when the folder is there."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.command import REAL, ROOT, assert_clean, assert_one_sentence, rxviz

needs_real = pytest.mark.skipif(not REAL.is_dir(), reason="the folder of real captures is not here")
FILES = sorted(path.name for path in REAL.glob("*.pcap*")) if REAL.is_dir() else []
REFUSED = {
    "bad-caplen.pcap": "link type 113",
    "bigtcp-ipv4.pcap": "80,066 bytes",
    "bulk-loading.pcap": "link type 0",
    "gso-ipv4-vxlan-ipv4.pcap": "7,106 bytes",
    "heapoverflow-in_checksum.pcap": "262,144 bytes",
    "ieee802.11_exthdr.pcap": "link type 127",
    "linux_dlt_sll2.pcap": "link type 276",
    "mptcp-v1.pcap": "link type 113",
    "payload-syn.pcap": "link type 101",
    "quic-interop-retry.pcap": "link type 9",
    "shb-option-too-long.pcapng": "byte 0: block at byte 0 says 52 bytes",
}
BROKEN_OFF = {
    "pcpp-crash-81dba690.pcap": ("byte 1,043", 11),
    "truncated_dns_2.pcap": ("byte 240", 1),
}


@needs_real
def test_there_are_32() -> None:
    assert len(FILES) == 32
    assert set(FILES) > {*REFUSED, *BROKEN_OFF}


@needs_real
@pytest.mark.parametrize("name", FILES)
def test_each_capture_is_run_or_refused_in_one_sentence(name: str) -> None:
    ended = rxviz("run", str(REAL / name), "--json")
    if name in REFUSED:
        assert REFUSED[name] in assert_one_sentence(ended)
        assert ended.out == ""
        return
    outcome = json.loads(ended.out)
    assert " ring=8 " in outcome["scenario"]
    assert set(outcome["lamps"].values()) == {0}
    frames = outcome["frames"]
    assert frames["offered"] == frames["delivered"] + frames["in_flight"] + sum(frames["dropped"].values())
    if name in BROKEN_OFF:
        place, before = BROKEN_OFF[name]
        sentence = assert_one_sentence(ended)
        assert place in sentence
        assert frames["offered"] == before
        assert outcome["capture"]["problem"]["sentence"] in sentence
        assert f"{outcome['capture']['problem']['offset']:,}" in place
        return
    assert (ended.status, ended.err) == (0, "")
    assert outcome["capture"]["problem"] is None
    assert (frames["offered"] == 0) == (name == "empty.pcap")


@needs_real
def test_gzip_makes_no_difference() -> None:
    plain, packed = (
        json.loads(rxviz("run", str(REAL / f"iso-download.pcap{end}"), "--json").out) for end in ("", ".gz")
    )
    assert plain["digest"] == packed["digest"]


@needs_real
def test_no_packets_is_said_and_is_no_error() -> None:
    ended = rxviz("run", str(REAL / "empty.pcap"))
    assert (ended.status, ended.err) == (0, "")
    assert "this capture holds no packets" in ended.out
    traced = rxviz("trace", str(REAL / "empty.pcap"))
    assert (traced.status, traced.out) == (0, "")
    assert "holds no packets" in traced.err


@needs_real
def test_a_broken_off_capture_is_traced_to_there() -> None:
    ended = rxviz("trace", str(REAL / "truncated_dns_2.pcap"), "--kinds", "wire.arrive")
    assert ended.status == 2
    assert ended.out.count("\n") == 1
    assert ended.err.splitlines()[-1].endswith("the one frame before it went through the model")


def test_the_table_has_the_notes_of_the_capture() -> None:
    out = " ".join(rxviz("run", "udp-64", "reader=fast").out.split())
    assert out.startswith("ixgbe kernel=6.18 path=build_skb ring=64 mtu=1500 traffic=capture:udp-64 digest ")
    mixed = " ".join(rxviz("run", "mixed").out.split())
    assert "Capture: " in mixed
    assert "shorter than 60 bytes" in mixed


def test_any_name_of_a_capture_survives_in_the_canonical_line(tmp_path: Path) -> None:
    source = ROOT / "assets" / "captures" / "mixed.pcap"
    digests = set()
    names: list[str | bytes] = ["a b%20c.pcap", "100%.pcap", "x\x1b[31m\n.pcap", "a@b=c.pcap", "ünï.bin", "tcp-bulk"]
    names.append(b"\xff\xfe.pcap")
    for name in names:
        path = tmp_path / (name if isinstance(name, str) else name.decode(errors="surrogateescape"))
        try:
            shutil.copy(source, path)
        except (OSError, UnicodeError):
            continue  # not every file system takes every name
        given = b"./" + name if isinstance(name, bytes) else f"./{name}"
        first = rxviz("run", given, "--json", cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
        assert first.status == 0, first.err
        outcome = json.loads(first.out)
        assert len(outcome["scenario"].split()) == 6
        assert_clean(outcome["scenario"])
        again = rxviz("run", outcome["scenario"], "--json", cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
        assert json.loads(again.out) == outcome
        digests.add(outcome["digest"])
    assert len(digests) == 1


def test_a_capture_is_known_by_its_bytes_and_not_by_its_name(tmp_path: Path) -> None:
    source = ROOT / "assets" / "captures" / "mixed.pcap"
    shutil.copy(source, tmp_path / "notes.txt")
    (tmp_path / "zipped").write_bytes(gzip.compress(source.read_bytes()))
    assert rxviz("run", str(tmp_path / "notes.txt")).status == 0
    assert rxviz("run", str(tmp_path / "zipped")).status == 0
