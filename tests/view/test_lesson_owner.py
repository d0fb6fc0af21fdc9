"""Whose the bytes of a page are: as the steps of the run say it, half by half."""

from __future__ import annotations

import pytest

from rxviz.model.halves import halves
from rxviz.run.scenario import parse_line
from rxviz.run.timeline import Timeline
from rxviz.run.trace import Step
from rxviz.view.glyphs import UNICODE
from rxviz.view.lesson_memory import reader_line
from rxviz.view.lesson_owner import CPU, NIC, NOBODY, draw, owned

LINE = "ixgbe kernel=6.18 path=build_skb ring=8 traffic=udp:64px24 reader=5000"


def played(line: str) -> Timeline:
    timeline = Timeline(parse_line(line))
    timeline.extend()
    return timeline


def shown(timeline: Timeline, position: int) -> str:
    return draw(timeline, timeline.at(position), 78, 10).text()


def step_at(timeline: Timeline, position: int) -> Step:
    step = timeline.at(position).step
    assert step is not None
    return step


def after(timeline: Timeline, kind: str, **where: int) -> int:
    """The position after the first step of a kind, on a page or of a frame."""
    return next(
        position for position in range(1, timeline.length + 1)
        if (step := step_at(timeline, position)).name == kind
        and all(getattr(step, name) == value for name, value in where.items())
    )  # fmt: skip


def test_a_half_goes_from_the_nic_to_the_cpu_and_the_other_one_back() -> None:
    run = played(LINE)
    kinds = ("nic.dma", "buf.sync", "page.reuse", "page.give_up")
    told = {kind: shown(run, after(run, kind, page=2)) for kind in kinds}
    assert "half A  the NIC's: it has just written frame C, 106 bytes" in told["nic.dma"]
    assert "half A  the CPU's: frame C, 106 bytes synced" in told["buf.sync"]
    assert "half B  the CPU's: next in turn" in told["page.reuse"]
    assert "page 2 · mapped" in told["page.reuse"]
    assert "page 2 · unmapped" in told["page.give_up"]
    assert "half A  the NIC's: frame C is written, and not synced yet" in shown(run, after(run, "desc.done", frame=2))
    assert "half B  the NIC's: it has just written frame J" in shown(run, after(run, "nic.dma", frame=9))


@pytest.mark.parametrize("line", [
    "ixgbe ring=4 traffic=udp:64px9 reader=5000", "ixgbe kernel=4.9 ring=4 traffic=tcp:1514x6 reader=3000",
    "igb ring=4 traffic=tcp:1514x6 reader=3000", "ixgbe ring=6 mtu=9000 traffic=tcp:4000x4 reader=3000",
])  # fmt: skip
def test_a_frame_is_the_cpus_from_its_sync_on_and_never_before(line: str) -> None:
    run = played(line)
    half_size = parse_line(line).geometry.half
    synced: set[tuple[int | None, int | None, int]] = set()
    for position in range(1, run.length + 1):
        step, moment = step_at(run, position), run.at(position)
        if step.name == "buf.sync":
            synced.add((step.frame, step.page, step.field("offset") // half_size * half_size))
        for page in moment.machine.memory.pages.values():
            if page.kind != "rx":
                continue
            for half in halves(moment.machine, page):
                own = owned(run, moment, page, half)
                if half.frame is not None:
                    assert (own.whose == CPU) == ((half.frame.id, page.id, half.start) in synced), (position, own)
                    assert not own.wrong
                else:
                    assert own.whose in (NIC, CPU, NOBODY)


def test_what_was_never_synced_is_said_to_be_wrong() -> None:
    run = played(f"{LINE} off=sync_cpu")
    assert "frame C has gone up, and was never synced" in shown(run, after(run, "socket.queue", frame=2))


def test_any_size_is_drawn() -> None:
    run = played(LINE)
    for width, height in ((1, 1), (12, 3), (20, 5), (78, 7), (132, 12)):
        for position in (0, after(run, "buf.sync", page=2), run.length):
            picture = draw(run, run.at(position), width, height)
            assert [len("".join(text for text, _ in line)) for line in picture.lines] == [width] * height


def test_a_page_without_halves_has_no_owner_to_show() -> None:
    run = played("ixgbe ring=8 page_size=8192 traffic=tcp:1514x4")
    last = shown(run, run.length)
    assert "No page of two halves is at hand." in last
    assert f"synced: CPU {run.at(run.length).machine.ledger.sync_cpu_bytes:,}" in last


def test_an_old_frames_bytes_are_recognised_while_its_skb_lives() -> None:
    """The program reads the first frame when many more have come: its bytes are its own all the same."""
    run = played("ixgbe kernel=6.18 ring=8 traffic=udp:64px40 reader=20000")
    moment = run.at(after(run, "reader.read", frame=2))
    assert moment.machine.offered > 30
    skb = next(skb for skb in moment.machine.skbs.values() if skb.frame.id == 2)
    line = "".join(text for text, _ in reader_line(skb, moment.machine, 6, UNICODE, "ok", "bad"))
    assert line == "a program reads C: C C C C C C ok"
