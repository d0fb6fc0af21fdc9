"""The picture of a poll: where each frame is at every step, what it carries, and the skbs that went up."""

from __future__ import annotations

import pytest

from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Moment, Timeline
from rxviz.view import poll
from rxviz.view.glyphs import ASCII
from rxviz.view.lesson_merged import lost

LINE = "ixgbe ring=16 gro=on reader=off traffic=segs:300p:1,1,2,1,1p,1"


def at(line: str, kind: str = "", frame: int = 0) -> Moment:
    """The moment behind a step of a kind of a frame; the end of the run without a kind."""
    timeline = Timeline(parse_line(line))
    timeline.extend()
    if not kind:
        return timeline.at(timeline.length)
    for position in range(1, timeline.length + 1):
        moment = timeline.at(position)
        if moment.step is not None and (moment.step.name, moment.step.frame) == (kind, frame):
            return moment
    raise AssertionError(kind)


def rows(moment: Moment, width: int = 80, height: int = 9) -> dict[str, list[str]]:
    """The rows of the picture by their names, cell by cell."""
    lines = poll.draw(moment, width, height).text().splitlines()[1:-1]
    told = {}
    for line in lines:
        inside = line.strip("│").rstrip()
        told[inside[: poll.LABEL].strip()] = inside[poll.LABEL :].split()
    return told


def test_a_poll_from_its_first_frame_to_its_end() -> None:
    before = rows(Timeline(parse_line(LINE)).at(0))
    assert before["frame"] == list("ABCDEF")
    assert before["connection"] == list("112111")
    assert before["bytes"] == ["1–300", "301–600", "1–300", "601–900", "901–1200", "1201–1500"]
    assert before["carries"] == ["PSH"]
    assert before["now"] == before["skbs up"] == []
    joined = rows(at(LINE, "gro.merge", 1))
    assert joined["now"][:3] == ["held", "in", "A"]
    pushed = rows(at(LINE, "gro.flush", 0))
    assert pushed["now"] == ["leaves", "in", "A", "held", "in", "A", "in", "A", "in", "ring"]
    assert pushed["skbs up"] == list("ABDE")
    end = rows(at(LINE))
    assert end["now"] == ["up", "in", "A", "up", "in", "A", "in", "A", "up"]
    assert end["skbs up"] == list("ABDECF")


@pytest.mark.parametrize(
    ("segments", "carries"),
    [
        ("1,1a,1", ["ACK", "1", "ACK", "101", "ACK", "101"]),
        ("1,1w", ["win", "229", "win", "230"]),
        ("1,1e,1f", ["no", "data", "FIN"]),
        ("1,2,1", []),
    ],
)
def test_what_a_frame_carries(segments: str, carries: list[str]) -> None:
    assert rows(at(f"ixgbe ring=16 gro=on reader=off traffic=segs:300p:{segments}"))["carries"] == carries


def test_connections_keep_their_numbers_in_whatever_order_frames_come() -> None:
    assert rows(at(f"{LINE} order=2,0,1,3,4,5"))["connection"] == list("211111")


def test_of_little_room_the_least_is_given_up_first() -> None:
    moment = at(LINE)
    assert list(rows(moment, height=5)) == ["frame", "now", "skbs up"]
    assert list(rows(moment, height=6)) == ["frame", "connection", "now", "skbs up"]
    assert "+1" not in poll.draw(moment, 80, 9).text()
    assert poll.draw(moment, 80, 3).text()
    assert poll.draw(moment, 12, 2).text()


def test_a_long_run_shows_the_frames_round_the_step_and_counts_the_rest() -> None:
    many = at("ixgbe ring=128 gro=on reader=off rcvbuf=1000000 traffic=udp:64px96")
    shown = poll.draw(many, 80, 9).text()
    assert "96 skbs up" in shown
    assert "The poll, frames" in shown
    assert " skbs " in shown.splitlines()[-2]
    assert all(len(line) == 80 for line in shown.splitlines())
    one = at("ixgbe ring=128 gro=on reader=off rcvbuf=1000000 traffic=tcp:300x60")
    assert "+" in poll.draw(one, 80, 9).text().splitlines()[-2]


def test_it_can_be_drawn_with_letters_only_with_gro_off_and_with_a_reader() -> None:
    off = at("ixgbe ring=16 reader=fast traffic=tcp:300x6")
    said = poll.draw(off, 80, 9, glyphs=ASCII).text()
    assert said.isascii()
    assert "6 skbs read" in said
    assert rows(at("ixgbe ring=16 reader=off traffic=tcp:300x3"))["skbs up"] == list("ABC")


def test_the_frame_in_hand_and_what_is_covered() -> None:
    start = Timeline(parse_line(LINE)).at(0)
    assert "▸ C ◂" in poll.draw(start, 80, 9, chosen=2).text()
    assert "how many?" in poll.draw(start, 80, 9, covered=True).text()
    assert "skbs up" not in poll.draw(at(LINE), 80, 9, covered=True).text().splitlines()[0]


def test_loads_in_a_list() -> None:
    lines = {"bulk": "traffic=tcp:1514x20", "acks": "traffic=tcp:66x20", "datagrams": "traffic=udp:64px20"}
    moments = [(name, at(f"ixgbe ring=64 gro=on reader=off {words}")) for name, words in lines.items()]
    said = poll.loads(moments, 80, 8).text()
    assert "20 frames: 20 skbs" in said
    assert "TCP without payload" in said
    assert "UDP, 64 bytes" in said
    assert poll.loads(moments, 80, 5).text()


@pytest.mark.parametrize(
    ("segments", "off", "said"),
    [
        ("1,1a", "gro_same_ack", "A B in one skb: B said ACK 101, not 1"),
        ("1,1w", "gro_same_window", "A B in one skb: B said window 230, not 229"),
        ("1,1p,1", "gro_flush_on_psh", "A B C in one skb: B carried PSH"),
        ("1,1g", "gro_in_sequence", "A B in one skb: B began at byte 601, not at 301"),
        ("1,2", "gro_same_hash,gro_same_ports,gro_in_sequence", "A B in one skb: B is of another connection"),
        ("1,1,1", "none", ""),
    ],
)
def test_what_a_merged_skb_has_lost_is_named(segments: str, off: str, said: str) -> None:
    assert lost(at(f"ixgbe ring=16 gro=on reader=off traffic=segs:300p:{segments} off={off}").machine) == said
