"""mv643xx_eth as it was in 2013: skbs that wait in the ring, the owner bit, a map and an unmap for each frame."""

from __future__ import annotations

import struct
from typing import Any
from zlib import crc32

import pytest

from rxviz.model.account import drops
from rxviz.model.descriptor import IPCS, L4CS, PKT_IPV4, PKT_TCP
from rxviz.model.drivers.mv643xx_eth import Mv643xxEth
from rxviz.model.frame import Frame
from rxviz.model.halves import State
from rxviz.model.heads import heads
from rxviz.model.machine import Machine
from rxviz.model.mv643xx_desc import (
    BUFFER_OWNED_BY_DMA,
    DESC,
    ERROR_SUMMARY,
    LAYER_4_CHECKSUM_OK,
    RX_FIRST_DESC,
    RX_LAST_DESC,
    RX_PKT_LAYER4_TYPE_MASK,
    status_bytes,
)
from rxviz.model.mv643xx_ring import RxQueue
from rxviz.run import kernels
from rxviz.run.engine import make_config, make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.trace import record
from tests.model.harness import APART, FrameList, dark, frame_bytes, kinds, machine, played


def mv_frame(i: int, t_ns: int, size: int = 1514, status: int = L4CS | IPCS) -> Frame:
    return Frame(i, t_ns, frame_bytes(size, i), size, pkt_info=PKT_IPV4 | PKT_TCP, status=status)


def apart(*sizes: int) -> list[Frame]:
    return [mv_frame(i, (i + 1) * APART, size) for i, size in enumerate(sizes)]


def at_once(count: int, size: int = 1514) -> list[Frame]:
    return [mv_frame(i, 1_000, size) for i in range(count)]


def queue(m: Machine) -> RxQueue:
    assert isinstance(m.ring, RxQueue)
    return m.ring


def ran(line: str) -> dict[str, Any]:
    scenario = parse_line(line)
    m = make_machine(scenario)
    m.run()
    return result(scenario, m)


# ---------------------------------------------------------------------------------------------------------- the layout
@pytest.mark.parametrize(
    ("mtu", "bufsz", "head", "page"),
    [
        # skb_size is MTU + 36 to a multiple of 8; 64 of pad, all to a multiple of 64; 320 of shared info.
        (1500, 1536, 1920, 32768),
        (68, 128, 512, 32768),
        (576, 640, 1024, 32768),
        (3676, 3712, 4096, 32768),
        # A byte more than a page, and the head comes from kmalloc: a power of two, and what is over is buffer.
        (3677, 8192 - 320 - 64, 8192, 8192),
        (9000, 16384 - 320 - 64, 16384, 16384),
    ],
)
def test_a_head_is_as_long_as_the_mtu_asks(mtu: int, bufsz: int, head: int, page: int) -> None:
    geometry = make_config(parse_line(f"mv643xx_eth mtu={mtu}")).geometry
    assert (geometry.bufsz, geometry.head, geometry.page) == (bufsz, head, page)
    assert (geometry.pad, geometry.half, geometry.max_frame) == (66, 0, 9700)


def test_what_the_driver_has_by_itself() -> None:
    scenario = parse_line("mv643xx_eth")
    assert (scenario.kernel, scenario.ring, scenario.itr, scenario.budget) == ("3.9", 128, "250", 128)
    assert (scenario.deliver_as, scenario.lro, scenario.gro) == ("netif_receive_skb", "off", "off")
    assert scenario.rules.line_bits == 10**9
    assert kernels.core_rules("3.9").udp_admission == "charged >= limit"
    assert parse_line("mv643xx_eth budget=64").line() != scenario.line()
    assert parse_line("mv643xx_eth deliver=netif_receive_skb") == scenario


# --------------------------------------------------------------------------------------------------------- descriptors
def test_every_slot_is_posted_and_the_descriptors_are_a_circle() -> None:
    m = machine("mv643xx_eth ring=8", [])
    ring = queue(m)
    assert (ring.rx_curr_desc, ring.rx_used_desc, ring.rx_desc_count) == (0, 0, 8)
    assert (m.nic.given, m.nic.written) == (8, 0)
    links = []
    for slot in range(8):
        cmd_sts, buf_size, byte_cnt, buf_ptr, following = DESC.unpack_from(ring.desc, slot * 16)
        skb = ring.rx_skb[slot]
        assert skb is not None
        assert cmd_sts & BUFFER_OWNED_BY_DMA
        assert (buf_size, byte_cnt) == (1536, 0)
        # The NIC is told of 64 bytes behind the head; the frame begins two bytes further on.
        assert buf_ptr == (skb.head_page.dma + skb.head + 64) & 0xFFFF_FFFF
        assert skb.data == skb.head + 66
        links.append(following)
    assert [link - links[-1] for link in links] == [16 * n for n in (1, 2, 3, 4, 5, 6, 7, 0)]


