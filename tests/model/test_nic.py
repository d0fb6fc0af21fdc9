"""The NIC's side: packet buffer, no descriptor, drop enable, bad frames, VLAN tags; each lost frame has its counter."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rxviz.model import descriptor
from rxviz.model.account import drops, in_flight
from rxviz.model.frame import Frame
from rxviz.model.machine import Machine
from rxviz.model.steps import KINDS
from rxviz.run.engine import make_machine
from rxviz.run.result import result
from rxviz.run.scenario import parse_line
from rxviz.run.trace import Step, record
from tests.model.harness import KERNELS, PATHS, at_once, dark, frame, frame_bytes, kinds, machine, played, settle, sized

BAD = {
    "crc": ("rx_crc_errors", descriptor.CE),
    "length": ("rx_length_errors", descriptor.LE),
    "symbol": ("rx_crc_errors", descriptor.PE | descriptor.CE),
    "undersize": ("rx_short_length_errors", descriptor.USE),
}


def run(line: str) -> tuple[Machine, list[Step]]:
    m = make_machine(parse_line(line))
    return m, list(record(m))


def watched(line: str, look: Callable[[Machine, str, Frame | None, int], None]) -> Machine:
    """Play to the end, and look at the machine in the moment of each step."""
    m = make_machine(parse_line(line))

    def watch(kind: int, frame: Frame | None, slot: int, *_: object) -> None:
        look(m, KINDS[kind].name, frame, slot)

    m.watch = watch
    m.run()
    return m


def lost(m: Machine) -> dict[str, int]:
    return {counter: frames for counter, frames in drops(m).items() if frames}


# --------------------------------------------------------------------------------------------- no room, no descriptor
def test_a_small_packet_buffer_overflows_in_a_small_scenario() -> None:
    m = machine("ixgbe ring=8 itr=100 fifo=4600 reader=off", at_once([1514] * 12))
    m.nic.last_irq = 0
    m.run()
    # Seven went into the ring, three wait in 4,600 bytes, two find no room.
    assert m.nic.received == 10
    assert lost(m) == {"rx_missed_errors": 2}
    assert m.socket.delivered == 10
    assert dark(m)


@pytest.mark.parametrize("kernel", KERNELS)
def test_without_drop_enable_frames_wait_and_with_it_they_are_dropped_at_once(kernel: str) -> None:
    line = f"ixgbe kernel={kernel} ring=8 itr=100 reader=off"
    for word, received, counter in (("off", 12, None), ("on", 7, "rx_no_dma_resources")):
        m = machine(f"{line} drop_en={word}", at_once([1514] * 12))
        m.nic.last_irq = 0
        m.run()
        assert m.nic.received == m.socket.delivered == received
        assert lost(m) == ({counter: 5} if counter else {})
        assert m.nic.rx_no_buffer_count == 5
        assert m.counters()["rx_missed_errors"] == 0
        assert dark(m)


def test_drop_enable_asks_for_as_many_descriptors_as_the_frame_takes() -> None:
    """9,014 bytes take three buffers of 3K: with two posted the frame goes, and the short one behind it comes in."""
    m = machine("ixgbe mtu=9000 ring=4 refill=3 drop_en=on reader=off itr=1000", at_once([60, 9014, 60]))
    m.nic.last_irq = 0
    settle(m, 3)
    assert lost(m) == {"rx_no_dma_resources": 1}
    assert [skb.frame.id for skb in m.socket.queue] == [0, 2]
    assert m.nic.sent == 0
    assert dark(m)


def test_what_waits_and_what_is_dropped_is_told_apart() -> None:
    m = machine("ixgbe ring=8 itr=100 reader=off", at_once([1514] * 9))
    m.nic.last_irq = 0
    while m.offered < 9:
        m.tick()
    assert in_flight(m) == {"nic": 2, "ring": 7, "gro": 0}
    assert lost(m) == {}


# -------------------------------------------------------------------------------------------------------- bad frames
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_frame_gets_no_further_than_the_mac(kind: str) -> None:
    m, steps = run(f"ixgbe ring=8 traffic=tcp:1514x5 errors={kind}@2 reader=off")
    counter, _ = BAD[kind]
    assert lost(m) == {counter: 1}
    assert m.counters()[counter] == 1
    assert m.nic.received == m.socket.delivered == 4
    assert [step.frame for step in kinds(steps, "nic.bad_frame")] == [2]
    assert not kinds(steps, "frame.discard")
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_frame_that_is_stored_is_thrown_away_by_the_driver(kernel: str, path: str, kind: str) -> None:
    line = f"ixgbe kernel={kernel} path={path} ring=8 traffic=udp:200x5 errors={kind}@2 bad_frames=stored reader=off"
    seen, discarded = [], []

    def look(m: Machine, name: str, frame: Frame | None, slot: int) -> None:
        if name == "nic.writeback" and frame is not None and frame.id == 2:
            seen.append(descriptor.status_error(m.ring.desc, slot))
        if name == "frame.discard" and frame is not None:
            discarded.append(frame.id)

    m = watched(line, look)
    counter, bits = BAD[kind]
    assert [status & descriptor.IXGBE_BITS.frame for status in seen] == [bits]
    assert lost(m) == {counter: 1}
    assert m.nic.received == 5
    assert m.socket.delivered == 4
    assert discarded == [2]
    # The page went the way of any other: nobody holds anything of the bad frame.
    assert all(2 not in {m.skbs[skb].frame.id for skb in page.users.values()} for page in m.memory.pages.values())
    assert dark(m)


def test_rx_errors_is_the_sum_that_the_driver_makes() -> None:
    """ixgbe_update_stats adds CRC and length errors; runts and giants have counters of their own."""
    m, _ = run("ixgbe ring=64 traffic=udp:200x9 errors=crc@0,length@1,symbol@2,undersize@3-4,oversize@5-6")
    counters = m.counters()
    assert counters["rx_errors"] == 3
    assert (counters["rx_crc_errors"], counters["rx_length_errors"]) == (2, 1)
    assert (counters["rx_short_length_errors"], counters["rx_long_length_errors"]) == (2, 2)
    assert m.socket.delivered == 2


def test_bad_frames_do_not_count_against_the_budget() -> None:
    _, steps = run("ixgbe ring=64 traffic=udp:200x9 rate=line errors=crc@0-5 bad_frames=stored budget=3 itr=50")
    assert [step.field("work") for step in kinds(steps, "poll.end")] == [3, 0]
    assert len(kinds(steps, "frame.discard")) == 6


def test_an_oversize_frame_is_never_stored() -> None:
    m, steps = run("ixgbe ring=8 traffic=udp:200x5 errors=oversize@2 bad_frames=stored")
    assert [step.field("length") for step in kinds(steps, "nic.oversize")] == [1518 + 16]
    assert m.nic.received == 4
    assert dark(m)


# --------------------------------------------------------------------------------------------------------- VLAN tags
@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_tag_is_taken_out_and_goes_beside_the_frame(kernel: str, path: str) -> None:
    status = []

    def look(m: Machine, name: str, frame: Frame | None, slot: int) -> None:
        if name == "nic.writeback":
            status.append((descriptor.status_error(m.ring.desc, slot), descriptor.vlan(m.ring.desc, slot)))
            assert descriptor.length(m.ring.desc, slot) == 1514

    m = watched(f"ixgbe kernel={kernel} path={path} ring=8 traffic=tcp:1514x3 vlan=291 rxvlan=on reader=off", look)
    assert [(bits & descriptor.VP, tag) for bits, tag in status] == [(descriptor.VP, 291)] * 3
    for skb in m.socket.queue:
        assert skb.vlan_tag == 0x8100_0123
        assert skb.payload()[12:14] == b"\x08\x00"
        assert len(skb.payload()) == 1514
    assert dark(m)


def test_a_tag_that_is_left_in_stays_in_the_bytes() -> None:
    m, steps = run("ixgbe ring=8 traffic=tcp:1514x3 vlan=291 reader=off")
    assert [skb.payload()[12:16] for skb in m.socket.queue] == [b"\x81\x00\x01\x23"] * 3
    assert [skb.vlan_tag for skb in m.socket.queue] == [0] * 3
    assert [step.field("length") for step in kinds(steps, "nic.writeback")] == [1518] * 3
    assert not kinds(steps, "nic.strip")
    assert dark(m)


@pytest.mark.parametrize(("strip", "tagged"), [("on", True), ("off", False)])
def test_gro_sees_the_tag_where_it_is(strip: str, tagged: bool) -> None:
    line = f"ixgbe ring=64 traffic=tcp:1514x8 vlan=7 rxvlan={strip} gro=on itr=50 reader=off"
    tags = set()

    def look(m: Machine, name: str, frame: Frame | None, slot: int) -> None:
        if name == "gro.receive" and m.gro is not None and m.gro.packet is not None:
            tags.add(m.gro.packet.tag)

    m = watched(line, look)
    assert tags == {0x8100_0007 if tagged else 0}
    assert [skb.segs for skb in m.socket.queue] == [1, 7]
    assert all(skb.is_intact() for skb in m.socket.queue)
    assert dark(m)


@pytest.mark.parametrize(("kernel", "path"), PATHS)
def test_a_frame_that_is_too_short_without_its_tag_is_padded(kernel: str, path: str) -> None:
    data = frame_bytes(56, 0)
    tagged = data[:12] + b"\x81\x00\x00\x05" + data[12:]
    line = f"ixgbe kernel={kernel} path={path} ring=8 rxvlan=on reader=off"
    m, steps = played(line, [Frame(0, 1_000, tagged, 60, tag=0x8100_0005)])
    assert [step.field("padding") for step in kinds(steps, "skb.pad")] == [4]
    (skb,) = m.socket.queue
    assert skb.payload() == data + bytes(4)
    assert skb.is_intact()
    assert dark(m)


def test_the_tag_of_another_type_stays_in() -> None:
    data = frame_bytes(1514, 0)
    m, _ = played(
        "ixgbe ring=8 rxvlan=on reader=off", [Frame(0, 1_000, data[:12] + b"\x88\xa8\x00\x05" + data[12:], 1518)]
    )
    (skb,) = m.socket.queue
    assert skb.vlan_tag == 0
    assert len(skb.payload()) == 1518


# --------------------------------------------------------------------------------------------------------------- RSC
@pytest.mark.parametrize(
    ("path", "rsc", "page", "bufsz", "truesize"),
    [
        ("build_skb", "off", 4096, 1536, 2304),
        ("build_skb", "on", 8192, 3072, 4352),
        ("legacy", "off", 4096, 2048, 2944),
        ("legacy", "on", 4096, 2048, 2944),
    ],
)
def test_rsc_puts_build_skb_rings_on_3k_buffers(path: str, rsc: str, page: int, bufsz: int, truesize: int) -> None:
    """The legacy path keeps its 2K buffers whatever the NIC may do (`ixgbe_set_rx_buffer_len`)."""
    m, _ = run(f"ixgbe path={path} kernel=4.12 ring=8 traffic=tcp:1514x3 rsc={rsc} reader=off")
    assert (m.config.geometry.page, m.config.geometry.bufsz) == (page, bufsz)
    assert m.ledger.truesize_max == truesize
    assert dark(m)


# ------------------------------------------------------------------------------------------------------- accounting
def test_the_result_names_the_counter_of_every_lost_frame() -> None:
    line = "ixgbe ring=8 itr=100 fifo=1600 traffic=udp:1514x40 errors=crc@1,undersize@3 rcvbuf=1200 reader=off"
    scenario = parse_line(line)
    m, _ = run(line)
    frames = result(scenario, m)["frames"]
    assert {name for name, count in frames["dropped_by"].items() if count} == {
        "rx_missed_errors", "rx_crc_errors", "rx_short_length_errors", "RcvbufErrors",
    }  # fmt: skip
    assert sum(frames["dropped_by"].values()) == sum(frames["dropped"].values())
    assert frames["offered"] == 40 == frames["delivered"] + sum(frames["dropped_by"].values()) + frames["in_flight"]
    assert frames["in_flight"] == sum(frames["in_flight_at"].values())
    assert dark(m)


def test_frames_far_apart_know_nothing_of_each_other() -> None:
    m, _ = played("ixgbe ring=8 drop_en=on reader=off", sized([60, 1514, 256]))
    assert m.socket.delivered == 3
    assert frame(0, 0).error == ""
