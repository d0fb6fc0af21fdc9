"""The model against the kernel of this machine: random sessions, the selftest, and every delivered byte.

`RXVIZ_SESSIONS=2000` makes it the long run: that many sessions of 40 frames (about 30 seconds).
"""

from __future__ import annotations

import os
from random import Random

import pytest

from rxviz.kernel import differential
from rxviz.kernel.compare import compare, version_of
from rxviz.kernel.oracle import KernelGro, KernelResult, Setup
from rxviz.kernel.traffic import long_frames, random_session, setups
from rxviz.run.gro_kernels import gro_rules
from tests.gro.flow import frame, sport
from tests.gro.selftest import FAMILIES, cases, frame_of
from tests.kernel.asking import kernel_or_skip

SESSIONS = int(os.environ.get("RXVIZ_SESSIONS", "48"))
SEED = int(os.environ.get("RXVIZ_SEED", "1"))
LENGTH = 40
SETUPS = setups()


@pytest.mark.parametrize("which", range(len(SETUPS)))
def test_random_sessions(which: int) -> None:
    setup, kinds = SETUPS[which]
    with kernel_or_skip(setup) as kernel:
        for number in range(-(-SESSIONS // len(SETUPS))):
            session = random_session(Random(f"{SEED}/{which}/{number}"), setup, kinds, LENGTH)
            outcome = compare(kernel, session.frames, session.headers)
            assert outcome.differences == [], f"seed {SEED}/{which}/{number}"
            assert len(outcome.decisions) == LENGTH


def test_frames_longer_than_a_page() -> None:
    with kernel_or_skip(Setup(layout="copied")) as kernel:
        for number in range(5):
            session = long_frames(Random(f"{SEED}/long/{number}"), LENGTH)
            assert compare(kernel, session.frames, session.headers).differences == []


def test_buckets_by_a_real_hash() -> None:
    with kernel_or_skip(Setup(feed="veth")) as kernel:
        ports: dict[int, list[int]] = {}
        for number in range(3000, 3060):
            alone = kernel.run([frame(0, ports=sport(number))])
            if alone.layouts is None:
                pytest.skip(kernel.problem)
            if alone.certified:  # a flow whose hash picks the second queue goes round GRO
                ports.setdefault(alone.layouts[0].hash & 7, []).append(number)
        spread = [flows[0] for _, flows in sorted(ports.items(), reverse=True)]
        rng = Random(SEED)
        for _ in range(5):
            flows = [rng.choice([port for each in ports.values() for port in each]) for _ in range(12)]
            for chosen in (spread, list(dict.fromkeys(flows))):
                frames = [frame(n, ports=sport(port)) for n in range(3) for port in chosen]
                outcome = compare(kernel, frames)
                assert outcome.differences == []
        buckets = [packet.packet.hash & 7 for packet in compare(kernel, frames).delivered if packet.segs > 1]
        assert buckets == sorted(buckets)


def test_without_a_pinned_thread() -> None:
    setup, kinds = SETUPS[0]
    with kernel_or_skip(setup, mode="jiffy") as kernel:
        session = random_session(Random(SEED), setup, kinds, 20)
        assert compare(kernel, session.frames, session.headers).differences == []


@pytest.mark.parametrize("family", FAMILIES)
def test_the_selftest_cases(family: str) -> None:
    with kernel_or_skip() as kernel:
        for name, (packets, _) in cases(family).items():
            frames = [frame_of(family, changes) for changes in packets]
            assert compare(kernel, frames).differences == [], name


def test_the_kernels_version_is_one_that_the_model_knows() -> None:
    with kernel_or_skip() as kernel:
        assert gro_rules(version_of(kernel.release)).max_held == 8
    assert version_of("6.18.44-generic") == "6.18"
    assert version_of("7.0-rc3") == "7.0"


@pytest.mark.parametrize("problem", ["", "no tracepoints"])
def test_only_what_can_be_known_is_compared(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fed: list[tuple[Setup, int]] = []

    class Mute(KernelGro):
        def __enter__(self) -> KernelGro:
            self.problem = problem
            return self

        def run(self, frames: list[bytes], headers: list[bytes] | None = None) -> KernelResult:
            fed.append((self.setup, max(map(len, frames))))
            return KernelResult(True, 1, [], None, None)

    monkeypatch.setattr(differential, "KernelGro", Mute)
    tally = differential.Tally("")
    asked = list(differential.random_sessions(8 * len(SETUPS), SEED, tally, 5))
    assert tally.sessions == len(asked) == len(fed) == (8 * len(SETUPS) if not problem else 8 * (len(SETUPS) - 1))
    assert any(setup.feed == "bridge" for setup, _ in fed) == (not problem)
    assert any(longest > 4096 for _, longest in fed) == (not problem)
