"""What is drawn is what the model says."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rxviz.model import descriptor, steps
from rxviz.model.gro.rules import Kind
from rxviz.model.halves import State, halves
from rxviz.model.names import frame_name
from rxviz.model.ring import RxRing
from rxviz.run import words
from rxviz.run.gro_moment import asking
from rxviz.run.gro_why import State as State_
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Moment, Timeline
from rxviz.view import bill, gro, pages, question, ring, skb, socket, story, strip
from rxviz.view import bytes as bytes_zoom
from rxviz.view.cell import Picture, Role
from rxviz.view.cursors import cursors
from rxviz.view.glyphs import UNICODE
from rxviz.view.hexdump import folded, zones
from rxviz.view.panels import PANELS
from rxviz.view.regions import drawn_halves, region_parts, stretch_of
from rxviz.view.slots import REFILL_KINDS, SlotState, bands, slot_at, slot_in_question, states
from tests.model.harness import rx_ring
from tests.view.moments import RUNS, last, moment, timeline

runs = st.sampled_from(list(RUNS))
shares = st.floats(0, 1)


def at_share(run: str, share: float) -> Moment:
    line = timeline(run)
    return line.at(round(share * line.length))


def cut(picture: Picture, kind: str) -> dict[int | str, str]:
    """Return the text inside each target of a kind, by its value."""
    lines = ["".join(span.text for span in line) for line in picture.lines]
    return {
        target.value: "\n".join(
            line[target.x : target.x + target.width] for line in lines[target.y : target.y + target.height]
        )
        for target in picture.targets
        if target.kind == kind
    }


@settings(max_examples=50, deadline=None)
@given(run=runs, share=shares)
def test_slot_states_follow_from_the_cursors(run: str, share: float) -> None:
    at = at_share(run, share)
    m = at.machine
    found = states(m)
    assert sum(length for _, _, length in bands(m)) == m.ring.count
    assert found == [slot_at(at, number).state for number in range(m.ring.count)]
    for number, state in enumerate(found):
        page, intel = m.ring.page_at(number), isinstance(m.ring, RxRing)
        if state is SlotState.DONE:
            assert not intel or descriptor.status_error(m.ring.desc, number) & descriptor.DD
        elif state is SlotState.POSTED:
            assert page is not None
            raw, start = m.ring.descriptor(number), page.dma + m.ring.offset_at(number)
            if m.config.geometry.head:
                # 32 bits of address, and 2 dummy bytes in front of the frame.
                assert int.from_bytes(raw[8:12], "little") == (start - 2) & 0xFFFF_FFFF
            else:
                assert int.from_bytes(raw[:8], "little") == start
        elif state is SlotState.WAITING:
            assert page is not None
        else:
            assert page is None


@settings(max_examples=50, deadline=None)
@given(
    run=runs.filter(lambda run: not run.endswith("large") and "ring=64" not in RUNS[run]),
    share=shares,
    width=st.sampled_from([44, 56, 78, 98]),
)
def test_letters_in_the_ring_are_the_frames_in_done_slots(run: str, share: float, width: int) -> None:
    at = at_share(run, share)
    boxes = cut(ring.draw(at, width, 13), "slot")
    ring_ = at.machine.ring
    assert set(boxes) == set(range(ring_.count))
    for number in range(ring_.count):
        slot = slot_at(at, number)
        inside = boxes[number].split("\n")
        fill = inside[1] if len(inside) > 1 else inside[0]
        letters = "".join(re.findall(r"[A-Z]\d*", fill))
        if slot.frame is not None:
            assert letters == frame_name(slot.frame.id)
            told = (str(slot.length), "K", slot.part.strip() or "K", "written")
            assert len(inside) == 1 or any(words in boxes[number] for words in told)
        elif at.step is not None and at.step.kind == steps.NIC_DMA and at.step.slot == number:
            assert at.step.frame is not None
            assert letters == frame_name(at.step.frame) or len(inside) == 1
        else:
            assert not letters


@settings(max_examples=25, deadline=None)
@given(share=shares, size=st.sampled_from([(56, 13), (78, 14), (98, 20), (140, 24)]))
def test_a_large_ring_counts_its_bands_and_shows_the_slots_in_motion(share: float, size: tuple[int, int]) -> None:
    at = at_share("large", share)
    picture = ring.draw(at, *size)
    text = picture.text()
    lengths = {state: length for state, _, length in bands(at.machine)}
    assert f"{lengths.get(SlotState.DONE, 0)} done" in text
    assert f"{lengths.get(SlotState.POSTED, 0)} posted" in text
    assert f"{lengths.get(SlotState.WAITING, 0)} recycled" in text
    shown = {number for number in cut(picture, "slot") if isinstance(number, int)}
    assert at.machine.nic.rdh in shown
    if at.step is None or at.step.kind not in REFILL_KINDS:
        assert rx_ring(at.machine).next_to_clean in shown


@settings(max_examples=150, deadline=None)
@given(run=runs, share=shares)
def test_all_panels_are_about_the_same_slot_page_half_and_frame(run: str, share: float) -> None:
    at = at_share(run, share)
    ring_, step, slot = at.machine.ring, at.step, slot_in_question(at)
    page = question.page_in_question(at)
    frame = step.frame if step is not None else None
    if ring_.page_at(slot) is not None and frame is None and (step is None or step.page is None):
        assert page is not None
        assert page is ring_.page_at(slot)
        half = question.half_in_question(at, page)
        assert half is not None
        assert half.start <= ring_.offset_at(slot) < half.start + half.size
        if slot_at(at, slot).frame is not None:
            own = question.skb_in_question(at)
            assert own is None or own is ring_.skb_at(slot) or slot_at(at, slot).frame in own.frames
    if frame is not None and page is not None:
        half = question.half_in_question(at, page, of_frame=True)
        elsewhere = [each for each in drawn_halves(at, page) if each.frame is not None and each.frame.id == frame]
        if elsewhere:
            assert half is not None
            assert half.frame is not None
            assert half.frame.id == frame
    note = bytes_zoom.draw(at, 100, 30).text().split("\n")[0]
    assert f"{ring_.DESC} {slot}" in note
    if page is not None and page.kind == "rx" and "head at" not in note:
        assert f"page {page.id} " in note


@pytest.mark.parametrize("run", ["build", "jumbo", "walked", "tunnel"])
def test_every_cursor_is_named_or_marked(run: str) -> None:
    line = timeline(run)
    for position in range(0, line.length, 13):
        at = line.at(position)
        text = ring.draw(at, 98, 15).text()
        moved = any(cursor.moved for cursor in cursors(at))
        assert any(mark in text for mark in "▼▲") == moved
        spots = {cursor.slot for cursor in cursors(at)}
        assert sum(text.count(mark) for mark in "▼▲▽△") == len(spots)


@settings(max_examples=40, deadline=None)
@given(run=runs, share=shares)
def test_pages_say_who_owns_each_half(run: str, share: float) -> None:
    at = at_share(run, share)
    m = at.machine
    picture = pages.draw(at, 98, 20)
    found = cut(picture, "half")
    for page in m.memory.pages.values():
        for half in halves(m, page) if m.config.geometry.parts == 2 and page.kind == "rx" else []:
            text = found.get(f"{page.id}:{half.start}")
            if text is None:
                continue
            letters = re.match(r".? ?([A-Z]\d*) ", text)
            expected = frame_name(half.frame.id) if half.frame is not None else None
            assert (letters.group(1) if letters else None) == expected
            if half.state in (State.POSTED, State.WAITING, State.SPARE):
                assert half.state in text or (half.state is State.POSTED and "DMA" in text)
    for number in cut(picture, "page"):
        page = m.memory.pages[int(number)]
        row = cut(picture, "page")[number]
        if page.slot >= 0 and m.config.rules.bias_start:
            buffer = rx_ring(m).rx_buffer_info[page.slot]
            bias = buffer.pagecnt_bias
            halved = f"{page.refcount}−{bias} = {page.refcount - bias}"
            assert (halved if m.config.geometry.half else f"offset {buffer.page_offset:,}") in row
        elif page.slot < 0 and at.step is not None and at.step.name == "page.give_up" and at.step.page == page.id:
            assert " ✗" in row or not m.config.geometry.half
        else:
            assert f"refs {page.refcount}" in row or not m.config.geometry.half


def test_a_page_given_up_keeps_its_sum_for_that_step_only() -> None:
    line = timeline("build")
    position = line.next_of(0, "page.give_up")
    assert position is not None
    step = line.at(position).step
    assert step is not None
    bias = step.field("bias")
    rows = [pages.draw(line.at(position + later), 62, 13).text().split("\n")[1] for later in (0, 1)]
    assert f"{step.field('count')}−{bias} = 2 ✗" in rows[0]
    assert "refs 2 · left the ring" in rows[1]
    assert "✗" not in rows[1]


def test_a_flip_moves_neither_half_of_the_detail() -> None:
    line = timeline("build")
    position = line.next_of(0, "page.flip")
    assert position is not None
    before, after = (pages.draw(line.at(place), 62, 13).text().split("\n")[-4:-2] for place in (position - 1, position))
    assert "A 1,514" in after[0].partition("│")[2].partition("│")[0]
    assert before[1] == after[1]


@settings(max_examples=40, deadline=None)
@given(run=runs, share=shares)
def test_parts_and_zones_cover_a_half_without_holes(run: str, share: float) -> None:
    at = at_share(run, share)
    for page in list(at.machine.memory.pages.values())[:20]:
        if page.kind != "rx":
            continue
        found = drawn_halves(at, page)
        assert sum(half.size for half in found) == page.size
        for half in found:
            assert sum(part.size for part in region_parts(at, page, half, UNICODE, 60)) == half.size
            spans = zones(at, page, half)
            assert spans[0].start == half.start
            assert spans[-1].end == half.start + half.size
            assert all(one.end == two.start for one, two in pairwise(spans))


@settings(max_examples=60, deadline=None)
@given(run=st.sampled_from([run for run in RUNS if run.startswith("qede_tpa")]), share=shares)
def test_a_buffer_of_the_card_shows_headers_only_where_it_has_written_some(run: str, share: float) -> None:
    """What joins an aggregation is payload from its first byte on, whatever the frame had in front of it."""
    at = at_share(run, share)
    for page in at.machine.memory.pages.values():
        for half in drawn_halves(at, page) if page.kind == "rx" else []:
            stretch = stretch_of(at, page, half)
            if stretch is None:
                continue
            for zone in zones(at, page, half):
                first = zone.start - stretch.offset + stretch.first
                if zone.name in ("eth", "payload"):
                    assert (
                        bytes(page.data[zone.start : zone.end]) == stretch.frame.data[first:][: zone.end - zone.start]
                    )


def test_the_panel_of_gro_says_that_the_card_merges_even_while_it_does_not() -> None:
    assert "The card merges nothing now" in gro.draw(moment("qede_tpa"), 40, 10).text()
    assert "The card merges  A " in gro.draw(moment("qede_tpa", "nic.dma"), 40, 10).text()
    assert "The card merges" not in gro.draw(moment("gro"), 40, 10).text()


@pytest.mark.parametrize("kind", ["skb.build", "seg.next", "tpa.start", "tpa.frag"])
def test_gro_is_not_asked_of_a_frame_that_waits_for_the_card(kind: str) -> None:
    at = moment("qede_tpa", kind)
    assert asking(at) is None
    assert "what will GRO do?" not in gro.draw(at, 60, 12).text()


@settings(max_examples=40, deadline=None)
@given(run=runs, share=shares)
def test_the_skb_is_told_as_it_is(run: str, share: float) -> None:
    at = at_share(run, share)
    found = question.skb_in_question(at)
    text = skb.draw(at, 78, 20).text()
    if found is None:
        frame = question.frame_in_question(at)
        assert not any(frame is None or each.frame.id == frame for each in at.machine.skbs.values())
        return
    assert re.search(rf" len[ ●]{found.len:,} ", text)
    assert re.search(rf" truesize[ ●]{found.truesize:,} ", text)
    assert re.search(rf" frags[ ●]{len(found.frags)} ", text)
    for frag in found.frags if len(found.frags) < 6 else []:
        assert f"page {frag.page.id}" in text
        assert f"{frag.size:,} B" in text
    for each in found.frames[: 1 + len(found.frags)] if not found.waits_for_frame else []:
        assert f" {frame_name(each.id)} " in text


def test_the_story_is_the_sentence_of_the_step() -> None:
    at = moment("build", "page.give_up")
    assert at.step is not None
    told = " ".join(line.strip("│ ") for line in story.draw(at, 76, 9).text().split("\n")[1:-1])
    assert words.text(at.step, at.machine.config) in told
    assert words.why(at.step, at.machine.config) in told
    assert "next_to" not in told
    assert words.where(at.step, at.machine.config) in story.draw(at, 76, 9).text()


def test_the_story_before_the_first_step_tells_what_to_press() -> None:
    text = story.draw(moment("build"), 76, 7).text()
    assert "Nothing has happened yet" in text
    assert "7 buffers" in text
    assert "→" in text


def test_the_bill_is_the_ledger() -> None:
    at = last("legacy")
    text = bill.draw(at, 60, 18).text()
    ledger = at.machine.ledger
    assert bill.frames_done(at.machine) == 12
    for name, total in (
        ("bytes copied", ledger.bytes_copied),
        ("skb heads", ledger.skb_heads),
        ("truesize", ledger.truesize_total),
    ):
        row = next(line for line in text.split("\n") if line.startswith(f"│ {name}"))
        assert f" {total:,} " in row
        assert f" {total / 12:,.0f}" in row
    own = at.frame_bill()
    assert own is not None
    assert f"frame {frame_name(own.frame)} " in text
    for name, key in (("atomic refs", "refs_atomic"), ("sync CPU, B", "sync_cpu_bytes"), ("sk_buffs", "sk_buffs")):
        row = next(line for line in text.split("\n") if line.startswith(f"│ {name}"))
        assert f" {own.bill[key]:,} " in row


def test_the_bill_keeps_the_set_up_apart_and_counts_what_is_lost() -> None:
    text = bill.draw(moment("build"), 60, 18).text()
    assert "set-up apart: 7 maps · 7 posted" in text
    assert re.search(r"pages mapped ·* +– +0 ", text)
    at = moment("copied", "socket.drop", 2)
    assert re.search(r"lost frames[ ·]+– +●2 ", bill.draw(at, 43, 7).text())


def test_a_lost_frame_is_drawn_where_it_is_lost_and_counted_from_then_on() -> None:
    at = moment("copied", "socket.drop", 1)
    assert at.step is not None
    assert at.step.frame is not None
    name = frame_name(at.step.frame)
    lines = strip.draw(at, 120, 3).text().split("\n")
    assert f"✗{name}" in lines[1]
    assert lines[1].index("✗") >= lines[0].index("socket")
    assert "lost 1" in lines[2]
    following = strip.draw(timeline("copied").at(at.position + 1), 120, 3).text()
    assert "✗" not in following
    assert "lost 1" in following
    told = story.draw(at, 76, 9).text()
    assert f"{at.step.field('charged'):,} + 896 > {at.step.field('limit'):,}" in told


def test_a_frame_stands_at_one_stage_only() -> None:
    line = timeline("build")
    for position in range(line.length + 1):
        at = line.at(position)
        seen = [frame.id for stage in strip.stages(at).values() for frame in stage.frames]
        assert len(seen) == len(set(seen))


def test_work_of_the_poll_is_counted_from_the_steps() -> None:
    line = timeline("build")
    for position in range(1, line.length + 1):
        at = line.at(position)
        assert at.step is not None
        if at.step.name == "poll.end":
            assert strip.work_done(line.at(position - 1), line.kinds) == at.step.field("work")
            assert strip.work_done(at, line.kinds) is None


def test_a_descriptor_is_shown_in_both_formats() -> None:
    at = moment("build", "nic.writeback")
    text = bytes_zoom.draw(at, 98, 24).text()
    raw = at.machine.ring.desc[:16]
    assert raw.hex(" ") in text
    assert "pkt_addr" in text
    assert "status_error" in text
    assert "write-back (now)" in text
    posted = bytes_zoom.draw(moment("build", "desc.post"), 98, 24).text()
    assert "read (now)" in posted


@pytest.mark.parametrize("path", ["build_skb", "legacy"])
def test_bytes_that_were_not_captured_are_never_shown_as_bytes(
    path: str, cut_capture: Callable[[str], Timeline]
) -> None:
    line = cut_capture(f"path={path} ring=8")
    position = line.next_of(0, "skb.deliver")
    assert position is not None
    at = line.at(position)
    assert "not captured" in pages.draw(at, 78, 14).text()
    assert "1,418 not captured" in pages.draw(at, 120, 14).text()
    dump = bytes_zoom.draw(at, 98, 40, top=0, half=(0, 0)).text()
    assert "?? ??" in dump
    assert len(re.findall(r"\?\?", bytes_zoom.draw(at, 98, 200, top=0, half=(0, 0)).text())) == 1418
    if path == "build_skb":
        assert "not captured" in skb.draw(at, 78, 14).text()


def test_hex_is_the_memory() -> None:
    at = moment("build", "skb.build")
    page = at.machine.memory.pages[0]
    text = bytes_zoom.draw(at, 98, 200, top=0, half=(0, 0)).text()
    rows = dict(re.findall(r"^│ ([0-9a-f]{4}) +[\d,]+  ((?:[0-9a-f]{2} ){15}[0-9a-f]{2})", text, re.M))
    assert len(rows) == 128
    for start, shown in rows.items():
        assert bytes.fromhex(shown) == bytes(page.data[int(start, 16) : int(start, 16) + 16])


def test_panels_are_found_by_their_keys() -> None:
    assert list(PANELS) == ["ring", "pages", "skb", "story", "bill", "bytes", "gro", "socket", "counters"]
    for key, panel in PANELS.items():
        assert panel.key == key
        assert panel.about.endswith(".")
        assert panel.draw(moment("build"), panel.width, panel.height).lines


def test_layers_are_known_as_soon_as_the_nic_has_written() -> None:
    for run in ("build", "jumbo"):
        at = moment(run, "nic.dma", 2)
        assert at.step is not None
        page = at.machine.memory.pages[at.step.page or 0]
        offset = at.step.field("offset")
        half = next(half for half in drawn_halves(at, page) if half.start <= offset < half.start + half.size)
        names = {zone.name: zone.start for zone in zones(at, page, half)}
        assert names["payload" if run == "jumbo" else "eth"] == offset


def test_the_head_of_a_legacy_skb_can_be_read() -> None:
    at = moment("legacy", "skb.headers", 2)
    text = bytes_zoom.draw(at, 98, 24).text()
    found = question.skb_in_question(at)
    assert found is not None
    assert f"page {found.head_page.id} head at {found.head:,}" in text
    head = bytes(found.head_page.data[found.head + 64 : found.head + 80])
    assert head.hex(" ") in text


def test_repeated_lines_are_folded() -> None:
    assert folded(list(range(10)), 6, lambda row: row in (0, 9)) == [0, 1, "… 7 lines of the same", 9]
    assert folded(list(range(3)), 6, lambda row: 0) == [0, "… 2 lines of the same"]
    assert folded(list(range(10)), 5, lambda row: row) == [0, 1, 2, "… 6 more lines", 9]


def test_payload_is_told_by_its_length_on_the_wire(cut_capture: Callable[[str], Timeline]) -> None:
    line = cut_capture("ring=8")
    position = line.next_of(0, "skb.deliver")
    assert position is not None
    assert "1,448 B, 30 captured" in skb.draw(line.at(position), 120, 12).text()
    assert "A 1,514" in pages.draw(line.at(position), 62, 13).text()


def test_parts_of_a_chained_frame_are_numbered() -> None:
    at = moment("jumbo", "nic.writeback", 3)
    assert "3/3" in ring.draw(at, 56, 13).text()
    whole = skb.draw(moment("built_jumbo", "skb.deliver", 1), 120, 10).text()
    assert "frag 0" in whole
    assert "frag 1" in whole


# ----------------------------------------------------------------------------------------------------------------- GRO
@settings(max_examples=40, deadline=None)
@given(run=st.sampled_from(["gro", "gro_list", "gro_legacy", "gro_jumbo"]), share=shares)
def test_what_gro_asks_on_screen_is_what_the_machine_decided(run: str, share: float) -> None:
    line = timeline(run)
    position = line.next_of(round(share * line.length), "gro.receive")
    if position is None:
        return
    before = asking(line.at(position))
    assert before is not None
    assert not before.decided
    names = ("gro.held", "gro.merge", "gro.normal")
    told = min(at for name in names if (at := line.next_of(position, name)) is not None)
    verdict = before.decision.verdict
    step = line.at(told).step
    assert step is not None
    assert step.frame == before.frame.id
    assert step.name == {"HELD": "gro.held", "NORMAL": "gro.normal"}.get(verdict.name, "gro.merge")
    after = asking(line.at(told))
    assert after is not None
    assert after.decided
    assert (after.decision.verdict, after.asked) == (verdict, before.asked)
    if step.name == "gro.merge":
        assert step.field("into") == before.held[0].id
        assert all(asked.state is State_.PASSED for asked in after.asked if asked.rule.kind is not Kind.CLOSE)


def test_the_gro_panel_names_what_failed_with_both_values() -> None:
    at = moment("gro", "gro.flush", 2)
    text = gro.draw(at, 60, 20).text()
    assert "✗" in text
    failed = [asked for asked in asking(at).asked if asked.state is State_.FAILED]  # type: ignore[union-attr]
    assert failed
    for asked in failed:
        assert asked.new in text
        assert asked.old in text


@settings(max_examples=40, deadline=None)
@given(run=runs, share=shares)
def test_the_socket_panel_draws_every_skb_and_what_is_charged(run: str, share: float) -> None:
    at = at_share(run, share)
    queue = at.machine.socket.queue
    picture = socket.draw(at, 98, 20)
    assert f"{at.machine.socket.charged:,} of {at.machine.socket.limit:,} charged" in picture.text()
    assert {target.value for target in picture.targets} == {skb.frame.id for skb in queue}


@settings(max_examples=40, deadline=None)
@given(run=st.sampled_from(["gro", "gro_list", "gro_legacy"]), share=shares)
def test_the_letter_in_a_half_is_the_frame_whose_bytes_lie_there(run: str, share: float) -> None:
    at = at_share(run, share)
    for page in at.machine.memory.pages.values():
        for half in halves(at.machine, page) if page.kind == "rx" else []:
            if half.skb is None or half.frame is None:
                continue
            stretch = stretch_of(at, page, half)
            assert stretch is not None
            assert stretch.frame is half.frame
            data = bytes(page.data[stretch.offset : stretch.offset + stretch.size])
            there = half.frame.data[stretch.first : stretch.first + stretch.size]
            headers = at.machine.skbs[half.skb].headers
            assert data == there or (data[66:] == there[66:] and data.startswith(headers))


@settings(max_examples=80, deadline=None)
@given(run=runs, share=shares, size=st.sampled_from([(56, 13), (76, 13), (120, 24)]))
def test_nothing_blank_is_marked_as_changed(run: str, share: float, size: tuple[int, int]) -> None:
    at = at_share(run, share)
    for key, panel in PANELS.items():
        spans = [span for line in panel.draw(at, *size).lines for span in line]
        assert not [span for span in spans if span.role == Role.CHANGED and not span.text.strip()], key


@settings(max_examples=30, deadline=None)
@given(share=shares, width=st.sampled_from([60, 76, 98]))
def test_bars_of_chunks_are_as_long_as_each_other(share: float, width: int) -> None:
    line = Timeline(parse_line("mv643xx_eth traffic=tcp:1514x90"))
    line.extend()
    drawn = pages.draw(line.at(round(share * line.length)), width, 13).text().split("\n")
    assert len({row.index("▏") for row in drawn if "▏" in row}) == 1


@settings(max_examples=80, deadline=None)
@given(run=runs, share=shares)
def test_words_on_pages_and_slots_are_short_before_they_are_cut(run: str, share: float) -> None:
    at = at_share(run, share)
    assert "…" not in pages.draw(at, 78, 13).text()
    for width in (56, 78):
        assert "…" not in ring.draw(at, width, 13).text().split("\n")[-1]
    for line in skb.draw(at, 44, 12).text().split("\n")[1:2]:
        assert "…" not in line


@settings(max_examples=60, deadline=None)
@given(run=runs, share=shares)
def test_at_80_columns_stages_have_their_names_and_interrupt_and_poll_are_in_sight(run: str, share: float) -> None:
    at = at_share(run, share)
    names, frames = strip.draw(at, 80, 2).text().split("\n")
    assert "…" not in names
    assert " irq" in names
    assert ("poll" in frames) or frames.endswith("idle")


def test_a_stage_too_narrow_for_a_block_names_its_first_frame() -> None:
    names, frames = strip.draw(moment("qede_tpa", "tpa.frag", 12), 80, 2).text().split("\n")
    assert names.index("skb") <= frames.index("+", names.index("skb")) < names.index("GRO")
    assert re.search(r"\+\d+[A-Z]", frames[names.index("skb") : names.index("GRO")])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("ixgbe ring=8", "gro=on switches it on."),
        ("mv643xx_eth", "Merging them takes gro=on and deliver=napi_gro_receive."),
        ("mv643xx_eth gro=on", "On, but nobody calls it. "),
        ("mv643xx_eth lro=on forward=bridge", "Off: the kernel switches LRO off in a bridge."),
    ],
)
def test_the_panel_of_gro_says_why_nothing_is_merged(line: str, told: str) -> None:
    at = Timeline(parse_line(line)).at(0)
    for width in (38, 80):
        said = " ".join(row.strip("│ ") for row in gro.draw(at, width, 11).text().split("\n")[1:-1])
        assert told.strip() in said
