"""LRO in the machine: real skbs chained, one header with the newest ACK and window, and the counters of ethtool."""

from __future__ import annotations

from rxviz.model.frame import Frame
from rxviz.run.engine import make_machine
from rxviz.run.scenario import parse_line
from rxviz.run.trace import record
from rxviz.wire.checksum import internet_checksum
from tests.model.harness import dark, kinds
from tests.run.lines import counted

BASE = "mv643xx_eth lro=on ring=64 itr=250 reader=off"


def segments(words: str, more: str = "") -> str:
    return f"{BASE} burst=40 gap=2000000 rate=line traffic=segs:1448p:{words} {more}"


def test_lro_keeps_the_last_ack_and_window_in_the_one_header_that_is_left() -> None:
    # The first frame comes alone, the other five wait for the next interrupt.
    m = make_machine(parse_line(segments("1n,1,1a,1w,1,1a")))
    m.run()
    alone, merged = m.socket.queue
    assert (alone.segs, merged.segs) == (1, 5)
    data = merged.payload()
    first = merged.frame.data
    assert int.from_bytes(first[42:46], "big") == 1
    assert int.from_bytes(data[42:46], "big") == 201
    assert int.from_bytes(first[48:50], "big") == 229
    assert int.from_bytes(data[48:50], "big") == 230
    assert int.from_bytes(data[16:18], "big") == 52 + 5 * 1448
    assert internet_checksum(data[14:34]) == 0
    pseudo = int.from_bytes(data[26:34], "big") + 6 + len(data) - 34
    assert internet_checksum(data[34:], pseudo) == 0
    assert data[66:] == b"".join(frame.data[66:] for frame in merged.frames)
    assert dark(m)


def test_the_skbs_are_chained_whole() -> None:
    m = make_machine(parse_line(segments("1n,1,1,1,1")))
    m.run()
    merged = m.socket.queue[1]
    assert (len(merged.frag_list), len(merged.frags)) == (3, 0)
    assert merged.truesize == 4 * 2176
    assert (merged.len, merged.data_len) == (52 + 4 * 1448, 3 * 1448)
    assert (merged.gso_size, merged.gso_type) == (1448, ())
    assert merged.is_intact()


def test_psh_does_not_end_a_packet_and_is_lost() -> None:
    m = make_machine(parse_line(segments("1n,1,1p,1")))
    m.run()
    merged = m.socket.queue[1]
    assert merged.segs == 3
    assert merged.payload()[47] == 0x10


def test_one_header_tells_what_a_step_says() -> None:
    m = make_machine(parse_line(segments("1n,1,1a,1w")))
    steps = list(record(m))
    assert [(step.field("ack"), step.field("window")) for step in kinds(steps, "lro.merge")] == [(101, 229), (101, 230)]
    flush = kinds(steps, "lro.flush")[-1]
    assert (flush.field("segs"), flush.field("gso_size")) == (3, 1448)


def test_a_batch_of_sixteen_is_the_most_that_comes_together() -> None:
    # rxq_process is called for 16 frames at a time, and flushes on its way out.
    m = make_machine(parse_line(f"{BASE} burst=41 gap=2000000 rate=line traffic=tcp:1514x41 rcvbuf=1000000"))
    m.run()
    assert max(skb.segs for skb in m.socket.queue) <= 16
    counters = m.counters()
    assert counters["lro_aggregated"] == 41
    assert counters["lro_flushed"] == len(m.socket.queue)
    assert dark(m)


def test_eight_connections_are_followed_and_the_ninth_goes_past() -> None:
    m = make_machine(parse_line(f"{BASE} burst=40 gap=2000000 rate=line traffic=tcp:1514x40 flows=9 rcvbuf=1000000"))
    m.run()
    counters = m.counters()
    assert counters["lro_no_desc"] > 0
    assert counters["lro_aggregated"] + counters["lro_no_desc"] == 40
    assert dark(m)


def test_what_lro_does_not_take_flushes_its_connection_first() -> None:
    m = make_machine(parse_line(segments("1n,1,1,1f,1")))
    steps = list(record(m))
    told = [step for step in steps if step.name in ("lro.flush", "lro.alone", "lro.start")][2:]
    assert [step.name for step in told] == ["lro.start", "lro.flush", "lro.alone", "lro.start", "lro.flush"]
    assert [frame.id for skb in m.socket.queue for frame in skb.frames] == [0, 1, 2, 3, 4]
    assert dark(m)


def test_lro_asks_for_the_nics_verdict() -> None:
    m = make_machine(parse_line(segments("1n,1,1,1", "rxcsum=off")))
    m.run()
    assert counted(m, "lro.receive") == 0
    assert all(skb.segs == 1 for skb in m.socket.queue)
    remarks = parse_line(segments("1,1", "rxcsum=off")).remarks()
    assert any(each.startswith("lro=on does nothing here") for each in remarks)


def test_what_passes_lro_may_overtake_what_it_holds() -> None:
    """A segment whose checksum is wrong goes to the stack at once, while LRO still has the ones before it."""
    m = make_machine(parse_line(segments("1n,1,1,1")))
    good = m.source.frame

    def frame(i: int) -> Frame | None:
        found = good(i)
        if found is not None and found.id == 2:
            found.status = 0
        return found

    m.source.frame = frame  # type: ignore[method-assign]
    m.run()
    assert [frame.id for skb in m.socket.queue for frame in skb.frames] == [0, 2, 1, 3]
    assert dark(m)
