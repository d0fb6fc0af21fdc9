"""The fragment cache that skb heads are cut from."""

from __future__ import annotations

import pytest

from rxviz.model.machine import Machine
from tests.model.harness import KERNELS, free_first, machine, settle, sized

HEAD = 640
CHUNK = 32_768
FRAGS = CHUNK // HEAD


def cache(kernel: str) -> Machine:
    return machine(f"ixgbe kernel={kernel} path=legacy ring=4", [])


@pytest.mark.parametrize("kernel", KERNELS)
def test_51_heads_to_a_chunk_and_128_bytes_wasted(kernel: str) -> None:
    m = cache(kernel)
    cut = [m.napi_frags.alloc(HEAD) for _ in range(52)]
    pages = [page.id for page, _ in cut]
    assert FRAGS == 51
    assert CHUNK - FRAGS * HEAD == 128
    assert len(set(pages[:51])) == 1
    assert pages[51] != pages[0]
    assert all(page.size == CHUNK and page.kind == "frag" for page, _ in cut)


@pytest.mark.parametrize("kernel", ["4.9", "4.11", "4.12", "4.19"])
def test_up_to_6_12_a_chunk_is_used_downwards(kernel: str) -> None:
    m = cache(kernel)
    assert [m.napi_frags.alloc(HEAD)[1] for _ in range(51)] == [CHUNK - HEAD * (i + 1) for i in range(51)]


def test_in_6_18_a_chunk_is_used_upwards() -> None:
    m = cache("6.18")
    assert [m.napi_frags.alloc(HEAD)[1] for _ in range(51)] == [HEAD * i for i in range(51)]


@pytest.mark.parametrize(
    ("kernel", "refs"), [("4.9", 32768), ("4.11", 32768), ("4.12", 32768), ("4.19", 32768), ("6.18", 32769)]
)
def test_references_of_a_chunk_are_prepaid(kernel: str, refs: int) -> None:
    m = cache(kernel)
    page, _ = m.napi_frags.alloc(HEAD)
    assert page.refcount == refs
    assert m.napi_frags.bias == refs - 1
    for taken in range(2, 51):
        m.napi_frags.alloc(HEAD)
        assert page.refcount - m.napi_frags.bias == taken


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_chunk_whose_fragments_are_all_free_is_used_again(kernel: str) -> None:
    m = cache(kernel)
    first = [m.napi_frags.alloc(HEAD) for _ in range(51)]
    page = first[0][0]
    m.memory.put(page, 51)
    again = [m.napi_frags.alloc(HEAD) for _ in range(51)]
    assert again == first
    assert page.refcount - m.napi_frags.bias == 51


@pytest.mark.parametrize("kernel", KERNELS)
def test_one_slow_skb_pins_the_whole_chunk(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path=legacy ring=4 refill=1 reader=off", sized([60] * 53))
    settle(m, 1)
    (slow,) = m.socket.queue
    chunk = slow.head_page
    for n in range(2, 52):
        settle(m, n)
        assert m.socket.queue[-1].head_page is chunk
        m.driver.free_skb(m.socket.queue.pop())
    settle(m, 52)
    assert m.socket.queue[-1].head_page is not chunk
    assert chunk.refcount == 1
    assert chunk.id in m.memory.pages
    assert free_first(m) is slow
    assert chunk.id not in m.memory.pages
