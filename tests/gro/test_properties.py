"""What must hold for any frames: nothing lost, nothing changed, order kept, limits kept, and one decision for both ways
of asking."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.kernel.oracle import Setup
from rxviz.kernel.traffic import PLAIN_KINDS, UDP_KINDS, VXLAN_KINDS, random_session
from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.rules import RULES, Kind
from rxviz.run.gro_kernels import gro_kernels
from rxviz.wire.flow import flow_key
from tests.gro.flow import Played, packet, play

CONFIGS = (
    GroConfig(),
    GroConfig(udp_forwarding=True),
    GroConfig(fraglist=True),
    GroConfig(vxlan_ports=frozenset({4789}), udp_gro_ports=frozenset({8000})),
    GroConfig(max_size=200_000, ipv4_max_size=200_000),
    GroConfig(max_size=5000, ipv4_max_size=5000),
)
SESSIONS = st.tuples(
    st.integers(0, 1 << 32),
    st.sampled_from((PLAIN_KINDS, UDP_KINDS, VXLAN_KINDS)),
    st.sampled_from(CONFIGS),
    st.sampled_from(("build_skb", "copied", "legacy")),
    st.sampled_from(gro_kernels()),
    st.integers(1, 63),
)


def _session(seed: int, kinds: tuple[str, ...], length: int) -> list[bytes]:
    return random_session(Random(seed), Setup(), kinds, length).frames


def _overtakers(played: Played) -> set[int]:
    """Frames that left GRO early, which alone may overtake their flow."""
    return {d.frame for d in played.decisions if any(c.rule.kind is Kind.EXIT and not c.passed for c in d.checks)}


@settings(max_examples=150, deadline=None)
@given(SESSIONS)
def test_nothing_is_lost_changed_or_out_of_order(
    case: tuple[int, tuple[str, ...], GroConfig, str, str, int],
) -> None:
    seed, kinds, config, layout, kernel, length = case
    frames = _session(seed, kinds, length)
    played = play(frames, config=config, layout=layout, kernel=kernel, keep_passed=False)
    assert sorted(n for frames_of in played.frames for n in frames_of) == list(range(length))
    for delivered in played.packets:
        assert delivered.frames == sorted(delivered.frames)
        first = frames[delivered.frames[0]]
        if delivered.segs == 1:
            assert delivered.head + delivered.body() == first
            continue
        tails = [frames[n][-_payload(played, n) :] for n in delivered.frames]
        assert delivered.body() == b"".join(tails)
        assert delivered.payload <= delivered.gso_size * delivered.segs
        limit = max(config.max_size, config.ipv4_max_size, 65536)
        assert delivered.payload + len(delivered.head) - 14 < limit + 8
        assert all(slots <= 17 for slots in (delivered.nr_frags, *delivered.list_frags))
    _in_order(frames, played)


def _payload(played: Played, n: int) -> int:
    """Payload bytes of a merged frame: its packet's parts are all as long as the first but for the last."""
    for delivered in played.packets:
        if n in delivered.frames:
            if n == delivered.frames[-1]:
                return delivered.payload - delivered.gso_size * (delivered.segs - 1)
            return delivered.gso_size
    raise AssertionError(n)


def _in_order(frames: list[bytes], played: Played) -> None:
    """Within a flow nothing overtakes but what left early; a flow is what the kernel takes for one: GRO's identity."""
    early = _overtakers(played)
    last: dict[object, int] = defaultdict(lambda: -1)
    for delivered in played.packets:
        if delivered.frames[0] in early:
            continue
        key = (frames[delivered.frames[0]][:14], flow_key(frames[delivered.frames[0]]), delivered.proto)
        if _identity_is_plain(frames[delivered.frames[0]]):
            assert delivered.frames[0] > last[key]
            last[key] = delivered.frames[-1]


def _identity_is_plain(data: bytes) -> bool:
    """Untagged TCP straight in IPv4: there, and only there, the flow key has all that GRO's identity has."""
    return data[12:15] == b"\x08\x00\x45" and len(data) > 54 and data[23] == 6


@settings(max_examples=60, deadline=None)
@given(SESSIONS)
def test_keeping_what_passed_decides_nothing(case: tuple[int, tuple[str, ...], GroConfig, str, str, int]) -> None:
    seed, kinds, config, layout, kernel, length = case
    frames = _session(seed, kinds, length)
    loud = play(frames, config=config, layout=layout, kernel=kernel)
    quiet = play(frames, config=config, layout=layout, kernel=kernel, keep_passed=False)
    for one, other in zip(loud.decisions, quiet.decisions, strict=True):
        assert one[:5] == other[:5]
        assert [check for check in one.checks if not check.passed] == other.checks
    assert [p.head + p.body() for p in loud.packets] == [p.head + p.body() for p in quiet.packets]
    assert [p.left for p in loud.packets] == [p.left for p in quiet.packets]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.binary(min_size=0, max_size=200), max_size=20), st.sets(st.sampled_from(sorted(RULES))), st.data())
def test_no_bytes_and_no_wrong_world_can_break_it(junk: list[bytes], off: set[str], data: st.DataObject) -> None:
    seed = data.draw(st.integers(0, 1000))
    frames = _session(seed, data.draw(st.sampled_from((PLAIN_KINDS, UDP_KINDS, VXLAN_KINDS))), 20)
    heads = [bytes(frame[:40]) + extra for frame, extra in zip(frames, junk, strict=False)]
    mixed = [*junk, *frames, *heads]
    Random(seed).shuffle(mixed)
    config = data.draw(st.sampled_from(CONFIGS))
    played = play([packet(n, frame) for n, frame in enumerate(mixed)], config=config, off=tuple(off))
    assert sorted(n for frames_of in played.frames for n in frames_of) == list(range(len(mixed)))
