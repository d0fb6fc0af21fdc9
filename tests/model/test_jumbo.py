"""Frames over several descriptors."""

from __future__ import annotations

import pytest

from rxviz.model.frame import Frame
from tests.model.harness import (
    KERNELS,
    NEWER,
    PATHS,
    at_once,
    dark,
    frame,
    kinds,
    machine,
    played,
    polls,
    rx_ring,
    settle,
    sized,
)


@pytest.mark.parametrize("kernel", NEWER)
def test_9014_bytes_take_three_3k_buffers(kernel: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} mtu=9000 ring=64 reader=off", at_once([9014]))
    written = kinds(steps, "nic.writeback")
    assert [step.field("length") for step in written] == [3072, 3072, 2870]
    assert [step.field("eop") for step in written] == [False, False, True]
    assert [step.field("length") for step in kinds(steps, "desc.done")] == [3072, 3072, 2870]
    assert m.counters()["non_eop_descs"] == 2
    skb = m.socket.queue[0]
    assert (skb.head_len, [frag.size for frag in skb.frags]) == (3072 - 14, [3072, 2870])
    assert skb.truesize == 4352 + 4096 * 2
    assert skb.payload() == skb.frame.data


@pytest.mark.parametrize("kernel", KERNELS)
def test_9014_bytes_take_five_2k_buffers_on_the_legacy_path(kernel: str) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path=legacy mtu=9000 ring=64 reader=off", at_once([9014]))
    written = kinds(steps, "nic.writeback")
    assert [step.field("length") for step in written] == [2048, 2048, 2048, 2048, 822]
    assert [step.field("eop") for step in written] == [False] * 4 + [True]
    assert m.counters()["non_eop_descs"] == 4
    skb = m.socket.queue[0]
    assert (skb.head_len, [frag.size for frag in skb.frags]) == (66 - 14, [1982, 2048, 2048, 2048, 822])
    assert skb.truesize == 896 + 2048 * 5
    assert skb.payload() == skb.frame.data


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_status_bits_come_with_the_last_descriptor_alone(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} mtu=9000 ring=64 itr=1000", at_once([9014]))
    while not m.nic.received:
        m.tick()
    status = [int.from_bytes(m.ring.desc[16 * slot + 8 : 16 * slot + 12], "little") for slot in range(m.nic.rdh)]
    assert status == [0x01] * (m.nic.rdh - 1) + [0x63]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_the_budget_counts_frames_and_not_descriptors(kernel: str, path: str) -> None:
    _, steps = played(f"ixgbe kernel={kernel} path={path} mtu=9000 ring=64 budget=2", at_once([9014] * 5))
    assert [kinds(poll, "poll.end")[0].field("work") for poll in polls(steps)] == [2, 2, 1]


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_begun_frame_is_parked_at_the_next_slot_and_survives_the_poll(kernel: str, path: str) -> None:
    """The NIC runs out of descriptors within the frame, and the driver is kept from refilling for one poll."""
    m = machine(f"ixgbe kernel={kernel} path={path} mtu=9000 ring=4 reader=off", sized([1514, 9014]))
    m.config.refill = 99
    settle(m, 2)
    assert not m.napi.scheduled
    assert rx_ring(m).desc_unused() == 3
    assert [frame.id for frame in m.nic.fifo] == [1]
    parked = {slot: buffer.skb for slot, buffer in enumerate(rx_ring(m).rx_buffer_info) if buffer.skb is not None}
    assert list(parked) == [rx_ring(m).next_to_clean]
    skb = parked[rx_ring(m).next_to_clean]
    assert skb.state == "driver"
    assert skb.len == 2 * (3072 if path == "build_skb" else 2048)
    assert m.counters()["non_eop_descs"] == 2
    assert m.socket.delivered == 1
    m.config.refill = 1
    m.napi.irq_pending = True
    m.run()
    assert m.socket.queue[1] is skb
    assert skb.payload() == skb.frame.data
    assert not any(buffer.skb for buffer in rx_ring(m).rx_buffer_info)
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("ring", [4, 5, 6, 7])
def test_frames_longer_than_what_is_posted_are_taken_in_parts(kernel: str, path: str, ring: int) -> None:
    m, _ = played(
        f"ixgbe kernel={kernel} path={path} mtu=9000 ring={ring} refill={ring - 1} reader=off rcvbuf=1000000",
        at_once([9014] * 6),
    )
    assert [skb.payload() == skb.frame.data for skb in m.socket.queue] == [True] * 6
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_an_error_in_the_last_descriptor_throws_the_whole_frame_away(kernel: str, path: str) -> None:
    long = frame(0, 1_000, 9014, "crc")
    line = f"ixgbe kernel={kernel} path={path} mtu=9000 ring=64 budget=1 reader=off bad_frames=stored"
    m, steps = played(line, [long, *at_once([60, 60])[1:]])
    assert m.driver.drops() == {"rx_crc_errors": 1}
    assert m.counters()["rx_crc_errors"] == m.counters()["rx_errors"] == 1
    assert len(kinds(steps, "frame.discard")) == 1
    assert m.socket.delivered == 1
    # It did not count against the budget of one.
    first = next(iter(polls(steps)))
    assert len(kinds(first, "frame.discard", "skb.deliver")) == 2
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("size", [2047, 2048, 2049, 3071, 3072, 3073, 4096, 4097, 6144, 6145, 9014])
def test_every_byte_arrives_at_the_seams(kernel: str, path: str, size: int) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} mtu=9000 ring=16 reader=off rcvbuf=1000000", sized([size] * 9))
    m.run()
    assert [skb.payload() for skb in m.socket.queue] == [frame_data(i, size) for i in range(9)]
    assert dark(m)


def frame_data(i: int, size: int) -> bytes:
    made: Frame = frame(i, 0, size)
    return made.data
