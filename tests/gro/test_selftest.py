"""The kernel's own GRO selftest, on the model: expected are the payload lengths of what is delivered, in order."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from rxviz.model.gro.complete import Delivered
from tests.gro.flow import play
from tests.gro.selftest import FAMILIES, V4, cases, frame_of

_FACTS = Path(__file__).resolve().parents[3] / "shared" / "facts" / "gro-selftest-ipv4.json"
ALL = [(family, name) for family in FAMILIES for name in cases(family)]


@pytest.mark.parametrize(("family", "name"), ALL, ids=[f"{name}-{family}" for family, name in ALL])
def test_case(family: str, name: str) -> None:
    packets, expected = cases(family)[name]
    played = play([frame_of(family, changes) for changes in packets])
    lengths = [len(packet.head + packet.body()) for packet in played.packets]
    assert [
        _payload(packet, family, length) for packet, length in zip(played.packets, lengths, strict=True)
    ] == expected


def _payload(packet: Delivered, family: str, length: int) -> int:
    """Reckon as the selftest does: all bytes less the headers, options of either kind too."""
    frame = packet.head + packet.body()
    headers = {"ipv4": 54, "ipv6": 74, "ipip": 74}[family]
    ip_options = ((frame[14] & 15) - 5) * 4 if family in V4 else 0
    if family == "ipip" and (frame[14] & 15) == 5:
        ip_options = ((frame[34] & 15) - 5) * 4
    elif family == "ipip":
        ip_options *= 2
    if family == "ipv6" and frame[20] != 6:
        ip_options = 8
    tcp = headers - 20 + ip_options
    return length - headers - ip_options - ((frame[tcp + 12] >> 4) - 5) * 4


def _shared_cases() -> list[dict[str, Any]]:
    if not _FACTS.exists():
        return []
    found: list[dict[str, Any]] = json.loads(_FACTS.read_text())["cases"]
    return found


def _as_changes(packet: dict[str, Any]) -> dict[str, Any]:
    ip, tcp = packet["ip"][0], packet["tcp"]
    bits = {"FIN": 1, "SYN": 2, "RST": 4, "PSH": 8, "ACK": 16, "URG": 32, "ECE": 64, "CWR": 128}
    return {
        "at": tcp["seq"] - 100,
        "size": packet["payload_len"],
        "ack": tcp["ack"],
        "window": tcp["window"],
        "flags": sum(bits[name] for name in tcp["flags"].split("|")),
        "urgent": tcp.get("urg_ptr", 0),
        "options": bytes.fromhex(tcp.get("options", "")),
        "sum_delta": tcp.get("csum_delta", 0),
        "ports": struct.pack("!HH", tcp["sport"], tcp["dport"]),
        "tos": ip["tos"],
        "ttl": ip["ttl"],
        "ip_id": ip["id"],
        "ip_flags": 0x4000 if ip["df"] else 0,
        "ip_options": bytes.fromhex(ip.get("options", "")),
    }


@pytest.mark.parametrize("case", _shared_cases(), ids=lambda case: str(case["id"]))
def test_the_cases_as_written_down_elsewhere(case: dict[str, Any]) -> None:
    expected = case["expect_payloads"]
    for variant in case.get("expect_payloads_by_kernel", ()):
        if variant.get("applies_to_6_18"):
            expected = variant["expect_payloads"]
    found = []
    for burst in case["bursts"]:
        frames = [
            bytes.fromhex(packet["frame_hex"]) if "frame_hex" in packet else frame_of("ipv4", _as_changes(packet))
            for packet in burst["packets"]
        ]
        for packet in play(frames).packets:
            frame = packet.head + packet.body()
            header = (frame[14] & 15) * 4
            if not frame[14 + header + 13] & 1:
                found.append(len(frame) - 14 - header - (frame[14 + header + 12] >> 4) * 4)
    assert found == expected


def test_the_shared_cases_are_there_or_skipped() -> None:
    if not _FACTS.exists():
        pytest.skip(f"{_FACTS} is not here")
    assert len(_shared_cases()) == 32
