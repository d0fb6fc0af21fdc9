"""How many bytes are synced, when, and for whom."""

from __future__ import annotations

import pytest

from rxviz.model.machine import Machine
from rxviz.run.trace import Step
from tests.model.harness import KERNELS, NEWER, PATHS, at_once, kinds, machine, played, rx_ring, settle, sized


def syncs(steps: list[Step]) -> list[tuple[int, int]]:
    return [(step.field("offset"), step.field("size")) for step in kinds(steps, "buf.sync")]


def test_4_9_syncs_the_whole_buffer_for_the_cpu() -> None:
    m, steps = played("ixgbe kernel=4.9 ring=64 reader=off", at_once([60, 90, 1514]))
    assert syncs(steps) == [(0, 2048)] * 3
    assert m.ledger.sync_cpu_bytes == 3 * 2048


@pytest.mark.parametrize(("kernel", "path"), PATHS[1:])
def test_from_4_11_on_only_the_frame_is_synced_for_the_cpu(kernel: str, path: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path={path} ring=64 reader=off", at_once([60, 90, 1514]))
    offset = 0 if path == "legacy" else 64 if kernel == "4.11" else 192
    assert syncs(steps) == [(offset, 60), (offset, 90), (offset, 1514)]
    assert m.ledger.sync_cpu_bytes == 60 + 90 + 1514


def test_4_9_syncs_for_the_device_as_the_page_is_recycled_and_maps_with_a_sync() -> None:
    m = machine("ixgbe kernel=4.9 ring=64 reader=off", sized([1514] * 16))
    assert m.ledger.sync_device_bytes == 63 * 4096
    for n in range(1, 16):
        settle(m, n)
        assert m.ledger.sync_device_bytes == 63 * 4096 + n * 2048
    settle(m, 16)
    # Refilling adds nothing.
    assert rx_ring(m).desc_unused() == 0
    assert m.ledger.sync_device_bytes == 63 * 4096 + 16 * 2048


@pytest.mark.parametrize(("kernel", "path"), PATHS[1:])
def test_from_4_11_on_a_buffer_is_synced_for_the_device_as_it_is_posted(kernel: str, path: str) -> None:
    bufsz = 2048 if path == "legacy" else 1664 if kernel == "4.11" else 1536
    m = machine(f"ixgbe kernel={kernel} path={path} ring=64 reader=off", sized([1514] * 16))
    assert m.ledger.sync_device_bytes == 63 * bufsz
    settle(m, 15)
    assert m.ledger.sync_device_bytes == 63 * bufsz
    settle(m, 16)
    assert m.ledger.sync_device_bytes == (63 + 16) * bufsz


@pytest.mark.parametrize("kernel", NEWER)
def test_3k_buffers_are_synced_for_the_device_whole(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} mtu=9000 ring=64", [])
    assert m.ledger.sync_device_bytes == 63 * 3072


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_page_is_unmapped_only_when_it_leaves_the_ring(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=4 refill=1 reader=off", sized([1514] * 6))
    settle(m, 3)
    assert (m.ledger.dma_maps, m.ledger.dma_unmaps) == (3, 0)
    settle(m, 6)
    # Each page gave its second half away too while the first was still held: it is given up, and a new one mapped.
    assert (m.ledger.dma_maps, m.ledger.dma_unmaps) == (6, 3)
    assert m.ledger.pages_given_up == 3
    whole_pages = 3 * 4096 if kernel == "4.9" else 0
    each = 2048 if kernel == "4.9" else 1514
    assert m.ledger.sync_cpu_bytes == 6 * each + whole_pages


# ----------------------------------------------------------------------------------------------- frames of many buffers
def in_order(steps: list[Step], frame: int = 0) -> list[str]:
    """What one frame's buffers go through, with the size of each sync."""
    shown = []
    for step in kinds(steps, "desc.done", "buf.sync", "page.unmap"):
        if step.frame == frame:
            shown.append(step.name + (f" {step.field('size')}" if step.name == "buf.sync" else ""))
    return shown


@pytest.mark.parametrize("kernel", ["4.19", "6.18"])
def test_the_first_buffers_sync_is_put_off_to_the_last(kernel: str) -> None:
    """Hardware may still touch the first buffer's headers until the frame is whole."""
    m, steps = played(f"ixgbe kernel={kernel} mtu=9000 ring=64 reader=off", at_once([9014]))
    assert in_order(steps) == [
        *("desc.done", "desc.done", "buf.sync 3072", "desc.done", "buf.sync 3072", "buf.sync 2870")
    ]
    first, second, third = m.socket.queue[0], *m.socket.queue[0].frags
    assert [step.page for step in kinds(steps, "buf.sync")] == [second.page.id, first.head_page.id, third.page.id]
    assert m.ledger.sync_cpu_bytes == 9014


@pytest.mark.parametrize("kernel", KERNELS)
def test_legacy_puts_the_first_sync_off_too(kernel: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path=legacy mtu=9000 ring=64 reader=off", at_once([9014]))
    last = 2048 if kernel == "4.9" else 822
    assert in_order(steps) == [
        *("desc.done", *("desc.done", "buf.sync 2048") * 3, "desc.done", "buf.sync 2048", f"buf.sync {last}")
    ]
    assert m.ledger.sync_cpu_bytes == 4 * 2048 + last


@pytest.mark.parametrize("kernel", ["4.11", "4.12"])
def test_4_11_and_4_12_sync_the_second_buffer_twice_and_the_first_never(kernel: str) -> None:
    """They look at frags[0] also with build_skb, where that is the second buffer."""
    m, steps = played(f"ixgbe kernel={kernel} mtu=9000 ring=64 reader=off", at_once([9014]))
    skb = m.socket.queue[0]
    pages = [step.page for step in kinds(steps, "buf.sync")]
    assert pages == [skb.frags[0].page.id, skb.frags[0].page.id, skb.frags[1].page.id]
    assert skb.head_page.id not in pages


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_frame_of_two_buffers_comes_through(kernel: str) -> None:
    """When the last buffer is the second there is no fragment yet to look at, right or wrong."""
    m, steps = played(f"ixgbe kernel={kernel} mtu=9000 ring=64 reader=off", at_once([4000]))
    assert m.socket.delivered == 1
    assert len(kinds(steps, "desc.done")) == 2
    assert m.socket.queue[0].payload() == m.socket.queue[0].frame.data


def jumbo_after_holders(kernel: str, path: str) -> tuple[Machine, list[Step]]:
    """A ring of three pages, each with one half in a living skb, and then a frame that needs the other halves."""
    line = f"ixgbe kernel={kernel} path={path} mtu=9000 ring=4 refill=1 reader=off rcvbuf=1000000"
    return played(line, sized([1514] * 3 + [9014]))


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_released_first_page_is_unmapped_once_the_frame_is_whole(kernel: str, path: str) -> None:
    m, steps = jumbo_after_holders(kernel, path)
    names = [step.name for step in steps if step.frame == 3]
    given_up = names.index("page.give_up")
    unmapped = names.index("page.unmap")
    assert "ring.non_eop" in names[given_up:unmapped]
    last = len(names) - 1 - names[::-1].index("desc.done")
    assert last < unmapped
    assert names.count("page.unmap") == 1
    assert m.ledger.dma_unmaps == m.ledger.pages_given_up
    (unmap,) = kinds(steps, "page.unmap")
    skb = m.socket.queue[-1]
    assert unmap.page == (skb.head_page if path == "build_skb" else skb.frags[0].page).id


@pytest.mark.parametrize("kernel", ["4.11", "4.12", "4.19"])
@pytest.mark.parametrize("path", ["legacy", "build_skb"])
def test_up_to_4_19_a_released_first_page_is_unmapped_instead_of_synced(kernel: str, path: str) -> None:
    _, steps = jumbo_after_holders(kernel, path)
    parts = 3 if path == "build_skb" else 5
    assert in_order(steps, 3).count("page.unmap") == 1
    assert sum(name.startswith("buf.sync") for name in in_order(steps, 3)) == parts - 1


def test_6_18_syncs_a_released_first_page_and_then_unmaps_it() -> None:
    _, steps = jumbo_after_holders("6.18", "build_skb")
    assert in_order(steps, 3) == [
        *("desc.done", "desc.done", "buf.sync 3072"),
        *("desc.done", "buf.sync 3072", "page.unmap", "buf.sync 2870"),
    ]


def test_4_9_unmapping_late_syncs_the_whole_page_all_the_same() -> None:
    m, _ = jumbo_after_holders("4.9", "legacy")
    # Three frames, the four further buffers of the long one, and each page given up, whole.
    assert m.ledger.pages_given_up == 3
    assert m.ledger.sync_cpu_bytes == (3 + 4) * 2048 + 3 * 4096


def test_4_19_masks_the_offset_of_the_late_sync_with_4k() -> None:
    """In half B of an 8 KB page that is the wrong half: 4288 & 4095 is 192."""
    m, steps = played("ixgbe kernel=4.19 mtu=9000 ring=4 refill=1", sized([1514] * 3 + [9014]))
    skb_syncs = [step for step in kinds(steps, "buf.sync") if step.frame == 3 and step.slot == -1]
    assert [step.field("offset") for step in skb_syncs] == [192]
    assert m.socket.delivered == 4


@pytest.mark.parametrize("kernel", KERNELS)
def test_both_halves_of_a_page_in_one_frame(kernel: str) -> None:
    """The first buffer's page comes round within the frame and is given up: it is still mapped for the late sync."""
    m, steps = played(f"ixgbe kernel={kernel} path=legacy mtu=9000 ring=4 refill=1 reader=off", at_once([9014]))
    skb = m.socket.queue[0]
    assert skb.frags[0].page is skb.frags[3].page
    names = [(step.name, step.page) for step in kinds(steps, "page.give_up", "page.unmap")]
    first = skb.frags[0].page.id
    assert names.index(("page.give_up", first)) < names.index(("page.unmap", first))
    assert m.ledger.dma_unmaps == m.ledger.pages_given_up
    assert skb.payload() == skb.frame.data
