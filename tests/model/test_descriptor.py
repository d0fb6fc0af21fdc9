"""Descriptors byte by byte: what the driver writes, what the NIC leaves in its place, what tells that it is done."""

from __future__ import annotations

from itertools import pairwise

import pytest

from rxviz.model import descriptor
from tests.model.harness import KERNELS, NEWER, frame, machine, rx_ring, settle


def test_posting_writes_a_little_endian_address_and_leaves_the_other_half() -> None:
    desc = bytearray(b"\xff" * 48)
    descriptor.post(desc, 1, 0x1122334455667788)
    assert desc == b"\xff" * 16 + bytes.fromhex("8877665544332211") + b"\xff" * 24


def test_the_write_back_format_field_by_field() -> None:
    desc = bytearray(b"\xff" * 48)
    descriptor.write_back(desc, 1, 0x0111, 0xA1B2C3D4, 0x80000063, 1514, 0x0123)
    assert desc[:16] == desc[32:] == b"\xff" * 16
    assert desc[16:18] == bytes.fromhex("1101")  # pkt_info: RSS type 1, IPv4 and TCP
    assert desc[18:20] == bytes(2)  # hdr_info
    assert desc[20:24] == bytes.fromhex("d4c3b2a1")  # rss
    assert desc[24:28] == bytes.fromhex("63000080")  # status_error
    assert desc[28:30] == bytes.fromhex("ea05")  # length
    assert desc[30:32] == bytes.fromhex("2301")  # vlan
    assert descriptor.length(desc, 1) == 1514
    assert descriptor.status_error(desc, 1) == 0x80000063


def test_bits() -> None:
    d = descriptor
    assert (d.DD, d.EOP, d.VP, d.L4CS, d.IPCS) == (0x01, 0x02, 0x08, 0x20, 0x40)
    assert (d.CE, d.LE, d.PE, d.OSE, d.USE) == (0x01000000, 0x02000000, 0x08000000, 0x10000000, 0x20000000)
    assert (d.TCPE, d.IPE) == (0x40000000, 0x80000000)
    assert d.IXGBE_BITS.frame == 0x3B000000
    assert d.IXGBE_BITS.flag_names(0x80000063) == ["DD", "EOP", "L4CS", "IPCS", "IPE"]
    assert d.IXGBE_BITS.flag_names(0) == []


def test_clearing_touches_only_its_own_bytes() -> None:
    desc = bytearray(range(16)) * 2
    descriptor.clear_length(desc, 1)
    assert desc[16:] == bytes([*range(12), 0, 0, 14, 15])
    desc = bytearray(range(16)) * 2
    descriptor.clear_status(desc, 0)
    assert desc[:16] == bytes([*range(8), 0, 0, 0, 0, *range(12, 16)])


def test_the_structured_view_is_the_same_memory() -> None:
    desc = bytearray(4 * 16)
    view = descriptor.structured(desc)
    assert view.shape == (4,)
    assert view.dtype.itemsize == 16
    descriptor.post(desc, 2, 0x1_0000_10C0)
    assert view["pkt_addr"][2] == 0x1_0000_10C0
    assert view["hdr_addr"][2] == 0
    descriptor.write_back(desc, 2, 0x0211, 0xDEADBEEF, 0x23, 1514, 7)
    row = view[2]
    assert [int(row[name]) for name in ("pkt_info", "hdr_info", "rss", "status_error", "length", "vlan")] == [
        *(0x0211, 0, 0xDEADBEEF, 0x23, 1514, 7)
    ]
    # The address is gone: its bytes are packet type and hash now.
    assert int(row["pkt_addr"]) == 0xDEADBEEF_0000_0211
    view["length"][2] = 60
    assert descriptor.length(desc, 2) == 60


@pytest.mark.parametrize("kernel", KERNELS)
def test_posted_addresses_are_the_pages_bus_address_and_its_offset(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} ring=8", [])
    view = descriptor.structured(m.ring.desc)
    for slot in range(7):
        buffer = rx_ring(m).rx_buffer_info[slot]
        assert buffer.page is not None
        assert int(view["pkt_addr"][slot]) == buffer.page.dma + buffer.page_offset
        assert int(view["hdr_addr"][slot]) == 0
    assert rx_ring(m).rx_buffer_info[7].page is None


def test_pages_never_share_bus_addresses() -> None:
    m = machine("ixgbe ring=64 mtu=9000", [])
    spans = sorted((page.dma, page.dma + page.size) for page in m.memory.pages.values())
    assert len(spans) == 63
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize("kernel", KERNELS)
def test_write_back_destroys_the_address(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} ring=8 itr=1000", [frame(0, 1_000)])
    while not m.nic.received:
        m.tick()
    raw = bytes(m.ring.desc[:16])
    assert raw[8:12] == (0x63).to_bytes(4, "little")  # DD, EOP, L4CS, IPCS
    assert raw[12:14] == (1514).to_bytes(2, "little")
    assert raw[14:16] == bytes(2)


@pytest.mark.parametrize(("kernel", "at"), [("4.9", 8), *((kernel, 12) for kernel in NEWER)])
def test_the_slot_behind_the_posted_ones_reads_as_not_done(kernel: str, at: int) -> None:
    """A stale write-back there would be taken for a new frame: 4.9 clears the status word, later kernels the length."""
    m = machine(f"ixgbe kernel={kernel} ring=4 refill=1 reader=off", [frame(i, 1_000_000 * (i + 1)) for i in range(9)])
    width = 4 if at == 8 else 2
    for n in range(1, 10):
        settle(m, n)
        behind = rx_ring(m).next_to_use * 16
        assert m.ring.desc[behind + at : behind + at + width] == bytes(width)
        assert m.socket.delivered == n


@pytest.mark.parametrize("kernel", NEWER)
def test_from_4_11_on_the_length_is_what_is_tested(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} ring=8", [])
    descriptor.write_back(m.ring.desc, 0, 0, 0, descriptor.DD | descriptor.EOP, 0)
    assert not m.driver.pending()
    descriptor.write_back(m.ring.desc, 0, 0, 0, 0, 60)
    assert m.driver.pending()


def test_in_4_9_the_whole_status_word_is_what_is_tested() -> None:
    m = machine("ixgbe kernel=4.9 ring=8", [])
    descriptor.write_back(m.ring.desc, 0, 0, 0, 0, 60)
    assert not m.driver.pending()
    descriptor.write_back(m.ring.desc, 0, 0, 0, descriptor.L4CS, 60)
    assert m.driver.pending()
