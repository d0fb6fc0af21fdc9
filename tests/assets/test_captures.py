"""The captures made for this project are what the manifest, the README and their names say."""

from __future__ import annotations

import gzip
import hashlib
import importlib.util
import io
import ipaddress
import itertools
import os
import struct
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import dpkt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz import paths

CAPTURES = paths.assets() / "captures"
ENTRIES: dict[str, dict[str, Any]] = {
    entry["name"]: entry for entry in tomllib.loads((CAPTURES / "manifest.toml").read_text(encoding="utf-8"))["capture"]
}
NAMES = ("mixed", "tcp-bulk", "udp-64", "vxlan", "ipv6-tcp", "vlan", "reorder-loss", "jumbo")
OURS = [
    ipaddress.ip_network(net)
    for net in (
        "198.51.100.0/24",
        "203.0.113.0/24",
        "10.0.0.0/8",
        "2001:db8::/32",
        "fe80::/10",
        "ff02::/16",
        "::/128",
    )
]
each = pytest.mark.parametrize("name", NAMES)


@cache
def frames_of(name: str) -> tuple[tuple[Decimal, bytes], ...]:
    path = CAPTURES / ENTRIES[name]["file"]
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    return tuple((stamp, frame) for stamp, frame in dpkt.pcap.Reader(io.BytesIO(data)))


@dataclass(frozen=True)
class Packet:
    """One IP packet of a frame, and its transport part; a tunnel's inner packet comes as another one."""

    vlan: int | None
    source: str
    target: str
    protocol: int
    pseudo: bytes
    header: bytes
    """The IPv4 header, whose sum must be right; empty for IPv6."""
    body: bytes

    @property
    def ports(self) -> tuple[int, int]:
        return struct.unpack_from("!HH", self.body)

    @property
    def tcp_payload(self) -> bytes:
        return self.body[(self.body[12] >> 4) * 4 :]


def packets(frame: bytes) -> Iterator[Packet]:
    vlan, at = None, 12
    if frame[12:14] == b"\x81\x00":
        vlan, at = int.from_bytes(frame[14:16], "big"), 16
    kind, ip = frame[at : at + 2], frame[at + 2 :]
    if kind == b"\x08\x00":
        header, total, protocol = ip[: (ip[0] & 15) * 4], int.from_bytes(ip[2:4], "big"), ip[9]
        body, ends = ip[len(header) : total], (ip[12:16], ip[16:20])
        pseudo = ip[12:20] + struct.pack("!HH", protocol, len(body))
    elif kind == b"\x86\xdd":
        header, protocol, ends = b"", ip[6], (ip[8:24], ip[24:40])
        body = ip[40 : 40 + int.from_bytes(ip[4:6], "big")]
        if protocol == 0:
            protocol, body = body[0], body[8 * (1 + body[1]) :]
        pseudo = ip[8:40] + struct.pack("!II", len(body), protocol)
    else:
        return
    source, target = (str(ipaddress.ip_address(end)) for end in ends)
    yield Packet(vlan, source, target, protocol, pseudo, header, body)
    if protocol == 17 and body[2:4] == (4789).to_bytes(2, "big"):
        yield from packets(body[16:])


def all_packets(name: str) -> list[Packet]:
    return [packet for _, frame in frames_of(name) for packet in packets(frame)]


def tcp_stream(name: str) -> dict[int, bytes]:
    """What each segment brought, by its offset in the stream; the SYN is the first frame."""
    segments = [packet for packet in all_packets(name) if packet.protocol == 6]
    first = int.from_bytes(segments[0].body[4:8], "big")
    assert segments[0].body[13] == 0x02
    return {
        (int.from_bytes(one.body[4:8], "big") - first - 1) % 2**32: one.tcp_payload
        for one in segments
        if one.tcp_payload
    }


def test_manifest_and_folder_hold_the_same_files() -> None:
    assert tuple(ENTRIES) == NAMES
    files = {path.name for path in CAPTURES.iterdir()}
    assert files == {entry["file"] for entry in ENTRIES.values()} | {"README.md", "manifest.toml"}


@each
def test_manifest_agrees_with_the_file(name: str) -> None:
    entry, data = ENTRIES[name], (CAPTURES / ENTRIES[name]["file"]).read_bytes()
    lengths = [len(frame) for _, frame in frames_of(name)]
    assert entry["sha256"] == hashlib.sha256(data).hexdigest()
    assert entry["file_bytes"] == len(data)
    assert (entry["frames"], entry["longest"], entry["wire_bytes"]) == (
        len(lengths),
        max(lengths),
        sum(lengths),
    )


@each
def test_readme_names_the_file_with_its_sum(name: str) -> None:
    readme = (CAPTURES / "README.md").read_text(encoding="utf-8")
    assert f"{ENTRIES[name]['sha256']}  {ENTRIES[name]['file']}" in readme
    assert f"- **{name}**: " in readme


@each
def test_words_for_the_home_screen(name: str) -> None:
    entry = ENTRIES[name]
    assert 0 < len(entry["title"]) <= 40
    assert entry["sentence"].endswith(".")
    assert "\n" not in entry["sentence"]
    assert f"mtu={entry['mtu']}" in entry["scenario"].split()
    assert all(word.count("=") == 1 for word in entry["scenario"].split())


