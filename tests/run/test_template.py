"""Frames from a template are those that rxviz.wire.build makes, byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rxviz.run.template import FIRST_SEQ, FlowTemplate, built
from rxviz.run.traffic_spec import HEADERS, MAX_FRAMES
from rxviz.wire import build
from rxviz.wire.dissect import checksum_verdicts


@pytest.mark.parametrize("kind", sorted(HEADERS))
@given(
    payload=st.integers(0, 80) | st.sampled_from([1447, 1448, 8948]),
    flow=st.integers(0, 1023),
    turn=st.integers(0, MAX_FRAMES) | st.sampled_from([65_535, 65_536]),
    mark=st.integers(0, MAX_FRAMES),
)
@example(payload=0, flow=0, turn=0, mark=0)
@example(payload=1448, flow=0, turn=2_966_166, mark=9_999_999)
def test_a_template_gives_what_the_builder_builds(kind: str, payload: int, flow: int, turn: int, mark: int) -> None:
    seq, ip_id = (FIRST_SEQ + turn * payload) % (1 << 32), turn % (1 << 16)
    frame = FlowTemplate(kind, HEADERS[kind] + payload, flow).frame(turn, mark)
    assert frame == built(kind, build.payload(payload, mark), flow, seq, ip_id)
    assert False not in checksum_verdicts(frame)


@pytest.mark.parametrize("kind", ["udp", "udp6"])
def test_a_udp_checksum_of_zero_is_sent_as_all_ones(kind: str) -> None:
    """Over enough frames the sum does come out as zero, which would say "not computed"."""
    template = FlowTemplate(kind, HEADERS[kind] + 18, 3)
    at = HEADERS[kind] - 2
    fields = {template.frame(turn, turn)[at : at + 2] for turn in range(70_000)}
    assert b"\0\0" not in fields
