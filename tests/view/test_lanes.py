"""The pictures of two lanes: as text against golden ones, at any size, and their figures against the model."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.run.lane_words import make_lanes
from rxviz.run.lanes import Lane
from rxviz.run.lockstep import Lockstep, looks
from rxviz.run.scenario import parse_line
from rxviz.view import lanes_bill, lanes_part, lanes_track
from rxviz.view.bill import softirq_ns
from rxviz.view.cell import Picture, Role
from rxviz.view.glyphs import ASCII, SETS, UNICODE, Glyphs
from rxviz.view.lanes import LaneHead, LaneView, draw, word_rows
from rxviz.view.lanes_bill import Side
from rxviz.view.lanes_words import does, fate, listed
from tests.view.test_properties import ROLES

GOLDEN = Path(__file__).parent / "golden"
LINES: dict[str, tuple[str, tuple[str, ...]]] = {
    "paths": ("ixgbe ring=8 traffic=tcp:1514x12 reader=slow", ()),
    "short": ("ixgbe ring=8 traffic=udp:90x6 reader=slow", ()),
    "jumbo": ("ixgbe mtu=9000 ring=16 traffic=tcp:5000x4", ()),
    "walked": ("ixgbe page_size=8192 ring=8 traffic=tcp:1514x12 reader=2000", ()),
    "large": ("ixgbe ring=512 traffic=tcp:1514x40 reader=slow", ()),
    "kernels": ("ixgbe ring=8 traffic=tcp:600x9 reader=slow", ("kernel=4.9", "kernel=6.18")),
    "lost": ("ixgbe ring=8 traffic=udp:90x12 reader=off", ("rcvbuf=3000", "rcvbuf=9000")),
    "refused": ("ixgbe ring=8 traffic=udp:1900x3", ("mtu=1500", "mtu=3000")),
    "same": ("ixgbe ring=8 traffic=tcp:1514x4", ("ring=8", "ring=8")),
    "rules": ("ixgbe ring=8 traffic=tcp:1514x12 reader=slow", ("off=none", "off=reuse_check")),
}
SIDES = Side("legacy", Role.LEGACY), Side("build_skb", Role.BUILD)


@cache
def lockstep(name: str) -> Lockstep:
    line, words = LINES[name]
    return Lockstep(make_lanes(parse_line(line), words))


def view(lane: Lane, frame: int, position: int | None = None) -> LaneView:
    at, moment = looks(lane, frame), lane.timeline.at
    head = LaneHead("left", lane.name, Role.LEGACY, "ixgbe 6.18 · legacy-rx on · ring 8", chosen=True)
    if position is not None:
        here = moment(position)
        return LaneView(head, frame, here, here, here, here, "A step.", "Its reason, in some words.", now=True)
    return LaneView(
        head, frame, moment(at.ring), moment(at.page), moment(at.skb), moment(at.end), does(lane, frame),
        fate=fate(lane, frame),
    )  # fmt: skip


def check(picture: Picture, width: int, height: int, glyphs: Glyphs) -> None:
    assert (picture.width, len(picture.lines)) == (width, height)
    for line in picture.lines:
        text = "".join(span.text for span in line)
        assert len(text) == width
        assert text.isprintable()
        assert glyphs.name != "ascii" or text.isascii()
        assert all(span.role in ROLES for span in line)
    for target in picture.targets:
        assert target.kind in {"lane", "track", "row"}
        assert 0 <= target.x < target.x + target.width <= width
        assert 0 <= target.y < target.y + target.height <= height


widths = st.one_of(st.integers(1, 20), st.integers(1, 210))
heights = st.one_of(st.integers(1, 8), st.integers(1, 40))
glyph_sets = st.sampled_from(list(SETS.values()))


@settings(max_examples=100, deadline=None)
@given(
    name=st.sampled_from(list(LINES)), share=st.floats(0, 1), in_steps=st.booleans(), width=widths, height=heights,
    glyphs=glyph_sets,
)  # fmt: skip
def test_anything_is_drawn_at_any_size(
    name: str, share: float, in_steps: bool, width: int, height: int, glyphs: Glyphs
) -> None:
    known = lockstep(name)
    number = round(share * (known.frames - 1))
    pair = known.lanes.pairs[number]
    for lane, end in ((known.lanes.left, pair.left), (known.lanes.right, pair.right)):
        shown = view(lane, pair.frame, max(round(share * end), 1) if in_steps else None)
        check(draw(shown, width, height, rows=word_rows(shown, width), glyphs=glyphs), width, height, glyphs)
    bill = lanes_bill.lines(known.lanes.left.timeline.at(pair.left).machine, known.lanes.right.timeline.at(1).machine)
    for step in ("", "step 3 of frame A"):
        check(lanes_bill.draw(bill, number, SIDES, width, height, step=step, glyphs=glyphs), width, height, glyphs)
    part = lanes_part.parting(known, number)
    check(lanes_part.draw_parting(part, SIDES, width, height, first=3, glyphs=glyphs), width, height, glyphs)
    at = round(share * 5) if in_steps else None
    check(lanes_part.draw_steps(known, pair.frame, SIDES, width, height, at=at, glyphs=glyphs), width, height, glyphs)
    marks = lanes_track.marks(known.frames, known.differing, known.firsts)
    check(lanes_track.draw_track(marks, number, width, height, glyphs=glyphs), width, height, glyphs)
    head = lanes_track.draw_header(number, known.frames, 3, 2, width, step=(2, 14), play="▶ ×1", glyphs=glyphs)
    check(head, width, 1, glyphs)


@pytest.mark.parametrize("name", LINES)
def test_the_bill_says_what_the_ledgers_say(name: str) -> None:
    known = lockstep(name)
    for pair in known.lanes.pairs[:: max(known.frames // 5, 1)]:
        left = known.lanes.left.timeline.at(pair.left).machine
        right = known.lanes.right.timeline.at(pair.right).machine
        bill = {line.name: line for line in lanes_bill.lines(left, right)}
        for label, key in lanes_bill.LEDGER:
            assert (bill[label].left, bill[label].right) == (getattr(left.ledger, key), getattr(right.ledger, key))
        assert (bill["softirq ns"].left, bill["softirq ns"].right) == (softirq_ns(left), softirq_ns(right))
        text = lanes_bill.draw(list(bill.values()), 1, SIDES, 80, 30).text()
        for label, key in lanes_bill.LEDGER:
            found = re.search(rf"{label} .*?([\d,]+) .*?([\d,]+) *│$", text, re.MULTILINE)
            assert found is not None, label
            shown = tuple(int(figure.replace(",", "")) for figure in found.groups())
            assert shown == (getattr(left.ledger, key), getattr(right.ledger, key))


def test_the_last_bill_is_the_result_of_the_runs() -> None:
    known = lockstep("paths")
    lanes = (known.lanes.left, known.lanes.right)
    ends = [lane.timeline.at(len(lane.trace)).machine for lane in lanes]
    for line in lanes_bill.lines(*ends):
        if line.name == "softirq ns":
            assert (line.left, line.right) == tuple(lane.result["cpu_ns"]["softirq"] for lane in lanes)
    ledger = dict(lanes_bill.LEDGER)
    shown = {ledger[line.name]: (line.left, line.right) for line in lanes_bill.lines(*ends) if line.name in ledger}
    for key, value in lanes[0].result["ledger"].items():
        if key in shown:
            assert shown[key] == (value, lanes[1].result["ledger"][key])


def test_what_differs_is_marked_without_colour() -> None:
    known = lockstep("paths")
    pair = known.lanes.pairs[3]
    bill = lanes_bill.lines(
        known.lanes.left.timeline.at(pair.left).machine, known.lanes.right.timeline.at(pair.right).machine
    )
    text = lanes_bill.draw(bill, 4, SIDES, 76, 24).text()
    for line in bill[:-1]:
        mark = UNICODE.changed if line.differs else UNICODE.spare
        assert f"{mark} {line.name} " in text


def test_where_the_paths_part() -> None:
    part = lanes_part.parting(lockstep("paths"), 2)
    assert part.left == (
        "allocates a head of 640 bytes, attaches 1,514 bytes of page 2 as a fragment and copies 66 bytes of headers "
        "into the head"
    )
    assert part.right == "wraps an sk_buff round the bytes where they lie"
    assert part.why.startswith("No byte moves and no head is allocated")
    assert part.prices[:3] == (("bytes copied", 72, 0), ("new heads", 1, 0), ("bytes charged", 2944, 2304))
    assert (part.at, part.of) == (7, 15)


def test_lanes_that_go_the_same_way_say_so() -> None:
    part = lanes_part.parting(lockstep("same"), 1)
    assert (part.at, part.left, part.right, part.prices) == (0, "", "", ())
    assert "do not part" in lanes_part.draw_parting(part, SIDES, 60, 8, first=None).text()


def test_a_frame_that_is_lost_in_one_lane_is_told_so() -> None:
    known = lockstep("lost")
    part = lanes_part.parting(known, known.firsts[0])
    assert part.left == "loses it at the socket, which is full"
    assert part.right == "gets it to the socket"


def test_a_mark_stands_where_it_can_be_pressed() -> None:
    for frames in (1, 2, 10, 43, 300, 5000):
        for width in (3, 40, 78, 120):
            for number in {0, frames // 3, frames - 1}:
                x = lanes_track.column_of(number, width, frames)
                assert 0 < x < width - 1 or width == 3
                found = lanes_track.frame_at(x, width, frames)
                assert lanes_track.column_of(found, width, frames) == x
                if frames < width - 2:
                    assert found == number


def test_of_many_frames_in_one_cell_the_first_of_its_kind_is_seen() -> None:
    marks = lanes_track.marks(5000, range(100, 4000), [100, 2222])
    track = lanes_track.draw_track(marks, 0, 60, 3).text().splitlines()[1]
    assert track.count("◆") == 2
    assert track.startswith("├·")
    assert track.endswith("·┤")


def test_listed() -> None:
    assert [listed(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize("name", ["paths", "short", "jumbo", "walked", "large", "kernels"])
def test_golden(name: str) -> None:
    known = lockstep(name)
    number = min(2, known.frames - 1)
    pair = known.lanes.pairs[number]
    parts = []
    for width, height in ((59, 18), (80, 10), (99, 20)):
        for lane in (known.lanes.left, known.lanes.right):
            shown = view(lane, pair.frame)
            parts.append(draw(shown, width, height, rows=word_rows(shown, width)).text())
    bill = lanes_bill.lines(
        known.lanes.left.timeline.at(pair.left).machine, known.lanes.right.timeline.at(pair.right).machine
    )
    parts.append(lanes_bill.draw(bill, number + 1, SIDES, 75, 15).text())
    parts.append(lanes_part.draw_parting(lanes_part.parting(known, number), SIDES, 44, 15).text())
    parts.append(lanes_part.draw_parting(lanes_part.parting(known, number), SIDES, 72, 19).text())
    parts.append(lanes_part.draw_steps(known, pair.frame, SIDES, 44, 15, at=6).text())
    parts.append(lanes_part.draw_steps(known, pair.frame, SIDES, 160, 20).text())
    if name == "paths":
        shown = view(known.lanes.left, pair.frame)
        parts.append(draw(shown, 59, 18, rows=word_rows(shown, 59), glyphs=ASCII).text())
    text = "\n".join(parts) + "\n"
    path = GOLDEN / f"lanes-{name}.txt"
    if os.environ.get("RXVIZ_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