def test_the_files_stay_small() -> None:
    sizes = [entry["file_bytes"] for entry in ENTRIES.values()]
    assert sum(sizes) < 1_200_000
    assert max(sizes) < 300_000


@each
def test_file_header_and_records_are_whole(name: str) -> None:
    data = (CAPTURES / ENTRIES[name]["file"]).read_bytes()
    if data[:2] == b"\x1f\x8b":
        assert data[4:8] == b"\0\0\0\0", "a time in the gzip header makes every packing differ"
        data = gzip.decompress(data)
    assert struct.unpack_from("<IHHiIII", data) == (0xA1B23C4D, 2, 4, 0, 0, 262_144, 1)
    at = 24
    for _ in range(ENTRIES[name]["frames"]):
        _, nanoseconds, held, wire = struct.unpack_from("<IIII", data, at)
        assert nanoseconds < 1_000_000_000
        assert held == wire
        at += 16 + held
    assert at == len(data)


@each
def test_no_frame_is_longer_than_the_mtu_allows(name: str) -> None:
    for _, frame in frames_of(name):
        tag = 4 if frame[12:14] == b"\x81\x00" else 0
        assert len(frame) <= ENTRIES[name]["mtu"] + 14 + tag


@each
def test_stamps_never_go_back(name: str) -> None:
    stamps = [stamp for stamp, _ in frames_of(name)]
    assert stamps == sorted(stamps)
    assert stamps[0] > 0
    assert any(stamp % Decimal("0.000001") for stamp in stamps), "nanoseconds were lost"


@each
def test_every_checksum_is_right(name: str) -> None:
    for number, packet in enumerate(all_packets(name)):
        if packet.header:
            assert dpkt.in_cksum(packet.header) == 0, number
        if packet.protocol == 17:
            assert packet.body[6:8] != b"\0\0", f"packet {number} has no UDP checksum"
        pseudo = b"" if packet.protocol == 1 else packet.pseudo
        assert dpkt.in_cksum(pseudo + packet.body) == 0, number


@each
def test_nobody_is_in_the_files(name: str) -> None:
    for _, frame in frames_of(name):
        assert frame[6:12] == bytes.fromhex("020000000001")
        assert frame[:6] == bytes.fromhex("020000000002") or frame[:2] == b"\x33\x33" or frame[:6] == b"\xff" * 6
    for packet in all_packets(name):
        for end in (packet.source, packet.target):
            assert any(ipaddress.ip_address(end) in net for net in OURS), end
    everything = b"".join(frame for _, frame in frames_of(name)).lower()
    assert not any(word in everything for word in (b"server:", b"python", b"date:"))


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("tcp-bulk", 1448),
        ("vxlan", 1398),
        ("ipv6-tcp", 1428),
        ("vlan", 1448),
        ("reorder-loss", 1448),
        ("jumbo", 8948),
    ],
)
def test_tcp_captures_begin_with_the_handshake_and_full_segments(name: str, segment: int) -> None:
    stream = tcp_stream(name)
    assert stream[0].startswith(b"[chunk 00000] AAA")
    assert max(map(len, stream.values())) == segment
    assert stream[segment].startswith(b"[chunk 00001] BBB")


def test_tcp_bulk_is_one_connection_with_timestamps() -> None:
    segments = all_packets("tcp-bulk")
    assert 1000 <= len(segments) <= 1500
    assert {(one.source, one.target, one.protocol, one.ports) for one in segments} == {
        ("198.51.100.1", "198.51.100.2", 6, (40000, 5001))
    }
    assert all(one.body[20:24] == b"\x01\x01\x08\x0a" for one in segments[1:])


def test_udp_64_is_two_thousand_datagrams() -> None:
    assert [len(frame) for _, frame in frames_of("udp-64")] == [106] * 2000
    assert all(one.body[8:].startswith(b"[datagram %05d] " % n) for n, one in enumerate(all_packets("udp-64")))


def test_vxlan_is_vni_42_on_port_4789() -> None:
    for _, frame in frames_of("vxlan"):
        outer, inner = packets(frame)
        assert (outer.protocol, outer.ports[1], outer.body[8:16]) == (17, 4789, b"\x08\0\0\0\0\0\x2a\0")
        assert (inner.protocol, inner.target) == (6, "203.0.113.2")


def test_ipv6_tcp_is_nothing_else() -> None:
    assert {(len(one.header), one.protocol) for one in all_packets("ipv6-tcp")} == {(0, 6)}
    assert len(all_packets("ipv6-tcp")) == ENTRIES["ipv6-tcp"]["frames"]


def test_vlan_mixes_two_tags_and_none() -> None:
    kinds = {(one.vlan, one.protocol) for one in all_packets("vlan")}
    assert kinds == {(10, 6), (5 << 13 | 20, 17), (None, 17)}
    assert ENTRIES["vlan"]["longest"] == 1518
    changes = sum(a.vlan != b.vlan for a, b in itertools.pairwise(all_packets("vlan")))
    assert changes > 40, "the flows come one after another and not mixed"


