"""What learners and quick re-implementations get wrong: one test for each, by the numbers of a list of 35."""

from __future__ import annotations

from typing import Any

import pytest

from rxviz.model.gro.kernel import GroConfig
from rxviz.model.gro.packet import Checksum
from rxviz.model.gro.resegment import resegment
from rxviz.wire.checksum import ones_sum
from rxviz.wire.flow import checksum_verdicts
from tests.gro.flow import (
    ACK,
    CWR,
    ECE,
    FIN,
    PSH,
    RST,
    SIZE,
    SYN,
    URG,
    frame,
    packet,
    play,
    run_of,
    sport,
    stamps,
)


def test_01_psh_is_merged_and_then_closes_the_packet() -> None:
    played = play([*run_of(2), frame(2, flags=ACK | PSH), *run_of(2, 3)])
    assert (played.letters, played.segs) == ("HFFHF", [3, 2])
    assert played.left == ["gro_flush_on_psh", "gro_poll_end"]
    first = play([frame(0, flags=ACK | PSH), frame(1)])
    assert first.letters == "NH"
    assert first.why(0) == "gro_flush_on_psh"


def test_02_fin_with_data_merges_and_shows_on_the_packet() -> None:
    played = play([*run_of(2), frame(2, flags=ACK | FIN)])
    assert played.segs == [3]
    assert played.packets[0].head[-7] == ACK | FIN


def test_03_a_longer_second_does_not_merge_and_a_shorter_one_closes() -> None:
    longer = play([frame(0, size=70), frame(1, size=100, seq=71)])
    assert (longer.letters, longer.why(1)) == ("HH", "gro_not_longer")
    shorter = play([frame(0), frame(1, payload=b"x" * 70), frame(2, seq=171)])
    assert (shorter.letters, shorter.segs) == ("HFH", [2, 1])
    assert shorter.packets[0].gso_size == SIZE


def test_04_a_short_first_packet_is_still_held() -> None:
    assert play([frame(0, size=1)]).letters == "H"


def test_05_pure_acks_are_never_held_but_flush_their_flow_in_order() -> None:
    played = play([frame(0), frame(1, payload=b""), frame(1)])
    assert (played.letters, played.frames) == ("HNH", [[0], [1], [2]])
    assert (played.decisions[1].flushed, played.why(1)) == (0, "gro_flush_on_empty")
    assert play([frame(0, payload=b"")] * 3).letters == "NNN"


def test_06_one_byte_of_window_splits() -> None:
    played = play([frame(0), frame(1, window=228)])
    assert (played.letters, played.why(1)) == ("HH", "gro_same_window")


def test_07_the_urgent_pointer_is_not_compared_but_urg_is() -> None:
    assert play([frame(0), frame(1, urgent=9)]).letters == "HF"
    assert play([frame(0), frame(1, flags=ACK | URG)]).letters == "HN"


def test_08_the_ack_bit_and_ece_need_only_be_equal() -> None:
    assert play(run_of(2, flags=0)).letters == "HF"
    assert play(run_of(2, flags=ACK | ECE)).letters == "HF"
    assert play([frame(0), frame(1, flags=ACK | ECE)]).letters == "HH"


def test_09_options_are_compared_as_bytes() -> None:
    assert play([frame(0, options=stamps()), frame(1, options=stamps())]).letters == "HF"
    assert play([frame(0, options=stamps()), frame(1, options=stamps(order=1))]).letters == "HH"


@pytest.mark.parametrize(
    ("ids", "segs"),
    [
        ((7, 8, 9, 10), [4]),
        ((7, 7, 7, 7), [4]),
        ((7, 8, 8, 9), [2, 2]),
        ((7, 7, 8, 9), [2, 2]),
        ((65534, 65535, 0, 1), [4]),
        ((7, 9), [1, 1]),
        ((9, 8), [1, 1]),
        ((5, 6, 8), [2, 1]),
    ],
)
def test_10_ip_ids_count_from_the_first_or_stay_and_the_second_decides(ids: tuple[int, ...], segs: list[int]) -> None:
    for flags in (0x4000, 0):
        frames = [frame(n, ip={"ip_id": ip_id, "flags": flags}) for n, ip_id in enumerate(ids)]
        assert play(frames).segs == segs
        if flags or 7 not in ids[1:2]:
            assert play(frames, kernel="6.12").segs == segs


def test_10_a_fixed_id_needed_df_before_6_18() -> None:
    frames = [frame(n, ip={"ip_id": 7, "flags": 0}) for n in range(3)]
    assert play(frames, kernel="6.12").segs == [1, 1, 1]
    assert play(frames, kernel="6.18").segs == [3]
    assert play([frame(n, ip={"ip_id": 7}) for n in range(3)], kernel="4.4").segs == [1, 1, 1]


