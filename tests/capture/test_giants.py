from __future__ import annotations

from pathlib import Path

import pytest

from rxviz.capture.frames import Frames
from rxviz.capture.giants import MSS_OPTION, SegmentSizes, checksum_is_partial, count_tags, innermost
from tests.capture.build import MAC, in_vxlan, pcap_head, pcap_record, tcp_frame

SYN = 0x02


def judge(data: bytes, *syns: bytes, limit: int = 16) -> bool:
    sizes = SegmentSizes(limit)
    for syn in syns:
        assert syn.find(MSS_OPTION, 34, 240) >= 0
        sizes.note(syn)
    return sizes.never_one_frame(data, len(data))


@pytest.mark.parametrize("v6", [False, True])
@pytest.mark.parametrize("back", [False, True])
def test_mss_of_either_direction(v6: bool, back: bool) -> None:
    syn = tcp_frame(0, flags=SYN, mss=1460, back=back, v6=v6)
    assert not judge(tcp_frame(1460, v6=v6), syn)
    assert judge(tcp_frame(1461, v6=v6), syn)
    assert judge(tcp_frame(2920, v6=v6), syn)


def test_jumbo_segments_are_frames_even_with_the_checksum_left_out() -> None:
    syn = tcp_frame(0, flags=SYN, mss=8960)
    assert not judge(tcp_frame(8960, partial=True), syn)
    assert judge(tcp_frame(8961), syn)


def test_the_smaller_mss_counts_and_zero_does_not() -> None:
    a, b = tcp_frame(0, flags=SYN, mss=8960), tcp_frame(0, flags=SYN | 0x10, mss=1460, back=True)
    assert judge(tcp_frame(4000), a, b)
    assert judge(tcp_frame(4000), b, a)
    assert not judge(tcp_frame(4000), a)


def test_only_syns_and_only_the_same_flow() -> None:
    assert not judge(tcp_frame(4000), tcp_frame(0, flags=0x10, mss=1460))
    assert not judge(tcp_frame(4000), tcp_frame(0, flags=SYN, mss=1460, port=4001))


def test_inside_vxlan_and_tags() -> None:
    syn = in_vxlan(tcp_frame(0, flags=SYN, mss=1460))
    assert not judge(in_vxlan(tcp_frame(1460)), syn)
    assert judge(in_vxlan(tcp_frame(6990)), syn)
    assert judge(tcp_frame(4000, tags=2), tcp_frame(0, flags=SYN, mss=1460, tags=2))


def test_length_field_not_padding_counts() -> None:
    syn = tcp_frame(0, flags=SYN, mss=1460)
    assert not judge(tcp_frame(1460) + b"FCS!", syn)
    assert judge(tcp_frame(60_000, total_length=0), syn)


@pytest.mark.parametrize("v6", [False, True])
def test_without_a_syn_the_checksum_tells(v6: bool) -> None:
    assert judge(tcp_frame(4000, partial=True, v6=v6))
    assert not judge(tcp_frame(4000, v6=v6))
    assert judge(in_vxlan(tcp_frame(4000, partial=True, v6=v6)))


def test_the_table_is_bounded_and_forgets_the_oldest() -> None:
    syns = [tcp_frame(0, flags=SYN, mss=1460, port=5000 + n) for n in range(17)]
    assert not judge(tcp_frame(4000, port=5000), *syns)
    assert judge(tcp_frame(4000, port=5001), *syns)
    assert judge(tcp_frame(4000, port=5016), *syns)


def test_cut_and_odd_frames_decide_nothing() -> None:
    whole = in_vxlan(tcp_frame(4000, mss=1460, flags=SYN))
    sizes = SegmentSizes()
    for length in range(140):
        sizes.note(whole[:length])
        assert sizes.never_one_frame(whole[:length], len(whole)) in (False, True)
    assert not judge(MAC + bytes(4000))
    assert not judge(b"")
    assert count_tags(MAC[:12] + b"\x81\x00\0\1" * 100) == 8


def test_fragments_have_no_l4() -> None:
    data = bytearray(tcp_frame(4000, partial=True))
    data[20:22] = b"\x20\x00"
    assert not judge(bytes(data))


def test_a_checksum_is_partial_or_not() -> None:
    data = bytearray(tcp_frame(4000, partial=True))
    packet = innermost(bytes(data), len(data))
    assert packet is not None
    assert checksum_is_partial(bytes(data), packet)
    data[50:52] = bytes(2)
    assert not checksum_is_partial(bytes(data), packet)


def test_longer_than_any_card_takes(tmp_path: Path) -> None:
    real = [
        tcp_frame(60_000),
        tcp_frame(80_000, total_length=0),
        tcp_frame(80_000, v6=True)[:18] + bytes(2) + tcp_frame(80_000, v6=True)[20:],
    ]
    odd = [tcp_frame(60_000, total_length=300), tcp_frame(60_000, total_length=65_000)]
    odd += [MAC[:12] + b"\x88\xcc" + bytes(60_000)]
    path = tmp_path / "a.pcap"
    path.write_bytes(pcap_head() + b"".join(map(pcap_record, real + odd)))
    with Frames(path) as frames:
        assert list(frames) == []
        skipped = {str(kind): count for kind, count in frames.skipped.items()}
        assert skipped == {
            "super-packet": 3,
            "impossible": 3,
        }