def test_the_nic_leaves_address_and_size_alone_and_clears_the_owner_bit() -> None:
    m = machine("mv643xx_eth ring=8 reader=off", apart(1514))
    before = DESC.unpack_from(queue(m).desc, 0)
    while not m.nic.received:
        m.tick()
    after = DESC.unpack_from(queue(m).desc, 0)
    assert (before[1], before[3], before[4]) == (after[1], after[3], after[4])
    cmd_sts, byte_cnt = status_bytes(queue(m).desc, 0)
    assert byte_cnt == 2 + 1514 + 4
    assert not cmd_sts & BUFFER_OWNED_BY_DMA
    assert cmd_sts & RX_FIRST_DESC
    assert cmd_sts & RX_LAST_DESC
    assert cmd_sts & LAYER_4_CHECKSUM_OK
    assert not cmd_sts & RX_PKT_LAYER4_TYPE_MASK
    assert (m.nic.given, m.nic.written) == (8, 1)


def test_two_bytes_stand_in_front_of_a_frame_and_its_fcs_behind() -> None:
    m = machine("mv643xx_eth ring=8 reader=off", apart(200))
    while not m.nic.received:
        m.tick()
    skb = queue(m).rx_skb[0]
    assert skb is not None
    data, frame = skb.head_page.data, frame_bytes(200)
    assert data[skb.head + 64 : skb.head + 66] == b"\0\0"
    assert data[skb.head + 66 : skb.head + 266] == frame
    assert data[skb.head + 266 : skb.head + 270] == struct.pack("<I", crc32(frame))


# ------------------------------------------------------------------------------------------------------------ one frame
def test_a_frames_way_in_the_drivers_order() -> None:
    _, steps = played("mv643xx_eth ring=8", apart(1514))
    names = [step.name for step in steps]
    assert names[names.index("poll.start") : names.index("poll.end") + 1] == [
        "poll.start", "desc.done", "rxq.take", "buf.unmap", "skb.length", "skb.deliver", "socket.queue", "desc.empty",
        "rxq.refill", "skb.ahead", "buf.map", "desc.give", "poll.end",
    ]  # fmt: skip


def test_each_frame_is_mapped_and_unmapped_and_its_head_never_used_again() -> None:
    m, steps = played("mv643xx_eth ring=8 itr=0", apart(*[1514] * 30))
    assert (m.ledger.dma_maps, m.ledger.dma_unmaps) == (8 + 30, 30)
    assert (m.ledger.sync_cpu_bytes, m.ledger.sync_device_bytes) == (30 * 1536, 38 * 1536)
    assert (m.ledger.skb_heads, m.ledger.sk_buffs) == (38, 38)
    assert (m.ledger.tail_writes, m.ledger.bytes_copied, m.ledger.header_parses) == (0, 0, 0)
    assert m.ledger.pages_reused == m.ledger.flips == 0
    # 17 heads of 1,920 bytes make 32,640 of a chunk of 32,768.
    chunks = [step for step in steps if step.name == "chunk.alloc"]
    assert len(chunks) == (38 - 1) // 17
    assert all(step.field("size") == 32768 for step in chunks)
    assert {step.field("truesize") for step in kinds(steps, "skb.ahead", "skb.deliver")} == {1920 + 256}
    assert dark(m)


def test_heads_tell_who_has_them() -> None:
    m = machine("mv643xx_eth ring=4 reader=off", apart(1514, 1514))
    m.run()
    (page,) = m.memory.pages.values()
    found = heads(m, page)
    assert [half.state for half in found] == [State.STACK] * 2 + [State.POSTED] * 4
    assert [half.slot for half in found] == [-1, -1, 2, 3, 0, 1]
    assert [half.start for half in found] == [1920 * n for n in range(6)]


def test_a_chunk_is_freed_by_the_last_head_that_was_cut_from_it() -> None:
    m, steps = played("mv643xx_eth ring=4 itr=0", apart(*[600] * 40))
    freed = kinds(steps, "page.free")
    assert m.memory.allocated - len(freed) == len(m.memory.pages)
    assert m.memory.freed == len(freed)
    assert dark(m)


