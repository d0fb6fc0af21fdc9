"""Pages of 8192 bytes and more: a buffer walks from start to end, and no region is used twice."""

from __future__ import annotations

import pytest

from rxviz.model.machine import Machine
from tests.model.harness import PATHS, dark, free_first, kinds, machine, played, settle, sized


def advance(path: str, size: int) -> int:
    """How far a frame moves the offset: what it is charged for, in whole cache lines."""
    if path == "legacy":
        return -(-size // 64) * 64
    return 320 + -(-(64 + size) // 64) * 64


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize(("page_size", "size"), [(8192, 257), (8192, 1000), (8192, 1514), (65536, 1514)])
def test_offsets_and_the_last_that_may_be_posted(kernel: str, path: str, page_size: int, size: int) -> None:
    line = f"ixgbe kernel={kernel} path={path} page_size={page_size} ring=4 refill=1 reader=off rcvbuf=16000000"
    pad = 0 if path == "legacy" else 64
    last = page_size - 2048 if kernel == "4.9" else page_size - 320 - 3072
    expected, offset = [], pad
    while offset <= last:
        expected.append(offset)
        offset += advance(path, size)
    m, steps = played(line, sized([size] * 3 * (len(expected) + 1)))
    written = [step.field("offset") for step in kinds(steps, "nic.dma") if step.page == 0]
    assert written == expected
    posted = [step.field("offset") for step in kinds(steps, "desc.post") if step.page == 0]
    assert posted == expected[1:]
    assert max(posted) <= last
    assert not kinds(steps, "page.flip")
    assert m.ledger.flips == 0
    given_up = [step for step in kinds(steps, "page.give_up") if step.page == 0]
    assert [step.field("offset") for step in given_up] == [offset]
    assert m.ledger.pages_given_up == 3
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_an_exhausted_page_lives_until_its_last_skb_dies(kernel: str, path: str) -> None:
    line = f"ixgbe kernel={kernel} path={path} page_size=8192 ring=4 refill=1 reader=off rcvbuf=1000000"
    m = machine(line, sized([1514] * 24))
    n = 0
    while m.memory.pages[0].slot >= 0:
        n += 1
        settle(m, n)
    page = m.memory.pages[0]
    holders = list(page.users.values())
    assert page.refcount == len(holders) == len(kept(m, path))
    while page.refcount > 1:
        skb = free_first(m)
        assert 0 in m.memory.pages
        assert skb.id not in page.users.values()
    while 0 in m.memory.pages:
        last = free_first(m)
    assert last.id == holders[-1]


def kept(m: Machine, path: str) -> list[int]:
    """The skbs of page 0, from where their bytes lie."""
    pages = ((skb.head_page if path == "build_skb" else skb.frags[0].page) for skb in m.socket.queue)
    return [page.id for page in pages if page.id == 0]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_no_count_test_on_large_pages(kernel: str, path: str) -> None:
    """Skbs that are never freed do not make the driver give a page up before its end."""
    m = machine(f"ixgbe kernel={kernel} path={path} page_size=65536 ring=4 refill=1 reader=off", sized([300] * 60))
    settle(m, 60)
    assert m.ledger.pages_given_up == 0
    assert m.ledger.pages_reused == 60
    assert max(len(page.users) for page in m.memory.pages.values()) == 20


@pytest.mark.parametrize("kernel", ["4.9", "4.11", "4.12", "4.19", "6.18"])
@pytest.mark.parametrize("page_size", [8192, 65536])
def test_a_copied_frame_does_not_move_the_offset(kernel: str, page_size: int) -> None:
    line = f"ixgbe kernel={kernel} path=legacy page_size={page_size} ring=4 refill=1 reader=off"
    m, steps = played(line, sized([60] * 12))
    assert not kinds(steps, "page.walk", "page.flip")
    assert {step.field("offset") for step in kinds(steps, "nic.dma")} == {0}
    assert m.ledger.pages_reused == 12


def test_the_default_ring_is_128_there() -> None:
    m = machine("ixgbe page_size=65536", [])
    assert m.ring.count == 128
    assert sum(page.size for page in m.memory.pages.values()) == 127 * 65536