def test_reorder_loss_has_late_frames_and_still_the_whole_stream() -> None:
    starts = [int.from_bytes(one.body[4:8], "big") for one in all_packets("reorder-loss")]
    assert sum((b - a) % 2**32 >= 2**31 for a, b in itertools.pairwise(starts)) > 20
    stream, at = tcp_stream("reorder-loss"), 0
    for start in sorted(stream):
        assert start <= at, f"bytes {at} to {start} never came"
        at = max(at, start + len(stream[start]))
    assert at == 1_200_000


def test_jumbo_has_frames_of_9014() -> None:
    assert ENTRIES["jumbo"]["longest"] == 9014
    assert sum(map(len, tcp_stream("jumbo").values())) == 400_000


def test_mixed_has_a_little_of_everything() -> None:
    frames = [frame for _, frame in frames_of("mixed")]
    assert 40 <= len(frames) <= 80
    assert {frame[20:22] for frame in frames if frame[12:14] == b"\x08\x06"} == {b"\0\1", b"\0\2"}
    seen = all_packets("mixed")
    assert {0, 8} == {one.body[0] for one in seen if one.protocol == 1}
    assert {128, 129, 133, 135, 136, 143} <= {one.body[0] for one in seen if one.protocol == 58}
    assert sum(one.protocol == 17 and one.ports[0] == 53 for one in seen) == 2
    page = b"".join(one.tcp_payload for one in seen if one.protocol == 6)
    assert page.startswith(b"HTTP/1.0 200 OK\r\n")
    assert len(page.partition(b"\r\n\r\n")[2]) == 20_000


# The script that records them: what needs neither root nor a network.


@pytest.fixture(scope="module")
def script() -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / "record_captures.py"
    spec = importlib.util.spec_from_file_location("record_captures", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["record_captures"] = module
    spec.loader.exec_module(module)
    return module


def test_script_knows_every_capture_and_its_words(script: ModuleType) -> None:
    told = {one.name: (one.file, one.title, one.sentence, one.scenario, one.mtu) for one in script.SCENES}
    keys = ("file", "title", "sentence", "scenario", "mtu")
    assert told == {name: tuple(entry[key] for key in keys) for name, entry in ENTRIES.items()}


def test_script_refuses_what_it_cannot_do(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    assert script.main(["--out", str(tmp_path / "new")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(script.shutil, "which", lambda tool: None)
    assert script.main(["--out", str(tmp_path / "new")]) == 2
    assert "`ip` and `ethtool` not found" in capsys.readouterr().err
    monkeypatch.setattr(sys, "platform", "darwin")
    assert script.main(["--out", str(tmp_path / "new")]) == 2
    assert "run this on Linux" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        script.main(["--out", str(tmp_path), "no-such-capture"])
    assert list(tmp_path.iterdir()) == []


def test_recording_one_keeps_the_others_and_the_prose(script: ModuleType, tmp_path: Path) -> None:
    for name in ("README.md", "manifest.toml"):
        (tmp_path / name).write_bytes((CAPTURES / name).read_bytes())
    script.update_indexes(tmp_path, [ENTRIES["vlan"]])
    for name in ("README.md", "manifest.toml"):
        assert (tmp_path / name).read_bytes() == (CAPTURES / name).read_bytes()
    script.update_indexes(tmp_path, [ENTRIES["vlan"] | {"frames": 4321}])
    entries = tomllib.loads((tmp_path / "manifest.toml").read_text(encoding="utf-8"))["capture"]
    assert [one["frames"] for one in entries if one["name"] == "vlan"] == [4321]
    assert [one for one in entries if one["name"] != "vlan"] == [e for n, e in ENTRIES.items() if n != "vlan"]
    assert "4,321" in (tmp_path / "README.md").read_text(encoding="utf-8")


@given(st.integers(), st.lists(st.booleans(), max_size=200))
def test_impairment_loses_only_what_it_counts(script: ModuleType, seed: int, sizes: list[bool]) -> None:
    came = [n.to_bytes(2, "big").ljust(1514 if full else 66, b"x") for n, full in enumerate(sizes)]
    impairment = script.Impairment(seed=seed, loss=0.2, late=0.2)
    left = [frame for one in came for frame in impairment(one)] + impairment.release()
    assert len(left) + impairment.dropped == len(came)
    assert set(left) <= set(came)
    assert len(set(left)) == len(left)
    small = [frame for frame in left if len(frame) == 66]
    assert small == [frame for frame in came if len(frame) == 66]
    again = script.Impairment(seed=seed, loss=0.2, late=0.2)
    assert [frame for one in came for frame in again(one)] + again.release() == left


@given(st.integers(0, 5000), st.integers(20, 900))
def test_payload_says_which_chunk_it_is(script: ModuleType, size: int, chunk: int) -> None:
    payload = script.letters(size, chunk)
    assert len(payload) == size
    for number in range(size // chunk):
        assert payload[number * chunk :].startswith(b"[chunk %05d] " % number)