def test_11_the_merged_packet_keeps_the_first_id_and_ttl_and_its_checksum_becomes_partial() -> None:
    merged = play(run_of(3)).packets[0]
    ip, tcp = merged.head[14:34], merged.head[34:]
    assert ip[2:4] == (20 + 20 + 3 * SIZE).to_bytes(2, "big")
    assert (ip[4:6], ip[8]) == (b"\0\0", 64)
    assert ones_sum(ip) == 0xFFFF
    assert (merged.ip_summed, merged.csum_start, merged.csum_offset) == (Checksum.PARTIAL, 34, 16)
    assert ones_sum(ip[12:20], 6 + 20 + 3 * SIZE) == int.from_bytes(tcp[16:18], "big")
    assert checksum_verdicts(merged.head + merged.body()) == (True, False), "a packet capture calls it wrong"


def test_12_ethernet_padding_keeps_a_frame_out() -> None:
    played = play([frame(0), frame(1, trailer=bytes(6))])
    assert (played.letters, played.frames) == ("HN", [[0], [1]])
    assert (played.why(1), played.decisions[1].flushed) == ("gro_ip_length", 0)
    small = frame(1, payload=b"x")
    assert len(small) == 14 + 41
    assert play([frame(0), small]).letters == "HF", "trimmed by its driver, or never padded"
    assert play([frame(0), small.ljust(60, b"\0")]).letters == "HN"


@pytest.mark.parametrize(
    ("what", "rule"),
    [
        ({"ip": {"options": b"\1\1\1\0", "ip_id": 1}}, "gro_no_ip_options"),
        ({"ip": {"flags": 0x2000, "ip_id": 1}}, "gro_not_fragment"),
        ({"ip": {"wrong_sum": True, "ip_id": 1}}, "gro_ip_checksum"),
        ({"sum_delta": 1}, "gro_tcp_checksum"),
    ],
)
def test_13_early_exits_overtake_what_their_flow_has_held(what: dict[str, Any], rule: str) -> None:
    played = play([frame(0), frame(1, **what), frame(1)])
    assert (played.letters, played.frames) == ("HNF", [[1], [0, 2]])
    assert (played.why(1), played.decisions[1].flushed) == (rule, None)


def test_14_a_bad_checksum_does_not_flush_its_flow() -> None:
    played = play([frame(0), frame(1, sum_delta=1), frame(1), frame(2)])
    assert played.frames == [[1], [0, 2, 3]]


def test_15_gro_neither_reorders_nor_waits() -> None:
    played = play([frame(1), frame(0)])
    assert (played.letters, played.frames) == ("HH", [[0], [1]])
    middle = play([frame(0), frame(2), frame(1), frame(3)])
    assert middle.segs == [1, 1, 1, 1]


def test_16_after_a_misfit_the_new_packet_is_held() -> None:
    played = play([*run_of(2), frame(3, ip={"ip_id": 2}), frame(4, ip={"ip_id": 3})])
    assert (played.letters, played.segs) == ("HFHF", [2, 2])
    assert (played.why(2), played.decisions[2].flushed) == ("gro_in_sequence", 0)


def test_17_eviction_is_per_bucket() -> None:
    rounds = [frame(n, ports=sport(2000 + flow)) for n in range(2) for flow in range(9)]
    one_bucket = play(rounds)
    assert one_bucket.segs == [1] * 18
    assert one_bucket.left[0] == "gro_evicted"
    spread = play([packet(n, data, hash=n % 9) for n, data in enumerate(rounds)])
    assert sorted(spread.segs) == [2] * 9


def test_18_the_oldest_is_evicted_even_if_it_just_merged() -> None:
    frames = [frame(0, ports=sport(2000 + flow)) for flow in range(8)]
    frames += [frame(1, ports=sport(2000)), frame(0, ports=sport(2008))]
    played = play(frames)
    assert played.packets[0].frames == [0, 8]
    assert (played.decisions[9].flushed, played.left[0]) == (0, "gro_evicted")


def test_19_flow_identity_starts_with_the_hash() -> None:
    played = play([packet(0, frame(0), hash=8), packet(1, frame(1), hash=16)])
    assert played.letters == "HH"
    assert [check.rule.name for check in played.decisions[1].checks if not check.passed] == ["gro_same_hash"]


