from __future__ import annotations

from typing import cast

import pytest

from rxviz.model.kernel import IntelRules
from rxviz.run import kernels
from tests.model.harness import KERNELS, NEWER, PATHS, geometry, kinds, played, sized

FROM_4_12 = NEWER[1:]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("mtu", [68, 1500, 1501, 9000, 9710])
def test_legacy_rings_always_have_2k_halves_without_headroom(kernel: str, mtu: int) -> None:
    g = geometry(kernel, "legacy", mtu=mtu)
    assert (g.page, g.half, g.bufsz, g.dma_size, g.pad) == (4096, 2048, 2048, 2048, 0)
    assert not g.build_skb


def test_4_11_builds_in_2k_halves_with_64_bytes_of_headroom() -> None:
    g = geometry("4.11", "build_skb")
    assert (g.page, g.half, g.bufsz, g.pad) == (4096, 2048, 1664, 64)
    assert g.half - g.pad - g.bufsz == 320


@pytest.mark.parametrize("kernel", FROM_4_12)
def test_from_4_12_on_2k_halves_have_192_bytes_of_headroom(kernel: str) -> None:
    g = geometry(kernel, "build_skb")
    assert (g.page, g.half, g.bufsz, g.pad) == (4096, 2048, 1536, 192)
    assert g.half - g.pad - g.bufsz == 320


@pytest.mark.parametrize(("kernel", "pad", "behind"), [("4.11", 64, 960), *((k, 192, 832) for k in FROM_4_12)])
def test_jumbo_frames_get_3k_buffers_in_order_1_pages(kernel: str, pad: int, behind: int) -> None:
    g = geometry(kernel, "build_skb", mtu=9000)
    assert (g.page, g.half, g.bufsz, g.dma_size, g.pad) == (8192, 4096, 3072, 3072, pad)
    assert g.half - g.pad - g.bufsz == behind


@pytest.mark.parametrize("kernel", NEWER)
@pytest.mark.parametrize(("mtu", "page"), [(68, 4096), (1499, 4096), (1500, 4096), (1501, 8192), (1647, 8192)])
def test_3k_buffers_begin_just_past_the_standard_frame(kernel: str, mtu: int, page: int) -> None:
    assert geometry(kernel, "build_skb", mtu=mtu).page == page


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize(("mtu", "max_frame"), [(68, 1518), (1500, 1518), (1501, 1519), (9000, 9018), (9710, 9728)])
def test_the_macs_limit_follows_the_mtu(kernel: str, path: str, mtu: int, max_frame: int) -> None:
    assert geometry(kernel, path, mtu=mtu).max_frame == max_frame


@pytest.mark.parametrize(
    ("kernel", "path", "mtu", "offsets"),
    [
        ("4.9", "legacy", 1500, {0, 2048}),
        *((k, "legacy", 1500, {0, 2048}) for k in NEWER),
        ("4.11", "build_skb", 1500, {64, 2112}),
        *((k, "build_skb", 1500, {192, 2240}) for k in FROM_4_12),
        ("4.11", "build_skb", 9000, {64, 4160}),
        *((k, "build_skb", 9000, {192, 4288}) for k in FROM_4_12),
    ],
)
def test_only_the_two_offsets_of_the_table_are_ever_posted(kernel: str, path: str, mtu: int, offsets: set[int]) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path={path} mtu={mtu} ring=4 refill=1", sized([1514] * 12))
    posted = {step.field("offset") for step in kinds(steps, "desc.post")}
    assert posted == offsets
    written = {step.field("offset") for step in kinds(steps, "nic.dma")}
    assert written == offsets
    assert {page.size for page in m.memory.pages.values() if page.kind == "rx"} == {
        geometry(kernel, path, mtu=mtu).page
    }


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("page_size", [8192, 65536])
@pytest.mark.parametrize("mtu", [1500, 9000])
def test_large_pages_are_order_0_walked_and_never_3k(kernel: str, path: str, page_size: int, mtu: int) -> None:
    g = geometry(kernel, path, page_size, mtu)
    assert (g.page, g.half, g.bufsz) == (page_size, 0, 2048)
    assert g.pad == (64 if path == "build_skb" else 0)
    assert g.last_offset == (page_size - 2048 if kernel == "4.9" else page_size - 320 - 3072)


@pytest.mark.parametrize(
    ("kernel", "ring"), [("4.9", 4096), ("4.11", 4096), ("4.12", 4096), ("4.19", 4096), ("6.18", 32768)]
)
def test_ring_sizes(kernel: str, ring: int) -> None:
    rules = kernels.driver_rules("ixgbe", kernel)
    assert (rules.default_ring, rules.min_ring, rules.max_ring, rules.ring_multiple) == (512, 64, ring, 8)
    assert (rules.rx_buffer_write, rules.rx_hdr_size) == (16, 256)


@pytest.mark.parametrize(
    ("kernel", "start", "low"), [("4.9", 0, 0), ("4.11", 1, 0), ("4.12", 1, 0), ("4.19", 65535, 1), ("6.18", 65535, 1)]
)
def test_prepaid_references(kernel: str, start: int, low: int) -> None:
    rules = cast(IntelRules, kernels.driver_rules("ixgbe", kernel))
    assert (rules.bias_start, rules.bias_max) == (start, 65535)
    assert kernel == "4.9" or rules.bias_low == low