# ------------------------------------------------------------------------------------------------ polls, and a dry ring
def test_a_poll_takes_all_frames_before_it_refills_sixteen_at_a_time() -> None:
    _, steps = played("mv643xx_eth ring=128 itr=0", at_once(40))
    (poll,) = kinds(steps, "poll.end")
    assert poll.field("work") == 80
    taken = [step.n for step in kinds(steps, "rxq.take")]
    given = [step.n for step in kinds(steps, "desc.give")]
    assert (len(taken), len(given)) == (40, 40)
    assert taken[-1] < given[0]
    assert [step.field("count") for step in kinds(steps, "rxq.refill")] == [40, 24, 8]


def test_refills_use_up_the_budget_too() -> None:
    m, steps = played("mv643xx_eth ring=64 itr=0 budget=24", at_once(20))
    assert [step.field("work") for step in kinds(steps, "poll.end")] == [24, 16]
    assert len(kinds(steps, "irq.enter")) == 1
    assert queue(m).rx_desc_count == 64


def test_a_frame_that_finds_no_descriptor_is_lost_at_once() -> None:
    m, steps = played("mv643xx_eth ring=8", at_once(11))
    lost = kinds(steps, "nic.discard")
    assert [step.frame for step in lost] == [8, 9, 10]
    assert (m.counters()["rx_discard"], m.counters()["rx_overrun"], m.nic.dropped_ring) == (3, 0, 3)
    assert m.socket.frames_delivered == 8
    # The MAC has counted all 11 before any descriptor was looked for.
    assert m.counters()["good_frames_received"] == m.counters()["frames_1024_to_max_octets"] == 11
    assert dark(m)


def test_counters_have_the_names_that_ethtool_shows() -> None:
    m, _ = played("mv643xx_eth ring=8 itr=0", apart(1514, 60, 300, 1000))
    counters = m.counters()
    assert counters["rx_packets"] == counters["good_frames_received"] == 4
    assert counters["rx_bytes"] == counters["good_octets_received"] == 1514 + 60 + 300 + 1000 + 4 * 4
    sizes = ("frames_64_octets", "frames_256_to_511_octets", "frames_512_to_1023_octets", "frames_1024_to_max_octets")
    assert [counters[name] for name in sizes] == [1, 1, 1, 1]
    assert [counters[name] for name in ("lro_aggregated", "lro_flushed", "lro_no_desc")] == [0, 0, 0]


# ------------------------------------------------------------------------------------------------- what is thrown away
@pytest.mark.parametrize(("size", "parts"), [(1530, 1), (1531, 2), (1534, 2), (3068, 3), (9000, 6)])
def test_a_frame_over_one_buffer_is_an_error(size: int, parts: int) -> None:
    # 1,536 bytes take 1,530 of a frame, beside two in front and the FCS behind.
    m, steps = played("mv643xx_eth ring=16 itr=0", apart(size, 1514))
    assert len(kinds(steps, "nic.give_back")) == parts + 1
    dropped = kinds(steps, "rxq.drop")
    assert len(dropped) == (parts if parts > 1 else 0)
    assert m.counters()["rx_dropped"] == len(dropped)
    assert m.counters()["rx_errors"] == 0
    assert m.socket.frames_delivered == (1 if parts > 1 else 2)
    assert drops(m).get("rx_dropped", 0) == (1 if parts > 1 else 0)
    assert dark(m)


def test_a_long_frame_that_runs_out_of_descriptors_is_counted_once() -> None:
    m, steps = played("mv643xx_eth ring=4 itr=0", apart(9000, 1514))
    assert len(kinds(steps, "rxq.drop")) == 4
    assert (m.nic.dropped_ring, m.driver.drops(), m.socket.frames_delivered) == (1, {}, 1)
    assert dark(m)


def test_a_frame_longer_than_the_mac_takes_is_refused() -> None:
    m, _ = played("mv643xx_eth ring=16 mtu=9500", apart(9696, 9697))
    assert (m.counters()["oversize_received"], m.socket.frames_delivered) == (1, 1)


@pytest.mark.parametrize(("kind", "counter"), [("crc", "bad_crc_event"), ("symbol", "mac_receive_error")])
def test_a_frame_with_an_error_is_dropped_and_counted_by_nic_and_driver(kind: str, counter: str) -> None:
    m = make_machine(parse_line(f"mv643xx_eth ring=8 traffic=tcp:300x3 errors={kind}@1"))
    (drop,) = kinds(record(m), "rxq.drop")
    assert drop.field("status") & ERROR_SUMMARY
    counters = m.counters()
    assert (counters["rx_errors"], counters["rx_dropped"], counters[counter]) == (1, 1, 1)
    assert (counters["good_frames_received"], counters["bad_frames_received"]) == (2, 1)
    assert (counters["good_octets_received"], counters["bad_octets_received"]) == (608, 304)
    assert {name: lost for name, lost in drops(m).items() if lost} == {counter: 1}
    assert dark(m)


