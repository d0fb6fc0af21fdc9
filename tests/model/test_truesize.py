"""What an skb is charged, in every mode."""

from __future__ import annotations

import pytest

from rxviz.run import kernels
from tests.model.harness import KERNELS, NEWER, at_once, kinds, played


def truesize(line: str, size: int) -> int:
    m, steps = played(f"ixgbe {line} reader=off", at_once([size]))
    (delivered,) = kinds(steps, "skb.deliver")
    charged: int = delivered.field("truesize")
    assert m.socket.charged == m.ledger.truesize_total == m.ledger.truesize_max == charged
    return charged


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [60, 106, 255, 256])
def test_a_copied_frame_is_charged_its_small_head(kernel: str, size: int) -> None:
    assert truesize(f"kernel={kernel} path=legacy", size) == 640 + 256 == 896


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("size", [257, 1000, 1514])
def test_an_attached_frame_is_charged_its_half_too(kernel: str, size: int) -> None:
    assert truesize(f"kernel={kernel} path=legacy", size) == 896 + 2048 == 2944


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(("size", "n"), [(2048, 1), (2049, 2), (4096, 2), (4097, 3), (9014, 5)])
def test_legacy_jumbo_frames_are_charged_each_half(kernel: str, size: int, n: int) -> None:
    assert truesize(f"kernel={kernel} path=legacy mtu=9000", size) == 896 + 2048 * n


@pytest.mark.parametrize("kernel", NEWER)
@pytest.mark.parametrize("size", [60, 256, 257, 1514])
def test_build_skb_charges_the_half_whatever_the_size(kernel: str, size: int) -> None:
    assert truesize(f"kernel={kernel}", size) == 2048 + 256 == 2304


@pytest.mark.parametrize("kernel", NEWER)
@pytest.mark.parametrize(("size", "n"), [(60, 1), (3072, 1), (3073, 2), (6144, 2), (6145, 3), (9014, 3)])
def test_build_skb_jumbo_frames_are_charged_4k_halves(kernel: str, size: int, n: int) -> None:
    assert truesize(f"kernel={kernel} mtu=9000", size) == 4352 + 4096 * (n - 1)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("page_size", [8192, 65536])
@pytest.mark.parametrize(("size", "charged"), [(60, 896), (256, 896), (257, 896 + 320), (1514, 896 + 1536)])
def test_legacy_on_large_pages_is_charged_what_the_frame_takes(
    kernel: str, page_size: int, size: int, charged: int
) -> None:
    assert truesize(f"kernel={kernel} path=legacy page_size={page_size}", size) == charged


@pytest.mark.parametrize("kernel", NEWER)
@pytest.mark.parametrize("page_size", [8192, 65536])
@pytest.mark.parametrize(
    ("size", "region"), [(60, 128), (64, 128), (65, 192), (1472, 1536), (1473, 1600), (1514, 1600)]
)
def test_build_skb_on_large_pages_is_charged_what_the_frame_takes(
    kernel: str, page_size: int, size: int, region: int
) -> None:
    assert truesize(f"kernel={kernel} page_size={page_size}", size) == 320 + region + 256


@pytest.mark.parametrize(("kernel", "charged"), [("4.9", 896 + 2048 + 1024), ("6.18", 896 + 2048 + 1024)])
def test_a_second_buffer_on_large_pages_is_charged_what_it_takes(kernel: str, charged: int) -> None:
    assert truesize(f"kernel={kernel} path=legacy page_size=8192 mtu=9000", 2048 + 1000) == charged


def test_built_frames_of_two_buffers_on_large_pages() -> None:
    # The first buffer is 64 + 2048 and the shared info; the second 64 + 1000, rounded up to 64.
    assert truesize("kernel=6.18 page_size=8192 mtu=9000", 2048 + 1000) == 256 + 320 + 2112 + 1088


@pytest.mark.parametrize("kernel", KERNELS)
def test_skb_truesize_formula(kernel: str) -> None:
    core = kernels.core_rules(kernel)
    assert (core.sk_buff_size, core.shinfo_size, core.shinfo_zeroed) == (256, 320, 32)
    assert core.truesize(256) == 832
    assert core.truesize(2048 - 320) == 2304
    assert core.truesize(4096 - 320) == 4352
    assert core.rmem_default == 256 * core.truesize(256) == 212_992


@pytest.mark.parametrize(
    ("kernel", "head"), [("4.19", 640), ("5.10", 640), ("5.11", 1024), ("6.12", 1024), ("6.14", 640), ("6.18", 640)]
)
def test_the_head_of_a_small_napi_skb_changed_and_changed_back(kernel: str, head: int) -> None:
    core = kernels.core_rules(kernel)
    assert core.napi_head(256) == head
    assert head + core.sk_buff_size == (896 if head == 640 else 1280)