def test_20_the_mac_header_and_vlan_priority_belong_to_the_flow() -> None:
    other = bytes.fromhex("aa0000000001aa0000000009")
    assert play([frame(0), frame(1, macs=other), frame(1)]).letters == "HHF"
    tags = [packet(n, frame(n), tag=0x81000005 | prio << 13) for n, prio in enumerate((0, 5, 0))]
    tags[2] = packet(2, frame(1), tag=0x81000005)
    assert play(tags).letters == "HHF"


def test_21_flow_label_is_identity_and_traffic_class_a_refusal() -> None:
    label = play([frame(0, kind="tcp6"), frame(5, kind="tcp6", ip={"label": 7}), frame(1, kind="tcp6")])
    assert (label.letters, label.segs) == ("HHF", [2, 1])
    traffic = play([frame(0, kind="tcp6"), frame(5, kind="tcp6", ip={"tos": 2}), frame(1, kind="tcp6")])
    assert (traffic.letters, traffic.segs) == ("HHH", [1, 1, 1])
    hops = play([frame(0, kind="tcp6"), frame(5, kind="tcp6", ip={"ttl": 9}), frame(1, kind="tcp6")])
    assert (hops.letters, hops.segs) == ("HHH", [1, 1, 1])


def test_22_64_kb_counts_headers_and_17_frags_do_not_end_a_packet() -> None:
    full = run_of(50, size=1448, options=stamps())
    played = play(full)
    assert played.segs == [45, 5]
    assert played.left[0] == "gro_max_size"
    assert played.letters == "H" + "F" * 17 + "M" + "F" * 17 + "M" + "F" * 8 + "HFFFF"
    assert (played.packets[0].nr_frags, played.packets[0].list_frags) == (17, (17, 8))
    for limit, segs in ((20 + 20 + 2 * SIZE, [1, 1]), (20 + 20 + 2 * SIZE + 1, [2])):
        assert play(run_of(2), config=GroConfig(ipv4_max_size=limit)).segs == segs, "strictly below"


def test_23_how_a_segment_merges_is_about_memory_not_protocol() -> None:
    assert play(run_of(3)).letters == "HFF"
    assert play(run_of(3), layout="copied").letters == "HMM"
    assert play(run_of(3), layout="legacy").letters == "HFF"


@pytest.mark.parametrize(
    ("layout", "four", "forty_five"),
    [
        ("build_skb", 2176 + 3 * 1920, 2176 + 42 * 1920 + 2 * 2176),
        ("copied", 4 * 2304, 45 * 2304),
        ("legacy", 2944 + 3 * 2048, 2944 + 16 * 2048 + 2944 + 16 * 2048 + 2944 + 10 * 2048),
    ],
)
def test_24_truesize_is_not_the_sum_where_pages_move(layout: str, four: int, forty_five: int) -> None:
    frames = run_of(45, size=1448)
    assert play(frames[:4], layout=layout).packets[0].truesize == four
    merged = play(frames, layout=layout).packets[0]
    assert (merged.segs, merged.truesize) == (45, forty_five)


def test_25_poll_end_flushes_all_unless_a_timeout_keeps_this_ticks() -> None:
    config = GroConfig(flush_timeout=20_000)
    kept = play(run_of(2), config=config)
    assert kept.packets == []
    assert kept.gro.held == 1
    kept.gro.jiffies += 1
    assert kept.gro.complete_done(0) == (True, 0)
    assert [packet.segs for packet in kept.gro.take()] == [2]


def test_25_at_hz_below_1000_the_64th_frame_flushes_all() -> None:
    for hz, left in ((250, 0), (1000, 1)):
        gro = play([], config=GroConfig(hz=hz)).gro
        for n, data in enumerate(run_of(64)):
            gro.receive(packet(n, data))
        gro.budget_used()
        assert gro.held == left


def test_26_the_batch_counts_segments() -> None:
    gro = play([]).gro
    singles = [frame(n, flags=ACK | PSH) for n in range(8)]
    for n, data in enumerate(singles[:7]):
        gro.receive(packet(n, data))
    assert (len(gro.take()), gro.batches) == (0, 0)
    gro.receive(packet(7, singles[7]))
    assert (len(gro.take()), gro.batches) == (8, 1)
    for n, data in enumerate([*run_of(8), frame(8, flags=ACK | PSH)]):
        gro.receive(packet(n, data))
    assert ([p.segs for p in gro.take()], gro.batches) == ([9], 2)


def test_27_held_packets_leave_by_bucket_then_by_age() -> None:
    order = (5, 0, 3, 8, 1)
    played = play([packet(n, frame(0, ports=sport(n)), hash=hash) for n, hash in enumerate(order)])
    assert played.frames == [[1], [3], [4], [2], [0]]