def test_a_frame_too_short_never_comes_to_memory() -> None:
    m = make_machine(parse_line("mv643xx_eth ring=8 traffic=tcp:300x3 errors=undersize@1"))
    (refused,) = kinds(record(m), "nic.bad_frame")
    assert (refused.frame, m.counters()["undersize_received"], m.socket.frames_delivered) == (1, 1, 2)
    assert dark(m)


# ---------------------------------------------------------------------------------------------- how skbs are handed up
SEED = "mv643xx_eth traffic=tcp:1514x400"


def test_gro_on_changes_nothing_before_the_change() -> None:
    # 615.65 and 615.82 Mbit/s: ethtool's switch is on, and nobody calls GRO.
    off, on = ran(SEED), ran(f"{SEED} gro=on")
    assert {**off, "scenario": ""} == {**on, "scenario": ""}
    assert parse_line(f"{SEED} gro=on").remarks()[0].startswith("gro=on does nothing here")


def test_the_rows_of_the_published_table_stand_in_its_order() -> None:
    """Service demand at the receiver: none 13.6, LRO 10.9, GRO 10.7 µs/KB; GRO with LRO is LRO."""
    after = f"{SEED} deliver=napi_gro_receive"
    cost = {words: ran(f"{after} {words}")["cpu_ns"]["softirq"] for words in ("gro=off", "gro=on", "lro=on")}
    assert cost["gro=on"] < cost["lro=on"] < cost["gro=off"]
    both, lro = ran(f"{after} gro=on lro=on"), ran(f"{after} lro=on")
    assert {**both, "scenario": "", "digest": ""} == {**lro, "scenario": "", "digest": ""}
    before = ran(f"{SEED} gro=on lro=on")
    assert before["cpu_ns"] == lro["cpu_ns"]
    conditional = ran(f"{SEED} gro=on deliver=conditional")
    assert conditional["cpu_ns"] == ran(f"{after} gro=on")["cpu_ns"]


def test_without_a_verdict_gro_adds_up_and_the_condition_leaves_gro_out() -> None:
    always = ran(f"{SEED} rxcsum=off gro=on deliver=napi_gro_receive")
    conditional = ran(f"{SEED} rxcsum=off gro=on deliver=conditional")
    plain = ran(f"{SEED} rxcsum=off")
    # 20 bytes of Ethernet and IPv4 less: TCP's checksum covers 1,480 of each frame's bytes.
    assert always["ledger"]["csum_bytes"] == 400 * 1480
    assert always["skbs"]["merged"] > 300
    assert conditional["skbs"]["merged"] == 0
    assert conditional["cpu_ns"] == plain["cpu_ns"]


def test_to_a_bridge_the_checksum_is_nobodys_business() -> None:
    bridge = f"{SEED} rxcsum=off gro=on forward=bridge"
    always, conditional = ran(f"{bridge} deliver=napi_gro_receive"), ran(f"{bridge} deliver=conditional")
    assert always["ledger"]["csum_bytes"] == 400 * 1480
    assert conditional["ledger"]["csum_bytes"] == 0
    assert always["forwarded"] == conditional["forwarded"] == {"sent": 400, "changed": 0, "refused": 0}


def test_the_nic_vouches_for_ipv4_alone() -> None:
    found = ran("mv643xx_eth traffic=tcp6:600x60 gro=on deliver=napi_gro_receive")
    assert found["ledger"]["csum_bytes"] == 60 * (600 - 54)
    assert ran("mv643xx_eth traffic=tcp6:600x60 gro=on deliver=conditional")["skbs"]["merged"] == 0


def test_lro_takes_precedence_over_gro() -> None:
    m = make_machine(parse_line(f"{SEED} gro=on lro=on deliver=napi_gro_receive"))
    m.run()
    assert m.gro is not None
    assert m.gro.batches == 0
    assert m.counters()["lro_aggregated"] == 400


def test_the_class_of_the_driver_is_its_own() -> None:
    m = machine("mv643xx_eth", [])
    assert isinstance(m.driver, Mv643xxEth)
    assert not m.driver.pending()
    m = Machine(make_config(parse_line("mv643xx_eth ring=8 reader=off")), FrameList(apart(60)))
    m.run()
    assert [skb.frame.id for skb in m.socket.queue] == [0]
