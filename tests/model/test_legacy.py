"""The legacy path: short frames copied whole, long ones attached and their headers pulled."""

from __future__ import annotations

import pytest

from rxviz.model.frame import Frame
from rxviz.wire import build
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
    rx_ring,
    settle,
    sized,
)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    ("size", "copied"), [(60, 64), (63, 64), (64, 64), (65, 72), (106, 112), (249, 256), (255, 256), (256, 256)]
)
def test_up_to_256_bytes_are_copied_rounded_to_8(kernel: str, size: int, copied: int) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path=legacy ring=64 reader=off", at_once([size]))
    (copy,) = kinds(steps, "skb.copy")
    assert (copy.field("size"), copy.field("copied")) == (size, copied)
    assert m.ledger.bytes_copied == copied
    assert m.ledger.flips == 0
    assert not kinds(steps, "page.flip", "skb.frag", "skb.headers")
    assert m.ledger.header_parses == 0
    assert m.ledger.skb_heads == 1
    skb = m.socket.queue[0]
    assert (skb.pulled, skb.head_len, skb.data_len, skb.frags) == (14, size - 14, 0, [])
    assert skb.mac_header - skb.head == 64
    assert skb.payload() == skb.frame.data


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_copied_frame_leaves_its_half_on_offer(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path=legacy ring=4 refill=1 reader=off", sized([60] * 12))
    before = {page.id: page.refcount for page in m.memory.pages.values()}
    for n in range(1, 13):
        settle(m, n)
        assert {page.id: page.refcount for page in m.memory.pages.values() if page.kind == "rx"} == before
        assert {buffer.page_offset for buffer in rx_ring(m).rx_buffer_info if buffer.page is not None} == {0}
    assert m.ledger.pages_reused == 12
    assert m.ledger.pages_given_up == 0


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_copy_keeps_the_page_even_while_the_sibling_is_in_the_stack(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path=legacy ring=4 refill=1 reader=off", sized([1514] * 3 + [60] * 9 + [1514]))
    settle(m, 12)
    rx = [page for page in m.memory.pages.values() if page.kind == "rx"]
    assert len(rx) == 3
    assert all(list(page.users) == [0] and page.slot >= 0 for page in rx)
    assert m.ledger.pages_given_up == 0
    assert {buffer.page_offset for buffer in rx_ring(m).rx_buffer_info if buffer.page is not None} == {2048}
    settle(m, 13)
    assert m.ledger.pages_given_up == 1


def odd(data: bytes) -> Frame:
    return Frame(0, 1_000, data, len(data))


PAYLOAD = build.payload(700, 3)
HEADERS = [
    ("tcp with timestamps", build.tcp4(PAYLOAD, tsval=1, tsecr=2), 66, 72),
    ("tcp", build.tcp4(PAYLOAD), 54, 56),
    ("tcp, ip options", build.tcp4(PAYLOAD, ip_options=bytes(8)), 62, 64),
    ("udp", build.udp4(PAYLOAD), 42, 48),
    ("tcp6", build.tcp6(PAYLOAD), 74, 80),
    ("tcp6 with timestamps", build.tcp6(PAYLOAD, tsval=1, tsecr=2), 86, 88),
    ("udp6", build.udp6(PAYLOAD), 62, 64),
    ("vlan", build.vlan(build.tcp4(PAYLOAD, tsval=1, tsecr=2), 5), 70, 72),
    # The dissector stops at UDP: what is inside a tunnel is payload to it.
    ("vxlan", build.vxlan(build.tcp4(PAYLOAD, tsval=1, tsecr=2), vni=7), 42, 48),
    ("unknown ethertype", build.DST_MAC.replace(":", "").encode()[:12] + b"\x88\xb5" + bytes(600), 14, 16),
]


@pytest.mark.parametrize("kernel", ["4.9", "4.11", "6.18"])
@pytest.mark.parametrize(("data", "length", "copied"), [row[1:] for row in HEADERS], ids=[row[0] for row in HEADERS])
def test_longer_frames_have_only_their_headers_copied(kernel: str, data: bytes, length: int, copied: int) -> None:
    m, steps = played(f"ixgbe kernel={kernel} path=legacy ring=64 reader=off", [odd(data)])
    (pull,) = kinds(steps, "skb.headers")
    assert (pull.field("size"), pull.field("copied")) == (length, copied)
    assert m.ledger.bytes_copied == copied
    assert m.ledger.header_parses == 1
    skb = m.socket.queue[0]
    (frag,) = skb.frags
    assert (skb.head_len, skb.data_len) == (length - 14, len(data) - length)
    assert (frag.offset, frag.size) == (length, len(data) - length)
    assert skb.truesize == 2944
    assert skb.payload() == data


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_fragment_is_attached_whole_before_headers_are_pulled(kernel: str) -> None:
    _, steps = played(f"ixgbe kernel={kernel} path=legacy ring=64 reader=off", at_once([1514]))
    (attach,) = kinds(steps, "skb.frag")
    assert (attach.field("offset"), attach.field("size"), attach.field("truesize")) == (0, 1514, 2048)
    names = [step.name for step in steps]
    assert names.index("skb.alloc") < names.index("skb.frag") < names.index("ring.clean") < names.index("skb.headers")
    assert ("skbs.0.data_len", 1514, 1448) in kinds(steps, "skb.headers")[0].changes


@pytest.mark.parametrize("kernel", NEWER)
@pytest.mark.parametrize("sizes", [[60], [256], [257], [1514], [60, 1514, 300] * 5])
def test_build_skb_copies_nothing_and_parses_nothing(kernel: str, sizes: list[int]) -> None:
    m, steps = played(f"ixgbe kernel={kernel} ring=64 reader=off rcvbuf=1000000", at_once(sizes))
    bill = m.ledger
    assert (bill.bytes_copied, bill.header_parses, bill.skb_heads) == (0, 0, 0)
    assert bill.sk_buffs == bill.flips == len(sizes)
    assert not kinds(steps, "skb.alloc", "skb.copy", "skb.headers")
    for skb in m.socket.queue:
        assert skb.mac_header - skb.head == (64 if kernel == "4.11" else 192)
        assert skb.end - skb.head == 2048 - 320
        assert skb.frags == []


@pytest.mark.parametrize("kernel", NEWER)
def test_build_skb_zeroes_the_start_of_shared_info_inside_the_nics_page(kernel: str) -> None:
    m = machine(f"ixgbe kernel={kernel} ring=64 reader=off itr=100", at_once([1514]))
    page = m.memory.pages[0]
    while not m.nic.received:
        m.tick()
    end = 2048 - 320
    page.write(end, b"\xaa" * 320)
    m.run()
    assert bytes(page.data[end : end + 320]) == bytes(32) + b"\xaa" * 288
    assert m.socket.queue[0].payload() == m.socket.queue[0].frame.data


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("mtu", [1500, 9000])
@pytest.mark.parametrize("page_size", [4096, 8192, 65536])
def test_the_bytes_of_an_skb_are_the_frames(kernel: str, path: str, mtu: int, page_size: int) -> None:
    sizes = [60, 61, 255, 256, 257, 1000, 1514] * 6
    line = f"ixgbe kernel={kernel} path={path} mtu={mtu} page_size={page_size} ring=8 reader=off rcvbuf=1000000"
    m = machine(line, sized(sizes, apart=2_000))
    m.run()
    assert m.socket.delivered == len(sizes)
    for i, skb in enumerate(m.socket.queue):
        assert skb.frame.id == i
        assert skb.payload() == skb.frame.data == frame(i, 0, sizes[i]).data
        assert skb.matches(skb.frame.data)
        assert skb.len == sizes[i] - 14
    assert dark(m)


def test_matches_tells_what_differs() -> None:
    m = machine("ixgbe kernel=4.19 path=legacy mtu=9000 ring=16 reader=off", at_once([9014]))
    m.run()
    skb = m.socket.queue[0]
    data = skb.frame.data
    assert skb.matches(data)
    assert not skb.matches(data[:-1])
    for at in (0, 65, 66, 2047, 2048, 4095, 4096, 9013):
        wrong = bytearray(data)
        wrong[at] ^= 1
        assert not skb.matches(bytes(wrong))
