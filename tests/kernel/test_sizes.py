"""BTF, the sizes in it, and what a socket's buffer takes."""

from __future__ import annotations

import struct
from collections import deque
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rxviz.kernel.btf import VMLINUX, Btf
from rxviz.kernel.errors import KernelError
from rxviz.kernel.rcvbuf import measure, model_count
from rxviz.kernel.sizes import compare_sizes
from rxviz.model.machine import Machine
from rxviz.model.skb import SkBuff
from rxviz.model.socket import Socket


def _btf(tmp_path: Path) -> Path:
    """A file with `int`, an array of 17 of them, an unnamed union in a struct, and a struct with all."""
    strings = b"\0int\0thing\0frags\0count\0inner\0"
    at = {name: strings.index(name.encode() + b"\0") for name in ("int", "thing", "frags", "count", "inner")}
    types = struct.pack("=IIII", at["int"], 1 << 24, 4, 32)
    types += struct.pack("=III", 0, 3 << 24, 0) + struct.pack("=III", 1, 1, 17)
    types += struct.pack("=III", 0, 5 << 24 | 1, 4) + struct.pack("=III", at["inner"], 1, 0)
    types += struct.pack("=III", at["thing"], 4 << 24 | 3, 76)
    types += struct.pack("=III", at["count"], 1, 0)
    types += struct.pack("=III", 0, 3, 32) + struct.pack("=III", at["frags"], 2, 64)
    header = struct.pack("=HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(strings))
    path = tmp_path / "btf"
    path.write_bytes(header + types + strings)
    return path


def test_sizes_offsets_and_arrays_are_read(tmp_path: Path) -> None:
    btf = Btf(_btf(tmp_path))
    assert btf.size("thing") == 76
    assert btf.offset("thing", "frags") == 8
    assert btf.offset("thing", "inner") == 4
    assert btf.array_length("thing", "frags") == 17
    assert btf.has("thing")
    assert not btf.has("thing", "none")


def test_what_is_not_there_is_a_sentence(tmp_path: Path) -> None:
    btf = Btf(_btf(tmp_path))
    with pytest.raises(KernelError, match="no struct other"):
        btf.size("other")
    with pytest.raises(KernelError, match="no member x"):
        btf.offset("thing", "x")
    with pytest.raises(KernelError, match="no array"):
        btf.array_length("thing", "count")
    with pytest.raises(KernelError, match="does not tell its struct sizes"):
        Btf(tmp_path / "none")
    wrong = tmp_path / "wrong"
    wrong.write_bytes(bytes(40))
    with pytest.raises(KernelError, match="not BTF"):
        Btf(wrong)


@given(st.integers(0, 140))
def test_a_file_that_breaks_off_is_refused_or_read(length: int) -> None:
    whole = _whole()
    path = Path("/dev/null") if not length else None
    cut = SimpleNamespace(stat=lambda: SimpleNamespace(st_size=length), read_bytes=lambda: whole[:length])
    if length < len(whole):
        with pytest.raises(KernelError):
            Btf(path or cast(Path, cut)).size("thing")
    else:
        assert Btf(cast(Path, cut)).size("thing") == 8


def _whole() -> bytes:
    strings = b"\0thing\0"
    types = struct.pack("=III", 1, 4 << 24 | 1, 8) + struct.pack("=III", 0, 1, 0)
    return struct.pack("=HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(strings)) + types + strings


def test_this_kernels_sizes_are_the_models() -> None:
    if not VMLINUX.exists():
        pytest.skip("this kernel has no BTF")
    found = compare_sizes()
    assert found.ok, [size for size in found.sizes if not size.ok]
    assert {size.name: size.model for size in found.sizes}["MAX_SKB_FRAGS"] == 17


@given(
    st.integers(1, 200_000),
    st.integers(1, 5000),
    st.sampled_from(("charged >= limit", "charged > limit", "charged + truesize > limit")),
)
def test_the_count_is_the_sockets_own(limit: int, truesize: int, rule: str) -> None:
    """The formula gives what the model's socket does, datagram by datagram."""
    truesize = max(truesize, limit // 200)
    core = SimpleNamespace(udp_admission=rule, udp_release="at once")
    machine: Any = SimpleNamespace(
        config=SimpleNamespace(rcvbuf=limit, core=core, reader_ns=None, rxcsum=True),
        step=lambda *_: None,
        driver=SimpleNamespace(free_skb=lambda _: None),
    )
    socket = Socket(cast(Machine, machine))
    while not socket.rcvbuf_errors:
        skb: Any = SimpleNamespace(truesize=truesize, frame=None, head_page=None, segs=1, move=lambda _: None)
        socket.enqueue(cast(SkBuff, skb))
    assert isinstance(socket.queue, deque)
    assert socket.delivered == model_count(limit, truesize, rule)


@pytest.mark.parametrize("rcvbuf", [1, 20_000, 106_496])
def test_what_this_kernels_socket_takes(rcvbuf: int) -> None:
    try:
        taken = measure(rcvbuf, (1, 512, 1472))
    except KernelError as reason:
        pytest.skip(str(reason))
    assert [one for one in taken if not one.ok] == []
    assert {one.truesize for one in taken} >= {2176, 2304}
