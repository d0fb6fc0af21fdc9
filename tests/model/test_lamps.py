"""Lamps can light: the machine is broken by hand, and the right lamp goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rxviz.model.lamps import LAMPS
from rxviz.model.machine import Machine
from rxviz.model.skb import SkBuff
from rxviz.run.engine import make_config
from rxviz.run.scenario import parse_line
from tests.model.harness import PATHS, FrameList, at_once, dark, machine, rx_ring, settle, sized


def lit(m: Machine) -> set[str]:
    return {name for name, count in m.lamps.lit.items() if count}


def some(kernel: str = "6.18", path: str = "build_skb", count: int = 6, more: str = "") -> Machine:
    """A ring of three pages with three living skbs, one on each page."""
    m = machine(f"ixgbe kernel={kernel} path={path} ring=4 refill=1 reader=off {more}", sized([1514] * count))
    settle(m, 3)
    return m


def data_of(skb: SkBuff) -> tuple[bytearray, int]:
    """The page that holds an skb's last bytes, and where they lie."""
    if skb.frags:
        frag = skb.frags[-1]
        return frag.page.data, frag.offset + frag.size - 1
    return skb.head_page.data, skb.tail - 1


def read_all(m: Machine) -> None:
    m.config.reader_ns = 0
    m.socket.wake()
    m.run()


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_all_are_dark_in_an_honest_run(kernel: str, path: str) -> None:
    m = some(kernel, path)
    read_all(m)
    assert dark(m)
    assert m.socket.read == 6
    assert set(m.lamps.lit) == set(LAMPS)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_byte_that_changes_before_it_is_read(kernel: str, path: str) -> None:
    m = some(kernel, path)
    data, at = data_of(m.socket.queue[1])
    data[at] ^= 1
    read_all(m)
    assert lit(m) == {"bytes_intact"}
    assert m.lamps.lit["bytes_intact"] == 1


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_byte_that_changes_in_an_skb_nobody_reads(kernel: str, path: str) -> None:
    m = some(kernel, path)
    data, at = data_of(m.socket.queue[1])
    data[at] ^= 1
    m.run()
    assert lit(m) == {"bytes_intact"}