def test_28_a_lone_held_packet_leaves_unchanged_but_verified() -> None:
    lone = play([frame(0)]).packets[0]
    assert (lone.gso_size, lone.head + lone.body()) == (0, frame(0))
    assert lone.ip_summed is Checksum.UNNECESSARY
    assert play([frame(0, flags=ACK, sum_delta=1)]).packets[0].ip_summed is Checksum.NONE


def test_29_who_looks_behind_gro_sees_packets_that_the_wire_never_carried() -> None:
    frames = run_of(10, size=1448)
    (seen,) = play(frames).packets
    whole = seen.head + seen.body()
    assert len(whole) == 14 + 40 + 10 * 1448
    assert whole not in frames
    assert resegment(seen) == frames, "though what the wire carried can be had back"


def test_30_gro_adds_up_checksums_where_the_card_did_not() -> None:
    assert play(run_of(2)).gro.csum_bytes == 2 * (20 + SIZE)
    assert play(run_of(2), ip_summed=Checksum.UNNECESSARY).gro.csum_bytes == 0
    forwarding = GroConfig(udp_forwarding=True)
    assert play(run_of(2, kind="udp4", zero_sum=True), config=forwarding).letters == "NN"
    vxlan = GroConfig(vxlan_ports=frozenset({4789}))
    assert play(run_of(2, kind="vxlan"), config=vxlan).letters == "HF"


def test_31_udp_is_merged_only_on_request_and_64_at_most() -> None:
    datagrams = run_of(70, kind="udp4")
    assert play(datagrams).letters == "N" * 70
    assert play(datagrams).why(0) == "gro_udp_asked"
    socket = GroConfig(udp_gro_ports=frozenset({8000}))
    assert play(datagrams, config=socket).segs == [64, 6]


def test_32_one_ce_mark_splits_a_stream_in_three() -> None:
    frames = run_of(5, ip={"tos": 2})
    frames = [frame(n, ip={"tos": 3 if n == 2 else 2, "ip_id": n}) for n in range(5)]
    assert play(frames).segs == [2, 1, 2]


def test_33_the_flow_narrows_layer_by_layer() -> None:
    others = [frame(0, ports=sport(7)), frame(0, ip={"addresses": ("1.1.1.1", "2.2.2.2")}), frame(0, kind="tcp6")]
    played = play([*others, frame(0), frame(1)])
    refused = {check.held: check.rule.name for check in played.decisions[4].checks if not check.passed}
    assert refused == {1: "gro_same_source", 2: "gro_same_mac"}
    asked = {(check.held, check.rule.name) for check in played.decisions[4].checks}
    assert (2, "gro_same_source") not in asked, "another flow by its Ethernet header: nobody looks at its addresses"
    assert (1, "gro_same_ports") not in asked
    assert (0, "gro_same_ports") not in asked, "the search ends at the first that fits, the newest"
    assert played.decisions[4].into == 3


def test_34_no_payload_byte_is_lost_or_changed() -> None:
    merged = play(run_of(4)).packets[0]
    assert merged.body() == b"".join(bytes((97 + n,)) * SIZE for n in range(4))


def test_35_psh_and_fin_are_added_after_the_merge() -> None:
    played = play([frame(0), frame(1, flags=ACK | PSH | FIN)])
    assert played.packets[0].head[47] == ACK | PSH | FIN
    assert play([frame(0, flags=ACK), frame(1, flags=ACK)]).packets[0].head[47] == ACK


@pytest.mark.parametrize(
    ("flag", "rule"), [(SYN, "gro_flush_on_syn"), (RST, "gro_flush_on_rst"), (URG, "gro_flush_on_urg")]
)
def test_other_flags_flush_and_go_up_alone(flag: int, rule: str) -> None:
    played = play([*run_of(2), frame(0, flags=ACK | flag, payload=b""), *run_of(2, 3)])
    assert played.segs == [2, 1, 2]
    assert rule in [check.rule.name for check in played.decisions[2].checks if not check.passed]


@pytest.mark.parametrize(("kernel", "segs"), [("6.12", [1, 1, 3]), ("6.18", [1, 1, 1, 2]), ("7.0", [1, 2, 2])])
def test_cwr_by_kernel(kernel: str, segs: list[int]) -> None:
    frames = [frame(n, flags=ACK | (CWR if n in (1, 2) else 0)) for n in range(5)]
    assert play(frames, kernel=kernel).segs == segs


def test_every_number_of_the_list_has_a_test() -> None:
    numbers = {int(name[5:7]) for name in globals() if name.startswith("test_") and name[5:7].isdigit()}
    assert numbers == set(range(1, 36))
