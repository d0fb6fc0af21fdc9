"""Whose the bytes of a page are just now, the NIC's or the CPU's: what was handed over by a sync, and what was not."""

from __future__ import annotations

from typing import NamedTuple

from rxviz.model import steps
from rxviz.model.halves import Half, State
from rxviz.model.memory import Page
from rxviz.model.names import frame_name, half_name
from rxviz.run.timeline import Moment, Timeline
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.question import page_in_question
from rxviz.view.regions import drawn_halves, state_letter, stretch_of

NIC, CPU, NOBODY = "the NIC's", "the CPU's", "nobody's"
_ROLES = {NIC: Role.NIC, CPU: Role.DRIVER, NOBODY: Role.REST}
TALLEST = 3
"""Lines of a half: whose it is, its bar, and a blank one."""
GAP = 3
"""Columns between two sums."""


class Owned(NamedTuple):
    """Whose a half is, why, and which of its bytes that is about: `size` of them from `offset` in the page on."""

    whose: str
    words: str
    offset: int = 0
    size: int = 0
    wrong: bool = False
    """The CPU has used bytes that were never handed over."""


def owned(run: Timeline, moment: Moment, page: Page, half: Half) -> Owned:
    """Say whose a half of a page is at a moment of a run."""
    geometry = moment.machine.config.geometry
    if half.frame is not None:
        return _of_frame(run, moment, page, half)
    if half.state is State.POSTED:
        step = moment.step
        if step is not None and step.kind == steps.NIC_DMA and step.page == page.id and step.frame is not None:
            offset, size = step.field("offset"), step.field("size")
            return Owned(NIC, f"it has just written frame {frame_name(step.frame)}, {size:,} bytes", offset, size)
        words = f"posted in slot {half.slot}, it may write {geometry.bufsz:,} bytes"
        return Owned(NIC, words, half.start + geometry.pad, geometry.bufsz)
    if half.state is State.WAITING:
        return Owned(CPU, "next in turn, but not handed to the NIC yet")
    return Owned(NOBODY, "not on offer" if page.slot >= 0 else "done with")


def _of_frame(run: Timeline, moment: Moment, page: Page, half: Half) -> Owned:
    assert half.frame is not None
    name, stretch = frame_name(half.frame.id), stretch_of(moment, page, half)
    found = synced(run, moment, page, half)
    if found is not None:
        return Owned(CPU, f"frame {name}, {found[1]:,} bytes synced", *found)
    place = (stretch.offset, stretch.size) if stretch is not None else (half.start, half.size)
    if half.state is State.STACK:
        return Owned(NIC, f"frame {name} has gone up, and was never synced", *place, True)
    return Owned(NIC, f"frame {name} is written, and not synced yet", *place)


def synced(run: Timeline, moment: Moment, page: Page, half: Half) -> tuple[int, int] | None:
    """Return where in the page the bytes begin that were synced for the CPU for the frame in a half, and how many they
    are; None where that has not happened yet.
    """
    frame_id = half.frame.id if half.frame is not None else -1
    for at in range(moment.position - 1, -1, -1):
        if run.frames[at] != frame_id or run.kinds[at] not in (steps.BUF_SYNC, steps.WIRE_ARRIVE):
            continue
        step = run.at(at + 1).step
        if step is None or step.kind == steps.WIRE_ARRIVE:
            break
        offset, size = step.field("offset"), step.field("size")
        if step.page == page.id and offset < half.start + half.size and half.start < offset + size:
            return offset, size
    return None


def draw(
    run: Timeline, moment: Moment, width: int, height: int, *, active: bool = False, glyphs: Glyphs = UNICODE
) -> Picture:
    """Return the panel: the page in question half by half, and what mapping and syncs come to so far."""
    page = page_in_question(moment)
    geometry = moment.machine.config.geometry

    def body(canvas: Canvas) -> None:
        if page is None or not geometry.half:
            canvas.put(0, 0, "No page of two halves is at hand.", Role.REST)
            if canvas.height > 2:
                _sums(canvas, 2, moment)  # what syncs came to holds also where every frame was copied
            return
        found = drawn_halves(moment, page)
        # Where there is little room the bars go first: whose a half is, and the sums, are said in words.
        tall = max(min((canvas.height - 1) // len(found), TALLEST), 1)
        for number, half in enumerate(found):
            _half(canvas, number * tall, half, owned(run, moment, page, half), bar=tall > 1)
        if canvas.height > tall * len(found):
            _sums(canvas, tall * len(found), moment)

    note = "" if page is None else f"page {page.id} · {'mapped' if _is_mapped(moment, page) else 'unmapped'}"
    return frame(width, height, "Who may look", note, body, active=active, glyphs=glyphs)


def _is_mapped(moment: Moment, page: Page) -> bool:
    """Whether the NIC can still reach a page: on the ring, or off it with an unmap that waits for the frame's end."""
    skbs = moment.machine.skbs.values()
    return page.slot >= 0 or any(skb.page_released and skb.first_page is page for skb in skbs)


def _half(canvas: Canvas, y: int, half: Half, own: Owned, *, bar: bool) -> None:
    """A line that says whose the half is, and under it its bytes to scale, as a bar."""
    x = canvas.put(0, y, f"half {half_name(half.start, half.size)}  ", Role.STRONG)
    x = canvas.put(x, y, own.whose, _ROLES[own.whose])
    canvas.write(x, y, f": {own.words}", Role.BAD if own.wrong else Role.PLAIN, canvas.width - x)
    if not bar:
        return
    canvas.fill(0, y + 1, canvas.width, canvas.glyphs.spare, Role.REST)
    if own.size:
        first = max(own.offset - half.start, 0) * canvas.width // half.size
        last = min(own.offset + own.size - half.start, half.size) * canvas.width // half.size
        role: str = Role.NIC if own.whose == NIC else Role.REST
        if own.whose == CPU and half.frame is not None:
            role = frame_role(half.frame.id, solid=False)
        canvas.fill(first, y + 1, max(last - first, 1), state_letter(canvas.glyphs, half.state), role)


def _sums(canvas: Canvas, y: int, moment: Moment) -> None:
    ledger = moment.machine.ledger
    sums = (
        ("pages mapped", ledger.dma_maps),
        ("unmapped", ledger.dma_unmaps),
        ("synced: CPU", ledger.sync_cpu_bytes),
        ("NIC", ledger.sync_device_bytes),
    )
    x = 0
    for words, number in sums:
        text = f"{number:,}"
        if x + len(words) + 1 + len(text) > canvas.width:
            return
        x = canvas.put(x, y, f"{words} ", Role.REST)
        x = canvas.put(x, y, text, Role.STRONG) + GAP