def offer_the_half_in_use(m: Machine) -> None:
    """What a driver without the flip would do: post the half again that an skb still has."""
    victim = m.memory.pages[0]
    buffer = rx_ring(m).rx_buffer_info[victim.slot]
    buffer.page_offset ^= 2048
    m.ring.desc[victim.slot * 16 : victim.slot * 16 + 8] = (victim.dma + buffer.page_offset).to_bytes(8, "little")


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_the_nic_writes_where_an_skb_still_points(kernel: str, path: str) -> None:
    m = some(kernel, path)
    offer_the_half_in_use(m)
    settle(m, 6)
    assert m.lamps.lit["half_one_owner"] == 1
    assert lit(m) == {"half_one_owner"}


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_two_skbs_in_one_half_are_read_and_freed(kernel: str, path: str) -> None:
    m = some(kernel, path)
    offer_the_half_in_use(m)
    settle(m, 6)
    read_all(m)
    assert {"half_one_owner", "bytes_intact"} <= lit(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("address", [-64, 1024, 2048 + 1000, 4096 - 64])
def test_the_nic_writes_outside_its_buffer(kernel: str, path: str, address: int) -> None:
    m = some(kernel, path)
    slot = rx_ring(m).next_to_clean
    page = rx_ring(m).rx_buffer_info[slot].page
    assert page is not None
    m.ring.desc[slot * 16 : slot * 16 + 8] = (page.dma + address).to_bytes(8, "little")
    while m.nic.rdh == slot:
        m.tick()
    assert "dma_inside_buffer" in lit(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("pages", [-1, 1])
def test_the_nic_writes_to_the_right_place_in_the_wrong_page(kernel: str, path: str, pages: int) -> None:
    m = some(kernel, path)
    slot = rx_ring(m).next_to_clean
    page = rx_ring(m).rx_buffer_info[slot].page
    assert page is not None
    address = page.dma + pages * page.size + m.config.geometry.pad
    m.ring.desc[slot * 16 : slot * 16 + 8] = address.to_bytes(8, "little")
    while m.nic.rdh == slot:
        m.tick()
    assert "dma_inside_buffer" in lit(m)


@pytest.mark.parametrize("kernel", ["4.12", "4.19", "6.18"])
def test_a_frame_that_runs_over_the_shared_info(kernel: str) -> None:
    """Only the MAC's limit keeps a NIC from writing 2048 bytes where 1536 have room."""
    config = make_config(parse_line(f"ixgbe kernel={kernel} ring=8 reader=off"))
    config.geometry = replace(config.geometry, max_frame=2_000)
    m = Machine(config, FrameList(at_once([1536, 1537])))
    m.run()
    assert m.lamps.lit["dma_inside_buffer"] == 1


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_page_is_freed_while_an_skb_holds_it(kernel: str, path: str) -> None:
    m = some(kernel, path)
    page = m.memory.pages[0]
    m.memory.put(page, page.refcount)
    assert lit(m) == {"page_freed_with_holder"}
    assert m.lamps.first["page_freed_with_holder"] == m.n - 1


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_page_is_freed_while_it_is_on_the_ring(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=4", [])
    page = m.memory.pages[0]
    m.memory.put(page, page.refcount)
    assert lit(m) == {"page_freed_with_holder"}


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("change", [-1, 1])
def test_a_reference_too_few_or_too_many(kernel: str, path: str, change: int) -> None:
    m = some(kernel, path)
    m.run()
    assert dark(m)
    page = next(page for page in m.memory.pages.values() if page.users)
    page.refcount += change
    m.lamps.at_end()
    assert lit(m) == {"refs_add_up"}


@pytest.mark.parametrize(("kernel", "path"), PATHS[1:])
def test_a_prepaid_reference_too_many(kernel: str, path: str) -> None:
    m = some(kernel, path)
    m.run()
    rx_ring(m).rx_buffer_info[rx_ring(m).next_to_clean].pagecnt_bias += 1
    m.lamps.at_end()
    assert lit(m) == {"refs_add_up"}


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_page_that_nobody_knows_any_more(kernel: str, path: str) -> None:
    m = machine(f"ixgbe kernel={kernel} path={path} ring=4", [])
    rx_ring(m).rx_buffer_info[0].page = None
    m.lamps.at_end()
    assert "page_leaked" in lit(m)
    m.memory.pages.clear()


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_two_frames_of_a_flow_change_places(kernel: str, path: str) -> None:
    m = some(kernel, path)
    queue = m.socket.queue
    queue[0], queue[1] = queue[1], queue[0]
    read_all(m)
    assert lit(m) == {"delivered_as_arrived"}


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_frame_is_read_twice(kernel: str, path: str) -> None:
    m = some(kernel, path)
    skb = m.socket.queue[0]
    m.lamps.read(skb)
    m.lamps.read(skb)
    assert lit(m) == {"delivered_as_arrived"}


def lose_the_second(m: Machine) -> None:
    skb = m.socket.queue[1]
    m.socket.queue.remove(skb)
    m.driver.free_skb(skb)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_frame_vanishes_between_the_ring_and_the_reader(kernel: str, path: str) -> None:
    m = some(kernel, path)
    lose_the_second(m)
    read_all(m)
    assert "delivered_as_arrived" in lit(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_frame_is_done_and_nobody_will_look(kernel: str, path: str) -> None:
    """The interrupt is lost: NAPI is not scheduled, and the run ends with work pending."""
    m = machine(f"ixgbe kernel={kernel} path={path} ring=8 reader=off", at_once([1514]))
    m.nic.irq_masked = True
    m.run()
    assert lit(m) == {"ring_polled"}


def test_frames_wait_in_the_nic_and_nobody_refills() -> None:
    m = machine("ixgbe ring=8 reader=off", at_once([1514] * 9))
    m.config.refill = 99
    m.run()
    assert len(m.nic.fifo) == 2
    assert lit(m) == {"ring_polled"}


def test_a_lamp_remembers_the_step_at_which_it_first_went_on() -> None:
    m = some()
    first = m.n
    m.lamps.light("bytes_intact")
    settle(m, 6)
    m.lamps.light("bytes_intact")
    assert m.n > first
    assert m.lamps.first == {"bytes_intact": first}
    assert m.lamps.lit["bytes_intact"] == 2
