"""What merging loses: nothing in an honest GRO; a header or a place where frames that differ are merged."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.kernel.oracle import Setup
from rxviz.kernel.traffic import PLAIN_KINDS, UDP_KINDS, VXLAN_KINDS, random_session
from rxviz.model.gro.complete import Delivered
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.packet import ETH_HLEN
from rxviz.model.gro.undo import Loss, loss
from rxviz.run.gro_kernels import gro_kernels
from rxviz.wire import build
from tests.gro.flow import ACK, CWR, FIN, PSH, URG, frame, play, run_of, sport, stamps

NOTHING, HEADERS, BYTES = Loss(False, False), Loss(False, True), Loss(True, True)
HEAD = 54


def of(*frames: bytes, head: int = HEAD) -> Loss:
    return loss(frames, [head] * len(frames))


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        ({}, NOTHING),
        ({"ack": 2}, HEADERS),
        ({"window": 7}, HEADERS),
        ({"flags": 0}, HEADERS),
        ({"flags": ACK | PSH}, HEADERS),
        ({"flags": ACK | FIN}, HEADERS),
        ({"flags": ACK | CWR}, HEADERS),
        ({"urgent": 5}, NOTHING),
        ({"flags": ACK | URG, "urgent": 5}, HEADERS),
        ({"ip": {"ttl": 3}}, HEADERS),
        ({"ip": {"tos": 3}}, HEADERS),
        ({"ip": {"ip_id": 77}}, HEADERS),
        ({"ports": sport(7)}, BYTES),
        ({"seq": 500}, BYTES),
    ],
    ids=str,
)
def test_one_frame_that_differs(change: dict[str, Any], lost: Loss) -> None:
    assert of(frame(0), frame(1, **change), frame(2)) == lost


def test_only_the_last_may_be_shorter_and_only_it_may_carry_psh_or_fin() -> None:
    assert of(frame(0), frame(1, size=50, seq=101)) == NOTHING
    assert of(frame(0), frame(1, flags=ACK | PSH | FIN)) == NOTHING
    assert of(frame(0), frame(1, size=50, seq=101), frame(2, size=50, seq=151)) == HEADERS
    assert of(frame(0, size=50), frame(1, seq=51)) == HEADERS
    assert of(frame(0), frame(1, size=0, seq=101)) == HEADERS


def test_ids_may_stay_or_count() -> None:
    same = [frame(n, ip={"ip_id": 5}) for n in range(3)]
    assert of(*same) == NOTHING
    assert of(*same[:2], frame(2, ip={"ip_id": 6})) == HEADERS
    wrap = [frame(n, ip={"ip_id": (65_535 + n) & 0xFFFF}) for n in range(3)]
    assert of(*wrap) == NOTHING


def test_bytes_that_are_no_payload() -> None:
    padded = build.pad60(frame(1, size=3, seq=101))
    assert of(frame(0), padded) == BYTES
    assert loss([frame(0), frame(1)], [HEAD, HEAD - 12]) == BYTES


def test_options_and_a_wrong_checksum() -> None:
    assert of(frame(0, options=stamps(1)), frame(1, options=stamps(2)), head=66) == HEADERS
    bad = bytearray(frame(1))
    bad[50] ^= 1
    assert of(frame(0), bytes(bad)) == HEADERS


def _lost(delivered: Delivered) -> Loss:
    own = delivered.packet
    mine = own.len - sum(part.gro_len for part in own.merged)
    whole = [own.mac + own.data[:mine], *(part.mac + part.data[: part.len] for part in own.merged)]
    return loss(whole, [ETH_HLEN + own.data_offset, *(ETH_HLEN + part.data_offset for part in own.merged)])


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 1 << 32),
    st.sampled_from((PLAIN_KINDS, UDP_KINDS, VXLAN_KINDS)),
    st.sampled_from(
        (
            GroConfig(),
            GroConfig(udp_forwarding=True),
            GroConfig(vxlan_ports=frozenset({4789}), udp_gro_ports=frozenset({8000})),
            GroConfig(max_size=200_000, ipv4_max_size=200_000),
        )
    ),
    st.sampled_from(gro_kernels()),
)
def test_honest_gro_loses_nothing(seed: int, kinds: tuple[str, ...], config: GroConfig, kernel: str) -> None:
    frames = random_session(Random(seed), Setup(), kinds, 40).frames
    for delivered in play(frames, config=config, kernel=kernel, keep_passed=False).packets:
        if delivered.segs > 1:
            assert _lost(delivered) == NOTHING


def test_a_long_run_loses_nothing() -> None:
    (merged,) = play(run_of(40)).packets
    assert _lost(merged) == NOTHING
