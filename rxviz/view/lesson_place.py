"""Pictures to answer on: the two halves of a page, or the regions of a half, large, each with its digit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rxviz.model.halves import Half, State
from rxviz.model.memory import Page
from rxviz.model.names import frame_name, half_name
from rxviz.run.timeline import Moment
from rxviz.view.border import frame
from rxviz.view.cell import Canvas, Picture, Role, frame_role
from rxviz.view.glyphs import UNICODE, Glyphs
from rxviz.view.page_rows import prepaid, words_of
from rxviz.view.question import half_in_question, page_in_question
from rxviz.view.regions import drawn_halves, state_letter, stretch_of

PRESS = "press a place, or its number"
REGIONS = ("headroom", "frame", "tailroom")
_ROLES = {State.WAITING: Role.FREE, State.POSTED: Role.NIC}


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands at the places that can be pressed: the digit of each value, which has the focus, which was chosen."""

    digits: Mapping[str, str]
    focus: str = ""
    chosen: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """A place: its value, the cells it takes, what it is filled with, the words in it, and behind its digit."""

    value: str
    width: int
    fill: str
    role: str
    label: str
    label_role: str
    below: str = ""


def draw_page(moment: Moment, width: int, height: int, marks: Marks, glyphs: Glyphs = UNICODE) -> Picture | None:
    """Return the page in question, its two halves large; None where a page has no halves."""
    page = page_in_question(moment)
    if page is None or not moment.machine.config.geometry.half:
        return None

    def body(canvas: Canvas) -> None:
        canvas.put(0, 0, f"page {page.id}", Role.STRONG)
        canvas.put_right(canvas.width, 0, _refs(moment, page), Role.REST)
        each = (canvas.width - 1) // 2
        blocks = [_half_block(moment, half, each, glyphs) for half in drawn_halves(moment, page)]
        _blocks(canvas, blocks, marks, "│")

    return frame(width, height, "The page", PRESS if not marks.chosen else "", body, active=True, glyphs=glyphs)


def _refs(moment: Moment, page: Page) -> str:
    if page.slot < 0 or moment.machine.config.rules.bias_start == 0:
        return f"refs {page.refcount:,}"
    bias = prepaid(moment.machine, page)
    return f"refs {page.refcount} − prepaid {bias} = {page.refcount - bias}"


def _half_block(moment: Moment, half: Half, width: int, glyphs: Glyphs) -> _Block:
    name = half_name(half.start, moment.machine.config.geometry.half)
    fill = state_letter(glyphs, half.state)
    if half.frame is not None:
        colour = frame_role(half.frame.id, solid=False)
        label = f" half {name} · frame {frame_name(half.frame.id)} · {words_of(moment.machine, half)} "
        return _Block(name, width, fill, colour, label, frame_role(half.frame.id))
    role = _ROLES.get(half.state, Role.REST)
    return _Block(name, width, fill, role, f" half {name} · {words_of(moment.machine, half)} ", Role.STRONG)


def draw_half(moment: Moment, width: int, height: int, marks: Marks, glyphs: Glyphs = UNICODE) -> Picture | None:
    """Return the half in question as headroom, frame, and the room behind it; None where there is no frame in one."""
    page = page_in_question(moment)
    half = half_in_question(moment, page, of_frame=True) if page is not None else None
    stretch = stretch_of(moment, page, half) if page is not None and half is not None else None
    if page is None or half is None or stretch is None:
        return None
    front = stretch.offset - half.start
    sizes = (front, stretch.size, half.size - front - stretch.size)

    def body(canvas: Canvas) -> None:
        geometry = moment.machine.config.geometry
        name = half_name(half.start, geometry.half) if geometry.half else ""
        canvas.put(0, 0, f"page {page.id}, half {name}", Role.STRONG)
        canvas.put_right(canvas.width, 0, f"{half.size:,} bytes", Role.REST)
        cells = _shares(sizes, canvas.width - 2)
        letter = frame_name(stretch.frame.id)
        texts = (" in front ", f" frame {letter} ", " behind ")
        fills = (glyphs.spare, state_letter(glyphs, half.state), glyphs.spare)
        colours = (Role.REST, frame_role(stretch.frame.id, solid=False), Role.REST)
        labels = (Role.STRONG, frame_role(stretch.frame.id), Role.STRONG)
        blocks = [
            _Block(value, cell, fill, colour, text, label, f"{size:,} bytes")
            for value, cell, fill, colour, text, label, size in zip(
                REGIONS, cells, fills, colours, texts, labels, sizes, strict=True
            )
        ]
        _blocks(canvas, blocks, marks, "│")

    return frame(width, height, "The half", PRESS if not marks.chosen else "", body, active=True, glyphs=glyphs)


def _shares(sizes: tuple[int, ...], width: int) -> list[int]:
    """Share cells out by size, but none under what a label needs."""
    least = 14
    spare = max(width - least * len(sizes), 0)
    cells = [least + spare * size // sum(sizes) for size in sizes]
    cells[1] += width - sum(cells)
    return cells


def _blocks(canvas: Canvas, blocks: list[_Block], marks: Marks, between: str) -> None:
    """Draw blocks side by side, as high as there is room for, the digit of each under it."""
    tall = max(min(canvas.height - 4, 7), 1)
    top = 1 if canvas.height < tall + 4 else 2
    x = 0
    for number, block in enumerate(blocks):
        if number:
            for y in range(top, top + tall):
                canvas.put(x, y, between, Role.BORDER)
            x += 1
        _block(canvas, x, top, tall, block, marks)
        x += block.width


def _block(canvas: Canvas, x: int, top: int, tall: int, block: _Block, marks: Marks) -> None:
    for y in range(top, top + tall):
        canvas.fill(x, y, block.width, block.fill, block.role)
    middle = top + tall // 2
    label = block.label[: block.width]
    at = x + max((block.width - len(label)) // 2, 0)
    focus = marks.focus == block.value
    if focus:
        canvas.put(at - 2, middle, f" {canvas.glyphs.right}", Role.ACCENT)
        canvas.put(at + len(label), middle, f"{canvas.glyphs.left} ", Role.ACCENT)
    canvas.put(at, middle, label, block.label_role)
    y = top + tall
    digit = marks.digits.get(block.value, "")
    after = canvas.put(x, y, f"{digit} ", Role.KEY) if digit else x
    if marks.chosen == block.value:
        canvas.put(after, y, f"{canvas.glyphs.right} your answer", Role.CHANGED)
    else:
        canvas.write(after, y, block.below or "here", Role.REST, x + block.width - after)
    canvas.target(x, top, block.width, tall + 1, "place", block.value)
